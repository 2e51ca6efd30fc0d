/* SPDX-License-Identifier: Apache-2.0 */
/* Names from texts: System.map and nm (address type name), nm -S (address size type name), kallsyms, address
 * name. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "sl_array.h"
#include "sl_text.h"

enum {
	TEXT_MAX = 512 << 20,
	SNIFF_BYTES = 4096,
	SNIFF_LINES = 16,
	SNIFF_DIGITS = 8, /* fewer are as likely a word as an address */
};

/* A line, taken apart in place. */
struct line {
	uint64_t addr, size;
	unsigned digits; /* of the address */
	char type;	 /* letter of nm; 0: none */
	char *name;
	char *module; /* in brackets behind it, or NULL */
};

enum line_kind { LINE_BLANK, LINE_SYMBOL, LINE_UNDEFINED, LINE_OTHER };

static char *skip_blanks(char *text)
{
	return text + strspn(text, " \t");
}

/* A hexadecimal word, with or without 0x: its digits, or 0. Moves *at behind it and the blanks after it. */
static unsigned take_hex(char **at, uint64_t *ret)
{
	char *text = *at;
	size_t digits;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	digits = strspn(text, "0123456789abcdefABCDEF");
	if (!digits || digits > 16 || !strchr(" \t", text[digits]) || !text[digits] ||
	    sl_parse_hex(text, digits, ret) < 0)
		return 0;
	*at = skip_blanks(text + digits);
	return (unsigned)digits;
}

/* A single letter that nm uses as type, with something behind it. */
static char take_type(char **at)
{
	char *text = *at;

	if (!text[0] || !strchr("ABCDGIJNPRSTUVWabcdginprstuvw-?", text[0]) ||
	    (text[1] != ' ' && text[1] != '\t') || !*skip_blanks(text + 1))
		return '\0';
	*at = skip_blanks(text + 1);
	return text[0];
}

/* kallsyms: "name\t[module]". Cuts it off the name. */
static char *take_module(char *name)
{
	size_t len = strlen(name);
	char *open = strrchr(name, '[');

	if (!open || open == name || name[len - 1] != ']' || open + 2 > name + len - 1 ||
	    (open[-1] != ' ' && open[-1] != '\t') || strchr(open, ' '))
		return NULL;
	name[len - 1] = '\0';
	*open = '\0';
	sl_trim(name);
	return open + 1;
}

/* Takes apart what stands between two line ends (terminated). */
static enum line_kind parse_line(char *text, struct line *ret)
{
	struct line line = { 0 };
	char *at = sl_trim(text), *type_at;

	if (!*at || *at == '#')
		return LINE_BLANK;
	line.digits = take_hex(&at, &line.addr);
	if (!line.digits) {
		line.type = take_type(&at);
		return line.type && strchr("Uwv", line.type) ? LINE_UNDEFINED : LINE_OTHER;
	}
	type_at = at;
	line.type = take_type(&at);
	if (!line.type && take_hex(&type_at, &line.size) >= SNIFF_DIGITS) {
		line.type = take_type(&type_at);
		if (line.type)
			at = type_at;
		else
			line.size = 0;
	}
	line.name = at;
	line.module = line.type ? take_module(at) : NULL;
	if (!*line.name)
		return LINE_OTHER;
	*ret = line;
	return LINE_SYMBOL;
}

/* Cuts the line at *at off (terminated) and moves *at to the next one; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	if (!end) {
		*at = line + strlen(line);
		return line;
	}
	*end = '\0';
	*at = end + 1;
	return line;
}

/* Whether the first lines of text are symbols. cut: text may end within a line, which is then not looked at.
 */
static bool looks_like_symbols(char *text, bool cut)
{
	unsigned symbols = 0, lines = 0;
	char *at = text, *line;

	while (lines < SNIFF_LINES && (line = next_line(&at))) {
		struct line parsed;

		if (cut && !*at && lines)
			break;
		switch (parse_line(line, &parsed)) {
		case LINE_SYMBOL:
			if (parsed.digits < SNIFF_DIGITS)
				return false;
			symbols++;
			break;
		case LINE_OTHER:
			return false;
		default:
			break;
		}
		lines++;
	}
	return symbols > 0;
}

bool sl_is_symbol_text(const char *path)
{
	char text[SNIFF_BYTES + 1];
	struct sl_file file;
	size_t len;
	bool binary, yes;

	if (sl_file_map(path, &file, NULL) < 0)
		return false;
	len = file.len < SNIFF_BYTES ? file.len : SNIFF_BYTES;
	binary = !len || memchr(file.data, '\0', len);
	if (!binary)
		memcpy(text, file.data, len);
	text[binary ? 0 : len] = '\0';
	yes = !binary && looks_like_symbols(text, len < file.len);
	sl_file_unmap(&file);
	return yes;
}

/* What is being added: names point into the text, which the image keeps. */
struct reader {
	struct sl_image *image;
	const char *path;
	uint64_t slide;
	struct module *module; /* of lines without module column */
	struct sl_map modules; /* those that kallsyms's last column names */
	struct syms syms;
	uint64_t symbols, others;
	bool nonzero, kernel;
};

static bool is_code_type(char type)
{
	return !type || strchr("tTwWiIu", type);
}

static uint8_t bind_of_type(char type)
{
	if (type == 't')
		return BIND_LOCAL;
	return type == 'w' || type == 'W' ? BIND_WEAK : BIND_GLOBAL;
}

static int add_line(struct reader *reader, const struct line *line)
{
	struct sym sym = {
		.addr = line->addr + reader->slide,
		.size = line->size,
		.limit = UINT64_MAX,
		.name = line->name,
		.module = reader->module->index,
		.bind = bind_of_type(line->type),
		.rank = sym_is_marker(line->name) ? RANK_MARKER : RANK_FUNCTION,
	};

	reader->symbols++;
	reader->nonzero |= line->addr != 0;
	reader->kernel |= strcmp(line->name, "_text") == 0 || strcmp(line->name, "_stext") == 0;
	if (!is_code_type(line->type) || sym_is_mark(line->name))
		return SL_OK;
	if (line->module && image_named_module(reader->image, &reader->modules, reader->path, line->module,
					       &sym.module) < 0)
		return SL_ERR_NOMEM;
	return syms_add(&reader->syms, &sym);
}

static int read_lines(struct reader *reader, char *text)
{
	int result = SL_OK;
	char *line;

	while (result == SL_OK && (line = next_line(&text))) {
		struct line parsed;
		enum line_kind kind = parse_line(line, &parsed);

		if (kind == LINE_SYMBOL)
			result = add_line(reader, &parsed);
		reader->others += kind == LINE_OTHER;
	}
	return result;
}

static int check(const struct reader *reader, struct sl_notes *notes, struct sl_diag *diag)
{
	if (!reader->symbols)
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: has no line of the form 'address type name' or 'address "
			       "name': give a System.map, the output of nm, or a copy of /proc/kallsyms",
			       reader->path);
	if (!reader->nonzero && reader->symbols > 1) {
		sl_notes_add(notes,
			     "%s: all addresses are 0, because the kernel hid them (kptr_restrict): copy "
			     "/proc/kallsyms as root after 'sysctl kernel.kptr_restrict=0'",
			     reader->path);
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: all addresses are 0, because the kernel hid them: copy "
			       "/proc/kallsyms as root after 'sysctl kernel.kptr_restrict=0'",
			       reader->path);
	}
	if (reader->others)
		sl_notes_add(notes, "%s: %" PRIu64 " lines that are no symbols were left out", reader->path,
			     reader->others);
	if (!reader->syms.len)
		sl_notes_add(notes, "%s: none of its %" PRIu64 " symbols is code (types t T w W i I u)",
			     reader->path, reader->symbols);
	return SL_OK;
}

/* "kernel", or the file's name without its extension. */
static int name_module(struct reader *reader)
{
	struct module *module = reader->module;
	char *dot = strrchr(module->name, '.');
	char *name;

	module->pub.has_symbols = true;
	if (!reader->kernel) {
		if (dot && dot != module->name)
			*dot = '\0';
		return SL_OK;
	}
	name = strdup("kernel");
	if (!name)
		return SL_ERR_NOMEM;
	free(module->name);
	module->name = name;
	module->pub.name = name;
	return SL_OK;
}

static int read_text(struct reader *reader, char *text, struct sl_notes *notes, struct sl_diag *diag)
{
	struct sl_image *image = reader->image;
	int result = read_lines(reader, text);

	if (result == SL_OK)
		result = check(reader, notes, diag);
	else
		sl_fail(diag, result, "%s: %s", reader->path, sl_strerror(result));
	if (result < 0)
		return result;
	result = name_module(reader);
	for (size_t i = 0; i < reader->syms.len && result == SL_OK; i++)
		result = syms_add(&image->text_syms, &reader->syms.items[i]);
	return result < 0 ? sl_fail(diag, result, "%s: %s", reader->path, sl_strerror(result)) : SL_OK;
}

/* Takes over text, which is terminated. */
static int add_text(struct sl_image *image, struct reader *reader, char *text, size_t len, struct sl_notes *notes,
		    struct sl_diag *diag)
{
	int result;

	if (memchr(text, '\0', len)) {
		free(text);
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: is no text: give a System.map, the output of nm, or a copy "
			       "of /proc/kallsyms",
			       reader->path);
	}
	if (SL_ARRAY_PUSH(&image->texts, &image->text_count, &image->text_cap, text) < 0) {
		free(text);
		return sl_fail(diag, SL_ERR_NOMEM, "%s: out of memory", reader->path);
	}
	result = image_new_module(image, reader->path, NULL, &reader->module);
	if (result == SL_OK)
		result = read_text(reader, text, notes, diag);
	else
		sl_fail(diag, result, "%s: out of memory", reader->path);
	syms_release(&reader->syms);
	sl_map_release(&reader->modules);
	return result;
}

int sl_image_add_symbol_text(struct sl_image *image, const char *path, uint64_t slide, struct sl_notes *notes,
			     struct sl_diag *diag)
{
	struct reader reader = { .image = image, .path = path, .slide = slide };
	char *text;
	size_t len;
	int result;

	assert(!image->sealed);
	result = sl_file_read_text(path, TEXT_MAX, &text, &len, diag);
	if (result < 0)
		return result == SL_ERR_LIMIT ? SL_ERR_FORMAT : result;
	return add_text(image, &reader, text, len, notes, diag);
}

int sl_image_add_symbol_bytes(struct sl_image *image, const char *label, struct sl_bytes bytes, struct sl_notes *notes,
			      struct sl_diag *diag)
{
	struct reader reader = { .image = image, .path = label };
	char *text = malloc(bytes.len + 1);

	assert(!image->sealed);
	if (!text)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: out of memory", label);
	memcpy(text, bytes.data, bytes.len);
	text[bytes.len] = '\0';
	return add_text(image, &reader, text, bytes.len, notes, diag);
}

int sl_symbol_text_find(const char *path, const char *name, uint64_t *ret)
{
	int result = SL_END;
	char *text, *at, *line;
	size_t len;
	int opened = sl_file_read_text(path, TEXT_MAX, &text, &len, NULL);

	if (opened < 0)
		return opened;
	at = text;
	while (result == SL_END && (line = next_line(&at))) {
		struct line parsed;

		if (parse_line(line, &parsed) != LINE_SYMBOL || strcmp(parsed.name, name) != 0)
			continue;
		*ret = parsed.addr;
		result = SL_OK;
	}
	free(text);
	return result;
}
