/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_mutants COUNT SEED...: perf.data files with wrong sizes, offsets, types and counts where the format has them, each
 * opened, decoded and reported (fuzz_perf_capture.c). Says how long the slowest took and how much memory was used.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "sl_file.h"

enum { CASE_SECONDS = 60, HEADER_WORDS = 13, DATA_OFFSET_WORD = 5, AUXTRACE = 71, RECORDS_MAX = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct mutant {
	uint8_t *data;
	size_t len;
	size_t records[RECORDS_MAX]; /* offsets of their headers */
	size_t record_len;
};

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 24;
}

static uint64_t word_at(const struct mutant *m, size_t at)
{
	uint64_t value = 0;

	if (at <= m->len && m->len - at >= sizeof(value))
		memcpy(&value, m->data + at, sizeof(value));
	return value;
}

static void put(struct mutant *m, size_t at, uint64_t value, size_t size)
{
	if (at <= m->len && m->len - at >= size)
		memcpy(m->data + at, &value, size);
}

static void find_records(struct mutant *m)
{
	size_t at = (size_t)word_at(m, 8 * DATA_OFFSET_WORD);

	m->record_len = 0;
	while (m->record_len < RECORDS_MAX && at < m->len) {
		uint64_t head = word_at(m, at);
		size_t size = (size_t)(head >> 48), behind = (uint32_t)head == AUXTRACE ? (size_t)word_at(m, at + 8) : 0;

		if (size < 8 || size > m->len - at || behind > m->len - at - size)
			return;
		m->records[m->record_len++] = at;
		at += size + behind;
	}
}

/* Numbers that break sums, products and comparisons. */
static uint64_t bad_number(uint64_t old, uint64_t *seed)
{
	const uint64_t numbers[] = { 0, 1, 7, 8, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX - 7,
				     UINT64_MAX, old + 1, old - 1, old * 2, old / 2, old ^ 1ull << draw(seed) % 64 };

	return numbers[draw(seed) % (sizeof(numbers) / sizeof(*numbers))];
}

static void mutate_record(struct mutant *m, uint64_t *seed)
{
	size_t at = m->records[draw(seed) % m->record_len];
	size_t size = (size_t)(word_at(m, at) >> 48), field = at + 8 + 4 * (size_t)(draw(seed) % (size / 4 + 1));

	switch (draw(seed) % 6) {
	case 0:
		put(m, at, bad_number(word_at(m, at) & UINT32_MAX, seed), 4); /* type */
		break;
	case 1:
		put(m, at + 6, bad_number(size, seed), 2);
		break;
	case 2:
		put(m, at + 4, draw(seed), 2); /* misc */
		break;
	case 3:
		put(m, field, bad_number(word_at(m, field) & UINT32_MAX, seed), 4);
		break;
	default:
		put(m, field, bad_number(word_at(m, field), seed), 8);
	}
}

static void mutate(struct mutant *m, uint64_t *seed)
{
	for (uint64_t n = 1 + draw(seed) % 4; n; n--) {
		size_t word = 8 * (1 + (size_t)(draw(seed) % (HEADER_WORDS - 1)));

		if (draw(seed) % 4 == 0)
			put(m, word, bad_number(word_at(m, word), seed), 8);
		else if (m->record_len)
			mutate_record(m, seed);
	}
	if (draw(seed) % 8 == 0)
		m->len = (size_t)(draw(seed) % (m->len + 1));
}

static double run_one(const struct sl_file *file, uint64_t seed)
{
	struct mutant m = { .data = malloc(file->len + 1), .len = file->len };
	clock_t start = clock();

	if (!m.data)
		abort();
	memcpy(m.data, file->data, file->len);
	find_records(&m);
	mutate(&m, &seed);
	alarm(CASE_SECONDS);
	LLVMFuzzerTestOneInput(m.data, m.len);
	free(m.data);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	struct rusage usage;
	double worst = 0;

	for (long n = 0; n < count; n++) {
		struct sl_diag diag;
		struct sl_file file;
		double seconds;

		if (sl_file_map(argv[2 + n % (argc - 2)], &file, &diag) < 0) {
			fprintf(stderr, "%s\n", diag.text);
			return 1;
		}
		seconds = run_one(&file, (uint64_t)n * 2654435761u + 1);
		worst = seconds > worst ? seconds : worst;
		sl_file_unmap(&file);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%ld mutants, the slowest %.3f s of CPU, peak %ld MiB\n", count, worst, usage.ru_maxrss / 1024);
	return count > 0 ? 0 : 1;
}
