/* SPDX-License-Identifier: Apache-2.0 */
/* The image of what ran: dumps of the capture, then what the user named, then symbol texts. */
#include "image_list.h"
#include "perf/perf_capture.h"

#include "sl_file.h"
#include "sl_text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
}

/* A dump that the capture names: where it cannot be read that is noted, and the rest goes on. */
static int add_dump(struct sl_image *image, const struct sl_snap_dump *dump, struct sl_notes *notes)
{
	struct sl_diag diag = { "" };
	int result;

	if (!dump->path)
		return sl_image_add_missing(image, dump->file, &dump->place);
	result = sl_image_add_dump(image, dump->path, &dump->place, notes, &diag);
	if (result == SL_OK || result == SL_ERR_NOMEM)
		return result;
	sl_ini_note(dump->ini, dump->line, notes, "dump is not read: %s", diag.text);
	return SL_OK;
}

static int add_dumps(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	for (size_t i = 0; i < cap->snap.device_len; i++) {
		const struct sl_snap_device *device = &cap->snap.devices[i];

		for (size_t k = 0; k < device->dump_len; k++) {
			int result = add_dump(image, &device->dumps[k], notes);

			if (result < 0)
				return result;
		}
	}
	return SL_OK;
}

static int add_file(const struct sl_capture *cap, struct sl_image *image, const struct sl_image_file *file,
		    struct sl_notes *notes, struct sl_diag *diag)
{
	struct sl_place place = { .core = SL_CORE_ANY,
				  .space = SL_SPACE_ANY,
				  .address = file->address,
				  .address_known = file->address_known };

	if (cap->perf && !file->address_known)
		perf_kernel_place(cap, file->path, &place, notes);
	if (sl_is_elf(file->path))
		return sl_image_add_elf(image, file->path, &place, NULL, notes, diag);
	if (access(file->path, R_OK) < 0)
		return sl_fail(diag, SL_ERR_IO, "%s: cannot be opened: %s", file->path, strerror(errno));
	if (!file->address_known && image_list_is(file->path))
		return image_list_add(file->path, cap->allow_outside, image, notes, diag);
	if (!file->address_known)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: this is no ELF, so its address is needed: give it as "
			       "--image %s@0xADDRESS",
			       file->path, file->path);
	return sl_image_add_dump(image, file->path, &place, notes, diag);
}

static int add_user_files(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes,
			  struct sl_diag *diag)
{
	int result = SL_OK;

	for (size_t i = 0; i < cap->image_count && result == SL_OK; i++)
		result = add_file(cap, image, &cap->images[i], notes, diag);
	for (size_t i = 0; i < cap->symbol_count && result == SL_OK; i++)
		result = sl_image_add_symbol_text(image, cap->symbols[i].path, cap->symbols[i].address, notes,
						  diag);
	return result;
}

bool sl_is_symbol_file_name(const char *name)
{
	static const char *const endings[] = { ".map", ".nm", ".sym", "kallsyms", "kallsyms.txt" };
	size_t len = strlen(name);

	if (strncasecmp(name, "System.map", 10) == 0 || strcasecmp(name, "symbols.txt") == 0)
		return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t end = strlen(endings[i]);

		if (len >= end && strcasecmp(name + len - end, endings[i]) == 0)
			return true;
	}
	return false;
}

static int is_candidate(const struct dirent *entry)
{
	return sl_is_symbol_file_name(entry->d_name);
}

/* Not alphasort(): the order must not depend on the user's language. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Files that the user named are added as such, with their offset. */
static bool is_named_by_user(const struct sl_capture *cap, const char *path)
{
	struct stat found, named;

	for (size_t i = 0; i < cap->symbol_count; i++) {
		if (stat(path, &found) == 0 && stat(cap->symbols[i].path, &named) == 0 &&
		    found.st_dev == named.st_dev && found.st_ino == named.st_ino)
			return true;
	}
	return false;
}

int sl_capture_symbol_files(const struct sl_capture *cap, char ***ret, size_t *ret_len)
{
	struct dirent **entries;
	size_t len = 0;
	int count = cap->dir ? scandir(cap->dir, &entries, is_candidate, by_name) : 0;
	char **paths = calloc(count > 0 ? (size_t)count : 1, sizeof(*paths));
	int result = paths ? SL_OK : SL_ERR_NOMEM;

	for (int i = 0; i < count; i++) {
		char *path = NULL;

		if (result == SL_OK && sl_path_inside(cap->dir, entries[i]->d_name, cap->allow_outside, &path,
						      NULL) == SL_ERR_NOMEM)
			result = SL_ERR_NOMEM;
		if (path && sl_is_symbol_text(path) && !is_named_by_user(cap, path))
			paths[len++] = path;
		else
			free(path);
		free(entries[i]);
	}
	if (count > 0)
		free(entries);
	*ret = paths;
	*ret_len = len;
	return result;
}

/* The symbol texts beside the snapshot. */
static int add_texts(const struct sl_capture *cap, struct sl_image *image, struct sl_notes *notes)
{
	char **paths;
	size_t len;
	int result = sl_capture_symbol_files(cap, &paths, &len);

	for (size_t i = 0; i < len; i++) {
		struct sl_diag diag = { "" }, shown;
		int added =
			result == SL_OK ? sl_image_add_symbol_text(image, paths[i], 0, notes, &diag) : SL_OK;

		if (added == SL_ERR_NOMEM)
			result = added;
		else if (added < 0)
			sl_notes_add(notes, "symbols are not read: %s",
				     sl_printable(diag.text, shown.text, sizeof(shown.text)));
		free(paths[i]);
	}
	free(paths);
	return result;
}

int sl_capture_load_image(const struct sl_capture *cap, struct sl_notes *notes, struct sl_image **ret,
			  struct sl_diag *diag)
{
	struct sl_image *image;
	int result;

	if (sl_image_new(&image) < 0)
		return no_memory(diag);
	result = add_dumps(cap, image, notes);
	if (result == SL_OK)
		result = add_user_files(cap, image, notes, diag);
	/* Behind the user's files, which say what is wrong with the recording's. */
	if (result == SL_OK && cap->perf)
		result = perf_images_add(cap, image, notes);
	if (result == SL_OK)
		result = add_texts(cap, image, notes);
	if (result == SL_OK)
		result = sl_image_seal(image);
	if (result < 0) {
		sl_image_free(image);
		return result == SL_ERR_NOMEM ? no_memory(diag) : result;
	}
	*ret = image;
	return SL_OK;
}
