/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers what can be seen: symbols that lie in mapped code, and blocks of mapped code that no symbol names.
 * What nobody can execute gets no number, so that tables kept per symbol stay small.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "image.h"
#include "sl_array.h"

enum {
	PAGE_SHIFT = 12,
	PAGE_SHIFT_STEP = 4,
	PAGES_MAX = 1 << 18, /* blocks grow beyond this many */
	NAME_TEXT_MAX = 4096,
};

static int add_symbol(struct sl_image *image, struct sl_symbol symbol)
{
	if (!symbol.name || !symbol.raw_name || image->symbol_count >= UINT32_MAX - 1)
		return SL_ERR_NOMEM;
	return SL_ARRAY_PUSH(&image->symbols, &image->symbol_count, &image->symbol_cap, symbol);
}

/* "f@plt" is mangled before the "@plt". */
static const char *demangle_sym(const struct sym *sym, char *buffer, size_t cap)
{
	static const char suffix[] = "@plt";
	size_t len = strlen(sym->name);
	char name[SYM_NAME_MAX + sizeof(suffix)];

	if (!sym->plt)
		return demangle(sym->name, buffer, cap);
	if (len < sizeof(suffix) || len >= sizeof(name))
		return NULL;
	memcpy(name, sym->name, len - (sizeof(suffix) - 1));
	name[len - (sizeof(suffix) - 1)] = '\0';
	if (!demangle(name, buffer, cap - sizeof(suffix)))
		return NULL;
	strcat(buffer, suffix);
	return buffer;
}

static int number_sym(struct sl_image *image, struct sym *sym)
{
	char buffer[NAME_TEXT_MAX];
	const char *raw = sym->name, *name;
	size_t len = strnlen(raw, NAME_TEXT_MAX);

	if (len == NAME_TEXT_MAX) {
		raw = image_string(image, raw, SYM_NAME_MAX);
		name = NULL;
	} else {
		name = demangle_sym(sym, buffer, sizeof(buffer));
	}
	name = name ? image_string(image, name, strlen(name)) : raw;
	sym->id = (uint32_t)image->symbol_count + 1;
	return add_symbol(image, (struct sl_symbol){ .address = sym->addr,
						     .size = sym->size,
						     .name = name,
						     .raw_name = raw,
						     .module = sym->module,
						     .isa = sym->isa,
						     .plt = sym->plt });
}

static int number_page(struct sl_image *image, const struct found *found)
{
	struct module *module = found->module;
	uint64_t *id = sl_map_put(&module->pages, found->page >> image->page_shift);
	char text[NAME_TEXT_MAX];
	const char *name;

	if (!id)
		return SL_ERR_NOMEM;
	if (*id)
		return SL_OK;
	if (module->elf)
		snprintf(text, sizeof(text), "[%s+0x%" PRIx64 "]", module->name, found->page);
	else
		snprintf(text, sizeof(text), "[%" PRIx64 "]", found->page);
	name = image_string(image, text, strlen(text));
	*id = image->symbol_count + 1;
	return add_symbol(image, (struct sl_symbol){ .address = found->page,
						     .size = (uint64_t)1 << image->page_shift,
						     .name = name,
						     .raw_name = name,
						     .module = module->index,
						     .isa = module->isa,
						     .page = true });
}

/* All that a core sees in the ranges of a list. */
static int number_list(struct sl_image *image, uint32_t core, const struct spans *list)
{
	int result = SL_OK;

	for (size_t i = 0; i < list->len; i++) {
		const struct span *span = &list->items[i];
		struct found found;

		for (uint64_t at = span->start; at < span->end && result == SL_OK; at = found.window.end) {
			image_find(image, core, at, &found);
			if (found.module && !found.sym)
				result = number_page(image, &found);
			else if (found.sym && !found.sym->id)
				result = number_sym(image, found.sym);
		}
	}
	return result;
}

/* What a core sees outside of its own layer, the common layer shows as well. */
static int number_layer(struct sl_image *image, const struct layer *layer)
{
	int result = number_list(image, layer->core, &layer->cover);

	return result == SL_OK ? number_list(image, layer->core, &layer->names) : result;
}

static uint64_t covered_bytes(const struct layer *layer)
{
	uint64_t total = 0;

	for (size_t i = 0; i < layer->cover.len; i++) {
		uint64_t len = layer->cover.items[i].end - layer->cover.items[i].start;

		total = total > UINT64_MAX - len ? UINT64_MAX : total + len;
	}
	return total;
}

/* Large dumps without symbols are named in larger blocks, or their names would need more memory than they do.
 */
static unsigned choose_page_shift(const struct sl_image *image)
{
	uint64_t total = covered_bytes(&image->common);
	unsigned shift = PAGE_SHIFT;

	for (size_t i = 0; i < image->own_count; i++) {
		uint64_t own = covered_bytes(&image->own[i]);

		total = total > UINT64_MAX - own ? UINT64_MAX : total + own;
	}
	while (total >> shift > PAGES_MAX)
		shift += PAGE_SHIFT_STEP;
	return shift;
}

int image_number_symbols(struct sl_image *image)
{
	int result;

	image->page_shift = choose_page_shift(image);
	result = number_layer(image, &image->common);
	for (size_t i = 0; i < image->own_count && result == SL_OK; i++)
		result = number_layer(image, &image->own[i]);
	for (size_t i = 0; i < image->name_count && result == SL_OK; i++)
		result = number_list(image, image->names[i].core, &image->names[i].spans);
	return result;
}

struct sl_symbol_range sl_image_symbol_at(const struct sl_image *image, uint32_t core, uint64_t address)
{
	struct sl_symbol_range range = { .core = core, .start = address, .end = address + 1, .entry = address };
	struct found found;
	const uint64_t *id;

	image_find(image, core, address, &found);
	if (!found.module)
		return range;
	range.start = found.window.start;
	range.end = found.window.end;
	if (found.sym) {
		range.id = found.sym->id;
		range.entry = found.sym->addr + found.bias;
		return range;
	}
	id = sl_map_get(&found.module->pages, found.page >> image->page_shift);
	range.id = id ? (uint32_t)*id : 0;
	range.entry = found.page + found.bias;
	return range;
}
