/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_span.h"

static size_t lane_of(const struct sl_call *call)
{
	return call->lane ? call->lane->index : 0;
}

/* ---- which functions ---- */

static const struct lens_roles *roles_of(struct sl_events *ev, uint32_t symbol)
{
	struct lens_roles *roles = &ev->roles[symbol];
	const struct sl_symbol *sym;

	if (roles->known)
		return roles;
	roles->known = true;
	sym = sl_image_symbol(ev->options.image, symbol);
	for (size_t i = 0; i < ev->options.lenses->len && !sym->page; i++) {
		unsigned lists = ev->selected & 1u << i ? sl_lens_match(&ev->options.lenses->items[i], sym->raw_name) : 0;

		for (int list = 0; list < SL_LENS_LISTS; list++)
			roles->lists[list] |= (lists >> list & 1u) << i;
	}
	return roles;
}

/* The lenses of which such a call is an event. */
static uint32_t lenses_of_call(struct sl_events *ev, const struct sl_call *call)
{
	const struct lens_roles *roles = roles_of(ev, call->symbol);
	uint32_t dispatched = call->caller == UINT32_MAX ? 0 : roles_of(ev, call->caller)->lists[SL_LENS_DISPATCHER];
	uint32_t mask = ev->with_dispatcher | ev->with_event;

	mask &= dispatched | ~ev->with_dispatcher;
	if (!(call->flags & SL_SPAN_POINTER))
		mask &= ~ev->by_pointer;
	mask &= roles->lists[SL_LENS_EVENT] | ~ev->with_event;
	/* A function that is an event, called by one that is: two halves of the same (__arm64_sys_read, __se_sys_read). */
	if (call->caller != UINT32_MAX)
		mask &= ~(roles_of(ev, call->caller)->lists[SL_LENS_EVENT] & ~ev->with_dispatcher);
	return mask & ~roles->lists[SL_LENS_EXCEPT];
}

/* ---- rhythm ---- */

static unsigned class_of(uint64_t interval)
{
	return interval ? 63 - (unsigned)__builtin_clzll(interval) : 0;
}

static void add_interval(struct rhythm *rhythm, int axis, uint64_t interval)
{
	unsigned class = class_of(interval);

	if (!rhythm->count[axis][class] || interval < rhythm->min[axis])
		rhythm->min[axis] = interval;
	if (interval > rhythm->max[axis])
		rhythm->max[axis] = interval;
	rhythm->count[axis][class]++;
	rhythm->sum[axis][class] += interval;
}

/* Instructions and cycles are counted a lane: between two lanes only time tells how far it is. */
static void add_start(struct rhythm *rhythm, bool first, const struct sl_call *call)
{
	for (int axis = 0; axis < SL_AXIS_COUNT && !first; axis++) {
		bool comparable = axis == SL_AXIS_TICKS || rhythm->lane == lane_of(call);

		if (comparable && call->enter->v[axis] >= rhythm->last[axis])
			add_interval(rhythm, axis, call->enter->v[axis] - rhythm->last[axis]);
	}
	memcpy(rhythm->last, call->enter->v, sizeof(rhythm->last));
	rhythm->lane = lane_of(call);
}

unsigned rhythm_border(const struct rhythm *rhythm, enum sl_axis axis)
{
	const uint64_t *count = rhythm->count[axis];
	unsigned last = INTERVAL_CLASSES, widest = 2, border = 0;

	for (unsigned class = 0; class < INTERVAL_CLASSES; class++) {
		if (!count[class])
			continue;
		if (last < INTERVAL_CLASSES && class - last - 1 > widest) {
			widest = class - last - 1;
			border = last + 1 + widest / 2;
		}
		last = class;
	}
	return border;
}

struct rhythm_part rhythm_sum(const struct rhythm *rhythm, enum sl_axis axis, unsigned from, unsigned to)
{
	struct rhythm_part part = { 0 };

	for (unsigned class = from; class < to; class++) {
		part.count += rhythm->count[axis][class];
		part.sum += rhythm->sum[axis][class];
	}
	return part;
}

/* ---- events ---- */

static uint32_t group_of(const struct sl_events *ev, const struct sl_call *call)
{
	switch (ev->options.by) {
	case SL_EVENTS_BY_TASK:
		return call->stack;
	case SL_EVENTS_BY_CPU:
		return (uint32_t)lane_of(call);
	default:
		return UINT32_MAX;
	}
}

/* Different rows may have one hash: the next key is tried. */
static struct event *event_of(struct sl_events *ev, const struct event *key)
{
	const uint32_t parts[] = { key->lens, key->what, key->number, key->group };
	uint64_t hash = sl_hash(SL_HASH_SEED, parts, sizeof(parts));

	for (;; hash++) {
		uint64_t *index = sl_map_put(&ev->event_at, hash);
		struct event *e;

		if (!index || (!*index && SL_ARRAY_PUSH(&ev->events, &ev->event_count, &ev->event_cap, *key) < 0)) {
			ev->result = SL_ERR_NOMEM;
			return NULL;
		}
		if (!*index)
			*index = ev->event_count;
		e = &ev->events[*index - 1];
		if (e->lens == key->lens && e->what == key->what && e->number == key->number && e->group == key->group)
			return e;
	}
}

static void start_event(struct event *e, const struct sl_call *call)
{
	if (call->flags & SL_SPAN_NO_ENTRY) {
		e->no_entry++;
		return;
	}
	if (!e->count)
		e->first_offset = call->offset;
	add_start(&e->rhythm, !e->count++, call);
}

static void take_extremes(struct event *e, const struct sl_call *call)
{
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		uint64_t v = call->total->v[axis];

		if (!e->complete || v < e->min.v[axis])
			e->min.v[axis] = v;
		if (!e->complete || v > e->max.v[axis]) {
			e->max.v[axis] = v;
			e->max_offset[axis] = call->offset;
		}
	}
}

static void end_event(struct event *e, const struct sl_call *call)
{
	unsigned lacks = call->flags & (SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT);

	e->no_exit += (call->flags & SL_SPAN_NO_EXIT) != 0;
	sl_axes_add(&e->total, *call->total);
	sl_axes_add(&e->self, *call->self);
	if (lacks)
		return;
	take_extremes(e, call);
	e->complete++;
	sl_axes_add(&e->sum, *call->total);
}

static void tell_events(struct sl_events *ev, uint32_t lenses, const struct sl_call *call, enum event_what what, bool starts)
{
	for (; lenses; lenses &= lenses - 1) {
		const struct event key = { .lens = (unsigned)__builtin_ctz(lenses), .what = what, .level = call->level,
					   .number = what == EVENT_CALL ? call->symbol : call->number,
					   .group = group_of(ev, call) };
		struct event *e = event_of(ev, &key);

		if (e && starts)
			start_event(e, call);
		else if (e)
			end_event(e, call);
	}
}

/* ---- requesters ---- */

static struct request *request_of(struct sl_events *ev, const struct request *key)
{
	const uint32_t parts[] = { key->lens, key->requester, key->caller };
	uint64_t hash = sl_hash(SL_HASH_SEED, parts, sizeof(parts));

	for (;; hash++) {
		uint64_t *index = sl_map_put(&ev->request_at, hash);
		struct request *r;

		if (!index || (!*index && SL_ARRAY_PUSH(&ev->requests, &ev->request_count, &ev->request_cap, *key) < 0)) {
			ev->result = SL_ERR_NOMEM;
			return NULL;
		}
		if (!*index)
			*index = ev->request_count;
		r = &ev->requests[*index - 1];
		if (r->lens == key->lens && r->requester == key->requester && r->caller == key->caller)
			return r;
	}
}

/* A requester that another one calls is the same request. */
static void tell_requests(struct sl_events *ev, const struct sl_call *call)
{
	uint32_t lenses = roles_of(ev, call->symbol)->lists[SL_LENS_REQUESTER];

	if (lenses && call->caller != UINT32_MAX)
		lenses &= ~roles_of(ev, call->caller)->lists[SL_LENS_REQUESTER];
	for (; lenses; lenses &= lenses - 1) {
		const struct request key = { .lens = (unsigned)__builtin_ctz(lenses), .requester = call->symbol,
					     .caller = call->caller, .first_offset = call->offset };
		struct request *r = request_of(ev, &key);

		if (r)
			add_start(&r->rhythm, !r->count++, call);
	}
}

/* ---- tasks ---- */

static struct switched *task_of(struct sl_events *ev, uint32_t stack)
{
	while (ev->task_count <= stack) {
		const struct switched fresh = { .stack = (uint32_t)ev->task_count };

		if (SL_ARRAY_PUSH(&ev->tasks, &ev->task_count, &ev->task_cap, fresh) < 0) {
			ev->result = SL_ERR_NOMEM;
			return NULL;
		}
	}
	return &ev->tasks[stack];
}

/* How deep a task is in functions that give the CPU away, or that take it. */
static void tell_ways_out(struct sl_events *ev, const struct sl_call *call, uint32_t change)
{
	const struct lens_roles *roles = roles_of(ev, call->symbol);
	bool voluntary = roles->lists[SL_LENS_VOLUNTARY] & ev->with_switches;
	bool preempted = roles->lists[SL_LENS_PREEMPTED] & ev->with_switches;
	struct switched *task = voluntary || preempted ? task_of(ev, call->stack) : NULL;

	if (!task)
		return;
	if (preempted)
		task->open_preempted += change;
	else
		task->open_voluntary += change;
}

static struct running *running_on(struct sl_events *ev, size_t lane)
{
	const struct running fresh = { .lane = lane };

	for (size_t i = 0; i < ev->running_count; i++) {
		if (ev->running[i].lane == lane)
			return &ev->running[i];
	}
	if (SL_ARRAY_PUSH(&ev->running, &ev->running_count, &ev->running_cap, fresh) < 0) {
		ev->result = SL_ERR_NOMEM;
		return NULL;
	}
	return &ev->running[ev->running_count - 1];
}

static void add_stay(struct sl_axes *sum, struct sl_axes *max, uint64_t *count, const struct switched *task,
		     const struct sl_call *call)
{
	struct sl_axes stay = { { 0 } };

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		bool comparable = axis == SL_AXIS_TICKS || task->lane == lane_of(call);

		if (comparable && call->enter->v[axis] > task->since.v[axis])
			stay.v[axis] = call->enter->v[axis] - task->since.v[axis];
		if (stay.v[axis] > max->v[axis])
			max->v[axis] = stay.v[axis];
	}
	sl_axes_add(sum, stay);
	++*count;
}

static void switch_out(struct switched *task, const struct sl_call *call)
{
	if (task->since_known)
		add_stay(&task->run, &task->run_max, &task->runs, task, call);
	task->out++;
	task->preempted += task->open_preempted > 0;
	task->voluntary += !task->open_preempted && task->open_voluntary > 0;
}

static void switch_in(struct switched *task, const struct sl_call *call)
{
	if (task->since_known)
		add_stay(&task->off, &task->off_max, &task->offs, task, call);
	task->in++;
}

static void stay_from(struct switched *task, const struct sl_call *call)
{
	task->since = *call->enter;
	task->lane = lane_of(call);
	task->since_known = true;
}

static void on_switch(struct sl_events *ev, const struct sl_call *call)
{
	struct switched *in = task_of(ev, call->stack), *out;
	struct running *running = running_on(ev, lane_of(call));

	if (!in || !running)
		return;
	if (running->known && running->stack == call->stack)
		return;
	if (running->known) {
		out = task_of(ev, running->stack);
		switch_out(out, call);
		stay_from(out, call);
	}
	switch_in(in, call);
	ev->switches++;
	stay_from(in, call);
	running->stack = call->stack;
	running->known = true;
}

/* ---- the sink ---- */

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_events *ev = self;
	uint32_t counts = !ev->options.sieve || sl_sieve_call(ev->options.sieve, call) ? UINT32_MAX : 0;

	if (tasks_see(&ev->names, call) < 0)
		ev->result = SL_ERR_NOMEM;
	switch (call->kind) {
	case SL_CALL_ENTER:
		tell_events(ev, counts & lenses_of_call(ev, call), call, EVENT_CALL, true);
		tell_requests(ev, call);
		tell_ways_out(ev, call, 1);
		break;
	case SL_CALL_LEAVE:
		tell_events(ev, counts & lenses_of_call(ev, call), call, EVENT_CALL, false);
		tell_ways_out(ev, call, UINT32_MAX); /* one less */
		break;
	case SL_CALL_LEVEL:
		tell_events(ev, counts & ev->by_level[call->level], call, EVENT_LEVEL, true);
		break;
	case SL_CALL_RESUME:
		tell_events(ev, counts & ev->by_level[call->level], call, EVENT_LEVEL, false);
		break;
	case SL_CALL_CONTEXT:
		if (ev->with_switches)
			on_switch(ev, call);
		break;
	case SL_CALL_GAP:
	case SL_CALL_REPAIR:
		break;
	}
}

static void select_lens(struct sl_events *ev, size_t i)
{
	const struct sl_lens *lens = &ev->options.lenses->items[i];
	uint32_t bit = UINT32_C(1) << i;

	if (ev->options.lens && ev->options.lens != lens)
		return;
	ev->selected |= bit;
	if (lens->lists[SL_LENS_DISPATCHER].len)
		ev->with_dispatcher |= bit;
	if (lens->lists[SL_LENS_EVENT].len)
		ev->with_event |= bit;
	if (lens->switches)
		ev->with_switches |= bit;
	if (lens->pointers)
		ev->by_pointer |= bit;
	for (unsigned level = 0; level < SL_LEVELS; level++)
		ev->by_level[level] |= lens->levels >> level & 1 ? bit : 0;
}

int sl_events_new(const struct sl_events_options *options, struct sl_events **ret)
{
	struct sl_events *ev = calloc(1, sizeof(*ev));

	if (!ev)
		return SL_ERR_NOMEM;
	ev->options = *options;
	ev->roles = calloc((size_t)sl_image_symbol_count(options->image) + 1, sizeof(*ev->roles));
	if (!ev->roles) {
		sl_events_free(ev);
		return SL_ERR_NOMEM;
	}
	for (size_t i = 0; i < options->lenses->len; i++)
		select_lens(ev, i);
	*ret = ev;
	return SL_OK;
}

void sl_events_free(struct sl_events *ev)
{
	if (!ev)
		return;
	free(ev->roles);
	free(ev->events);
	free(ev->requests);
	free(ev->tasks);
	free(ev->running);
	tasks_release(&ev->names);
	sl_map_release(&ev->event_at);
	sl_map_release(&ev->request_at);
	free(ev);
}

void sl_events_sink(struct sl_events *ev, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = { .name = "events", .untold = 1u << SL_CALL_GAP | 1u << SL_CALL_REPAIR, .call = on_call };

	*ret = (struct sl_call_sink){ &ops, ev };
}

int sl_events_result(const struct sl_events *ev)
{
	return ev->options.sieve && sl_sieve_failed(ev->options.sieve) ? SL_ERR_NOMEM : ev->result;
}

bool sl_events_empty(const struct sl_events *ev)
{
	return !ev->event_count && !ev->switches;
}
