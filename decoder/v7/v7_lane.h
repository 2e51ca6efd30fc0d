/* SPDX-License-Identifier: Apache-2.0 */
#ifndef V7_LANE_H
#define V7_LANE_H
/*
 * What the engines of PTM and ETMv3 share: the lane's bytes, cut anywhere, into whole packets; the queue of elements; whose
 * memory the program is read from. An engine begins with a struct v7_lane. Inside of decoder/ only.
 */
#include <stddef.h>
#include <string.h>

#include "engine.h"
#include "runs/runs.h"
#include "space.h"

struct v7_lane;

struct v7_ops {
	/*
	 * Takes packets from the lane's bytes at offset; the bytes used, which are fewer than len where what is left is no
	 * whole packet (or block). flush: there are no more, but what is left stays.
	 */
	size_t (*take)(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset, bool flush);
	/* The lane ends, with bytes of a packet that is not whole. */
	void (*end)(struct v7_lane *lane, const uint8_t *bytes, size_t len, uint64_t offset);
	/* Nothing of what came before counts any more. */
	void (*reset)(struct v7_lane *lane);
};

struct v7_lane {
	struct sl_decoder base;
	const struct v7_ops *ops;
	struct sl_decoder_options options;
	enum sl_task_from task_from;

	struct sl_bytes in;	/* lent by feed and not yet used */
	uint8_t *carry;		/* bytes of a packet that began in what was lent before */
	size_t carry_len, carry_cap;
	uint64_t carry_offset;
	uint64_t grid;		/* where the lane began or was restarted: blocks of V7_BLOCK are counted from there */
	uint64_t at;		/* lane offset of the next byte that is not used */
	bool finishing, ended, started;

	struct elem_queue queue;
	size_t open;		/* while the queue is so long, the next run may be merged with its last element; 0: never */

	struct space space;
	struct code code;
	struct run_tables tables;
	struct runs *runs;	/* of tables, for what code is set to */
};

/* OpenCSD is fed so many bytes at a time, and what it says of bytes before a sync point depends on that. */
enum { V7_BLOCK = 256, V7_ROOM = 64 };

/* Whether what is asked for can be done: elements need an image, and packets are not spelt out. */
static inline bool v7_covers(const struct sl_decoder_options *options)
{
	return !options->packet_text && (options->image || options->packets_only);
}
/* The engine's operations. */
extern const struct sl_engine_ops v7_engine;
/* SL_OK or SL_ERR_NOMEM; lane is zeroed memory, which v7_engine.free() frees with what is in it. */
int v7_init(struct v7_lane *lane, const struct v7_ops *ops, const struct sl_trace_config *config,
	    const struct sl_decoder_options *options);

/* Where the block ends that offset lies in. */
static inline uint64_t v7_block_end(const struct v7_lane *lane, uint64_t offset)
{
	return offset + V7_BLOCK - (offset - lane->grid) % V7_BLOCK;
}

/* Room for V7_ROOM elements more; false, and no_memory, where there is none. */
static inline bool v7_reserve(struct v7_lane *lane)
{
	return queue_reserve(&lane->queue, lane->queue.len + V7_ROOM + SPACE_TOLD_MAX);
}
/* The next element, in reserved room. */
static inline struct sl_elem *v7_push(struct v7_lane *lane, uint64_t offset)
{
	space_before(&lane->space, offset);
	lane->queue.elems[lane->queue.len] = (struct sl_elem){ .offset = offset };
	return &lane->queue.elems[lane->queue.len++];
}
void v7_gap(struct v7_lane *lane, uint64_t offset, enum sl_gap gap);
/* The decoder gives up behind the byte at offset. */
void v7_give_up(struct v7_lane *lane, uint64_t offset);
/* Beside the elements: sl_decoder_marks(). */
void v7_mark(struct v7_lane *lane, enum sl_mark_kind kind, uint64_t offset, uint64_t address);
void v7_no_image(struct v7_lane *lane, uint64_t offset, uint64_t address);
/* Cycles that belong to the element before. */
void v7_attach_cycles(struct v7_lane *lane, uint64_t offset, uint32_t cycles);
_Static_assert(offsetof(struct run, end) - offsetof(struct run, kind) ==
		       offsetof(struct sl_elem, range.end) - offsetof(struct sl_elem, kind), "copied as a whole");
/* One run, as an element without its offset. */
static inline void v7_copy_run(const struct run *run, struct sl_elem *ret)
{
	memcpy((char *)ret + offsetof(struct sl_elem, kind), run, sizeof(*ret) - offsetof(struct sl_elem, kind));
}

/* The next element, in reserved room, of a run; or, where it joins, that run added to the last element. */
static inline void v7_add_run(struct v7_lane *lane, const struct run *run, unsigned executed, uint64_t offset, bool joins)
{
	struct sl_elem *e = &lane->queue.elems[lane->queue.len - joins], first = *e;

	v7_copy_run(run, e);
	e->flags |= (uint8_t)(executed * SL_FLAG_EXECUTED);
	e->offset = offset;
	lane->queue.len += !joins;
	if (!joins)
		return;
	e->offset = first.offset;
	e->range.start = first.range.start;
	e->count += first.count;
	e->flags |= SL_FLAG_MERGED;
	lane->base.merged++;
}

/* Runs that are known, one an atom, from id on. Those atoms left; ret gets the run to which they belong. */
unsigned v7_follow_known(struct v7_lane *lane, uint32_t *id, unsigned *atoms, unsigned count, uint64_t offset);

/* Before a packet at offset is decoded: makes room, and asks when and whose it is. context_id: that it names, or 0. */
bool v7_before_packet(struct v7_lane *lane, uint64_t offset, uint32_t context_id);
/* Hands a packet to who wants to see it. */
static inline void v7_tell_packet(const struct v7_lane *lane, const struct sl_packet *packet)
{
	if (lane->options.packet)
		lane->options.packet(lane->options.packet_ctx, packet);
}
/* The memory that is read from now on: that of the lane's core, as secure or non-secure code sees it. False: no memory. */
bool v7_choose_runs(struct v7_lane *lane, bool nonsecure);
#endif
