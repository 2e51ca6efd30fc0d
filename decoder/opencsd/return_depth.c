/* SPDX-License-Identifier: Apache-2.0 */
#include "return_depth.h"

static void pop(struct return_depth *r)
{
	r->depth -= r->pending && r->depth;
	r->pending = false;
}

void return_depth_range(struct return_depth *r, const ocsd_generic_trace_elem *range)
{
	pop(r); /* the atom before has not been followed by an address */
	if (!range->last_instr_exec || (range->last_i_type != OCSD_INSTR_BR && range->last_i_type != OCSD_INSTR_BR_INDIRECT))
		return;
	if (range->last_i_subtype == OCSD_S_INSTR_BR_LINK && r->depth < RETURN_DEPTH_MAX)
		r->depth++;
	r->pending = range->last_i_type == OCSD_INSTR_BR_INDIRECT;
}

bool return_depth_packet(struct return_depth *r, const ocsd_etmv4_i_pkt *packet)
{
	bool safe = true;

	switch ((int)packet->type) {
	case ETM4_PKT_I_EXCEPT:
		safe = !r->pending || r->depth;
		pop(r);
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
	case ETM4_PKT_I_Q:
		r->pending = false;
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
