/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIGNIFICANCE_H
#define SIGNIFICANCE_H
/* Whether two samples differ by more than chance. Inside of analysis/ only. The man page of compare says what is tested. */
#include "sl_histogram.h"
#include "sl_spread.h"

/*
 * Tests take how much more values vary than independent ones would: dispersion, of variances, at least 1. Above 1 it is an
 * estimate, and so chance has Student's distribution instead of the normal one.
 */
enum { DISPERSION_FREEDOM = 30 };
/* Two counts over amounts of what they are counted in: p of a two-sided test that the rate is the same, exact at dispersion 1. 1
 * where both are 0. */
double count_test(uint64_t a, uint64_t b, double amount_a, double amount_b, double dispersion);

struct mean_test {
	bool known;	   /* there are enough values on both sides */
	double difference; /* of the means, b - a */
	double low, high;  /* its interval of confidence, 95 % */
	double p;
};
enum { MEANS_NEED = 8 };
/* Welch's t test; what is at least so sure stays: values are exact. */
struct mean_test mean_test(const struct sl_spread *a, const struct sl_spread *b, double dispersion);

/* Values beside others, which explain some of what they vary: pairs of one sample. */
struct paired {
	const struct sl_spread *values, *beside;
	const struct sl_products *products;
};
/* Of the values as far as the others do not explain them: analysis of covariance, with one slope for both. */
struct mean_test beside_test(const struct paired *a, const struct paired *b, double dispersion);

struct rank_test {
	bool known;
	double effect; /* Cliff's delta: -1 all of b are less, 0, 1 all of b are greater */
	double p;
};
enum { RANKS_NEED = 5 };
/* Mann and Whitney's, with ties: values of one class of the histograms are equal. */
struct rank_test rank_test(const struct sl_histogram *a, const struct sl_histogram *b, double dispersion);

/* Benjamini and Hochberg's adjustment of count values of p, in place; order has room for count. */
void adjust_for_many(double *p, size_t *order, size_t count);
#endif
