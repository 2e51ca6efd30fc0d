/* SPDX-License-Identifier: Apache-2.0 */
#include "runs.h"

#include <stdlib.h>

#include "sl_array.h"
#include "sl_elem.h"

enum {
	INDEX_MIN = 1 << 12,
	LONG_RUN = 1 << 14,   /* instructions: no compiler's run has so many; each walk over it is to be paid for */
	RUNS_KEPT = 1 << 20,  /* of a lane: 64 bytes each with their share of the index */
};

void runs_free(struct runs *runs)
{
	free(runs->hot);
	free(runs->cold);
	free(runs->index);
	*runs = (struct runs){ 0 };
}

bool runs_trim(struct runs *runs)
{
	if (runs->len < RUNS_KEPT)
		return false;
	runs_free(runs);
	return true;
}

/* Runs that lie near one another in the program do so in the index, too. */
static uint32_t hash(uint64_t start, uint8_t isa)
{
	return (uint32_t)(start >> (sl_isa_is_x86(isa) ? 0 : 2)) + (uint32_t)(start >> 16) * UINT32_C(0x9e3779b1) + isa;
}

/* Where the run is in the index, or would be. */
static uint32_t *slot_of(const struct runs *runs, uint8_t isa, uint64_t start)
{
	uint32_t i = hash(start, isa);

	for (;; i++) {
		uint32_t *slot = &runs->index[i & runs->index_mask];
		const struct run *run = &runs->hot[*slot];

		if (!*slot || (run->start == start && run->isa == isa))
			return slot;
	}
}

static int grow_index(struct runs *runs)
{
	size_t size = runs->index ? 2 * ((size_t)runs->index_mask + 1) : INDEX_MIN;
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return SL_ERR_NOMEM;
	free(runs->index);
	runs->index = index;
	runs->index_mask = (uint32_t)size - 1;
	for (uint32_t i = RUN_FIRST; i < runs->len; i++)
		*slot_of(runs, runs->hot[i].isa, runs->hot[i].start) = i;
	return SL_OK;
}

static int grow_runs(struct runs *runs)
{
	uint32_t cap = runs->cap ? 2 * runs->cap : 1 << 10;
	struct run *hot = realloc(runs->hot, cap * sizeof(*hot));
	struct run_cold *cold;

	if (!hot)
		return SL_ERR_NOMEM;
	runs->hot = hot;
	cold = realloc(runs->cold, cap * sizeof(*cold));
	if (!cold)
		return SL_ERR_NOMEM;
	runs->cold = cold;
	runs->cap = cap;
	return SL_OK;
}

/* Room for one more run. */
static int reserve(struct runs *runs)
{
	if (!runs->len)
		runs->len = RUN_FIRST;
	if (runs->len >= runs->cap && grow_runs(runs) < 0)
		return SL_ERR_NOMEM;
	if ((!runs->index || runs->len > runs->index_mask / 2) && grow_index(runs) < 0)
		return SL_ERR_NOMEM;
	return SL_OK;
}

static enum run_what what_of(const struct code_walk *walk, enum code_stop stop, bool exhausted)
{
	if (stop == CODE_BAD_INSN)
		return RUN_BAD_INSN;
	if (stop != CODE_WAYPOINT)
		return exhausted ? RUN_TOO_LONG : RUN_NO_BYTES;
	if (walk->last.last == SL_LAST_BRANCH)
		return RUN_DIRECT;
	return walk->last.last == SL_LAST_INDIRECT ? RUN_INDIRECT : RUN_PLAIN;
}

/* The symbol that all of a walk lies in; 0: none, or it has no name. */
static uint32_t symbol_of(struct runs *runs, const struct code *code, const struct code_walk *walk)
{
	struct sl_symbol_range *near = &runs->near;

	if (!code->merge || walk->start >= walk->end)
		return 0;
	if (walk->start - near->start >= near->end - near->start)
		*near = sl_image_symbol_at(code->image, code->core, walk->start);
	return walk->end - near->start <= near->end - near->start ? near->id : 0;
}

static void fill(const struct code_walk *walk, uint8_t isa, enum run_what what, struct run *hot,
		 struct run_cold *cold)
{
	const struct isa_insn *last = &walk->last;

	*hot = (struct run){ .kind = SL_ELEM_RANGE, .isa = isa, .count = walk->count, .start = walk->start,
			     .end = walk->end };
	*cold = (struct run_cold){ .what = (uint8_t)what };
	if (!walk->count)
		return;
	hot->last = (uint8_t)(last->last | last->branch << 4);
	hot->flags = (uint8_t)((last->conditional ? SL_FLAG_CONDITIONAL : 0) |
			       (last->size == 2 && !sl_isa_is_x86(isa) ? SL_FLAG_LAST_16BIT : 0));
	cold->target = last->target;
	cold->target_isa = last->target_isa;
	cold->link = last->link;
	cold->x86 = last->x86;
	cold->vector = last->vector;
}

/* Walks; what is not to be kept lands in the place of RUN_ASK. */
static uint32_t walk_run(struct runs *runs, struct code *code, uint8_t isa, uint64_t start)
{
	bool was_exhausted = code->exhausted;
	struct code_walk walk;
	enum run_what what;
	enum code_stop stop;
	uint32_t id;

	code->exhausted = false;
	stop = code_walk(code, isa, start, &walk);
	what = what_of(&walk, stop, code->exhausted);
	code->exhausted = was_exhausted;
	id = walk.count < LONG_RUN && what != RUN_TOO_LONG ? runs->len++ : RUN_ASK;
	fill(&walk, isa, what, &runs->hot[id], &runs->cold[id]);
	runs->hot[id].flags |= code_sleeps(code, isa, walk.start, walk.end);
	runs->cold[id].symbol = symbol_of(runs, code, &walk);
	return id;
}

uint32_t runs_find(struct runs *runs, struct code *code, uint8_t isa, uint64_t start)
{
	uint32_t *slot, id;

	if (reserve(runs) < 0)
		return 0;
	slot = slot_of(runs, isa, start);
	if (*slot)
		return *slot;
	id = walk_run(runs, code, isa, start);
	if (id != RUN_ASK)
		*slot = id;
	return id;
}

/* Whether the flow goes on as if nothing had happened: behind the run, or by a branch that leaves no return address. */
static bool goes_on(const struct run *run, const struct run_cold *cold, bool executed)
{
	if (!executed || cold->what == RUN_PLAIN)
		return !cold->x86;
	return cold->what == RUN_DIRECT && !cold->link && !cold->x86 && run->last >> 4 == SL_BRANCH_PLAIN;
}

void runs_link(struct runs *runs, const struct code *code, uint32_t from, bool executed, uint32_t id)
{
	struct run *run = &runs->hot[from];
	const struct run_cold *cold = &runs->cold[from];
	bool sleeps = (run->flags | runs->hot[id].flags) & SL_FLAG_SLEEPS; /* which a merged range would not tell */
	bool joins = cold->symbol && cold->symbol == runs->cold[id].symbol && run->isa == runs->hot[id].isa &&
		     goes_on(run, cold, executed) && !sleeps;

	if (code->merge && run_is_break(run, executed))
		return;
	run->next[executed] = id | (joins ? RUN_JOINS : 0);
}

void run_tables_free(struct run_tables *tables)
{
	for (size_t i = 0; i < tables->len; i++)
		runs_free(&tables->tables[i].runs);
	free(tables->tables);
	*tables = (struct run_tables){ 0 };
}

static bool is_of(const struct run_table *table, const struct code *code)
{
	return table->core == code->core && table->space == code->space;
}

struct runs *run_tables_of(struct run_tables *tables, const struct code *code)
{
	struct run_table table = { .core = code->core, .space = code->space };

	if (tables->now < tables->len && is_of(&tables->tables[tables->now], code))
		return &tables->tables[tables->now].runs;
	for (tables->now = 0; tables->now < tables->len; tables->now++) {
		if (is_of(&tables->tables[tables->now], code))
			return &tables->tables[tables->now].runs;
	}
	if (SL_ARRAY_PUSH(&tables->tables, &tables->len, &tables->cap, table) < 0)
		return NULL;
	return &tables->tables[tables->now].runs;
}

bool run_tables_trim(struct run_tables *tables)
{
	size_t kept = 0;

	for (size_t i = 0; i < tables->len; i++)
		kept += tables->tables[i].runs.len;
	if (kept < RUNS_KEPT)
		return false;
	run_tables_free(tables);
	return true;
}
