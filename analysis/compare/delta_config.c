/* SPDX-License-Identifier: Apache-2.0 */
/* Which options of the kernel differ, and what of the difference is in functions that belong to them. */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delta.h"
#include "kernel_config.h"
#include "sl_array.h"

enum { PATTERN_MAX = 128 };

static bool matches(const char *patterns, const char *name)
{
	char pattern[PATTERN_MAX];

	while (*patterns) {
		size_t len = strcspn(patterns, " \t");

		if (len && len < sizeof(pattern)) {
			memcpy(pattern, patterns, len);
			pattern[len] = '\0';
			if (fnmatch(pattern, name, 0) == 0)
				return true;
		}
		patterns += len + (patterns[len] != '\0');
	}
	return false;
}

static int add_option(struct sl_compare *c, const char *name, const char *a, const char *b)
{
	const struct delta_option option = { .name = name, .values = { a, b }, .patterns = config_patterns(c->options.map, name) };

	return strcmp(a, b) == 0 ? SL_OK : SL_ARRAY_PUSH(&c->configured, &c->configured_count, &c->configured_cap, option);
}

/* Both lists are by name. */
static int find_options(struct sl_compare *c)
{
	const struct sl_kernel_config *a = c->options.configs[A], *b = c->options.configs[B];
	int result = SL_OK;

	for (size_t i = 0; i < a->count && result == SL_OK; i++)
		result = add_option(c, a->values[i].name, a->values[i].value, config_value(b, a->values[i].name));
	for (size_t i = 0; i < b->count && result == SL_OK; i++) {
		/* what A has came with A; what it has not is "n" there */
		if (strcmp(config_value(a, b->values[i].name), "n") == 0 && strcmp(b->values[i].value, "n") != 0)
			result = add_option(c, b->values[i].name, "n", b->values[i].value);
	}
	return result;
}

/* By name; what both lists gave is there twice. */
static int by_name(const void *left, const void *right)
{
	const struct delta_option *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static void drop_twice(struct sl_compare *c)
{
	size_t kept = 0;

	if (c->configured_count)
		qsort(c->configured, c->configured_count, sizeof(*c->configured), by_name);
	for (size_t i = 0; i < c->configured_count; i++) {
		if (!kept || strcmp(c->configured[kept - 1].name, c->configured[i].name) != 0)
			c->configured[kept++] = c->configured[i];
	}
	c->configured_count = kept;
}

/* How many of the options a row belongs to. */
static unsigned owners(const struct sl_compare *c, const struct delta_row *row)
{
	unsigned count = 0;

	for (size_t i = 0; i < c->configured_count && row->module; i++)
		count += c->configured[i].patterns && matches(c->configured[i].patterns, row->name);
	return count;
}

/* What a row and what it calls add goes to the options that it belongs to, in equal parts. */
static void book(struct sl_compare *c, uint32_t row, unsigned count, double difference)
{
	for (size_t i = 0; i < c->configured_count; i++) {
		struct delta_option *option = &c->configured[i];

		if (option->patterns && matches(option->patterns, c->rows[row].name))
			option->difference += difference / count;
	}
}

static void count_functions(struct sl_compare *c)
{
	for (size_t i = 0; i < c->configured_count; i++) {
		struct delta_option *option = &c->configured[i];

		for (size_t k = 0; k < c->row_count && option->patterns; k++) {
			const struct delta_row *row = &c->rows[k];

			option->functions += row->module && row->contribution != 0 && matches(option->patterns, row->name);
		}
	}
}

/* Each node's own difference goes to the nearest row up the path that belongs to an option, so that no part counts twice. */
static int attribute(struct sl_compare *c)
{
	uint32_t *nearest = calloc(c->node_count + 1, sizeof(*nearest)); /* row + 1 */
	unsigned *counts = calloc(c->row_count + 1, sizeof(*counts));
	double *sums = calloc(c->row_count + 1, sizeof(*sums));
	bool done = nearest && counts && sums;

	for (size_t i = 0; done && i < c->row_count; i++)
		counts[i] = owners(c, &c->rows[i]);
	for (size_t i = 0; done && i < c->node_count; i++) {
		const struct delta_node *node = &c->nodes[i];

		nearest[i] = counts[node->row] ? node->row + 1 : i ? nearest[node->parent] : 0;
		if (nearest[i])
			sums[nearest[i] - 1] += delta_per_unit(c, B, c->axis, (double)node->self[B].v[c->axis]) -
						delta_per_unit(c, A, c->axis, (double)node->self[A].v[c->axis]);
	}
	for (size_t i = 0; done && i < c->row_count; i++) {
		if (counts[i])
			book(c, (uint32_t)i, counts[i], sums[i]);
	}
	free(nearest);
	free(counts);
	free(sums);
	return done ? SL_OK : SL_ERR_NOMEM;
}

static int by_difference(const void *left, const void *right)
{
	const struct delta_option *a = left, *b = right;
	double of_a = fabs(a->difference), of_b = fabs(b->difference);

	if (of_a != of_b)
		return (of_a < of_b) - (of_a > of_b);
	if (!a->patterns != !b->patterns)
		return a->patterns ? -1 : 1;
	return strcmp(a->name, b->name);
}

int delta_config(struct sl_compare *c)
{
	int result;

	if (!c->options.configs[A] || !c->options.configs[B] || !c->options.map)
		return SL_OK;
	result = find_options(c);
	drop_twice(c);
	if (result == SL_OK)
		result = attribute(c);
	count_functions(c);
	if (c->configured_count)
		qsort(c->configured, c->configured_count, sizeof(*c->configured), by_difference);
	return result;
}

static int by_contribution(const void *left, const void *right)
{
	const struct delta_row *a = *(const struct delta_row *const *)left, *b = *(const struct delta_row *const *)right;
	double of_a = fabs(a->contribution), of_b = fabs(b->contribution);

	return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : strcmp(a->name, b->name);
}

void delta_evidence(const struct sl_compare *c, const struct delta_option *option, char *ret, size_t cap)
{
	const struct delta_row **rows = calloc(option->functions + 1, sizeof(*rows));
	size_t count = 0, len = 0;

	*ret = '\0';
	for (size_t i = 0; rows && i < c->row_count && option->patterns && count < option->functions; i++) {
		if (c->rows[i].module && c->rows[i].contribution != 0 && matches(option->patterns, c->rows[i].name))
			rows[count++] = &c->rows[i];
	}
	if (count)
		qsort(rows, count, sizeof(*rows), by_contribution);
	for (size_t i = 0; i < count && len < cap; i++)
		len += (size_t)snprintf(ret + len, cap - len, "%s%s (%s)", i ? ", " : "", rows[i]->name, delta_verdict_name(rows[i]->verdict));
	free(rows);
}
