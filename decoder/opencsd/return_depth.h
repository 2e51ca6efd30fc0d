/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RETURN_DEPTH_H
#define RETURN_DEPTH_H
/*
 * OpenCSD 1.3.3 takes the address behind an indirect branch from its return stack, where no address packet tells it. Where
 * that stack is empty it gives all up; but where an exception made it ask, it goes on with the exception that it has just
 * thrown away, and crashes. This counts what lies on its stack, as far as is needed to tell: without speculation, where each
 * packet's elements come out before the next packet.
 */
#include <opencsd/c_api/opencsd_c_api.h>

#include "sl_base.h"

enum { RETURN_DEPTH_MAX = 16 };

struct return_depth {
	unsigned depth;
	bool pending;	   /* the last branch leads to what an address packet tells, or else the stack */
	bool q_waits;	   /* the next address is a Q element's, and leaves pending as it is */
	bool q_due;	   /* the next range is one, and no branch */
	ocsd_trc_index_t exception, source; /* the last packet of each: a range with its index is no atom's. 0: none yet */
};
/* An element that came out, at the index of its packet. */
void return_depth_element(struct return_depth *r, const ocsd_generic_trace_elem *elem, ocsd_trc_index_t index);
/* A packet that comes next; false where OpenCSD must not see it. */
bool return_depth_packet(struct return_depth *r, const ocsd_etmv4_i_pkt *packet, ocsd_trc_index_t index);
#endif
