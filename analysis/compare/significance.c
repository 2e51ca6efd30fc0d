/* SPDX-License-Identifier: Apache-2.0 */
#include "significance.h"

#include <math.h>
#include <stdlib.h>

/* The continued fraction of the incomplete beta function (NIST DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		value *= c * d;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 1e-12)
			break;
	}
	return value;
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_share(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

/* Of a + b events each is one of a with the same chance: the binomial distribution, by the beta function (DLMF 8.17.5). */
static double binomial_p(double x, double y, double chance)
{
	double at_most = y > 0 ? beta_share(1 - chance, y, x + 1) : 1, at_least = x > 0 ? beta_share(chance, x, y + 1) : 1;
	double p = 2 * (at_most < at_least ? at_most : at_least);

	return p < 1 ? p : 1;
}

/* Two-sided, of Student's distribution. */
static double student_p(double t, double freedom)
{
	return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double count_test(uint64_t a, uint64_t b, double amount_a, double amount_b, double dispersion)
{
	double chance = amount_a / (amount_a + amount_b), x = (double)a, y = (double)b, off, variance, p;

	if (!(a || b) || !(amount_a > 0) || !(amount_b > 0))
		return 1;
	off = fabs(x - (x + y) * chance);
	variance = (x + y) * chance * (1 - chance) * dispersion;
	p = binomial_p(x, y, chance);
	return dispersion > 1 ? fmax(p, student_p(off / sqrt(variance), DISPERSION_FREEDOM)) : p;
}

/* The t beyond which 5 % lie. */
static double student_limit(double freedom)
{
	double low = 0, high = 100;

	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (student_p(middle, freedom) > 0.05)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The square of the mean's standard error. */
static double error_of(const struct sl_spread *s)
{
	double deviation = sl_spread_deviation(s);

	return deviation * deviation / (double)(s->count - 1);
}

struct mean_test mean_test(const struct sl_spread *a, const struct sl_spread *b, double dispersion)
{
	struct mean_test test = { .p = 1 };
	double of_a, of_b, error, freedom, limit;

	if (a->count < MEANS_NEED || b->count < MEANS_NEED)
		return test;
	of_a = error_of(a);
	of_b = error_of(b);
	error = sqrt((of_a + of_b) * dispersion);
	test.known = true;
	test.difference = sl_spread_mean(b) - sl_spread_mean(a);
	test.low = test.high = test.difference;
	if (!(error > 0)) {
		test.p = test.difference != 0 ? 0 : 1;
		return test;
	}
	freedom = (of_a + of_b) * (of_a + of_b) /
		  (of_a * of_a / (double)(a->count - 1) + of_b * of_b / (double)(b->count - 1));
	if (dispersion > 1 && freedom > DISPERSION_FREEDOM)
		freedom = DISPERSION_FREEDOM;
	limit = student_limit(freedom) * error;
	test.low -= limit;
	test.high += limit;
	test.p = student_p(test.difference / error, freedom);
	return test;
}

static double squares_off(const struct sl_spread *s)
{
	double deviation = sl_spread_deviation(s);

	return deviation * deviation * (double)s->count;
}

struct mean_test beside_test(const struct paired *a, const struct paired *b, double dispersion)
{
	const struct sl_spread *ya = a->values, *yb = b->values;
	double xx = squares_off(a->beside) + squares_off(b->beside), yy = squares_off(ya) + squares_off(yb);
	double xy = sl_products_together(a->products, ya, a->beside) + sl_products_together(b->products, yb, b->beside);
	double slope = xx > 0 ? xy / xx : 0, apart = sl_spread_mean(b->beside) - sl_spread_mean(a->beside), rest, error, limit;
	double freedom = (double)ya->count + (double)yb->count - 3;
	struct mean_test test = { .p = 1 };

	if (ya->count < MEANS_NEED || yb->count < MEANS_NEED)
		return test;
	test.known = true;
	test.difference = sl_spread_mean(yb) - sl_spread_mean(ya) - slope * apart;
	rest = fmax(yy - slope * xy, 0) / freedom;
	error = sqrt(dispersion * rest * (1 / (double)ya->count + 1 / (double)yb->count + (xx > 0 ? apart * apart / xx : 0)));
	freedom = dispersion > 1 ? fmin(freedom, DISPERSION_FREEDOM) : freedom;
	/* what is left of squares that explain each other is rounding */
	if (rest < 1e-9 * yy / freedom || !(error > 0))
		test.p = fabs(test.difference) > 1e-6 * sl_spread_mean(ya) ? 0 : 1;
	else
		test.p = student_p(test.difference / error, freedom);
	limit = student_limit(freedom) * error;
	test.low = test.difference - limit;
	test.high = test.difference + limit;
	return test;
}

static double two_sided(double z, double dispersion)
{
	return dispersion > 1 ? student_p(z, DISPERSION_FREEDOM) : erfc(z / sqrt(2));
}

struct classes {
	const struct sl_histogram *h;
	uint64_t cursor, count; /* count: in class, 0 at the end */
	uint32_t class;
	bool more;
	uint64_t next_count;
	uint32_t next_class;
};

static void fetch(struct classes *c)
{
	uint64_t least, greatest;

	c->more = sl_histogram_next(c->h, &c->cursor, &least, &greatest, &c->next_count);
	if (c->more)
		c->next_class = sl_histogram_class(least);
}

/* The next class; single values of one class come together. */
static void step(struct classes *c)
{
	c->count = 0;
	while (c->more && (!c->count || c->next_class == c->class)) {
		c->class = c->next_class;
		c->count += c->next_count;
		fetch(c);
	}
}

static struct classes classes_of(const struct sl_histogram *h)
{
	struct classes c = { .h = h };

	fetch(&c);
	step(&c);
	return c;
}

struct rank_test rank_test(const struct sl_histogram *a, const struct sl_histogram *b, double dispersion)
{
	struct classes of_a = classes_of(a), of_b = classes_of(b);
	double n = (double)a->count, m = (double)b->count, all = n + m, below = 0, u = 0, ties = 0, variance, z;
	struct rank_test test = { .p = 1 };

	if (n < RANKS_NEED || m < RANKS_NEED)
		return test;
	while (of_a.count || of_b.count) {
		bool take_a = of_a.count && (!of_b.count || of_a.class <= of_b.class);
		bool take_b = of_b.count && (!of_a.count || of_b.class <= of_a.class);
		double in_a = take_a ? (double)of_a.count : 0, in_b = take_b ? (double)of_b.count : 0, tied = in_a + in_b;

		u += in_b * (below + in_a / 2);
		below += in_a;
		ties += tied * tied * tied - tied;
		if (take_a)
			step(&of_a);
		if (take_b)
			step(&of_b);
	}
	test.known = true;
	test.effect = 2 * u / (n * m) - 1;
	variance = n * m / 12 * (all + 1 - ties / (all * (all - 1))) * dispersion;
	z = fabs(u - n * m / 2) - 0.5;
	test.p = variance > 0 && z > 0 ? two_sided(z / sqrt(variance), dispersion) : 1;
	return test;
}

static int by_p(const void *left, const void *right, void *ctx)
{
	const double *p = ctx;
	double a = p[*(const size_t *)left], b = p[*(const size_t *)right];

	return (a > b) - (a < b);
}

void adjust_for_many(double *p, size_t *order, size_t count)
{
	double least = 1;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), by_p, p);
	for (size_t i = count; i-- > 0;) {
		double adjusted = p[order[i]] * (double)count / (double)(i + 1);

		least = adjusted < least ? adjusted : least;
		p[order[i]] = least;
	}
}
