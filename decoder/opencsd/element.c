/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCSD's generic elements into ours, one to one; what it attaches to an element follows as one of its own. */
#include "ocsd.h"

#include <string.h>

/* What most elements are: looked up, not branched for. */
static void range_of(struct ocsd_decoder *dec, const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	static const uint8_t isas[] = {
		[ocsd_isa_arm] = SL_ISA_A32, [ocsd_isa_thumb2] = SL_ISA_T32, [ocsd_isa_aarch64] = SL_ISA_A64,
		[ocsd_isa_tee] = SL_ISA_T32, [ocsd_isa_jazelle] = SL_ISA_JAZELLE,
	};
	static const uint8_t branches[] = {
		[OCSD_S_INSTR_BR_LINK] = SL_BRANCH_CALL << 4, [OCSD_S_INSTR_V8_RET] = SL_BRANCH_RETURN << 4,
		[OCSD_S_INSTR_V8_ERET] = SL_BRANCH_ERET << 4,
		[OCSD_S_INSTR_V7_IMPLIED_RET] = SL_BRANCH_IMPLIED_RETURN << 4,
	};
	unsigned isa = in->isa, branch = in->last_i_subtype;

	ret->kind = SL_ELEM_RANGE;
	/* of ranges only: elsewhere OpenCSD leaves it as it was, or never set */
	ret->isa = isa < sizeof(isas) ? isas[isa] : SL_ISA_UNKNOWN;
	ret->last = (uint8_t)((in->last_i_type & 15u) | (branch < sizeof(branches) ? branches[branch] : 0));
	ret->flags = (uint8_t)(in->last_instr_exec * SL_FLAG_EXECUTED | in->last_instr_cond * SL_FLAG_CONDITIONAL |
			       (in->last_instr_sz == 2) * SL_FLAG_LAST_16BIT);
	ret->flags |= ocsd_sleeps(dec, ret->isa, in->st_addr, in->en_addr);
	ret->count = in->num_instr_range;
	ret->range.start = in->st_addr;
	ret->range.end = in->en_addr;
}

static void exception_of(const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	ret->kind = SL_ELEM_EXCEPTION;
	ret->count = in->exception_number;
	ret->flags = (uint8_t)((in->excep_ret_addr ? SL_FLAG_ADDRESS : 0) |
			       (in->excep_ret_addr_br_tgt ? SL_FLAG_TARGET : 0) |
			       (in->excep_data_marker ? SL_FLAG_MARKER : 0));
	ret->address = in->excep_ret_addr ? in->en_addr : 0;
}

static uint8_t security_of(ocsd_sec_level level)
{
	switch (level) {
	case ocsd_sec_secure:
		return SL_SECURE;
#if OCSD_VER_NUM >= 0x010303
	case ocsd_sec_root:
		return SL_ROOT;
	case ocsd_sec_realm:
		return SL_REALM;
#endif
	default:
		return SL_NONSECURE;
	}
}

static void context_of(const ocsd_pe_context *in, struct sl_elem *ret)
{
	ret->kind = SL_ELEM_CONTEXT;
	ret->context = (struct sl_context){
		.context_id = in->ctxt_id_valid ? in->context_id : 0,
		.vmid = in->vmid_valid ? in->vmid : 0,
		.el = in->el_valid ? (uint8_t)((unsigned)in->exception_level & 3u) : 0,
		.security = security_of(in->security_level),
		.flags = (uint8_t)((in->ctxt_id_valid ? SL_CTX_ID : 0) | (in->vmid_valid ? SL_CTX_VMID : 0) |
				   (in->el_valid ? SL_CTX_EL : 0) | (in->bits64 ? SL_CTX_64BIT : 0)),
	};
}

static void gap_of(struct sl_elem *ret, enum sl_gap gap)
{
	ret->kind = SL_ELEM_GAP;
	ret->count = gap;
}

static enum sl_gap gap_of_trace_on(trace_on_reason_t reason)
{
	switch (reason) {
	case TRACE_ON_OVERFLOW:
		return SL_GAP_OVERFLOW;
	case TRACE_ON_EX_DEBUG:
		return SL_GAP_DEBUG;
	default:
		return SL_GAP_FILTER;
	}
}

/* PTM gives the reason of the first one for all that follow: but these come of bad packets. */
static enum sl_gap gap_of_no_sync(struct ocsd_decoder *dec, unsync_info_t reason)
{
	bool first = !dec->told_no_sync;

	dec->told_no_sync = true;
	if (dec->protocol == SL_PROTOCOL_PTM && !first)
		return SL_GAP_BAD_PACKET;
	switch (reason) {
	case UNSYNC_OVERFLOW:
	case UNSYNC_DISCARD:
		return SL_GAP_LOST_SYNC;
	case UNSYNC_BAD_PACKET:
		return SL_GAP_BAD_PACKET;
	case UNSYNC_RESET_DECODER:
		return SL_GAP_RESET;
	default:
		return dec->renewed ? SL_GAP_RESET : SL_GAP_START;
	}
}

static void no_image_of(struct ocsd_decoder *dec, const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	gap_of(ret, dec->runaway ? SL_GAP_RUNAWAY : SL_GAP_NO_IMAGE);
	dec->runaway = false;
	ret->address = in->st_addr;
	ret->flags = SL_FLAG_ADDRESS;
}

static void message_of(const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	const ocsd_swt_info_t *info = &in->sw_trace_info;
	unsigned bits = info->swt_payload_pkt_bitsize;

	ret->kind = SL_ELEM_MESSAGE;
	ret->flags = info->swt_marker_packet ? SL_FLAG_MARKER : 0;
	ret->message = (struct sl_message){ .master = info->swt_master_id, .channel = info->swt_channel_id,
					    .bits = (uint8_t)bits };
	if (info->swt_global_err || info->swt_master_err)
		ret->message.kind = SL_MESSAGE_ERROR;
	else if (info->swt_trigger_event)
		ret->message.kind = SL_MESSAGE_TRIGGER;
	else if (info->swt_frequency)
		ret->message.kind = SL_MESSAGE_FREQUENCY;
	else
		ret->message.kind = bits ? SL_MESSAGE_DATA : SL_MESSAGE_FLAG;
	if (in->ptr_extended_data && bits >= 8)
		memcpy(&ret->count, in->ptr_extended_data, bits >= 32 ? 4 : bits / 8);
	else if (in->ptr_extended_data && bits)
		ret->count = *(const uint8_t *)in->ptr_extended_data & ((1u << bits) - 1);
}

static void event_of(const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	ret->kind = SL_ELEM_EVENT;
	ret->count = in->trace_event.ev_number;
	ret->value = in->trace_event.ev_type == EVENT_TRIGGER;
}

/* False for elements that say nothing to us. */
static bool translate(struct ocsd_decoder *dec, const ocsd_generic_trace_elem *in, struct sl_elem *ret)
{
	switch (in->elem_type) {
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		/* ETMv3: what it began to fill and then cancelled. Its addresses are what was in memory. */
		if (!in->num_instr_range)
			return false;
		range_of(dec, in, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
		range_of(dec, in, ret);
		ret->kind = SL_ELEM_RANGE_NO_PATH;
		ret->last = ret->flags = 0; /* of an earlier element: nobody knows the last instruction */
		ret->offset = ocsd_q_offset(dec, ret->offset);
		return true;
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
		context_of(&in->context, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_EXCEPTION:
		exception_of(in, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_EXCEPTION_RET:
		ret->kind = SL_ELEM_EXCEPTION_RETURN;
		return true;
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		ret->kind = SL_ELEM_TIME;
		ret->value = in->timestamp;
		ret->flags = in->cpu_freq_change ? SL_FLAG_FREQUENCY : 0;
		return true;
	case OCSD_GEN_TRC_ELEM_CYCLE_COUNT:
		ret->kind = SL_ELEM_CYCLES;
		ret->count = in->cycle_count;
		return true;
	case OCSD_GEN_TRC_ELEM_EVENT:
		event_of(in, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_SWTRACE:
		message_of(in, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_SYNC_MARKER:
		ret->kind = SL_ELEM_MARKER;
		ret->value = in->sync_marker.value;
		return true;
	case OCSD_GEN_TRC_ELEM_MEMTRANS:
		ret->kind = SL_ELEM_TRANSACTION;
		ret->count = (uint32_t)in->mem_trans;
		return true;
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
		gap_of(ret, gap_of_trace_on(in->trace_on_reason));
		return true;
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		gap_of(ret, gap_of_no_sync(dec, in->unsync_eot_info));
		return true;
	case OCSD_GEN_TRC_ELEM_ADDR_NACC:
		no_image_of(dec, in, ret);
		return true;
	case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
		gap_of(ret, SL_GAP_NO_ADDRESS);
		return true;
	case OCSD_GEN_TRC_ELEM_EO_TRACE: /* finish() ends a lane itself, since not every protocol says this */
	default:
		return false;
	}
}

/* A count or a time that came inside of another element (PTM, cycle-accurate ETMv3, STM). */
static void attached_of(struct ocsd_decoder *dec, const ocsd_generic_trace_elem *in, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .flags = SL_FLAG_ATTACHED };

	if (in->has_cc && in->elem_type != OCSD_GEN_TRC_ELEM_CYCLE_COUNT) {
		e.kind = SL_ELEM_CYCLES;
		e.count = in->cycle_count;
		queue_add(&dec->queue, &e);
	}
	if (in->has_ts && in->elem_type != OCSD_GEN_TRC_ELEM_TIMESTAMP) {
		e.kind = SL_ELEM_TIME;
		e.count = 0;
		e.value = in->timestamp;
		queue_add(&dec->queue, &e);
	}
}

ocsd_datapath_resp_t ocsd_on_element(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				     const ocsd_generic_trace_elem *in)
{
	struct ocsd_decoder *dec = (struct ocsd_decoder *)(uintptr_t)ctx;
	struct sl_elem *e;

	(void)id;
	if (dec->counts_returns)
		return_depth_element(&dec->returns, in, index);
	/* a contradiction that shows in the program only; of all others it knows before */
	if (dec->speculation && dec->speculation->stage == SPEC_DECODE && in->elem_type == OCSD_GEN_TRC_ELEM_NO_SYNC)
		speculation_reset(dec->speculation);
	space_before(&dec->space, ocsd_offset(dec, index));
	e = queue_slot(&dec->queue);
	if (!e)
		return OCSD_RESP_CONT;
	*e = (struct sl_elem){ .offset = ocsd_offset(dec, index) };
	if (!translate(dec, in, e))
		return OCSD_RESP_CONT; /* with what is attached: of a cancelled range that is as undefined as the rest */
	dec->queue.len++;
	if (in->has_cc || in->has_ts)
		attached_of(dec, in, ocsd_offset(dec, index));
	return OCSD_RESP_CONT;
}
