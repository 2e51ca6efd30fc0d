/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdlib.h>

#include "clock/gray.h"
#include "sl_array.h"
#include "sl_map.h"
#include "lane_task.h"

enum {
	QUIET_EPOCHS = 3,	/* a lane that has told no time for so many is not waited for */
	HELD_MAX = 1 << 22,	/* elements that may wait in the lanes of all buffers, about; */
	HELD_LEAST = 1 << 16,	/* ... at least so many in each */
	AHEAD_MAX = 1 << 20,	/* elements that may wait for what comes behind them, in all lanes; */
	AHEAD_LEAST = 1 << 15,	/* ... at least so many in each */
};

struct order_lane {
	struct lane *lane;
	size_t buffer;
	bool alien;	    /* software trace, which counts a time of its own */
	bool timed;	    /* it may have timestamps */
	uint64_t now;	    /* what it goes on with is not earlier */
	uint64_t end;	    /* what comes of this stretch is not later */
	unsigned quiet;	    /* epochs since it told a time */
	struct task task;   /* that runs */
	struct task next;   /* waits: that comes next, which the element that is next goes over to */
	bool holds;	    /* task is one on all lanes, and nobody else may run it */
	bool waits;
	bool patient;	    /* ... and did so once before */
	uint64_t comes_at;  /* ... number of that element */
	bool dated;	    /* ... and it is known until when it must have come: */
	uint64_t latest;
};

struct order_buffer {
	size_t first, count;	/* lanes */
	unsigned quiet;		/* QUIET_EPOCHS; of pieces that may be one lane's each, so many for each lane */
	bool in_turn;		/* what comes later in the file is not earlier, but for what timestamps tell */
	bool over;
};

struct order {
	const struct sl_capture *capture;
	bool timed;		/* all processors' lanes have timestamps: times are ticks of these */
	bool dated;		/* else times are the container's, in ns, and timestamps only where these can be told in them */
	struct order_lane *lanes;
	size_t lane_count, lane_cap;
	struct order_buffer *buffers;
	size_t buffer_count, buffer_cap;
	struct sl_map holders;	/* by task: number + 1 of the lane that runs it */
	struct sl_map several;	/* by id: 1 where it names more than one task */
	struct order_doubts doubts;
	order_more_fn *more;
	void *ctx;
};

/* Whose turn it is at the same time. Buffers are read before lanes go on, so that all of them go on at once. Where nobody can tell
 * times within a piece of the file, lanes go first: what they would wait for has no other time than what they have, and comes later
 * in the file. Before them goes who has waited for that time. */
enum rank { UNTIMED_WAITS, UNTIMED, BUFFER, LANE };

/* Who goes next: a lane, or a buffer that has to be read further. The earliest; then by rank; then the first. */
struct turn {
	uint64_t time;
	enum rank rank;
	size_t index;	/* SIZE_MAX: nobody */
};

static bool goes_before(const struct turn *a, const struct turn *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->index < b->index;
}

int order_new(const struct sl_capture *capture, struct order **ret)
{
	struct order *order = calloc(1, sizeof(*order));

	*ret = order;
	if (!order)
		return SL_ERR_NOMEM;
	order->capture = capture;
	order->timed = true;
	return SL_OK;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	free(order->lanes);
	free(order->buffers);
	sl_map_release(&order->holders);
	sl_map_release(&order->several);
	free(order);
}

const struct order_doubts *order_doubts(const struct order *order)
{
	return &order->doubts;
}

static bool is_dated(const struct sl_stretch *stretch)
{
	return stretch->window.from_ns || stretch->window.to_ns != UINT64_MAX;
}

/* Whether pieces come one behind another in time, too: then they are one sink's. */
static bool come_in_turn(const struct sl_stretch *stretches, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (stretches[i].restart && stretches[i].window.from_ns < stretches[i - 1].window.to_ns)
			return false;
	}
	return true;
}

int order_add(struct order *order, struct lane *const *lanes, size_t count, const struct sl_stretch *stretches, size_t stretch_count)
{
	struct order_buffer buffer = { .first = order->lane_count, .count = count, .quiet = QUIET_EPOCHS,
				       .in_turn = come_in_turn(stretches, stretch_count) };

	for (size_t i = 0; i < stretch_count; i++)
		order->dated |= is_dated(&stretches[i]);
	for (size_t i = 0; i < count; i++) {
		struct order_lane lane = { .lane = lanes[i], .buffer = order->buffer_count, .end = UINT64_MAX };

		const struct sl_trace_config *config = &lanes[i]->info.stream->config;
		struct sl_config_facts facts;

		sl_config_facts(config, &facts);
		lane.alien = config->protocol == SL_PROTOCOL_STM || config->protocol == SL_PROTOCOL_ITM;
		lane.timed = facts.timestamp;
		order->timed &= lane.timed || lane.alien;
		task_init(&lane.task, config);
		if (SL_ARRAY_PUSH(&order->lanes, &order->lane_count, &order->lane_cap, lane) < 0)
			return SL_ERR_NOMEM;
	}
	if (count && stretch_count > 1)
		buffer.quiet *= (unsigned)count;
	return SL_ARRAY_PUSH(&order->buffers, &order->buffer_count, &order->buffer_cap, buffer);
}

static struct window *window_of(const struct order_lane *lane)
{
	return &lane->lane->window;
}

static bool uses_windows(const struct order *order)
{
	return order->dated && !order->timed;
}

/* Nothing tells a lane's time but pieces of the file, which come one behind another. */
static bool is_untimed(const struct order *order, const struct order_lane *lane)
{
	return uses_windows(order) && !lane->timed && order->buffers[lane->buffer].in_turn;
}

/* When a lane goes on: from its time, or when the task that it waits for must have come. */
static struct turn turn_of(const struct order *order, const struct order_lane *lane)
{
	bool untimed = is_untimed(order, lane);
	size_t index = (size_t)(lane - order->lanes);

	if (lane->waits)
		return (struct turn){ lane->latest, untimed ? UNTIMED_WAITS : LANE, index };
	return (struct turn){ lane->now, untimed ? UNTIMED : LANE, index };
}

/* It has told no time for so long that nobody waits for it. */
static bool is_silent(const struct order *order, const struct order_lane *lane)
{
	return lane->quiet >= order->buffers[lane->buffer].quiet;
}

/* The time that a cut tells; false where it tells none. */
static bool time_at(const struct order *order, const struct order_lane *lane, const struct cut *cut, uint64_t *ret)
{
	const struct sl_elem *elem;

	if (lane->alien)
		return false;
	if (cut->stretch) {
		*ret = cut->stretch->window.from_ns;
		return uses_windows(order);
	}
	elem = window_at(window_of(lane), cut->at);
	if (elem->kind != SL_ELEM_TIME || !elem->value)
		return false;
	*ret = is_gray(&lane->lane->info.stream->config) ? from_gray(elem->value) : elem->value;
	return !uses_windows(order) || sl_capture_time(order->capture, lane->lane->info.stream, *ret, ret);
}

/* A piece of a thread's trace ends with its stay, which the next one on this lane may be of again. */
static bool ends_stay(const struct cut *cut)
{
	return cut->stretch && cut->stretch->restart && cut->stretch->task_known;
}

/* Whether a cut goes over to another task, or ends a stay; the task that runs behind it. */
static bool task_at(const struct order_lane *lane, const struct cut *cut, struct task *task)
{
	uint64_t before = task->key;

	if (cut->stretch && !ends_stay(cut))
		return false;
	task_elem(task, window_at(window_of(lane), cut->at));
	return cut->stretch || task->key != before;
}

static bool is_several(const struct order *order, uint64_t key)
{
	const uint64_t *several = sl_map_get(&order->several, key);

	return several && *several;
}

/* Who runs the task, but for this lane; NULL: nobody. */
static struct order_lane *holder_of(const struct order *order, uint64_t key, const struct order_lane *but)
{
	const uint64_t *number = sl_map_get(&order->holders, key);
	struct order_lane *holder = number && *number ? &order->lanes[*number - 1] : NULL;

	return holder == but ? NULL : holder;
}

static int hold(struct order *order, struct order_lane *lane, uint64_t key)
{
	uint64_t *number = sl_map_put(&order->holders, key);

	if (!number)
		return SL_ERR_NOMEM;
	*number = (uint64_t)(lane - order->lanes) + 1;
	lane->holds = true;
	return SL_OK;
}

static void let_go(struct order *order, struct order_lane *lane)
{
	uint64_t *number = sl_map_get(&order->holders, lane->task.key);

	if (lane->holds && number && *number == (uint64_t)(lane - order->lanes) + 1)
		*number = 0;
	lane->holds = false;
}

/* How much of a buffer may wait. */
static bool may_read(const struct order *order, const struct order_buffer *buffer)
{
	uint64_t most = HELD_MAX / order->buffer_count, held = 0;

	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++)
		held += window_of(&order->lanes[i])->open - window_of(&order->lanes[i])->taken;
	return !buffer->over && held < (most > HELD_LEAST ? most : HELD_LEAST);
}

/*
 * Until when a lane's next task must have come: the first time behind it. Where that does not come, but there may be more to
 * read, it stays unknown.
 */
static void look_for_latest(const struct order *order, struct order_lane *lane)
{
	const struct order_buffer *buffer = &order->buffers[lane->buffer];
	const struct cut *cut;
	uint64_t time;

	if (is_untimed(order, lane) && lane->end != UINT64_MAX) {
		lane->dated = true;
		lane->latest = lane->end;
		return;
	}
	for (size_t i = 0; (cut = window_cut(window_of(lane), i)); i++) {
		if (cut->at <= lane->comes_at || !time_at(order, lane, cut, &time) || time < lane->now)
			continue;
		lane->dated = true;
		lane->latest = time < lane->end ? time : lane->end;
		return;
	}
	lane->dated = buffer->over || is_silent(order, lane);
	lane->latest = buffer->over ? lane->end : lane->now;
}

/* The lane's task goes, and the next one comes when it may. */
static void wait_for(struct order *order, struct order_lane *lane, const struct task *next, uint64_t at)
{
	let_go(order, lane);
	lane->next = *next;
	lane->comes_at = at;
	lane->waits = true;
	lane->patient = false;
	look_for_latest(order, lane);
}

/* Goes over to a task that does not have to wait. */
static void follow(struct order *order, struct order_lane *lane, const struct task *next)
{
	let_go(order, lane);
	lane->task = *next;
}

/* A cut on the lane's way: whether it has to stop there, and before which element. */
static bool stops_at(struct order *order, struct order_lane *lane, const struct cut *cut, const struct turn *other,
		     uint64_t *ret)
{
	struct task next = lane->task;
	bool passes = false;
	struct turn turn;
	uint64_t time;

	if (cut->stretch)
		lane->end = uses_windows(order) ? cut->stretch->window.to_ns : UINT64_MAX;
	if (time_at(order, lane, cut, &time) && time > lane->now) {
		lane->now = time;
		passes = true;
	}
	if (task_at(lane, cut, &next)) {
		*ret = cut->at;
		if (next.one)
			wait_for(order, lane, &next, cut->at);
		else
			follow(order, lane, &next);
		return next.one;
	}
	lane->task = next;
	if (!passes)
		return false;
	*ret = cut->at + (cut->stretch ? 0 : 1);
	turn = turn_of(order, lane);
	return goes_before(other, &turn);
}

/* Takes a lane's elements until it has passed another one, or has to wait. */
static int go_on(struct order *order, struct order_lane *lane, const struct turn *other, bool apart)
{
	struct window *w = window_of(lane);
	uint64_t until = w->ready, first = w->taken;
	const struct cut *cut;
	bool came = lane->waits;

	if (came) {
		lane->waits = false;
		lane->task = lane->next;
	}
	for (size_t i = 0; order->lane_count > 1 && (cut = window_cut(w, i)) && cut->at < w->ready; i++) {
		if (came && cut->at == first)
			continue;
		if (stops_at(order, lane, cut, other, &until))
			break;
		until = w->ready;
	}
	return lane_take_turn(lane->lane, until, apart);
}

/*
 * Whether a buffer is to be read further, and since when: a lane has nothing left and may still be early, or has to look ahead. What comes
 * of an untimed one is later in the file, which is all that is known of when.
 */
static bool is_hungry(struct order *order, const struct order_buffer *buffer, uint64_t *ret_time)
{
	uint64_t least = UINT64_MAX, most = 0;
	bool idle = true, wanted = false;

	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++) {
		const struct order_lane *lane = &order->lanes[i];
		bool empty = window_is_empty(window_of(lane));

		idle &= empty;
		most = lane->now > most ? lane->now : most;
		if (lane->waits ? lane->dated && !empty : !empty || is_silent(order, lane) || is_untimed(order, lane))
			continue;
		wanted = true;
		least = lane->now < least ? lane->now : least;
	}
	*ret_time = wanted ? least : most;
	if (may_read(order, buffer))
		return idle || wanted;
	order->doubts.unread += wanted && !buffer->over;
	return false;
}

/* The first of all, but for the lane that goes on now. */
static struct turn next_turn(struct order *order, size_t but_lane)
{
	struct turn best = { UINT64_MAX, LANE, SIZE_MAX };

	for (size_t i = 0; i < order->buffer_count; i++) {
		struct turn turn = { .rank = BUFFER, .index = i };

		if (is_hungry(order, &order->buffers[i], &turn.time) && goes_before(&turn, &best))
			best = turn;
	}
	for (size_t i = 0; i < order->lane_count; i++) {
		const struct order_lane *lane = &order->lanes[i];
		struct turn turn = turn_of(order, lane);

		if (i != but_lane && !window_is_empty(window_of(lane)) && (!lane->waits || lane->dated) &&
		    goes_before(&turn, &best))
			best = turn;
	}
	return best;
}

/* How long each lane has told no time; who waits may know more now. */
static void look_anew(struct order *order, const struct order_buffer *buffer)
{
	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++) {
		struct order_lane *lane = &order->lanes[i];
		const struct cut *cut;
		bool told = false;
		uint64_t time;

		for (size_t k = 0; !told && (cut = window_cut(window_of(lane), k)); k++)
			told = time_at(order, lane, cut, &time) && time > lane->now;
		lane->quiet = told ? 0 : lane->quiet + 1;
		if (lane->waits && !lane->dated)
			look_for_latest(order, lane);
	}
}

/*
 * What has to wait for elements behind it does so as long as these can be had and kept. Nobody waits for a lane that tells no time, and
 * software trace is timed by others.
 */
static void make_ready(struct order *order, const struct order_buffer *buffer)
{
	uint64_t most = order->lane_count ? AHEAD_MAX / order->lane_count : 0;
	bool more = may_read(order, buffer);

	if (most < AHEAD_LEAST)
		most = AHEAD_LEAST;
	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++) {
		const struct order_lane *lane = &order->lanes[i];
		struct window *w = window_of(lane);
		bool quiet = order->lane_count > 1 && is_silent(order, lane);
		bool waits = more && !quiet && !lane->alien;

		window_set_ready(w, waits ? lane->lane->settled : w->open);
		if (w->open > most)
			window_set_ready(w, w->open - most);
	}
}

static int read_on(struct order *order, size_t index)
{
	struct order_buffer *buffer = &order->buffers[index];
	int result = order->more(order->ctx, index);

	buffer->over |= result == SL_END;
	if (result == SL_OK || result == SL_END) {
		look_anew(order, buffer);
		make_ready(order, buffer);
	}
	return result == SL_END ? SL_OK : result;
}

/* A task's stay on a lane: between which times it came and went. */
struct stay {
	uint64_t came_from, came_to, went_from, went_to;
	bool whole;	/* its end was seen */
};

/* The next stay of a task on a lane, if it may come before some time. */
static bool find_stay(const struct order *order, const struct order_lane *lane, uint64_t key, uint64_t before, struct stay *ret)
{
	struct task task = lane->task;
	uint64_t now = lane->now, time;
	const struct cut *cut = NULL;
	bool found = false;

	*ret = (struct stay){ .came_to = UINT64_MAX, .went_to = UINT64_MAX };
	for (size_t i = 0; (found || now < before) && (cut = window_cut(window_of(lane), i)); i++) {
		if (time_at(order, lane, cut, &time) && time > now) {
			now = time;
			if (found && ret->came_to == UINT64_MAX)
				ret->came_to = now;
			if (found && !ret->whole)
				ret->went_from = now;
			else if (found)
				break;
		}
		if (task_at(lane, cut, &task)) {
			ret->whole |= found;
			if (!found && task.key == key)
				*ret = (struct stay){ now, UINT64_MAX, now, UINT64_MAX, false };
			found |= task.key == key;
		}
	}
	if (ret->whole && (cut || now > ret->went_from))
		ret->went_to = now;
	return found;
}

/* Whether another lane's stay of the task has to come before that of a lane. Two stays of one task do not overlap: often that
 * leaves one order only; where it does not, who left first goes first. */
static bool has_to_come_before(struct order *order, const struct stay *other, const struct stay *stay)
{
	bool other_may = other->went_from <= stay->came_to, stay_may = stay->went_from <= other->came_to;

	if (other_may != stay_may || !other_may)
		return other_may;
	order->doubts.orders++;
	return other->went_to < stay->went_to;
}

/*
 * A lane's next task may come as far as times tell; but another lane that waits may have an earlier stay of it, and goes on then.
 * Looking for the end of the lane's stay may need more of its buffer: NULL, with that buffer's number.
 */
static struct order_lane *choose(struct order *order, struct order_lane *lane, size_t *ret_buffer)
{
	struct stay stay, other;

	for (size_t i = 0; i < order->lane_count; i++) {
		struct order_lane *c = &order->lanes[i];

		if (c == lane || !c->waits || c->now >= lane->latest || window_of(c)->taken == window_of(c)->open ||
		    !find_stay(order, c, lane->next.key, lane->latest, &other) ||
		    !find_stay(order, lane, lane->next.key, UINT64_MAX, &stay))
			continue;
		if (!stay.whole && stay.went_from <= other.came_to && !is_silent(order, lane) &&
		    may_read(order, &order->buffers[lane->buffer])) {
			*ret_buffer = lane->buffer;
			return NULL;
		}
		if (!has_to_come_before(order, &other, &stay))
			continue;
		*ret_buffer = c->buffer;
		return window_is_empty(window_of(c)) ? NULL : c;
	}
	return lane;
}

/* Whoever has it still runs at a time by which it must have come here: once more it may be that times are not exact. */
static bool waits_once_more(struct order_lane *lane, const struct order_lane *holder)
{
	if (lane->patient || window_of(holder)->taken == window_of(holder)->open)
		return false;
	lane->patient = true;
	lane->latest = (holder->now > lane->latest ? holder->now : lane->latest) + 1;
	return true;
}

/* A lane's next task comes, or waits on. */
static int come(struct order *order, struct order_lane *lane, bool *ret_apart)
{
	const struct order_lane *holder = holder_of(order, lane->next.key, lane);
	uint64_t *several;

	*ret_apart = is_several(order, lane->next.key) || (!lane->now && lane->latest == UINT64_MAX);
	if (*ret_apart)
		return SL_OK;
	if (!holder)
		return hold(order, lane, lane->next.key);
	if (waits_once_more(lane, holder))
		return SL_END;
	*ret_apart = true;
	if (holder->now < lane->latest || order->doubts.unread) {
		order->doubts.places++;
		return SL_OK;
	}
	several = sl_map_put(&order->several, lane->next.key);
	if (!several)
		return SL_ERR_NOMEM;
	*several = 1;
	order->doubts.several_id = lane->next.key;
	order->doubts.several++;
	return SL_OK;
}

static int take_turn(struct order *order, const struct turn *turn)
{
	struct order_lane *lane = &order->lanes[turn->index];
	size_t buffer;
	struct turn other;
	bool apart = false;

	if (lane->waits) {
		int result;

		lane = choose(order, lane, &buffer);
		if (!lane)
			return read_on(order, buffer);
		result = come(order, lane, &apart);
		if (result != SL_OK)
			return result == SL_END ? SL_OK : result;
	}
	other = next_turn(order, (size_t)(lane - order->lanes));
	return go_on(order, lane, &other, apart);
}

/* Nobody can go on, since all wait for what may not be read: time has to be given up. */
static bool give_up_waiting(struct order *order)
{
	bool any = false;

	for (size_t i = 0; i < order->lane_count; i++) {
		struct order_lane *lane = &order->lanes[i];

		any |= lane->waits && !lane->dated;
		lane->dated |= lane->waits;
	}
	return any;
}

int order_run(struct order *order, order_more_fn *more, void *ctx)
{
	int result = SL_OK;

	order->more = more;
	order->ctx = ctx;
	while (result == SL_OK) {
		struct turn turn = next_turn(order, SIZE_MAX);

		if (turn.index == SIZE_MAX && !give_up_waiting(order))
			break;
		if (turn.index != SIZE_MAX)
			result = turn.rank == BUFFER ? read_on(order, turn.index) : take_turn(order, &turn);
	}
	return result;
}
