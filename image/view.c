/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each core sees. Two layers answer for a core: its own mappings, and behind them a common one (mappings
 * of SL_CORE_ANY, then those of all cores). So the tables grow with the mappings, not with mappings times
 * cores.
 */
#include <assert.h>
#include <stdlib.h>

#include "image.h"

/* The symbols of a mapping's module, moved and clipped to the mapping. */
static int add_names(const struct mapping *map, struct spans *names)
{
	const struct spans *all = &map->module->spans;
	uint64_t start = map->start - map->bias;
	uint64_t last = map->end - 1 - map->bias;
	size_t low = 0, high = all->len;

	if (!map->named || start > last) /* a mapping that wraps in the module's addresses: nobody's names */
		return SL_OK;
	while (low < high) { /* low: the first that ends behind start */
		size_t middle = low + (high - low) / 2;

		if (all->items[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < all->len && all->items[low].start <= last; low++) {
		struct span span = all->items[low];

		span.start = span.start <= start ? map->start : span.start + map->bias;
		span.end = span.end > last ? map->end : span.end + map->bias;
		span.bias = map->bias;
		if (spans_add(names, span) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

/* Cuts those of the mappings that are seen by any bit of mask. */
static int cut_mappings(struct mapping **maps, size_t len, uint8_t mask, struct spans *ret)
{
	struct spans raw = { 0 };
	int result = SL_OK;

	for (size_t i = 0; i < len && result == SL_OK; i++) {
		if (maps[i]->data && (maps[i]->space & mask))
			result = spans_add(&raw, (struct span){ maps[i]->start, maps[i]->end, 0, maps[i] });
	}
	if (result == SL_OK)
		result = spans_cut(raw.items, raw.len, ret);
	spans_release(&raw);
	return result;
}

/* maps: in order of priority. */
static int build_layer(struct layer *layer, struct mapping **maps, size_t len, bool spaces)
{
	struct spans names = { 0 };
	int result = cut_mappings(maps, len, SL_SPACE_ANY, &layer->cover);

	for (unsigned bit = 0; spaces && bit < SPACE_BITS && result == SL_OK; bit++)
		result = cut_mappings(maps, len, (uint8_t)(1u << bit), &layer->bits[bit]);
	for (size_t i = 0; i < len && result == SL_OK; i++)
		result = add_names(maps[i], &names);
	if (result == SL_OK)
		result = spans_cut(names.items, names.len, &layer->names);
	spans_release(&names);
	return result;
}

/* SL_CORE_ANY first, then by core; within a core in the order of adding (which the addresses in the array
 * tell). */
static int compare_maps(const void *a, const void *b)
{
	const struct mapping *x = *(struct mapping *const *)a, *y = *(struct mapping *const *)b;

	if (x->core != y->core)
		return x->core + 1 < y->core + 1 ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The order in which mappings of different spaces or cores come in one layer. */
static bool goes_before(const struct mapping *x, const struct mapping *y)
{
	bool x_any = x->core == SL_CORE_ANY, y_any = y->core == SL_CORE_ANY;

	return x_any != y_any ? x_any : x < y;
}

static int compare_common(const void *a, const void *b)
{
	const struct mapping *x = *(struct mapping *const *)a, *y = *(struct mapping *const *)b;

	return x == y ? 0 : goes_before(x, y) ? -1 : 1;
}

static size_t run_of_core(struct mapping **maps, size_t len)
{
	size_t n = 1;

	while (n < len && maps[n]->core == maps[0]->core)
		n++;
	return n;
}

static int build_own_layers(struct sl_image *image, struct mapping **maps)
{
	size_t count = 0, len = image->mapping_count;
	int result = SL_OK;

	for (size_t i = 0; i < len; i += run_of_core(maps + i, len - i))
		count += maps[i]->core != SL_CORE_ANY;
	image->own = calloc(count + 1, sizeof(*image->own));
	if (!image->own)
		return SL_ERR_NOMEM;
	for (size_t i = 0, n; i < len && result == SL_OK; i += n) {
		struct layer *layer = &image->own[image->own_count];

		n = run_of_core(maps + i, len - i);
		if (maps[i]->core == SL_CORE_ANY)
			continue;
		layer->core = maps[i]->core;
		image->own_count++;
		result = build_layer(layer, maps + i, n, image->spaces);
	}
	return result;
}

int image_build_layers(struct sl_image *image)
{
	struct mapping **maps = calloc(image->mapping_count + 1, sizeof(struct mapping *));
	int result;

	if (!maps)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < image->mapping_count; i++) {
		maps[i] = &image->mappings[i];
		image->spaces |= maps[i]->space != SL_SPACE_ANY;
	}
	qsort(maps, image->mapping_count, sizeof(struct mapping *), compare_maps);
	result = build_own_layers(image, maps);
	if (result == SL_OK) {
		size_t len = image->mapping_count;

		qsort(maps, len, sizeof(struct mapping *), compare_common);
		while (image->private_cores && len && maps[len - 1]->core != SL_CORE_ANY)
			len--;
		result = build_layer(&image->common, maps, len, image->spaces);
	}
	free(maps);
	return result;
}

static const struct layer *own_layer(const struct sl_image *image, uint32_t core)
{
	size_t low = 0, high = image->own_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->own[middle].core == core)
			return &image->own[middle];
		if (image->own[middle].core < core)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The mapping that a layer shows at address to who looks with mask. */
static const struct mapping *layer_mapping(const struct sl_image *image, const struct layer *layer,
					   uint8_t mask, uint64_t address, struct window *window)
{
	const struct mapping *best = NULL;
	const struct span *span;

	if (!image->spaces) {
		span = spans_find(&layer->cover, address, window);
		return span ? span->what : NULL;
	}
	for (unsigned bit = 0; bit < SPACE_BITS; bit++) {
		if (!(mask & 1u << bit))
			continue;
		span = spans_find(&layer->bits[bit], address, window);
		if (span && (!best || goes_before(span->what, best)))
			best = span->what;
	}
	return best;
}

struct sl_bytes sl_image_run(const struct sl_image *image, uint32_t core, uint8_t space_mask, uint64_t address,
			     uint64_t *ret_start)
{
	struct window window = { 0, UINT64_MAX };
	const struct layer *own = own_layer(image, core);
	const struct mapping *map = NULL;
	uint64_t start;

	assert(image->sealed);
	if (own)
		map = layer_mapping(image, own, space_mask, address, &window);
	if (!map)
		map = layer_mapping(image, &image->common, space_mask, address, &window);
	if (!map)
		return (struct sl_bytes){ 0 };
	start = window.start > map->start ? window.start : map->start;
	*ret_start = start;
	return (struct sl_bytes){ map->data + (start - map->start), (size_t)(window.end - start),
				  map->offset + (start - map->start) };
}

struct sl_bytes sl_image_bytes(const struct sl_image *image, uint32_t core, uint8_t space_mask, uint64_t address)
{
	uint64_t start = address;
	struct sl_bytes run = sl_image_run(image, core, space_mask, address, &start);

	if (!run.len)
		return run;
	return (struct sl_bytes){ run.data + (address - start), (size_t)(run.len - (address - start)),
				  run.offset + (address - start) };
}

static bool find_name(const struct spans *names, uint64_t address, struct found *ret)
{
	const struct span *span = spans_find(names, address, &ret->window);

	if (!span)
		return false;
	ret->sym = span->what;
	ret->bias = span->bias;
	return true;
}

/* No symbol: the block of the module that address is in. */
static void find_page(const struct sl_image *image, const struct mapping *map, uint64_t address,
		      struct found *ret)
{
	uint64_t size = (uint64_t)1 << image->page_shift;
	uint64_t inside = (address - map->bias) & (size - 1);

	ret->bias = map->bias;
	ret->page = address - map->bias - inside;
	if (address >= inside && address - inside > ret->window.start)
		ret->window.start = address - inside;
	if (size - inside < ret->window.end - address)
		ret->window.end = address + (size - inside);
}

/* The name that a file which is mapped there has. own may be NULL. */
static bool find_mapped(const struct sl_image *image, const struct layer *own, uint64_t address, struct found *ret)
{
	return (own && find_name(&own->names, address, ret)) || find_name(&image->common.names, address, ret);
}

/* The name that was added for it, whether anything is mapped there or not. */
static bool find_added(const struct sl_image *image, uint32_t core, uint64_t address, struct found *ret)
{
	uint32_t changing = image->name_count ? image_changing_core(image, core) : core;

	return image->name_count && (find_name(image_added(image, core), address, ret) ||
				     (changing != core && find_name(image_added(image, changing), address, ret)) ||
				     find_name(image_added(image, SL_CORE_ANY), address, ret));
}

void image_find(const struct sl_image *image, uint32_t core, uint64_t address, struct found *ret)
{
	const struct layer *own = own_layer(image, core);
	const struct span *cover = NULL;
	const struct mapping *map;

	*ret = (struct found){ .window = { 0, UINT64_MAX } };
	if (own)
		cover = spans_find(&own->cover, address, &ret->window);
	if (!cover)
		cover = spans_find(&image->common.cover, address, &ret->window);
	if ((cover && find_mapped(image, own, address, ret)) || find_added(image, core, address, ret) ||
	    (cover && find_name(&image->text_spans, address, ret))) {
		ret->module = image->modules[ret->sym->module];
		return;
	}
	if (!cover)
		return;
	map = cover->what;
	ret->module = map->module;
	find_page(image, map, address, ret);
}
