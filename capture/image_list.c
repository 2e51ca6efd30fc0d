/* SPDX-License-Identifier: Apache-2.0 */
#include "image_list.h"

#include <stdlib.h>
#include <string.h>

#include "sl_file.h"
#include "sl_text.h"

enum { TEXT_MAX = 1 << 20 };

struct entry {
	uint64_t address, len;
	const char *name; /* in the line */
};

/* Takes a line apart, in place: three words. */
static bool parse(char *line, struct entry *ret)
{
	char *rest, *address = strtok_r(line, " \t\r\n", &rest), *name = strtok_r(NULL, " \t\r\n", &rest);
	char *len = strtok_r(NULL, " \t\r\n", &rest);
	size_t skip = address && strncmp(address, "0x", 2) == 0 ? 2 : 0;

	if (!len || strtok_r(NULL, " \t\r\n", &rest))
		return false;
	ret->name = name;
	return sl_parse_hex(address + skip, strlen(address + skip), &ret->address) == SL_OK &&
	       sl_parse_u64(len, &ret->len) == SL_OK && ret->len;
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t\r\n")] || line[strspn(line, " \t")] == '#';
}

/* The lines of a text that say something: the next one, and its number; NULL: none is left. */
static char *next_line(char **rest, unsigned *number)
{
	char *line;

	do {
		line = strsep(rest, "\n");
		++*number;
	} while (line && is_blank(line));
	return line;
}

bool image_list_is(const char *path)
{
	char *text, *rest, *line;
	unsigned number = 0;
	struct entry entry;
	size_t len;
	bool found;

	if (sl_file_read_text(path, TEXT_MAX, &text, &len, NULL) < 0)
		return false;
	rest = text;
	line = next_line(&rest, &number);
	found = line && parse(line, &entry);
	free(text);
	return found;
}

static int add(const struct entry *entry, const char *dir, bool allow_outside, struct sl_image *image,
	       struct sl_notes *notes, struct sl_diag *diag)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = entry->address,
				  .address_known = true, .len = entry->len };
	char *path;
	int result = sl_path_inside(dir, entry->name, allow_outside, &path, diag);

	if (result < 0)
		return result;
	result = sl_image_add_dump(image, path, &place, notes, diag);
	free(path);
	return result;
}

int image_list_add(const char *path, bool allow_outside, struct sl_image *image, struct sl_notes *notes, struct sl_diag *diag)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	char *text = NULL, *rest, *line;
	unsigned number = 0;
	struct entry entry;
	size_t len;
	int result = dir ? sl_file_read_text(path, TEXT_MAX, &text, &len, diag) : SL_ERR_NOMEM;

	rest = text;
	while (result == SL_OK && (line = next_line(&rest, &number)) != NULL) {
		if (parse(line, &entry))
			result = add(&entry, dir, allow_outside, image, notes, diag);
		else
			result = sl_fail(diag, SL_ERR_FORMAT, "%s:%u: expected ADDRESS FILE LENGTH", path, number);
	}
	free(text);
	free(dir);
	return result;
}
