/* SPDX-License-Identifier: Apache-2.0 */
/* All of it in one sentence. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "delta.h"

enum { NAMED = 3 };
static const double SMALL = 0.005; /* what of the whole is nothing, where no function surely differs */
static const double MISSING = 0.01; /* of the whole: what one side lacks more than the other is worth saying */

static void append(struct sl_compare *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct sl_compare *c, const char *format, ...)
{
	size_t len = strlen(c->sentence);
	va_list args;

	va_start(args, format);
	vsnprintf(c->sentence + len, sizeof(c->sentence) - len, format, args);
	va_end(args);
}

/* 2308 as 2,308; fractions where it is small. */
static const char *number(double value, char *ret, size_t cap)
{
	char digits[40];
	size_t len, at = 0;

	snprintf(digits, sizeof(digits), "%.*f", fabs(value) < 100 && fmod(value, 1) != 0 ? 1 : 0, fabs(value) < 1e18 ? value : 1e18);
	len = strcspn(digits, ".");
	for (size_t i = 0; digits[i] && at + 2 < cap; i++) {
		if (i && i < len && (len - i) % 3 == 0)
			ret[at++] = ',';
		ret[at++] = digits[i];
	}
	ret[at] = '\0';
	return ret;
}

static void say_size(struct sl_compare *c, double before, double after)
{
	static const char *const units[] = { "instructions", "cycles", "ns" };
	char more[48], from[48], to[48];

	if (c->options.per)
		append(c, "A call of %.100s", c->options.per);
	else
		append(c, "The whole run");
	append(c, " takes %s %s %s in B than in A (%s to %s", number(fabs(after - before), more, sizeof(more)), units[c->axis],
	       after > before ? "more" : "less", number(before, from, sizeof(from)), number(after, to, sizeof(to)));
	if (before > 0)
		append(c, ", %+.1f %%", 100 * (after / before - 1));
	append(c, ")");
}

/* The functions that explain most of it, of those that surely differ and go the same way. */
static void say_why(struct sl_compare *c, double change)
{
	double part = 0;
	size_t named = 0;
	const struct delta_row *rows[NAMED];

	for (size_t i = 0; i < c->row_count && named < NAMED; i++) {
		const struct delta_row *row = &c->rows[c->sorted[i]];

		if (!row->significant || row->contribution * change <= 0 || fabs(row->contribution) < 0.02 * fabs(change))
			continue;
		part += row->contribution;
		rows[named++] = row;
	}
	if (!named)
		return;
	/* where others make up for it, a share says nothing */
	if (part / change <= 1)
		append(c, ": %.0f %% of that is in", 100 * part / change);
	else
		append(c, ", most of all by");
	for (size_t i = 0; i < named; i++)
		append(c, "%s %.80s (%s)", i == 0 ? "" : i + 1 == named ? " and" : ",", rows[i]->name, delta_verdict_name(rows[i]->verdict));
}

/* The option that explains most of it. */
static void say_option(struct sl_compare *c, double change)
{
	const struct delta_option *option = c->configured;

	if (c->configured_count && option->difference * change > 0 && fabs(option->difference) >= 0.02 * fabs(change))
		append(c, "; of the options of the kernel that differ, %s (%s in A, %s in B) explains most: %.0f %%", option->name,
		       option->values[A], option->values[B], 100 * option->difference / change);
}

/* The part of what is compared that no function has, since trace was missing. */
static double missing(const struct sl_compare *c, int side)
{
	uint64_t whole = c->whole[side].v[c->axis];

	return whole ? (double)sl_saved_gap(c->options.sides[side], c->axis) / (double)whole : 0;
}

/* Else functions that were not traced would be taken for ones that were not called. */
static void say_missing(struct sl_compare *c)
{
	static const char *const names[] = { "instructions", "cycles", "time" };
	double in_a = missing(c, A), in_b = missing(c, B);

	if (!c->options.per && fabs(in_b - in_a) >= MISSING)
		append(c, "; of A's %s %.1f %% and of B's %.1f %% are in no function, since trace was missing: what one side lacks may have run there",
		       names[c->axis], 100 * in_a, 100 * in_b);
}

static void say_machines(struct sl_compare *c)
{
	if (c->axis == SL_AXIS_INSNS && delta_other_machine(c))
		append(c, "; A and B ran on other architectures, so that only calls can be compared in instructions, not how long they take");
}

void delta_say(struct sl_compare *c)
{
	double before = delta_per_unit(c, A, c->axis, (double)c->whole[A].v[c->axis]);
	double after = delta_per_unit(c, B, c->axis, (double)c->whole[B].v[c->axis]);
	size_t significant = sl_compare_significant(c);

	if (!significant && fabs(after - before) <= SMALL * before) {
		append(c, "Between A and B there is no difference that is more than chance.");
		return;
	}
	if (before == after)
		append(c, "The whole takes the same in A and B, though %zu function%s differ%s", significant,
		       significant == 1 ? "" : "s", significant == 1 ? "s" : "");
	else
		say_size(c, before, after);
	if (before != after)
		say_why(c, after - before);
	if (before != after)
		say_option(c, after - before);
	if (!significant)
		append(c, "; no function differs by more than chance");
	say_missing(c);
	say_machines(c);
	append(c, ".");
}
