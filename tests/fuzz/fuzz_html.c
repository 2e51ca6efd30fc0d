/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of report --html of anything that a sink may tell: names of any bytes, calls however deep, times and
 * costs of any size. It is read back (tests/support/page_read.h) and has what was told. The input: switches,
 * the title, the names (a length before each), then operations.
 */
#include <stdlib.h>
#include <string.h>

#include "page_read.h"
#include "sl_array.h"
#include "sl_html.h"

extern const unsigned char sl_html_page[];

enum {
	NAMES = 8,
	TRACKS = 4,
	LANES = 3,
	DEPTH_MAX = 1000,
	DEPTH_SHOWN = 400,
	COLUMNS = 4,
	NO_COSTS = 1 << 11,
	NAME_BYTES = 256
};
/* JSON's numbers have a sign to jansson. */
static const uint64_t TIME_MAX = UINT64_MAX >> 2;

static void must(bool holds)
{
	if (!holds)
		abort();
}

struct input {
	const uint8_t *at, *end;
};

struct call {
	uint64_t start, end, total, self;
	uint32_t name_id;
	unsigned flags;
	bool costs;
};

struct told {
	struct call *calls; /* as they end */
	size_t len, cap;
};

struct track {
	struct sl_timeline_track pub;
	struct told by_depth[DEPTH_MAX];
	uint64_t starts[DEPTH_MAX], now;
	uint32_t names[DEPTH_MAX], depth;
};

struct lane {
	struct told runs, losses;
	uint64_t now, since;
	uint32_t running; /* track + 1 */
};

struct made {
	struct input in;
	struct sl_timeline_head head;
	struct sl_timeline to;
	char names[NAMES][NAME_BYTES];
	struct track tracks[TRACKS];
	struct lane lanes[LANES];
	struct track *track;
	uint64_t calls, end;
	unsigned tables, rows;
	struct sl_path paths[UINT8_MAX]; /* of the last tree */
	unsigned path_count;
};

static uint8_t byte_of(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* A number of any size: how often its two bytes are doubled, and these. */
static uint64_t number_of(struct input *in)
{
	uint64_t shift = byte_of(in) % 48, high = byte_of(in);

	return (high << 8 | byte_of(in)) << shift;
}

static void take_name(struct input *in, char *ret)
{
	size_t len = byte_of(in);

	len = len < (size_t)(in->end - in->at) ? len : (size_t)(in->end - in->at);
	memcpy(ret, in->at, len);
	ret[len] = 0;
	in->at += len;
}

/* Levels have the numbers behind those of functions, as in the sink. The first name is its own module. */
static const char *name_of(const void *ctx, uint32_t id, const char **ret_module)
{
	const struct made *made = ctx;

	*ret_module = id % NAMES ? NULL : made->names[0];
	return made->names[id % NAMES];
}

static void later(uint64_t *now, struct input *in)
{
	uint64_t by = number_of(in);

	*now += by < TIME_MAX - *now ? by : TIME_MAX - *now;
}

static void keep(struct told *told, struct call call)
{
	must(SL_ARRAY_PUSH(&told->calls, &told->len, &told->cap, call) == SL_OK);
}

static struct sl_timeline_event event_of(struct made *made, enum sl_timeline_kind kind)
{
	struct track *track = made->track;
	struct sl_timeline_event e = {
		.kind = kind, .track = &track->pub, .cpu = -1, .at = track->now, .depth = track->depth
	};

	if (kind == SL_TIMELINE_BEGIN || kind == SL_TIMELINE_END) {
		e.name_id = track->names[track->depth];
		e.name = name_of(made, e.name_id, &e.module);
		e.flags = e.name_id < NAMES ? 0 : SL_TIMELINE_LEVEL;
	}
	return e;
}

static void begin(struct made *made, uint8_t name)
{
	struct track *track = made->track;
	struct sl_timeline_event e;

	if (track->depth == DEPTH_MAX)
		return;
	track->names[track->depth] = name % (2 * NAMES);
	track->starts[track->depth] = track->now;
	e = event_of(made, SL_TIMELINE_BEGIN);
	made->to.ops->event(made->to.out, &e);
	track->depth++;
}

static void end(struct made *made, bool costs)
{
	static const unsigned shown = SL_SPAN_NO_ENTRY | SL_SPAN_NO_EXIT | SL_SPAN_TAIL | SL_SPAN_REPAIRED |
				      SL_TIMELINE_RECURSIVE | SL_TIMELINE_MOVED;
	struct track *track = made->track;
	struct sl_timeline_event e;

	if (!track->depth)
		return;
	track->depth--;
	e = event_of(made, SL_TIMELINE_END);
	e.start = track->starts[track->depth];
	e.costs = costs;
	if (costs) {
		e.flags |= (unsigned)byte_of(&made->in) << (byte_of(&made->in) & 7);
		e.flags = (e.flags & ~(unsigned)SL_TIMELINE_LEVEL) |
			  (e.name_id < NAMES ? 0 : SL_TIMELINE_LEVEL);
		e.total = number_of(&made->in);
		e.self = number_of(&made->in);
	}
	made->to.ops->event(made->to.out, &e);
	made->calls++;
	made->end = made->end > e.at ? made->end : e.at;
	keep(&track->by_depth[track->depth],
	     (struct call){ e.start, e.at, e.total, e.self, e.name_id,
			    (e.flags & shown) | (costs ? 0 : NO_COSTS), costs });
}

/* Somebody runs on a lane, or, where no track has the number, nobody. */
static void run(struct made *made, uint8_t which)
{
	struct lane *lane = &made->lanes[which % LANES];
	uint32_t number = which / LANES % (TRACKS + 1);
	struct sl_timeline_event e = { .kind = SL_TIMELINE_RUN, .lane = which % LANES, .cpu = which % LANES };

	later(&lane->now, &made->in);
	e.at = lane->now;
	e.track = number < TRACKS ? &made->tracks[number].pub : NULL;
	made->to.ops->event(made->to.out, &e);
	if (lane->running) {
		keep(&lane->runs,
		     (struct call){ .start = lane->since, .end = e.at, .name_id = lane->running - 1 });
		made->end = made->end > e.at ? made->end : e.at;
	}
	lane->running = e.track ? number + 1 : 0;
	lane->since = e.at;
}

static void lose(struct made *made, uint8_t which)
{
	struct lane *lane = &made->lanes[which % LANES];
	struct sl_timeline_event e = { .kind = SL_TIMELINE_MARK,
				       .lane = which % LANES,
				       .cpu = which % LANES };

	later(&lane->now, &made->in);
	e.at = lane->now;
	e.track = &made->track->pub;
	e.name_id = which / LANES % NAMES;
	e.name = made->names[e.name_id];
	made->to.ops->event(made->to.out, &e);
	keep(&lane->losses, (struct call){ .start = e.at, .end = e.at, .name_id = e.name_id });
	made->end = made->end > e.at ? made->end : e.at;
}

/* A cell of any type: a string for those that have one, a number otherwise. */
static struct sl_cell cell_of(struct made *made, enum sl_type type)
{
	uint8_t which = byte_of(&made->in);

	if (which & 0x80)
		return sl_cell_none();
	if (type == SL_TYPE_STRING || type == SL_TYPE_TREE)
		return sl_cell_tree(which, made->names[which % NAMES]);
	if (type == SL_TYPE_PERCENT || type == SL_TYPE_REAL || type == SL_TYPE_BAR)
		return sl_cell_real((double)number_of(&made->in) / (1 + which));
	return sl_cell_u64(number_of(&made->in));
}

static void tell_table(struct made *made, struct sl_html *html, uint8_t rows)
{
	const struct sl_meta meta = { "key", made->names[1] };
	struct sl_column columns[COLUMNS];
	const struct sl_table_head head = { .schema = "fuzz/1",
					    .name = made->names[0],
					    .title = made->names[2],
					    .columns = columns,
					    .column_count = COLUMNS,
					    .meta = &meta,
					    .meta_count = 1 };
	struct sl_table table;

	for (int i = 0; i < COLUMNS; i++)
		columns[i] =
			(struct sl_column){ .name = made->names[i],
					    .heading = made->names[i + 4],
					    .type = (enum sl_type)(byte_of(&made->in) % (SL_TYPE_TREE + 1)) };
	sl_html_table(html, &table);
	table.ops->begin(table.out, &head);
	for (unsigned i = 0; i < rows % 8u; i++) {
		struct sl_cell cells[COLUMNS];

		for (int k = 0; k < COLUMNS; k++)
			cells[k] = cell_of(made, columns[k].type);
		table.ops->row(table.out, cells);
	}
	table.ops->end(table.out);
	must(table.ops->close(table.out) == SL_OK);
	made->tables++;
	made->rows += rows % 8u;
}

static void tell_paths(struct made *made, struct sl_html *html, uint8_t count)
{
	const struct sl_paths_head head = { .unit = "ns", .whole = number_of(&made->in) };
	struct sl_paths paths;

	sl_html_paths(html, &paths);
	paths.ops->begin(paths.out, &head);
	for (unsigned i = 0; i < count; i++) {
		struct sl_path path = { .kind = (enum sl_path_kind)(i % 5),
					.depth = i,
					.name_id = byte_of(&made->in) % NAMES,
					.total = head.whole };

		path.name = name_of(made, path.name_id, &path.module);
		paths.ops->path(paths.out, &path);
		made->paths[i] = path;
	}
	made->path_count = count;
	made->tables++;
	made->rows += count;
}

static void step(struct made *made, struct sl_html *html, uint8_t op)
{
	uint8_t more = op >> 3;

	switch (op & 7) {
	case 0:
		begin(made, more);
		break;
	case 1:
		later(&made->track->now, &made->in);
		end(made, more & 1);
		break;
	case 2:
		run(made, more);
		break;
	case 3:
		lose(made, more);
		break;
	case 4:
		made->track = &made->tracks[more % TRACKS];
		break;
	case 5:
		for (unsigned i = 0; i < (more == 31 ? DEPTH_SHOWN + 50u : more); i++)
			begin(made, (uint8_t)i);
		break;
	case 6:
		tell_table(made, html, more);
		break;
	default:
		for (unsigned i = 0; i <= more; i++)
			end(made, false);
	}
}

static void end_all(struct made *made)
{
	for (int i = 0; i < TRACKS; i++) {
		made->track = &made->tracks[i];
		while (made->track->depth)
			end(made, false);
	}
}

/* A text as JSON has it: as it is, where it is UTF-8. */
static void compare_text(const json_t *got, const char *want)
{
	json_t *valid = json_string(want);

	must(json_is_string(got));
	must(!valid || strcmp(json_string_value(got), want) == 0);
	json_decref(valid);
}

static uint64_t sum_of_callees(const struct page *page, const struct page_row *row, uint64_t from,
			       uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = from; i < from + count; i++) {
		const struct page_call *call = &row->calls[i];
		bool level = json_integer_value(json_array_get(json_array_get(page->names, call->name), 3));

		if (!level && !(call->flags & NO_COSTS))
			sum += call->end - call->start - call->pause;
	}
	return sum;
}

static void compare_call(const struct made *made, const struct page *page, const struct page_call *got,
			 const struct call *want)
{
	const json_t *name = json_array_get(page->names, got->name);
	const char *module;

	must(got->start == want->start && got->end == want->end && got->flags == want->flags &&
	     json_is_array(name));
	compare_text(json_array_get(name, 1), name_of(made, want->name_id, &module));
	compare_text(json_array_get(name, 2), module ? module : "");
	must(json_integer_value(json_array_get(name, 3)) == (want->name_id >= NAMES));
	must(want->costs ? got->end - got->start - got->pause == want->total : !got->pause && !got->rest);
}

/* Calls of a row, and self, which is told by what is below it. */
static void compare_row(const struct made *made, const struct page *page, const struct page_row *row,
			const struct told *told)
{
	const struct page_row *below = page_row(page, PAGE_CALLS, row->owner, row->depth + 1);
	uint64_t child = 0;

	must(row->count == told->len);
	for (size_t i = 0; i < told->len; i++) {
		const struct page_call *got = &row->calls[i];

		compare_call(made, page, got, &told->calls[i]);
		if (told->calls[i].costs && (below || !got->kids)) {
			uint64_t callees = below ? sum_of_callees(page, below, child, got->kids) : 0;

			must(told->calls[i].total - callees + got->rest == told->calls[i].self);
		}
		child += got->kids;
	}
}

static uint64_t of_timeline(const struct page *page, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(page->timeline, key));
}

/* All rows up to the depth that the page says, and in a page whose columns are apart all that can be looked
 * at. */
static void compare_track(const struct made *made, const struct page *page, unsigned number, uint64_t depth,
			  uint64_t *ret_shown)
{
	const struct track *track = &made->tracks[number];

	for (uint64_t d = 0; d < DEPTH_MAX; d++) {
		const struct page_row *row = page_row(page, PAGE_CALLS, number, d);

		must((row != NULL) == (d < depth && track->by_depth[d].len));
		if (row)
			compare_row(made, page, row, &track->by_depth[d]);
		if (row && d < of_timeline(page, "depth"))
			*ret_shown += row->count;
	}
}

static void compare_lane(const struct made *made, const struct page *page, unsigned number)
{
	const struct told *both[] = { &made->lanes[number].runs, &made->lanes[number].losses };

	for (int i = 0; i < 2; i++) {
		const struct page_row *row = page_row(page, i ? PAGE_LOSSES : PAGE_RUNS, number, 0);

		must((row ? row->count : 0) == both[i]->len);
		for (size_t k = 0; row && k < row->count; k++) {
			const struct page_call *got = &row->calls[k];
			const struct call *want = &both[i]->calls[k];

			must(got->start == want->start && got->end == want->end);
			if (i)
				compare_text(json_array_get(json_array_get(page->reasons, got->name), 1),
					     made->names[want->name_id]);
			else
				must(got->name == want->name_id);
		}
	}
}

/* A name's text stands where its number comes first. */
static void compare_paths(const struct made *made, const json_t *part)
{
	bool known[NAMES] = { false };

	for (unsigned i = 0; i < made->path_count; i++) {
		const struct sl_path *want = &made->paths[i];
		const json_t *got = json_array_get(part, i + 1);

		must(json_array_size(got) == (known[want->name_id] ? 6 : 8));
		must(json_integer_value(json_array_get(got, 0)) == want->kind &&
		     json_integer_value(json_array_get(got, 1)) == want->depth &&
		     json_integer_value(json_array_get(got, 2)) == want->name_id &&
		     (uint64_t)json_integer_value(json_array_get(got, 4)) == want->total);
		if (!known[want->name_id]) {
			compare_text(json_array_get(got, 6), want->name);
			compare_text(json_array_get(got, 7), want->module ? want->module : "");
		}
		known[want->name_id] = true;
	}
}

static void compare(const struct made *made, const struct page *page, uint64_t calls_max, bool apart)
{
	uint64_t depth = of_timeline(page, "depth"), shown = 0, rows = 0;

	for (unsigned i = 0; i < TRACKS; i++)
		compare_track(made, page, i, apart ? DEPTH_SHOWN : depth, &shown);
	for (unsigned i = 0; i < LANES; i++)
		compare_lane(made, page, i);
	must(of_timeline(page, "calls") == shown && shown + of_timeline(page, "left_out") == made->calls);
	must(shown <= calls_max || depth == 1);
	must(of_timeline(page, "end") == made->end);
	must(json_array_size(page->parts) == made->tables);
	for (size_t i = 0; i < made->tables; i++)
		rows += json_array_size(json_array_get(page->parts, i)) - 1;
	must(rows == made->rows);
	compare_paths(made, json_array_get(page->parts, made->tables - 1));
}

static void tell(struct made *made, struct sl_html *html)
{
	made->head = (struct sl_timeline_head){
		.unit = "ns", .about = made->names[3], .lanes = LANES, .name = name_of, .ctx = made
	};
	sl_html_timeline(html, &made->to);
	made->to.ops->begin(made->to.out, &made->head);
	while (made->in.at < made->in.end)
		step(made, html, byte_of(&made->in));
	end_all(made);
	tell_paths(made, html, made->names[0][0] & 15);
}

static void make(struct made *made, struct input in)
{
	static const struct track none;

	for (unsigned i = 0; i < TRACKS; i++) {
		made->tracks[i] = none;
		made->tracks[i].pub = (struct sl_timeline_track){ .id = i, .name = made->names[i] };
	}
	memset(made->lanes, 0, sizeof(made->lanes));
	made->in = in;
	made->track = made->tracks;
	made->calls = made->end = 0;
	made->tables = made->rows = 0;
	for (int i = 0; i < NAMES; i++)
		take_name(&made->in, made->names[i]);
}

static void unmake(struct made *made)
{
	for (unsigned i = 0; i < TRACKS; i++) {
		for (unsigned d = 0; d < DEPTH_MAX; d++)
			free(made->tracks[i].by_depth[d].calls);
	}
	for (unsigned i = 0; i < LANES; i++) {
		free(made->lanes[i].runs.calls);
		free(made->lanes[i].losses.calls);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made made;
	struct input in = { data, data + size };
	uint8_t switches = byte_of(&in);
	char title[NAME_BYTES], *text = NULL, *columns = NULL;
	size_t len = 0, columns_len = 0;
	struct sl_html_options options = { .title = title, .calls_max = (uint64_t)1 << (switches >> 1 & 15) };
	struct sl_html *html = NULL;
	struct page page;

	take_name(&in, title);
	make(&made, in);
	options.out = open_memstream(&text, &len);
	options.columns = switches & 1 ? open_memstream(&columns, &columns_len) : NULL;
	must(options.out && sl_html_new(&options, &html) == SL_OK);
	tell(&made, html);
	must(sl_html_close(html, true) == SL_OK);
	fclose(options.out);
	if (options.columns)
		fclose(options.columns);
	page_read(text, len, (const char *)sl_html_page, (uint8_t *)columns, columns_len, &page);
	compare(&made, &page, options.calls_max, columns);
	page_release(&page);
	unmake(&made);
	free(columns);
	free(text);
	return 0;
}
