/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as a trace in the Common Trace Format 1.8 (diamon.org/ctf/v1.8.3), as LTTng-UST writes calls of functions
 * (lttng_ust_cyg_profile): Trace Compass then shows its flame chart without being told how. A directory: "trace", with the
 * description ("metadata") and a stream a track; and "functions.nm", which gives names to what the trace has as addresses. It
 * lies beside the trace, since readers take all files in there for streams.
 */
#include "sl_export_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sl_array.h"
#include "sl_map.h"
#include "spool.h"
#include "utf8.h"
#include "writers.h"

enum { NAME_SIZE = 16 }; /* of a task in the context of an event */
enum { HEADER_BYTES = 4 + 16 + 4, CONTEXT_BYTES = 8 + 8 + 8 + 8 }; /* of a packet */
enum { EVENT_BYTES = 1 + 8 + 4 + 4 + NAME_SIZE + 8 + 8 };
#define MAGIC 0xc1fc1fc1u
#define TID_MADE 0x40000000u

struct track {
	char name[NAME_SIZE];
	uint32_t tid;
	uint64_t first, last, events;
};

struct ctf {
	char *dir;
	const struct sl_timeline_head *head;
	struct spool *spool;
	struct track *tracks;
	size_t count, cap;
	struct sl_map names; /* by name id: 1 where it is used */
	struct sl_map tids;  /* that a track has */
	int result;
};

static void put(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void ctf_begin(void *self, const struct sl_timeline_head *head)
{
	struct ctf *c = self;

	c->head = head;
}

/* A thread needs a number of its own: where the task has none it is made, above all that systems give. */
static uint32_t thread_of(struct ctf *c, const struct sl_timeline_track *track)
{
	uint64_t *taken = track->has_task && track->task < TID_MADE ? sl_map_put(&c->tids, track->task) : NULL;
	bool own = taken && !*taken;

	if (taken)
		*taken = 1;
	return own ? (uint32_t)track->task : TID_MADE + track->id;
}

static struct track *track_of(struct ctf *c, const struct sl_timeline_event *e)
{
	while (c->count <= e->track->id) {
		const struct track fresh = { .first = e->at };

		if (SL_ARRAY_PUSH(&c->tracks, &c->count, &c->cap, fresh) < 0)
			return NULL;
	}
	if (!c->tracks[e->track->id].events) {
		struct track *track = &c->tracks[e->track->id];

		track->first = e->at;
		snprintf(track->name, sizeof(track->name), "%s", e->track->name);
		track->tid = thread_of(c, e->track);
	}
	return &c->tracks[e->track->id];
}

/* Numbers of functions stand for their addresses, which several may have. 0 is none. */
static uint64_t address_of(uint32_t name_id)
{
	return ((uint64_t)name_id + 1) << 4;
}

static void ctf_event(void *self, const struct sl_timeline_event *e)
{
	struct ctf *c = self;
	uint8_t bytes[EVENT_BYTES] = { 0 };
	struct track *track;
	uint64_t *known;

	if (c->result != SL_OK || (e->kind != SL_TIMELINE_BEGIN && e->kind != SL_TIMELINE_END))
		return;
	track = track_of(c, e);
	known = sl_map_put(&c->names, e->name_id);
	if (!track || !known) {
		c->result = SL_ERR_NOMEM;
		return;
	}
	*known = 1;
	track->last = e->at;
	track->events++;
	put(bytes, e->kind == SL_TIMELINE_END, 1);
	put(bytes + 1, e->at, 8);
	put(bytes + 9, track->tid, 4);
	put(bytes + 13, track->tid, 4);
	memcpy(bytes + 17, track->name, NAME_SIZE);
	put(bytes + 17 + NAME_SIZE, address_of(e->name_id), 8);
	spool_put(c->spool, e->track->id, bytes, sizeof(bytes));
}

/* A new file in the directory; NULL where it cannot be made, which is remembered. */
static FILE *create(struct ctf *c, const char *name)
{
	char *path;
	FILE *file = NULL;

	if (c->result != SL_OK)
		return NULL;
	if (asprintf(&path, "%s/%s", c->dir, name) < 0) {
		c->result = SL_ERR_NOMEM;
		return NULL;
	}
	file = fopen(path, "wbxe");
	free(path);
	if (!file)
		c->result = SL_ERR_IO;
	return file;
}

static void finish(struct ctf *c, FILE *file)
{
	int result = sl_writer_flush(file);

	if (fclose(file) != 0)
		result = SL_ERR_IO;
	if (c->result == SL_OK)
		c->result = result;
}

static const char metadata[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := utf8_t;\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; base = 16; } := xint64_t;\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	"\tpacket.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; };\n};\n"
	"clock {\n\tname = \"monotonic\";\n\tfreq = 1000000000;\n\toffset = 0;\n};\n"
	"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := clock_t;\n"
	"stream {\n\tid = 0;\n"
	"\tpacket.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint64_t content_size; uint64_t packet_size; };\n"
	"\tevent.header := struct { uint8_t id; clock_t timestamp; };\n"
	"\tevent.context := struct { int32_t _vtid; int32_t _vpid; utf8_t _procname[16]; };\n};\n"
	"event {\n\tname = \"lttng_ust_cyg_profile:func_entry\";\n\tid = 0;\n\tstream_id = 0;\n"
	"\tfields := struct { xint64_t _addr; xint64_t _call_site; };\n};\n"
	"event {\n\tname = \"lttng_ust_cyg_profile:func_exit\";\n\tid = 1;\n\tstream_id = 0;\n"
	"\tfields := struct { xint64_t _addr; xint64_t _call_site; };\n};\n";

static void write_metadata(struct ctf *c)
{
	FILE *out = create(c, "trace/metadata");

	if (!out)
		return;
	fputs(metadata, out);
	fprintf(out, "env {\n\tdomain = \"ust\";\n\ttracer_name = \"lttng-ust\";\n\ttracer_major = 2;\n\ttracer_minor = 13;\n"
		     "\tgenerator = \"sightline " SL_VERSION "\";\n\tunit = \"%s\";\n\tabout = \"%s%s\";\n};\n",
		c->head->unit, c->head->about, c->head->unit[0] == 'n' ? "" : "; 1 ns stands for 1");
	finish(c, out);
}

static void write_names(struct ctf *c)
{
	FILE *out = create(c, "functions.nm");

	for (size_t i = 0; out && i < c->names.cap; i++) {
		const struct sl_map_slot *slot = &c->names.slots[i];
		const char *module;

		if (!slot->used)
			continue;
		fprintf(out, "%016" PRIx64 " T ", address_of((uint32_t)slot->key));
		sl_plain_text(out, c->head->name(c->head->ctx, (uint32_t)slot->key, &module), "");
		putc('\n', out);
	}
	if (out)
		finish(c, out);
}

/* All of a track is one packet. */
static void write_stream(struct ctf *c, uint32_t number)
{
	const struct track *track = &c->tracks[number];
	uint64_t bits = 8 * (HEADER_BYTES + CONTEXT_BYTES + spool_length(c->spool, number));
	uint8_t head[HEADER_BYTES + CONTEXT_BYTES] = { 0 };
	struct spool_reader *reader = malloc(sizeof(*reader));
	char name[32];
	const uint8_t *bytes;
	size_t len;
	FILE *out;

	snprintf(name, sizeof(name), "trace/track_%" PRIu32, number);
	out = create(c, name);
	if (!out || !reader) {
		c->result = c->result ? c->result : SL_ERR_NOMEM;
		goto out;
	}
	put(head, MAGIC, 4);
	put(head + HEADER_BYTES, track->first, 8);
	put(head + HEADER_BYTES + 8, track->last, 8);
	put(head + HEADER_BYTES + 16, bits, 8);
	put(head + HEADER_BYTES + 24, bits, 8);
	fwrite(head, 1, sizeof(head), out);
	spool_read(c->spool, number, reader);
	while ((len = spool_next(reader, &bytes)) != 0)
		fwrite(bytes, 1, len, out);
out:
	free(reader);
	if (out)
		finish(c, out);
}

static int ctf_close(void *self)
{
	struct ctf *c = self;
	int result;

	if (c->head) {
		write_metadata(c);
		write_names(c);
		for (uint32_t i = 0; i < c->count; i++) {
			if (c->tracks[i].events)
				write_stream(c, i);
		}
	}
	result = c->result != SL_OK ? c->result : spool_result(c->spool);
	spool_free(c->spool);
	sl_map_release(&c->names);
	sl_map_release(&c->tids);
	free(c->tracks);
	free(c->dir);
	free(c);
	return result;
}

static int make_directories(const char *dir)
{
	char *inner;
	int result;

	if (mkdir(dir, 0777) != 0)
		return SL_ERR_IO;
	if (asprintf(&inner, "%s/trace", dir) < 0)
		return SL_ERR_NOMEM;
	result = mkdir(inner, 0777) == 0 ? SL_OK : SL_ERR_IO;
	free(inner);
	return result;
}

int sl_timeline_ctf_new(const char *dir, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { ctf_begin, ctf_event, ctf_close };
	struct ctf *c;
	int result;

	c = calloc(1, sizeof(*c));
	result = c ? make_directories(dir) : SL_ERR_NOMEM;
	if (result == SL_OK)
		result = spool_new(&c->spool);
	if (result == SL_OK && !(c->dir = strdup(dir)))
		result = SL_ERR_NOMEM;
	if (result < 0) {
		if (c)
			spool_free(c->spool);
		free(c);
		return result;
	}
	*ret = (struct sl_timeline){ &ops, c };
	return SL_OK;
}
