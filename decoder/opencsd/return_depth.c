/* SPDX-License-Identifier: Apache-2.0 */
#include "return_depth.h"

static void pop(struct return_depth *r)
{
	r->depth -= r->pending && r->depth;
	r->pending = false;
}

/* An instruction that was executed, of an atom or of a source address. */
static void take_range(struct return_depth *r, const ocsd_generic_trace_elem *range)
{
	if (!range->last_instr_exec || (range->last_i_type != OCSD_INSTR_BR && range->last_i_type != OCSD_INSTR_BR_INDIRECT))
		return;
	if (range->last_i_subtype == OCSD_S_INSTR_BR_LINK) {
		r->depth += r->depth < RETURN_DEPTH_MAX;
		r->pending = false;
	}
	r->pending |= range->last_i_type == OCSD_INSTR_BR_INDIRECT;
}

void return_depth_element(struct return_depth *r, const ocsd_generic_trace_elem *elem, ocsd_trc_index_t index)
{
	switch (elem->elem_type) {
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		*r = (struct return_depth){ 0 };
		break;
	case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
		r->q_due = false;
		break;
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
	case OCSD_GEN_TRC_ELEM_ADDR_NACC:
		if (r->exception == index && r->exception)
			return; /* the way to it, which has taken its address already */
		if (r->q_due) {
			r->q_due = elem->elem_type != OCSD_GEN_TRC_ELEM_INSTR_RANGE;
			return;
		}
		if (r->source != index)
			pop(r); /* the atom before has not been followed by an address */
		if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE)
			take_range(r, elem);
		break;
	default:
		break;
	}
}

bool return_depth_packet(struct return_depth *r, const ocsd_etmv4_i_pkt *packet, ocsd_trc_index_t index)
{
	bool safe = true;

	switch ((int)packet->type) {
	case ETM4_PKT_I_EXCEPT:
		safe = !r->pending || r->depth;
		pop(r);
		r->exception = index;
		break;
	case ETM4_PKT_I_ADDR_CTXT_L_64IS0:
	case ETM4_PKT_I_ADDR_CTXT_L_64IS1:
	case ETM4_PKT_I_ADDR_CTXT_L_32IS0:
	case ETM4_PKT_I_ADDR_CTXT_L_32IS1:
	case ETM4_PKT_I_ADDR_MATCH:
	case ETM4_PKT_I_ADDR_L_32IS0:
	case ETM4_PKT_I_ADDR_L_32IS1:
	case ETM4_PKT_I_ADDR_L_64IS0:
	case ETM4_PKT_I_ADDR_L_64IS1:
	case ETM4_PKT_I_ADDR_S_IS0:
	case ETM4_PKT_I_ADDR_S_IS1:
		r->pending &= r->q_waits;
		r->q_waits = false;
		break;
	case ETM4_PKT_I_Q:
		r->q_waits = !packet->Q_pkt.addr_present;
		r->q_due = true;
		break;
	case ETE_PKT_I_SRC_ADDR_MATCH:
	case ETE_PKT_I_SRC_ADDR_S_IS0:
	case ETE_PKT_I_SRC_ADDR_S_IS1:
	case ETE_PKT_I_SRC_ADDR_L_32IS0:
	case ETE_PKT_I_SRC_ADDR_L_32IS1:
	case ETE_PKT_I_SRC_ADDR_L_64IS0:
	case ETE_PKT_I_SRC_ADDR_L_64IS1:
		r->source = index;
		break;
	case ETM4_PKT_I_TRACE_INFO:
	case ETM4_PKT_I_TRACE_ON:
	case ETM4_PKT_I_OVERFLOW:
	case ETM4_PKT_I_DISCARD:
	case ETM4_PKT_I_NOTSYNC:
	case ETM4_PKT_I_BAD_SEQUENCE:
	case ETM4_PKT_I_BAD_TRACEMODE:
	case ETM4_PKT_I_RESERVED:
	case ETM4_PKT_I_RESERVED_CFG:
		*r = (struct return_depth){ 0 };
		break;
	default:
		break;
	}
	return safe;
}
