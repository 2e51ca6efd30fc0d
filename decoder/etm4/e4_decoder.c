/* SPDX-License-Identifier: Apache-2.0 */
#include "e4_decoder.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

/* What may be read of the image in any case: as decoder/opencsd has it. */
enum { CARRY_MAX_TRY = 64, WALK_BYTES_FREE = 64 << 20 };

static struct e4_decoder *own(struct sl_decoder *base)
{
	return (struct e4_decoder *)base;
}

static void free_decoder(struct sl_decoder *base)
{
	struct e4_decoder *dec = own(base);

	sl_decoder_free(dec->lister);
	run_tables_free(&dec->tables);
	e4_pending_free(&dec->pending);
	free(dec->speculation);
	free(dec->carry);
	queue_release(&dec->queue);
	free(dec);
}

static void emit_gap(struct e4_decoder *dec, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_GAP, .count = dec->gap };

	e4_emit(dec, &e);
	dec->stage = E4_WAIT_SYNC;
	if (dec->gap == SL_GAP_BAD_PACKET)
		e4_mark(dec, SL_MARK_PACKET, offset);
}

void e4_contradiction(struct e4_decoder *dec, size_t mark, uint64_t offset)
{
	dec->queue.len = mark;
	if (mark && dec->code.merge)
		dec->queue.elems[mark - 1] = dec->undo.last;
	if (dec->code.merge)
		dec->base.merged = dec->undo.merged;
	e4_reset(dec, SL_GAP_BAD_PACKET);
	emit_gap(dec, offset);
}

static void take_trace_info(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	struct e4_pend in_transaction = { .offset = offset, .kind = E4_P_TRANSACTION_INIT };

	dec->stage = E4_DECODE;
	dec->depth = p->elements;
	e4_flow_forget_returns(dec);
	e4_mark_sync(dec, offset);
	if (p->trace_info & 0x40 && e4_pending_push(&dec->pending, &in_transaction) < 0)
		dec->queue.no_memory = true;
}

static void wait_for_info(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	dec->need_context = dec->need_address = true;
	if (p->type == E4_TRACE_INFO)
		take_trace_info(dec, p, offset);
	else if (p->type == E4_EVENT && e4_is_ete(&dec->config) && e4_elements(dec, p, offset)) /* which ETE may send early */
		e4_resolve(dec);
}

/* What follows sync is decoded; what ends it says so at once where that came of a commit, else at the next packet. */
static void decode(struct e4_decoder *dec, const struct e4_packet *p, uint64_t offset)
{
	if (dec->stage == E4_NO_SYNC)
		emit_gap(dec, offset);
	if (dec->stage == E4_WAIT_SYNC) {
		if (p->type == E4_ASYNC)
			dec->stage = E4_WAIT_INFO;
	} else if (dec->stage == E4_WAIT_INFO) {
		wait_for_info(dec, p, offset);
	} else if (e4_elements(dec, p, offset)) {
		e4_resolve(dec);
		if (dec->stage == E4_NO_SYNC && !dec->gave_up)
			emit_gap(dec, offset);
	}
}

/* What a packet means to speculation.c. */
static struct speculation_packet speculation_of(const struct e4_config *config, const struct e4_packet *p)
{
	static const uint8_t steps[E4_TYPES] = {
		[E4_ASYNC] = SPEC_SYNC, [E4_TRACE_INFO] = SPEC_DEPTH, [E4_IGNORE] = SPEC_NOTHING, [E4_TRACE_ON] = SPEC_OTHER,
		[E4_ATOM_F1] = SPEC_ATOMS, [E4_ATOM_F2] = SPEC_ATOMS, [E4_ATOM_F3] = SPEC_ATOMS,
		[E4_ATOM_F4] = SPEC_ATOMS, [E4_ATOM_F5] = SPEC_ATOMS, [E4_ATOM_F6] = SPEC_ATOMS,
		[E4_CTXT] = SPEC_CONTEXT,
		[E4_ADDR_CTXT_L_32IS0] = SPEC_CONTEXT_ADDRESS, [E4_ADDR_CTXT_L_32IS1] = SPEC_CONTEXT_ADDRESS,
		[E4_ADDR_CTXT_L_64IS0] = SPEC_CONTEXT_ADDRESS, [E4_ADDR_CTXT_L_64IS1] = SPEC_CONTEXT_ADDRESS,
		[E4_ADDR_MATCH] = SPEC_ADDRESS, [E4_ADDR_S_IS0] = SPEC_ADDRESS, [E4_ADDR_S_IS1] = SPEC_ADDRESS,
		[E4_ADDR_L_32IS0] = SPEC_ADDRESS, [E4_ADDR_L_32IS1] = SPEC_ADDRESS,
		[E4_ADDR_L_64IS0] = SPEC_ADDRESS, [E4_ADDR_L_64IS1] = SPEC_ADDRESS,
		[E4_SRC_ADDR_MATCH] = SPEC_SOURCE, [E4_SRC_ADDR_S_IS0] = SPEC_SOURCE, [E4_SRC_ADDR_S_IS1] = SPEC_SOURCE,
		[E4_SRC_ADDR_L_32IS0] = SPEC_SOURCE, [E4_SRC_ADDR_L_32IS1] = SPEC_SOURCE,
		[E4_SRC_ADDR_L_64IS0] = SPEC_SOURCE, [E4_SRC_ADDR_L_64IS1] = SPEC_SOURCE,
		[E4_EVENT] = SPEC_KEPT, [E4_CCNT_F1] = SPEC_KEPT, [E4_CCNT_F2] = SPEC_KEPT, [E4_CCNT_F3] = SPEC_KEPT,
		[E4_TIMESTAMP] = SPEC_KEPT, [E4_TS_MARKER] = SPEC_KEPT, [E4_ITE] = SPEC_KEPT,
		[E4_EXCEPT] = SPEC_EXCEPTION, [E4_Q] = SPEC_Q, [E4_EXCEPT_RTN] = SPEC_OTHER, [E4_FUNC_RET] = SPEC_P0,
		[E4_TRANS_ST] = SPEC_OTHER, [E4_TRANS_COMMIT] = SPEC_OTHER, [E4_TRANS_FAIL] = SPEC_OTHER,
		[E4_COMMIT] = SPEC_COMMIT, [E4_MISPREDICT] = SPEC_MISPREDICT, [E4_CANCEL_F1] = SPEC_CANCEL,
		[E4_CANCEL_F1_MISPRED] = SPEC_MISPREDICT, [E4_CANCEL_F2] = SPEC_MISPREDICT, [E4_CANCEL_F3] = SPEC_MISPREDICT,
	};
	struct speculation_packet ret = { (enum speculation_step)steps[p->type], p->elements, p->atom_count };

	if (ret.step == SPEC_ATOMS)
		ret.count = p->atom_count;
	if (p->type == E4_Q && p->has & E4_HAS_ADDRESS)
		ret.step = SPEC_Q_ADDRESS;
	if ((p->type == E4_EXCEPT_RTN && config->exception_returns) || (p->type == E4_TRANS_ST && config->transactions_are_p0))
		ret.step = SPEC_P0;
	if (ret.step == SPEC_KEPT && !(p->has & E4_HAS_COMMIT))
		ret.count = 0;
	return ret;
}

/*
 * What no trace unit of this depth sends (speculation.h), and a Trace Info that speaks of more elements than it can hold:
 * IHI 0064H, TRCIDR8 and 6.4.2.
 */
static void check_speculation(struct e4_decoder *dec, struct e4_packet *p, uint64_t offset)
{
	const struct sl_elem gap = { .offset = offset, .kind = SL_ELEM_GAP, .count = SL_GAP_DECODE_ERROR };
	struct speculation_packet step = speculation_of(&dec->config, p);
	bool absurd = p->type == E4_TRACE_INFO && p->elements > dec->config.max_speculation;

	if (absurd)
		step.step = SPEC_LOST;
	if (dec->speculation ? speculation_take(dec->speculation, &step) && !absurd : step.step < SPEC_COMMIT && !absurd)
		return;
	p->type = E4_BAD_SEQUENCE;
	if (absurd)
		queue_add(&dec->queue, &gap);
}

static uint32_t task_of(const struct e4_decoder *dec)
{
	switch (dec->trace_config.task_from) {
	case SL_TASK_CONTEXT_ID:
		return dec->state.context_id;
	case SL_TASK_VMID:
		return dec->state.vmid;
	default:
		return 0;
	}
}

static void take_packet(struct e4_decoder *dec, struct e4_packet *p, uint64_t offset)
{
	check_speculation(dec, p, offset);
	if (space_packet(&dec->space, task_of(dec), offset))
		e4_flow_memory(dec);
	decode(dec, p, offset);
}

/* What is no packet of the stream: skipped bytes are told once. */
static void take_unsynced(struct e4_decoder *dec, enum e4_type type, uint64_t offset)
{
	struct e4_packet p = { .type = (uint8_t)type };

	check_speculation(dec, &p, offset);
	if (space_packet(&dec->space, task_of(dec), offset))
		e4_flow_memory(dec);
	if (type == E4_NOT_SYNC && dec->skipped_told)
		return;
	dec->skipped_told |= type == E4_NOT_SYNC;
	decode(dec, &p, offset);
}

static void take_skipped(struct e4_decoder *dec)
{
	if (dec->skip_due)
		take_unsynced(dec, E4_NOT_SYNC, dec->skip_start);
	dec->skip_due = false;
}

/* Bytes in search of an A-Sync; the number used. That bytes were skipped is told when another one follows. */
static size_t find_sync(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset)
{
	for (size_t i = 0; i < len; i++) {
		uint64_t start;

		take_skipped(dec);
		switch (e4_sync_take(&dec->sync, bytes[i], offset + i, &start)) {
		case E4_SYNC_SKIPPED:
			dec->skip_due = true;
			dec->skip_start = start;
			break;
		case E4_SYNC_BAD:
			take_unsynced(dec, E4_BAD_SEQUENCE, start);
			break;
		case E4_SYNC_FOUND:
			take_unsynced(dec, E4_ASYNC, start);
			dec->in_sync = true;
			return i + 1;
		default:
			break;
		}
	}
	return len;
}

/* All but what the capture has said of the trace unit, and what is known of the image. */
static void forget(struct e4_decoder *dec, enum sl_gap gap)
{
	dec->in_sync = dec->skipped_told = dec->skip_due = dec->gave_up = false;
	e4_sync_reset(&dec->sync);
	e4_state_reset(&dec->state);
	e4_reset(dec, gap);
}

/* The packet that ends at offset contradicts the protocol: all begins anew behind it. */
static void give_up(struct e4_decoder *dec, uint64_t offset)
{
	const struct sl_elem gap = { .offset = offset, .kind = SL_ELEM_GAP, .count = SL_GAP_DECODE_ERROR };

	queue_add(&dec->queue, &gap);
	e4_mark(dec, SL_MARK_PACKET, offset);
	forget(dec, SL_GAP_RESET);
}

size_t e4_take_one(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset)
{
	struct e4_packet p;
	size_t used = e4_read(&dec->headers, &dec->config, bytes, len, &p);

	if (!used)
		return 0;
	dec->code.budget += used * E4_WALK_BYTES;
	e4_state_take(&dec->state, &p);
	take_packet(dec, &p, offset);
	if (dec->gave_up)
		give_up(dec, offset + used - 1);
	return used;
}

/* One packet, or several that are quickly done with; the bytes used. */
static size_t take_some(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset)
{
	/* at dec->space.moment.until, somebody is to be asked whose memory it is */
	uint64_t before = dec->space.moment.until > offset ? dec->space.moment.until - offset : 0;
	size_t used = e4_hot(dec, bytes, before < len ? (size_t)before : len, offset);

	dec->code.budget += used * E4_WALK_BYTES;
	return used ? used : e4_take_one(dec, bytes, len, offset);
}

/* Packets, until a batch is full; the bytes used. Where it stops short of both, a packet goes on beyond len. */
static size_t take_bytes(struct e4_decoder *dec, const uint8_t *bytes, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len && dec->queue.len < E4_BATCH && !dec->queue.no_memory) {
		size_t used = dec->in_sync ? take_some(dec, bytes + done, len - done, offset + done) :
					     find_sync(dec, bytes + done, len - done, offset + done);

		if (!used)
			break;
		done += used;
	}
	return done;
}

static int carry(struct e4_decoder *dec, const uint8_t *bytes, size_t len)
{
	if (sl_array_reserve((void **)&dec->carry, &dec->carry_cap, 1, dec->carry_len + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(dec->carry + dec->carry_len, bytes, len);
	dec->carry_len += len;
	return SL_OK;
}

static void use_in(struct e4_decoder *dec, size_t n)
{
	dec->in.data += n;
	dec->in.len -= n;
	dec->in.offset += n;
}

/* What was carried and is used goes; the rest waits for more. */
static void use_carry(struct e4_decoder *dec, size_t n)
{
	dec->carry_len -= n;
	memmove(dec->carry, dec->carry + n, dec->carry_len);
	dec->offset += n;
}

/* A packet that began before what is lent: a byte more at a time, and more where it is a long one. */
static void take_carried(struct e4_decoder *dec)
{
	while (dec->carry_len && dec->in.len && dec->queue.len < E4_BATCH && !dec->queue.no_memory) {
		size_t want = dec->carry_len < CARRY_MAX_TRY ? 1 : dec->carry_len;
		size_t n = want < dec->in.len ? want : dec->in.len, used;

		if (carry(dec, dec->in.data, n) < 0) {
			dec->queue.no_memory = true;
			return;
		}
		use_in(dec, n);
		used = take_bytes(dec, dec->carry, dec->carry_len, dec->offset);
		use_carry(dec, used);
	}
}

static void take_in(struct e4_decoder *dec)
{
	size_t used = take_bytes(dec, dec->in.data, dec->in.len, dec->offset);

	dec->offset += used;
	use_in(dec, used);
	if (!dec->in.len || dec->queue.len >= E4_BATCH)
		return;
	if (carry(dec, dec->in.data, dec->in.len) < 0)
		dec->queue.no_memory = true;
	use_in(dec, dec->in.len);
}

/* A packet that the lane ends in, or bytes that are none. */
static void take_rest(struct e4_decoder *dec)
{
	if (dec->in_sync && dec->carry_len)
		take_unsynced(dec, E4_INCOMPLETE_EOT, dec->offset);
	else if (!dec->in_sync && (dec->skip_due || dec->sync.len))
		take_unsynced(dec, E4_INCOMPLETE_EOT, dec->skip_due ? dec->skip_start : dec->sync.start);
}

static void end_lane(struct e4_decoder *dec)
{
	struct sl_elem end = { .kind = SL_ELEM_END };

	take_rest(dec);
	e4_commit_end(dec);
	end.offset = dec->offset + dec->carry_len;
	queue_add(&dec->queue, &end);
	dec->ended = true;
}

static void fill_queue(struct e4_decoder *dec)
{
	dec->queue.head = dec->queue.len = dec->open = 0;
	take_carried(dec);
	if (dec->in.len && !dec->carry_len && dec->queue.len < E4_BATCH && !dec->queue.no_memory)
		take_in(dec);
	if (!dec->queue.len && !dec->in.len && dec->finishing && !dec->ended)
		end_lane(dec);
}

/* There are no elements, but asking for them is what makes it go on. */
static void list_packets(struct e4_decoder *dec)
{
	struct sl_elem *elems;
	size_t n;
	int result;

	while ((result = sl_decoder_lend(dec->lister, &elems, &n)) == SL_OK)
		;
	dec->queue.no_memory |= result < 0;
}

static void feed(struct sl_decoder *base, struct sl_bytes in)
{
	struct e4_decoder *dec = own(base);

	if (!dec->carry_len)
		dec->offset = in.offset;
	dec->in = in;
	if (!dec->lister)
		return;
	sl_decoder_feed(dec->lister, in);
	list_packets(dec);
}

static void finish(struct sl_decoder *base)
{
	struct e4_decoder *dec = own(base);

	dec->finishing = true;
	if (!dec->lister)
		return;
	sl_decoder_finish(dec->lister);
	list_packets(dec);
}

static void restart(struct sl_decoder *base)
{
	struct e4_decoder *dec = own(base);

	dec->offset += dec->carry_len;
	dec->carry_len = 0;
	forget(dec, SL_GAP_RESET);
	space_restart(&dec->space);
	if (dec->lister)
		sl_decoder_restart(dec->lister);
}

static int lend(struct sl_decoder *base, struct sl_elem **ret, size_t *ret_len)
{
	struct e4_decoder *dec = own(base);

	if (queue_is_lent(&dec->queue))
		fill_queue(dec);
	return queue_lend(&dec->queue, ret, ret_len);
}

static bool covers_registers(const struct sl_trace_config *config)
{
	struct sl_config_facts facts;

	sl_config_facts(config, &facts);
	/* loads and stores as elements of the program (TRCCONFIGR.INSTP0), data, conditional instructions */
	return !(config->regs[SL_REG_TRCCONFIGR] & 6) && !facts.data_trace && !facts.conditional;
}

bool e4_covers(const struct sl_trace_config *config, const struct sl_decoder_options *options)
{
	return (config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE) && options->image &&
	       !options->packets_only && covers_registers(config);
}

static void configure(struct e4_decoder *dec, const struct sl_trace_config *config,
		      const struct sl_decoder_options *options)
{
	dec->trace_config = *config;
	e4_configure(config, &dec->config);
	e4_headers_init(&dec->config, &dec->headers);
	e4_hot_init(dec);
	space_init(&dec->space, options, &dec->queue);
	dec->return_stack_on = config->regs[SL_REG_TRCCONFIGR] >> 12 & 1;
	dec->code = (struct code){
		.image = options->image, .core = options->core, .budget = WALK_BYTES_FREE, .merge = options->merge,
		.isa = { .arch = config->arch, .m_profile = config->profile == SL_PROFILE_M,
			 .wfi_is_waypoint = config->regs[SL_REG_TRCIDR2] >> 31 && dec->config.version >= 0x43 },
	};
}

static int new_lister(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		      struct sl_decoder **ret, struct sl_diag *diag)
{
	struct sl_decoder_options own = { .packet = options->packet, .packet_ctx = options->packet_ctx,
					  .packet_text = options->packet_text, .packets_only = true };

	return ocsd_new(config, &own, ret, diag);
}

static int new_parts(struct e4_decoder *dec, const struct sl_decoder_options *options, struct sl_diag *diag)
{
	if (dec->config.max_speculation) {
		dec->speculation = calloc(1, sizeof(*dec->speculation));
		if (!dec->speculation)
			return SL_ERR_NOMEM;
		dec->speculation->max_depth = dec->config.max_speculation;
	}
	return options->packet ? new_lister(&dec->trace_config, options, &dec->lister, diag) : SL_OK;
}

int e4_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	   struct sl_diag *diag)
{
	static const struct sl_engine_ops ops = { free_decoder, feed, finish, restart, lend };
	struct e4_decoder *dec = calloc(1, sizeof(*dec));
	int result;

	if (!dec)
		return SL_ERR_NOMEM;
	dec->base.ops = &ops;
	dec->base.part_ops = &e4_part_ops;
	configure(dec, config, options);
	result = new_parts(dec, options, diag);
	if (result < 0) {
		free_decoder(&dec->base);
		return result;
	}
	dec->isa = SL_ISA_A32;
	forget(dec, SL_GAP_START);
	*ret = &dec->base;
	return SL_OK;
}
