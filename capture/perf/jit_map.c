/* SPDX-License-Identifier: Apache-2.0 */
#include "jit_map.h"

#include "sl_text.h"

#include <string.h>

/* The line that text begins with, without its end. */
static struct sl_bytes take_line(struct sl_bytes *text)
{
	const uint8_t *end = memchr(text->data, '\n', text->len);
	struct sl_bytes line = { .data = text->data, .len = end ? (size_t)(end - text->data) : text->len };
	size_t taken = line.len + (end != NULL);

	text->data += taken;
	text->len -= taken;
	while (line.len && (line.data[line.len - 1] == '\r' || line.data[line.len - 1] == ' '))
		line.len--;
	return line;
}

static bool is_hex(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* A number in base 16, 0x before it or not, and the blanks behind it. */
static bool take_hex(struct sl_bytes *line, uint64_t *ret)
{
	size_t start = line->len > 2 && line->data[0] == '0' && (line->data[1] | 0x20) == 'x' ? 2 : 0, end = start;

	while (end < line->len && is_hex(line->data[end]))
		end++;
	if (end == start || end - start > 16 || end == line->len || line->data[end] != ' ' ||
	    sl_parse_hex((const char *)line->data + start, end - start, ret) < 0)
		return false;
	while (end < line->len && line->data[end] == ' ')
		end++;
	line->data += end;
	line->len -= end;
	return true;
}

int jit_map_next(struct sl_bytes *text, struct jit_name *ret, uint64_t *others)
{
	while (text->len) {
		struct sl_bytes line = take_line(text);
		struct jit_name name = { 0 };

		if (!line.len)
			continue;
		if (take_hex(&line, &name.address) && take_hex(&line, &name.size) && line.len && name.size &&
		    name.size <= UINT64_MAX - name.address && !memchr(line.data, '\0', line.len)) {
			name.name = (const char *)line.data;
			name.len = line.len;
			*ret = name;
			return SL_OK;
		}
		++*others;
	}
	return SL_END;
}
