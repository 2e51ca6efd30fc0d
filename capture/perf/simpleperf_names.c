/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that simpleperf recorded on the device: symbols of the files that were mapped, by the features FILE and FILE2 or by
 * DSO and SYMBOL records, and the kernel's /proc/kallsyms by KERNEL_SYMBOL records. Files that are here name what they have.
 */
#include "perf_images.h"

#include "sl_array.h"
#include "sl_map.h"
#include "sl_text.h"
#include "simpleperf_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_SYMBOL = 32769, DSO = 32770, SYMBOL = 32771, DSO_NAME_AT = 24, NAME_CAP = 1024, PATH_LEN_MAX = 4096 };
/* Names are given anew for each process that has the file: not more often than is sane for the recording's size. */
enum { TRIES_FREE = 65536, BYTES_PER_TRY = 8 };

static const char kernel_name[] = "[kernel.kallsyms]";

/* A map of code by the hash of its name. */
struct place {
	uint64_t hash;
	const struct perf_map *map;
	size_t name_len;
	uint32_t core;
};

struct names {
	const struct sl_capture *cap;
	struct sl_image *image;
	struct sl_notes *notes;
	struct place *places; /* sorted */
	size_t place_len, place_cap;
	struct simpleperf_file *dsos; /* of DSO records, without symbols */
	size_t dso_len, dso_cap;
	struct sl_map dso_ids; /* to their numbers + 1 */
	uint64_t tries, limit;
	uint64_t outside, damaged, first_damaged;
};

/* A map's name as files are named: the kernel's has the symbol behind it at which it begins. */
static size_t name_len(const struct perf_map *map)
{
	size_t len = sizeof(kernel_name) - 1;

	return map->kernel && strncmp(map->name, kernel_name, len) == 0 ? len : strlen(map->name);
}

static int by_hash(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->core < b->core ? -1 : a->core > b->core;
}

static int index_maps(struct names *names)
{
	const struct perf_processes *processes = &names->cap->perf->processes;

	for (size_t i = 0; i < processes->len; i++) {
		for (size_t k = 0; k < processes->items[i].map_count; k++) {
			const struct perf_map *map = &processes->items[i].maps[k];
			size_t len = name_len(map);
			struct place place = { .hash = sl_hash(SL_HASH_SEED, map->name, len), .map = map, .name_len = len,
					       .core = map->kernel ? SL_CORE_ANY : (uint32_t)i };

			if (map->executable && SL_ARRAY_PUSH(&names->places, &names->place_len, &names->place_cap, place) < 0)
				return SL_ERR_NOMEM;
		}
	}
	if (names->place_len)
		qsort(names->places, names->place_len, sizeof(*names->places), by_hash);
	return SL_OK;
}

/* The first place of a hash, or behind the last one. */
static size_t first_place(const struct names *names, uint64_t hash)
{
	size_t low = 0, high = names->place_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (names->places[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_of(const struct place *place, const struct simpleperf_file *file)
{
	return place->name_len == file->path_len && memcmp(place->map->name, file->path, file->path_len) == 0;
}

/*
 * Where a symbol lies by a map. slide: of the kernel. Without an offset (old simpleperf) a file's first code is where its
 * map begins. False: not in this map.
 */
static bool address_of(const struct simpleperf_file *file, const struct perf_map *map, uint64_t slide, uint64_t vaddr,
		       uint64_t *ret)
{
	uint64_t inside = vaddr - file->min_vaddr; /* of what the map shows */

	switch (file->type) {
	case SIMPLEPERF_KERNEL:
		inside = vaddr + slide - map->start;
		break;
	case SIMPLEPERF_SYMBOL_MAP: /* of code that was compiled: run-time addresses */
		inside = vaddr - map->start;
		break;
	case SIMPLEPERF_MODULE:
		inside += file->offset;
		break;
	default:
		inside += file->offset_known ? file->offset - map->pgoff : 0;
	}
	*ret = map->start + inside;
	return inside < map->len;
}

/* How far the kernel was moved: what begins its map, if its symbols have it. */
static uint64_t kernel_slide(struct simpleperf_file file, const struct perf_map *map)
{
	const char *start = map->name + name_len(map);
	struct simpleperf_symbol symbol;

	while (file.type == SIMPLEPERF_KERNEL && *start && simpleperf_next_symbol(&file, &symbol) == SL_OK) {
		if (symbol.name_len == strlen(start) && memcmp(symbol.name, start, symbol.name_len) == 0)
			return map->start - symbol.vaddr;
	}
	return 0;
}

/* One symbol by one map. How many were in it into *found. SL_OK, SL_ERR_NOMEM, or SL_END where there are too many. */
static int add_symbol(struct names *names, const struct simpleperf_file *file, const struct place *place, uint64_t slide,
		      const struct simpleperf_symbol *symbol, uint64_t *found)
{
	char path[PATH_LEN_MAX + 1], name[NAME_CAP];
	uint64_t address, room;
	const char *slash;

	if (names->tries++ >= names->limit)
		return SL_END;
	if (!address_of(file, place->map, slide, symbol->vaddr, &address))
		return SL_OK;
	++*found;
	room = place->map->start + place->map->len - address;
	snprintf(path, sizeof(path), "%.*s", (int)file->path_len, file->path);
	snprintf(name, sizeof(name), "%.*s", (int)(symbol->name_len < NAME_CAP ? symbol->name_len : NAME_CAP - 1), symbol->name);
	slash = strrchr(path, '/');
	return sl_image_add_symbol(names->image, place->core, address, symbol->len < room ? symbol->len : room, name,
				   file->type == SIMPLEPERF_KERNEL ? "kernel" : slash && slash[1] ? slash + 1 : path);
}

static int add_symbols(struct names *names, struct simpleperf_file file, const struct place *place, uint64_t *found)
{
	uint64_t slide = kernel_slide(file, place->map);
	struct simpleperf_symbol symbol;
	int result = SL_OK;

	while (result == SL_OK && simpleperf_next_symbol(&file, &symbol) == SL_OK)
		result = add_symbol(names, &file, place, slide, &symbol, found);
	return result;
}

/* only: the symbol to add; NULL: all that the file has. What is in DEX files is no machine code. */
static int add_file(struct names *names, const struct simpleperf_file *file, const struct simpleperf_symbol *only)
{
	uint64_t hash, found = 0;
	bool mapped = false;
	int result = SL_OK;

	if (file->type > SIMPLEPERF_SYMBOL_MAP || file->type == SIMPLEPERF_DEX || file->path_len > PATH_LEN_MAX)
		return SL_OK;
	hash = sl_hash(SL_HASH_SEED, file->path, file->path_len);
	for (size_t i = first_place(names, hash); i < names->place_len && names->places[i].hash == hash && result == SL_OK; i++) {
		if (names->tries++ >= names->limit)
			return SL_END;
		if (!is_of(&names->places[i], file))
			continue;
		mapped = true;
		result = only ? add_symbol(names, file, &names->places[i], 0, only, &found) :
				add_symbols(names, *file, &names->places[i], &found);
	}
	names->outside += mapped && !found && result == SL_OK;
	return result;
}

static bool has_symbols(struct simpleperf_file file)
{
	struct simpleperf_symbol symbol;

	return simpleperf_next_symbol(&file, &symbol) == SL_OK;
}

static int add_feature(struct names *names, enum simpleperf_form form)
{
	const struct perf_file *file = names->cap->perf->file;
	struct sl_bytes list = perf_file_feature(file, form);
	struct simpleperf_file one;
	int result = SL_OK, next;

	while (result == SL_OK) {
		uint64_t at = list.offset;

		next = simpleperf_next_file(&list, form, false, &one);
		if (next == SL_END)
			break;
		if (next < 0)
			names->first_damaged = names->damaged++ ? names->first_damaged : at;
		else if (has_symbols(one))
			result = add_file(names, &one, NULL);
	}
	return result;
}

/* u32 size; text. */
static int add_kallsyms(struct names *names, const struct perf_record *record)
{
	uint64_t size = perf_u32(names->cap->perf->file, record, 0);
	struct sl_diag diag = { "" };
	char label[64];
	int result;

	if (record->len < 4 || !size)
		return SL_OK;
	snprintf(label, sizeof(label), "kernel symbols at offset 0x%" PRIx64, record->offset);
	result = sl_image_add_symbol_bytes(names->image, label,
					   (struct sl_bytes){ record->body + 4, size < record->len - 4 ? size : record->len - 4, 0 },
					   names->notes, &diag);
	if (result < 0 && result != SL_ERR_NOMEM) {
		sl_notes_add(names->notes, "%s", diag.text);
		return SL_OK;
	}
	return result;
}

/* DSO: u64 type, id, min_vaddr; name. By id. */
static int read_dso(struct names *names, const struct perf_record *record)
{
	const struct perf_file *file = names->cap->perf->file;
	struct simpleperf_file dso = { .path = perf_string(record, DSO_NAME_AT), .type = (uint32_t)perf_u64(file, record, 0),
				       .min_vaddr = perf_u64(file, record, 16) };
	uint64_t *number = sl_map_put(&names->dso_ids, perf_u64(file, record, 8));

	dso.path_len = strlen(dso.path);
	if (!number || SL_ARRAY_PUSH(&names->dsos, &names->dso_len, &names->dso_cap, dso) < 0)
		return SL_ERR_NOMEM;
	*number = names->dso_len;
	return SL_OK;
}

/* SYMBOL: u64 address in the file, len, id of its DSO; name. */
static int read_symbol(struct names *names, const struct perf_record *record)
{
	const struct perf_file *file = names->cap->perf->file;
	const uint64_t *number = sl_map_get(&names->dso_ids, perf_u64(file, record, 16));
	struct simpleperf_symbol symbol = { .vaddr = perf_u64(file, record, 0), .len = perf_u64(file, record, 8),
					    .name = perf_string(record, DSO_NAME_AT) };

	symbol.name_len = strnlen(symbol.name, NAME_CAP);
	return number && symbol.name_len ? add_file(names, &names->dsos[*number - 1], &symbol) : SL_OK;
}

static int add_records(struct names *names)
{
	const struct perf_record *records;
	size_t count = perf_file_records(names->cap->perf->file, &records);
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (records[i].type == KERNEL_SYMBOL)
			result = add_kallsyms(names, &records[i]);
		else if (records[i].type == DSO)
			result = read_dso(names, &records[i]);
		else if (records[i].type == SYMBOL)
			result = read_symbol(names, &records[i]);
	}
	return result;
}

static void note(const struct names *names, int result)
{
	if (names->damaged)
		sl_notes_add(names->notes,
			     "simpleperf's list of files is damaged: %" PRIu64 " entries cannot be read (the first at offset 0x%" PRIx64
			     "): their names are missing", names->damaged, names->first_damaged);
	if (result == SL_END)
		sl_notes_add(names->notes, "simpleperf's symbols are more than can be true for a recording of its size: the rest is "
					   "left out");
	if (names->outside)
		sl_notes_add(names->notes, "simpleperf's symbols of %" PRIu64 " files lie outside of their maps: left out",
			     names->outside);
}

int simpleperf_names_add(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	struct names names = { .cap = cap, .image = image, .notes = notes };
	int result;

	if (!perf_file_is_simpleperf(cap->perf->file))
		return SL_OK;
	names.limit = TRIES_FREE + perf_file_bytes(cap->perf->file) / BYTES_PER_TRY;
	result = index_maps(&names);
	if (result == SL_OK)
		result = add_feature(&names, SIMPLEPERF_FILE);
	if (result == SL_OK)
		result = add_feature(&names, SIMPLEPERF_FILE2);
	if (result == SL_OK)
		result = add_records(&names);
	note(&names, result);
	free(names.places);
	free(names.dsos);
	sl_map_release(&names.dso_ids);
	return result < 0 ? result : SL_OK;
}
