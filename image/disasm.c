/* SPDX-License-Identifier: Apache-2.0 */
#include "capstone_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_image.h"

#if CS_API_MAJOR >= 6
#define ARCH_A64 CS_ARCH_AARCH64
#else
#define ARCH_A64 CS_ARCH_ARM64
#endif

enum { VARIANTS = 2 };

/* How capstone decodes an instruction set. Thumb is tried as v8, then as M profile, whose system registers
 * differ. */
struct variant {
	cs_arch arch;
	cs_mode mode;
	bool used;
};
static const struct variant variants[][VARIANTS] = {
	[SL_ISA_A64] = { { ARCH_A64, CS_MODE_LITTLE_ENDIAN, true } },
	[SL_ISA_A32] = { { CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8, true },
			 { CS_ARCH_ARM, CS_MODE_ARM, true } },
	[SL_ISA_T32] = { { CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8, true },
			 { CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS, true } },
	[SL_ISA_X86_64] = { { CS_ARCH_X86, CS_MODE_64, true } },
	[SL_ISA_X86_32] = { { CS_ARCH_X86, CS_MODE_32, true } },
	[SL_ISA_X86_16] = { { CS_ARCH_X86, CS_MODE_16, true } },
};
enum { ISAS = sizeof(variants) / sizeof(variants[0]) };

struct sl_disasm {
	const struct capstone *capstone;
	csh handles[ISAS][VARIANTS]; /* 0: not opened yet */
	cs_insn *insn;
};

int sl_disasm_new(struct sl_disasm **ret)
{
	struct sl_disasm *disasm = calloc(1, sizeof(*disasm));

	if (!disasm)
		return SL_ERR_NOMEM;
	disasm->capstone = capstone_load();
	if (!disasm->capstone) {
		free(disasm);
		return SL_ERR_UNSUPPORTED;
	}
	*ret = disasm;
	return SL_OK;
}

void sl_disasm_free(struct sl_disasm *disasm)
{
	if (!disasm)
		return;
	if (disasm->insn)
		disasm->capstone->free(disasm->insn, 1);
	for (size_t i = 0; i < ISAS * VARIANTS; i++) {
		if (disasm->handles[i / VARIANTS][i % VARIANTS])
			disasm->capstone->close(&disasm->handles[i / VARIANTS][i % VARIANTS]);
	}
	free(disasm);
}

/* The handle of a variant, opened when it is first needed; 0 where this capstone does not have it. */
static csh get_handle(struct sl_disasm *disasm, size_t isa, size_t i)
{
	const struct variant *variant = &variants[isa][i];
	csh *handle = &disasm->handles[isa][i];

	if (!*handle && disasm->capstone->open(variant->arch, variant->mode, handle) != CS_ERR_OK) {
		*handle = 0;
		return 0;
	}
	if (!disasm->insn)
		disasm->insn = disasm->capstone->alloc(*handle);
	return *handle;
}

static bool decode(struct sl_disasm *disasm, size_t isa, const struct sl_bytes *code, uint64_t address)
{
	for (size_t i = 0; i < VARIANTS && variants[isa][i].used; i++) {
		csh handle = get_handle(disasm, isa, i);
		const uint8_t *at = code->data;
		size_t len = code->len;
		uint64_t pc = address;

		if (handle && disasm->insn && disasm->capstone->disasm_iter(handle, &at, &len, &pc, disasm->insn))
			return true;
	}
	return false;
}

/* What is no instruction: as many bytes as one would have, as a number. */
static void print_raw(enum sl_isa isa, const struct sl_bytes *code, char *ret, size_t cap)
{
	size_t len = isa == SL_ISA_T32 ? 2 : sl_isa_is_x86(isa) ? 1 : 4;
	uint32_t value = 0;

	/* 0b111 and two more bits that are not 0: the first half of a Thumb instruction of four bytes. */
	if (isa == SL_ISA_T32 && code->len >= 4 && code->data[1] >= 0xe8) {
		snprintf(ret, cap, ".inst.w 0x%02x%02x%02x%02x", code->data[1], code->data[0], code->data[3],
			 code->data[2]);
		return;
	}
	if (len > code->len)
		len = code->len;
	for (size_t i = 0; i < len; i++)
		value |= (uint32_t)code->data[i] << 8 * i;
	snprintf(ret, cap, ".inst 0x%0*" PRIx32, (int)(2 * (len ? len : 1)), value);
}

unsigned sl_disasm_one(struct sl_disasm *disasm, enum sl_isa isa, struct sl_bytes code, uint64_t address,
		       char *ret, size_t cap)
{
	const cs_insn *insn;

	if (!code.len || (size_t)isa >= ISAS || !decode(disasm, isa, &code, address)) {
		print_raw(isa, &code, ret, cap);
		return 0;
	}
	insn = disasm->insn;
	snprintf(ret, cap, "%s%s%s", insn->mnemonic, insn->op_str[0] ? " " : "", insn->op_str);
	return insn->size;
}
