/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a kept profile, which may come from strangers: docs/formats/profile.md. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saved_pack.h"
#include "saved_tables.h"
#include "sl_array.h"
#include "sl_file.h"
#include "sl_text.h"

struct reader {
	const char *file;
	struct sl_diag *diag;
	struct sl_saved *saved;
	uint32_t *strings; /* of the file's number: that in saved */
	size_t string_count;
	struct packed packed;
	const char *table; /* and the row in it that is read */
	size_t row;
	size_t histogram_bytes;
};

static int expected(const struct reader *r, const char *what)
{
	return sl_fail(r->diag, SL_ERR_FORMAT, "%s: %s[%zu]: expected %s; the profile is damaged: make it again with report --save",
		       r->file, r->table, r->row, what);
}

static bool number_of(const json_t *value, uint64_t *ret)
{
	*ret = (uint64_t)json_integer_value(value);
	return json_is_integer(value);
}

/* Of two names one may be both where their bytes were no text: so numbers are translated. */
static int read_strings(struct reader *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "strings"), *item;
	size_t i;

	r->table = "strings";
	if (!json_is_array(array))
		return expected(r, "a list");
	r->strings = calloc(json_array_size(array) + 1, sizeof(*r->strings));
	if (!r->strings)
		return SL_ERR_NOMEM;
	json_array_foreach(array, i, item) {
		r->row = i;
		if (!json_is_string(item))
			return expected(r, "a string");
		if (saved_string(r->saved, json_string_value(item), &r->strings[i]) < 0)
			return SL_ERR_NOMEM;
	}
	r->string_count = i;
	return SL_OK;
}

static bool translate(const struct reader *r, uint32_t *string)
{
	if (*string >= r->string_count)
		return false;
	*string = r->strings[*string];
	return true;
}

static int read_facts(struct reader *r, const json_t *root)
{
	const json_t *array = json_object_get(root, "capture");
	struct sl_saved *s = r->saved;
	uint64_t v[7];

	r->table = "capture";
	for (r->row = 0; r->row < 7; r->row++) {
		if (!number_of(json_array_get(array, r->row), &v[r->row]))
			return expected(r, "7 numbers");
	}
	s->name = (uint32_t)v[0];
	s->options = (uint32_t)v[1];
	s->axis = (enum sl_axis)v[2];
	s->axes = (unsigned)v[3];
	s->timestamp_hz = v[4];
	s->trace_bytes = v[5];
	s->runs = v[6];
	if (v[0] >> 32 || v[1] >> 32 || !translate(r, &s->name) || !translate(r, &s->options) || v[2] >= SL_AXIS_COUNT ||
	    v[3] >> SL_AXIS_COUNT || !(v[3] & 1u << v[2]) || (v[3] & 1u << SL_AXIS_TICKS && !v[4]) || !v[6])
		return expected(r, "name, options, axes and runs");
	return SL_OK;
}

static int read_column(struct reader *r, const json_t *array, const struct saved_table *table, const struct saved_column *column,
		       char *rows)
{
	uint64_t before = 0, value;
	const json_t *item;

	json_array_foreach(array, r->row, item) {
		if (!number_of(item, &value))
			return expected(r, column->name);
		value += column->steps ? before : 0;
		before = value;
		if (!saved_put(column, rows + r->row * table->row_size, value))
			return expected(r, column->name);
	}
	return SL_OK;
}

static int read_table(struct reader *r, const json_t *root, enum saved_table_number number)
{
	const struct saved_table *table = &saved_tables[number];
	const json_t *object = json_object_get(root, table->name);
	size_t count = json_array_size(json_object_get(object, table->columns[0].name));
	int result = SL_OK;

	r->table = table->name;
	r->row = 0;
	if (!json_is_array(json_object_get(object, table->columns[0].name)))
		return expected(r, table->columns[0].name);
	if (sl_array_reserve(&r->packed.rows[number], &r->packed.caps[number], table->row_size, count + 1) < 0)
		return SL_ERR_NOMEM;
	memset(r->packed.rows[number], 0, (count + 1) * table->row_size);
	r->packed.counts[number] = count;
	for (size_t i = 0; i < table->column_count && result == SL_OK; i++) {
		const json_t *array = json_object_get(object, table->columns[i].name);

		r->row = 0;
		if (array && json_array_size(array) != count)
			return expected(r, table->columns[i].name);
		result = read_column(r, array, table, &table->columns[i], r->packed.rows[number]);
	}
	return result;
}

/* The root is first, and only that is one; nothing is above it. */
static bool check_node(const struct reader *r, struct packed_node *node, size_t i)
{
	uint32_t most = i ? r->saved->nodes[i - 1].depth : 0;

	if (node->kind >= SL_SAVED_KINDS || (node->kind == SL_SAVED_ROOT) != (i == 0) || node->up > most)
		return false;
	return node->kind == SL_SAVED_FUNCTION ? node->what < r->packed.counts[TABLE_FUNCTIONS] : translate(r, &node->what);
}

/* All of it but what is yet to be decoded. */
static void place_node(struct sl_saved_node *nodes, const struct packed_node *from, size_t i)
{
	uint32_t parent = i ? (uint32_t)i - 1 : 0;

	for (uint32_t up = from->up; up; up--)
		parent = nodes[parent].parent;
	nodes[i] = (struct sl_saved_node){ .kind = from->kind, .parent = parent, .what = from->what, .beyond = from->beyond,
					   .depth = i ? nodes[parent].depth + 1 : 0 };
	memcpy(nodes[i].calls, from->calls, sizeof(nodes[i].calls));
}

static bool take_event(const struct reader *r, struct sl_saved_event *event)
{
	return translate(r, &event->lens) && translate(r, &event->event) &&
	       (event->module == SL_SAVED_NONE || translate(r, &event->module));
}

static bool take_lane(const struct reader *r, struct sl_saved_lane *lane)
{
	return translate(r, &lane->buffer) && translate(r, &lane->source) && lane->trace_id <= UINT8_MAX && lane->cpu >= -1 &&
	       lane->cpu < INT32_MAX;
}

static int take_nodes(struct reader *r)
{
	struct sl_saved *s = r->saved;
	struct packed_node *rows = r->packed.rows[TABLE_NODES];
	size_t count = r->packed.counts[TABLE_NODES];

	r->table = "nodes";
	r->row = 0;
	if (!count)
		return expected(r, "a root");
	if (sl_array_reserve((void **)&s->nodes, &s->node_cap, sizeof(*s->nodes), count) < 0)
		return SL_ERR_NOMEM;
	for (; r->row < count; r->row++) {
		if (!check_node(r, &rows[r->row], r->row))
			return expected(r, "kind, up and what of a node");
		place_node(s->nodes, &rows[r->row], r->row);
		if (s->nodes[r->row].depth > SAVED_NODE_DEPTH)
			return sl_fail(r->diag, SL_ERR_LIMIT, "%s: nodes[%zu]: a path of more than %d calls", r->file, r->row,
				       SAVED_NODE_DEPTH);
	}
	if (packed_code_nodes(rows, count, r->packed.counts[TABLE_FUNCTIONS], s->axes, false) < 0)
		return SL_ERR_NOMEM;
	for (s->node_count = 0; s->node_count < count; s->node_count++)
		s->nodes[s->node_count].self = rows[s->node_count].self;
	return SL_OK;
}

static int take_events_and_lanes(struct reader *r)
{
	struct sl_saved *s = r->saved;

	if (s->event_count > SAVED_EVENTS)
		return sl_fail(r->diag, SL_ERR_LIMIT, "%s: has more than %d kinds of events", r->file, SAVED_EVENTS);
	r->table = "events";
	for (r->row = 0; r->row < s->event_count; r->row++) {
		if (!take_event(r, &s->events[r->row]))
			return expected(r, "numbers of strings");
	}
	r->table = "lanes";
	for (r->row = 0; r->row < s->lane_count; r->row++) {
		if (!take_lane(r, &s->lanes[r->row]))
			return expected(r, "buffer, source, trace id and CPU");
	}
	return SL_OK;
}

/* Tables that are in the profile as they are in the file: then they are the profile's. */
static int take_rows(struct reader *r)
{
	struct sl_saved *s = r->saved;
	struct packed *p = &r->packed;
	int result;

	s->events = p->rows[TABLE_EVENTS];
	s->event_count = s->event_cap = p->counts[TABLE_EVENTS];
	s->lanes = p->rows[TABLE_LANES];
	s->lane_count = s->lane_cap = p->counts[TABLE_LANES];
	p->caps[TABLE_EVENTS] = p->caps[TABLE_LANES] = 0;
	result = take_nodes(r);
	return result == SL_OK ? take_events_and_lanes(r) : result;
}

static int take_functions(struct reader *r)
{
	struct packed_function *rows = r->packed.rows[TABLE_FUNCTIONS];
	uint32_t index;

	r->table = "functions";
	packed_add_nodes(rows, r->saved->nodes, r->saved->node_count, false);
	for (r->row = 0; r->row < r->packed.counts[TABLE_FUNCTIONS]; r->row++) {
		struct packed_function *from = &rows[r->row];
		struct sl_saved_function *into;

		if (!translate(r, &from->name) || !translate(r, &from->module))
			return expected(r, "numbers of strings");
		if (saved_add_function(r->saved, r->saved->strings[from->name], r->saved->strings[from->module], &index) < 0)
			return SL_ERR_NOMEM;
		into = &r->saved->functions[index];
		memcpy(into->calls, from->calls, sizeof(into->calls));
		into->self = from->self;
		into->total = from->total;
		into->unevenness = from->unevenness;
	}
	return SL_OK;
}

static int take_class(struct reader *r, struct sl_histogram *h, uint64_t value, uint64_t count)
{
	size_t before = h->len;

	if (h->count + count < h->count)
		return expected(r, "counts of a histogram that fit in 64 bits");
	if (sl_histogram_add_many(h, value, count) < 0)
		return SL_ERR_NOMEM;
	r->histogram_bytes += (h->len - before) * sizeof(*h->slots);
	if (r->histogram_bytes > SAVED_HISTOGRAM_BYTES)
		return sl_fail(r->diag, SL_ERR_LIMIT, "%s: its histograms need more than %d MiB", r->file,
			       SAVED_HISTOGRAM_BYTES >> 20);
	return SL_OK;
}

static int take_histogram(struct reader *r, const struct packed_class *classes, size_t count, struct sl_histogram *ret)
{
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (classes[i].count)
			result = take_class(r, ret, classes[i].step, classes[i].count);
	}
	return result;
}

static int take_measure(struct reader *r, struct packed_durations *d, struct packed_class *classes)
{
	struct sl_saved_function *f = &r->saved->functions[d->function];
	struct sl_saved_measure *m = &f->measures[d->axis];
	struct packed_durations told;
	int result;

	if (m->spread.count)
		return expected(r, "each function once an axis");
	if (!packed_values(classes, d->classes))
		return expected(r, "values in classes that fit in 64 bits");
	packed_derive(classes, d->classes, &told);
	packed_with(d, &told);
	m->spread = (struct sl_spread){ d->count, d->sum, d->squares_low, d->squares_high };
	packed_own_with(d, packed_own_of(f, d->axis), f->measures[SL_AXIS_INSNS].own.sum);
	m->own_work = (struct sl_products){ d->work_low, d->work_high };
	m->own = (struct sl_spread){ d->count, d->own_sum, d->own_low, d->own_high };
	m->min = d->min;
	m->max = d->max;
	m->bounds = d->bounds;
	m->resolution = d->resolution;
	m->unevenness = d->unevenness;
	m->own_unevenness = d->own_unevenness;
	f->total.v[d->axis] += d->sum;
	result = take_histogram(r, classes, d->classes, &m->histogram);
	if (result == SL_OK && (!d->count || m->histogram.count > d->count))
		result = expected(r, "no more durations in classes than there are");
	return result;
}

static int take_durations(struct reader *r)
{
	struct packed_class *classes = r->packed.rows[TABLE_CLASSES];
	struct packed_durations *rows = r->packed.rows[TABLE_DURATIONS];
	size_t left = r->packed.counts[TABLE_CLASSES];
	int result = SL_OK;

	r->table = "durations";
	for (r->row = 0; r->row < r->packed.counts[TABLE_DURATIONS] && result == SL_OK; r->row++) {
		struct packed_durations *d = &rows[r->row];

		if (d->function >= r->saved->function_count || d->axis >= SL_AXIS_COUNT || d->classes > left)
			return expected(r, "function, axis and classes");
		result = take_measure(r, d, classes);
		classes += d->classes;
		left -= d->classes;
	}
	return result == SL_OK && left ? expected(r, "no more classes than rows have") : result;
}

static int check_version(const struct reader *r, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	size_t len = strlen(SAVED_SCHEMA);
	uint64_t version;

	if (!schema || strncmp(schema, SAVED_SCHEMA, len) != 0 || sl_parse_u64(schema + len, &version) < 0)
		return sl_fail(r->diag, SL_ERR_FORMAT, "%s: is no profile of sightline: it has no schema " SAVED_SCHEMA "N", r->file);
	if (version == SAVED_VERSION)
		return SL_OK;
	return sl_fail(r->diag, SL_ERR_UNSUPPORTED,
		       "%s: is a profile of version %" PRIu64 ", and this sightline reads version %d: %s", r->file, version,
		       SAVED_VERSION,
		       version < SAVED_VERSION ? "make it again from the capture with report --save" : "use a newer sightline");
}

static int read_all(struct reader *r, const json_t *root)
{
	int result = check_version(r, root);

	if (result == SL_OK)
		result = read_strings(r, root);
	if (result == SL_OK)
		result = read_facts(r, root);
	for (int table = 0; table < TABLES && result == SL_OK; table++)
		result = read_table(r, root, (enum saved_table_number)table);
	if (result == SL_OK)
		result = take_rows(r);
	if (result == SL_OK)
		result = take_functions(r);
	if (result == SL_OK)
		result = take_durations(r);
	if (result == SL_OK)
		saved_sum_up(r->saved);
	return result;
}

static int parse_text(const char *file, const char *text, size_t len, struct sl_saved *ret, struct sl_diag *diag)
{
	struct reader r = { .file = file, .diag = diag, .saved = ret };
	char why[JSON_ERROR_TEXT_LENGTH];
	json_error_t error;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	int result;

	if (!root)
		return sl_fail(diag, SL_ERR_FORMAT, "%s:%d: is no profile: %s", file, error.line,
			       sl_printable(error.text, why, sizeof(why))); /* it quotes the file */
	*ret = (struct sl_saved){ .string_count = 0 };
	result = read_all(&r, root);
	json_decref(root);
	packed_release(&r.packed);
	free(r.strings);
	if (result < 0)
		sl_saved_release(ret);
	return result;
}

static int parse_packed(const char *file, struct sl_bytes bytes, struct sl_saved *ret, struct sl_diag *diag)
{
	char *text;
	size_t len;
	int result = saved_unpack(bytes, SAVED_TEXT_BYTES, &text, &len);

	if (result == SL_ERR_FORMAT)
		return sl_fail(diag, result, "%s: cannot be unpacked: it is cut short or damaged", file);
	if (result == SL_ERR_LIMIT)
		return sl_fail(diag, result, "%s: has more than %d MiB when unpacked", file, SAVED_TEXT_BYTES >> 20);
	if (result < 0)
		return result;
	result = parse_text(file, text, len, ret, diag);
	free(text);
	return result;
}

static bool is_packed(struct sl_bytes bytes)
{
	return saved_is_xz(bytes) || saved_is_gzip(bytes);
}

int sl_saved_parse(const char *file, struct sl_bytes bytes, struct sl_saved *ret, struct sl_diag *diag)
{
	if (bytes.len > SAVED_TEXT_BYTES)
		return sl_fail(diag, SL_ERR_LIMIT, "%s: has more than %d MiB", file, SAVED_TEXT_BYTES >> 20);
	return is_packed(bytes) ? parse_packed(file, bytes, ret, diag) : parse_text(file, (const char *)bytes.data, bytes.len, ret, diag);
}

bool sl_saved_is(const char *path)
{
	struct sl_file file;
	bool is;

	if (sl_file_map(path, &file, NULL) < 0)
		return false;
	is = is_packed((struct sl_bytes){ file.data, file.len, 0 }) || (file.len && file.data[0] == '{');
	sl_file_unmap(&file);
	return is;
}

int sl_saved_read(const char *path, struct sl_saved *ret, struct sl_diag *diag)
{
	struct sl_file file;
	int result = sl_file_map(path, &file, diag);

	if (result < 0)
		return result;
	result = sl_saved_parse(path, (struct sl_bytes){ file.data, file.len, 0 }, ret, diag);
	sl_file_unmap(&file);
	return result;
}
