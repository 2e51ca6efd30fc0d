/* SPDX-License-Identifier: Apache-2.0 */
/* timeline: calls of all lanes as tracks of nested pieces. */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "gaps.h"
#include "sl_array.h"

enum { LACKS = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT | SL_SPAN_TAIL | SL_SPAN_REPAIRED };

static uint64_t key_of(const struct sl_timeline_sink *sink, uint32_t stack, uint32_t lane)
{
	return (uint64_t)stack << 32 | (sink->options.axis == SL_AXIS_TICKS ? 0 : lane);
}

static struct timeline_track *add_track(struct sl_timeline_sink *sink, uint32_t stack, uint32_t lane)
{
	struct timeline_track track = { .stack = stack, .lane = lane, .pub.id = (uint32_t)sink->track_count };

	if (SL_ARRAY_PUSH(&sink->tracks, &sink->track_count, &sink->track_cap, track) < 0)
		return NULL;
	timeline_name_track(sink, &sink->tracks[sink->track_count - 1]);
	return &sink->tracks[sink->track_count - 1];
}

/* Made where it is new; NULL when out of memory. */
static struct timeline_track *track_at(struct sl_timeline_sink *sink, uint32_t stack, uint32_t lane)
{
	uint64_t *number = sl_map_put(&sink->by_place, key_of(sink, stack, lane));

	if (number && !*number && add_track(sink, stack, lane))
		*number = sink->track_count;
	if (!number || !*number) {
		sink->no_memory = true;
		return NULL;
	}
	return &sink->tracks[*number - 1];
}

static void tell(struct sl_timeline_sink *sink, const struct sl_timeline_event *event)
{
	sink->options.out.ops->event(sink->options.out.out, event);
}

static struct sl_timeline_event event_of(struct sl_timeline_sink *sink, struct timeline_track *track,
					 uint32_t lane, uint64_t at)
{
	struct sl_timeline_event event = { .lane = lane, .cpu = sink->lanes[lane].cpu };

	if (at < track->last) {
		sink->late++;
		at = track->last;
	}
	track->last = at;
	track->pub.name = track->name;
	event.track = &track->pub;
	event.at = at;
	return event;
}

static void tell_begin(struct sl_timeline_sink *sink, struct timeline_track *track, uint32_t lane, uint64_t at,
		       unsigned flags)
{
	struct timeline_frame *frame = &track->frames[track->len - 1];
	struct sl_timeline_event event = event_of(sink, track, lane, at);

	frame->start = event.at;
	event.kind = SL_TIMELINE_BEGIN;
	event.flags = frame->flags | flags;
	event.name_id = frame->name_id;
	event.name = timeline_name(sink, frame->name_id, &event.module);
	event.depth = frame->depth;
	event.offset = frame->offset;
	event.address = frame->address;
	sink->told++;
	tell(sink, &event);
}

/* The END of the frame on top, which goes. */
static struct sl_timeline_event pop(struct sl_timeline_sink *sink, struct timeline_track *track, uint32_t lane,
				    uint64_t at)
{
	const struct timeline_frame *frame = &track->frames[--track->len];
	struct sl_timeline_event event = event_of(sink, track, lane, at);

	event.kind = SL_TIMELINE_END;
	event.flags = frame->flags;
	event.name_id = frame->name_id;
	event.name = timeline_name(sink, frame->name_id, &event.module);
	event.depth = frame->depth;
	event.offset = frame->offset;
	event.address = frame->address;
	event.start = frame->start;
	return event;
}

/* Ends what lies above depth and was never told to end. */
static void cut(struct sl_timeline_sink *sink, struct timeline_track *track, uint32_t depth, uint64_t at,
		unsigned flags)
{
	while (track->len && track->frames[track->len - 1].depth >= depth) {
		struct timeline_frame *frame = &track->frames[track->len - 1];
		struct sl_timeline_event event;

		if (!frame->shown) {
			track->len--;
			continue;
		}
		event = pop(sink, track, track->lane, at);
		event.flags |= flags;
		tell(sink, &event);
	}
}

/* The frames of a task that came to another CPU's clock go on there. */
static void move(struct sl_timeline_sink *sink, uint32_t from_number, struct timeline_track *to, uint64_t at)
{
	struct timeline_track *from = &sink->tracks[from_number];
	size_t len = from->len;

	for (size_t i = 0; i < len; i++) {
		if (SL_ARRAY_PUSH(&to->frames, &to->len, &to->cap, from->frames[i]) < 0) {
			sink->no_memory = true;
			return;
		}
		if (from->frames[i].shown)
			tell_begin(sink, to, to->lane, at, SL_TIMELINE_MOVED);
	}
	cut(sink, from, 0, from->last, SL_TIMELINE_MOVED);
}

static uint32_t *place_of(struct sl_timeline_sink *sink, uint32_t stack)
{
	size_t need = (size_t)stack + 1;

	if (stack < sink->stack_count)
		return &sink->by_stack[stack];
	if (sl_array_reserve((void **)&sink->by_stack, &sink->stack_cap, sizeof(*sink->by_stack), need) < 0) {
		sink->no_memory = true;
		return NULL;
	}
	memset(sink->by_stack + sink->stack_count, 0, (need - sink->stack_count) * sizeof(*sink->by_stack));
	sink->stack_count = need;
	return &sink->by_stack[stack];
}

/* The track that a call is on. at: where its stack goes on, if it was on another one. NULL when out of memory. */
static struct timeline_track *track_of(struct sl_timeline_sink *sink, const struct sl_call *call,
				       uint32_t lane, uint64_t at)
{
	uint32_t *place = place_of(sink, call->stack), before;
	struct timeline_track *track = place ? track_at(sink, call->stack, lane) : NULL;

	if (!track)
		return NULL;
	before = *place;
	*place = track->pub.id + 1;
	if (before && before != *place)
		move(sink, before - 1, track, at);
	return track;
}

static uint32_t name_of(struct sl_timeline_sink *sink, const struct sl_call *call)
{
	if (call->kind == SL_CALL_LEVEL || call->kind == SL_CALL_RESUME)
		return timeline_level(sink, call->level, call->number);
	return call->symbol;
}

/* Then levels, which have no name that could match, are left out. */
static bool chooses_names(const struct sl_filter *filter)
{
	return filter && (filter->function || filter->module);
}

static void enter(struct sl_timeline_sink *sink, struct timeline_track *track, const struct sl_call *call,
		  uint32_t lane, uint64_t at)
{
	bool level = call->kind == SL_CALL_LEVEL || call->kind == SL_CALL_RESUME;
	struct timeline_frame frame = { .name_id = name_of(sink, call), .depth = call->depth, .offset = call->offset,
					.address = level ? 0 : call->address, .start = at };

	frame.flags = (call->flags & LACKS) | (level ? SL_TIMELINE_LEVEL : 0);
	frame.shown = sink->counts && !(level && chooses_names(sink->options.filter));
	cut(sink, track, call->depth, at, SL_SPAN_NO_EXIT);
	if (frame.name_id == UINT32_MAX || SL_ARRAY_PUSH(&track->frames, &track->len, &track->cap, frame) < 0) {
		sink->no_memory = true;
		return;
	}
	if (frame.shown)
		tell_begin(sink, track, lane, at, 0);
}

static struct timeline_carry *carry_of(struct sl_timeline_sink *sink, uint32_t name_id)
{
	size_t before = sink->carry_cap;

	if (name_id >= before) {
		if (sl_array_reserve((void **)&sink->carries, &sink->carry_cap, sizeof(*sink->carries), (size_t)name_id + 1) < 0) {
			sink->no_memory = true;
			return NULL;
		}
		memset(sink->carries + before, 0, (sink->carry_cap - before) * sizeof(*sink->carries));
	}
	return &sink->carries[name_id];
}

static void add_costs(struct sl_timeline_sink *sink, struct sl_timeline_event *event, const struct sl_call *call)
{
	enum sl_axis axis = sink->options.axis;
	struct timeline_carry *carry = carry_of(sink, event->name_id);
	uint64_t total = call->total->v[axis], hz = sink->options.timestamp_hz;

	if (!carry)
		return;
	if (call->recursive)
		event->total = axis_value(axis, total, hz);
	else
		event->total = axis_carried(axis, &carry->total, total, hz);
	event->self = axis_carried(axis, &carry->self, call->self->v[axis], hz);
	event->costs = true;
}

static void leave(struct sl_timeline_sink *sink, struct timeline_track *track, const struct sl_call *call,
		  uint32_t lane, uint64_t at)
{
	uint32_t name_id = name_of(sink, call);
	struct timeline_frame *top;
	struct sl_timeline_event event;

	cut(sink, track, call->depth + 1, at, SL_SPAN_NO_EXIT);
	top = track->len ? &track->frames[track->len - 1] : NULL;
	/* Its entry was not told. */
	if (!top || top->depth != call->depth || top->name_id != name_id) {
		enter(sink, track, call, lane, at);
		top = track->len ? &track->frames[track->len - 1] : NULL;
	}
	if (!top || top->depth != call->depth)
		return;
	if (!top->shown) {
		track->len--;
		return;
	}
	event = pop(sink, track, lane, at);
	event.flags |= (call->flags & LACKS) | (call->recursive ? SL_TIMELINE_RECURSIVE : 0);
	add_costs(sink, &event, call);
	tell(sink, &event);
}

static void mark(struct sl_timeline_sink *sink, const struct timeline_track *track, const struct sl_call *call,
		 uint32_t lane, uint64_t at)
{
	const struct sl_timeline_event event = { .kind = SL_TIMELINE_MARK, .track = &track->pub, .lane = lane,
						 .cpu = sink->lanes[lane].cpu, .at = at, .name = sl_gap_name(call->number),
						 .offset = call->offset };

	if (gap_is_loss(call->number))
		tell(sink, &event);
}

/* Who runs on a lane: an end may be told of who left it long ago. */
static void run(struct sl_timeline_sink *sink, const struct timeline_track *track, uint32_t lane, uint64_t at)
{
	struct sl_timeline_event event = { .kind = SL_TIMELINE_RUN, .lane = lane, .cpu = sink->lanes[lane].cpu, .at = at };

	if (sink->lanes[lane].running == track->stack + 1)
		return;
	sink->lanes[lane].running = track->stack + 1;
	event.track = &track->pub;
	tell(sink, &event);
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_timeline_sink *sink = self;
	bool ends = call->kind == SL_CALL_LEAVE || call->kind == SL_CALL_RESUME;
	uint32_t lane = timeline_lane_of(sink, call->lane);
	uint64_t at = timeline_at(sink, ends ? call->leave : call->enter);
	struct timeline_track *track;

	if (tasks_see(&sink->tasks, call) < 0)
		sink->no_memory = true;
	sink->counts = !sink->sieve || sl_sieve_call(sink->sieve, call);
	track = sink->no_memory ? NULL : track_of(sink, call, lane, at);
	if (!track)
		return;
	track->pub.name = track->name;
	if (!ends)
		run(sink, track, lane, at);
	if (ends)
		leave(sink, track, call, lane, at);
	else if (call->kind == SL_CALL_ENTER || call->kind == SL_CALL_LEVEL)
		enter(sink, track, call, lane, at);
	else if (call->kind == SL_CALL_GAP)
		mark(sink, track, call, lane, at);
}

static int on_begin(void *self, const struct sl_lane *lane)
{
	struct sl_timeline_sink *sink = self;
	uint64_t *number = sl_map_put(&sink->by_lane, lane->index);

	if (!number)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < sink->lane_count; i++) {
		const struct timeline_lane *known = &sink->lanes[i];

		if (known->trace_id == lane->stream->trace_id && strcmp(known->buffer, lane->buffer->name) == 0)
			*number = i + 1;
	}
	if (*number)
		sink->lanes[*number - 1].cpu = sl_lane_cpu(lane);
	return SL_OK;
}

static int on_end(void *self, const struct sl_lane *lane)
{
	struct sl_timeline_sink *sink = self;
	uint32_t number = timeline_lane_of(sink, lane);
	struct sl_timeline_event event = { .kind = SL_TIMELINE_RUN, .lane = number, .cpu = sink->lanes[number].cpu,
					   .at = sink->lanes[number].end };

	if (sink->lanes[number].running)
		tell(sink, &event);
	sink->lanes[number].running = 0;
	return sink->no_memory || (sink->sieve && sl_sieve_failed(sink->sieve)) ? SL_ERR_NOMEM : SL_OK;
}

void sl_timeline_call_sink(struct sl_timeline_sink *sink, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = { .name = "timeline", .begin = on_begin, .call = on_call, .end = on_end,
						     .untold = 1u << SL_CALL_REPAIR };

	*ret = (struct sl_call_sink){ &ops, sink };
}

int sl_timeline_sink_new(const struct sl_timeline_options *options, struct sl_timeline_sink **ret, struct sl_diag *diag)
{
	struct sl_timeline_sink *sink = calloc(1, sizeof(*sink));
	int result = sink ? SL_OK : SL_ERR_NOMEM;

	if (!sink)
		return sl_fail(diag, result, "%s", sl_strerror(result));
	sink->options = *options;
	sink->symbols = sl_image_symbol_count(options->image) + 1;
	sink->head.name = timeline_name;
	sink->head.ctx = sink;
	result = timeline_find_lanes(sink);
	if (result == SL_OK && options->filter)
		result = sl_sieve_new(options->filter, options->image, options->capture, options->timestamp_hz, &sink->sieve, diag);
	if (result < 0) {
		sl_timeline_sink_free(sink);
		return result;
	}
	options->out.ops->begin(options->out.out, &sink->head);
	*ret = sink;
	return SL_OK;
}

void sl_timeline_sink_free(struct sl_timeline_sink *sink)
{
	if (!sink)
		return;
	for (size_t i = 0; i < sink->track_count; i++)
		free(sink->tracks[i].frames);
	for (size_t i = 0; i < sink->level_count; i++)
		free(sink->levels[i]);
	sl_sieve_free(sink->sieve);
	tasks_release(&sink->tasks);
	sl_map_release(&sink->level_ids);
	sl_map_release(&sink->by_lane);
	sl_map_release(&sink->by_place);
	free(sink->carries);
	free(sink->levels);
	free(sink->lanes);
	free(sink->tracks);
	free(sink->by_stack);
	free(sink);
}

void sl_timeline_sink_finish(struct sl_timeline_sink *sink)
{
	for (size_t i = 0; i < sink->track_count; i++)
		cut(sink, &sink->tracks[i], 0, sink->tracks[i].last, SL_SPAN_NO_EXIT);
}

uint64_t sl_timeline_sink_late(const struct sl_timeline_sink *sink)
{
	return sink->late;
}

bool sl_timeline_sink_empty(const struct sl_timeline_sink *sink)
{
	return sink->told == 0;
}
