/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are added one by one, at run-time addresses: of what has no file, such as code that a JIT makes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "sl_array.h"

int sl_image_add_symbol(struct sl_image *image, uint32_t core, uint64_t address, uint64_t size, const char *name,
			const char *module_name)
{
	struct added added = { .core = core, .sym = { .addr = address, .size = size, .limit = UINT64_MAX } };

	assert(!image->sealed);
	if (!*name)
		return SL_OK;
	if (size > UINT64_MAX - address)
		added.sym.size = UINT64_MAX - address;
	added.sym.name = image_string(image, name, strnlen(name, SYM_NAME_MAX));
	if (!added.sym.name || image_named_module(image, &image->by_name, "", module_name, &added.sym.module) < 0)
		return SL_ERR_NOMEM;
	return SL_ARRAY_PUSH(&image->added, &image->added_count, &image->added_cap, added);
}

static int by_address(const void *a, const void *b)
{
	const struct added *x = *(struct added *const *)a, *y = *(struct added *const *)b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->sym.addr < y->sym.addr ? -1 : x->sym.addr > y->sym.addr;
}

/* The last one that was added first, which the addresses in the array tell. */
static int by_priority(const void *a, const void *b)
{
	const struct added *x = *(struct added *const *)a, *y = *(struct added *const *)b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x > y ? -1 : x < y;
}

/* A symbol without size ends where the next one begins. list: by address. */
static void give_sizes(struct added **list, size_t len)
{
	uint64_t next = UINT64_MAX; /* the first address behind the symbol's that another one has */

	for (size_t i = len; i-- > 0;) {
		struct sym *sym = &list[i]->sym;
		bool last = i + 1 == len || list[i + 1]->core != list[i]->core;

		if (last)
			next = UINT64_MAX;
		else if (list[i + 1]->sym.addr != sym->addr)
			next = list[i + 1]->sym.addr;
		if (!sym->size)
			sym->size = next - sym->addr < SYM_REACH ? next - sym->addr : SYM_REACH;
	}
}

/* All of one core from the beginning of list, the most important first, cut. */
static int cut_core(struct added **list, size_t len, struct core_names *ret, size_t *ret_taken)
{
	struct spans raw = { 0 };
	int result = SL_OK;
	size_t n = 0;

	ret->core = list[0]->core;
	for (; n < len && list[n]->core == ret->core && result == SL_OK; n++) {
		struct sym *sym = &list[n]->sym;

		result = spans_add(&raw, (struct span){ sym->addr, sym->addr + sym->size, 0, sym });
	}
	if (result == SL_OK)
		result = spans_cut(raw.items, raw.len, &ret->spans);
	spans_release(&raw);
	*ret_taken = n;
	return result;
}

static int cut_cores(struct sl_image *image, struct added **list)
{
	size_t len = image->added_count, cores = 0;
	int result = SL_OK;

	for (size_t i = 0; i < len; i++)
		cores += !i || list[i]->core != list[i - 1]->core;
	image->names = calloc(cores, sizeof(*image->names));
	if (!image->names)
		return SL_ERR_NOMEM;
	for (size_t i = 0, taken; i < len && result == SL_OK; i += taken)
		result = cut_core(list + i, len - i, &image->names[image->name_count++], &taken);
	return result;
}

int image_settle_added(struct sl_image *image)
{
	size_t len = image->added_count;
	struct added **list = calloc(len + 1, sizeof(struct added *));
	int result = SL_OK;

	if (!list)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < len; i++)
		list[i] = &image->added[i];
	if (len) {
		qsort(list, len, sizeof(struct added *), by_address);
		give_sizes(list, len);
		qsort(list, len, sizeof(struct added *), by_priority);
		result = cut_cores(image, list);
	}
	free(list);
	return result;
}

const struct spans *image_added(const struct sl_image *image, uint32_t core)
{
	static const struct spans none = { 0 };
	size_t low = 0, high = image->name_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->names[middle].core == core)
			return &image->names[middle].spans;
		if (image->names[middle].core < core)
			low = middle + 1;
		else
			high = middle;
	}
	return &none;
}
