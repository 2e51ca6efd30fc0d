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

/* As report says it: bounds come first. */
bool delta_percentile(const struct delta_side *s, unsigned per_mille, uint64_t *ret)
{
	uint64_t bounds = s->spread.count - s->histogram.count;
	uint64_t rank = s->histogram.count ? sl_histogram_rank(s->spread.count, per_mille) : 0;

	if (rank <= bounds)
		return false;
	*ret = sl_histogram_at_rank_within(&s->histogram, rank - bounds, s->min, s->max);
	return true;
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
		[VERDICT_TOOK_IN] = "took in what was inlined",
		[VERDICT_OTHER_UNITS] = "other units",
	};

	return names[verdict];
}

static void add_uneven(struct delta_side *s, enum delta_uneven kind, uint64_t thousandths, uint64_t calls)
{
	if (!thousandths)
		return;
	s->uneven[kind] += (double)thousandths / 1000 * (double)calls;
	s->uneven_calls[kind] += (double)calls;
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
		sl_spread_merge(&s->own, &m->own);
		sl_spread_merge(&s->work, &f->measures[SL_AXIS_INSNS].own);
		sl_products_merge(&s->products, &m->own_work);
		s->min = m->min < s->min ? m->min : s->min;
		s->max = m->max > s->max ? m->max : s->max;
		add_uneven(s, UNEVEN_CALLS, f->unevenness, sl_saved_calls(f->calls));
		add_uneven(s, UNEVEN_DURATIONS, m->unevenness, m->spread.count);
		add_uneven(s, UNEVEN_OWN, m->own_unevenness, m->own.count);
		s->bounds += m->bounds;
		s->resolution = m->resolution > s->resolution ? m->resolution : s->resolution;
	}
	return SL_OK;
}

/* Of the lanes that ran; of several machines: not known. */
static uint32_t machine_of(const struct sl_saved *saved)
{
	uint32_t ret = SL_MACHINE_UNKNOWN;

	for (size_t i = 0; i < saved->lane_count; i++) {
		const struct sl_saved_lane *lane = &saved->lanes[i];

		if (!lane->whole.v[SL_AXIS_INSNS])
			continue;
		if (ret && lane->machine != ret)
			return SL_MACHINE_UNKNOWN;
		ret = lane->machine;
	}
	return ret;
}

bool delta_other_machine(const struct sl_compare *c)
{
	uint32_t a = machine_of(c->options.sides[A]), b = machine_of(c->options.sides[B]);

	return a && b && a != b;
}

/* Durations in ticks of different lengths are not tested, since their histograms have other classes, nor those in other instructions. */
static bool same_units(const struct sl_compare *c)
{
	if (c->axis == SL_AXIS_TICKS)
		return c->options.sides[A]->timestamp_hz == c->options.sides[B]->timestamp_hz;
	return c->axis != SL_AXIS_INSNS || !delta_other_machine(c);
}

/* Of both sides together; 0: not known. */
static double uneven_of(const struct delta_row *row, enum delta_uneven kind)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	double calls = a->uneven_calls[kind] + b->uneven_calls[kind];

	return calls > 0 ? (a->uneven[kind] + b->uneven[kind]) / calls : 0;
}

/* Of few runs a row's own is much by chance: what is usual counts as ten more. 0: there are none. */
static double between_runs(const struct sl_compare *c, const struct delta_row *row, enum delta_uneven kind)
{
	double sum = row->sides[A].between[kind] + row->sides[B].between[kind];

	return c->freedom ? (sum + 10 * c->between[kind]) / (c->freedom + 10) : 0;
}

/*
 * How much less sure a test is than of independent values. A row's own unevenness is of some forty slices: where that is by
 * chance less or more, what is usual counts half as much. Of one call of a function nothing tells how its parts come: they
 * may all be one's.
 */
static double dispersion_of(const struct sl_compare *c, const struct delta_row *row, enum delta_uneven kind)
{
	double own = uneven_of(row, kind), calls = (double)(row->sides[A].calls + row->sides[B].calls), dispersion;

	if (kind == UNEVEN_CALLS && c->options.per)
		dispersion = c->freedom ? 1 : calls / (double)(c->units[A] + c->units[B]);
	else
		dispersion = own > 0 ? (2 * own + c->usual[kind]) / 3 : c->usual[kind];
	return fmax(1, fmax(dispersion, between_runs(c, row, kind)));
}

/* Slower work and not more of it: what is left of cycles or time where instructions are as many. */
static struct mean_test at_work(const struct sl_compare *c, const struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	const struct paired of_a = { &a->own, &a->work, &a->products }, of_b = { &b->own, &b->work, &b->products };

	if (c->axis == SL_AXIS_INSNS || a->own.count != a->work.count || b->own.count != b->work.count)
		return (struct mean_test){ .p = 1 };
	return beside_test(&of_a, &of_b, dispersion_of(c, row, UNEVEN_OWN));
}

/* Two tests of one thing: the lesser p counts twice. */
static void test_row(const struct sl_compare *c, struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	double durations = dispersion_of(c, row, UNEVEN_DURATIONS);

	row->mean = row->own = row->at_work = (struct mean_test){ .p = 1 };
	row->rank = (struct rank_test){ .p = 1 };
	if (same_units(c)) {
		row->mean = mean_test(&a->spread, &b->spread, durations);
		row->own = mean_test(&a->own, &b->own, dispersion_of(c, row, UNEVEN_OWN));
		row->at_work = at_work(c, row);
		row->rank = rank_test(&a->histogram, &b->histogram, durations);
	}
	row->duration_p = fmin(2 * fmin(row->mean.p, row->rank.p), 1);
	row->own_p = row->own.p;
	row->work_p = row->at_work.p;
	row->calls_p = count_test(a->calls, b->calls, (double)c->units[A], (double)c->units[B], dispersion_of(c, row, UNEVEN_CALLS));
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static int find_usual(struct sl_compare *c)
{
	double *values = calloc(c->row_count + 1, sizeof(*values));

	if (!values)
		return SL_ERR_NOMEM;
	for (int kind = 0; kind < UNEVEN_KINDS; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < c->row_count; i++) {
			values[count] = uneven_of(&c->rows[i], (enum delta_uneven)kind);
			count += values[count] > 0;
		}
		qsort(values, count, sizeof(*values), by_size);
		c->usual[kind] = count ? values[count / 2] : 1;
	}
	free(values);
	return SL_OK;
}

enum { TESTS = 4 }; /* of a row */

static int adjust(struct sl_compare *c)
{
	size_t count = TESTS * c->row_count;
	double *p = calloc(count + 1, sizeof(*p));
	size_t *order = calloc(count + 1, sizeof(*order));
	bool done = p && order;

	for (size_t i = 0; done && i < c->row_count; i++) {
		p[TESTS * i] = c->rows[i].duration_p;
		p[TESTS * i + 1] = c->rows[i].own_p;
		p[TESTS * i + 2] = c->rows[i].calls_p;
		p[TESTS * i + 3] = c->rows[i].work_p;
	}
	if (done)
		adjust_for_many(p, order, count);
	for (size_t i = 0; done && i < c->row_count; i++) {
		c->rows[i].duration_p = p[TESTS * i];
		c->rows[i].own_p = p[TESTS * i + 1];
		c->rows[i].calls_p = p[TESTS * i + 2];
		c->rows[i].work_p = p[TESTS * i + 3];
	}
	free(p);
	free(order);
	return done ? SL_OK : SL_ERR_NOMEM;
}

/* Most calls are shorter than the clock can tell, on either side. */
static bool is_unresolved(const struct sl_compare *c, const struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];

	if (c->axis == SL_AXIS_INSNS || !a->spread.count || !b->spread.count)
		return false;
	return 2 * a->bounds > a->spread.count || 2 * b->bounds > b->spread.count;
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

/*
 * How much means have to differ in time to be called different: one thousandth, and what the mean of as many durations may be off by, which are
 * each right within the clock's resolution. Instructions and cycles are counted.
 */
static double least_effect(const struct sl_compare *c, const struct delta_row *row, double mean)
{
	double off = 0;

	if (c->axis != SL_AXIS_TICKS)
		return 0;
	for (int side = 0; side < SIDES; side++) {
		const struct delta_side *s = &row->sides[side];

		if (s->spread.count)
			off += (double)s->resolution * (double)s->resolution / (double)s->spread.count;
	}
	return fmax(sqrt(off), mean / 1000);
}

/* More than chance, and more than the least that counts; of: what side A has. */
static bool differs(const struct sl_compare *c, const struct delta_row *row, double p, double difference, const struct sl_spread *of)
{
	return p < limit && fabs(difference) >= least_effect(c, row, sl_spread_mean(of));
}

static bool own_differs(const struct sl_compare *c, const struct delta_row *row)
{
	return differs(c, row, row->own_p, row->own.difference, &row->sides[A].own);
}

static bool work_differs(const struct sl_compare *c, const struct delta_row *row)
{
	return differs(c, row, row->work_p, row->at_work.difference, &row->sides[A].own);
}

/* With callees. Of few calls there are only ranks. */
static bool duration_differs(const struct sl_compare *c, const struct delta_row *row)
{
	return row->mean.known ? differs(c, row, row->duration_p, row->mean.difference, &row->sides[A].spread) : row->duration_p < limit;
}

/* Against itself by what it calls: that it is faster must not be said of a function that takes longer. */
static bool is_outweighed(const struct sl_compare *c, const struct delta_row *row, double own)
{
	return row->mean.known && duration_differs(c, row) && own * row->mean.difference < 0;
}

/* What a call runs more by itself, where that is more than chance, else 0. */
static double own_change(const struct sl_compare *c, const struct delta_row *row)
{
	if (own_differs(c, row))
		return row->own.difference;
	return work_differs(c, row) ? row->at_work.difference : 0;
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
	double own = own_change(c, row);

	if (own != 0 && !is_outweighed(c, row, own))
		durations = 1 + (own < 0);
	if (is_unresolved(c, row) && !calls && !durations)
		return VERDICT_UNRESOLVED;
	if (!tested && !calls && row->contribution != 0)
		return same_units(c) ? VERDICT_FEW : VERDICT_OTHER_UNITS;
	if (!durations && !calls && duration_differs(c, row)) {
		/* where only ranks differ they say which way */
		double way = row->mean.known && row->mean.p <= row->rank.p ? row->mean.difference : row->rank.effect;

		return way > 0 ? VERDICT_SLOWER_BELOW : VERDICT_FASTER_BELOW;
	}
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
		row->significant = row->module && (row->calls_p < limit || own_differs(c, row) || work_differs(c, row) ||
						   (duration_differs(c, row) && row->verdict != VERDICT_UNRESOLVED));
}

static bool lasts_otherwise(enum delta_verdict verdict)
{
	return verdict == VERDICT_SLOWER || verdict == VERDICT_FASTER || verdict == VERDICT_SLOWER_BELOW || verdict == VERDICT_FASTER_BELOW;
}

/* Callers of what is inlined on the other side run that by themselves there: they are not slower for it, or faster. */
static void judge_callers(struct sl_compare *c, const struct delta_row *inlined)
{
	int with = inlined->sides[A].calls ? A : B;

	for (uint32_t i = inlined->nodes; i; i = c->nodes[i].same) {
		struct delta_row *up = &c->rows[c->nodes[c->nodes[i].parent].row];

		double own = own_change(c, up);

		if (lasts_otherwise(up->verdict) && (with == A ? own > 0 : own < 0))
			up->verdict = VERDICT_TOOK_IN;
	}
}

/* Of what a row adds: more calls as long as they were, and longer calls as many as there were; each where it is more than chance. */
static double sure_part(const struct sl_compare *c, const struct delta_row *row)
{
	const struct delta_side *a = &row->sides[A], *b = &row->sides[B];
	double rates[SIDES] = { (double)a->calls / (double)c->units[A], (double)b->calls / (double)c->units[B] };
	double rate = (rates[A] + rates[B]) / 2, more = 0;

	if (!row->significant || !a->own.count || !b->own.count)
		return row->significant ? row->contribution : 0;
	if (row->calls_p < limit)
		more = (rates[B] - rates[A]) * (sl_spread_mean(&a->own) + sl_spread_mean(&b->own)) / 2;
	return delta_scaled(c, B, c->axis, own_change(c, row) * rate + more);
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
	double of_a = fabs(a->sure), of_b = fabs(b->sure);
	int order = rank_of(a) - rank_of(b);

	if (rank_of(a) > 0) {
		of_a = fabs(a->contribution);
		of_b = fabs(b->contribution);
	}

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

int delta_durations(struct sl_compare *c)
{
	return add_durations(c, A) < 0 || add_durations(c, B) < 0 ? SL_ERR_NOMEM : SL_OK;
}

int delta_judge(struct sl_compare *c)
{
	if (delta_durations(c) < 0 || find_usual(c) < 0 || delta_runs(c) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < c->row_count; i++) {
		struct delta_row *row = &c->rows[i];

		test_row(c, row);
		row->contribution = delta_per_unit(c, B, c->axis, (double)row->sides[B].self.v[c->axis]) -
				    delta_per_unit(c, A, c->axis, (double)row->sides[A].self.v[c->axis]);
	}
	if (adjust(c) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < c->row_count; i++) {
		judge(c, &c->rows[i]);
		c->rows[i].sure = sure_part(c, &c->rows[i]);
	}
	for (size_t i = 0; i < c->row_count; i++) {
		if (c->rows[i].verdict == VERDICT_INLINED)
			judge_callers(c, &c->rows[i]);
	}
	return sort(c);
}
