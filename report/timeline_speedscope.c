/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as speedscope's own file (file-format-spec.ts of speedscope: FileFormat.File, EventedProfile). A profile is all of
 * one track, in order; names are shared.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_map.h"
#include "spool.h"
#include "utf8.h"
#include "writers.h"

struct profile {
	char *name;
	uint64_t first, last;
};

struct frame {
	const char *name, *module;
};

struct speedscope {
	FILE *out;
	const struct sl_timeline_head *head;
	struct spool *spool; /* a stream a track: (frame << 1 | is a beginning), time since the last one's */
	struct profile *profiles;
	size_t profile_count, profile_cap;
	struct sl_map by_name; /* frame + 1 */
	struct frame *frames;
	size_t frame_count, frame_cap;
	bool no_memory;
};

static void speedscope_begin(void *self, const struct sl_timeline_head *head)
{
	struct speedscope *s = self;

	s->head = head;
}

static uint32_t frame_of(struct speedscope *s, const struct sl_timeline_event *e)
{
	uint64_t *number = sl_map_put(&s->by_name, e->name_id);
	struct frame frame;

	if (number && *number)
		return (uint32_t)*number - 1;
	frame.name = s->head->name(s->head->ctx, e->name_id, &frame.module);
	if (!number || SL_ARRAY_PUSH(&s->frames, &s->frame_count, &s->frame_cap, frame) < 0) {
		s->no_memory = true;
		return 0;
	}
	*number = s->frame_count;
	return (uint32_t)s->frame_count - 1;
}

/* Tracks come with dense numbers, in their order. */
static struct profile *profile_of(struct speedscope *s, const struct sl_timeline_event *e)
{
	const struct profile fresh = { .first = e->at, .last = e->at };

	while (s->profile_count <= e->track->id) {
		if (SL_ARRAY_PUSH(&s->profiles, &s->profile_count, &s->profile_cap, fresh) < 0)
			return NULL;
	}
	if (!s->profiles[e->track->id].name) {
		s->profiles[e->track->id] = fresh;
		s->profiles[e->track->id].name = strdup(e->track->name);
	}
	return s->profiles[e->track->id].name ? &s->profiles[e->track->id] : NULL;
}

static void speedscope_event(void *self, const struct sl_timeline_event *e)
{
	struct speedscope *s = self;
	bool begins = e->kind == SL_TIMELINE_BEGIN;
	struct profile *profile;

	if (s->no_memory || (!begins && e->kind != SL_TIMELINE_END))
		return;
	profile = profile_of(s, e);
	if (!profile) {
		s->no_memory = true;
		return;
	}
	spool_put_number(s->spool, e->track->id, (uint64_t)frame_of(s, e) << 1 | begins);
	spool_put_number(s->spool, e->track->id, e->at - profile->last);
	profile->last = e->at;
}

static void write_profile(struct speedscope *s, uint32_t number, const char *between)
{
	const struct profile *profile = &s->profiles[number];
	struct spool_reader *reader = malloc(sizeof(*reader));
	uint64_t what, delta, at = profile->first;
	const char *unit = strcmp(s->head->unit, "ns") == 0 ? "nanoseconds" : "none", *comma = "";

	if (!reader) {
		s->no_memory = true;
		return;
	}
	fprintf(s->out, "%s\n{\"type\":\"evented\",\"name\":", between);
	sl_json_string(s->out, profile->name);
	fprintf(s->out, ",\"unit\":\"%s\",\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64 ",\"events\":[", unit, profile->first,
		profile->last);
	spool_read(s->spool, number, reader);
	while (spool_next_number(reader, &what) && spool_next_number(reader, &delta)) {
		at += delta;
		fprintf(s->out, "%s\n{\"type\":\"%c\",\"frame\":%" PRIu64 ",\"at\":%" PRIu64 "}", comma, what & 1 ? 'O' : 'C', what >> 1,
			at);
		comma = ",";
	}
	fputs("]}", s->out);
	free(reader);
}

static void write_frames(const struct speedscope *s)
{
	fputs("],\n\"shared\":{\"frames\":[", s->out);
	for (size_t i = 0; i < s->frame_count; i++) {
		fprintf(s->out, "%s\n{\"name\":", i ? "," : "");
		sl_json_string(s->out, s->frames[i].name);
		if (s->frames[i].module) {
			fputs(",\"file\":", s->out);
			sl_json_string(s->out, s->frames[i].module);
		}
		putc('}', s->out);
	}
	fputs("]}}\n", s->out);
}

static void write_all(struct speedscope *s)
{
	const char *between = "";

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"", s->out);
	fputs(",\"exporter\":\"sightline " SL_VERSION "\",\"name\":", s->out);
	sl_json_string(s->out, s->head ? s->head->about : "");
	fputs(",\"profiles\":[", s->out);
	for (uint32_t i = 0; i < s->profile_count; i++) {
		if (!s->profiles[i].name)
			continue;
		write_profile(s, i, between);
		between = ",";
	}
	write_frames(s);
}

static int speedscope_close(void *self)
{
	struct speedscope *s = self;
	int result;

	write_all(s);
	result = s->no_memory ? SL_ERR_NOMEM : spool_result(s->spool);
	if (result == SL_OK)
		result = sl_writer_flush(s->out);
	for (size_t i = 0; i < s->profile_count; i++)
		free(s->profiles[i].name);
	free(s->profiles);
	free(s->frames);
	sl_map_release(&s->by_name);
	spool_free(s->spool);
	free(s);
	return result;
}

int sl_timeline_speedscope_new(FILE *out, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { speedscope_begin, speedscope_event, speedscope_close };
	struct speedscope *s = calloc(1, sizeof(*s));
	int result = s ? spool_new(&s->spool) : SL_ERR_NOMEM;

	if (result < 0) {
		free(s);
		return result;
	}
	s->out = out;
	*ret = (struct sl_timeline){ &ops, s };
	return SL_OK;
}
