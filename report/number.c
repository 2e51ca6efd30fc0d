/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies digits with a comma before each group of three; returns the end. */
static char *group(const char *digits, size_t len, char *to)
{
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return to;
}

/* printf's decimal point is that of the locale, which a caller of the library may have set. */
static void undo_locale(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (strchr("0123456789+-eE", *p))
			*to++ = *p;
		else if (to == text || to[-1] != '.')
			*to++ = '.';
	}
	*to = '\0';
}

const char *sl_number_grouped(uint64_t n, struct sl_number *ret)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

	group(digits, (size_t)len, ret->text);
	return ret->text;
}

const char *sl_number_signed(int64_t n, struct sl_number *ret)
{
	struct sl_number size;

	sl_number_grouped(n < 0 ? -(uint64_t)n : (uint64_t)n, &size);
	snprintf(ret->text, sizeof(ret->text), "%s%.60s", n < 0 ? "-" : n > 0 ? "+" : "", size.text);
	return ret->text;
}

const char *sl_number_fixed(double d, int decimals, struct sl_number *ret)
{
	char plain[48], *digits = plain, *to = ret->text;
	size_t whole;

	if (!isfinite(d))
		return strcpy(ret->text, "-");
	if (fabs(d) >= 1e15)
		snprintf(plain, sizeof(plain), "%.6e", d);
	else
		snprintf(plain, sizeof(plain), "%.*f", decimals, d);
	undo_locale(plain);
	if (*digits == '-')
		*to++ = *digits++;
	whole = strspn(digits, "0123456789");
	to = group(digits, whole, to);
	strcpy(to, digits + whole);
	return ret->text;
}

const char *sl_number_exact(double d, struct sl_number *ret)
{
	if (!isfinite(d))
		return NULL;
	for (int precision = 15; precision <= 17; precision++) {
		snprintf(ret->text, sizeof(ret->text), "%.*g", precision, d);
		if (strtod(ret->text, NULL) == d)
			break;
	}
	undo_locale(ret->text);
	return ret->text;
}
