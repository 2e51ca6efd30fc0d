/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage as a tracefile of lcov (geninfo(1), FILES). */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>

#include "utf8.h"
#include "writers.h"

struct tally {
	uint64_t found, hit;
};

struct lcov {
	FILE *out;
	struct tally functions, branches, lines;
};

static void named(struct lcov *l, const char *key, const char *name)
{
	fputs(key, l->out);
	sl_plain_text(l->out, name, "");
	putc('\n', l->out);
}

static void lcov_file(void *self, const char *path)
{
	struct lcov *l = self;

	l->functions = l->branches = l->lines = (struct tally){ 0 };
	fputs("TN:\n", l->out);
	named(l, "SF:", path);
}

static void count(struct tally *tally, uint64_t times)
{
	tally->found++;
	tally->hit += times > 0;
}

static void lcov_function(void *self, const char *name, unsigned line, uint64_t calls)
{
	struct lcov *l = self;

	fprintf(l->out, "FN:%u,", line);
	named(l, "", name);
	fprintf(l->out, "FNDA:%" PRIu64 ",", calls);
	named(l, "", name);
	count(&l->functions, calls);
}

static void lcov_branch(void *self, unsigned line, unsigned number, uint64_t taken, uint64_t not_taken)
{
	struct lcov *l = self;

	fprintf(l->out, "BRDA:%u,%u,0,%" PRIu64 "\nBRDA:%u,%u,1,%" PRIu64 "\n", line, number, taken, line, number, not_taken);
	count(&l->branches, taken);
	count(&l->branches, not_taken);
}

static void lcov_line(void *self, unsigned line, uint64_t times)
{
	struct lcov *l = self;

	fprintf(l->out, "DA:%u,%" PRIu64 "\n", line, times);
	count(&l->lines, times);
}

static void summary(const struct lcov *l, const char *key, const struct tally *tally)
{
	fprintf(l->out, "%sF:%" PRIu64 "\n%sH:%" PRIu64 "\n", key, tally->found, key, tally->hit);
}

static void lcov_end_file(void *self)
{
	struct lcov *l = self;

	summary(l, "FN", &l->functions);
	summary(l, "BR", &l->branches);
	summary(l, "L", &l->lines);
	fputs("end_of_record\n", l->out);
}

static int lcov_close(void *self)
{
	struct lcov *l = self;
	int result = sl_writer_flush(l->out);

	free(l);
	return result;
}

int sl_coverage_lcov_new(FILE *out, struct sl_coverage *ret)
{
	static const struct sl_coverage_ops ops = { lcov_file, lcov_function, lcov_branch, lcov_line, lcov_end_file, lcov_close };
	struct lcov *l = calloc(1, sizeof(*l));

	if (!l)
		return SL_ERR_NOMEM;
	l->out = out;
	*ret = (struct sl_coverage){ &ops, l };
	return SL_OK;
}
