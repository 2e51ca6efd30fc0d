/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOLD_H
#define TOLD_H
/*
 * What a sink may tell a writer, made of any bytes: names of any bytes, calls however deep, times and costs
 * of any size; and what was told, to compare with. The input: the names (a length before each), the paths
 * (their number before them), then operations.
 */
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_paths.h"
#include "sl_timeline.h"

enum {
	NAMES = 8,
	TRACKS = 4,
	LANES = 3,
	DEPTH_MAX = 1000,
	DEPTH_SHOWN = 400,
	NO_COSTS = 1 << 11,
	NAME_BYTES = 256,
	PATHS = 40
};
/* JSON's numbers have a sign to jansson. */
#define TIME_MAX (UINT64_MAX >> 2)

static inline void must(bool holds)
{
	if (!holds)
		abort();
}

struct input {
	const uint8_t *at, *end;
};

struct call {
	uint64_t start, end, total, self;
	uint32_t name_id;
	unsigned flags;
	bool costs;
};

struct told {
	struct call *calls; /* as they end */
	size_t len, cap;
};

struct track {
	struct sl_timeline_track pub;
	struct told by_depth[DEPTH_MAX];
	uint64_t starts[DEPTH_MAX], now;
	uint32_t names[DEPTH_MAX], depth;
};

struct lane {
	struct told runs, losses;
	uint64_t now, since;
	uint32_t running; /* track + 1 */
};

struct made {
	struct input in;
	struct sl_timeline_head head;
	struct sl_timeline to;
	char names[NAMES][NAME_BYTES];
	struct track tracks[TRACKS];
	struct lane lanes[LANES];
	struct track *track;
	uint64_t calls, end;
	unsigned tables, rows;
	struct sl_paths_head paths_head;
	struct sl_path paths[PATHS];
	unsigned path_count;
};

static inline uint8_t byte_of(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A number of any size: how often its two bytes are doubled, and these. */
static inline uint64_t number_of(struct input *in)
{
	uint64_t shift = byte_of(in) % 48, high = byte_of(in);

	return (high << 8 | byte_of(in)) << shift;
}

static inline void take_name(struct input *in, char *ret)
{
	size_t len = byte_of(in);

	len = len < (size_t)(in->end - in->at) ? len : (size_t)(in->end - in->at);
	memcpy(ret, in->at, len);
	ret[len] = 0;
	in->at += len;
}

/* Levels have the numbers behind those of functions, as in the sink. The first name is its own module. */
static const char *name_of(const void *ctx, uint32_t id, const char **ret_module)
{
	const struct made *made = ctx;

	*ret_module = id % NAMES ? NULL : made->names[0];
	return made->names[id % NAMES];
}

static inline void later(uint64_t *now, struct input *in)
{
	uint64_t by = number_of(in);

	*now += by < TIME_MAX - *now ? by : TIME_MAX - *now;
}

static inline void keep(struct told *told, struct call call)
{
	must(SL_ARRAY_PUSH(&told->calls, &told->len, &told->cap, call) == SL_OK);
}

static inline struct sl_timeline_event event_of(struct made *made, enum sl_timeline_kind kind)
{
	struct track *track = made->track;
	struct sl_timeline_event e = {
		.kind = kind, .track = &track->pub, .cpu = -1, .at = track->now, .depth = track->depth
	};

	if (kind == SL_TIMELINE_BEGIN || kind == SL_TIMELINE_END) {
		e.name_id = track->names[track->depth];
		e.name = name_of(made, e.name_id, &e.module);
		e.flags = e.name_id < NAMES ? 0 : SL_TIMELINE_LEVEL;
	}
	return e;
}

static inline void begin(struct made *made, uint8_t name)
{
	struct track *track = made->track;
	struct sl_timeline_event e;

	if (track->depth == DEPTH_MAX)
		return;
	track->names[track->depth] = name % (2 * NAMES);
	track->starts[track->depth] = track->now;
	e = event_of(made, SL_TIMELINE_BEGIN);
	made->to.ops->event(made->to.out, &e);
	track->depth++;
}

static inline void end(struct made *made, bool costs)
{
	static const unsigned shown = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT | SL_SPAN_TAIL | SL_SPAN_REPAIRED |
				      SL_TIMELINE_RECURSIVE | SL_TIMELINE_MOVED;
	struct track *track = made->track;
	struct sl_timeline_event e;

	if (!track->depth)
		return;
	track->depth--;
	e = event_of(made, SL_TIMELINE_END);
	e.start = track->starts[track->depth];
	e.costs = costs;
	if (costs) {
		e.flags |= (unsigned)byte_of(&made->in) << (byte_of(&made->in) & 7);
		e.flags = (e.flags & ~(unsigned)SL_TIMELINE_LEVEL) |
			  (e.name_id < NAMES ? 0 : SL_TIMELINE_LEVEL);
		e.total = number_of(&made->in);
		e.self = number_of(&made->in);
	}
	made->to.ops->event(made->to.out, &e);
	made->calls++;
	made->end = made->end > e.at ? made->end : e.at;
	keep(&track->by_depth[track->depth],
	     (struct call){ e.start, e.at, e.total, e.self, e.name_id,
			    (e.flags & shown) | (costs ? 0 : NO_COSTS), costs });
}

/* Somebody runs on a lane, or, where no track has the number, nobody. */
static inline void run(struct made *made, uint8_t which)
{
	struct lane *lane = &made->lanes[which % LANES];
	uint32_t number = which / LANES % (TRACKS + 1);
	struct sl_timeline_event e = { .kind = SL_TIMELINE_RUN, .lane = which % LANES, .cpu = which % LANES };

	later(&lane->now, &made->in);
	e.at = lane->now;
	e.track = number < TRACKS ? &made->tracks[number].pub : NULL;
	made->to.ops->event(made->to.out, &e);
	if (lane->running) {
		keep(&lane->runs,
		     (struct call){ .start = lane->since, .end = e.at, .name_id = lane->running - 1 });
		made->end = made->end > e.at ? made->end : e.at;
	}
	lane->running = e.track ? number + 1 : 0;
	lane->since = e.at;
}

static inline void lose(struct made *made, uint8_t which)
{
	struct lane *lane = &made->lanes[which % LANES];
	struct sl_timeline_event e = { .kind = SL_TIMELINE_MARK,
				       .lane = which % LANES,
				       .cpu = which % LANES };

	later(&lane->now, &made->in);
	e.at = lane->now;
	e.track = &made->track->pub;
	e.name_id = which / LANES % NAMES;
	e.name = made->names[e.name_id];
	made->to.ops->event(made->to.out, &e);
	keep(&lane->losses, (struct call){ .start = e.at, .end = e.at, .name_id = e.name_id });
	made->end = made->end > e.at ? made->end : e.at;
}

/* What the writer of a timeline is told; false: op is none of that. */
static inline bool step(struct made *made, uint8_t op)
{
	uint8_t more = op >> 3;

	switch (op & 7) {
	case 0:
		begin(made, more);
		break;
	case 1:
		later(&made->track->now, &made->in);
		end(made, more & 1);
		break;
	case 2:
		run(made, more);
		break;
	case 3:
		lose(made, more);
		break;
	case 4:
		made->track = &made->tracks[more % TRACKS];
		break;
	case 5:
		for (unsigned i = 0; i < (more == 31 ? DEPTH_SHOWN + 50u : more & 3); i++)
			begin(made, (uint8_t)i);
		break;
	case 6:
		return false;
	default:
		for (unsigned i = 0; i <= more; i++)
			end(made, false);
	}
	return true;
}

static inline void end_all(struct made *made)
{
	for (int i = 0; i < TRACKS; i++) {
		made->track = &made->tracks[i];
		while (made->track->depth)
			end(made, false);
	}
}

/* Numbers of names are dense, as they come. */
static inline uint32_t number_name(uint8_t which, uint32_t *numbers, uint32_t *count)
{
	if (!numbers[which])
		numbers[which] = ++*count;
	return numbers[which] - 1;
}

/* Paths in preorder, whose children and self are their total. */
static inline void make_paths(struct made *made)
{
	uint32_t numbers[NAMES] = { 0 }, names = 0, depth = 0;

	made->path_count = byte_of(&made->in) % (PATHS + 1);
	made->paths_head = (struct sl_paths_head){ .unit = "ns", .depth = PATHS };
	for (unsigned i = 0; i < made->path_count; i++) {
		uint8_t op = byte_of(&made->in), name = op % NAMES;
		struct sl_path path = { .kind = op & 0x80 ? (enum sl_path_kind)(name % 5) : SL_PATH_FUNCTION,
					.name_id = number_name(name, numbers, &names),
					.calls = op,
					.self = number_of(&made->in) >> 10 };

		depth = i && !(op & 0x10) ? depth + 1 : depth - depth % (1u + (op >> 5 & 3));
		path.depth = depth = i ? depth : 0;
		path.name = name_of(made, name, &path.module);
		path.total = path.self;
		for (unsigned k = i, above = depth; k-- > 0 && above;) {
			if (made->paths[k].depth < above) {
				made->paths[k].total += path.self;
				above = made->paths[k].depth;
			}
		}
		made->paths_head.whole += path.self;
		made->paths[i] = path;
	}
}

static inline void tell_paths(const struct made *made, const struct sl_paths *to)
{
	to->ops->begin(to->out, &made->paths_head);
	for (unsigned i = 0; i < made->path_count; i++)
		to->ops->path(to->out, &made->paths[i]);
}

static inline void tell_begin(struct made *made)
{
	made->head = (struct sl_timeline_head){
		.unit = "ns", .about = made->names[3], .lanes = LANES, .name = name_of, .ctx = made
	};
	made->to.ops->begin(made->to.out, &made->head);
}

static inline void make(struct made *made, struct input in)
{
	static const struct track none;

	for (unsigned i = 0; i < TRACKS; i++) {
		made->tracks[i] = none;
		made->tracks[i].pub = (struct sl_timeline_track){ .id = i, .name = made->names[i] };
	}
	memset(made->lanes, 0, sizeof(made->lanes));
	made->in = in;
	made->track = made->tracks;
	made->calls = made->end = 0;
	made->tables = made->rows = 0;
	for (int i = 0; i < NAMES; i++)
		take_name(&made->in, made->names[i]);
	make_paths(made);
}

static inline void unmake(struct made *made)
{
	for (unsigned i = 0; i < TRACKS; i++) {
		for (unsigned d = 0; d < DEPTH_MAX; d++)
			free(made->tracks[i].by_depth[d].calls);
	}
	for (unsigned i = 0; i < LANES; i++) {
		free(made->lanes[i].runs.calls);
		free(made->lanes[i].losses.calls);
	}
}
#endif
