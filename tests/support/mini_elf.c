/* SPDX-License-Identifier: Apache-2.0 */
#include "mini_elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
	uint8_t *data;
	size_t len;
};
struct table {
	struct bytes symbols, strings;
	unsigned count;
};
struct mini_elf {
	bool is64;
	unsigned machine, type;
	struct {
		struct mini_section head;
		size_t offset;
	} * sections;
	unsigned section_count;
	struct {
		unsigned section, flags;
	} segments[16];
	unsigned segment_count;
	struct table tables[2];
	struct bytes relocs;
};

static void put(struct bytes *to, const void *data, size_t len)
{
	to->data = realloc(to->data, to->len + len + 1);
	if (!to->data)
		abort();
	if (data)
		memcpy(to->data + to->len, data, len);
	else
		memset(to->data + to->len, 0, len);
	to->len += len;
}

static void pad(struct bytes *to, size_t align)
{
	while (align && to->len % align)
		put(to, NULL, 1);
}

struct mini_elf *mini_elf_new(bool is64, unsigned machine, unsigned type)
{
	struct mini_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		abort();
	elf->is64 = is64;
	elf->machine = machine;
	elf->type = type;
	mini_elf_section(elf, &(struct mini_section){ .name = "", .type = UINT32_MAX });
	return elf;
}

unsigned mini_elf_section(struct mini_elf *elf, const struct mini_section *section)
{
	elf->sections = realloc(elf->sections, (elf->section_count + 1) * sizeof(*elf->sections));
	if (!elf->sections)
		abort();
	elf->sections[elf->section_count].head = *section;
	elf->sections[elf->section_count].offset = 0;
	if (!section->type)
		elf->sections[elf->section_count].head.type = SHT_PROGBITS;
	return elf->section_count++;
}

void mini_elf_segment(struct mini_elf *elf, unsigned section, unsigned flags)
{
	if (elf->segment_count == sizeof(elf->segments) / sizeof(elf->segments[0]))
		abort();
	elf->segments[elf->segment_count].section = section;
	elf->segments[elf->segment_count++].flags = flags;
}

static void put_symbol(struct mini_elf *elf, struct table *table, const Elf64_Sym *sym)
{
	Elf32_Sym small = { .st_name = sym->st_name,
			    .st_value = (Elf32_Addr)sym->st_value,
			    .st_size = (Elf32_Word)sym->st_size,
			    .st_info = sym->st_info,
			    .st_shndx = sym->st_shndx };

	if (elf->is64)
		put(&table->symbols, sym, sizeof(*sym));
	else
		put(&table->symbols, &small, sizeof(small));
	table->count++;
}

unsigned mini_elf_symbol(struct mini_elf *elf, enum mini_table which, const char *name, uint64_t value,
			 uint64_t size, unsigned info, unsigned shndx)
{
	struct table *table = &elf->tables[which];
	Elf64_Sym sym = { .st_value = value,
			  .st_size = size,
			  .st_info = (unsigned char)info,
			  .st_shndx = (Elf64_Section)shndx };

	if (!table->count) {
		put_symbol(elf, table, &(Elf64_Sym){ 0 });
		put(&table->strings, "", 1);
	}
	sym.st_name = (Elf64_Word)table->strings.len;
	put(&table->strings, name, strlen(name) + 1);
	put_symbol(elf, table, &sym);
	return table->count - 1;
}

void mini_elf_reloc(struct mini_elf *elf, uint64_t offset, unsigned symbol, unsigned type)
{
	Elf64_Rela rela = { .r_offset = offset, .r_info = ELF64_R_INFO((uint64_t)symbol, type) };
	Elf32_Rel rel = { .r_offset = (Elf32_Addr)offset, .r_info = ELF32_R_INFO(symbol, type) };

	if (elf->is64)
		put(&elf->relocs, &rela, sizeof(rela));
	else
		put(&elf->relocs, &rel, sizeof(rel));
}

/* Symbol table and its strings as two sections; returns the table's index. */
static unsigned add_table(struct mini_elf *elf, struct table *table, const char *name,
			  const char *strings_name, uint32_t type)
{
	struct mini_section strings = { .name = strings_name,
					.type = SHT_STRTAB,
					.data = table->strings.data,
					.len = table->strings.len,
					.align = 1 };
	struct mini_section symbols = { .name = name,
					.type = type,
					.data = table->symbols.data,
					.len = table->symbols.len,
					.align = 8,
					.info = 1 };

	if (!table->count)
		return 0;
	symbols.link = mini_elf_section(elf, &strings);
	return mini_elf_section(elf, &symbols);
}

static void add_tables(struct mini_elf *elf)
{
	unsigned dynsym;

	add_table(elf, &elf->tables[MINI_SYMTAB], ".symtab", ".strtab", SHT_SYMTAB);
	dynsym = add_table(elf, &elf->tables[MINI_DYNSYM], ".dynsym", ".dynstr", SHT_DYNSYM);
	if (elf->relocs.len)
		mini_elf_section(elf, &(struct mini_section){ .name = elf->is64 ? ".rela.plt" : ".rel.plt",
							      .type = elf->is64 ? SHT_RELA : SHT_REL,
							      .data = elf->relocs.data,
							      .len = elf->relocs.len,
							      .align = 8,
							      .link = dynsym });
}

static size_t entry_size(const struct mini_elf *elf, uint32_t type)
{
	switch (type) {
	case SHT_SYMTAB:
	case SHT_DYNSYM:
		return elf->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	case SHT_RELA:
		return sizeof(Elf64_Rela);
	case SHT_REL:
		return sizeof(Elf32_Rel);
	default:
		return 0;
	}
}

static void put_section_header(const struct mini_elf *elf, unsigned i, uint32_t name, struct bytes *out)
{
	const struct mini_section *s = &elf->sections[i].head;
	Elf64_Shdr big = { name,   s->type, s->flags, s->addr,	elf->sections[i].offset,
			   s->len, s->link, s->info,  s->align, entry_size(elf, s->type) };
	Elf32_Shdr small = { name,
			     s->type,
			     (uint32_t)s->flags,
			     (uint32_t)s->addr,
			     (uint32_t)elf->sections[i].offset,
			     (uint32_t)s->len,
			     s->link,
			     s->info,
			     (uint32_t)s->align,
			     (uint32_t)entry_size(elf, s->type) };

	if (!i) {
		memset(&big, 0, sizeof(big));
		memset(&small, 0, sizeof(small));
	}
	if (elf->is64)
		put(out, &big, sizeof(big));
	else
		put(out, &small, sizeof(small));
}

static void write_program_headers(const struct mini_elf *elf, uint8_t *at)
{
	for (unsigned i = 0; i < elf->segment_count; i++) {
		const struct mini_section *s = &elf->sections[elf->segments[i].section].head;
		size_t offset = elf->sections[elf->segments[i].section].offset;
		Elf64_Phdr big = { PT_LOAD, elf->segments[i].flags, offset, s->addr, s->addr, s->len, s->len,
				   1 };
		Elf32_Phdr small = {
			PT_LOAD,	  (uint32_t)offset, (uint32_t)s->addr,	    (uint32_t)s->addr,
			(uint32_t)s->len, (uint32_t)s->len, elf->segments[i].flags, 1
		};

		if (elf->is64)
			memcpy(at + i * sizeof(big), &big, sizeof(big));
		else
			memcpy(at + i * sizeof(small), &small, sizeof(small));
	}
}

static void write_elf_header(const struct mini_elf *elf, size_t sections_at, unsigned names, uint8_t *at)
{
	unsigned char ident[EI_NIDENT] = {
		0x7f, 'E', 'L', 'F', elf->is64 ? ELFCLASS64 : ELFCLASS32, ELFDATA2LSB, EV_CURRENT
	};
	Elf64_Ehdr big = { .e_type = (Elf64_Half)elf->type,
			   .e_machine = (Elf64_Half)elf->machine,
			   .e_version = EV_CURRENT,
			   .e_phoff = sizeof(big),
			   .e_shoff = sections_at,
			   .e_ehsize = sizeof(big),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = (Elf64_Half)elf->segment_count,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = (Elf64_Half)elf->section_count,
			   .e_shstrndx = (Elf64_Half)names };
	Elf32_Ehdr small = { .e_type = (Elf32_Half)elf->type,
			     .e_machine = (Elf32_Half)elf->machine,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(small),
			     .e_shoff = (Elf32_Off)sections_at,
			     .e_ehsize = sizeof(small),
			     .e_phentsize = sizeof(Elf32_Phdr),
			     .e_phnum = (Elf32_Half)elf->segment_count,
			     .e_shentsize = sizeof(Elf32_Shdr),
			     .e_shnum = (Elf32_Half)elf->section_count,
			     .e_shstrndx = (Elf32_Half)names };

	memcpy(big.e_ident, ident, sizeof(ident));
	memcpy(small.e_ident, ident, sizeof(ident));
	if (elf->is64)
		memcpy(at, &big, sizeof(big));
	else
		memcpy(at, &small, sizeof(small));
}

static void put_sections(struct mini_elf *elf, struct bytes *out)
{
	for (unsigned i = 1; i < elf->section_count; i++) {
		const struct mini_section *section = &elf->sections[i].head;

		pad(out, section->align);
		elf->sections[i].offset = out->len;
		if (section->type != SHT_NOBITS)
			put(out, section->data, section->len);
	}
}

uint8_t *mini_elf_finish(struct mini_elf *elf, size_t *ret_len)
{
	struct bytes out = { 0 }, names = { 0 };
	size_t header = elf->is64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	size_t phdr = elf->is64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	uint32_t name_offsets[64];
	unsigned names_index;
	size_t sections_at;

	add_tables(elf);
	names_index =
		mini_elf_section(elf, &(struct mini_section){ .name = ".shstrtab", .type = SHT_STRTAB });
	if (elf->section_count > sizeof(name_offsets) / sizeof(name_offsets[0]))
		abort();
	for (unsigned i = 0; i < elf->section_count; i++) {
		name_offsets[i] = (uint32_t)names.len;
		put(&names, elf->sections[i].head.name, strlen(elf->sections[i].head.name) + 1);
	}
	elf->sections[names_index].head.data = names.data;
	elf->sections[names_index].head.len = names.len;
	put(&out, NULL, header + elf->segment_count * phdr);
	put_sections(elf, &out);
	pad(&out, 8);
	sections_at = out.len;
	for (unsigned i = 0; i < elf->section_count; i++)
		put_section_header(elf, i, name_offsets[i], &out);
	write_elf_header(elf, sections_at, names_index, out.data);
	write_program_headers(elf, out.data + header);
	for (unsigned i = 0; i < 2; i++) {
		free(elf->tables[i].symbols.data);
		free(elf->tables[i].strings.data);
	}
	free(names.data);
	free(elf->relocs.data);
	free(elf->sections);
	free(elf);
	*ret_len = out.len;
	return out.data;
}

void mini_elf_write(struct mini_elf *elf, const char *path)
{
	size_t len;
	uint8_t *data = mini_elf_finish(elf, &len);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
		abort();
	free(data);
}
