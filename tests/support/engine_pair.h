/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ENGINE_PAIR_H
#define ENGINE_PAIR_H
/* One lane through both engines: do they say the same? */
#include "purpose.h"
#include "sl_decoder.h"

struct engine_pair {
	struct sl_trace_config config;
	const struct sl_image *image;
	struct sl_bytes lane;
	size_t piece;	  /* the fast engine is fed in pieces of so many bytes; OpenCSD gets the whole lane. 0: both do */
	size_t restart_at; /* both are restarted there; 0: nowhere */
	bool stub;	   /* the fast engine is stub_engine.h's */
	volatile enum pair_phase { PAIR_IDLE, PAIR_OPENCSD, PAIR_FAST } *phase; /* what runs, for who may have to ask why it died;
										  * NULL: nobody asks */
};
enum pair_verdict {
	PAIR_SAME, PAIR_DIFFERS,
	PAIR_NOT_COVERED, /* the fast engine does not do this */
	PAIR_REFUSED,
};
struct pair_result {
	enum pair_verdict verdict;
	uint64_t elems, ranges, insns; /* of OpenCSD */
	struct purposes purposes;      /* what differs on purpose, and was passed */
	bool range_too_many;	       /* the fast engine has a range that OpenCSD has not, in order */
	char text[4000];	       /* DIFFERS: the first difference, with what is around it */
};
/* Want of memory aborts. */
void engine_pair_run(const struct engine_pair *pair, struct pair_result *ret);
#endif
