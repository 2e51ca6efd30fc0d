/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that were run out of an APK, where they lie uncompressed: simpleperf names them base.apk!/lib/arm64-v8a/libx.so,
 * with offsets in the library, as of a file of its own; the kernel names base.apk, with offsets in that.
 */
#include "perf_find.h"

#include "sl_file.h"
#include "sl_text.h"
#include "sl_zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool perf_is_archive(const struct perf_map *map)
{
	size_t len = strlen(map->name);

	return len > 4 && strcmp(map->name + len - 4, ".apk") == 0;
}

/* The file of the archive that the map is of. */
static bool find_entry(struct find *find, const struct sl_zip *zip, const char *shown, struct sl_zip_entry *ret)
{
	char name[256];

	if (find->entry ? !sl_zip_find_name(zip, find->entry, ret) : !sl_zip_find_offset(zip, find->map->pgoff, ret)) {
		if (find->entry)
			return perf_find_refuse(find, "%s has no %s", shown, sl_printable(find->entry, name, sizeof(name)));
		return perf_find_refuse(find, "%s has no file at offset 0x%" PRIx64, shown, find->map->pgoff);
	}
	if (ret->stored)
		return true;
	return perf_find_refuse(find, "%s has the library compressed: unpack it (unzip)", shown);
}

static bool take_entry(struct find *find, const char *path, const struct sl_zip *zip)
{
	struct sl_part *part = &find->ret->part;
	struct sl_zip_entry entry;
	char shown[256];

	if (!find_entry(find, zip, sl_printable(path, shown, sizeof(shown)), &entry))
		return false;
	part->offset = entry.offset;
	part->len = entry.len;
	part->name = perf_join("%s!/%.*s", path, (int)entry.name_len, entry.name);
	find->out_of_memory |= !part->name;
	if (part->name && perf_find_check(find, path, part))
		return true;
	free((char *)(uintptr_t)part->name);
	*part = (struct sl_part){ 0 };
	return false;
}

bool perf_find_in_archive(struct find *find, const char *path)
{
	struct sl_file file;
	struct sl_zip zip;
	char shown[256];
	bool found;

	if (sl_file_map(path, &file, NULL) < 0)
		return false;
	if (sl_zip_open((struct sl_bytes){ file.data, file.len, 0 }, &zip) == SL_OK)
		found = take_entry(find, path, &zip);
	else
		found = perf_find_refuse(find, "%s is no zip archive (or one of 64 bits, which is not read)",
					 sl_printable(path, shown, sizeof(shown)));
	sl_file_unmap(&file);
	return found;
}

uint64_t perf_found_offset(const struct perf_found *found, const struct perf_map *map)
{
	uint64_t at = map->pgoff - found->part.offset;

	if (!found->part.name || map->pgoff < found->part.offset || at >= found->part.len)
		return map->pgoff;
	/* Both may be: simpleperf counts in the library. */
	return perf_is_archive(map) || map->pgoff >= found->part.len ? at : map->pgoff;
}
