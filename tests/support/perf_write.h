/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_WRITE_H
#define PERF_WRITE_H
/*
 * A small writer of perf.data files for tests: any record, attributes, features, in either byte order, as
 * file, as pipe or in compressed records. Failures end the program.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_bytes {
	uint8_t *data;
	size_t len, cap;
	bool big;
};
void perf_put(struct perf_bytes *bytes, const void *data, size_t len);
void perf_put8(struct perf_bytes *bytes, uint8_t value);
void perf_put16(struct perf_bytes *bytes, uint16_t value);
void perf_put32(struct perf_bytes *bytes, uint32_t value);
void perf_put64(struct perf_bytes *bytes, uint64_t value);
/* With its NUL, and NULs to the next multiple of 8. */
void perf_put_text(struct perf_bytes *bytes, const char *text);
/* As features hold strings: the padded length, then the text. */
void perf_put_string(struct perf_bytes *bytes, const char *text);

/* An event. bytes: how much of the attribute the file shall have (0: 128); what is beyond what is known is
 * 0xee. */
struct perf_write_attr {
	uint32_t type, bytes, clockid;
	uint64_t config, sample_period, sample_type, flags, config1, config2, config3;
	const uint64_t *ids;
	size_t id_count;
};

enum perf_write_form {
	PERF_WRITE_FILE,
	PERF_WRITE_PIPE,
	PERF_WRITE_UNFINISHED, /* killed: the header's sizes and features were not written yet */
	PERF_WRITE_OLD,	       /* a header of 72 bytes, no features */
};

struct perf_writer {
	struct perf_bytes records;
	struct perf_bytes features[256];
	struct perf_write_attr attrs[8];
	size_t attr_count, record_at;
	void *zstd;
};
void perf_writer_init(struct perf_writer *writer, bool big);
void perf_writer_release(struct perf_writer *writer);
void perf_write_attr(struct perf_writer *writer, struct perf_write_attr attr);
/* A feature's bytes, to be filled. It is written where it is not empty. */
struct perf_bytes *perf_write_feature(struct perf_writer *writer, unsigned bit);

/* A record: begin, put its body and trailer in what begin returns, end. end returns the record's offset in
 * the records. */
struct perf_bytes *perf_write_begin(struct perf_writer *writer, uint32_t type, uint16_t misc);
size_t perf_write_end(struct perf_writer *writer);
/* AUXTRACE with its payload. */
size_t perf_write_auxtrace(struct perf_writer *writer, uint32_t idx, uint32_t tid, uint32_t cpu,
			   uint64_t offset, const void *payload, size_t len);
/* records as COMPRESSED (type 81) or COMPRESSED2 (83) records of piece bytes each before compression, in one
 * stream. */
void perf_write_compressed(struct perf_writer *writer, uint32_t type, const struct perf_bytes *records,
			   size_t piece);

/* The whole file; release ret. */
void perf_write_whole(const struct perf_writer *writer, enum perf_write_form form, struct perf_bytes *ret);
void perf_bytes_release(struct perf_bytes *bytes);
#endif
