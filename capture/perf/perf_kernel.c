/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel and its modules, from files: where they were in memory. */
#include "perf_images.h"

#include "sl_file.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool perf_is_kernel(const struct perf_map *map)
{
	return map->kernel && strncmp(map->name, "[kernel", 7) == 0;
}

const struct perf_map *perf_kernel_map(const struct sl_capture *cap)
{
	const struct perf_process *kernel = perf_process_find(&cap->perf->processes, UINT32_MAX);

	for (size_t i = 0; kernel && i < kernel->map_count; i++) {
		if (perf_is_kernel(&kernel->maps[i]))
			return &kernel->maps[i];
	}
	return NULL;
}

/* Its address at the time is pgoff; simpleperf writes it as the map's start. */
bool perf_reference_of(const struct perf_map *map, struct perf_reference *ret)
{
	const char *end = strchr(map->name, ']');

	*ret = (struct perf_reference){ end ? end + 1 : "", map->pgoff ? map->pgoff : map->start };
	return *ret->symbol && ret->address;
}

/* The way from a kernel's own addresses to those it ran at. SL_OK; SL_END where it lacks the symbol; SL_ERR_FORMAT where it
 * cannot have run there. */
static int find_slide(const char *path, const struct perf_reference *at, uint64_t *ret, struct sl_diag *diag)
{
	enum { PAGE_MASK = 0xfff };
	uint64_t value = 0;
	int result = sl_elf_find_symbol(path, at->symbol, &value);
	char shown[256];

	if (result != SL_OK)
		return SL_END;
	*ret = at->address - value;
	if (!(*ret & PAGE_MASK))
		return SL_OK;
	return sl_fail(diag, SL_ERR_FORMAT, "%s is another kernel: its %s is at 0x%" PRIx64 ", and was at 0x%" PRIx64 ", which is "
		       "not whole pages away", sl_printable(path, shown, sizeof(shown)), at->symbol, value, at->address);
}

/* Where the kernel of a file goes: by the symbol; without symbols by its first byte, which is _text. */
static int place_kernel(const char *path, const struct perf_map *map, struct sl_place *place, struct sl_notes *notes,
			struct sl_diag *diag)
{
	char shown[256];
	struct perf_reference at;
	int result;

	sl_printable(path, shown, sizeof(shown));
	if (!perf_reference_of(map, &at)) {
		sl_notes_add(notes, "%s: the recording does not tell where the kernel was: it is taken at its own addresses, "
			     "which are wrong where KASLR moved it (record as root, with kernel.kptr_restrict=0)", shown);
		return SL_OK;
	}
	result = find_slide(path, &at, &place->slide, diag);
	if (result != SL_END)
		return result;
	if (strcmp(at.symbol, "_text") != 0)
		return sl_fail(diag, SL_ERR_FORMAT, "%s has no symbol %s, whose address is all that the recording tells: give a "
			       "vmlinux with symbols", shown, at.symbol);
	place->address_known = true;
	place->address = at.address;
	sl_notes_add(notes, "%s has no symbol _text: its first byte is taken for it", shown);
	return SL_OK;
}

static int add_kernel(struct sl_image *image, const struct perf_map *map, const char *path, struct sl_notes *notes,
		      struct sl_diag *diag)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };
	char shown[256];
	int result = place_kernel(path, map, &place, notes, diag);

	if (result == SL_OK && !map->build_id_len)
		sl_notes_add(notes, "%s is taken for the kernel that ran: the recording has no build id of it to check",
			     sl_printable(path, shown, sizeof(shown)));
	return result == SL_OK ? sl_image_add_elf(image, path, &place, NULL, notes, diag) : result;
}

/* A map begins where the module does, unless another one took that: what is left of it has an offset. */
static int add_module(struct sl_image *image, const struct perf_map *map, const char *path, struct sl_notes *notes,
		      struct sl_diag *diag)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = map->start - map->pgoff,
				  .offset = map->pgoff, .len = map->len, .address_known = true };

	return sl_image_add_elf(image, path, &place, NULL, notes, diag);
}

/*
 * The kernel's text and its modules. What the user names is believed to be it: nothing tells which of the two a --image
 * is.
 */
int perf_kernel_add_map(const struct sl_capture *cap, struct perf_finder *finder, struct sl_image *image,
			const struct perf_map *map, struct sl_notes *notes)
{
	struct sl_place place = { .core = SL_CORE_ANY, .address = map->start, .len = map->len };
	struct sl_diag diag = { "" };
	struct perf_found *found;
	int result = perf_find_file(finder, map, &found);

	if (result == SL_OK && found->path)
		result = perf_is_kernel(map) ? add_kernel(image, map, found->path, notes, &diag) :
					  add_module(image, map, found->path, notes, &diag);
	else if (result == SL_OK && !cap->image_count)
		result = perf_map_missing(image, map, &place, found, notes);
	return perf_map_note_unused(map, result, &diag, notes);
}

void perf_kernel_place(const struct sl_capture *cap, const char *path, struct sl_place *place, struct sl_notes *notes)
{
	const struct perf_map *map = perf_kernel_map(cap);
	char shown[256];
	struct sl_diag diag;
	struct perf_reference at;
	struct sl_elf_id id;
	int result;

	if (!map || !perf_reference_of(map, &at))
		return;
	result = find_slide(path, &at, &place->slide, &diag);
	if (result < 0)
		sl_notes_add(notes, "%s", diag.text);
	if (result != SL_END && map->build_id_len && sl_elf_identify(path, NULL, &id) == SL_OK && !perf_same_build_id(map, &id))
		sl_notes_add(notes, "%s has another build id than the kernel that ran: its code may be another",
			     sl_printable(path, shown, sizeof(shown)));
}
