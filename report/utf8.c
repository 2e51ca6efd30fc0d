/* SPDX-License-Identifier: Apache-2.0 */
#include "utf8.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* Size of the character that a byte begins, and the least code point that needs so many bytes; 0: none. */
static unsigned lead_size(uint8_t byte, uint32_t *least)
{
	if (byte < 0x80) {
		*least = 0;
		return 1;
	}
	if (byte >= 0xc0 && byte < 0xe0) {
		*least = 0x80;
		return 2;
	}
	if (byte >= 0xe0 && byte < 0xf0) {
		*least = 0x800;
		return 3;
	}
	*least = 0x10000;
	return byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
}

unsigned sl_utf8_next(const char *text, uint32_t *ret)
{
	const uint8_t *p = (const uint8_t *)text;
	uint32_t least, code;
	unsigned size = lead_size(p[0], &least);

	if (!size)
		return 0;
	code = size == 1 ? p[0] : p[0] & (0xffu >> (size + 1));
	for (unsigned i = 1; i < size; i++) {
		/* The terminating 0 is no continuation byte: nothing is read beyond it. */
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret = code;
	return size;
}

size_t sl_utf8_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		uint32_t code;
		unsigned size = sl_utf8_next(text, &code);

		text += size ? size : 1;
		width++;
	}
	return width;
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static void json_char(FILE *out, const char *text, unsigned size, uint32_t code)
{
	if (code == '"' || code == '\\')
		fprintf(out, "\\%c", (char)code);
	else if (code == '\n')
		fputs("\\n", out);
	else if (code == '\t')
		fputs("\\t", out);
	else if (is_control(code))
		fprintf(out, "\\u%04x", code);
	else
		fwrite(text, 1, size, out);
}

void sl_json_string(FILE *out, const char *text)
{
	putc('"', out);
	while (*text) {
		uint32_t code;
		unsigned size = sl_utf8_next(text, &code);

		if (size)
			json_char(out, text, size, code);
		else
			fputs(REPLACEMENT, out);
		text += size ? size : 1;
	}
	putc('"', out);
}

void sl_csv_field(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	if (quoted)
		putc('"', out);
	while (*text) {
		uint32_t code = 0;
		unsigned size = sl_utf8_next(text, &code);

		if (code == '"')
			fputs("\"\"", out);
		else if (!size || (is_control(code) && !strchr("\t\r\n", (int)code)))
			fputs(REPLACEMENT, out);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
	if (quoted)
		putc('"', out);
}

void sl_plain_text(FILE *out, const char *text, const char *avoid)
{
	while (*text) {
		uint32_t code = 0;
		unsigned size = sl_utf8_next(text, &code);

		if (!size || is_control(code) || (code < 0x80 && strchr(avoid, (int)code)))
			putc('?', out);
		else
			fwrite(text, 1, size, out);
		text += size ? size : 1;
	}
}

static void xml_char(FILE *out, const char *text, unsigned size, uint32_t code)
{
	switch (code) {
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '&':
		fputs("&amp;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	default:
		fwrite(text, 1, size, out);
	}
}

/* XML 1.0, 2.2: no control characters (of which none is wanted here), and neither U+FFFE nor U+FFFF. */
void sl_xml_text(FILE *out, const char *text)
{
	while (*text) {
		uint32_t code = 0;
		unsigned size = sl_utf8_next(text, &code);

		if (!size || is_control(code) || code == 0xfffe || code == 0xffff)
			fputs(REPLACEMENT, out);
		else
			xml_char(out, text, size, code);
		text += size ? size : 1;
	}
}
