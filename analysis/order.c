/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdlib.h>

#include "sl_array.h"

enum {
	QUIET_EPOCHS = 3,	/* a lane that has told no time for so many is not waited for */
	HELD_MAX = 1 << 20,	/* elements that may wait in the lanes of all buffers, about; */
	HELD_LEAST = 1 << 16,	/* ... at least so many in each */
};

struct order_lane {
	struct lane *lane;
	size_t buffer;
	uint64_t now;	/* what it goes on with is not earlier */
	unsigned quiet;	/* epochs since it told a time */
};

struct order_buffer {
	size_t first, count;	/* lanes */
	bool over;
};

struct order {
	const struct sl_capture *capture;
	bool dated;		/* times are the container's, in ns; else ticks of timestamps */
	struct order_lane *lanes;
	size_t lane_count, lane_cap;
	struct order_buffer *buffers;
	size_t buffer_count, buffer_cap;
	order_more_fn *more;
	void *ctx;
};

/* Who goes next: a lane, or a buffer that has to be read further. The earliest; then buffers, which makes all of them go on at
 * once; then the first. */
struct turn {
	uint64_t time;
	bool is_lane;
	size_t index;	/* SIZE_MAX: nobody */
};

static bool goes_before(const struct turn *a, const struct turn *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	if (a->is_lane != b->is_lane)
		return !a->is_lane;
	return a->index < b->index;
}

static bool is_dated(const struct sl_capture *capture)
{
	const struct sl_buffer *buffers;
	size_t count = sl_capture_buffers(capture, &buffers);

	for (size_t i = 0; i < count; i++) {
		const struct sl_stretch *stretches;
		size_t len = sl_capture_stretches(capture, i, &stretches);

		for (size_t k = 0; k < len; k++) {
			if (stretches[k].window.from_ns || stretches[k].window.to_ns != UINT64_MAX)
				return true;
		}
	}
	return false;
}

int order_new(const struct sl_run_options *options, struct order **ret)
{
	struct order *order = calloc(1, sizeof(*order));

	*ret = order;
	if (!order)
		return SL_ERR_NOMEM;
	order->capture = options->capture;
	order->dated = is_dated(options->capture);
	return SL_OK;
}

void order_free(struct order *order)
{
	if (!order)
		return;
	free(order->lanes);
	free(order->buffers);
	free(order);
}

int order_add(struct order *order, struct lane *const *lanes, size_t count)
{
	struct order_buffer buffer = { .first = order->lane_count, .count = count };

	for (size_t i = 0; i < count; i++) {
		struct order_lane lane = { .lane = lanes[i], .buffer = order->buffer_count };

		if (SL_ARRAY_PUSH(&order->lanes, &order->lane_count, &order->lane_cap, lane) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_ARRAY_PUSH(&order->buffers, &order->buffer_count, &order->buffer_cap, buffer);
}

/* The time that a cut tells; false where it tells none. */
static bool time_at(const struct order *order, const struct order_lane *lane, const struct cut *cut, uint64_t *ret)
{
	const struct sl_elem *elem;

	if (cut->stretch) {
		*ret = cut->stretch->window.from_ns;
		return order->dated;
	}
	elem = window_at(&lane->lane->window, cut->at);
	if (elem->kind != SL_ELEM_TIME || !elem->value)
		return false;
	*ret = elem->value;
	return !order->dated || sl_capture_time(order->capture, lane->lane->info.stream, elem->value, ret);
}

/* Takes a lane's elements until it has passed another one. */
static int go_on(struct order *order, size_t index, const struct turn *other)
{
	struct order_lane *lane = &order->lanes[index];
	struct window *w = &lane->lane->window;
	uint64_t until = w->open, time;
	const struct cut *cut;

	for (size_t i = 0; (cut = window_cut(w, i)); i++) {
		if (!time_at(order, lane, cut, &time) || time <= lane->now)
			continue;
		lane->now = time;
		if (goes_before(other, &(struct turn){ time, true, index })) {
			until = cut->at + (cut->stretch ? 0 : 1);
			break;
		}
	}
	return lane_take_turn(lane->lane, until);
}

/* How much of a buffer may wait. */
static uint64_t held_most(const struct order *order)
{
	uint64_t most = HELD_MAX / order->buffer_count;

	return most > HELD_LEAST ? most : HELD_LEAST;
}

/* Whether a buffer is to be read further, and since when: a lane has nothing left and may still be early. */
static bool is_hungry(const struct order *order, const struct order_buffer *buffer, uint64_t *ret_time)
{
	uint64_t held = 0, least = UINT64_MAX, most = 0;

	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++) {
		const struct order_lane *lane = &order->lanes[i];
		const struct window *w = &lane->lane->window;

		held += w->open - w->taken;
		most = lane->now > most ? lane->now : most;
		if (window_is_empty(w) && lane->quiet < QUIET_EPOCHS && lane->now < least)
			least = lane->now;
	}
	*ret_time = held ? least : least < most ? least : most;
	return !buffer->over && (!held || (least < UINT64_MAX && held < held_most(order)));
}

/* The first of all, but for the lane that goes on now. */
static struct turn next_turn(const struct order *order, size_t but_lane)
{
	struct turn best = { UINT64_MAX, true, SIZE_MAX };

	for (size_t i = 0; i < order->buffer_count; i++) {
		struct turn turn = { .index = i };

		if (is_hungry(order, &order->buffers[i], &turn.time) && goes_before(&turn, &best))
			best = turn;
	}
	for (size_t i = 0; i < order->lane_count; i++) {
		struct turn turn = { order->lanes[i].now, true, i };

		if (i != but_lane && !window_is_empty(&order->lanes[i].lane->window) && goes_before(&turn, &best))
			best = turn;
	}
	return best;
}

/* How long each lane has told no time. */
static void note_quiet(struct order *order, const struct order_buffer *buffer)
{
	for (size_t i = buffer->first; i < buffer->first + buffer->count; i++) {
		struct order_lane *lane = &order->lanes[i];
		const struct cut *cut;
		bool told = false;
		uint64_t time;

		for (size_t k = 0; !told && (cut = window_cut(&lane->lane->window, k)); k++)
			told = time_at(order, lane, cut, &time) && time > lane->now;
		lane->quiet = told ? 0 : lane->quiet + 1;
	}
}

static int read_on(struct order *order, size_t index)
{
	struct order_buffer *buffer = &order->buffers[index];
	int result = order->more(order->ctx, index);

	if (result == SL_END) {
		buffer->over = true;
		return SL_OK;
	}
	if (result == SL_OK)
		note_quiet(order, buffer);
	return result;
}

int order_run(struct order *order, order_more_fn *more, void *ctx)
{
	int result = SL_OK;

	order->more = more;
	order->ctx = ctx;
	while (result == SL_OK) {
		struct turn turn = next_turn(order, SIZE_MAX);

		if (turn.index == SIZE_MAX)
			break;
		if (turn.is_lane) {
			const struct turn other = next_turn(order, turn.index);

			result = go_on(order, turn.index, &other);
		} else {
			result = read_on(order, turn.index);
		}
	}
	return result;
}
