/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as Perfetto's trace (perfetto.dev/docs/reference/trace-packet-proto; numbers of fields below are those of
 * protos/perfetto/trace/). A track is a sequence of packets of its own: names are interned there, and times are those since
 * its last packet. CPUs say which task they run. Packets are compressed a megabyte at a time. On an axis that is not time, a
 * nanosecond stands for one unit.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

#include "pb_write.h"
#include "sl_array.h"
#include "sl_map.h"
#include "writers.h"

enum { TRACE_PACKET = 1 };
enum {	/* TracePacket */
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_COMPRESSED = 50,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	PACKET_TASK_STATE = 117,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 }; /* sequence_flags: interned data begins anew; needs what was interned */
enum { SNAPSHOT_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2, CLOCK_INCREMENTAL = 3, BOOTTIME = 6, OWN_CLOCK = 64 };
enum { DEFAULTS_TRACK_EVENT = 11, DEFAULTS_CLOCK_ID = 58 };
enum { DESCRIPTOR_UUID = 1, DESCRIPTOR_NAME = 2, DESCRIPTOR_THREAD = 4, DESCRIPTOR_DESCRIPTION = 14 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_ANNOTATIONS = 4, EVENT_TYPE = 9, EVENT_NAME_IID = 10, EVENT_TRACK_UUID = 11, EVENT_NAME = 23 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_BOOL = 2, ANNOTATION_UINT = 3, ANNOTATION_NAME = 10 };
enum { INTERNED_EVENT_NAMES = 2, INTERNED_ANNOTATIONS = 3, INTERNED_IID = 1, INTERNED_NAME = 2 };
enum { STATE_CPU = 1, STATE_COMM = 2, STATE_TID = 3, STATE_STATE = 4, STATE_RUNNING = 3 };

enum { GLOBAL_SEQUENCE = 1, FIRST_SEQUENCE = 2 };
enum { BATCH = 1 << 20, LEVEL = 3 };
#define UUID_ABOUT UINT64_C(0x736c000000000000)
#define UUID_LANE UINT64_C(0x736c100000000000)
#define UUID_TRACK UINT64_C(0x736c200000000000)

static const char *const annotations[] = { "total", "self", "no_entry", "no_exit", "moved", NULL };
enum { TOTAL = 1, SELF, NO_ENTRY, NO_EXIT, MOVED }; /* their iids */

struct open_span {
	uint64_t start, inside; /* what its direct children took */
};

struct sequence {
	bool begun;
	uint64_t last;
	struct open_span *open;
	size_t len, cap;
};

struct perfetto {
	FILE *out;
	const struct sl_timeline_head *head;
	struct pb pb;	    /* packets that are not written yet */
	struct pb packed;
	struct sequence *sequences; /* by track */
	size_t count, cap;
	struct sl_map interned; /* track << 32 | name id */
	struct sl_map threads;	/* ids that a track has */
	struct sl_map lanes;	/* that have a track for what was lost */
	bool no_memory;
};

/* A packet of packets. */
static void write_batch(struct perfetto *p)
{
	uLongf len = compressBound((uLong)p->pb.len);
	uint8_t *bytes = malloc(len);
	size_t packet;

	if (!bytes || compress2(bytes, &len, p->pb.data, (uLong)p->pb.len, LEVEL) != Z_OK) {
		p->no_memory = true;
		free(bytes);
		return;
	}
	p->packed.len = 0;
	packet = pb_open(&p->packed, TRACE_PACKET);
	pb_bytes(&p->packed, PACKET_COMPRESSED, bytes, len);
	pb_close(&p->packed, packet);
	free(bytes);
	p->no_memory |= p->packed.no_memory || p->pb.no_memory;
	if (!p->no_memory)
		fwrite(p->packed.data, 1, p->packed.len, p->out);
	p->pb.len = 0;
}

static size_t open_packet(struct perfetto *p, uint32_t sequence, unsigned flags)
{
	size_t packet = pb_open(&p->pb, TRACE_PACKET);

	pb_uint(&p->pb, PACKET_SEQUENCE_ID, sequence);
	if (flags)
		pb_uint(&p->pb, PACKET_SEQUENCE_FLAGS, flags);
	return packet;
}

static void close_packet(struct perfetto *p, size_t packet)
{
	pb_close(&p->pb, packet);
	if (p->pb.len >= BATCH)
		write_batch(p);
}

static void describe(struct perfetto *p, uint64_t uuid, const char *name)
{
	size_t packet = open_packet(p, GLOBAL_SEQUENCE, 0), track = pb_open(&p->pb, PACKET_TRACK_DESCRIPTOR);

	pb_uint(&p->pb, DESCRIPTOR_UUID, uuid);
	pb_string(&p->pb, DESCRIPTOR_NAME, name);
	pb_close(&p->pb, track);
	close_packet(p, packet);
}

static void instant(struct perfetto *p, uint64_t uuid, uint64_t at, const char *name)
{
	size_t packet = open_packet(p, GLOBAL_SEQUENCE, 0), event;

	pb_uint(&p->pb, PACKET_TIMESTAMP, at);
	event = pb_open(&p->pb, PACKET_TRACK_EVENT);
	pb_uint(&p->pb, EVENT_TYPE, TYPE_INSTANT);
	pb_uint(&p->pb, EVENT_TRACK_UUID, uuid);
	pb_string(&p->pb, EVENT_NAME, name);
	pb_close(&p->pb, event);
	close_packet(p, packet);
}

/* What the axis is stands on a track of its own, where the viewer shows it. */
static void perfetto_begin(void *self, const struct sl_timeline_head *head)
{
	struct perfetto *p = self;
	char name[300];

	p->head = head;
	snprintf(name, sizeof(name), "sightline: %s%s", head->about, head->unit[0] == 'n' ? "" : "; 1 ns stands for 1");
	describe(p, UUID_ABOUT, name);
	instant(p, UUID_ABOUT, 0, "begin");
}

static bool is_new(struct perfetto *p, struct sl_map *map, uint64_t key)
{
	uint64_t *value = sl_map_put(map, key);
	bool fresh = value && !*value;

	if (value)
		*value = 1;
	else
		p->no_memory = true;
	return fresh;
}

/* A thread, where the task has an id that no other track has: CPUs then show its name. */
static bool is_thread(struct perfetto *p, const struct sl_timeline_track *track)
{
	return track->has_task && track->task && track->task <= INT32_MAX && is_new(p, &p->threads, track->task);
}

static void describe_track(struct perfetto *p, const struct sl_timeline_track *track)
{
	size_t packet = open_packet(p, GLOBAL_SEQUENCE, 0), descriptor = pb_open(&p->pb, PACKET_TRACK_DESCRIPTOR), thread;

	pb_uint(&p->pb, DESCRIPTOR_UUID, UUID_TRACK + track->id);
	pb_string(&p->pb, DESCRIPTOR_DESCRIPTION, p->head->about);
	if (is_thread(p, track)) {
		thread = pb_open(&p->pb, DESCRIPTOR_THREAD);
		pb_uint(&p->pb, THREAD_PID, track->task);
		pb_uint(&p->pb, THREAD_TID, track->task);
		pb_string(&p->pb, THREAD_NAME, track->name);
		pb_close(&p->pb, thread);
	} else {
		pb_string(&p->pb, DESCRIPTOR_NAME, track->name);
	}
	pb_close(&p->pb, descriptor);
	close_packet(p, packet);
}

static void clock_at(struct perfetto *p, unsigned id, uint64_t at, bool incremental)
{
	size_t clock = pb_open(&p->pb, SNAPSHOT_CLOCK);

	pb_uint(&p->pb, CLOCK_ID, id);
	pb_uint(&p->pb, CLOCK_TIMESTAMP, at);
	if (incremental)
		pb_uint(&p->pb, CLOCK_INCREMENTAL, 1);
	pb_close(&p->pb, clock);
}

/* What all packets of a track have in common. */
static void begin_sequence(struct perfetto *p, const struct sl_timeline_event *e)
{
	size_t packet = open_packet(p, FIRST_SEQUENCE + e->track->id, FLAG_CLEARED | FLAG_NEEDS), part, inner;

	part = pb_open(&p->pb, PACKET_DEFAULTS);
	pb_uint(&p->pb, DEFAULTS_CLOCK_ID, OWN_CLOCK);
	inner = pb_open(&p->pb, DEFAULTS_TRACK_EVENT);
	pb_uint(&p->pb, EVENT_TRACK_UUID, UUID_TRACK + e->track->id);
	pb_close(&p->pb, inner);
	pb_close(&p->pb, part);
	part = pb_open(&p->pb, PACKET_CLOCK_SNAPSHOT);
	clock_at(p, BOOTTIME, e->at, false);
	clock_at(p, OWN_CLOCK, 0, true);
	pb_close(&p->pb, part);
	part = pb_open(&p->pb, PACKET_INTERNED_DATA);
	for (unsigned i = 0; annotations[i]; i++) {
		inner = pb_open(&p->pb, INTERNED_ANNOTATIONS);
		pb_uint(&p->pb, INTERNED_IID, i + 1);
		pb_string(&p->pb, INTERNED_NAME, annotations[i]);
		pb_close(&p->pb, inner);
	}
	pb_close(&p->pb, part);
	close_packet(p, packet);
}

static struct sequence *sequence_of(struct perfetto *p, const struct sl_timeline_event *e)
{
	struct sequence *sequence;

	while (p->count <= e->track->id) {
		if (SL_ARRAY_PUSH(&p->sequences, &p->count, &p->cap, (struct sequence){ 0 }) < 0) {
			p->no_memory = true;
			return NULL;
		}
	}
	sequence = &p->sequences[e->track->id];
	if (!sequence->begun) {
		describe_track(p, e->track);
		begin_sequence(p, e);
		sequence->begun = true;
		sequence->last = e->at;
	}
	return sequence;
}

static void annotate(struct perfetto *p, unsigned iid, unsigned kind, uint64_t value)
{
	size_t annotation = pb_open(&p->pb, EVENT_ANNOTATIONS);

	pb_uint(&p->pb, ANNOTATION_NAME_IID, iid);
	pb_uint(&p->pb, kind, value);
	pb_close(&p->pb, annotation);
}

static void intern(struct perfetto *p, const struct sl_timeline_event *e)
{
	size_t data, name;

	if (!is_new(p, &p->interned, (uint64_t)e->track->id << 32 | e->name_id))
		return;
	data = pb_open(&p->pb, PACKET_INTERNED_DATA);
	name = pb_open(&p->pb, INTERNED_EVENT_NAMES);
	pb_uint(&p->pb, INTERNED_IID, (uint64_t)e->name_id + 1);
	pb_string(&p->pb, INTERNED_NAME, e->name);
	pb_close(&p->pb, name);
	pb_close(&p->pb, data);
}

static void span_begins(struct perfetto *p, struct sequence *sequence, const struct sl_timeline_event *e)
{
	size_t event;

	intern(p, e);
	event = pb_open(&p->pb, PACKET_TRACK_EVENT);
	pb_uint(&p->pb, EVENT_TYPE, TYPE_BEGIN);
	pb_uint(&p->pb, EVENT_NAME_IID, (uint64_t)e->name_id + 1);
	if (e->flags & SL_SPAN_NO_ENTRY)
		annotate(p, NO_ENTRY, ANNOTATION_BOOL, 1);
	pb_close(&p->pb, event);
	if (SL_ARRAY_PUSH(&sequence->open, &sequence->len, &sequence->cap, (struct open_span){ .start = e->at }) < 0)
		p->no_memory = true;
}

/* What viewers compute by themselves is not said: that a call ran all of its duration, and its callees the rest of self. */
static void span_ends(struct perfetto *p, struct sequence *sequence, const struct sl_timeline_event *e)
{
	size_t event = pb_open(&p->pb, PACKET_TRACK_EVENT);
	struct open_span span = { 0 };
	uint64_t duration;

	if (sequence->len)
		span = sequence->open[--sequence->len];
	duration = e->at - span.start;
	if (sequence->len)
		sequence->open[sequence->len - 1].inside += duration;
	pb_uint(&p->pb, EVENT_TYPE, TYPE_END);
	if (e->costs && (e->total != duration || e->self != duration - span.inside)) {
		annotate(p, TOTAL, ANNOTATION_UINT, e->total);
		annotate(p, SELF, ANNOTATION_UINT, e->self);
	}
	if (e->flags & SL_SPAN_NO_EXIT)
		annotate(p, NO_EXIT, ANNOTATION_BOOL, 1);
	if (!e->costs)
		annotate(p, MOVED, ANNOTATION_BOOL, 1);
	pb_close(&p->pb, event);
}

static void span(struct perfetto *p, const struct sl_timeline_event *e)
{
	struct sequence *sequence = sequence_of(p, e);
	size_t packet;

	if (!sequence)
		return;
	packet = open_packet(p, FIRST_SEQUENCE + e->track->id, FLAG_NEEDS);
	pb_uint(&p->pb, PACKET_TIMESTAMP, e->at - sequence->last);
	sequence->last = e->at;
	if (e->kind == SL_TIMELINE_BEGIN)
		span_begins(p, sequence, e);
	else
		span_ends(p, sequence, e);
	close_packet(p, packet);
}

/* Who ran before is no longer running then; what became of it nobody told. */
static void runs(struct perfetto *p, const struct sl_timeline_event *e)
{
	size_t packet, state;

	if (!e->track || !e->track->has_task || e->track->task > INT32_MAX || e->cpu < 0)
		return;
	packet = open_packet(p, GLOBAL_SEQUENCE, 0);
	pb_uint(&p->pb, PACKET_TIMESTAMP, e->at);
	state = pb_open(&p->pb, PACKET_TASK_STATE);
	pb_uint(&p->pb, STATE_CPU, (uint64_t)e->cpu);
	pb_string(&p->pb, STATE_COMM, e->track->name);
	pb_uint(&p->pb, STATE_TID, e->track->task);
	pb_uint(&p->pb, STATE_STATE, STATE_RUNNING);
	pb_close(&p->pb, state);
	close_packet(p, packet);
}

static void loss(struct perfetto *p, const struct sl_timeline_event *e)
{
	char name[64];

	if (e->cpu >= 0)
		snprintf(name, sizeof(name), "trace lost, CPU %" PRId64, e->cpu);
	else
		snprintf(name, sizeof(name), "trace lost, lane %" PRIu32, e->lane);
	if (is_new(p, &p->lanes, e->lane))
		describe(p, UUID_LANE + e->lane, name);
	instant(p, UUID_LANE + e->lane, e->at, e->name);
}

static void perfetto_event(void *self, const struct sl_timeline_event *e)
{
	struct perfetto *p = self;

	if (p->no_memory)
		return;
	if (e->kind == SL_TIMELINE_RUN)
		runs(p, e);
	else if (e->kind == SL_TIMELINE_MARK)
		loss(p, e);
	else
		span(p, e);
}

static int perfetto_close(void *self)
{
	struct perfetto *p = self;
	int result;

	if (p->pb.len && !p->no_memory)
		write_batch(p);
	result = p->no_memory ? SL_ERR_NOMEM : sl_writer_flush(p->out);
	for (size_t i = 0; i < p->count; i++)
		free(p->sequences[i].open);
	free(p->sequences);
	pb_release(&p->pb);
	pb_release(&p->packed);
	sl_map_release(&p->interned);
	sl_map_release(&p->threads);
	sl_map_release(&p->lanes);
	free(p);
	return result;
}

int sl_timeline_perfetto_new(FILE *out, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { perfetto_begin, perfetto_event, perfetto_close };
	struct perfetto *p = calloc(1, sizeof(*p));

	if (!p)
		return SL_ERR_NOMEM;
	p->out = out;
	*ret = (struct sl_timeline){ &ops, p };
	return SL_OK;
}
