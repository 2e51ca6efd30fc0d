/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum { BLOCK_BYTES = 64 * 1024 };

struct string_block {
	struct string_block *before;
	size_t used, cap;
	char text[];
};

static struct string_block *new_block(size_t cap, struct string_block *before)
{
	struct string_block *block = malloc(sizeof(*block) + cap);

	if (!block)
		return NULL;
	block->before = before;
	block->used = 0;
	block->cap = cap;
	return block;
}

char *image_string(struct sl_image *image, const char *text, size_t len)
{
	struct string_block *block = image->strings.last;
	char *copy;

	if (!block || block->cap - block->used <= len) {
		block = new_block(len < BLOCK_BYTES ? BLOCK_BYTES : len + 1, block);
		if (!block)
			return NULL;
		image->strings.last = block;
	}
	copy = block->text + block->used;
	memcpy(copy, text, len);
	copy[len] = '\0';
	block->used += len + 1;
	return copy;
}

static void free_strings(struct strings *strings)
{
	while (strings->last) {
		struct string_block *before = strings->last->before;

		free(strings->last);
		strings->last = before;
	}
}

int sl_image_new(struct sl_image **ret)
{
	struct sl_image *image = calloc(1, sizeof(*image));

	if (!image)
		return SL_ERR_NOMEM;
	image->common.core = SL_CORE_ANY;
	*ret = image;
	return SL_OK;
}

static void free_module(struct module *module)
{
	sl_file_unmap(&module->file);
	sl_file_unmap(&module->debug);
	free(module->debug_path);
	free(module->path);
	free(module->name);
	free(module->segments);
	syms_release(&module->syms);
	spans_release(&module->spans);
	sl_map_release(&module->pages);
	free(module);
}

static void release_layer(struct layer *layer)
{
	spans_release(&layer->cover);
	spans_release(&layer->names);
	for (size_t i = 0; i < SPACE_BITS; i++)
		spans_release(&layer->bits[i]);
}

void sl_image_free(struct sl_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->module_count; i++)
		free_module(image->modules[i]);
	for (size_t i = 0; i < image->own_count; i++)
		release_layer(&image->own[i]);
	for (size_t i = 0; i < image->missing_count; i++)
		free((char *)(uintptr_t)image->missing[i].path);
	for (size_t i = 0; i < image->text_count; i++)
		free(image->texts[i]);
	release_layer(&image->common);
	free(image->modules);
	free(image->mappings);
	free(image->missing);
	free(image->texts);
	free(image->own);
	for (size_t i = 0; i < image->name_count; i++)
		spans_release(&image->names[i].spans);
	free(image->names);
	free(image->added);
	free(image->symbols);
	free(image->listed);
	sl_map_release(&image->by_path);
	sl_map_release(&image->by_name);
	sl_map_release(&image->tasks);
	image_release_changes(image);
	syms_release(&image->text_syms);
	spans_release(&image->text_spans);
	free_strings(&image->strings);
	free(image);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

int image_new_module(struct sl_image *image, const char *path, const char *name, struct module **ret)
{
	struct module *module = calloc(1, sizeof(*module));

	if (!module)
		return SL_ERR_NOMEM;
	module->path = strdup(path);
	module->name = strdup(name ? name : base_name(path));
	module->index = (uint32_t)image->module_count;
	if (!module->path || !module->name || image->module_count >= UINT32_MAX ||
	    SL_ARRAY_PUSH(&image->modules, &image->module_count, &image->module_cap, module) < 0) {
		free_module(module);
		return SL_ERR_NOMEM;
	}
	module->pub.name = module->name;
	module->pub.path = module->path;
	module->pub.build_id = module->build_id;
	*ret = module;
	return SL_OK;
}

static uint64_t hash_of(const char *text)
{
	return sl_hash(SL_HASH_SEED, text, strlen(text));
}

int image_map(const char *path, const struct sl_part *part, struct sl_file *ret, struct sl_diag *diag)
{
	return part ? sl_file_map_part(path, part->offset, part->len, ret, diag) : sl_file_map(path, ret, diag);
}

int image_file_module(struct sl_image *image, const char *path, const struct sl_part *part, struct module **ret,
		      struct sl_diag *diag)
{
	const char *name = part ? part->name : path;
	uint64_t hash = hash_of(name);
	struct sl_file file;
	struct module *module;
	uint64_t *slot;
	int result;

	/* Two names with one hash take neighbouring keys. */
	while ((slot = sl_map_get(&image->by_path, hash))) {
		module = image->modules[*slot - 1];
		if (strcmp(module->path, name) == 0) {
			*ret = module;
			return SL_OK;
		}
		hash++;
	}
	result = image_map(path, part, &file, diag);
	if (result < 0)
		return result;
	slot = sl_map_put(&image->by_path, hash);
	if (!slot || image_new_module(image, name, NULL, &module) < 0) {
		if (slot)
			*slot = 0;
		sl_file_unmap(&file);
		return sl_fail(diag, SL_ERR_NOMEM, "cannot load '%s': out of memory", name);
	}
	*slot = module->index + 1;
	module->file = file;
	*ret = module;
	return SL_OK;
}

int image_named_module(struct sl_image *image, struct sl_map *by_name, const char *path, const char *name, uint32_t *ret)
{
	uint64_t hash = hash_of(name);
	struct module *module;
	uint64_t *slot;

	while ((slot = sl_map_put(by_name, hash)) && *slot) {
		if (strcmp(image->modules[*slot - 1]->name, name) == 0)
			break;
		hash++;
	}
	if (!slot)
		return SL_ERR_NOMEM;
	if (!*slot) {
		if (image_new_module(image, path, name, &module) < 0)
			return SL_ERR_NOMEM;
		module->pub.has_symbols = true;
		*slot = (uint64_t)module->index + 1;
	}
	*ret = (uint32_t)(*slot - 1);
	return SL_OK;
}

const struct sl_symbol *sl_image_symbol(const struct sl_image *image, uint32_t id)
{
	static const struct sl_symbol none = { .name = "[no image]",
					       .raw_name = "[no image]",
					       .module = UINT32_MAX };

	return id && id <= image->symbol_count ? &image->symbols[id - 1] : &none;
}

uint32_t sl_image_symbol_count(const struct sl_image *image)
{
	return (uint32_t)image->symbol_count;
}

const struct sl_module *sl_image_module(const struct sl_image *image, uint32_t index)
{
	static const struct sl_module none = { .name = "", .path = "" };

	return index < image->module_count ? &image->modules[index]->pub : &none;
}

uint32_t sl_image_module_count(const struct sl_image *image)
{
	return (uint32_t)image->module_count;
}

size_t sl_image_missing(const struct sl_image *image, const struct sl_missing **ret)
{
	*ret = image->missing;
	return image->missing_count;
}

size_t sl_image_mappings(const struct sl_image *image, const struct sl_mapping **ret)
{
	*ret = image->listed;
	return image->listed ? image->mapping_count : 0;
}

static int compare_listed(const void *a, const void *b)
{
	const struct sl_mapping *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static int list_mappings(struct sl_image *image)
{
	image->listed = calloc(image->mapping_count + 1, sizeof(*image->listed));
	if (!image->listed)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < image->mapping_count; i++) {
		const struct mapping *map = &image->mappings[i];

		image->listed[i] = (struct sl_mapping){ map->start,	    map->end,	map->core,
							map->module->index, map->space, map->offset };
	}
	qsort(image->listed, image->mapping_count, sizeof(*image->listed), compare_listed);
	return SL_OK;
}

int sl_image_seal(struct sl_image *image)
{
	int result = SL_OK;

	for (size_t i = 0; i < image->module_count && result == SL_OK; i++)
		result = syms_settle(&image->modules[i]->syms, &image->modules[i]->spans);
	if (result == SL_OK)
		result = syms_settle(&image->text_syms, &image->text_spans);
	if (result == SL_OK)
		result = image_settle_added(image);
	if (result == SL_OK)
		result = image_build_layers(image);
	if (result == SL_OK)
		result = image_number_symbols(image);
	if (result == SL_OK)
		result = list_mappings(image);
	image->sealed = result == SL_OK;
	return result;
}
