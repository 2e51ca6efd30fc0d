/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_captures [--cases N] [--only NAME] [--case N] SNAPSHOT_DIRECTORY...
 * Both engines over each snapshot as it is, and over N (8) damaged ones (victims.c), in step as check does it. Each difference
 * is printed with what is around it. Exit code 0: all are the same; 1: some differ, or something crashed; 77: no lane was
 * compared. Each case runs in a child, since OpenCSD may crash; that is counted.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "robust.h"
#include "sl_report.h"
#include "sl_run.h"
#include "sl_sinks.h"

/* Captures of what OpenCSD 1.3.3 cannot decode; version 1.8.0's hashes in the manifest decide on them. */
static const struct {
	const char *name, *why;
} unknown[] = {
	{ "armv8_1m_branches", "low-overhead branches" },
	{ "ete-ite-instr", "ITE packets" },
	{ "pauth_lr", "RETAASPPC" },
	{ "maxspec78_commopt0", "commits in cycle counts (docs/opencsd-quirks.md, 18)" },
};

enum { RULES_MAX = 16 };
struct totals {
	unsigned captures, cases, lanes, differ, crashed;
	uint64_t on_purpose[RULES_MAX];
};

static void print_differences(const char *dir, const char *what, const struct sl_check *check, const struct sl_run_result *result)
{
	struct sl_report_style style = { .table = "differences" };
	struct sl_table table;

	printf("%s (%s):\n", dir, what);
	if (sl_report_table(SL_FORMAT_TEXT, &style, stdout, &table) == SL_OK) {
		sl_check_report(check, result, &table);
		table.ops->close(table.out);
	}
	fflush(stdout);
}

static void add_on_purpose(const struct sl_check *check, struct totals *totals)
{
	uint64_t times;

	for (unsigned i = 0; i < RULES_MAX && sl_check_on_purpose(check, i, &times); i++)
		totals->on_purpose[i] += times;
}

static void print_on_purpose(const struct totals *totals)
{
	struct sl_check *none;
	const char *name;
	uint64_t times;

	if (sl_check_new(NULL, &none) < 0)
		abort();
	for (unsigned i = 0; i < RULES_MAX && (name = sl_check_on_purpose(none, i, &times)); i++)
		printf("differs on purpose: %s %" PRIu64 " times\n", name, totals->on_purpose[i]);
	sl_check_free(none);
}

static void compare(const struct sl_capture *capture, const char *name, const char *what, struct totals *totals)
{
	struct sl_run_options run = { .capture = capture, .trace_id = -1, .jobs = 1, .sink_count = 1,
				      .engine = SL_ENGINE_OPENCSD, .against = SL_ENGINE_FAST };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result = { 0 };
	struct sl_image *image = NULL;
	struct sl_check *check = NULL;
	struct sl_sink sink;
	size_t differ;

	if (sl_capture_load_image(capture, &notes, &image, NULL) == SL_OK && sl_check_new(image, &check) == SL_OK) {
		sl_check_sink(check, &sink);
		run.sinks = &sink;
		run.image = image;
		if (sl_run(&run, &notes, &result, NULL) == SL_OK) {
			totals->lanes += (unsigned)sl_check_compared(check, &differ);
			totals->differ += differ > 0;
			add_on_purpose(check, totals);
			if (differ)
				print_differences(name, what, check, &result);
		}
	}
	sl_run_result_release(&result);
	sl_check_free(check);
	sl_image_free(image);
	sl_notes_release(&notes);
}

static void run_case(const char *dir, const char *name, const char *what, struct totals *totals)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *capture;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (sl_capture_open(dir, &(struct sl_capture_options){ 0 }, &notes, &capture, NULL) == SL_OK)
			compare(capture, name, what, totals);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	totals->cases++;
	if (!status)
		return;
	totals->crashed++;
	printf("%s (%s): crashed\n", name, what);
	fflush(stdout);
}

static bool is_unknown(const char *dir)
{
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (!strstr(dir, unknown[i].name))
			continue;
		printf("%s: not compared: OpenCSD 1.3.3 does not know %s\n", dir, unknown[i].why);
		return true;
	}
	return false;
}

static void run_capture(const char *dir, unsigned cases, int only, struct totals *totals)
{
	unsigned step = cases < CASES ? CASES / cases : 1; /* beyond CASES, further files are flipped */
	struct victims victims;

	if (victims_copy(dir, &victims) < 0)
		abort();
	totals->captures++;
	if (only < 0)
		run_case(victims.dir, dir, "as it is", totals);
	for (unsigned i = 0; i < cases; i++) {
		unsigned n = only >= 0 ? (unsigned)only : step * i;
		char what[512], text[560];
		const struct victim *victim = victims_damage(&victims, n, 1, what, sizeof(what));

		snprintf(text, sizeof(text), "case %u, %s", n, what);
		if (victim)
			run_case(victims.dir, dir, text, totals);
		if (victim)
			victim_repair(victim);
		if (only >= 0)
			break;
	}
	victims_remove(&victims);
}

int main(int argc, char **argv)
{
	struct totals *totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *only_name = NULL;
	unsigned cases = 8;
	int only = -1;

	for (int i = 1; i < argc && totals != MAP_FAILED; i++) {
		if (strcmp(argv[i], "--cases") == 0 && i + 1 < argc)
			cases = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only_name = argv[++i];
		else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc)
			only = atoi(argv[++i]);
		else if ((!only_name || strstr(argv[i], only_name)) && !is_unknown(argv[i]))
			run_capture(argv[i], cases ? cases : 1, only, totals);
	}
	printf("%u captures, %u cases, %u lanes compared, %u cases differ, %u crashed\n", totals->captures, totals->cases, totals->lanes,
	       totals->differ, totals->crashed);
	print_on_purpose(totals);
	if (totals->differ || totals->crashed)
		return 1;
	return totals->lanes ? 0 : 77;
}
