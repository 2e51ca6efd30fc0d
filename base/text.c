/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_text.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

/* The digits at the start of text: how many there are, or 0 where there is none or they need over 64 bits. */
static size_t take_digits(const char *text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;
	size_t n;

	for (n = 0; digit_value(text[n]) < base; n++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit_value(text[n]), &value))
			return 0;
	}
	*ret = value;
	return n;
}

int sl_parse_u64(const char *text, uint64_t *ret)
{
	unsigned base = 10;
	uint64_t value;
	size_t n;

	while (is_blank(*text))
		text++;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	} else if (text[0] == '0') {
		base = 8;
	}
	n = take_digits(text, base, &value);
	if (!n)
		return SL_ERR_FORMAT;
	for (text += n; is_blank(*text); text++)
		;
	if (*text)
		return SL_ERR_FORMAT;
	*ret = value;
	return SL_OK;
}

int sl_parse_hex(const char *text, size_t n, uint64_t *ret)
{
	uint64_t value = 0;

	if (!n)
		return SL_ERR_FORMAT;
	for (size_t i = 0; i < n; i++) {
		unsigned digit = digit_value(text[i]);

		if (digit == 16 || value >> 60)
			return SL_ERR_FORMAT;
		value = value << 4 | digit;
	}
	*ret = value;
	return SL_OK;
}

char *sl_trim(char *text)
{
	size_t len;

	while (is_blank(*text))
		text++;
	len = strlen(text);
	while (len && is_blank(text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

/* The character at s: how many bytes it has, or 0 where they are no UTF-8. The NUL that ends s is no
 * continuation. */
static size_t take_utf8(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
	uint32_t code = n == 1 ? s[0] : s[0] & (0x7fu >> n);

	for (size_t i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (!n || code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*ret = code;
	return n;
}

/* Moves a terminal's cursor or the order of the text that a reader sees. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

const char *sl_printable(const char *text, char *ret, size_t cap)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0;

	if (!cap)
		return ret;
	while (*s) {
		uint32_t code = 0;
		size_t n = take_utf8(s, &code);
		bool replace = !n || is_control(code);
		size_t out = replace ? 1 : n;

		if (out >= cap - used)
			break;
		if (replace)
			ret[used] = '?';
		else
			memcpy(ret + used, s, n);
		used += out;
		s += n ? n : 1;
	}
	ret[used] = '\0';
	return ret;
}

void sl_hex(const uint8_t *data, size_t len, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*ret++ = digits[data[i] >> 4];
		*ret++ = digits[data[i] & 15];
	}
	*ret = '\0';
}
