/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: how much B may differ from A before that is a failure. */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "delta.h"

static const char *const metrics[] = { "calls", "self", "total", "avg", "p50", "p99", "max", "rate" };
enum { CALLS, SELF, TOTAL, AVG, P50, P99, MAX, RATE, METRICS };

static int expected(const char *text, struct sl_diag *diag)
{
	return sl_fail(diag, SL_ERR_CONFIG,
		       "--fail-if %s: expected WHAT(FUNCTION):+N or :-N, with %% or without, as p99(irq_handler):+10%%; WHAT is calls, self, total, "
		       "avg, p50, p99 or max; total:+5%% is of the whole, rate(LENS):+10%% of a lens",
		       text);
}

/* +10%, -3 */
static bool parse_amount(const char *text, struct sl_compare_limit *ret)
{
	char *end;

	if (*text != '+' && *text != '-')
		return false;
	ret->falls = *text == '-';
	if (text[1] < '0' || text[1] > '9')
		return false;
	ret->amount = strtod(text + 1, &end);
	ret->percent = *end == '%';
	return end[ret->percent] == '\0' && isfinite(ret->amount);
}

int sl_compare_limit_parse(const char *text, struct sl_compare_limit *ret, struct sl_diag *diag)
{
	const char *colon = strrchr(text, ':'), *open = strchr(text, '(');
	size_t len = colon ? (size_t)(colon - text) : 0, word = open && open < colon ? (size_t)(open - text) : len;

	*ret = (struct sl_compare_limit){ .text = text };
	if (!colon || !parse_amount(colon + 1, ret))
		return expected(text, diag);
	while (ret->metric < METRICS && (strlen(metrics[ret->metric]) != word || strncmp(text, metrics[ret->metric], word) != 0))
		ret->metric++;
	if (ret->metric == METRICS || (word == len && ret->metric != TOTAL))
		return expected(text, diag);
	if (word == len)
		return SL_OK;
	len -= word + 2;
	if (colon[-1] != ')' || !len || len >= sizeof(ret->of))
		return expected(text, diag);
	memcpy(ret->of, open + 1, len);
	return SL_OK;
}

/* False: there is no such value on that side. */
static bool value_of(const struct sl_compare *c, const struct delta_row *row, unsigned metric, int side, double *ret)
{
	const struct delta_side *s = &row->sides[side];
	uint64_t ticks = metric == MAX ? s->max : 0;
	bool known = s->spread.count > 0;

	switch (metric) {
	case CALLS:
		*ret = (double)s->calls / (double)c->units[side];
		return true;
	case SELF:
	case TOTAL:
		*ret = delta_per_unit(c, side, c->axis, (double)(metric == SELF ? s->self : s->total).v[c->axis]);
		return true;
	case AVG:
		*ret = delta_scaled(c, side, c->axis, sl_spread_mean(&s->spread));
		return known;
	case P50:
	case P99:
		known = delta_percentile(s, metric == P50 ? 500 : 990, &ticks);
		break;
	default:
		break;
	}
	*ret = delta_scaled(c, side, c->axis, (double)ticks);
	return known;
}

/* Of nothing any more is too much, in percent too. */
static bool exceeds(const struct sl_compare_limit *limit, double a, double b)
{
	double change = limit->falls ? a - b : b - a;

	return limit->percent ? change > limit->amount / 100 * a : change > limit->amount;
}

static void say(const struct sl_compare_limit *limit, const char *of, double a, double b, const char *unit, char *ret, size_t cap)
{
	const char *blank = *unit ? " " : "";
	size_t len = (size_t)snprintf(ret, cap, "%s: %s%s%.15g%s%s in A, %.15g%s%s in B", limit->text, of, *of ? ": " : "", a, blank, unit, b, blank,
				      unit);

	if (a > 0 && len < cap)
		snprintf(ret + len, cap - len, " (%+.1f %%)", 100 * (b / a - 1));
}

static int check(const struct sl_compare_limit *limit, const char *of, double a, double b, const char *unit, char *ret, size_t cap)
{
	if (!exceeds(limit, a, b))
		return SL_OK;
	say(limit, of, a, b, unit, ret, cap);
	return SL_END;
}

static bool is_meant(const struct sl_compare *c, const struct delta_row *row, const char *of)
{
	char *canonical = row->module ? sl_aliases_name(c->options.aliases, row->name) : NULL;
	bool meant = row->module && (strcmp(of, row->name) == 0 || fnmatch(of, row->name, 0) == 0 ||
				     (row->other && fnmatch(of, row->other, 0) == 0) || (canonical && strcmp(of, canonical) == 0));

	free(canonical);
	return meant;
}

static int check_functions(const struct sl_compare *c, const struct sl_compare_limit *limit, bool *ret_found, char *reason, size_t cap)
{
	const char *unit = limit->metric == CALLS ? "" : axis_unit(c->axis);
	int result = SL_OK;

	for (size_t i = 0; i < c->row_count && result == SL_OK; i++) {
		const struct delta_row *row = &c->rows[c->sorted[i]];
		double a, b;

		if (!is_meant(c, row, limit->of))
			continue;
		*ret_found = true;
		if (value_of(c, row, limit->metric, A, &a) && value_of(c, row, limit->metric, B, &b))
			result = check(limit, row->name, a, b, unit, reason, cap);
	}
	return result;
}

static int check_whole(const struct sl_compare *c, const struct sl_compare_limit *limit, char *reason, size_t cap)
{
	double a = delta_per_unit(c, A, c->axis, (double)c->whole[A].v[c->axis]);
	double b = delta_per_unit(c, B, c->axis, (double)c->whole[B].v[c->axis]);

	return check(limit, "", a, b, axis_unit(c->axis), reason, cap);
}

int sl_compare_check(const struct sl_compare *c, const struct sl_compare_limit *limit, bool *ret_found, char *reason, size_t cap)
{
	*ret_found = true;
	if (!*limit->of)
		return check_whole(c, limit, reason, cap);
	if (limit->metric == RATE) {
		double rates[SIDES] = { delta_rate(c, A, limit->of), delta_rate(c, B, limit->of) };

		*ret_found = rates[A] > 0 || rates[B] > 0;
		return check(limit, "", rates[A], rates[B], c->axis == SL_AXIS_TICKS ? "a second" : "a million", reason, cap);
	}
	*ret_found = false;
	return check_functions(c, limit, ret_found, reason, cap);
}
