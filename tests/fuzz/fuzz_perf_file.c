/* SPDX-License-Identifier: Apache-2.0 */
/* A perf.data: opened, and every byte that it lends is read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf/perf_file.h"

struct sum {
	uint64_t value;
};

static void add_bytes(struct sum *sum, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum->value += data[i];
}

static void add_text(struct sum *sum, const char *text)
{
	if (text)
		add_bytes(sum, (const uint8_t *)text, strlen(text));
}

static void read_records(const struct perf_file *file, struct sum *sum)
{
	const struct perf_record *records;
	size_t len = perf_file_records(file, &records);
	uint8_t block[64];
	uint64_t before = 0;

	for (size_t i = 0; i < len; i++) {
		const struct perf_record *record = &records[i];

		if (record->body_len > record->len || record->who.time < before)
			abort();
		before = record->who.time;
		add_bytes(sum, record->body, record->len);
		add_text(sum, perf_string(record, record->len / 2));
		sum->value += perf_u64(file, record, record->len - 4) + perf_u32(file, record, record->len) +
			      perf_u16(file, record, 1);
		if (record->payload_len &&
		    perf_file_read(file, record->payload_offset + record->payload_len - 1, block, 1) != 1)
			abort();
	}
}

static void read_rest(const struct perf_file *file, struct sum *sum)
{
	const struct perf_attr *attrs;
	const struct perf_build_id *ids;
	size_t attr_count = perf_file_attrs(file, &attrs), id_count = perf_file_build_ids(file, &ids);

	for (size_t i = 0; i < attr_count; i++)
		add_bytes(sum, (const uint8_t *)attrs[i].ids, 8 * attrs[i].id_count);
	for (size_t i = 0; i < id_count; i++) {
		add_text(sum, ids[i].name);
		add_bytes(sum, ids[i].id, ids[i].len);
	}
	for (unsigned bit = 0; bit < 256; bit++)
		add_bytes(sum, perf_file_feature(file, bit).data, perf_file_feature(file, bit).len);
	add_text(sum, perf_file_arch(file));
	add_text(sum, perf_file_release(file));
	add_text(sum, perf_file_hostname(file));
	add_text(sum, perf_file_cmdline(file));
	add_text(sum, perf_file_cpudesc(file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/sightline-fuzz-perf-XXXXXX";
	struct sl_notes notes = SL_NOTES_INIT;
	struct perf_file *file;
	struct sum sum = { 0 };
	int fd = mkstemp(path);

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size && perf_file_open(path, &notes, &file, NULL) == SL_OK) {
		read_records(file, &sum);
		read_rest(file, &sum);
		perf_file_close(file);
	}
	close(fd);
	unlink(path);
	sl_notes_release(&notes);
	return sum.value == UINT64_MAX;
}
