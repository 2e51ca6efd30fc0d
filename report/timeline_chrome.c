/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline in Chrome's Trace Event Format ("Trace Event Format" by Google: JSON Object Format, Complete Events, Instant
 * Events, Metadata Events). Times there are microseconds; they have three decimals, so that no nanosecond is lost. On an
 * axis that is not time, a nanosecond stands for one unit.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_map.h"
#include "utf8.h"
#include "writers.h"

enum { TASKS = 1, CPUS = 2 }; /* "processes": numbers that viewers group by */

struct chrome_lane {
	uint64_t since; /* the one who runs does so since then */
	char *running;	/* NULL: nobody */
};

struct chrome {
	FILE *out;
	const struct sl_timeline_head *head;
	const char *between;
	struct sl_map tracks, cpus; /* that have their name */
	struct chrome_lane *lanes;
	bool no_memory;
};

static void microseconds(FILE *out, const char *key, uint64_t ns)
{
	fprintf(out, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void begin_event(struct chrome *c, const char *phase, unsigned pid, uint64_t tid)
{
	fprintf(c->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"tid\":%" PRIu64, c->between, phase, pid, tid);
	c->between = ",";
}

static void metadata(struct chrome *c, const char *kind, unsigned pid, uint64_t tid, const char *name)
{
	begin_event(c, "M", pid, tid);
	fprintf(c->out, ",\"name\":\"%s\",\"args\":{\"name\":", kind);
	sl_json_string(c->out, name);
	fputs("}}", c->out);
}

static void chrome_begin(void *self, const struct sl_timeline_head *head)
{
	struct chrome *c = self;

	c->head = head;
	c->lanes = calloc((size_t)head->lanes + 1, sizeof(*c->lanes));
	if (!c->lanes)
		c->no_memory = true;
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"generator\":\"sightline " SL_VERSION "\"", c->out);
	fprintf(c->out, ",\"unit\":\"%s\",\"about\":", head->unit);
	sl_json_string(c->out, head->about);
	fputs("},\"traceEvents\":[", c->out);
	metadata(c, "process_name", TASKS, 0, "tasks");
}

/* The first time that a track or CPU comes, it gets its name. */
static bool is_new(struct chrome *c, struct sl_map *seen, uint64_t key)
{
	uint64_t *known = sl_map_put(seen, key);
	bool fresh = known && !*known;

	if (known)
		*known = 1;
	else
		c->no_memory = true;
	return fresh;
}

static void costs(FILE *out, const struct sl_timeline_event *e, const char *unit)
{
	const char *name;

	fprintf(out, ",\"args\":{\"offset\":%" PRIu64, e->offset);
	if (e->costs)
		fprintf(out, ",\"total_%s\":%" PRIu64 ",\"self_%s\":%" PRIu64, unit, e->total, unit, e->self);
	for (unsigned i = 0; (name = sl_span_flag_name(i)) != NULL; i++) {
		if (e->flags >> i & 1)
			fprintf(out, ",\"%s\":true", name);
	}
	if (e->flags & SL_TIMELINE_RECURSIVE)
		fputs(",\"recursive\":true", out);
	if (e->flags & SL_TIMELINE_MOVED)
		fputs(",\"moved\":true", out);
	putc('}', out);
}

static void call(struct chrome *c, const struct sl_timeline_event *e)
{
	if (is_new(c, &c->tracks, e->track->id))
		metadata(c, "thread_name", TASKS, e->track->id, e->track->name);
	begin_event(c, "X", TASKS, e->track->id);
	microseconds(c->out, "ts", e->start);
	microseconds(c->out, "dur", e->at - e->start);
	fputs(",\"name\":", c->out);
	sl_json_string(c->out, e->name);
	fputs(",\"cat\":", c->out);
	sl_json_string(c->out, e->module ? e->module : e->flags & SL_TIMELINE_LEVEL ? "exception" : "code");
	costs(c->out, e, c->head->unit);
	putc('}', c->out);
}

static void name_cpu(struct chrome *c, const struct sl_timeline_event *e)
{
	char name[40];

	if (!is_new(c, &c->cpus, e->lane))
		return;
	if (e->cpu >= 0)
		snprintf(name, sizeof(name), "CPU %" PRId64, e->cpu);
	else
		snprintf(name, sizeof(name), "lane %" PRIu32, e->lane);
	metadata(c, "process_name", CPUS, 0, "CPUs");
	metadata(c, "thread_name", CPUS, e->lane, name);
}

/* A task's stay on a CPU, when it ends. */
static void stay(struct chrome *c, const struct sl_timeline_event *e)
{
	struct chrome_lane *lane = &c->lanes[e->lane];

	name_cpu(c, e);
	if (lane->running && e->at > lane->since) {
		begin_event(c, "X", CPUS, e->lane);
		microseconds(c->out, "ts", lane->since);
		microseconds(c->out, "dur", e->at - lane->since);
		fputs(",\"name\":", c->out);
		sl_json_string(c->out, lane->running);
		fputs(",\"cat\":\"task\"}", c->out);
	}
	free(lane->running);
	lane->running = e->track ? strdup(e->track->name) : NULL;
	lane->since = e->at;
	c->no_memory |= e->track && !lane->running;
}

static void mark(struct chrome *c, const struct sl_timeline_event *e)
{
	name_cpu(c, e);
	begin_event(c, "i", CPUS, e->lane);
	microseconds(c->out, "ts", e->at);
	fputs(",\"s\":\"t\",\"name\":", c->out);
	sl_json_string(c->out, e->name);
	fprintf(c->out, ",\"cat\":\"trace lost\",\"args\":{\"offset\":%" PRIu64 "}}", e->offset);
}

static void chrome_event(void *self, const struct sl_timeline_event *e)
{
	struct chrome *c = self;

	if (c->no_memory)
		return;
	if (e->kind == SL_TIMELINE_END)
		call(c, e);
	else if (e->kind == SL_TIMELINE_RUN)
		stay(c, e);
	else if (e->kind == SL_TIMELINE_MARK)
		mark(c, e);
}

static int chrome_close(void *self)
{
	struct chrome *c = self;
	int result;

	fputs("\n]}\n", c->out);
	result = c->no_memory ? SL_ERR_NOMEM : sl_writer_flush(c->out);
	for (uint32_t i = 0; c->lanes && i < c->head->lanes; i++)
		free(c->lanes[i].running);
	free(c->lanes);
	sl_map_release(&c->tracks);
	sl_map_release(&c->cpus);
	free(c);
	return result;
}

int sl_timeline_chrome_new(FILE *out, struct sl_timeline *ret)
{
	static const struct sl_timeline_ops ops = { chrome_begin, chrome_event, chrome_close };
	struct chrome *c = calloc(1, sizeof(*c));

	if (!c)
		return SL_ERR_NOMEM;
	c->out = out;
	c->between = "";
	*ret = (struct sl_timeline){ &ops, c };
	return SL_OK;
}
