/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as a profile of pprof (github.com/google/pprof, proto/profile.proto), in gzip. A path is a sample: its calls, and what it
 * took by itself. Functions have a location each, without an address; their modules are mappings.
 */
#include "sl_export_files.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pb_write.h"
#include "sl_array.h"
#include "sl_map.h"
#include "writers.h"

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION, PROFILE_STRING,
       PROFILE_DEFAULT_TYPE = 14 };
enum { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };
enum { BATCH = 1 << 18, GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8 };

struct pprof {
	FILE *out;
	struct pb pb;
	z_stream gzip;
	uint32_t *stack; /* locations of the path to the last one */
	size_t len, cap;
	uint64_t strings;
	struct sl_map names;	/* by name id: 1 where it has its location */
	struct sl_map mappings; /* by the module's name: id */
	uint64_t mapping_count;
	bool no_memory;
};

/* Packs what is written so far. */
static void pack(struct pprof *p, int flush)
{
	uint8_t bytes[1 << 14];
	int status;

	p->gzip.next_in = p->pb.data;
	p->gzip.avail_in = (uInt)p->pb.len;
	do {
		p->gzip.next_out = bytes;
		p->gzip.avail_out = sizeof(bytes);
		status = deflate(&p->gzip, flush);
		fwrite(bytes, 1, sizeof(bytes) - p->gzip.avail_out, p->out);
	} while (status == Z_OK && p->gzip.avail_out == 0);
	p->pb.len = 0;
}

static uint64_t string(struct pprof *p, const char *text)
{
	pb_string(&p->pb, PROFILE_STRING, text);
	return p->strings++;
}

static void value_type(struct pprof *p, const char *type, const char *unit)
{
	uint64_t names[] = { string(p, type), string(p, unit) };
	size_t opened = pb_open(&p->pb, PROFILE_SAMPLE_TYPE);

	pb_uint(&p->pb, VALUE_TYPE, names[0]);
	pb_uint(&p->pb, VALUE_UNIT, names[1]);
	pb_close(&p->pb, opened);
}

static void pprof_begin(void *self, const struct sl_paths_head *head)
{
	struct pprof *p = self;
	bool time = head->unit[0] == 'n';
	uint64_t type;

	string(p, ""); /* number 0 has to be the empty one */
	value_type(p, "calls", "count");
	type = p->strings;
	value_type(p, time ? "time" : head->unit[0] == 'c' ? "cycles" : "instructions", time ? "nanoseconds" : "count");
	pb_uint(&p->pb, PROFILE_DEFAULT_TYPE, type);
}

static uint64_t mapping_of(struct pprof *p, const char *module)
{
	uint64_t *id = sl_map_put(&p->mappings, sl_hash(SL_HASH_SEED, module, strlen(module))), name;
	size_t opened;

	if (!id) {
		p->no_memory = true;
		return 0;
	}
	if (*id)
		return *id;
	*id = ++p->mapping_count;
	name = string(p, module);
	opened = pb_open(&p->pb, PROFILE_MAPPING);
	pb_uint(&p->pb, MAPPING_ID, *id);
	pb_uint(&p->pb, MAPPING_FILE, name);
	pb_uint(&p->pb, MAPPING_HAS_FUNCTIONS, 1);
	pb_close(&p->pb, opened);
	return *id;
}

static void add_location(struct pprof *p, const struct sl_path *path, uint32_t id)
{
	uint64_t mapping = path->module ? mapping_of(p, path->module) : 0, name = string(p, path->name);
	size_t opened = pb_open(&p->pb, PROFILE_FUNCTION), line;

	pb_uint(&p->pb, FUNCTION_ID, id);
	pb_uint(&p->pb, FUNCTION_NAME, name);
	pb_uint(&p->pb, FUNCTION_SYSTEM_NAME, name);
	pb_close(&p->pb, opened);
	opened = pb_open(&p->pb, PROFILE_LOCATION);
	pb_uint(&p->pb, LOCATION_ID, id);
	if (mapping)
		pb_uint(&p->pb, LOCATION_MAPPING, mapping);
	line = pb_open(&p->pb, LOCATION_LINE);
	pb_uint(&p->pb, LINE_FUNCTION, id);
	pb_close(&p->pb, line);
	pb_close(&p->pb, opened);
}

/* Locations from the leaf up. */
static void add_sample(struct pprof *p, const struct sl_path *path)
{
	size_t opened = pb_open(&p->pb, PROFILE_SAMPLE), packed = pb_open(&p->pb, SAMPLE_LOCATIONS);

	for (size_t i = p->len; i-- > 0;)
		pb_varint(&p->pb, p->stack[i]);
	pb_close(&p->pb, packed);
	packed = pb_open(&p->pb, SAMPLE_VALUES);
	pb_varint(&p->pb, path->calls);
	pb_varint(&p->pb, path->self);
	pb_close(&p->pb, packed);
	pb_close(&p->pb, opened);
}

static void pprof_path(void *self, const struct sl_path *path)
{
	struct pprof *p = self;
	uint64_t *known = sl_map_put(&p->names, path->name_id);
	uint32_t id = path->name_id + 1;

	p->len = path->depth;
	if (!known || SL_ARRAY_PUSH(&p->stack, &p->len, &p->cap, id) < 0) {
		p->no_memory = true;
		return;
	}
	if (!*known)
		add_location(p, path, id);
	*known = 1;
	add_sample(p, path);
	if (p->pb.len >= BATCH)
		pack(p, Z_NO_FLUSH);
}

static int pprof_close(void *self)
{
	struct pprof *p = self;
	int result;

	pack(p, Z_FINISH);
	deflateEnd(&p->gzip);
	result = p->no_memory || p->pb.no_memory ? SL_ERR_NOMEM : sl_writer_flush(p->out);
	pb_release(&p->pb);
	free(p->stack);
	sl_map_release(&p->names);
	sl_map_release(&p->mappings);
	free(p);
	return result;
}

int sl_paths_pprof_new(FILE *out, struct sl_paths *ret)
{
	static const struct sl_paths_ops ops = { pprof_begin, pprof_path, pprof_close };
	struct pprof *p = calloc(1, sizeof(*p));

	if (!p || deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(p);
		return SL_ERR_NOMEM;
	}
	p->out = out;
	*ret = (struct sl_paths){ &ops, p };
	return SL_OK;
}
