/* SPDX-License-Identifier: Apache-2.0 */
/*
 * robust [--full] [--only NAME] [--case N] SNAPSHOT_DIRECTORY...
 * Damages each snapshot CASES times and runs everything on it. Fails where a case crashes, takes too long or
 * too much memory, and says which; "--only NAME --case N" runs that one again. Without --full, large captures
 * run a part of the cases, so that all of them together take less than a minute.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "robust.h"
#include "sl_image.h"

enum { CASE_SECONDS = 120, MEMORY_MIB = 1024, BUDGET_BYTES = 160 * 1024, CASES_LEAST = 2 };

struct settings {
	bool full;
	const char *only;
	int one_case;
};
/* What the child does now, for the parent to tell when it dies. */
struct progress {
	unsigned done, n;
	char what[512];
};

/* From the last part of the path: the same cases wherever the captures lie. */
static uint64_t seed_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	uint64_t seed = 0xcbf29ce484222325u;

	while (*name)
		seed = (seed ^ (uint8_t)*name++) * 0x100000001b3u;
	return seed;
}

static long peak_mib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss / 1024;
}

/* Cases are dense for small captures and spread over all kinds of damage for large ones. */
static unsigned stride_of(const struct victims *victims, const struct settings *settings)
{
	size_t cases = BUDGET_BYTES / (victims->trace_bytes + 2048);

	if (settings->full || settings->one_case >= 0 || cases >= CASES)
		return 1;
	return CASES / (unsigned)(cases < CASES_LEAST ? CASES_LEAST : cases);
}

static void run_cases(const struct victims *victims, const char *name, const struct settings *settings,
		      struct progress *progress)
{
	unsigned stride = stride_of(victims, settings);
	struct sl_image *image = NULL;

	for (unsigned n = stride / 2; n < CASES; n += stride) {
		const struct victim *victim;

		if (settings->one_case >= 0 && n != (unsigned)settings->one_case)
			continue;
		victim = victims_damage(victims, n, seed_of(name), progress->what, sizeof(progress->what));
		progress->n = n;
		if (!victim)
			continue;
		alarm(CASE_SECONDS);
		if (victim->role == ROLE_TRACE) {
			robust_run(victims->dir, n, &image, true);
		} else {
			struct sl_image *none = NULL;

			/* The kept image maps the files that are damaged here. */
			sl_image_free(image);
			image = NULL;
			robust_run(victims->dir, n, &none, false);
		}
		victim_repair(victim);
		progress->done++;
		if (peak_mib() > MEMORY_MIB) {
			fprintf(stderr, "peak memory %ld MiB\n", peak_mib());
			abort();
		}
	}
	sl_image_free(image);
}

/* In a child, so that one crash does not hide the next capture's. The number of cases, or -1. */
static int run_capture(const char *dir, const struct settings *settings, struct progress *progress)
{
	struct victims victims;
	int status = 0;
	pid_t child;

	*progress = (struct progress){ 0 };
	if (victims_copy(dir, &victims) < 0) {
		fprintf(stderr, "FAILED %s: cannot be copied to %s\n", dir, victims.dir);
		return -1;
	}
	child = fork();
	if (child == 0) {
		run_cases(&victims, dir, settings, progress);
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		status = -1;
	if (status != 0)
		fprintf(stderr, "FAILED %s case %u (%s): %s %d\n", dir, progress->n, progress->what,
			WIFSIGNALED(status) ? "signal" : "exit code",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	victims_remove(&victims);
	return status == 0 ? (int)progress->done : -1;
}

int main(int argc, char **argv)
{
	struct settings settings = { .one_case = -1 };
	struct progress *progress =
		mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned captures = 0, cases = 0, failed = 0;

	for (int i = 1; i < argc && progress != MAP_FAILED; i++) {
		int done;

		if (strcmp(argv[i], "--full") == 0) {
			settings.full = true;
		} else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
			settings.only = argv[++i];
		} else if (strcmp(argv[i], "--case") == 0 && i + 1 < argc) {
			settings.one_case = atoi(argv[++i]);
		} else if (!settings.only || strstr(argv[i], settings.only)) {
			done = run_capture(argv[i], &settings, progress);
			captures++;
			cases += done > 0 ? (unsigned)done : 0;
			failed += done < 0;
		}
	}
	printf("%u captures, %u cases, %u captures failed\n", captures, cases, failed);
	return captures && cases && !failed ? 0 : 1;
}
