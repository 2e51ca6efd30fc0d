/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page of report --html, read back (tests/support/page_read.h): it has what was told. The input: switches
 * and the title before what told.h says.
 */
#include "page_read.h"
#include "sl_html.h"
#include "told.h"

extern const unsigned char sl_html_page[];

enum { COLUMNS = 4 };

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
	struct sl_paths paths;

	sl_html_timeline(html, &made->to);
	tell_begin(made);
	while (made->in.at < made->in.end) {
		uint8_t op = byte_of(&made->in);

		if (!step(made, op))
			tell_table(made, html, op >> 3);
	}
	end_all(made);
	sl_html_paths(html, &paths);
	tell_paths(made, &paths);
	made->tables++;
	made->rows += made->path_count;
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
