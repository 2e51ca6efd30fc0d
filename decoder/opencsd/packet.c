/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCSD's packets: named, counted and, where asked for, spelt out. Also where a hostile Trace Info is caught. */
#include "ocsd.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sl_array.h"

/* All of OpenCSD's packet structures begin with their type. */
static int type_of(const void *packet)
{
	int type;

	memcpy(&type, packet, sizeof(type));
	return type;
}

/* OpenCSD 1.3.3 spells packets in strings of static storage: two threads would write into one another's. */
static pthread_mutex_t spelling = PTHREAD_MUTEX_INITIALIZER;

static void spell(struct ocsd_decoder *dec, const void *packet)
{
	dec->text[0] = '\0';
	pthread_mutex_lock(&spelling);
	ocsd_pkt_str(dec->ocsd_protocol, packet, dec->text, (int)sizeof(dec->text));
	pthread_mutex_unlock(&spelling);
	dec->text[sizeof(dec->text) - 1] = '\0';
}

/* OpenCSD spells a packet "NAME : what it says": the name is kept per type, since spelling is slow. */
static const char *name_of(struct ocsd_decoder *dec, int type, const void *packet)
{
	struct packet_name name = { .type = type };

	for (size_t i = 0; i < dec->names_len; i++) {
		if (dec->names[i].type == type)
			return dec->names[i].name;
	}
	spell(dec, packet);
	snprintf(name.name, sizeof(name.name), "%.*s", (int)strcspn(dec->text, " "), dec->text);
	if (SL_ARRAY_PUSH(&dec->names, &dec->names_len, &dec->names_cap, name) < 0)
		return "?";
	return dec->names[dec->names_len - 1].name;
}

static bool is_not_synced(enum sl_protocol protocol, int type)
{
	switch (protocol) {
	case SL_PROTOCOL_ETMV3:
		return type == ETM3_PKT_NOTSYNC;
	case SL_PROTOCOL_PTM:
		return type == PTM_PKT_NOTSYNC;
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		return type == ETM4_PKT_I_NOTSYNC;
	case SL_PROTOCOL_STM:
		return type == STM_PKT_NOTSYNC;
	default:
		return false;
	}
}

static bool is_sync(enum sl_protocol protocol, int type)
{
	switch (protocol) {
	case SL_PROTOCOL_ETMV3:
		return type == ETM3_PKT_A_SYNC;
	case SL_PROTOCOL_PTM:
		return type == PTM_PKT_A_SYNC;
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		return type == ETM4_PKT_I_ASYNC;
	case SL_PROTOCOL_STM:
		return type == STM_PKT_ASYNC;
	default:
		return false;
	}
}

static bool is_bad(enum sl_protocol protocol, int type)
{
	switch (protocol) {
	case SL_PROTOCOL_ETMV3:
		return type >= ETM3_PKT_BAD_SEQUENCE && type <= ETM3_PKT_RESERVED;
	case SL_PROTOCOL_PTM:
		return type == PTM_PKT_BAD_SEQUENCE || type == PTM_PKT_RESERVED;
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		return type >= ETM4_PKT_I_BAD_SEQUENCE && type <= ETM4_PKT_I_RESERVED_CFG;
	case SL_PROTOCOL_STM:
		return type == STM_PKT_BAD_SEQUENCE || type == STM_PKT_RESERVED;
	default:
		return false;
	}
}

/* The timestamp that a packet carries, in full. */
static bool time_of(enum sl_protocol protocol, int type, const void *packet, uint64_t *ret)
{
	switch (protocol) {
	case SL_PROTOCOL_ETMV3:
		*ret = ((const ocsd_etmv3_pkt *)packet)->timestamp;
		return type == ETM3_PKT_TIMESTAMP;
	case SL_PROTOCOL_PTM:
		*ret = ((const ocsd_ptm_pkt *)packet)->timestamp;
		return type == PTM_PKT_TIMESTAMP;
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		*ret = ((const ocsd_etmv4_i_pkt *)packet)->ts.timestamp;
		return type == ETM4_PKT_I_TIMESTAMP;
	default:
		return false;
	}
}

/* What a packet means to speculation.c: elements, */
static struct speculation_packet elements_of(const struct ocsd_decoder *dec, const ocsd_etmv4_i_pkt *p)
{
	switch ((int)p->type) {
	case ETM4_PKT_I_ATOM_F1:
	case ETM4_PKT_I_ATOM_F2:
	case ETM4_PKT_I_ATOM_F3:
	case ETM4_PKT_I_ATOM_F4:
	case ETM4_PKT_I_ATOM_F5:
	case ETM4_PKT_I_ATOM_F6:
		return (struct speculation_packet){ SPEC_ATOMS, p->atom.num, 0 };
	case ETM4_PKT_I_CTXT:
		return (struct speculation_packet){ SPEC_CONTEXT, 0, 0 };
	case ETM4_PKT_I_ADDR_CTXT_L_64IS0:
	case ETM4_PKT_I_ADDR_CTXT_L_64IS1:
	case ETM4_PKT_I_ADDR_CTXT_L_32IS0:
	case ETM4_PKT_I_ADDR_CTXT_L_32IS1:
		return (struct speculation_packet){ SPEC_CONTEXT_ADDRESS, 0, 0 };
	case ETM4_PKT_I_ADDR_MATCH:
	case ETM4_PKT_I_ADDR_L_32IS0:
	case ETM4_PKT_I_ADDR_L_32IS1:
	case ETM4_PKT_I_ADDR_L_64IS0:
	case ETM4_PKT_I_ADDR_L_64IS1:
	case ETM4_PKT_I_ADDR_S_IS0:
	case ETM4_PKT_I_ADDR_S_IS1:
		return (struct speculation_packet){ SPEC_ADDRESS, 0, 0 };
	case ETE_PKT_I_SRC_ADDR_MATCH:
	case ETE_PKT_I_SRC_ADDR_S_IS0:
	case ETE_PKT_I_SRC_ADDR_S_IS1:
	case ETE_PKT_I_SRC_ADDR_L_32IS0:
	case ETE_PKT_I_SRC_ADDR_L_32IS1:
	case ETE_PKT_I_SRC_ADDR_L_64IS0:
	case ETE_PKT_I_SRC_ADDR_L_64IS1:
		return (struct speculation_packet){ SPEC_SOURCE, 0, 0 };
	case ETM4_PKT_I_EVENT:
	case ETM4_PKT_I_CCNT_F1:
	case ETM4_PKT_I_CCNT_F2:
	case ETM4_PKT_I_CCNT_F3:
	case ETM4_PKT_I_TIMESTAMP:
	case ETE_PKT_I_TS_MARKER:
		return (struct speculation_packet){ SPEC_KEPT, 0, 0 };
	case ETM4_PKT_I_EXCEPT:
		return (struct speculation_packet){ SPEC_EXCEPTION, 0, 0 };
	case ETM4_PKT_I_Q:
		return (struct speculation_packet){ p->Q_pkt.addr_present ? SPEC_Q_ADDRESS : SPEC_Q, 0, 0 };
	case ETM4_PKT_I_FUNC_RET:
		return (struct speculation_packet){ SPEC_P0, 0, 0 };
	case ETM4_PKT_I_EXCEPT_RTN:
		return (struct speculation_packet){ dec->exception_returns_are_p0 ? SPEC_P0 : SPEC_OTHER, 0, 0 };
	case ETE_PKT_I_TRANS_ST:
		return (struct speculation_packet){ dec->transactions_are_p0 ? SPEC_P0 : SPEC_OTHER, 0, 0 };
	case ETM4_PKT_I_TRACE_ON:
	case ETE_PKT_I_TRANS_COMMIT:
	case ETE_PKT_I_TRANS_FAIL:
		return (struct speculation_packet){ SPEC_OTHER, 0, 0 };
	default: /* overflow, discard, and what the decoder does not take */
		return (struct speculation_packet){ SPEC_LOST, 0, 0 };
	}
}

/* ... or what becomes of them. */
static struct speculation_packet speculation_of(const struct ocsd_decoder *dec, const ocsd_etmv4_i_pkt *p)
{
	switch ((int)p->type) {
	case ETM4_PKT_I_TRACE_INFO:
		return (struct speculation_packet){ SPEC_DEPTH, p->pkt_valid.bits.spec_depth_valid ? p->curr_spec_depth : 0,
						    0 };
	case ETM4_PKT_I_ASYNC:
		return (struct speculation_packet){ SPEC_SYNC, 0, 0 };
	case ETM4_PKT_I_IGNORE:
		return (struct speculation_packet){ SPEC_NOTHING, 0, 0 };
	case ETM4_PKT_I_COMMIT:
		return (struct speculation_packet){ SPEC_COMMIT, p->commit_elements, 0 };
	case ETM4_PKT_I_MISPREDICT:
		return (struct speculation_packet){ SPEC_MISPREDICT, 0, p->atom.num };
	case ETM4_PKT_I_CANCEL_F1_MISPRED:
	case ETM4_PKT_I_CANCEL_F2:
	case ETM4_PKT_I_CANCEL_F3:
		return (struct speculation_packet){ SPEC_MISPREDICT, p->cancel_elements, p->atom.num };
	case ETM4_PKT_I_CANCEL_F1:
		return (struct speculation_packet){ SPEC_CANCEL, p->cancel_elements, 0 };
	default:
		return elements_of(dec, p);
	}
}

/* Commit, cancel, mispredict: what no trace unit without speculation sends. */
static bool speculates(int type)
{
	return type >= ETM4_PKT_I_COMMIT && type < ETM4_PKT_I_COND_I_F2;
}

/*
 * A depth beyond what the trace unit has (TRCIDR8): OpenCSD would hold back every later element, or commit elements
 * that are not complete. IHI 0064H, Trace Info packet, SPEC field.
 */
static bool is_absurd_depth(const struct ocsd_decoder *dec, const ocsd_etmv4_i_pkt *p)
{
	return p->type == ETM4_PKT_I_TRACE_INFO && p->pkt_valid.bits.spec_depth_valid &&
	       p->curr_spec_depth > dec->max_speculation;
}

/*
 * What OpenCSD would crash on becomes a bad packet and a gap. The monitor is called before the decoder looks at the
 * packet, and gets the very same object.
 */
static void check_speculation(struct ocsd_decoder *dec, const ocsd_etmv4_i_pkt *p, uint64_t offset)
{
	const struct sl_elem gap = { .offset = offset, .kind = SL_ELEM_GAP, .count = SL_GAP_DECODE_ERROR };
	struct speculation_packet step = speculation_of(dec, p);
	bool absurd = is_absurd_depth(dec, p), safe;

	if (absurd)
		step.step = SPEC_LOST;
	safe = dec->speculation ? speculation_take(dec->speculation, &step) : !speculates((int)p->type);
	if (safe && !absurd)
		return;
	((ocsd_etmv4_i_pkt *)(uintptr_t)p)->type = ETM4_PKT_I_BAD_SEQUENCE;
	/* OpenCSD tells of a bad packet, but not while it waits for this one. */
	if (absurd && !dec->options.packets_only)
		queue_add(&dec->queue, &gap);
}

/* An exception that would make OpenCSD take an address from an empty return stack. */
static void check_returns(struct ocsd_decoder *dec, const ocsd_etmv4_i_pkt *p, ocsd_trc_index_t index)
{
	if (dec->counts_returns && !return_depth_packet(&dec->returns, p, index))
		((ocsd_etmv4_i_pkt *)(uintptr_t)p)->type = ETM4_PKT_I_BAD_SEQUENCE;
}

/*
 * ETMv3: an exception may cancel the instruction before it. OpenCSD takes back its last element for that, and where a
 * P-header without atoms left none, it writes outside of its list.
 */
static void check_cancel(struct ocsd_decoder *dec, const ocsd_etmv3_pkt *p)
{
	switch ((int)p->type) {
	case ETM3_PKT_P_HDR:
		dec->can_cancel = p->atom.num > 0;
		break;
	case ETM3_PKT_BRANCH_ADDRESS:
	case ETM3_PKT_BRANCH_OR_BYPASS_EOT:
		if (!dec->can_cancel)
			((ocsd_etmv3_pkt *)(uintptr_t)p)->exception.bits.cancel = 0;
		dec->can_cancel = false;
		break;
	case ETM3_PKT_I_SYNC:
	case ETM3_PKT_I_SYNC_CYCLE:
		dec->can_cancel = false;
		break;
	default:
		break;
	}
}

/*
 * ETMv3: what cannot be followed (Jazelle, ThumbEE, a P-header without atoms) makes OpenCSD yield an element of its list
 * again, whatever that was before; a packet that the end of the lane cuts off is taken for whole. Only the cycles count.
 */
static void drop_unfollowed(struct ocsd_decoder *dec, ocsd_etmv3_pkt *p)
{
	bool cycle_accurate = dec->config.regs[SL_REG_ETMCR] >> 12 & 1;

	if (dec->at_end)
		p->type = ETM3_PKT_INCOMPLETE_EOT;
	if (p->type != ETM3_PKT_P_HDR)
		return;
	if (p->curr_isa == ocsd_isa_jazelle || p->curr_isa == ocsd_isa_tee || (!p->atom.num && !cycle_accurate))
		p->type = cycle_accurate ? ETM3_PKT_CYCLE_COUNT : ETM3_PKT_IGNORE;
}

static void note_q(struct ocsd_decoder *dec, const void *packet, uint64_t offset)
{
	if (((const ocsd_etmv4_i_pkt *)packet)->type != ETM4_PKT_I_Q)
		return;
	if (dec->q_len == Q_PENDING)
		memmove(dec->q_offsets, dec->q_offsets + 1, --dec->q_len * sizeof(dec->q_offsets[0]));
	dec->q_offsets[dec->q_len++] = offset;
}

uint64_t ocsd_q_offset(struct ocsd_decoder *dec, uint64_t index)
{
	uint64_t offset;
	unsigned i = 0;

	if (!dec->q_len)
		return dec->chunk_offset;
	while (i < dec->q_len && dec->q_offsets[i] != index)
		i++;
	if (i == dec->q_len)
		i = 0;
	offset = dec->q_offsets[i++];
	dec->q_len -= i;
	memmove(dec->q_offsets, dec->q_offsets + i, dec->q_len * sizeof(dec->q_offsets[0]));
	return offset;
}

/* Shows a packet to who wants to see it. */
static void show(struct ocsd_decoder *dec, struct sl_packet out, const void *packet)
{
	int type = type_of(packet);

	out.name = name_of(dec, type, packet);
	out.not_synced = is_not_synced(dec->protocol, type);
	out.sync = is_sync(dec->protocol, type);
	out.bad = is_bad(dec->protocol, type);
	out.has_time = time_of(dec->protocol, type, packet, &out.time);
	if (dec->options.packet_text) {
		const char *says;

		spell(dec, packet);
		says = strstr(dec->text, " : ");
		out.text = says ? says + 3 : dec->text;
	}
	dec->options.packet(dec->options.packet_ctx, &out);
}

void ocsd_on_packet(const void *ctx, const ocsd_datapath_op_t op, const ocsd_trc_index_t index, const void *packet,
		    const uint32_t size, const uint8_t *data)
{
	struct ocsd_decoder *dec = (struct ocsd_decoder *)(uintptr_t)ctx;
	struct sl_packet out = { .offset = ocsd_offset(dec, index), .bytes = data, .len = size };

	if (op != OCSD_OP_DATA || !packet)
		return;
	if (dec->protocol == SL_PROTOCOL_ETMV3)
		check_cancel(dec, packet);
	if (dec->protocol == SL_PROTOCOL_ETMV4 || dec->protocol == SL_PROTOCOL_ETE) {
		check_speculation(dec, packet, out.offset);
		check_returns(dec, packet, index);
		note_q(dec, packet, out.offset);
	}
	ocsd_space_packet(dec, packet, out.offset);
	if (dec->protocol == SL_PROTOCOL_ETMV3 && dec->at_end)
		drop_unfollowed(dec, (ocsd_etmv3_pkt *)(uintptr_t)packet);
	if (dec->options.packet)
		show(dec, out, packet);
	if (dec->protocol == SL_PROTOCOL_ETMV3)
		drop_unfollowed(dec, (ocsd_etmv3_pkt *)(uintptr_t)packet);
}
