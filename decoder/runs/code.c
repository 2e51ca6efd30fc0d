/* SPDX-License-Identifier: Apache-2.0 */
#include "code.h"

#include <string.h>

/* A trace unit's decoder asks for a word at each address, also where an instruction of two bytes would do. */
enum { WORD = 4, X86_MAX = 15 };

/* Whether run holds a byte of address. */
static bool find_run(struct code *code, uint64_t address)
{
	if (address - code->run_address < code->run.len)
		return true;
	if (!code->image)
		return false;
	code->run = sl_image_run(code->image, code->core, code->space, address, &code->run_address);
	return code->run.len > 0;
}

/* A word that may lie across two runs. */
static bool read_across(struct code *code, uint64_t address, uint8_t ret[WORD])
{
	for (unsigned i = 0; i < WORD; i++) {
		if (!find_run(code, address + i))
			return false;
		ret[i] = code->run.data[address + i - code->run_address];
	}
	return true;
}

static bool read_word(struct code *code, uint64_t address, uint8_t ret[WORD])
{
	uint64_t at = address - code->run_address;

	if (at >= code->run.len || code->run.len - at < WORD)
		return read_across(code, address, ret);
	memcpy(ret, code->run.data + at, WORD);
	return true;
}

static uint32_t word_of(const uint8_t bytes[WORD])
{
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

static enum code_stop classify(struct code *code, uint8_t isa, const uint8_t bytes[WORD], uint64_t pc,
			       struct isa_insn *ret)
{
	unsigned it = 0;

	switch (isa) {
	case SL_ISA_A64:
		isa_a64(&code->isa, word_of(bytes), pc, ret);
		break;
	case SL_ISA_A32:
		isa_a32(&code->isa, word_of(bytes), pc, ret);
		break;
	case SL_ISA_T32:
		isa_t32(&code->isa, bytes, WORD, pc, &it, ret);
		break;
	default:
		return CODE_UNKNOWN_ISA;
	}
	/* barriers are no waypoints of ETMv4 and ETE (IHI 0064H, 4.2.2) */
	if (ret->last == SL_LAST_DSB && !code->barriers)
		ret->last = SL_LAST_OTHER;
	return CODE_WAYPOINT;
}

/* What there is of an x86 instruction, which may lie across two runs. */
static size_t read_some(struct code *code, uint64_t address, uint8_t buffer[X86_MAX], const uint8_t **ret)
{
	uint64_t at = address - code->run_address;
	size_t len = 0;

	if (at < code->run.len && code->run.len - at >= X86_MAX) {
		*ret = code->run.data + at;
		return X86_MAX;
	}
	for (; len < X86_MAX && find_run(code, address + len); len++)
		buffer[len] = code->run.data[address + len - code->run_address];
	*ret = buffer;
	return len;
}

static enum code_stop x86_insn(struct code *code, uint8_t isa, uint64_t pc, struct isa_insn *ret)
{
	uint8_t buffer[X86_MAX];
	const uint8_t *bytes;
	size_t len;

	if (code->budget < X86_MAX) {
		code->exhausted = code->ran_out = true;
		return CODE_NO_BYTES;
	}
	len = read_some(code, pc, buffer, &bytes);
	isa_x86((enum sl_isa)isa, bytes, len, pc, ret);
	code->budget -= ret->size;
	code->read += ret->size;
	if (ret->undefined && len)
		return CODE_BAD_INSN;
	return ret->size ? CODE_WAYPOINT : CODE_NO_BYTES;
}

enum code_stop code_insn(struct code *code, uint8_t isa, uint64_t pc, struct isa_insn *ret)
{
	uint8_t bytes[WORD];

	if (sl_isa_is_x86(isa))
		return x86_insn(code, isa, pc, ret);

	if (code->budget < WORD) {
		code->exhausted = code->ran_out = true;
		return CODE_NO_BYTES;
	}
	if (!read_word(code, pc, bytes))
		return CODE_NO_BYTES;
	code->budget -= WORD;
	code->read += WORD;
	return classify(code, isa, bytes, pc, ret);
}

enum code_stop code_walk(struct code *code, uint8_t isa, uint64_t start, struct code_walk *ret)
{
	enum code_stop stop;

	*ret = (struct code_walk){ .start = start, .end = start };
	do {
		stop = code_insn(code, isa, ret->end, &ret->last);
		if (stop != CODE_WAYPOINT)
			return stop;
		ret->end += ret->last.size;
		ret->count++;
	} while (ret->last.last == SL_LAST_OTHER && !ret->last.x86 && !code->single);
	return stop;
}

/* A64 instructions that lie in one run of the image need not be looked at but for the last. */
static bool skip(struct code *code, uint8_t isa, uint64_t until, struct code_walk *walk)
{
	uint64_t bytes = until - walk->start;

	if (isa != SL_ISA_A64 || bytes % 4 || bytes < 4 || !find_run(code, walk->start) || until < walk->start ||
	    until - code->run_address > code->run.len)
		return false;
	walk->count = (uint32_t)(bytes / 4 - 1);
	walk->end = until - 4;
	return true;
}

enum code_stop code_walk_until(struct code *code, uint8_t isa, uint64_t start, uint64_t until,
			       struct code_walk *ret)
{
	*ret = (struct code_walk){ .start = start, .end = start };
	skip(code, isa, until, ret);
	do {
		enum code_stop stop = code_insn(code, isa, ret->end, &ret->last);

		if (stop != CODE_WAYPOINT)
			return stop;
		ret->end += ret->last.size;
		ret->count++;
	} while (ret->end != until);
	return CODE_WAYPOINT;
}

uint8_t code_sleeps(struct code *code, uint8_t isa, uint64_t start, uint64_t end)
{
	uint8_t sleeps = 0;

	if (end - start > ISA_SLEEP_BYTES)
		return 0;
	while (start < end && find_run(code, start)) {
		uint64_t skip = start - code->run_address, left = code->run.len - skip;
		size_t n = (size_t)(left < end - start ? left : end - start);

		sleeps |= isa_sleeps(isa, code->run.data + skip, n);
		start += n;
	}
	return sleeps;
}

bool code_leads_to(struct code *code, uint8_t isa, uint64_t start, uint64_t until)
{
	struct isa_insn insn = { 0 };
	bool exhausted = code->exhausted;
	uint64_t at = start;

	while (at < until && code_insn(code, isa, at, &insn) == CODE_WAYPOINT && insn.last == SL_LAST_OTHER)
		at += insn.size;
	code->exhausted = exhausted;
	return start <= until && (at >= until || insn.last == SL_LAST_OTHER);
}
