/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a function: how its durations and counts differ, and whether that is more than chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "delta.h"
#include "sl_fusion.h"

static const double limit = 0.05; /* of the adjusted p */

double delta_scaled(const struct sl_compare *c, int side, enum sl_axis axis, double value)
{
	uint64_t hz = c->options.sides[side]->timestamp_hz;

	return axis == SL_AXIS_TICKS && hz ? value * 1e9 / SL_TICK_PARTS / (double)hz : value;
}

double delta_per_unit(const struct sl_compare *c, int side, enum sl_axis axis, double value)
{
	return delta_scaled(c, side, axis, value) / (double)c->units[side];
}

const char *delta_verdict_name(enum delta_verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_SAME] = "same",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_FASTER] = "faster",
		[VERDICT_MORE] = "more calls",
		[VERDICT_FEWER] = "fewer calls",
		[VERDICT_SLOWER_MORE] = "slower, more calls",
		[VERDICT_SLOWER_FEWER] = "slower, fewer calls",
		[VERDICT_FASTER_MORE] = "faster, more calls",
		[VERDICT_FASTER_FEWER] = "faster, fewer calls",
		[VERDICT_ONLY_A] = "only in A",
		[VERDICT_ONLY_B] = "only in B",
		[VERDICT_INLINED] = "inlined on one side",
		[VERDICT_UNRESOLVED] = "not resolvable",
		[VERDICT_FEW] = "too few calls",
		[VERDICT_SLOWER_BELOW] = "slower callees",
		[VERDICT_FASTER_BELOW] = "faster callees",
	};

	return names[verdict];
}

static int add_durations(struct sl_compare *c, int side)
{
	const struct sl_saved *saved = c->options.sides[side];

	for (size_t i = 0; i < saved->function_count; i++) {
		const struct sl_saved_function *f = &saved->functions[i];
		const struct sl_saved_measure *m = &f->measures[c->axis];
		struct delta_side *s = &c->rows[c->row_of[side][i]].sides[side];

		if (sl_histogram_merge(&s->histogram, &m->histogram) < 0)
			return SL_ERR_NOMEM;
		sl_spread_merge(&s->spread, &m->spread);
		s->min = m->min < s->min ? m->min : s->min;
		s->max = m->max > s->max ? m->max : s->max;
		s->bounds += m->bounds;
		s->resolution = m->resolution > s->resolution ? m->resolution : s->resolution;
	}
	return SL_OK;
}

/* Durations in ticks of different lengths are not tested: their histograms have other classes. */
static bool same_ticks(const struct sl_compare *c)
{
	return c->axis != SL_AXIS_TICKS || c->options.sides[A]->timestamp_hz == c->options.sides[B]->timestamp_hz;
}

/* Two tests of one thing: the lesser p counts twice. */
static void test_row(const struct sl_compare *c, struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];

	if (same_ticks(c)) {
		row->mean = mean_test(&a->spread, &b->spread);
		row->rank = rank_test(&a->histogram, &b->histogram);
		row->duration_p = 2 * fmin(row->mean.known ? row->mean.p : 1, row->rank.known ? row->rank.p : 1);
		row->duration_p = fmin(row->duration_p, 1);
	} else {
		row->mean = (struct mean_test){ .p = 1 };
		row->rank = (struct rank_test){ .p = 1 };
	}
	row->calls_p = count_test(a->calls, b->calls, (double)c->units[A], (double)c->units[B]);
}

static int adjust(struct sl_compare *c)
{
	double *p = calloc(2 * c->row_count + 1, sizeof(*p));
	size_t *order = calloc(2 * c->row_count + 1, sizeof(*order)), len = 0;

	for (size_t i = 0; p && order && i < c->row_count; i++) {
		p[len++] = c->rows[i].duration_p;
		p[len++] = c->rows[i].calls_p;
	}
	if (p && order)
		adjust_for_many(p, order, len);
	for (size_t i = 0; p && order && i < c->row_count; i++) {
		c->rows[i].duration_p = p[2 * i];
		c->rows[i].calls_p = p[2 * i + 1];
	}
	len = p && order;
	free(p);
	free(order);
	return len ? SL_OK : SL_ERR_NOMEM;
}

/* Less than the clock can tell on either side. */
static bool is_unresolved(const struct sl_compare *c, const struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	uint64_t resolution = a->resolution > b->resolution ? a->resolution : b->resolution;
	double change = fabs(sl_spread_mean(&b->spread) - sl_spread_mean(&a->spread));

	if (c->axis == SL_AXIS_INSNS || !a->spread.count || !b->spread.count)
		return false;
	return change < (double)resolution || 2 * a->bounds > a->spread.count || 2 * b->bounds > b->spread.count;
}

/* Where its callers on the side that has it call from: what the other side's callers run more by themselves. */
static bool is_inlined(const struct sl_compare *c, uint32_t row, int with, double lost)
{
	bool *seen = calloc(c->row_count + 1, sizeof(*seen));
	double gained = 0;
	bool any = false;

	for (uint32_t i = c->rows[row].nodes; seen && i; i = c->nodes[i].same) {
		uint32_t caller = c->nodes[c->nodes[i].parent].row;
		const struct delta_row *up = &c->rows[caller];

		if (seen[caller] || !up->module)
			continue;
		seen[caller] = any = true;
		gained += delta_per_unit(c, !with, c->axis, (double)up->sides[!with].self.v[c->axis]) -
			  delta_per_unit(c, with, c->axis, (double)up->sides[with].self.v[c->axis]);
		any &= up->sides[!with].self.v[c->axis] > 0;
	}
	free(seen);
	return any && lost > 0 && gained >= 0.5 * lost && gained <= 1.5 * lost;
}

static enum delta_verdict alone(const struct sl_compare *c, const struct delta_row *row, int with)
{
	double lost = delta_per_unit(c, with, c->axis, (double)row->sides[with].self.v[c->axis]);

	if (is_inlined(c, (uint32_t)(row - c->rows), with, lost))
		return VERDICT_INLINED;
	return with == A ? VERDICT_ONLY_A : VERDICT_ONLY_B;
}

/* Whether most of what a call takes longer is its own, and not of what it calls. */
static bool is_own(const struct sl_compare *c, const struct delta_row *row)
{
	double change = sl_spread_mean(&row->sides[B].spread) - sl_spread_mean(&row->sides[A].spread), own[SIDES];

	for (int side = 0; side < SIDES; side++) {
		const struct delta_side *s = &row->sides[side];

		own[side] = (double)s->self.v[c->axis] / (double)(s->calls ? s->calls : 1);
	}
	return (own[B] - own[A]) * change > 0 && fabs(own[B] - own[A]) >= 0.5 * fabs(change);
}

static enum delta_verdict both(const struct sl_compare *c, const struct delta_row *row)
{
	static const enum delta_verdict verdicts[3][3] = {
		/* calls: the same, more, fewer */
		{ VERDICT_SAME, VERDICT_MORE, VERDICT_FEWER },
		{ VERDICT_SLOWER, VERDICT_SLOWER_MORE, VERDICT_SLOWER_FEWER },
		{ VERDICT_FASTER, VERDICT_FASTER_MORE, VERDICT_FASTER_FEWER },
	};
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	double rate_a = (double)a->calls / (double)c->units[A], rate_b = (double)b->calls / (double)c->units[B];
	int calls = row->calls_p < limit ? 1 + (rate_b < rate_a) : 0, durations = 0;
	bool tested = row->mean.known || row->rank.known;

	if (row->duration_p < limit) {
		/* where only ranks differ they say which way */
		double way = row->mean.known && row->mean.p < limit ? row->mean.difference : row->rank.effect;

		durations = 1 + (way < 0);
	}
	if (is_unresolved(c, row) && !calls)
		return VERDICT_UNRESOLVED;
	if (!tested && !calls && row->contribution != 0)
		return VERDICT_FEW;
	if (durations && !calls && !is_own(c, row))
		return durations == 1 ? VERDICT_SLOWER_BELOW : VERDICT_FASTER_BELOW;
	return verdicts[durations][calls];
}

static void judge(const struct sl_compare *c, struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	bool in_a = a->calls || a->self.v[c->axis], in_b = b->calls || b->self.v[c->axis];

	if (!row->module)
		row->verdict = VERDICT_SAME;
	else if (in_a != in_b)
		row->verdict = alone(c, row, in_a ? A : B);
	else
		row->verdict = both(c, row);
	if (in_a || in_b)
		row->significant = row->module && (row->calls_p < limit || (row->duration_p < limit && row->verdict != VERDICT_UNRESOLVED));
}

/* What is sure comes first, and of it what has its cause in itself. */
static int rank_of(const struct delta_row *row)
{
	bool below = row->verdict == VERDICT_SLOWER_BELOW || row->verdict == VERDICT_FASTER_BELOW;

	return row->significant ? below : 2;
}

static int by_contribution(const void *left, const void *right, void *ctx)
{
	const struct sl_compare *c = ctx;
	const struct delta_row *a = &c->rows[*(const uint32_t *)left], *b = &c->rows[*(const uint32_t *)right];
	double of_a = fabs(a->contribution), of_b = fabs(b->contribution);
	int order = rank_of(a) - rank_of(b);

	if (!order)
		order = (of_a < of_b) - (of_a > of_b);
	return order ? order : strcmp(a->name, b->name);
}

static int sort(struct sl_compare *c)
{
	c->sorted = calloc(c->row_count + 1, sizeof(*c->sorted));
	if (!c->sorted)
		return SL_ERR_NOMEM;
	for (uint32_t i = 0; i < c->row_count; i++)
		c->sorted[i] = i;
	qsort_r(c->sorted, c->row_count, sizeof(*c->sorted), by_contribution, c);
	return SL_OK;
}

int delta_judge(struct sl_compare *c)
{
	if (add_durations(c, A) < 0 || add_durations(c, B) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < c->row_count; i++) {
		struct delta_row *row = &c->rows[i];

		test_row(c, row);
		row->contribution = delta_per_unit(c, B, c->axis, (double)row->sides[B].self.v[c->axis]) -
				    delta_per_unit(c, A, c->axis, (double)row->sides[A].self.v[c->axis]);
	}
	if (adjust(c) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < c->row_count; i++)
		judge(c, &c->rows[i]);
	return sort(c);
}
