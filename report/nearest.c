/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_nearest.h"

#include <string.h>

enum { WORD_MAX = 40 };

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;

	return least < c ? least : c;
}

/* Levenshtein's distance; both words have at most WORD_MAX characters. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[WORD_MAX + 1];
	unsigned b_len = (unsigned)strlen(b);

	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (unsigned j = 0; j < b_len; j++) {
			unsigned above = row[j + 1];

			row[j + 1] = min3(above + 1, row[j] + 1, diagonal + (a[i] != b[j]));
			diagonal = above;
		}
	}
	return row[b_len];
}

void sl_nearest_init(struct sl_nearest *nearest, const char *typed)
{
	size_t len = strlen(typed);

	*nearest = (struct sl_nearest){ .typed = typed };
	/* A third of the letters may be wrong; beyond that a guess only misleads. */
	nearest->distance = (unsigned)(len < 4 ? 2 : (len + 1) / 3 + 1);
}

void sl_nearest_offer(struct sl_nearest *nearest, const char *word)
{
	size_t typed_len = strlen(nearest->typed);
	unsigned found;

	if (typed_len > WORD_MAX || strlen(word) > WORD_MAX || !typed_len)
		return;
	/* What was only cut short beats what was mistyped. */
	found = typed_len > 2 && strncmp(word, nearest->typed, typed_len) == 0
			? 0
			: distance(nearest->typed, word);
	if (found >= nearest->distance)
		return;
	nearest->distance = found;
	nearest->best = word;
}
