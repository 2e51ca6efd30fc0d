/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_report.h"

#include "column.h"
#include "number.h"
#include "sl_array.h"

#include <stdlib.h>
#include <string.h>

struct key {
	size_t column;
	bool descending;
};

struct select {
	struct sl_table next;
	char *name, *sort, *fields;
	uint64_t limit;
	int error;
	const struct sl_table_head *head;
	bool active;
	struct key *keys;
	size_t key_len, key_cap;
	size_t *chosen; /* columns that are passed on */
	size_t chosen_len, chosen_cap;
	struct sl_cell *cells; /* rows that wait for their order; a string's u is its place in the arena */
	size_t cell_len, cell_cap;
	char *arena;
	size_t arena_len, arena_cap;
};

static bool is_text(enum sl_type type)
{
	return type == SL_TYPE_STRING || type == SL_TYPE_TREE;
}

static void parse_keys(struct select *s)
{
	const char *list = s->sort ? s->sort : "";
	struct sl_column_key name;

	s->key_len = 0;
	while (!s->error && sl_column_key_next(&list, &name)) {
		size_t column = sl_column_find(s->head->columns, s->head->column_count, &name);
		enum sl_type type = column == SL_NO_COLUMN ? SL_TYPE_COUNT : s->head->columns[column].type;
		bool down = !is_text(type) && type != SL_TYPE_ADDR;
		struct key key = { column, name.sign ? name.sign == '-' : down };

		if (column != SL_NO_COLUMN)
			s->error = SL_ARRAY_PUSH(&s->keys, &s->key_len, &s->key_cap, key);
	}
}

static void drop_column(struct select *s, size_t column)
{
	size_t len = 0;

	for (size_t i = 0; i < s->chosen_len; i++) {
		if (s->chosen[i] != column)
			s->chosen[len++] = s->chosen[i];
	}
	s->chosen_len = len;
}

static void add_column(struct select *s, size_t column)
{
	if (!s->error)
		s->error = SL_ARRAY_PUSH(&s->chosen, &s->chosen_len, &s->chosen_cap, column);
}

static void add_columns(struct select *s, bool rare_too)
{
	for (size_t i = 0; i < s->head->column_count; i++) {
		if (rare_too || s->head->columns[i].width != SL_COLUMN_RARE)
			add_column(s, i);
	}
}

static void choose_named(struct select *s, const struct sl_column_key *name)
{
	enum sl_column_set set = sl_column_set(name);
	size_t column = sl_column_find(s->head->columns, s->head->column_count, name);

	if (set != SL_COLUMN_ONE)
		add_columns(s, set == SL_COLUMNS_ALL);
	else if (column != SL_NO_COLUMN && name->sign == '-')
		drop_column(s, column);
	else if (column != SL_NO_COLUMN)
		add_column(s, column);
}

static void choose(struct select *s)
{
	const char *list = s->fields;
	struct sl_column_key name;

	s->chosen_len = 0;
	if (!list || list[strspn(list, " ")] == '-' || list[strspn(list, " ")] == '+')
		add_columns(s, true);
	while (list && !s->error && sl_column_key_next(&list, &name))
		choose_named(s, &name);
}

static void select_begin(void *self, const struct sl_table_head *head)
{
	struct select *s = self;

	s->head = head;
	s->active = strcmp(head->name, s->name) == 0;
	if (!s->active) {
		s->next.ops->begin(s->next.out, head);
		return;
	}
	s->cell_len = s->arena_len = 0;
	parse_keys(s);
	choose(s);
}

static int keep_string(struct select *s, struct sl_cell *cell)
{
	size_t size = strlen(cell->s) + 1;

	if (sl_array_reserve((void **)&s->arena, &s->arena_cap, 1, s->arena_len + size) < 0)
		return SL_ERR_NOMEM;
	memcpy(s->arena + s->arena_len, cell->s, size);
	cell->u = s->arena_len;
	s->arena_len += size;
	return SL_OK;
}

static void select_row(void *self, const struct sl_cell *cells)
{
	struct select *s = self;

	if (!s->active) {
		s->next.ops->row(s->next.out, cells);
		return;
	}
	for (size_t i = 0; i < s->head->column_count && !s->error; i++) {
		struct sl_cell cell = cells[i];

		if (cell.known && is_text(s->head->columns[i].type))
			s->error = keep_string(s, &cell);
		if (!s->error)
			s->error = SL_ARRAY_PUSH(&s->cells, &s->cell_len, &s->cell_cap, cell);
	}
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_cells(enum sl_type type, const struct sl_cell *a, const struct sl_cell *b)
{
	if (is_text(type))
		return strcmp(a->s, b->s);
	if (type == SL_TYPE_REAL || type == SL_TYPE_PERCENT || type == SL_TYPE_BAR)
		return (a->d > b->d) - (a->d < b->d);
	if (type == SL_TYPE_SIGNED)
		return (a->i > b->i) - (a->i < b->i);
	return compare_u64(a->u, b->u);
}

static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct sl_cell *const *a = left, *const *b = right;
	const struct select *s = ctx;

	for (size_t i = 0; i < s->key_len; i++) {
		const struct key *key = &s->keys[i];
		const struct sl_cell *x = &(*a)[key->column], *y = &(*b)[key->column];
		int order;

		if (x->known != y->known)
			return x->known ? -1 : 1;
		if (!x->known)
			continue;
		order = compare_cells(s->head->columns[key->column].type, x, y);
		if (order)
			return key->descending ? -order : order;
	}
	return *a < *b ? -1 : *a > *b; /* as they came */
}

/* Pointers to the kept rows, in order; NULL when out of memory. */
static const struct sl_cell **sort_rows(struct select *s, size_t rows)
{
	size_t columns = s->head->column_count;
	const struct sl_cell **order = calloc(rows + 1, sizeof(*order));

	for (size_t i = 0; i < s->cell_len; i++) {
		if (s->cells[i].known && is_text(s->head->columns[i % columns].type))
			s->cells[i].s = s->arena + s->cells[i].u;
	}
	for (size_t i = 0; order && i < rows; i++)
		order[i] = &s->cells[i * columns];
	if (order)
		qsort_r(order, rows, sizeof(*order), compare_rows, s);
	return order;
}

/* What the next stage's head borrows while rows are passed on. */
struct passed {
	struct sl_table_head head;
	struct sl_column *columns;
	struct sl_meta *meta;
	struct sl_cell *row;
	char *title;
	struct sl_number total, shown;
};

static void say_cut(struct passed *p, uint64_t total, uint64_t shown)
{
	p->head.meta = p->meta;
	snprintf(p->total.text, sizeof(p->total.text), "%llu", (unsigned long long)total);
	snprintf(p->shown.text, sizeof(p->shown.text), "%llu", (unsigned long long)shown);
	p->meta[p->head.meta_count++] = (struct sl_meta){ "rows", p->total.text };
	p->meta[p->head.meta_count++] = (struct sl_meta){ "rows_shown", p->shown.text };
	if (asprintf(&p->title, p->head.title ? "%s (%s of %s rows)" : "%s%s of %s rows",
		     p->head.title ? p->head.title : "", p->shown.text, p->total.text) < 0)
		p->title = NULL;
	if (p->title)
		p->head.title = p->title;
}

static int passed_init(const struct select *s, uint64_t total, uint64_t shown, struct passed *p)
{
	*p = (struct passed){ .head = *s->head };
	p->columns = calloc(s->chosen_len + 1, sizeof(*p->columns));
	p->row = calloc(s->chosen_len + 1, sizeof(*p->row));
	p->meta = calloc(s->head->meta_count + 2, sizeof(*p->meta));
	if (!p->columns || !p->row || !p->meta)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < s->chosen_len; i++)
		p->columns[i] = s->head->columns[s->chosen[i]];
	for (size_t i = 0; i < s->head->meta_count; i++)
		p->meta[i] = s->head->meta[i];
	p->head.columns = p->columns;
	p->head.column_count = s->chosen_len;
	if (shown < total)
		say_cut(p, total, shown);
	return SL_OK;
}

static void passed_fini(struct passed *p)
{
	free(p->columns);
	free(p->row);
	free(p->meta);
	free(p->title);
}

static void pass_on(struct select *s, const struct sl_cell *const *order, size_t total)
{
	uint64_t shown = s->limit && s->limit < total ? s->limit : total;
	struct passed p;

	s->error = passed_init(s, total, shown, &p);
	if (!s->error) {
		s->next.ops->begin(s->next.out, &p.head);
		for (size_t row = 0; row < shown; row++) {
			for (size_t i = 0; i < s->chosen_len; i++)
				p.row[i] = order[row][s->chosen[i]];
			s->next.ops->row(s->next.out, p.row);
		}
		s->next.ops->end(s->next.out);
	}
	passed_fini(&p);
}

static void select_end(void *self)
{
	struct select *s = self;
	size_t rows = s->head->column_count ? s->cell_len / s->head->column_count : 0;
	const struct sl_cell **order;

	if (!s->active) {
		s->next.ops->end(s->next.out);
		return;
	}
	s->active = false;
	if (s->error)
		return;
	order = sort_rows(s, rows);
	if (order)
		pass_on(s, order, rows);
	else
		s->error = SL_ERR_NOMEM;
	free(order);
}

static int select_close(void *self)
{
	struct select *s = self;
	int ret = s->next.ops->close(s->next.out);

	if (s->error)
		ret = s->error;
	free(s->name);
	free(s->sort);
	free(s->fields);
	free(s->keys);
	free(s->chosen);
	free(s->cells);
	free(s->arena);
	free(s);
	return ret;
}

int sl_report_select(const char *name, const char *sort, uint64_t limit, const char *fields,
		     struct sl_table next, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { select_begin, select_row, select_end, select_close };
	struct select *s = calloc(1, sizeof(*s));

	if (!s) {
		next.ops->close(next.out);
		return SL_ERR_NOMEM;
	}
	s->next = next;
	s->limit = limit;
	s->name = strdup(name);
	s->sort = sort ? strdup(sort) : NULL;
	s->fields = fields ? strdup(fields) : NULL;
	if (!s->name || (sort && !s->sort) || (fields && !s->fields)) {
		select_close(s);
		return SL_ERR_NOMEM;
	}
	*ret = (struct sl_table){ &ops, s };
	return SL_OK;
}
