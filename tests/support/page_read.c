/* SPDX-License-Identifier: Apache-2.0 */
#include "page_read.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { COLUMNS = 6 };

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "page_read: %s\n", what);
	abort();
}

struct cursor {
	const char *at, *end;
};

/* Takes text, which must be next. */
static void take(struct cursor *c, const char *text, size_t len)
{
	must(len <= (size_t)(c->end - c->at) && memcmp(c->at, text, len) == 0,
	     "the page is not its template");
	c->at += len;
}

/* Takes the template up to a marker, behind which it goes on. */
static const char *take_until(struct cursor *c, const char *template, const char *marker)
{
	const char *at = strstr(template, marker);

	must(at, "the template has no such marker");
	take(c, template, (size_t)(at - template));
	return at + strlen(marker);
}

/* What a stranger named the capture: text, and nothing else. */
static void take_title(struct cursor *c)
{
	while (c->at < c->end && *c->at != '<') {
		must(*c->at != '>' && *c->at != '"', "the title is not escaped");
		c->at++;
	}
}

static unsigned digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, c);

	return c && at ? (unsigned)(at - digits) : 64;
}

/* Up to what is no digit. */
static uint8_t *take_base64(struct cursor *c, size_t *ret_len)
{
	uint8_t *bytes = malloc((size_t)(c->end - c->at) + 1);
	uint32_t bits = 0;
	unsigned count = 0, padding = 0, digit;

	*ret_len = 0;
	must(bytes, "no memory");
	for (; c->at < c->end && (digit = digit_of(*c->at)) < 64; c->at++) {
		bits = bits << 6 | digit;
		if (count++ % 4)
			bytes[(*ret_len)++] = (uint8_t)(bits >> (6 - 2 * ((count - 1) % 4)));
	}
	for (; c->at < c->end && *c->at == '='; c->at++)
		padding++;
	must((count + padding) % 4 == 0 && padding < 3, "a block is no base64");
	return bytes;
}

static uint8_t *unpack(const uint8_t *packed, size_t packed_len, size_t *ret_len)
{
	size_t cap = packed_len * 4 + 4096;
	uint8_t *bytes = malloc(cap);
	z_stream z = { .next_in = (Bytef *)packed, .avail_in = (uInt)packed_len };
	int result = inflateInit2(&z, 16 + MAX_WBITS);

	while (result == Z_OK) {
		if (z.total_out == cap)
			bytes = realloc(bytes, cap *= 2);
		must(bytes, "no memory");
		z.next_out = bytes + z.total_out;
		z.avail_out = (uInt)(cap - z.total_out);
		result = inflate(&z, Z_NO_FLUSH);
	}
	must(result == Z_STREAM_END && !z.avail_in, "a block is no gzip");
	*ret_len = z.total_out;
	inflateEnd(&z);
	return bytes;
}

static uint8_t *take_block(struct cursor *c, const char *id, size_t *ret_len)
{
	char head[80];
	size_t packed_len;
	uint8_t *packed, *bytes;

	take(c, head,
	     (size_t)snprintf(head, sizeof(head), "<script type=\"application/octet-stream\" id=\"%s\">",
			      id));
	packed = take_base64(c, &packed_len);
	take(c, "</script>\n", 10);
	bytes = unpack(packed, packed_len, ret_len);
	free(packed);
	return bytes;
}

static uint64_t number_of(const json_t *value)
{
	must(json_is_integer(value), "no number");
	return (uint64_t)json_integer_value(value);
}

static void add_row(struct page *page, const char *kind, const json_t *line)
{
	struct page_row row = { .kind = strcmp(kind, "calls") == 0  ? PAGE_CALLS
					: strcmp(kind, "runs") == 0 ? PAGE_RUNS
								    : PAGE_LOSSES,
				.owner = number_of(json_array_get(line, 1)),
				.depth = number_of(json_array_get(line, 2)),
				.count = number_of(json_array_get(line, 3)) };

	must(row.kind != PAGE_LOSSES || strcmp(kind, "losses") == 0, "a row of no known kind");
	must(json_array_size(line) == 4 + COLUMNS, "a row that has not six columns");
	for (size_t i = 0; i < COLUMNS; i++)
		row.sizes[i] = number_of(json_array_get(line, 4 + i));
	page->rows = realloc(page->rows, (page->row_count + 1) * sizeof(*page->rows));
	must(page->rows, "no memory");
	page->rows[page->row_count++] = row;
}

static void add_timeline_line(struct page *page, json_t *line)
{
	const char *kind = json_string_value(json_array_get(line, 0));
	json_t *list;

	must(kind, "a line of no kind");
	list = strcmp(kind, "name") == 0     ? page->names
	       : strcmp(kind, "track") == 0  ? page->tracks
	       : strcmp(kind, "lane") == 0   ? page->lanes
	       : strcmp(kind, "reason") == 0 ? page->reasons
					     : NULL;
	if (list)
		json_array_append(list, line);
	else
		add_row(page, kind, line);
}

static void begin_timeline(struct page *page, const json_t *line)
{
	must(!page->timeline, "two timelines");
	page->timeline = json_incref(json_object_get(line, "timeline"));
	page->names = json_array();
	page->tracks = json_array();
	page->lanes = json_array();
	page->reasons = json_array();
}

static void add_line(struct page *page, json_t *line)
{
	if (json_is_object(line) && json_object_get(line, "timeline")) {
		begin_timeline(page, line);
	} else if (json_is_object(line)) {
		must(json_object_get(line, "table") || json_object_get(line, "paths"),
		     "a part of no known kind");
		json_array_append_new(page->parts, json_pack("[O]", line));
	} else if (page->timeline) {
		add_timeline_line(page, line);
	} else {
		must(json_array_size(page->parts) > 0, "a row of nothing");
		json_array_append(json_array_get(page->parts, json_array_size(page->parts) - 1), line);
	}
}

static void read_facts(struct page *page, const char *text, size_t len)
{
	const char *end = text + len, *line_end;

	page->parts = json_array();
	for (; text < end; text = line_end + 1) {
		json_t *line;

		line_end = memchr(text, '\n', (size_t)(end - text));
		must(line_end, "a line that does not end");
		line = json_loadb(text, (size_t)(line_end - text), JSON_REJECT_DUPLICATES, NULL);
		must(line, "a line that is no JSON");
		add_line(page, line);
		json_decref(line);
	}
}

static int compare_rows(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

/* A column's bytes in one row. */
struct column {
	const uint8_t *at, *end;
};

static uint64_t next_number(struct column *column)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		must(column->at < column->end && shift < 70, "a column is too short");
		value |= (uint64_t)(*column->at & 127) << shift;
		if (*column->at++ < 128)
			return value;
	}
}

static uint64_t next_signed(struct column *column)
{
	uint64_t value = next_number(column);

	return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

/* Which call of the row above a call is of: they have theirs one behind the other. */
struct caller {
	const struct page_row *row; /* NULL: none */
	size_t at;
	uint64_t seen;
};

/* Where a call is told from: the first of a caller from its beginning, all others from the end of the one
 * before. */
static uint64_t told_from(struct caller *caller, uint64_t before)
{
	if (!caller->row)
		return before;
	while (caller->at < caller->row->count && caller->seen == caller->row->calls[caller->at].kids) {
		caller->at++;
		caller->seen = 0;
	}
	must(caller->at < caller->row->count, "more calls than callers have");
	return caller->seen++ ? before : caller->row->calls[caller->at].start;
}

static void read_call(struct column *columns, enum page_row_kind kind, uint64_t from, struct page_call *ret)
{
	ret->start = from + next_number(&columns[0]);
	ret->end = ret->start + next_number(&columns[1]);
	ret->name = next_number(&columns[2]);
	if (kind != PAGE_CALLS)
		return;
	ret->flags = ret->name & 1 ? next_number(&columns[2]) : 0;
	ret->name >>= 1;
	ret->kids = next_number(&columns[3]);
	ret->pause = next_signed(&columns[4]);
	ret->rest = next_signed(&columns[5]);
}

static void read_row(struct page_row *row, const struct page_row *above, struct column *columns)
{
	struct caller caller = { .row = above };
	uint64_t before = 0, kids = 0;

	row->calls = calloc(row->count + 1, sizeof(*row->calls));
	must(row->calls, "no memory");
	for (uint64_t i = 0; i < row->count; i++) {
		read_call(columns, row->kind, told_from(&caller, before), &row->calls[i]);
		before = row->calls[i].end;
	}
	for (unsigned i = 0; i < COLUMNS; i++)
		must(columns[i].at == columns[i].end, "a column is too long");
	for (uint64_t i = 0; above && i < above->count; i++)
		kids += above->calls[i].kids;
	must(!above || kids == row->count, "fewer calls than callers have");
}

/* Column by column, or where they are apart row by row; rows in the order of the facts. */
static struct column *cut_columns(const struct page *page, const uint8_t *data, size_t len, bool apart)
{
	struct column *columns = calloc(page->row_count + 1, COLUMNS * sizeof(*columns));
	const uint8_t *at = data;

	must(columns, "no memory");
	for (size_t i = 0; i < page->row_count * COLUMNS; i++) {
		size_t row = apart ? i / COLUMNS : i % page->row_count,
		       column = apart ? i % COLUMNS : i / page->row_count;
		uint64_t size = page->rows[row].sizes[column];

		must(size <= (size_t)(data + len - at), "columns are missing");
		columns[row * COLUMNS + column] = (struct column){ at, at + size };
		at += size;
	}
	must(at == data + len, "columns are left");
	return columns;
}

static void read_rows(struct page *page, const uint8_t *data, size_t len, bool apart)
{
	struct column *columns = cut_columns(page, data, len, apart);

	for (size_t i = 0; i < page->row_count; i++)
		page->rows[i].number = i;
	if (page->row_count)
		qsort(page->rows, page->row_count, sizeof(*page->rows), compare_rows);
	for (size_t i = 0; i < page->row_count; i++) {
		struct page_row *row = &page->rows[i], *above = i ? row - 1 : NULL;
		bool deeper = above && row->kind == PAGE_CALLS && above->kind == PAGE_CALLS &&
			      above->owner == row->owner;

		must(!deeper || above->depth + 1 == row->depth, "a depth is missing, or there twice");
		must(deeper || row->depth == 0, "a call of no caller");
		read_row(row, deeper ? above : NULL, &columns[row->number * COLUMNS]);
	}
	free(columns);
}

void page_read(const char *text, size_t len, const char *template, const uint8_t *columns, size_t columns_len,
	       struct page *ret)
{
	struct cursor c = { text, text + len };
	const char *rest = take_until(&c, template, "@CONNECT@");
	size_t facts_len, data_len = columns_len;
	uint8_t *facts, *data = NULL;

	*ret = (struct page){ 0 };
	if (columns)
		take(&c, "; connect-src 'self'", 20);
	rest = take_until(&c, rest, "@TITLE@");
	take_title(&c);
	rest = take_until(&c, rest, "@DATA@");
	facts = take_block(&c, "facts", &facts_len);
	if (!columns)
		data = take_block(&c, "columns", &data_len);
	take(&c, rest, strlen(rest));
	must(c.at == c.end, "something is behind the page");
	read_facts(ret, (const char *)facts, facts_len);
	read_rows(ret, data ? data : columns, data_len, columns);
	free(facts);
	free(data);
}

void page_release(struct page *page)
{
	for (size_t i = 0; i < page->row_count; i++)
		free(page->rows[i].calls);
	free(page->rows);
	json_decref(page->parts);
	json_decref(page->timeline);
	json_decref(page->names);
	json_decref(page->tracks);
	json_decref(page->lanes);
	json_decref(page->reasons);
}

const struct page_row *page_row(const struct page *page, enum page_row_kind kind, uint64_t owner,
				uint64_t depth)
{
	const struct page_row key = { .kind = kind, .owner = owner, .depth = depth };

	return page->row_count ? bsearch(&key, page->rows, page->row_count, sizeof(key), compare_rows) : NULL;
}
