/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "sl_array.h"

static int add_segment(struct module *module, struct segment segment)
{
	return SL_ARRAY_PUSH(&module->segments, &module->segment_count, &module->segment_cap, segment);
}

/* PT_LOAD segments, as much of them as the file holds. */
static int load_segments(const struct elf_file *ef, struct module *module, struct sl_notes *notes)
{
	size_t count = 0;
	int result = SL_OK;

	if (elf_getphdrnum(ef->elf, &count) < 0)
		return SL_OK;
	for (size_t i = 0; i < count && i < UINT16_MAX && result == SL_OK; i++) {
		GElf_Phdr phdr;
		uint64_t len;

		if (!gelf_getphdr(ef->elf, (int)i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		len = phdr.p_offset < ef->file->len ? ef->file->len - phdr.p_offset : 0;
		if (phdr.p_filesz > len)
			sl_notes_add(notes,
				     "%s: is cut short: a segment of 0x%llx bytes has only 0x%llx; copy the "
				     "file again",
				     module->path, (unsigned long long)phdr.p_filesz,
				     (unsigned long long)len);
		if (phdr.p_filesz < len)
			len = phdr.p_filesz;
		if (len > UINT64_MAX - phdr.p_vaddr)
			len = UINT64_MAX - phdr.p_vaddr;
		if (!module->segment_count)
			module->pub.base = phdr.p_vaddr;
		result = add_segment(module, (struct segment){ .vaddr = phdr.p_vaddr, .offset = phdr.p_offset,
							       .len = len, .exec = (phdr.p_flags & PF_X) != 0 });
	}
	return result;
}

enum { FIRST_INIT_GROUP = 3 };

/* The groups in which Linux lays a module's sections out, one after another. */
static unsigned layout_group(const struct section *section)
{
	bool init = strncmp(section->name, ".init", 5) == 0;
	unsigned group;

	if (section->hdr.sh_flags & SHF_EXECINSTR)
		group = 0;
	else
		group = section->hdr.sh_flags & SHF_WRITE ? 2 : 1;
	return init ? group + FIRST_INIT_GROUP : group;
}

/* Where the next section goes, at least and at most. */
struct layout {
	uint64_t low, high;
	uint64_t jumps; /* bytes of jumps that Linux can need for the code's relocations */
};

static bool is_reloc_of_code(const struct elf_file *ef, const GElf_Shdr *hdr)
{
	return (hdr->sh_type == SHT_RELA || hdr->sh_type == SHT_REL) && hdr->sh_info < ef->section_count &&
	       ef->sections[hdr->sh_info].hdr.sh_flags & SHF_EXECINSTR;
}

enum { SPARE_BYTES = 256 }; /* for two jumps and alignment to a cache line */

/* A jump has 16 bytes (8 on 32-bit Arm) at most, a relocation 24 (8). */
static uint64_t count_jumps(const struct elf_file *ef)
{
	uint64_t total = SPARE_BYTES;

	for (size_t i = 1; i < ef->section_count; i++) {
		if (is_reloc_of_code(ef, &ef->sections[i].hdr))
			total += section_bytes(ef, &ef->sections[i]).len;
	}
	return total;
}

/* What is empty in the file, and what Linux puts its own jumps into: .plt, which may stay empty, and one for ftrace. */
static bool is_made_by_loader(const struct section *section)
{
	return strcmp(section->name, ".plt") == 0 || strcmp(section->name, ".text.ftrace_trampoline") == 0;
}

static void advance(struct layout *layout, const struct section *section)
{
	bool plt = strcmp(section->name, ".plt") == 0;

	layout->low += plt ? 0 : section->hdr.sh_size;
	layout->high += section->hdr.sh_size;
	if (is_made_by_loader(section))
		layout->high += plt ? layout->jumps : SPARE_BYTES;
}

static int lay_out(const struct elf_file *ef, struct section *section, unsigned group, struct layout *layout,
		   struct module *module)
{
	uint64_t align = section->hdr.sh_addralign ? section->hdr.sh_addralign : 1;
	bool exec = section->hdr.sh_flags & SHF_EXECINSTR, known;

	if (align > 1 << 20 || (align & (align - 1)) || section->hdr.sh_size > UINT32_MAX)
		return SL_OK;
	layout->low = (layout->low + align - 1) & ~(align - 1);
	layout->high = (layout->high + align - 1) & ~(align - 1);
	known = layout->low == layout->high;
	section->addr = layout->low;
	advance(layout, section);
	if (!section_bytes(ef, section).len || is_made_by_loader(section))
		return SL_OK;
	module->code_behind_plt |= exec && group == 0 && !known;
	return add_segment(module, (struct segment){ .vaddr = section->addr, .offset = section->hdr.sh_offset,
						     .len = section->hdr.sh_size, .exec = exec,
						     .unplaced = group > 0 || !known });
}

/*
 * As layout_sections() of Linux does: code first, from address 0. What comes then depends on the kernel: data may begin a
 * page or have memory of its own, as what is only needed at start has.
 */
static int layout_sections(struct elf_file *ef, struct module *module)
{
	struct layout layout = { .jumps = count_jumps(ef) };
	int result = SL_OK;

	for (unsigned group = 0; group < 2 * FIRST_INIT_GROUP; group++) {
		for (size_t i = 1; i < ef->section_count && result == SL_OK; i++) {
			struct section *section = &ef->sections[i];

			if (section->hdr.sh_flags & SHF_ALLOC && layout_group(section) == group)
				result = lay_out(ef, section, group, &layout, module);
		}
	}
	return result;
}

static bool code_has_relocations(const struct elf_file *ef)
{
	for (size_t i = 1; i < ef->section_count; i++) {
		if (ef->sections[i].hdr.sh_size && is_reloc_of_code(ef, &ef->sections[i].hdr))
			return true;
	}
	return false;
}

static uint8_t isa_of_machine(unsigned machine)
{
	if (machine == EM_AARCH64)
		return SL_ISA_A64;
	return machine == EM_X86_64 ? SL_ISA_X86_64 : machine == EM_386 ? SL_ISA_X86_32 : SL_ISA_UNKNOWN;
}

static int load_parts(struct sl_image *image, struct elf_file *ef, struct module *module,
		      struct sl_notes *notes)
{
	const struct section *line = elf_file_section(ef, ".debug_line");
	int result;

	module->relocatable = ef->ehdr.e_type == ET_REL;
	module->isa = isa_of_machine(ef->ehdr.e_machine);
	module->pub.build_id_len = elf_file_build_id(ef, module->build_id);
	module->code_stripped = elf_file_without_code(ef);
	module->code_in_rel = module->relocatable && code_has_relocations(ef);
	/* The addresses in a relocatable file's lines are relocations, which nobody applies here. */
	module->pub.has_lines = !module->relocatable && line && section_bytes(ef, line).len;
	result = module->relocatable ? layout_sections(ef, module) : load_segments(ef, module, notes);
	if (result == SL_OK)
		result = elf_load_symbols(ef, module);
	if (result == SL_OK)
		result = elf_load_plt(image, ef, module);
	module->pub.has_symbols = module->syms.len > 0;
	return result;
}

int elf_load(struct sl_image *image, struct module *module, struct sl_notes *notes, struct sl_diag *diag)
{
	struct elf_file ef;
	int result = elf_file_open(&module->file, module->path, &ef, diag);

	if (result < 0)
		return result;
	result = load_parts(image, &ef, module, notes);
	elf_file_close(&ef);
	if (result < 0)
		return sl_fail(diag, result, "%s: %s", module->path, sl_strerror(result));
	module->elf = true;
	return SL_OK;
}
