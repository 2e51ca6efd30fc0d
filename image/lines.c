/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses to source lines. Per module an index of the address ranges of its compilation units is made when
 * it is first asked for (.debug_aranges is optional, and often absent); the lines of a unit are read by libdw
 * on demand.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "image.h"
#include "sl_array.h"

struct unit {
	uint64_t start, end; /* end: exclusive */
	Dwarf_Off die;
};

struct module_lines {
	bool opened;
	Elf *elf;
	Dwarf *dwarf;
	struct unit *units; /* by start */
	size_t len, cap;
};

struct sl_lines {
	const struct sl_image *image;
	struct module_lines *modules;
};

int sl_lines_new(const struct sl_image *image, struct sl_lines **ret)
{
	struct sl_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return SL_ERR_NOMEM;
	lines->image = image;
	lines->modules = calloc(image->module_count + 1, sizeof(*lines->modules));
	if (!lines->modules) {
		free(lines);
		return SL_ERR_NOMEM;
	}
	*ret = lines;
	return SL_OK;
}

void sl_lines_free(struct sl_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->image->module_count; i++) {
		struct module_lines *module = &lines->modules[i];

		if (module->dwarf)
			dwarf_end(module->dwarf);
		if (module->elf)
			elf_end(module->elf);
		free(module->units);
	}
	free(lines->modules);
	free(lines);
}

static void add_unit_ranges(struct module_lines *module, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct unit unit = { start, end, dwarf_dieoffset(die) };

		/* Code that the linker dropped has ranges at 0 or at the end of the address space. */
		if (start >= end || start == 0)
			continue;
		if (SL_ARRAY_PUSH(&module->units, &module->len, &module->cap, unit) < 0)
			return;
	}
}

static int compare_units(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static void index_units(struct module_lines *module)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (dwarf_get_units(module->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_compile || type == DW_UT_partial || type == DW_UT_skeleton)
			add_unit_ranges(module, &die);
	}
	if (module->len)
		qsort(module->units, module->len, sizeof(*module->units), compare_units);
}

static void open_module(struct module_lines *ret, const struct module *module)
{
	const struct sl_file *file = module->debug.len ? &module->debug : &module->file;

	ret->opened = true;
	if (!module->pub.has_lines || elf_version(EV_CURRENT) == EV_NONE)
		return;
	ret->elf = elf_memory((char *)(uintptr_t)file->data, file->len);
	if (ret->elf)
		ret->dwarf = dwarf_begin_elf(ret->elf, DWARF_C_READ, NULL);
	if (ret->dwarf)
		index_units(ret);
}

/* The unit with address whose range starts nearest to it. */
static const struct unit *find_unit(const struct module_lines *module, uint64_t address)
{
	enum { LOOK_BACK = 64 }; /* ranges of units that nest; more than a few are damage */
	size_t low = 0, high = module->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < LOOK_BACK && i < low; i++) {
		if (address < module->units[low - 1 - i].end)
			return &module->units[low - 1 - i];
	}
	return NULL;
}

bool sl_lines_at(struct sl_lines *lines, uint32_t core, uint64_t address, const char **file, unsigned *line)
{
	struct module_lines *module;
	const struct unit *unit;
	struct found found;
	const char *path;
	Dwarf_Line *row;
	Dwarf_Die die;
	int number;

	image_find(lines->image, core, address, &found);
	if (!found.module)
		return false;
	module = &lines->modules[found.module->index];
	if (!module->opened)
		open_module(module, found.module);
	unit = module->dwarf ? find_unit(module, address - found.bias) : NULL;
	if (!unit || !dwarf_offdie(module->dwarf, unit->die, &die))
		return false;
	row = dwarf_getsrc_die(&die, address - found.bias);
	path = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	if (!path || dwarf_lineno(row, &number) != 0 || number <= 0)
		return false;
	*file = path;
	*line = (unsigned)number;
	return true;
}
