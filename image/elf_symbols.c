/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "sl_array.h"

/* Mapping symbols ($a, $t, $x, $d): what the bytes from here on are. */
struct mark {
	uint64_t addr;
	char kind;
};
struct marks {
	struct mark *items;
	size_t len, cap;
};

/* A symbol table that is being read. */
struct table {
	const struct elf_file *ef;
	struct module *module;
	const struct section *section;
	Elf_Data *data;
	size_t count;
	struct marks marks;
};

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/* The kind of the last mark at or before addr, or 0. */
static char mark_at(const struct marks *marks, uint64_t addr)
{
	size_t low = 0, high = marks->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (marks->items[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? marks->items[low - 1].kind : '\0';
}

/* A defined symbol with a name, and the section that it is in (NULL: absolute, or not known). */
static bool get_symbol(const struct table *table, size_t i, GElf_Sym *ret, const char **name,
		       const struct section **section)
{
	const struct elf_file *ef = table->ef;

	if (!gelf_getsym(table->data, (int)i, ret) || ret->st_shndx == SHN_UNDEF ||
	    ret->st_shndx == SHN_COMMON)
		return false;
	*name = section_string(ef, table->section->hdr.sh_link, ret->st_name);
	*section = ret->st_shndx < ef->section_count ? &ef->sections[ret->st_shndx] : NULL;
	if (!*name || !**name)
		return false;
	if (table->module->relocatable) {
		if (!*section)
			return false;
		ret->st_value += (*section)->addr;
	}
	return true;
}

static int read_marks(struct table *table)
{
	const struct section *section;
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; i < table->count; i++) {
		struct mark mark;

		if (!get_symbol(table, i, &sym, &name, &section) || !sym_is_mark(name))
			continue;
		/* Those of other sections (.debug_*, which all start at 0) say nothing about code. */
		if (!section || !(section->hdr.sh_flags & SHF_EXECINSTR))
			continue;
		mark = (struct mark){ sym.st_value, name[1] };
		if (SL_ARRAY_PUSH(&table->marks.items, &table->marks.len, &table->marks.cap, mark) < 0)
			return SL_ERR_NOMEM;
	}
	if (table->marks.len)
		qsort(table->marks.items, table->marks.len, sizeof(struct mark), compare_marks);
	return SL_OK;
}

static uint8_t isa_of(const struct table *table, const GElf_Sym *sym)
{
	if (table->ef->ehdr.e_machine != EM_ARM)
		return table->module->isa;
	if (GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		return sym->st_value & 1 ? SL_ISA_T32 : SL_ISA_A32;
	switch (mark_at(&table->marks, sym->st_value)) {
	case 'a':
		return SL_ISA_A32;
	case 't':
		return SL_ISA_T32;
	default:
		return SL_ISA_UNKNOWN;
	}
}

static uint8_t bind_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return BIND_LOCAL;
	case STB_WEAK:
		return BIND_WEAK;
	default:
		return BIND_GLOBAL;
	}
}

/* Whether a symbol names code: functions anywhere, and what has no type in sections of code. */
static bool is_code(const struct table *table, const GElf_Sym *sym, const char *name,
		    const struct section *section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym_is_mark(name))
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && section && section->hdr.sh_flags & SHF_EXECINSTR &&
	       strncmp(name, ".L", 2) != 0 && mark_at(&table->marks, sym->st_value) != 'd';
}

static int add_symbol(struct table *table, const GElf_Sym *elf_sym, const char *name,
		      const struct section *section)
{
	struct sym sym = {
		.addr = elf_sym->st_value,
		.size = elf_sym->st_size,
		.limit = UINT64_MAX,
		.name = name,
		.module = table->module->index,
		.isa = isa_of(table, elf_sym),
		.bind = bind_of(elf_sym),
		.rank = RANK_FUNCTION,
	};

	if (table->ef->ehdr.e_machine == EM_ARM && GELF_ST_TYPE(elf_sym->st_info) != STT_NOTYPE)
		sym.addr &= ~(uint64_t)1;
	if (GELF_ST_TYPE(elf_sym->st_info) == STT_NOTYPE && !sym.size)
		sym.rank = RANK_LABEL;
	if (section && section->hdr.sh_size <= UINT64_MAX - section->addr)
		sym.limit = section->addr + section->hdr.sh_size;
	/* Marks of a section's end belong to nothing in it. */
	if (sym.addr >= sym.limit && !sym.size)
		return SL_OK;
	return syms_add(&table->module->syms, &sym);
}

static int read_symbols(struct table *table)
{
	const struct section *section;
	const char *name;
	GElf_Sym sym;
	int result = SL_OK;

	for (size_t i = 0; i < table->count && result == SL_OK; i++) {
		if (get_symbol(table, i, &sym, &name, &section) && is_code(table, &sym, name, section))
			result = add_symbol(table, &sym, name, section);
	}
	return result;
}

static const struct section *find_table(const struct elf_file *ef, unsigned type)
{
	for (size_t i = 1; i < ef->section_count; i++) {
		if (ef->sections[i].hdr.sh_type == type)
			return &ef->sections[i];
	}
	return NULL;
}

int elf_load_symbols(const struct elf_file *ef, struct module *module)
{
	struct table table = { .ef = ef, .module = module };
	size_t size = gelf_fsize(ef->elf, ELF_T_SYM, 1, EV_CURRENT);
	int result;

	table.section = find_table(ef, SHT_SYMTAB);
	if (!table.section || !section_bytes(ef, table.section).len)
		table.section = find_table(ef, SHT_DYNSYM);
	table.data = table.section ? section_data(ef, table.section) : NULL;
	if (!table.data || !size)
		return SL_OK;
	table.count = table.data->d_size / size;
	if (table.count > INT_MAX)
		table.count = INT_MAX;
	result = read_marks(&table);
	if (result == SL_OK)
		result = read_symbols(&table);
	free(table.marks.items);
	return result;
}
