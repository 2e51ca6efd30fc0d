/* SPDX-License-Identifier: Apache-2.0 */
/* Where files are put. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "sl_array.h"

static int add_missing(struct sl_image *image, const char *path, const struct sl_place *place, bool refused)
{
	struct sl_missing missing = { .path = strdup(path), .start = place->address, .core = place->core, .refused = refused };

	if (place->len && place->len <= UINT64_MAX - place->address)
		missing.end = place->address + place->len;
	if (missing.path &&
	    SL_ARRAY_PUSH(&image->missing, &image->missing_count, &image->missing_cap, missing) == SL_OK)
		return SL_OK;
	free((char *)(uintptr_t)missing.path);
	return SL_ERR_NOMEM;
}

int sl_image_add_missing(struct sl_image *image, const char *path, const struct sl_place *place)
{
	return add_missing(image, path, place, false);
}

int sl_image_add_refused(struct sl_image *image, const char *path, const struct sl_place *place)
{
	return add_missing(image, path, place, true);
}

/* The module of path; a file that cannot be read is recorded as missing. */
static int get_module(struct sl_image *image, const char *path, const struct sl_place *place,
		      struct module **ret, struct sl_diag *diag)
{
	int result = image_file_module(image, path, place->part, ret, diag);

	if (result == SL_ERR_IO && sl_image_add_missing(image, path, place) < 0)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: out of memory", path);
	return result;
}

static int add_mapping(struct sl_image *image, struct mapping map)
{
	if (map.start >= map.end)
		return SL_OK;
	return SL_ARRAY_PUSH(&image->mappings, &image->mapping_count, &image->mapping_cap, map);
}

static bool overlaps(const struct segment *segment, uint64_t offset, uint64_t len)
{
	return segment->len && segment->offset < offset + len && offset < segment->offset + segment->len;
}

/*
 * The segment whose addresses a dump of len bytes at offset has. Code comes first: a mapping begins at a
 * page, and that page may hold the end of the segment before. Then the one with the dump's first byte, then
 * any.
 */
static const struct segment *segment_of(const struct module *module, uint64_t offset, uint64_t len)
{
	const struct segment *best = NULL;
	unsigned best_score = 0;

	for (size_t i = 0; i < module->segment_count; i++) {
		const struct segment *segment = &module->segments[i];
		unsigned score = segment->exec ? 4 : 1;

		if (!overlaps(segment, offset, len))
			continue;
		if (segment->offset <= offset)
			score++;
		if (score > best_score) {
			best = segment;
			best_score = score;
		}
	}
	return best;
}

/* len of the dump; SL_ERR_FORMAT where the file does not have it, or the address space has no room for it. */
static int check_dump(const struct module *module, const struct sl_place *place, uint64_t *len,
		      struct sl_diag *diag)
{
	uint64_t size = module->file.len;

	if (place->offset > size || place->len > size - place->offset)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: holds 0x%" PRIx64 " bytes, but the dump at 0x%" PRIx64 " wants 0x%" PRIx64
			       " at offset 0x%" PRIx64 ": correct its offset= and length=",
			       module->path, size, place->address, place->len, place->offset);
	*len = place->len ? place->len : size - place->offset;
	/* The last byte of the address space would need an end beyond 64 bits: it is left out. */
	if (*len && place->address == UINT64_MAX - *len + 1)
		--*len;
	if (*len > UINT64_MAX - place->address)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: 0x%" PRIx64 " bytes at 0x%" PRIx64 " go beyond the end of "
			       "the address space: correct the dump's address=",
			       module->path, *len, place->address);
	return SL_OK;
}

/* Parses a dump's file that begins like an ELF. Where it is damaged, its bytes are still good. */
static int load_dumped_elf(struct sl_image *image, struct module *module, struct sl_notes *notes,
			   struct sl_diag *diag)
{
	struct sl_diag why;
	int result;

	if (module->elf || module->file.len < SELFMAG || memcmp(module->file.data, ELFMAG, SELFMAG) != 0)
		return SL_OK;
	result = elf_load(image, module, notes, &why);
	if (result == SL_ERR_NOMEM)
		return sl_fail(diag, result, "%s", why.text);
	if (result < 0)
		sl_notes_add(notes, "%s; used as plain memory, without names", why.text);
	return SL_OK;
}

/* What takes a dump's addresses to those of the file's symbols. */
static void place_names(struct mapping *map, uint64_t len)
{
	const struct segment *segment = segment_of(map->module, map->offset, len);

	if (!map->module->elf)
		return;
	map->named = segment != NULL;
	map->bias = map->start - map->offset;
	if (segment)
		map->bias += segment->offset - segment->vaddr;
}

int sl_image_add_dump(struct sl_image *image, const char *path, const struct sl_place *place,
		      struct sl_notes *notes, struct sl_diag *diag)
{
	struct mapping map = {
		.start = place->address, .offset = place->offset, .core = place->core, .space = place->space
	};
	uint64_t len = 0;
	int result;

	assert(!image->sealed);
	result = get_module(image, path, place, &map.module, diag);
	if (result == SL_OK)
		result = check_dump(map.module, place, &len, diag);
	if (result == SL_OK)
		result = load_dumped_elf(image, map.module, notes, diag);
	if (result < 0)
		return result;
	if (!len) {
		sl_notes_add(notes, "%s: is an empty memory dump", path);
		return SL_OK;
	}
	map.end = map.start + len;
	map.data = map.module->file.data + place->offset;
	place_names(&map, len);
	if (add_mapping(image, map) < 0)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: out of memory", path);
	return SL_OK;
}

/* What puts the first loaded byte at the wanted address; a relocatable file is laid out from 0. */
static uint64_t choose_bias(const struct module *module, const struct sl_place *place)
{
	uint64_t first = UINT64_MAX;

	if (!place->address_known)
		return place->slide;
	if (module->relocatable)
		return place->address;
	for (size_t i = 0; i < module->segment_count; i++) {
		if (module->segments[i].len && module->segments[i].vaddr < first)
			first = module->segments[i].vaddr;
	}
	return place->address - (first == UINT64_MAX ? 0 : first);
}

/* Cuts what lies outside of the part that place takes. */
static struct mapping cut(struct mapping map, const struct sl_place *place)
{
	uint64_t low, high;

	if (!place->address_known || !place->len)
		return map;
	low = place->offset < UINT64_MAX - place->address ? place->address + place->offset : UINT64_MAX;
	high = place->len < UINT64_MAX - low ? low + place->len : UINT64_MAX;
	if (map.end > high)
		map.end = high;
	if (map.start < low) {
		map.offset += low - map.start;
		map.data = map.data && low < map.end ? map.data + (low - map.start) : NULL;
		map.start = low;
	}
	return map;
}

static struct mapping map_segment(struct module *module, const struct segment *segment, uint64_t bias,
				  const struct sl_place *place)
{
	uint64_t start = segment->vaddr + bias, room = UINT64_MAX - start;

	return (struct mapping){
		.start = start,
		.end = start + (segment->len < room ? segment->len : room),
		.bias = bias,
		.offset = segment->offset,
		.data = module->code_stripped ? NULL : module->file.data + segment->offset,
		.module = module,
		.core = place->core,
		.space = place->space,
		.named = true,
	};
}

static int add_segments(struct sl_image *image, struct module *module, const struct sl_place *place)
{
	uint64_t bias = choose_bias(module, place);
	int result = SL_OK;

	for (size_t i = 0; i < module->segment_count && result == SL_OK; i++) {
		const struct segment *segment = &module->segments[i];

		/* The offset of an empty one may be anywhere. */
		if (segment->len && !(segment->unplaced && place->address_known))
			result = add_mapping(image, cut(map_segment(module, segment, bias, place), place));
	}
	return result;
}

static int load_debug(struct module *module, const char *const *debug_dirs, struct sl_notes *notes)
{
	struct elf_file ef;
	int result = elf_file_open(&module->file, module->path, &ef, NULL);

	if (result < 0)
		return result;
	result = elf_load_debug(&ef, module, debug_dirs, notes);
	module->pub.has_symbols = module->syms.len > 0;
	module->debug_tried = true;
	elf_file_close(&ef);
	return result;
}

int sl_image_add_elf(struct sl_image *image, const char *path, const struct sl_place *place,
		     const char *const *debug_dirs, struct sl_notes *notes, struct sl_diag *diag)
{
	struct module *module;
	int result;

	assert(!image->sealed);
	result = get_module(image, path, place, &module, diag);
	if (result == SL_OK && !module->elf)
		result = elf_load(image, module, notes, diag);
	if (result < 0)
		return result;
	if (!module->segment_count)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: has nothing to load: give an executable, shared object or "
			       "kernel module",
			       path);
	if (!module->debug_tried)
		result = load_debug(module, debug_dirs, notes);
	if (result == SL_OK)
		result = add_segments(image, module, place);
	if (result < 0)
		return sl_fail(diag, result, "%s: %s", path, sl_strerror(result));
	if (module->code_stripped)
		sl_notes_add(notes, "%s: is a debug file: it gives names, but not the code", path);
	if (module->code_in_rel)
		sl_notes_add(notes,
			     "%s: its code has relocations that are not applied, so calls out of it are not "
			     "followed; a dump of the module's memory would show them",
			     path);
	if (module->code_behind_plt && place->address_known)
		sl_notes_add(notes,
			     "%s: has code behind a section that Linux fills (.plt), so that its address is not "
			     "known: it is left out; a dump of the module's memory would show it",
			     path);
	return SL_OK;
}
