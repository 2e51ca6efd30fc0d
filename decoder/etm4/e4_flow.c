/* SPDX-License-Identifier: Apache-2.0 */
/* The way through the program, a run a step. */
#include "e4_decoder.h"

void e4_flow_at(struct e4_decoder *dec, uint64_t address, uint8_t isa)
{
	dec->pc = address;
	dec->isa = isa;
	dec->run = dec->from = 0;
	dec->open = 0;
	dec->lost = false;
}

void e4_flow_settle(struct e4_decoder *dec)
{
	if (dec->run) {
		dec->pc = dec->runs->hot[dec->run].start;
		dec->isa = dec->runs->hot[dec->run].isa;
	}
	dec->run = dec->from = 0;
	dec->open = 0;
}

/* The space that memory is asked for in: exception level and security state, as far as they are known. */
static uint8_t space_of(const struct e4_decoder *dec)
{
	static const uint8_t secure[] = { SL_SPACE_EL1S, SL_SPACE_EL1S, SL_SPACE_EL2S, SL_SPACE_EL3 };
	static const uint8_t nonsecure[] = { SL_SPACE_EL1N, SL_SPACE_EL1N, SL_SPACE_EL2N, SL_SPACE_EL3 };

	if (!dec->el_known)
		return dec->is_secure ? SL_SPACE_S : SL_SPACE_N;
	return dec->is_secure ? secure[dec->el] : nonsecure[dec->el];
}

void e4_flow_memory(struct e4_decoder *dec)
{
	e4_flow_settle(dec);
	code_set(&dec->code, dec->space.core, space_of(dec));
	dec->runs = NULL;
	dec->indirect = 0;
}

void e4_flow_forget_returns(struct e4_decoder *dec)
{
	dec->return_count = 0;
	dec->return_pending = false;
}

static void push_return(struct e4_decoder *dec, uint64_t address, uint8_t isa)
{
	if (!dec->return_stack_on)
		return;
	dec->return_top = (dec->return_top + 1) % RETURN_STACK;
	dec->returns[dec->return_top] = (struct e4_return){ address, isa };
	if (dec->return_count < RETURN_STACK)
		dec->return_count++;
	dec->return_pending = false;
}

bool e4_flow_return(struct e4_decoder *dec)
{
	struct e4_return *top = &dec->returns[dec->return_top];

	if (!dec->return_pending)
		return true;
	dec->return_pending = false;
	if (dec->return_count-- <= 0)
		return false;
	dec->return_top = (dec->return_top + RETURN_STACK - 1) % RETURN_STACK;
	e4_flow_at(dec, top->address, top->isa);
	dec->need_address = dec->owes_address = false;
	return true;
}

static bool find_runs(struct e4_decoder *dec)
{
	run_tables_trim(&dec->tables);
	dec->runs = run_tables_of(&dec->tables, &dec->code);
	if (!dec->runs)
		dec->queue.no_memory = true;
	return dec->runs;
}

/* A run with a waypoint that may be gone to without a look at it. */
static bool can_be_next(const struct run_cold *cold)
{
	return cold->what < RUN_NO_BYTES;
}

/* An indirect branch mostly goes where it went before. */
static uint32_t guess_run(const struct e4_decoder *dec)
{
	uint32_t id = dec->runs->cold[dec->indirect].guess;
	const struct run *run = &dec->runs->hot[id];

	return id && run->start == dec->pc && run->isa == dec->isa ? id : 0;
}

static uint32_t look_up_run(struct e4_decoder *dec)
{
	uint32_t id = dec->indirect ? guess_run(dec) : 0;

	if (id)
		return id;
	id = runs_find(dec->runs, &dec->code, dec->isa, dec->pc);
	if (dec->indirect && id >= RUN_FIRST)
		dec->runs->cold[dec->indirect].guess = id;
	return id;
}

/* The run at pc; the one before is told. 0: no memory. */
static uint32_t find_run(struct e4_decoder *dec)
{
	uint32_t id;

	if (dec->run)
		return dec->run;
	if (!dec->runs && !find_runs(dec))
		return 0;
	if (runs_trim(dec->runs))
		dec->from = dec->indirect = 0;
	id = look_up_run(dec);
	dec->indirect = 0;
	if (!id)
		dec->queue.no_memory = true;
	else if (dec->from && id >= RUN_FIRST && can_be_next(&dec->runs->cold[id]))
		runs_link(dec->runs, &dec->code, dec->from, dec->from_taken, id);
	dec->from = 0;
	return id;
}

bool e4_flow_find(struct e4_decoder *dec)
{
	uint32_t id = find_run(dec);

	if (id < RUN_FIRST || !can_be_next(&dec->runs->cold[id]))
		return false;
	dec->run = id;
	return true;
}

static void emit_run(struct e4_decoder *dec, const struct run *run, bool executed, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_RANGE, .isa = run->isa, .last = run->last,
			     .flags = (uint8_t)(run->flags | (executed ? SL_FLAG_EXECUTED : 0)), .count = run->count,
			     .range = { run->start, run->end } };

	e4_emit(dec, &e);
}

static void emit_no_image(struct e4_decoder *dec, uint64_t address, bool runaway, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_GAP, .flags = SL_FLAG_ADDRESS,
			     .count = runaway ? SL_GAP_RUNAWAY : SL_GAP_NO_IMAGE, .address = address };

	e4_emit(dec, &e);
}

/* The image ends before a waypoint: it is not known where execution went. */
static void end_of_image(struct e4_decoder *dec, const struct run *run, bool runaway, uint64_t offset)
{
	if (run->count)
		emit_run(dec, run, true, offset);
	emit_no_image(dec, run->end, runaway, offset);
	e4_flow_at(dec, run->end, run->isa);
	dec->need_address = true;
}

/* An indirect branch that was taken. */
static void branch_anywhere(struct e4_decoder *dec, const struct run *run, bool link, uint64_t offset)
{
	struct sl_elem e = { .offset = offset, .kind = SL_ELEM_EXCEPTION_RETURN };

	dec->need_address = true;
	dec->owes_address = !dec->moved;
	if (link)
		push_return(dec, run->end, run->isa);
	dec->return_pending = dec->return_stack_on;
	/* ETE has no packet for it */
	if (e4_is_ete(&dec->config) && run->last >> 4 == SL_BRANCH_ERET)
		e4_emit(dec, &e);
}

void e4_flow_leave(struct e4_decoder *dec, uint32_t id, bool executed, uint64_t offset)
{
	const struct run *run = &dec->runs->hot[id];
	const struct run_cold *cold = &dec->runs->cold[id];
	bool calls = executed && cold->link && dec->return_stack_on;

	if (!dec->moved && run_is_break(run, executed)) {
		e4_flow_at(dec, run->end, run->isa);
		e4_mark(dec, SL_MARK_NOT_TAKEN, offset);
		return;
	}
	e4_flow_at(dec, run->end, run->isa);
	if (executed && cold->what == RUN_INDIRECT) {
		dec->indirect = id >= RUN_FIRST ? id : 0;
		branch_anywhere(dec, run, cold->link, offset);
		return;
	}
	if (executed && cold->what == RUN_DIRECT) {
		e4_flow_at(dec, cold->target, cold->target_isa);
		if (cold->link)
			push_return(dec, run->end, run->isa);
	}
	if (id >= RUN_FIRST && !calls) {
		dec->from = id;
		dec->from_taken = executed;
	}
}

void e4_flow_atom(struct e4_decoder *dec, bool executed, uint64_t offset)
{
	uint32_t id = find_run(dec);
	const struct run *run;

	if (!id)
		return;
	run = &dec->runs->hot[id];
	if (!can_be_next(&dec->runs->cold[id])) {
		end_of_image(dec, run, dec->runs->cold[id].what == RUN_TOO_LONG, offset);
		return;
	}
	emit_run(dec, run, executed, offset);
	if (run->next[executed] >= RUN_FIRST)
		dec->run = run_id(run->next[executed]);
	else
		e4_flow_leave(dec, id, executed, offset);
}

static void range_of(struct e4_decoder *dec, const struct code_walk *walk, uint8_t isa, uint64_t offset, struct sl_elem *ret)
{
	const struct isa_insn *last = &walk->last;

	*ret = (struct sl_elem){ .offset = offset, .kind = SL_ELEM_RANGE, .isa = isa, .count = walk->count,
				 .last = (uint8_t)(last->last | last->branch << 4), .range = { walk->start, walk->end } };
	ret->flags = (uint8_t)(SL_FLAG_EXECUTED | (last->conditional ? SL_FLAG_CONDITIONAL : 0) |
			       (last->size == 2 ? SL_FLAG_LAST_16BIT : 0) | code_sleeps(&dec->code, isa, walk->start, walk->end));
}

/* The instruction set behind an executed instruction: a direct branch may change it. */
static uint8_t isa_behind(const struct isa_insn *last, uint8_t isa)
{
	return last->last == SL_LAST_BRANCH ? last->target_isa : isa;
}

void e4_flow_until(struct e4_decoder *dec, uint64_t until, uint64_t offset)
{
	struct code_walk walk;
	struct sl_elem e;
	enum code_stop stop;

	e4_flow_settle(dec);
	e4_mark_until(dec, until, offset);
	if (dec->pc == until || dec->lost)
		return;
	/* no way forward leads there: nothing is known but the exception */
	if (dec->pc > until) {
		dec->need_address = dec->lost = true;
		return;
	}
	stop = code_walk_until(&dec->code, dec->isa, dec->pc, until, &walk);
	if (walk.count) {
		range_of(dec, &walk, dec->isa, offset, &e);
		e4_emit(dec, &e);
		dec->isa = isa_behind(&walk.last, dec->isa);
	}
	dec->pc = walk.end;
	if (stop == CODE_WAYPOINT)
		return;
	dec->need_address = true;
	emit_no_image(dec, walk.end, dec->code.exhausted, offset);
	dec->code.exhausted = false;
}

/* Where the range that a source address ends begins, and its instructions. False: some are not in the image. */
static bool source_range(struct e4_decoder *dec, uint64_t from, const struct isa_insn *last, uint64_t source,
			 struct code_walk *ret)
{
	struct isa_insn insn;

	*ret = (struct code_walk){ .start = from, .end = source + last->size, .count = 1, .last = *last };
	if (ret->end - from <= last->size)
		return true;
	if (dec->isa != SL_ISA_T32) {
		ret->count = (uint32_t)(ret->end - from) / 4;
		return true;
	}
	ret->count = 0;
	for (uint64_t at = from; at < ret->end; at += insn.size, ret->count++) {
		if (code_insn(&dec->code, dec->isa, at, &insn) == CODE_WAYPOINT)
			continue;
		*ret = (struct code_walk){ .start = source, .end = source + last->size, .count = 1, .last = *last };
		return false;
	}
	return true;
}

static void leave_source(struct e4_decoder *dec, const struct code_walk *walk)
{
	const struct isa_insn *last = &walk->last;

	dec->pc = walk->end;
	dec->lost = false;
	if (last->last != SL_LAST_BRANCH && last->last != SL_LAST_INDIRECT)
		return;
	if (last->link)
		push_return(dec, walk->end, dec->isa);
	if (last->last == SL_LAST_BRANCH) {
		dec->pc = last->target;
		return;
	}
	dec->need_address = true;
	dec->return_pending = dec->return_stack_on;
}

void e4_flow_source(struct e4_decoder *dec, const struct e4_pend *source)
{
	struct isa_insn last;
	struct code_walk walk;
	struct sl_elem e;
	uint64_t from;

	e4_flow_settle(dec);
	if (code_insn(&dec->code, dec->isa, source->value, &last) != CODE_WAYPOINT) {
		emit_no_image(dec, source->value, dec->code.exhausted, source->offset);
		dec->code.exhausted = false;
		return;
	}
	/* waiting for an address, or trace is missing that tells how it came here */
	from = dec->need_address || dec->pc > source->value ? source->value : dec->pc;
	dec->need_address = false;
	if (!source_range(dec, from, &last, source->value, &walk))
		emit_no_image(dec, source->value, false, source->offset);
	leave_source(dec, &walk);
	dec->isa = isa_behind(&last, dec->isa);
	range_of(dec, &walk, dec->isa, source->offset, &e);
	e4_emit(dec, &e);
}

/* As many instructions as the Q element counts, or up to the first branch. */
static bool walk_counted(struct e4_decoder *dec, uint32_t count, struct code_walk *ret)
{
	bool branches = false;

	*ret = (struct code_walk){ .start = dec->pc, .end = dec->pc };
	while (ret->count < count && !branches) {
		if (code_insn(&dec->code, dec->isa, ret->end, &ret->last) != CODE_WAYPOINT)
			break;
		ret->end += ret->last.size;
		ret->count++;
		branches = ret->last.last == SL_LAST_BRANCH || ret->last.last == SL_LAST_INDIRECT;
	}
	dec->code.exhausted = false;
	return branches;
}

void e4_flow_q(struct e4_decoder *dec, const struct e4_pend *q)
{
	struct sl_elem e = { .offset = q->offset, .kind = SL_ELEM_RANGE_NO_PATH, .count = q->bits };
	struct code_walk walk;
	bool branches;

	e4_flow_settle(dec);
	branches = walk_counted(dec, dec->lost ? 0 : q->bits, &walk);
	if (q->bits && walk.count == q->bits && (walk.end == q->value || branches)) {
		range_of(dec, &walk, dec->isa, q->offset, &e);
	} else {
		e.isa = e4_isa(dec->is_64bit, q->is);
		e.range.start = walk.start;
		e.range.end = q->value;
	}
	e4_emit(dec, &e);
	e4_flow_at(dec, q->value, e4_isa(dec->is_64bit, q->is));
	dec->need_address = false;
}
