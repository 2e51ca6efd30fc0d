/* SPDX-License-Identifier: Apache-2.0 */
/* What lies ahead: counts and timestamps, each with its place; and how the lane gets there. */
#include <stdlib.h>
#include <string.h>

#include "frequency.h"
#include "fusion.h"
#include "gray.h"
#include "sl_array.h"

/* A timestamp further ahead of the first is none, and nothing was so long before it: parts would not hold both. */
#define TICKS_MAX (UINT64_C(1) << 52)
/* Elements that wait until the frequency is known. */
enum { HELD_MAX = 1 << 16 };

static bool is_etm4(const struct sl_trace_config *config)
{
	return config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE;
}

void sl_fusion_init(struct sl_fusion *f, const struct sl_trace_config *config)
{
	struct sl_config_facts facts;

	memset(f, 0, sizeof(*f));
	f->entered_at = f->entered_ahead = UINT64_MAX;
	sl_config_facts(config, &facts);
	f->expects_times = facts.timestamp;
	f->expects_cycles = facts.cycle_count;
	f->gray = is_gray(config);
	f->waits_first = config->protocol == SL_PROTOCOL_ETMV3;
	if (!is_etm4(config))
		return;
	/* IHI 0064: a timestamp's count is since the last Cycle Count element, and the next one of those counts from there too. A
	 * counter has as many bits as TRCIDR2.CCSIZE says, and stops at its highest value. A count that the trace unit does not
	 * know comes as 0, which is below any threshold. */
	f->repeats = true;
	f->lateness = facts.max_speculation;
	f->cycle_limit = (UINT32_C(1) << ((config->regs[SL_REG_TRCIDR2] >> 25 & 15) + 12)) - 1;
	f->zero_unknown = facts.cycle_threshold_known && facts.cycle_threshold;
}

void sl_fusion_release(struct sl_fusion *f)
{
	free(f->counts);
	free(f->anchors);
	free(f->sleeps);
	frequency_release(&f->frequency);
}

int sl_fusion_result(const struct sl_fusion *f)
{
	return f->result;
}

const struct sl_fusion_facts *sl_fusion_facts(const struct sl_fusion *f)
{
	return &f->facts;
}

struct sl_rate sl_fusion_rate(const struct sl_fusion *f)
{
	return frequency_now(&f->frequency);
}

size_t sl_fusion_changes(const struct sl_fusion *f, const struct sl_rate_change **ret)
{
	*ret = f->frequency.changes;
	return f->frequency.len;
}

/* Other gaps lack instructions, and nothing else: cycles are counted on. */
static bool is_cut(const struct sl_elem *elem)
{
	return elem->count != SL_GAP_NO_IMAGE && elem->count != SL_GAP_NO_ADDRESS && elem->count != SL_GAP_RUNAWAY;
}

static void fail(struct sl_fusion *f, int result)
{
	if (result < 0)
		f->result = result;
}

static void push_count(struct sl_fusion *f, bool limited)
{
	struct sl_fusion_count count = { f->ahead.insns, f->ahead.cycles, f->steps, f->facts.limited_counts, f->ahead.cut, limited,
					 .entered = f->repeats && f->entered_ahead == f->ahead.insns };
	size_t from = f->count_from;

	fusion_make_room(f->counts, sizeof(count), &f->count_from, &f->count_len, f->count_cap);
	f->count_sure -= f->count_sure < from - f->count_from ? f->count_sure : from - f->count_from;
	fail(f, SL_ARRAY_PUSH(&f->counts, &f->count_len, &f->count_cap, count));
	f->ahead.cut = false;
	f->entered_ahead = UINT64_MAX;
}

static struct sl_fusion_anchor *newest_anchor(struct sl_fusion *f)
{
	return &f->anchors[f->anchor_len - 1];
}

static bool is_limited(const struct sl_fusion *f, uint32_t count)
{
	return (f->cycle_limit && count >= f->cycle_limit) || (f->zero_unknown && !count);
}

/* The count of a timestamp that the next count contains as well. It tells exactly where the timestamp is, unless that lies
 * back, at a marker. */
static void look_at_repeated(struct sl_fusion *f, uint32_t count)
{
	uint64_t cycles = f->base + count;

	if (cycles > f->ahead.cycles)
		f->ahead.cycles = cycles;
	push_count(f, false);
	if (!f->fresh || newest_anchor(f)->insns != f->ahead.insns)
		return;
	newest_anchor(f)->cycles = f->ahead.cycles;
	newest_anchor(f)->cuts += count >= f->cycle_limit;
}

static void look_at_cycles(struct sl_fusion *f, const struct sl_elem *elem)
{
	bool of_time = elem->flags & SL_FLAG_ATTACHED && (f->fresh || f->skipped);
	bool limited;

	f->facts.cycle_counts++;
	if (of_time && f->repeats) {
		look_at_repeated(f, elem->count);
		return;
	}
	limited = is_limited(f, elem->count);
	f->facts.limited_counts += limited;
	f->ahead.cuts += limited;
	f->base += elem->count;
	if (f->ahead.cycles < f->base)
		f->ahead.cycles = f->base;
	f->base = f->ahead.cycles;
	push_count(f, limited);
	if (of_time && f->fresh)
		newest_anchor(f)->cycles = f->ahead.cycles;
}

/* Whether the timestamp can be the lane's next one; counts those that cannot. */
static bool is_usable(struct sl_fusion *f, uint64_t tick)
{
	struct sl_fusion_facts *facts = &f->facts;

	if (!tick)
		facts->zero_timestamps++; /* "not available": IHI 0064H 6.4.8 */
	else if (facts->timestamps && tick < facts->last_tick)
		facts->backward_timestamps++;
	else if (facts->timestamps && tick - facts->first_tick > TICKS_MAX)
		facts->wild_timestamps++;
	else
		return true;
	return false;
}

static void push_anchor(struct sl_fusion *f, uint64_t tick)
{
	const struct sl_fusion_place *place = f->marked ? &f->marker : &f->ahead;
	struct sl_fusion_anchor anchor = { .insns = place->insns, .cycles = place->cycles, .tick = tick,
					.moment = place->moments, .cuts = place->cuts, .sleeps = place->sleeps,
					.wfi = place->wfi };

	fusion_make_room(f->anchors, sizeof(anchor), &f->anchor_from, &f->anchor_len, f->anchor_cap);
	fail(f, SL_ARRAY_PUSH(&f->anchors, &f->anchor_len, &f->anchor_cap, anchor));
	f->ahead.cuts -= anchor.cuts;
	f->ahead.sleeps -= anchor.sleeps;
	f->ahead.wfi -= f->ahead.wfi < anchor.sleeps ? f->ahead.wfi : anchor.sleeps;
	f->fresh = f->result == SL_OK;
}

/* Says something of what came before it, or before the last marker where the trace unit sends markers (ETE). */
static void look_at_time(struct sl_fusion *f, const struct sl_elem *elem)
{
	uint64_t tick = f->gray ? from_gray(elem->value) : elem->value;

	f->ahead.moments++;
	if (elem->flags & SL_FLAG_FREQUENCY) {
		f->facts.clock_changes++;
		frequency_forget(&f->frequency);
	}
	f->skipped = !is_usable(f, tick);
	if (!f->skipped) {
		if (!f->facts.timestamps++)
			f->facts.first_tick = tick;
		f->facts.last_tick = tick;
		push_anchor(f, tick);
	}
	f->marked = false;
}

/* Where the lane begins, by the first timestamp and by what was counted before it. */
static void find_origin(struct sl_fusion *f, struct sl_rate rate)
{
	const struct sl_fusion_anchor *first = &f->anchors[f->anchor_from];
	uint64_t lead = 0;

	if (!f->started)
		lead = (frequency_parts(rate, first->cycles) + SL_TICK_PARTS - 1) / SL_TICK_PARTS;
	if (lead > TICKS_MAX)
		lead = TICKS_MAX;
	f->origin = lead < first->tick ? first->tick - lead : 0;
	f->origin_known = true;
}

/* Whether what has been looked at should wait for the frequency, in a lane that has one. */
static bool waits_for_frequency(const struct sl_fusion *f, uint64_t elems)
{
	return f->expects_cycles && !f->frequency.agreed && (f->facts.timestamps == 1 || elems - f->settled < HELD_MAX);
}

/* All of an anchor is known, which is among the first elems elements. */
static void finish_anchor(struct sl_fusion *f, uint64_t elems)
{
	struct sl_fusion_anchor *anchor = newest_anchor(f);
	struct sl_frequency_place place = { anchor->insns, anchor->cycles, anchor->tick };
	struct sl_rate rate;

	f->fresh = false;
	fail(f, frequency_anchor(&f->frequency, place, anchor->cuts || anchor->sleeps));
	f->facts.changes_lost = f->frequency.lost;
	rate = anchor->rate = frequency_now(&f->frequency);
	for (size_t i = f->anchor_len - 1; rate.ticks && i-- > f->anchor_from && !f->anchors[i].rate.ticks;)
		f->anchors[i].rate = rate;
	if (waits_for_frequency(f, elems))
		return;
	if (!f->origin_known)
		find_origin(f, rate);
	f->settled = elems;
}

/* Everything but ranges; elems counts those before it. */
static void look_at_other(struct sl_fusion *f, const struct sl_elem *elem)
{
	bool is_count = elem->kind == SL_ELEM_CYCLES;

	if (is_count)
		look_at_cycles(f, elem);
	if (f->fresh)
		finish_anchor(f, f->elems + (is_count && elem->flags & SL_FLAG_ATTACHED));
	f->skipped = false;
	if (elem->kind == SL_ELEM_EXCEPTION) {
		f->steps++;
		f->entered_ahead = f->ahead.insns;
	}
	if (elem->kind == SL_ELEM_TIME) {
		look_at_time(f, elem);
	} else if (elem->kind == SL_ELEM_MARKER) {
		f->ahead.moments++;
		f->marker = f->ahead;
		f->marked = true;
	} else if (elem->kind == SL_ELEM_GAP) {
		f->ahead.cuts += is_cut(elem);
		f->ahead.cut = true;
	}
	if (elem->kind == SL_ELEM_END || (!f->expects_times && !f->facts.timestamps && (is_count || !f->expects_cycles)))
		f->settled = f->elems + 1;
}

static inline bool is_range(const struct sl_elem *elem)
{
	return elem->kind <= SL_ELEM_RANGE_NO_PATH;
}

uint64_t sl_fusion_look(struct sl_fusion *f, const struct sl_elem *elems, size_t len)
{
	const struct sl_elem *end = elems + len;
	bool plain = !f->expects_times && !f->expects_cycles;

	for (const struct sl_elem *e = elems; e < end && f->result == SL_OK; e++, f->elems++) {
		if (is_range(e)) {
			if (f->fresh)
				finish_anchor(f, f->elems);
			if (e->flags & SL_FLAG_SLEEPS)
				fail(f, fusion_look_at_sleep(f, e));
			f->ahead.insns += e->count;
			f->steps++;
			f->skipped = false;
		} else {
			look_at_other(f, e);
		}
	}
	if (f->result < 0 || (plain && !f->facts.timestamps))
		f->settled = f->elems;
	return f->settled;
}

static void pass_anchor(struct sl_fusion *f)
{
	if (f->anchor_from == f->anchor_len || f->anchors[f->anchor_from].moment != f->here.moments)
		return;
	if (!f->origin_known)
		find_origin(f, (struct sl_rate){ 0 });
	fusion_pass_sleeps(f);
	fusion_note_sleep(f, &f->anchors[f->anchor_from]);
	f->anchor = f->anchors[f->anchor_from++];
	f->anchored = true;
	f->span++;
	f->here.cuts = f->here.sleeps = 0;
	f->here.moved = false;
}

static void pass_count(struct sl_fusion *f)
{
	if (f->count_from == f->count_len)
		return;
	f->count = f->counts[f->count_from++];
	f->here.cuts += f->count.limited;
	f->cuts_passed += f->count.limited;
	f->here.cut = f->here.entered = false;
}

void fusion_pass_waits(struct sl_fusion *f)
{
	for (; f->waits; f->waits--)
		pass_count(f);
}

/* own: it came in an exception's packet, as PTM has it, and ends where that was taken. */
static void pass_cycles(struct sl_fusion *f, const struct sl_elem *elem, bool own)
{
	if (f->waits_first && !(elem->flags & SL_FLAG_ATTACHED)) {
		f->waits++;
		return;
	}
	fusion_pass_waits(f);
	pass_count(f);
	f->here.entered = own;
}

static void pass_exception(struct sl_fusion *f)
{
	f->here.entered = f->here.moved = true;
	f->entered_at = f->here.insns;
}

static void pass_gap(struct sl_fusion *f, const struct sl_elem *elem)
{
	f->here.cuts += is_cut(elem);
	f->cuts_passed += is_cut(elem);
	f->here.cut = f->here.moved = true;
}

void sl_fusion_elem(struct sl_fusion *f, const struct sl_elem *elem)
{
	bool own = elem->flags & SL_FLAG_ATTACHED && f->here.insns == f->entered_at;

	f->started = true;
	f->entered_at = UINT64_MAX;
	if (f->result < 0)
		return;
	if (elem->kind == SL_ELEM_CYCLES) {
		pass_cycles(f, elem, own);
	} else if (elem->kind == SL_ELEM_TIME || elem->kind == SL_ELEM_MARKER) {
		f->here.moments++;
		pass_anchor(f);
	} else if (elem->kind == SL_ELEM_GAP) {
		pass_gap(f, elem);
	} else if (elem->kind == SL_ELEM_EXCEPTION) {
		pass_exception(f);
	}
}
