/* SPDX-License-Identifier: Apache-2.0 */
/* Images and names of a capture, copied beside its snapshot. */
#include "export.h"

#include "sl_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *name;
	uint8_t mask;
} spaces[] = {
	{ "EL1S", SL_SPACE_EL1S }, { "EL1N", SL_SPACE_EL1N }, { "EL1R", SL_SPACE_EL1R },
	{ "EL2S", SL_SPACE_EL2S }, { "EL2N", SL_SPACE_EL2N }, { "EL2R", SL_SPACE_EL2R },
	{ "EL3", SL_SPACE_EL3 },   { "ROOT", SL_SPACE_ROOT }, { "S", SL_SPACE_S },
	{ "N", SL_SPACE_N },	   { "R", SL_SPACE_R },
};

static int no_memory(const struct export *ex)
{
	return sl_fail(ex->diag, SL_ERR_NOMEM, "%s: %s", ex->dir, sl_strerror(SL_ERR_NOMEM));
}

static void write_dump(FILE *out, unsigned number, const char *name, const struct sl_place *place)
{
	fprintf(out, "\n[dump%u]\nfile=%s\naddress=0x%" PRIx64 "\n", number, name, place->address);
	if (place->len)
		fprintf(out, "length=0x%" PRIx64 "\n", place->len);
	if (place->offset)
		fprintf(out, "offset=0x%" PRIx64 "\n", place->offset);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++) {
		if (place->space == spaces[i].mask)
			fprintf(out, "space=%s\n", spaces[i].name);
	}
}

/* A dump that is missing here stays missing there, so that the user is told of it again. */
static int own_dump(struct export *ex, const struct sl_snap_dump *dump, unsigned number, FILE *out)
{
	struct stat st;
	const char *name;
	int result;

	if (dump->path && stat(dump->path, &st) == 0 && S_ISREG(st.st_mode)) {
		result = sl_export_copy(ex, dump->path, &name);
		if (result < 0)
			return result;
	} else {
		name = sl_export_name(ex, dump->file);
		if (!name)
			return no_memory(ex);
		sl_ini_note(dump->ini, dump->line, ex->notes, "file %s is missing, and is missing in %s too",
			    dump->file, ex->dir);
	}
	write_dump(out, number, name, &dump->place);
	return SL_OK;
}

/* One dump for each loaded piece of an ELF, which is copied whole, so that its names come along. */
static int write_pieces(struct export *ex, const struct sl_image *image, const char *path, unsigned *number,
			FILE *out)
{
	const struct sl_mapping *maps;
	size_t count = sl_image_mappings(image, &maps);
	const char *name;
	int result = sl_export_copy(ex, path, &name);

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		struct sl_place place = { .space = SL_SPACE_ANY,
					  .address = maps[i].start,
					  .offset = maps[i].offset,
					  .len = maps[i].end - maps[i].start };

		if (sl_image_bytes(image, SL_CORE_ANY, SL_SPACE_ANY, place.address).len)
			write_dump(out, (*number)++, name, &place);
		else
			sl_notes_add(ex->notes,
				     "%s: 0x%" PRIx64 " to 0x%" PRIx64 " has names but no bytes, which a "
				     "snapshot cannot hold: give it with --image again",
				     path, maps[i].start, maps[i].end);
	}
	return result;
}

static int user_elf(struct export *ex, const struct sl_image_file *file, unsigned *number, FILE *out)
{
	struct sl_place place = { .core = SL_CORE_ANY,
				  .space = SL_SPACE_ANY,
				  .address = file->address,
				  .address_known = file->address_known };
	struct sl_image *image;
	int result;

	if (sl_image_new(&image) < 0)
		return no_memory(ex);
	result = sl_image_add_elf(image, file->path, &place, NULL, NULL, ex->diag);
	if (result == SL_OK)
		result = sl_image_seal(image) < 0 ? no_memory(ex)
						  : write_pieces(ex, image, file->path, number, out);
	sl_image_free(image);
	return result;
}

static int user_file(struct export *ex, const struct sl_image_file *file, unsigned *number, FILE *out)
{
	struct sl_place place = { .space = SL_SPACE_ANY, .address = file->address };
	const char *name;
	int result;

	if (sl_is_elf(file->path))
		return user_elf(ex, file, number, out);
	if (!file->address_known)
		return sl_fail(ex->diag, SL_ERR_FORMAT,
			       "%s: this is no ELF, so its address is needed: give it as "
			       "--image %s@0xADDRESS",
			       file->path, file->path);
	result = sl_export_copy(ex, file->path, &name);
	if (result == SL_OK)
		write_dump(out, (*number)++, name, &place);
	return result;
}

int sl_export_dumps(struct export *ex, const struct sl_snap_device *core, FILE *out)
{
	unsigned number = 1;
	int result = SL_OK;

	for (size_t i = 0; i < core->dump_len && result == SL_OK; i++)
		result = own_dump(ex, &core->dumps[i], number++, out);
	for (size_t i = 0; i < ex->cap->image_count && result == SL_OK; i++)
		result = user_file(ex, &ex->cap->images[i], &number, out);
	return result;
}

/* A line with slide added to the address that it begins with; one without address names nothing and is left
 * out. */
static void put_moved(FILE *out, const char *line, uint64_t slide)
{
	size_t digits;
	uint64_t address;

	line += strspn(line, " \t");
	if (line[0] == '0' && (line[1] == 'x' || line[1] == 'X'))
		line += 2;
	digits = strspn(line, "0123456789abcdefABCDEF");
	if (sl_parse_hex(line, digits, &address) == SL_OK && isblank((unsigned char)line[digits]))
		fprintf(out, "%016" PRIx64 "%s", address + slide, line + digits);
}

/* The format has no place for the slide of a symbol text, and opening it must recognise it as one. */
static int copy_moved(struct export *ex, const struct sl_image_file *file, const char *name)
{
	FILE *in = fopen(file->path, "re"), *out;
	char *line = NULL;
	size_t cap = 0;

	if (!in)
		return sl_fail(ex->diag, SL_ERR_IO, "%s: cannot be read: %s", file->path, strerror(errno));
	out = sl_export_create(ex, name);
	while (out && getline(&line, &cap, in) > 0)
		put_moved(out, line, file->address);
	free(line);
	fclose(in);
	return out ? sl_export_close(ex, name, out) : SL_ERR_IO;
}

static int user_symbols(struct export *ex, const struct sl_image_file *file)
{
	const char *name;
	char *wanted;
	int result;

	if (asprintf(&wanted, "%s%s", file->path, sl_is_symbol_file_name(file->path) ? "" : ".sym") < 0)
		return no_memory(ex);
	name = sl_export_name(ex, wanted);
	result = name ? copy_moved(ex, file, name) : no_memory(ex);
	free(wanted);
	return result;
}

int sl_export_symbols(struct export *ex)
{
	char **paths;
	size_t len;
	const char *name;
	int result = sl_capture_symbol_files(ex->cap, &paths, &len);

	if (result < 0)
		no_memory(ex);
	for (size_t i = 0; i < len; i++) {
		if (result == SL_OK)
			result = sl_export_copy(ex, paths[i], &name);
		free(paths[i]);
	}
	free(paths);
	for (size_t i = 0; i < ex->cap->symbol_count && result == SL_OK; i++)
		result = user_symbols(ex, &ex->cap->symbols[i]);
	return result;
}
