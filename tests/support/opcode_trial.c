/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode_trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_text.h"
#include "temp_files.h"

enum { BASE = 0x10000000 };

void opcode_trial_init(struct opcode_trial *trial, enum sl_isa isa, enum sl_arch arch, bool m_profile)
{
	static const uint8_t a64[] = { 0, 0, 0, 0x14 }, a32[] = { 0xfe, 0xff, 0xff, 0xea }, t32[] = { 0xfe, 0xe7, 0xfe, 0xe7 };
	const uint8_t *stop = isa == SL_ISA_A64 ? a64 : isa == SL_ISA_A32 ? a32 : t32;

	trial->isa = isa;
	trial->options = (struct isa_options){ .arch = arch, .m_profile = m_profile, .wfi_is_waypoint = true };
	trial->base = BASE;
	for (size_t i = 0; i < sizeof(trial->code); i += 4)
		memcpy(trial->code + i, stop, 4);
}

static uint32_t word_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void classify(const struct opcode_trial *trial, const uint8_t *code, size_t len, uint64_t pc, unsigned *it,
		     struct isa_insn *ret)
{
	if (trial->isa == SL_ISA_A64)
		isa_a64(&trial->options, word_at(code), pc, ret);
	else if (trial->isa == SL_ISA_A32)
		isa_a32(&trial->options, word_at(code), pc, ret);
	else
		isa_t32(&trial->options, code, len, pc, it, ret);
}

void opcode_walk(const struct opcode_trial *trial, size_t slot, struct opcode_found *ret)
{
	const uint8_t *code = trial->code + slot * SLOT_BYTES;
	uint64_t pc = trial->base + slot * SLOT_BYTES;
	struct isa_insn insn = { 0 };

	memset(ret, 0, sizeof(*ret));
	while (insn.last == SL_LAST_OTHER || insn.last == SL_LAST_DSB) {
		unsigned it = 0; /* OpenCSD's ETMv4 decoder knows no IT blocks */

		classify(trial, code + ret->bytes, SLOT_BYTES - ret->bytes, pc + ret->bytes, &it, &insn);
		ret->count++;
		ret->bytes = (uint8_t)(ret->bytes + insn.size);
	}
	ret->size = insn.size;
	ret->last = insn.last;
	ret->branch = insn.branch;
	ret->conditional = insn.conditional;
	ret->target = insn.target;
	ret->target_known = insn.last == SL_LAST_BRANCH;
}

static struct etm4_address slot_address(const struct opcode_trial *trial, size_t slot)
{
	return (struct etm4_address){ trial->base + slot * SLOT_BYTES,
				      trial->isa == SL_ISA_T32 ? ETM4_IS1 : ETM4_IS0 };
}

static void begin(struct etm4_writer *w, const struct opcode_trial *trial)
{
	static const struct etm4_config config = { .minor = 3 };
	const struct etm4_context context = { .el = 1, .security = SL_NONSECURE, .is64 = trial->isa == SL_ISA_A64 };

	etm4_init(w, &config);
	etm4_async(w);
	etm4_trace_info(w, &(struct etm4_trace_info){ 0 });
	etm4_trace_on(w);
	etm4_address_64_context(w, slot_address(trial, 0), &context);
}

static struct sl_image *slots_image(const struct opcode_trial *trial)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = trial->base, .address_known = true };
	struct sl_image *image;

	if (sl_image_new(&image) < 0 ||
	    sl_image_add_dump(image, temp_write("slots.bin", trial->code, sizeof(trial->code)), &place, NULL, NULL) < 0 ||
	    sl_image_seal(image) < 0)
		abort();
	return image;
}

/* Where in the lane a slot's atoms lie; target: 0 where it has none. */
struct atoms {
	uint64_t waypoint, target;
};

/* An element of the packet at a slot's atom: the slot's run, or what lies at its branch's target. */
static void take(const struct sl_elem *e, const struct atoms *atoms, struct opcode_found *found)
{
	if (e->offset == atoms->target && (e->kind == SL_ELEM_RANGE || e->kind == SL_ELEM_GAP)) {
		found->target = e->kind == SL_ELEM_RANGE ? e->range.start : e->address;
		found->target_known = found->last == SL_LAST_BRANCH;
	}
	if (e->offset != atoms->waypoint || e->kind != SL_ELEM_RANGE)
		return;
	found->count = e->count;
	found->bytes = (uint8_t)(e->range.end - e->range.start);
	found->size = e->flags & SL_FLAG_LAST_16BIT ? 2 : 4;
	found->last = (uint8_t)sl_elem_last(e);
	found->branch = (uint8_t)sl_elem_branch(e);
	found->conditional = e->flags & SL_FLAG_CONDITIONAL;
}

static void take_all(const struct sl_elem *elems, size_t n, const struct atoms *atoms, size_t *slot, struct opcode_found *ret)
{
	for (size_t i = 0; i < n; i++) {
		while (*slot + 1 < SLOT_COUNT && elems[i].offset >= atoms[*slot + 1].waypoint)
			++*slot;
		take(&elems[i], &atoms[*slot], &ret[*slot]);
	}
}

static void decode(const struct opcode_trial *trial, const struct etm4_writer *w, const struct atoms *atoms,
		   struct opcode_found *ret)
{
	struct sl_image *image = slots_image(trial);
	struct sl_decoder_options options = { .image = image, .engine = SL_ENGINE_OPENCSD };
	struct sl_trace_config config;
	struct sl_decoder *dec;
	struct sl_elem *elems;
	size_t n, slot = 0;

	decode_config(&w->config, &config);
	config.arch = trial->options.arch;
	config.profile = trial->options.m_profile ? SL_PROFILE_M : SL_PROFILE_A;
	sl_config_set(&config, SL_REG_TRCIDR2, config.regs[SL_REG_TRCIDR2] | UINT32_C(1) << 31); /* WFXMODE */
	if (sl_decoder_new(&config, &options, &dec, NULL) < 0)
		abort();
	sl_decoder_feed(dec, (struct sl_bytes){ w->data, w->len, 0 });
	sl_decoder_finish(dec);
	while (sl_decoder_lend(dec, &elems, &n) == SL_OK)
		take_all(elems, n, atoms, &slot, ret);
	sl_decoder_free(dec);
	sl_image_free(image);
}

void opcode_trace(const struct opcode_trial *trial, struct opcode_found *ret)
{
	struct atoms *atoms = calloc(SLOT_COUNT, sizeof(*atoms));
	struct etm4_writer w;

	memset(ret, 0, SLOT_COUNT * sizeof(*ret));
	begin(&w, trial);
	for (size_t i = 0; atoms && i < SLOT_COUNT; i++) {
		struct opcode_found own;

		opcode_walk(trial, i, &own);
		etm4_address(&w, slot_address(trial, i));
		atoms[i].waypoint = w.len;
		etm4_atom_f1(&w, 1);
		atoms[i].target = own.last == SL_LAST_BRANCH ? w.len : 0;
		if (atoms[i].target)
			etm4_atom_f1(&w, 1);
	}
	if (!atoms)
		abort();
	decode(trial, &w, atoms, ret);
	etm4_release(&w);
	free(atoms);
}

bool opcode_same(const struct opcode_found *a, const struct opcode_found *b)
{
	return a->count == b->count && a->bytes == b->bytes && a->size == b->size && a->last == b->last &&
	       a->branch == b->branch && a->conditional == b->conditional && a->target_known == b->target_known &&
	       (!a->target_known || a->target == b->target);
}

void opcode_text(const struct opcode_found *f, char *ret, size_t cap)
{
	snprintf(ret, cap, "%" PRIu32 " insns %u bytes, size %u last %u branch %u%s target %" PRIx64, f->count, f->bytes,
		 f->size, f->last, f->branch, f->conditional ? " cond" : "", f->target_known ? f->target : 0);
}
