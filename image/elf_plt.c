/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs of the procedure linkage table. Linkers differ in the size of header and stubs (with and without BTI,
 * PAC, endbr64, a Thumb prefix), so no layout is assumed: each stub loads a slot of the GOT, and the
 * relocation of that slot has the name.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "sl_array.h"

/* A slot of the GOT and the function whose address the dynamic linker puts there. */
struct slot {
	uint64_t addr;
	const char *name;
};
struct slots {
	struct slot *items;
	size_t len, cap;
};

/* A stub: where it starts in its section, its instruction set, and the slot that it jumps through. */
struct stub {
	size_t at, len;
	uint64_t slot;
	uint8_t isa;
};

static uint32_t word(const struct sl_bytes *code, size_t at)
{
	uint32_t value = 0;

	for (size_t i = 0; i < 4; i++)
		value |= (uint32_t)code->data[at + i] << 8 * i;
	return value;
}

/* adrp x16, page; ldr x17, [x16, #offset], with "bti c" before it where branch targets are marked. */
static bool match_a64(const struct sl_bytes *code, size_t at, uint64_t pc, struct stub *ret)
{
	uint32_t adrp, ldr;
	uint64_t page;
	bool bti;

	if (code->len - at < 8)
		return false;
	adrp = word(code, at);
	ldr = word(code, at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	if (page & 0x100000)
		page |= ~(uint64_t)0x1fffff;
	bti = at >= 4 && word(code, at - 4) == 0xd503245f;
	*ret = (struct stub){ bti ? at - 4 : at, bti ? 12 : 8,
			      (pc & ~(uint64_t)0xfff) + (page << 12) + ((uint64_t)(ldr >> 10 & 0xfff) << 3),
			      SL_ISA_A64 };
	return true;
}

/* The value of a data-processing instruction's immediate: eight bits, rotated. */
static uint32_t arm_immediate(uint32_t insn)
{
	uint32_t value = insn & 0xff, shift = (insn >> 8 & 0xf) * 2;

	return shift ? value >> shift | value << (32 - shift) : value;
}

/* add ip, pc, #a; add ip, ip, #b (none to two of them); ldr pc, [ip, #c]!, with "bx pc; nop" of Thumb before
 * it. */
static bool match_arm(const struct sl_bytes *code, size_t at, uint64_t pc, struct stub *ret)
{
	uint32_t slot = (uint32_t)pc + 8;
	size_t next = at;
	bool thumb;

	if (code->len - at < 8 || (word(code, at) & 0xfffff000) != 0xe28fc000)
		return false;
	slot += arm_immediate(word(code, next));
	for (next += 4; code->len - next >= 4 && (word(code, next) & 0xfffff000) == 0xe28cc000; next += 4)
		slot += arm_immediate(word(code, next));
	/* GNU ld writes the index back, lld does not. */
	if (code->len - next < 4 || (word(code, next) & 0xffdff000) != 0xe59cf000)
		return false;
	slot += word(code, next) & 0xfff;
	thumb = at >= 4 && (word(code, at - 4) & 0xffff) == 0x4778;
	*ret = (struct stub){ thumb ? at - 4 : at, next + 4 - at + (thumb ? 4 : 0), slot,
			      thumb ? SL_ISA_T32 : SL_ISA_A32 };
	return true;
}

/* jmp *slot(%rip), with "endbr64" and a "bnd" prefix before it. */
static bool match_x86(const struct sl_bytes *code, size_t at, uint64_t pc, struct stub *ret)
{
	size_t start = at;
	int32_t offset;

	if (code->len - at < 6 || code->data[at] != 0xff || code->data[at + 1] != 0x25)
		return false;
	offset = (int32_t)word(code, at + 2);
	if (start >= 1 && code->data[start - 1] == 0xf2)
		start--;
	if (start >= 4 && word(code, start - 4) == 0xfa1e0ff3)
		start -= 4;
	*ret = (struct stub){ start, at + 6 - start, pc + 6 + (uint64_t)(int64_t)offset, SL_ISA_X86_64 };
	return true;
}

static bool match(unsigned machine, const struct sl_bytes *code, size_t at, uint64_t pc, struct stub *ret)
{
	switch (machine) {
	case EM_AARCH64:
		return match_a64(code, at, pc, ret);
	case EM_ARM:
		return match_arm(code, at, pc, ret);
	default:
		return match_x86(code, at, pc, ret);
	}
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int add_slot(const struct elf_file *ef, const struct section *symtab, Elf_Data *symbols, size_t symbol,
		    uint64_t addr, struct slots *slots)
{
	struct slot slot = { .addr = addr };
	GElf_Sym sym;

	if (!symbol || symbol > INT_MAX || !gelf_getsym(symbols, (int)symbol, &sym))
		return SL_OK;
	slot.name = section_string(ef, symtab->hdr.sh_link, sym.st_name);
	if (!slot.name || !*slot.name)
		return SL_OK;
	return SL_ARRAY_PUSH(&slots->items, &slots->len, &slots->cap, slot);
}

static int read_relocations(const struct elf_file *ef, const struct section *section, struct slots *slots)
{
	bool rela = section->hdr.sh_type == SHT_RELA;
	size_t size = gelf_fsize(ef->elf, rela ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	const struct section *symtab;
	Elf_Data *data, *symbols;
	int result = SL_OK;

	if (!section->hdr.sh_link || section->hdr.sh_link >= ef->section_count)
		return SL_OK;
	symtab = &ef->sections[section->hdr.sh_link];
	data = section_data(ef, section);
	symbols = symtab->hdr.sh_type == SHT_DYNSYM ? section_data(ef, symtab) : NULL;
	if (!data || !symbols || !size)
		return SL_OK;
	for (size_t i = 0; i < data->d_size / size && i < INT_MAX && result == SL_OK; i++) {
		GElf_Rela reloc = { 0 };
		GElf_Rel rel;

		if (rela && !gelf_getrela(data, (int)i, &reloc))
			continue;
		if (!rela) {
			if (!gelf_getrel(data, (int)i, &rel))
				continue;
			reloc.r_offset = rel.r_offset;
			reloc.r_info = rel.r_info;
		}
		result = add_slot(ef, symtab, symbols, GELF_R_SYM(reloc.r_info), reloc.r_offset, slots);
	}
	return result;
}

/* .rela.plt for .plt, and .rela.dyn for the stubs of .plt.got. */
static int read_slots(const struct elf_file *ef, struct slots *slots)
{
	static const char *const names[] = { ".rela.plt", ".rel.plt", ".rela.dyn", ".rel.dyn" };
	int result = SL_OK;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && result == SL_OK; i++) {
		const struct section *section = elf_file_section(ef, names[i]);

		if (section && (section->hdr.sh_type == SHT_REL || section->hdr.sh_type == SHT_RELA))
			result = read_relocations(ef, section, slots);
	}
	if (slots->len)
		qsort(slots->items, slots->len, sizeof(*slots->items), compare_slots);
	return result;
}

static int add_stub(struct sl_image *image, struct module *module, const struct section *section,
		    const struct stub *stub, const char *name)
{
	struct sym sym = {
		.addr = section->addr + stub->at,
		.limit = section->addr + section->hdr.sh_size,
		.module = module->index,
		.isa = stub->isa,
		.bind = BIND_GLOBAL,
		.rank = RANK_FUNCTION,
		.plt = true,
	};
	char text[SYM_NAME_MAX + 8];

	snprintf(text, sizeof(text), "%.*s@plt", SYM_NAME_MAX - 1, name);
	sym.name = image_string(image, text, strlen(text));
	return sym.name ? syms_add(&module->syms, &sym) : SL_ERR_NOMEM;
}

static int scan_section(struct sl_image *image, const struct elf_file *ef, struct module *module,
			const struct section *section, const struct slots *slots)
{
	struct sl_bytes code = section_bytes(ef, section);
	size_t step = ef->ehdr.e_machine == EM_X86_64 ? 1 : 4;
	struct stub stub;
	int result = SL_OK;

	for (size_t at = 0; at < code.len && result == SL_OK;) {
		const struct slot *slot;

		if (!match(ef->ehdr.e_machine, &code, at, section->addr + at, &stub)) {
			at += step;
			continue;
		}
		slot = bsearch(&(struct slot){ .addr = stub.slot }, slots->items, slots->len, sizeof(*slot),
			       compare_slots);
		if (slot)
			result = add_stub(image, module, section, &stub, slot->name);
		at = stub.at + stub.len;
	}
	return result;
}

int elf_load_plt(struct sl_image *image, const struct elf_file *ef, struct module *module)
{
	struct slots slots = { 0 };
	int result;

	if (ef->ehdr.e_type == ET_REL)
		return SL_OK;
	result = read_slots(ef, &slots);
	for (size_t i = 1; i < ef->section_count && result == SL_OK && slots.len; i++) {
		const struct section *section = &ef->sections[i];

		if (strncmp(section->name, ".plt", 4) == 0 && section->hdr.sh_flags & SHF_EXECINSTR &&
		    section->hdr.sh_size <= UINT64_MAX - section->addr)
			result = scan_section(image, ef, module, section, &slots);
	}
	free(slots.items);
	return result;
}
