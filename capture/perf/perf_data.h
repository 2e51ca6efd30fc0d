/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PERF_DATA_H
#define PERF_DATA_H
/* An open perf.data, as the sources that read it share it. Others use perf_file.h. */
#include "perf_file.h"
#include "sl_file.h"

enum {
	PERF_FEATURES = 256,
	PERF_HEAD_BYTES = 8,	  /* of a record: type, misc, size */
	PERF_FIRST_OWN_TYPE = 64, /* from here on perf's own records, without trailer */
	PERF_FIRST_SIMPLEPERF_TYPE = 32768,
};
enum perf_feature_bit {
	PERF_FEAT_BUILD_ID = 2,
	PERF_FEAT_HOSTNAME = 3,
	PERF_FEAT_OSRELEASE = 4,
	PERF_FEAT_ARCH = 6,
	PERF_FEAT_CPUDESC = 8,
	PERF_FEAT_CPUID = 9,
	PERF_FEAT_CMDLINE = 11,
	PERF_FEAT_AUXTRACE = 18,
	PERF_FEAT_SIMPLEPERF = 128, /* first of its own */
	PERF_FEAT_SIMPLEPERF_LAST = 133,
};

struct perf_section {
	uint64_t offset, size;
};

/* The file itself, "data" of a directory, or one data.N of it. */
struct perf_part {
	char *path; /* as messages name it */
	struct sl_file map;
	uint64_t base;		     /* what all parts before it hold: offsets of records count on */
	struct perf_section records; /* inside of the map */
};

struct perf_id {
	uint64_t id;
	size_t attr;
};

/* Where a record says which event it belongs to; words count from the end of a trailer or the start of a
 * SAMPLE. */
struct perf_id_place {
	bool mixed;    /* the events' layouts differ */
	unsigned word; /* of the id, from 1; 0: no place that all events share */
};

struct perf_file {
	bool big, pipe, simpleperf;
	char *dir;
	struct perf_part *parts;
	size_t part_len, part_cap;
	struct perf_section attrs_at;
	uint64_t attr_size;
	struct perf_record *records;
	size_t record_len, record_cap;
	bool records_full;
	struct perf_attr *attrs;
	size_t attr_len, attr_cap;
	uint64_t attr_ids; /* of all attrs */
	struct perf_id *ids;
	size_t id_len;
	struct perf_id_place trailer_id, sample_id;
	struct sl_bytes features[PERF_FEATURES];
	struct perf_build_id *build_ids;
	size_t build_id_len, build_id_cap;
	char *arch, *release, *hostname, *cmdline, *cpudesc, *cpuid;
	uint8_t **chunks; /* decompressed */
	size_t chunk_len, chunk_cap;
	uint64_t unzipped_bytes, zipped_bytes;
	struct sl_notes *notes; /* while opening */
};

static inline uint64_t perf_get(bool big, const uint8_t *data, unsigned len)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < len; i++)
		value = value << 8 | data[big ? i : len - 1 - i];
	return value;
}
static inline uint16_t perf_get16(const struct perf_file *file, const uint8_t *data)
{
	return (uint16_t)perf_get(file->big, data, 2);
}
static inline uint32_t perf_get32(const struct perf_file *file, const uint8_t *data)
{
	return (uint32_t)perf_get(file->big, data, 4);
}
static inline uint64_t perf_get64(const struct perf_file *file, const uint8_t *data)
{
	return perf_get(file->big, data, 8);
}
/* section, cut to what lies in a file of size bytes. */
static inline struct perf_section perf_section_cut(struct perf_section section, uint64_t size)
{
	if (section.offset > size)
		return (struct perf_section){ size, 0 };
	if (section.size > size - section.offset)
		section.size = size - section.offset;
	return section;
}

/* perf_open.c: maps all parts and finds attributes, records and the table of features. */
int perf_parts_open(struct perf_file *file, const char *path, struct sl_diag *diag);
void perf_parts_close(struct perf_file *file);
uint64_t perf_parts_bytes(const struct perf_file *file);
/* perf_header.c: the head of part 0, and with it the features' sections. */
int perf_header_read(struct perf_file *file, struct sl_diag *diag);

/* perf_attrs.c: from the header's section, from HEADER_ATTR records where that has none; then who of all
 * records. */
int perf_attrs_read(struct perf_file *file);
int perf_attrs_read_records(struct perf_file *file);
int perf_attrs_index(struct perf_file *file);
void perf_attrs_apply(struct perf_file *file);
void perf_attrs_release(struct perf_file *file);

/* perf_features.c: sections by the table behind the records, FEATURE and BUILD_ID records; then what they
 * say. */
void perf_features_find(struct perf_file *file, const uint8_t *bitmap, uint64_t table);
int perf_features_read(struct perf_file *file);
void perf_features_release(struct perf_file *file);
/* The first offset behind `behind` at which the AUXTRACE index promises a record, 0 where none. *cursor
 * begins as 0. */
uint64_t perf_index_next(const struct perf_file *file, uint64_t behind, size_t *cursor);

/* perf_records.c: walks all parts. SL_OK, SL_ERR_NOMEM, or SL_ERR_FORMAT with diag where the first record is
 * none. */
int perf_records_read(struct perf_file *file, struct sl_diag *diag);
/* Appends the whole records of decompressed data, whose offset is that of the compressed record. *ret_used is
 * how far they reach. SL_OK, SL_ERR_NOMEM, or SL_END where what follows cannot be read, which is noted. */
int perf_records_split(struct perf_file *file, size_t part, struct sl_bytes data, size_t *ret_used);
/* perf_sort.c: by time, stable. */
int perf_records_sort(struct perf_file *file);

/* perf_zstd.c: the zstd stream of one part. */
struct perf_unzip;
/* body is that of a COMPRESSED or COMPRESSED2 record. SL_OK (also where the stream is broken: noted) or
 * SL_ERR_NOMEM. */
int perf_unzip_feed(struct perf_unzip **unzip, struct perf_file *file, size_t part,
		    const struct perf_record *record);
/* Notes what is left over. unzip may be NULL. */
void perf_unzip_end(struct perf_unzip *unzip, struct perf_file *file, size_t part);
#endif
