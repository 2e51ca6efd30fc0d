/* SPDX-License-Identifier: Apache-2.0 */
#include "frequency.h"

#include <stdlib.h>

#include "sl_array.h"

__extension__ typedef unsigned __int128 wide;

uint64_t frequency_scale(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t product;
	wide result;

	if (!c)
		return UINT64_MAX;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / c;
	result = (wide)a * b / c;
	return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

uint64_t sl_rate_hz(struct sl_rate rate, uint64_t timestamp_hz)
{
	return rate.ticks ? frequency_scale(rate.cycles, timestamp_hz, rate.ticks) : 0;
}

#define NS_PER_S UINT64_C(1000000000)

uint64_t sl_cycles_ns(uint64_t cycles, uint64_t hz)
{
	return cycles == SL_FUSION_UNKNOWN ? cycles : frequency_scale(cycles, NS_PER_S, hz);
}

uint64_t sl_parts_ns(uint64_t parts, uint64_t timestamp_hz)
{
	if (timestamp_hz > UINT64_MAX / SL_TICK_PARTS)
		return sl_cycles_ns(parts / SL_TICK_PARTS, timestamp_hz);
	return sl_cycles_ns(parts, timestamp_hz * SL_TICK_PARTS);
}

/* Both below 2^48, which leaves room for what they are multiplied with. */
static struct sl_rate rate_of(uint64_t cycles, uint64_t ticks, uint64_t unsure)
{
	while ((cycles | ticks) >> 48) {
		cycles >>= 1;
		ticks >>= 1;
		unsure = (unsure + 1) >> 1;
	}
	return (struct sl_rate){ ticks ? cycles : 0, cycles ? ticks : 0, unsure };
}

static struct sl_rate sum_of(struct sl_rate a, struct sl_rate b)
{
	return rate_of(a.cycles + b.cycles, a.ticks + b.ticks, a.unsure + b.unsure);
}

/* Whether a is more than b by one part in so many. */
static bool is_faster(struct sl_rate a, struct sl_rate b, unsigned parts)
{
	return (wide)a.cycles * b.ticks * parts > (wide)b.cycles * a.ticks * (parts + 1);
}

static bool agree(struct sl_rate a, struct sl_rate b, unsigned parts)
{
	return !is_faster(a, b, parts) && !is_faster(b, a, parts);
}

static int change(struct sl_frequency *f, const struct sl_rate_change *to)
{
	f->rate = to->to;
	f->doubt = (struct sl_rate){ 0 };
	if (f->len == FREQUENCY_CHANGES_MAX) {
		f->lost++;
		return SL_OK;
	}
	return SL_ARRAY_PUSH(&f->changes, &f->len, &f->cap, *to);
}

/* A window in which nothing changed makes the rate more exact. */
static void confirm(struct sl_frequency *f, struct sl_rate window)
{
	f->doubt = (struct sl_rate){ 0 };
	f->rate = sum_of(f->rate, window);
}

static int judge(struct sl_frequency *f, struct sl_rate window)
{
	struct sl_rate_change here = { f->insns, f->tick, f->rate, window };

	if (!f->rate.ticks) {
		f->rate = window;
		return SL_OK;
	}
	if (agree(window, f->rate, FREQUENCY_STEP)) {
		f->agreed = true;
		confirm(f, window);
		return SL_OK;
	}
	if (!f->agreed) {
		f->rate = window;
		return SL_OK;
	}
	if (f->doubt.ticks && agree(window, f->doubt, 2 * FREQUENCY_STEP)) {
		f->doubted.to = sum_of(window, f->doubt);
		return change(f, &f->doubted);
	}
	f->doubt = window;
	f->doubted = here;
	return SL_OK;
}

static void begin_window(struct sl_frequency *f, struct sl_frequency_place place)
{
	f->insns = place.insns;
	f->tick = place.tick;
	f->window_cycles = f->window_ticks = f->pieces = 0;
	f->begun = true;
}

/* Each piece without a gap is up to a tick longer or shorter than it seems. */
static bool is_full(const struct sl_frequency *f)
{
	return f->window_ticks >= FREQUENCY_WINDOW && f->window_ticks / (FREQUENCY_WINDOW / 4) > f->pieces;
}

int frequency_anchor(struct sl_frequency *f, struct sl_frequency_place place, bool cut)
{
	int result = SL_OK;

	if (!f->begun)
		begin_window(f, place);
	if (cut) {
		f->pieces++;
	} else if (f->anchored) {
		f->window_cycles += place.cycles - f->last.cycles;
		f->window_ticks += place.tick - f->last.tick;
	}
	f->last = place;
	f->anchored = true;
	if (!is_full(f))
		return SL_OK;
	if (f->window_cycles >= FREQUENCY_CYCLES)
		result = judge(f, rate_of(f->window_cycles, f->window_ticks, f->pieces + 1));
	begin_window(f, place);
	return result;
}

void frequency_forget(struct sl_frequency *f)
{
	f->begun = f->anchored = f->agreed = false;
	f->rate = f->doubt = (struct sl_rate){ 0 };
}

struct sl_rate frequency_now(const struct sl_frequency *f)
{
	return f->agreed ? f->rate : (struct sl_rate){ 0 };
}

void frequency_release(struct sl_frequency *f)
{
	free(f->changes);
}
