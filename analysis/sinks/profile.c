/* SPDX-License-Identifier: Apache-2.0 */
/* report: calls become rows. What is written of them is in profile_tables.c. */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

/* Keys of what has no number of its own. */
#define KEY_OWN (UINT64_C(1) << 62)

static struct row *add_row(struct sl_profile *p, uint64_t key)
{
	struct row fresh = { .key = key, .start_lane = UINT32_MAX };

	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		fresh.measures[axis].min = UINT64_MAX;
		fresh.circumstances[axis].max_at = fresh.circumstances[axis].shortest_interval = UINT64_MAX;
	}
	if (SL_ARRAY_PUSH(&p->rows, &p->row_count, &p->row_cap, fresh) < 0) {
		p->no_memory = true;
		return NULL;
	}
	return &p->rows[p->row_count - 1];
}

static struct row *row_of_key(struct sl_profile *p, uint64_t key)
{
	uint64_t *index = sl_map_put(&p->by_key, key);
	struct row *row;

	if (!index) {
		p->no_memory = true;
		return NULL;
	}
	if (*index)
		return &p->rows[*index - 1];
	row = add_row(p, key);
	if (row)
		*index = p->row_count;
	return row;
}

struct row *profile_row(struct sl_profile *p, uint64_t key)
{
	uint32_t *index;
	struct row *row;

	if (p->options.by != SL_BY_FUNCTION)
		return row_of_key(p, key);
	index = &p->by_symbol[key];
	if (*index)
		return &p->rows[*index - 1];
	row = add_row(p, key);
	if (row)
		*index = (uint32_t)p->row_count;
	return row;
}

static uint64_t task_key(const struct sl_profile *p, uint32_t stack)
{
	uint64_t task = tasks_of(&p->tasks, stack);

	return task == NO_TASK ? KEY_OWN | stack : task;
}

static uint64_t lane_key(const struct sl_lane *lane)
{
	int64_t cpu = sl_lane_cpu(lane);

	return cpu < 0 ? KEY_OWN | lane->index : (uint64_t)cpu;
}

static uint64_t key_of(const struct sl_profile *p, const struct sl_call *call)
{
	switch (p->options.by) {
	case SL_BY_MODULE:
		return call->symbol ? sl_image_symbol(p->options.image, call->symbol)->module + UINT64_C(1) : 0;
	case SL_BY_TASK:
		return task_key(p, call->stack);
	case SL_BY_CPU:
		return lane_key(call->lane);
	case SL_BY_LEVEL:
		return call->level;
	default:
		return call->symbol;
	}
}

/* Of functions and modules a call is a call; of what else there is, it only tells what ran. */
static bool has_calls(const struct sl_profile *p)
{
	return p->options.by == SL_BY_FUNCTION || p->options.by == SL_BY_MODULE;
}

/* The place of a row's last start in a lane that it has left; NULL: no memory. */
static struct start *start_in(struct sl_profile *p, const struct row *row, uint32_t lane)
{
	uint64_t *index = sl_map_put(&p->start_of, (uint64_t)(row - p->rows) << 32 | lane);
	const struct start fresh = { .seen = false };

	if (!index || (!*index && SL_ARRAY_PUSH(&p->starts, &p->start_count, &p->start_cap, fresh) < 0)) {
		p->no_memory = true;
		return NULL;
	}
	if (!*index)
		*index = p->start_count;
	return &p->starts[*index - 1];
}

/* The row starts in another lane than before. */
static void change_lane(struct sl_profile *p, struct row *row, uint32_t lane)
{
	struct start *old = row->start_lane == UINT32_MAX ? NULL : start_in(p, row, row->start_lane), *fresh;

	if (old)
		*old = row->start;
	fresh = start_in(p, row, lane);
	row->start = fresh ? *fresh : (struct start){ .seen = false };
	row->start_lane = lane;
}

static void add_interval(struct sl_profile *p, struct row *row, const struct sl_axes *to)
{
	for (unsigned i = 0; i < p->axis_count; i++) {
		struct circumstances *c = &row->circumstances[p->axes[i]];
		uint64_t value = to->v[p->axes[i]] - row->start.at.v[p->axes[i]];

		sl_spread_add(&c->intervals, value);
		if (value < c->shortest_interval)
			c->shortest_interval = value;
		if (value > c->longest_interval)
			c->longest_interval = value;
	}
}

/*
 * From start to start in a lane: another lane's clock is another one. What was lost in between may have been a start, and
 * a call that was found running began at another time.
 */
static void start_row(struct sl_profile *p, struct row *row, const struct sl_call *call)
{
	uint64_t losses = p->lane->losses;
	bool entered = !(call->flags & SL_SPAN_NO_ENTRY);

	if (!row->starts++) {
		row->first = *call->enter;
		row->first_offset = call->offset;
	}
	row->last = *call->enter;
	row->last_offset = call->offset;
	if (p->late)
		return;
	if (row->start_lane != call->lane->index)
		change_lane(p, row, (uint32_t)call->lane->index);
	if (row->start.seen && row->start.losses == losses && entered)
		add_interval(p, row, call->enter);
	row->start = (struct start){ *call->enter, losses, entered };
}

/* What counts as a call's duration; made in room where it is not told as it is. */
static inline const struct sl_axes *duration_of(const struct sl_profile *p, const struct sl_call *call, struct sl_axes *room)
{
	if (p->options.durations == SL_DURATIONS_NET)
		return call->total;
	*room = *call->total;
	if (call->interrupted)
		sl_axes_add(room, *call->interrupted);
	if (call->suspended && p->options.durations == SL_DURATIONS_WALL)
		sl_axes_add(room, *call->suspended);
	return room;
}

/* Where the greatest is, or the extremes, of which this may be one; they are taken afterwards. */
static inline void note_greatest(const struct measure *m, struct circumstances *c, uint64_t value, uint64_t at, uint64_t offset)
{
	if (value >= m->max && (value > m->max || c->max_at == UINT64_MAX)) {
		c->max_at = at;
		c->max_offset = offset;
	}
}

static inline void note_extremes(const struct measure *m, struct circumstances *c, uint64_t value, uint64_t at, uint64_t offset)
{
	if (value < m->min) {
		c->min_at = at;
		c->min_offset = offset;
	}
	note_greatest(m, c, value, at, offset);
}

/* Of a call that is shorter than the clock can tell, only is known that it was not much longer. */
static void measure_bound(struct row *row, enum sl_axis axis, uint64_t value, uint64_t resolution, const struct sl_call *call)
{
	struct measure *m = &row->measures[axis];

	m->bounds++;
	if (resolution == SL_FUSION_UNKNOWN)
		return;
	if (call)
		note_greatest(m, &row->circumstances[axis], value, call->enter->v[axis], call->offset);
	m->max = value > m->max ? value : m->max;
}

/* A complete call; call: where it is told as a whole. */
static inline void measure_call(struct sl_profile *p, struct row *row, const struct sl_axes *duration,
				const struct sl_axes *unsure, const struct sl_call *call)
{
	for (unsigned i = 0; i < p->axis_count; i++) {
		enum sl_axis axis = p->axes[i];
		struct measure *m = &row->measures[axis];
		uint64_t value = duration->v[axis], resolution = unsure ? unsure->v[axis] : 0;

		sl_spread_add(&m->spread, value);
		if (resolution > value) {
			measure_bound(row, axis, value, resolution, call);
			continue;
		}
		m->resolution = resolution > m->resolution ? resolution : m->resolution;
		if (call)
			note_extremes(m, &row->circumstances[axis], value, call->enter->v[axis], call->offset);
		m->min = value < m->min ? value : m->min;
		m->max = value > m->max ? value : m->max;
		if (p->ranked & 1u << axis && sl_histogram_add(&m->histogram, value) < 0)
			p->no_memory = true;
	}
}

/* The slice that a call ends in; NULL: no memory. */
static struct slices *slices_at(struct sl_profile *p, struct row *row, const struct sl_call *call, unsigned *ret)
{
	static const struct slices fresh;
	unsigned folds;

	if (!row->slices) {
		if (SL_ARRAY_PUSH(&p->slices, &p->slices_count, &p->slices_cap, fresh) < 0)
			return NULL;
		row->slices = (uint32_t)p->slices_count;
	}
	*ret = slicing_at(&p->slicing, call->leave->v[SL_AXIS_INSNS], &folds);
	for (; folds; folds--) {
		for (size_t i = 0; i < p->slices_count; i++)
			slices_fold(&p->slices[i]);
	}
	return &p->slices[row->slices - 1];
}

static void slice_call(struct sl_profile *p, struct row *row, const struct sl_call *call, const struct sl_axes *duration)
{
	unsigned slice, lacks = call->flags & LACKS;
	struct slices *slices = slices_at(p, row, call, &slice);

	if (!slices) {
		p->no_memory = true;
		return;
	}
	slices->calls[slice] += !(lacks & SL_SPAN_NO_ENTRY);
	slices->complete[slice] += !lacks;
	if (lacks)
		return;
	sl_axes_add(&slices->sums[slice], *duration);
	sl_axes_add(&slices->own[slice], *call->self);
}

static void measure_own(const struct sl_profile *p, struct row *row, const struct sl_axes *self)
{
	for (unsigned i = 0; i < p->axis_count; i++) {
		struct circumstances *c = &row->circumstances[p->axes[i]];

		sl_spread_add(&c->own, self->v[p->axes[i]]);
		sl_products_add(&c->own_work, self->v[p->axes[i]], self->v[SL_AXIS_INSNS]);
	}
}

static void add_apart(struct row *row, const struct sl_call *call)
{
	static const struct sl_axes none;
	const struct sl_axes *interrupted = call->interrupted ? call->interrupted : &none;
	const struct sl_axes *suspended = call->suspended ? call->suspended : &none;

	sl_axes_add(&row->interrupted, *interrupted);
	sl_axes_add(&row->suspended, *suspended);
	for (int axis = 0; axis < SL_AXIS_COUNT; axis++) {
		struct circumstances *c = &row->circumstances[axis];

		if (interrupted->v[axis] > c->longest_interrupted)
			c->longest_interrupted = interrupted->v[axis];
		if (suspended->v[axis] > c->longest_suspended)
			c->longest_suspended = suspended->v[axis];
	}
}

static inline bool any(const struct sl_axes *axes)
{
	return axes && (axes->v[SL_AXIS_INSNS] | axes->v[SL_AXIS_CYCLES] | axes->v[SL_AXIS_TICKS]);
}

static void count_call(struct sl_profile *p, struct row *row, const struct sl_call *call, bool inner)
{
	unsigned lacks = call->flags & LACKS;
	struct sl_axes room;
	const struct sl_axes *duration = duration_of(p, call, &room);

	if (!inner) {
		sl_axes_add(&row->total, *duration);
		if (any(call->interrupted) || any(call->suspended))
			add_apart(row, call);
	}
	if (inner && p->nests)
		return;
	row->calls[lacks]++;
	row->cut += lacks & SL_SPAN_NO_EXIT && p->lane->in_gap;
	if (p->options.every_axis)
		slice_call(p, row, call, duration);
	if (lacks)
		return;
	measure_call(p, row, duration, call->resolution, call);
	if (p->options.every_axis)
		measure_own(p, row, call->self);
}

static bool is_interrupt(enum sl_level level)
{
	return level == SL_LEVEL_IRQ || level == SL_LEVEL_FIQ || level == SL_LEVEL_SERROR;
}

/* What ran in a task or on a CPU. */
static void book_self(const struct sl_profile *p, struct row *row, const struct sl_call *call)
{
	bool apart = p->options.by != SL_BY_LEVEL && is_interrupt(call->level);

	sl_axes_add(apart ? &row->interrupted : &row->self, *call->self);
	if (p->options.by == SL_BY_CPU && call->kind == SL_CALL_LEAVE)
		row->calls[call->flags & LACKS]++;
}

static void on_enter(struct sl_profile *p, const struct sl_call *call, bool counts)
{
	bool wanted = counts && has_calls(p) && (!p->late || p->nests);
	struct row *row = wanted ? profile_row(p, key_of(p, call)) : NULL;
	bool inner = p->nests && profile_nest_enter(p, call, row ? (uint32_t)(row - p->rows) : UINT32_MAX);

	if (row && !inner && !p->late && !p->brief)
		start_row(p, row, call);
}

static void on_leave(struct sl_profile *p, const struct sl_call *call, bool counts)
{
	bool inner = p->nests ? profile_nest_leave(p, call) : call->recursive;
	struct row *row = counts ? profile_row(p, key_of(p, call)) : NULL;

	sl_axes_add(&p->told, *call->self);
	if (!row)
		return;
	if (!has_calls(p)) {
		book_self(p, row, call);
		return;
	}
	sl_axes_add(&row->self, *call->self);
	if (p->late && !(p->nests && inner))
		start_row(p, row, call);
	count_call(p, row, call, inner);
}

/* The end of a level: what ran in it outside of any function, and, by level, a call of it. */
static void on_resume(struct sl_profile *p, const struct sl_call *call, bool counts)
{
	struct row *row;

	sl_axes_add(&p->told, *call->self);
	if (!counts || has_calls(p))
		return;
	row = profile_row(p, key_of(p, call));
	if (!row)
		return;
	book_self(p, row, call);
	if (p->options.by != SL_BY_LEVEL)
		return;
	start_row(p, row, call);
	count_call(p, row, call, false);
}

/* A task's stay in a lane ends: it is a call of the task. */
static void end_stay(struct sl_profile *p, struct lane_state *state, const struct sl_lane *lane, const struct sl_axes *until,
		     uint64_t offset, unsigned flags)
{
	struct sl_axes total = sl_axes_sub(*until, state->stay_from);
	const struct sl_call stay = { .kind = SL_CALL_LEAVE, .flags = flags | state->stay_flags, .offset = state->stay_offset,
				      .leave_offset = offset, .enter = &state->stay_from,
				      .leave = until, .total = &total, .lane = lane };
	bool counts = state->stay_counts && sl_sieve_stay(p->sieve, &stay);
	struct row *row = counts ? profile_row(p, state->stay_key) : NULL;

	if (!row)
		return;
	start_row(p, row, &stay);
	count_call(p, row, &stay, false);
}

static void begin_stay(const struct sl_profile *p, struct lane_state *state, const struct sl_call *call, unsigned flags)
{
	state->staying = true;
	state->stay_flags = flags;
	state->stay_key = task_key(p, call->stack);
	state->stay_counts = sl_sieve_runs(p->sieve, call);
	state->stay_from = *call->enter;
	state->stay_offset = call->offset;
}

/* Who ran when the lane began was there before; who runs when it ends stays on. What a gap lies in is no complete stay. */
static void follow_stays(struct sl_profile *p, const struct sl_call *call)
{
	struct lane_state *state = p->lane;
	const struct sl_axes *now = call->kind == SL_CALL_LEAVE || call->kind == SL_CALL_RESUME ? call->leave : call->enter;

	if (call->kind == SL_CALL_CONTEXT) {
		if (state->staying)
			end_stay(p, state, call->lane, call->enter, call->offset, 0);
		begin_stay(p, state, call, 0);
	} else if (call->kind == SL_CALL_ENTER && !state->staying) {
		begin_stay(p, state, call, SL_SPAN_NO_ENTRY);
	} else if (call->kind == SL_CALL_GAP && call->number != SL_GAP_NO_IMAGE) {
		state->stay_flags |= SL_SPAN_NO_EXIT;
	}
	if (now->v[SL_AXIS_INSNS] >= state->now.v[SL_AXIS_INSNS]) {
		state->now = *now;
		state->now_offset = call->kind == SL_CALL_LEAVE || call->kind == SL_CALL_RESUME ? call->leave_offset : call->offset;
	}
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_profile *p = self;
	bool counts = sl_sieve_call(p->sieve, call);

	p->lane = &p->lanes[call->lane->index];
	if (p->options.by == SL_BY_TASK && tasks_see(&p->tasks, call) < 0)
		p->no_memory = true;
	if (p->options.by == SL_BY_TASK)
		follow_stays(p, call);
	if (call->kind < SL_CALL_CONTEXT)
		profile_gaps_call(p, call);
	switch (call->kind) {
	case SL_CALL_ENTER:
		on_enter(p, call, counts);
		break;
	case SL_CALL_LEAVE:
		on_leave(p, call, counts);
		break;
	case SL_CALL_LEVEL:
		if (p->nests)
			profile_nest_level(p, call);
		break;
	case SL_CALL_RESUME:
		if (p->nests)
			profile_nest_leave(p, call);
		on_resume(p, call, counts);
		break;
	case SL_CALL_GAP:
	case SL_CALL_CONTEXT:
		break;
	case SL_CALL_REPAIR:
		profile_repair(p, call);
		break;
	}
}

/* Of a function, where everything counts. */
static void on_brief(void *self, const struct sl_brief *brief)
{
	struct sl_profile *p = self;
	struct lane_state *lane = &p->lanes[brief->lane->index];
	struct row *row = profile_row(p, brief->symbol);
	unsigned lacks = brief->flags & LACKS;

	if (!row)
		return;
	if (lane->in_gap) {
		row->cut += (lacks & SL_SPAN_NO_EXIT) != 0;
		profile_gaps_leave(lane, brief->leave, brief->flags);
	}
	sl_axes_add(&row->self, *brief->self);
	if (!brief->recursive)
		sl_axes_add(&row->total, *brief->total);
	row->calls[lacks]++;
	if (!lacks)
		measure_call(p, row, brief->total, brief->resolution, NULL);
}

/* A complete call that took so many instructions, and nobody knows how long. */
static inline void measure_insns(struct sl_profile *p, struct row *row, uint64_t value)
{
	struct measure *m = &row->measures[SL_AXIS_INSNS];

	row->timeless++;
	sl_spread_add(&m->spread, value);
	m->min = value < m->min ? value : m->min;
	m->max = value > m->max ? value : m->max;
	if (p->ranked & 1u << SL_AXIS_INSNS && sl_histogram_add(&m->histogram, value) < 0)
		p->no_memory = true;
}

/* What such calls are on other axes: no longer than nobody knows what. */
static void measure_timeless(struct sl_profile *p)
{
	for (size_t i = 0; i < p->row_count; i++) {
		struct row *row = &p->rows[i];

		for (int axis = SL_AXIS_CYCLES; axis < SL_AXIS_COUNT; axis++) {
			row->measures[axis].spread.count += row->timeless;
			row->measures[axis].bounds += row->timeless;
		}
		row->timeless = 0;
	}
}

static void on_lean(struct sl_profile *p, struct row *row, const struct sl_lean *lean)
{
	unsigned lacks = lean->flags & LACKS;

	row->self.v[SL_AXIS_INSNS] += lean->self;
	if (!lean->recursive)
		row->total.v[SL_AXIS_INSNS] += lean->total;
	row->calls[lacks]++;
	if (!lacks)
		measure_insns(p, row, lean->total);
}

/* The row of a function that has been told of; NULL where there was no memory for it. */
static inline struct row *row_told(const struct sl_profile *p, uint32_t symbol)
{
	uint32_t index = p->by_symbol[symbol];

	return index ? &p->rows[index - 1] : NULL;
}

/* Rows are all over the memory: what the next calls need is fetched meanwhile. */
static void on_leans(void *self, const struct sl_lean *leans, size_t len)
{
	enum { AHEAD = 8 };
	struct sl_profile *p = self;

	for (size_t i = 0; i < len; i++) {
		struct row *row = row_told(p, leans[i].symbol);

		if (i + AHEAD < len)
			__builtin_prefetch(row_told(p, leans[i + AHEAD].symbol), 1);
		if (row)
			on_lean(p, row, &leans[i]);
	}
}

static void on_piece(void *self, const struct sl_piece *piece)
{
	struct sl_profile *p = self;

	if (sl_sieve_piece(p->sieve, piece))
		profile_lines_piece(p->lines, piece);
}

static int begin(void *self, const struct sl_lane *lane)
{
	struct sl_profile *p = self;
	struct lane_state *state;

	if (lane->index >= p->lane_count) {
		if (sl_array_reserve((void **)&p->lanes, &p->lane_cap, sizeof(*p->lanes), lane->index + 1) < 0)
			return SL_ERR_NOMEM;
		memset(p->lanes + p->lane_count, 0, (lane->index + 1 - p->lane_count) * sizeof(*p->lanes));
		p->lane_count = lane->index + 1;
	}
	state = &p->lanes[lane->index];
	snprintf(state->buffer, sizeof(state->buffer), "%s", lane->buffer->name);
	snprintf(state->source, sizeof(state->source), "%s", lane->stream->name);
	state->trace_id = lane->stream->trace_id;
	return SL_OK;
}

/* The lane that ended last; NULL where calls come from a stage of another's, which has the account. */
static const struct sl_calls_lane *ended(const struct sl_profile *p)
{
	const struct sl_calls_lane *lanes;
	size_t count = sl_calls_lanes(p->calls, &lanes);

	return count ? &lanes[count - 1] : NULL;
}

static int end(void *self, const struct sl_lane *lane)
{
	struct sl_profile *p = self;
	struct lane_state *state = p->lane = &p->lanes[lane->index];
	const struct sl_calls_lane *account = ended(p);

	if (state->staying)
		end_stay(p, state, lane, &state->now, state->now_offset, SL_SPAN_NO_EXIT);
	state->staying = false;
	measure_timeless(p);
	if (state->in_gap && account)
		profile_gaps_leave(state, &account->account.whole, 0);
	if (p->no_memory || sl_sieve_failed(p->sieve) || (p->lines && profile_lines_failed(p->lines)))
		return SL_ERR_NOMEM;
	return SL_OK;
}

/* What the registers of all sources promise: cycle counts, timestamps. */
static void promised(const struct sl_capture *capture, bool *ret_counted, bool *ret_timed)
{
	const struct sl_stream *streams = NULL;
	size_t count = capture ? sl_capture_streams(capture, &streams) : 0;
	struct sl_config_facts facts;

	*ret_counted = *ret_timed = true;
	for (size_t i = 0; i < count; i++) {
		sl_config_facts(&streams[i].config, &facts);
		*ret_counted &= facts.cycle_count || !streams[i].usable || !streams[i].core_name;
		*ret_timed &= facts.timestamp || !streams[i].usable || !streams[i].core_name;
	}
}

static void keep_axis(struct sl_profile *p, enum sl_axis axis)
{
	p->axes[p->axis_count++] = axis;
}

/*
 * Of which axes durations are kept: of each that auto may choose once the trace is known. Percentiles take most of the time:
 * where the registers are known, they are kept of the axis that these promise. Should the trace not hold that, there are none.
 */
static void choose_axes(struct sl_profile *p)
{
	const struct sl_profile_options *o = &p->options;
	bool counted, timed, choose = o->axis == SL_CHOOSE_AUTO || o->every_axis;

	promised(o->capture, &counted, &timed);
	if (choose || o->axis == SL_CHOOSE_INSNS)
		keep_axis(p, SL_AXIS_INSNS);
	if ((choose && timed && o->timestamp_hz) || o->axis == SL_CHOOSE_TIME)
		keep_axis(p, SL_AXIS_TICKS);
	if ((choose && counted) || o->axis == SL_CHOOSE_CYCLES)
		keep_axis(p, SL_AXIS_CYCLES);
	for (unsigned i = 0; i < p->axis_count; i++) {
		if (!o->capture || o->every_axis || i + 1 == p->axis_count)
			p->ranked |= 1u << p->axes[i];
	}
}

static bool may_be_brief(const struct sl_profile *p)
{
	const struct sl_profile_options *o = &p->options;

	return o->brief && o->by == SL_BY_FUNCTION && o->durations == SL_DURATIONS_NET && !p->nests && !p->late && !o->fold_tails &&
	       sl_sieve_is_open(p->sieve);
}

static unsigned kinds_for(const struct sl_profile *p)
{
	unsigned kinds = 1u << SL_CALL_ENTER | 1u << SL_CALL_LEAVE | 1u << SL_CALL_RESUME | 1u << SL_CALL_GAP;

	if (p->options.by == SL_BY_TASK)
		kinds |= TASKS_NEED;
	if (p->nests)
		kinds |= 1u << SL_CALL_LEVEL;
	if (p->options.repairs)
		kinds |= 1u << SL_CALL_REPAIR;
	return kinds | sl_sieve_needs(p->sieve);
}

static int make(struct sl_profile *p, struct sl_diag *diag)
{
	const struct sl_profile_options *o = &p->options;
	const struct sl_filter none = { 0 };
	bool by_lines = o->by == SL_BY_LINE || o->by == SL_BY_FILE;
	int result = sl_sieve_new(o->filter ? o->filter : &none, o->image, o->capture, o->timestamp_hz, &p->sieve, diag);

	if (result < 0)
		return result;
	p->by_symbol = calloc((size_t)sl_image_symbol_count(o->image) + 1, sizeof(*p->by_symbol));
	if (!p->by_symbol || (by_lines && profile_lines_new(o, &p->lines) < 0))
		return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	choose_axes(p);
	p->nests = o->by == SL_BY_MODULE || (o->by == SL_BY_FUNCTION && o->outermost);
	p->late = o->filter && (o->filter->min_duration.unit || o->filter->to.unit);
	p->brief = may_be_brief(p);
	p->ops = (struct sl_call_sink_ops){ .name = "profile", .untold = ~kinds_for(p), .begin = begin, .call = on_call,
					    .brief = p->brief ? on_brief : NULL, .leans = p->brief ? on_leans : NULL, .piece = by_lines ? on_piece : NULL, .end = end };
	p->sink = (struct sl_call_sink){ &p->ops, p };
	if (o->fold_tails) {
		const struct sl_call_sink inner = p->sink;

		if (tails_new(&inner, &p->tails) < 0)
			return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
		tails_sink(p->tails, &p->sink);
	}
	result = sl_calls_new(o->image, &p->sink, 1, &p->calls);
	return result < 0 ? sl_fail(diag, result, "%s", sl_strerror(result)) : SL_OK;
}

int sl_profile_new(const struct sl_profile_options *options, struct sl_profile **ret, struct sl_diag *diag)
{
	struct sl_profile *p = calloc(1, sizeof(*p));
	int result;

	if (!p)
		return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	p->options = *options;
	result = make(p, diag);
	if (result < 0)
		sl_profile_free(p);
	else
		*ret = p;
	return result;
}

void sl_profile_free(struct sl_profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->row_count; i++) {
		for (int axis = 0; axis < SL_AXIS_COUNT; axis++)
			sl_histogram_release(&p->rows[i].measures[axis].histogram);
	}
	sl_calls_free(p->calls);
	tails_free(p->tails);
	sl_sieve_free(p->sieve);
	profile_lines_free(p->lines);
	profile_nest_release(p);
	tasks_release(&p->tasks);
	sl_map_release(&p->by_key);
	sl_map_release(&p->start_of);
	free(p->rows);
	free(p->by_symbol);
	free(p->starts);
	free(p->slices);
	free(p->lanes);
	free(p->repairs);
	free(p);
}

void sl_profile_sink(struct sl_profile *p, struct sl_sink *ret)
{
	sl_calls_sink(p->calls, ret);
}

void sl_profile_call_sink(struct sl_profile *p, struct sl_call_sink *ret)
{
	*ret = p->sink;
}

int sl_profile_axis(const struct sl_profile *p, enum sl_axis *ret, struct sl_diag *diag)
{
	enum sl_axis best = SL_AXIS_INSNS;
	unsigned i = 0;
	int result = sl_calls_axis(p->calls, p->options.axis, p->options.timestamp_hz, &best, diag);

	/* The trace may hold what no register promised. */
	while (i < p->axis_count && p->axes[i] != best)
		i++;
	if (result == SL_OK)
		*ret = i < p->axis_count ? best : p->axes[0];
	return result;
}

const struct sl_calls *sl_profile_calls(const struct sl_profile *p)
{
	return p->calls;
}
