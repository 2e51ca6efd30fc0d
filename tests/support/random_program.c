/* SPDX-License-Identifier: Apache-2.0 */
#include "random_program.h"

#include <assert.h>
#include <string.h>

#include "encoder_unit.h"
#include "random_insn.h"

/* Functions by number: user code, its first one loops for ever; kernel code, which begins with the handlers.
 */
enum {
	FAR = 8,
	USER_END = 12,
	HANDLER_IRQ = USER_END,
	HANDLER_SYSCALL,
	HANDLER_FAULT,
	HELPERS,
	FUNCTIONS_END = HELPERS + 5
};

static bool is_kernel(unsigned function)
{
	return function >= USER_END;
}

static enum program_part part_of(unsigned function)
{
	return is_kernel(function) ? PROGRAM_KERNEL : function < FAR ? PROGRAM_USER : PROGRAM_FAR;
}

static enum program_kind last_kind(const struct program *p, unsigned function)
{
	if (function == 0)
		return BLOCK_JUMP;
	if (function == HANDLER_SYSCALL && p->arch == PROGRAM_X86)
		return BLOCK_SYSRET;
	return function >= USER_END && function < HELPERS ? BLOCK_ERET : BLOCK_RETURN;
}

static enum program_kind random_kind(const struct program *p, unsigned function, bool callable,
				     uint64_t *random)
{
	static const enum program_kind kinds[] = {
		BLOCK_NOT_TAKEN_OR_JUMP,
		BLOCK_NOT_TAKEN_OR_JUMP,
		BLOCK_NOT_TAKEN_OR_JUMP,
		BLOCK_JUMP,
		BLOCK_CALL,
		BLOCK_CALL,
		BLOCK_INDIRECT_CALL,
		BLOCK_INDIRECT_JUMP,
		BLOCK_BARRIER,
		BLOCK_SYSCALL,
		BLOCK_CONDITIONAL_RETURN,
	};
	enum program_kind kind = kinds[gen_random(random, sizeof(kinds) / sizeof(kinds[0]))];

	if ((kind == BLOCK_CALL || kind == BLOCK_INDIRECT_CALL) && !callable)
		return BLOCK_NOT_TAKEN_OR_JUMP;
	if (kind == BLOCK_SYSCALL && is_kernel(function))
		return BLOCK_BARRIER;
	if (kind == BLOCK_CONDITIONAL_RETURN &&
	    (p->arch != PROGRAM_A32 || function < 1 || function == HANDLER_IRQ ||
	     function == HANDLER_SYSCALL || function == HANDLER_FAULT))
		return BLOCK_JUMP;
	return kind;
}

/* A callee behind the caller, of the same half: so the depth of calls has an end. */
static unsigned callee(unsigned function, uint64_t *random)
{
	unsigned first = is_kernel(function) && function < HELPERS ? HELPERS : function + 1;
	unsigned end = is_kernel(function) ? FUNCTIONS_END : USER_END;

	return first < end ? first + gen_random(random, end - first) : FUNCTIONS_END;
}

static void choose_block(struct program *p, unsigned function, unsigned index, uint64_t *random)
{
	const struct program_function *f = &p->functions[function];
	struct program_block *b = &p->blocks[f->first + index];
	unsigned other = callee(function, random);

	b->function = function;
	b->insns = 1 + gen_random(random, BLOCK_INSNS - 1);
	if (index + 1 == f->count) {
		b->kind = last_kind(p, function);
		b->target = f->first;
		return;
	}
	b->kind = random_kind(p, function, other < FUNCTIONS_END, random);
	if (function == HANDLER_IRQ && index == 0) /* each program changes contexts ... */
		b->kind = BLOCK_BARRIER;
	if (function == 0 && index == 1) /* ... and goes far away */
		b->kind = BLOCK_INDIRECT_CALL;
	if (function == 0 &&
	    index == 0) /* no round without a packet: Intel PT could not tell one from another */
		b->kind = BLOCK_NOT_TAKEN_OR_JUMP;
	if (b->kind == BLOCK_CALL && part_of(other) != part_of(function))
		b->kind = BLOCK_INDIRECT_CALL;
	b->target = b->kind == BLOCK_CALL ? other
					  : f->first + index + 1 + gen_random(random, f->count - index - 1);
	if (b->kind == BLOCK_NOT_TAKEN_OR_JUMP && gen_random(random, 4) == 0)
		b->target = f->first + gen_random(random, index + 1);
}

static void choose_functions(struct program *p, uint64_t *random)
{
	static const enum gen_isa isas[] = { GEN_A64, GEN_A32, GEN_X86_64 };

	for (unsigned i = 0; i < FUNCTIONS_END; i++) {
		struct program_function *f = &p->functions[i];
		bool thumb = p->arch == PROGRAM_A32 && i % 2 == 1;

		f->first = p->block_count;
		f->count = 3 + gen_random(random, 6);
		p->block_count += f->count;
		assert(p->block_count <= PROGRAM_BLOCKS);
		for (unsigned j = 0; j < f->count; j++) {
			struct program_block *b = &p->blocks[f->first + j];

			choose_block(p, i, j, random);
			b->isa = thumb ? GEN_T32 : isas[p->arch];
			if (thumb && b->kind == BLOCK_CONDITIONAL_RETURN)
				b->kind = BLOCK_JUMP;
		}
	}
}

const uint8_t *program_bytes(const struct program *p, uint64_t address)
{
	unsigned part = 0;

	while (address - p->parts[part] >= PROGRAM_CODE)
		part++;
	assert(part < PROGRAM_PARTS);
	return p->code[part] + (address - p->parts[part]);
}

static void put(struct program *p, uint64_t address, struct insn insn)
{
	memcpy((uint8_t *)(uintptr_t)program_bytes(p, address), insn.bytes, insn.len);
}

/* Where each instruction lies: the last one's size is that of its kind, whatever its target. */
static void place_blocks(struct program *p, uint64_t *random)
{
	uint64_t at[PROGRAM_PARTS] = { p->parts[0], p->parts[1], p->parts[2] };

	for (unsigned i = 0; i < p->block_count; i++) {
		struct program_block *b = &p->blocks[i];
		uint64_t *end = &at[part_of(b->function)];

		if (b->isa != GEN_X86_64 && p->functions[b->function].first == i)
			*end = (*end + 3) & ~UINT64_C(3);
		b->start = *end;
		for (unsigned j = 0; j + 1 < b->insns; j++) {
			struct insn insn = insn_filler(b->isa, random);

			put(p, b->start + b->offsets[j], insn);
			b->offsets[j + 1] = (uint8_t)(b->offsets[j] + insn.len);
		}
		b->offsets[b->insns] = (uint8_t)(b->offsets[b->insns - 1] + insn_size(b->isa, b->kind));
		*end += b->offsets[b->insns];
	}
}

static void place_ends(struct program *p, uint64_t *random)
{
	for (unsigned i = 0; i < p->block_count; i++) {
		const struct program_block *b = &p->blocks[i];
		unsigned target = b->kind == BLOCK_CALL ? p->functions[b->target].first : b->target;
		struct insn insn =
			insn_end(b, b->start + b->offsets[b->insns - 1], &p->blocks[target], random);

		assert(insn.len == insn_size(b->isa, b->kind));
		put(p, b->start + b->offsets[b->insns - 1], insn);
	}
}

void program_make(struct program *p, enum program_arch arch, uint64_t seed,
		  const uint64_t parts[PROGRAM_PARTS])
{
	uint64_t random = seed * 2 + 1;

	memset(p, 0, sizeof(*p));
	p->arch = arch;
	memcpy(p->parts, parts, sizeof(p->parts));
	choose_functions(p, &random);
	place_blocks(p, &random);
	place_ends(p, &random);
}

/* A walk
 * ------------------------------------------------------------------------------------------------------ */

struct frame {
	unsigned block, insn; /* where execution goes on */
	bool exception;
	uint8_t el;
};
struct walk {
	const struct program *p;
	const struct walk_options *options;
	const struct gen_sink *sink;
	uint64_t random, time;
	unsigned block, insn;
	struct frame frames[64];
	unsigned depth, handlers;
	struct gen_context context;
	unsigned runs;
	enum gen_end last;
};

static void tell(struct walk *w, struct gen_event *event)
{
	event->cpu = w->options->cpu;
	event->time_ns = w->time;
	gen_tell(w->sink, event);
}

static void tell_context(struct walk *w)
{
	struct gen_event event = { .kind = GEN_CONTEXT, .context = w->context };

	tell(w, &event);
}

static uint64_t address_of(const struct walk *w, unsigned block, unsigned insn)
{
	return w->p->blocks[block].start + w->p->blocks[block].offsets[insn];
}

/* One an instruction, more or less; now and then far more. Never none. */
static uint32_t some_cycles(struct walk *w, unsigned insns)
{
	uint32_t cycles = gen_random(&w->random, 3) ? insns + gen_random(&w->random, 4)
						    : insns - gen_random(&w->random, insns);

	return gen_random(&w->random, 40) ? cycles : cycles + gen_random(&w->random, 3000);
}

/* A run from where execution is to before an instruction of the same block. */
static void tell_run(struct walk *w, unsigned to, enum gen_end how, unsigned target_block,
		     unsigned target_insn)
{
	const struct program_block *b = &w->p->blocks[w->block];
	uint32_t cycles = some_cycles(w, to - w->insn);
	struct gen_event event = {
		.kind = GEN_RUN,
		.run = {
			.start = address_of(w, w->block, w->insn),
			.end = address_of(w, w->block, to),
			.code = program_bytes(w->p, address_of(w, w->block, w->insn)),
			.insns = to - w->insn,
			.isa = b->isa,
			.how = how,
			.conditional = to == b->insns && (b->kind == BLOCK_NOT_TAKEN_OR_JUMP ||
							  b->kind == BLOCK_CONDITIONAL_RETURN),
			.target = address_of(w, target_block, target_insn),
			.target_isa = w->p->blocks[target_block].isa,
			.cycles = cycles,
		},
	};

	tell(w, &event);
	w->time += cycles;
	w->runs++;
	w->last = how;
}

static void go(struct walk *w, unsigned block, unsigned insn)
{
	w->block = block;
	w->insn = insn;
}

static void push(struct walk *w, unsigned block, unsigned insn, bool exception)
{
	assert(w->depth < sizeof(w->frames) / sizeof(w->frames[0]));
	w->frames[w->depth++] = (struct frame){ block, insn, exception, w->context.el };
	w->handlers += exception;
}

static void enter_kernel(struct walk *w)
{
	bool was_user = w->context.el == 0;

	w->context.el = w->options->kernel_el ? w->options->kernel_el : 1;
	if (was_user)
		tell_context(w);
}

static void take_exception(struct walk *w, enum gen_exception_type type, unsigned handler, unsigned block,
			   unsigned insn)
{
	unsigned vector = w->p->functions[handler].first;
	struct gen_event event = {
		.kind = GEN_EXCEPTION,
		.exception = {
			.type = type,
			.preferred_return = address_of(w, block, insn),
			.return_isa = w->p->blocks[block].isa,
			.vector = w->p->blocks[vector].start,
			.vector_isa = w->p->blocks[vector].isa,
			.cycles = some_cycles(w, 5),
		},
	};

	tell(w, &event);
	w->time += event.exception.cycles;
	push(w, block, insn, true);
	enter_kernel(w);
	go(w, vector, 0);
}

/* Somewhere inside of the block, perhaps before its first instruction. */
static void interrupt(struct walk *w)
{
	static const enum gen_exception_type faults[] = { GEN_DATA_FAULT, GEN_INST_FAULT, GEN_UNDEFINED };
	const struct program_block *b = &w->p->blocks[w->block];
	unsigned at = w->insn + gen_random(&w->random, b->insns - w->insn);
	bool irq = gen_random(&w->random, 3) > 0;
	unsigned block = w->block;

	if (at > w->insn)
		tell_run(w, at, GEN_END_NONE, w->block, at);
	take_exception(w, irq ? GEN_IRQ : faults[gen_random(&w->random, 3)],
		       irq ? HANDLER_IRQ : HANDLER_FAULT, block, at);
}

static void make_call(struct walk *w, const struct program_block *b, enum gen_end how, unsigned function)
{
	unsigned first = w->p->functions[function].first;

	tell_run(w, b->insns, how, first, 0);
	push(w, w->block + 1, 0, false);
	go(w, first, 0);
}

static void jump(struct walk *w, const struct program_block *b, enum gen_end how, unsigned target)
{
	tell_run(w, b->insns, how, target, 0);
	go(w, target, 0);
}

static void leave(struct walk *w, const struct program_block *b, enum gen_end how)
{
	struct frame frame = w->frames[--w->depth];

	tell_run(w, b->insns, how, frame.block, frame.insn);
	go(w, frame.block, frame.insn);
	if (!frame.exception)
		return;
	w->handlers--;
	if (frame.el == w->context.el)
		return;
	w->context.el = frame.el;
	tell_context(w);
}

static void make_syscall(struct walk *w, const struct program_block *b)
{
	unsigned next = w->block + 1;
	unsigned vector = w->p->functions[HANDLER_SYSCALL].first;

	if (b->isa != GEN_X86_64) {
		tell_run(w, b->insns, GEN_END_NONE, w->block, b->insns);
		take_exception(w, GEN_CALL_EXCEPTION, HANDLER_SYSCALL, next, 0);
		return;
	}
	tell_run(w, b->insns, GEN_END_SYSCALL, vector, 0);
	push(w, next, 0, true);
	enter_kernel(w);
	go(w, vector, 0);
}

static void pass_barrier(struct walk *w, const struct program_block *b)
{
	tell_run(w, b->insns, b->isa == GEN_X86_64 ? GEN_END_NONE : GEN_END_BARRIER, w->block + 1, 0);
	go(w, w->block + 1, 0);
	if (!w->options->contexts || w->context.el == 0 || gen_random(&w->random, 3))
		return;
	w->context.context_id = 0x100 + gen_random(&w->random, 4);
	w->context.vmid = 1 + gen_random(&w->random, 2);
	tell_context(w);
}

static unsigned some_callee(struct walk *w, const struct program_block *b)
{
	return callee(b->function, &w->random);
}

static unsigned forward_block(struct walk *w, const struct program_block *b)
{
	const struct program_function *f = &w->p->functions[b->function];

	return w->block + 1 + gen_random(&w->random, f->first + f->count - w->block - 1);
}

/* One of a loop's turns, or out of it: mostly out, so that loops end. */
static void branch(struct walk *w, const struct program_block *b, enum gen_end taken)
{
	bool takes = gen_random(&w->random, 5) < (b->target > w->block ? 3u : 2u);

	if (!takes)
		jump(w, b, GEN_END_NOT_TAKEN, w->block + 1);
	else if (taken == GEN_END_RETURN)
		leave(w, b, taken);
	else
		jump(w, b, taken, b->target);
}

static void end_block(struct walk *w)
{
	const struct program_block *b = &w->p->blocks[w->block];

	switch (b->kind) {
	case BLOCK_NOT_TAKEN_OR_JUMP:
		branch(w, b, GEN_END_TAKEN);
		break;
	case BLOCK_CONDITIONAL_RETURN:
		branch(w, b, GEN_END_RETURN);
		break;
	case BLOCK_JUMP:
		jump(w, b, GEN_END_TAKEN, b->target);
		break;
	case BLOCK_CALL:
		make_call(w, b, GEN_END_CALL, b->target);
		break;
	case BLOCK_INDIRECT_CALL:
		make_call(w, b, GEN_END_INDIRECT_CALL, some_callee(w, b));
		break;
	case BLOCK_INDIRECT_JUMP:
		jump(w, b, GEN_END_INDIRECT, forward_block(w, b));
		break;
	case BLOCK_BARRIER:
		pass_barrier(w, b);
		break;
	case BLOCK_SYSCALL:
		make_syscall(w, b);
		break;
	case BLOCK_RETURN:
		leave(w, b, GEN_END_RETURN);
		break;
	case BLOCK_ERET:
	case BLOCK_SYSRET:
		leave(w, b, GEN_END_ERET);
		break;
	}
}

void program_walk(const struct program *p, const struct walk_options *options, const struct gen_sink *sink)
{
	struct walk w = {
		.p = p,
		.options = options,
		.sink = sink,
		.random = options->seed * 2 + 1,
		.time = 1000000,
		.context = { .security = options->security,
			     .is64 = p->arch != PROGRAM_A32,
			     .context_id = 0x100,
			     .vmid = 1 },
	};
	struct gen_event end = { .kind = GEN_END };

	tell_context(&w);
	/* the last run ends in a direct branch of the user: no rest that a trace could not show */
	while (w.runs < options->runs || w.depth > 0 || w.last != GEN_END_TAKEN) {
		if (options->interrupts_every > 0 && w.handlers < 2 && w.runs > 0 && w.runs < options->runs &&
		    gen_random(&w.random, options->interrupts_every) == 0)
			interrupt(&w);
		else
			end_block(&w);
	}
	tell(&w, &end);
}
