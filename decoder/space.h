/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPACE_H
#define SPACE_H
/*
 * Whose memory a lane's instructions are read from: that of the task which the trace's context names, else of the one
 * that the capture knows to have run then, as that memory was at the time. Any engine's; inside of decoder/ only.
 */
#include "queue.h"
#include "sl_decoder.h"

enum { SPACE_TOLD_MAX = 2 };

struct space {
	const struct sl_image *image;	/* may be NULL */
	sl_moment_fn *moment_of;	/* may be NULL */
	void *moment_ctx;
	struct elem_queue *queue;	/* the engine's */
	uint32_t core;			/* whose memory it is now */
	uint32_t home_core;		/* where nothing names a task */
	uint32_t task;			/* that the last context named */
	struct sl_moment moment;
	struct sl_elem told[SPACE_TOLD_MAX]; /* what changed at told[0].offset, still to be queued */
	unsigned told_len;
};

void space_init(struct space *space, const struct sl_decoder_options *options, struct elem_queue *queue);
/* Before the packet at offset is decoded; task: what its context names, 0 for none. True where core changed. */
bool space_packet(struct space *space, uint32_t task, uint64_t offset);
/* Queues what is to be told. */
void space_tell(struct space *space);
/* ... before the element of offset. */
static inline void space_before(struct space *space, uint64_t offset)
{
	if (space->told_len && offset >= space->told[0].offset)
		space_tell(space);
}
/* The bytes that follow do not continue those before. */
void space_restart(struct space *space);
#endif
