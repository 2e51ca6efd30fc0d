/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "number.h"
#include "sl_array.h"
#include "sl_text.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	GUTTER = 2,	   /* blanks between columns */
	BAR_WIDTH = 40,
	STRING_WIDTH = 64, /* a longer string widens no column: it pushes its own line to the right */
};

struct text {
	FILE *out;
	struct sl_report_style style;
	const struct sl_table_head *head;
	bool active, started;
	int error;
	char *arena; /* texts of the cells that are kept, one after another */
	size_t arena_len, arena_cap;
	size_t *cells; /* where each begins in the arena */
	size_t cell_len, cell_cap;
	size_t *widths;
	size_t width_cap;
	/* Of the rows' places in a tree, where a column is one: */
	uint32_t *depths;
	size_t depth_len, depth_cap;
	char *drawn; /* the line at work, with its branches */
	size_t drawn_cap;
	bool *more;  /* by depth: another row of the same parent follows */
	size_t more_cap;
};

static bool is_text(enum sl_type type)
{
	return type == SL_TYPE_STRING || type == SL_TYPE_TREE;
}

static bool left_aligned(const struct sl_column *column)
{
	return is_text(column->type) || column->type == SL_TYPE_BAR;
}

/* The room of a column that has to hold something of a width. */
static size_t room(const struct sl_column *column, size_t width)
{
	return left_aligned(column) && width > STRING_WIDTH ? STRING_WIDTH : width;
}

/*
 * One line: heading or cells. Each cell goes to its column's place, or behind what has run over it, so that
 * one long name moves only what follows it, until the blanks of later columns make up for it.
 */
static void line(struct text *t, const char *(*cell)(struct text *t, size_t row, size_t i), size_t row)
{
	size_t at = 0, start = 0;

	for (size_t i = 0; i < t->head->column_count; i++) {
		const char *s = cell(t, row, i);
		size_t width = sl_utf8_width(s);
		size_t place = start;

		if (!left_aligned(&t->head->columns[i]) && width < t->widths[i])
			place += t->widths[i] - width;
		if (i && place < at + 1)
			place = at + 1;
		start += t->widths[i] + GUTTER;
		if (!*s)
			continue;
		fprintf(t->out, "%*s%s", (int)(place - at), "", s);
		at = place + width;
	}
	putc('\n', t->out);
}

static const char *heading(struct text *t, size_t row, size_t i)
{
	(void)row;
	return t->head->columns[i].heading;
}

static const char *kept(struct text *t, size_t row, size_t i)
{
	return t->arena + t->cells[row * t->head->column_count + i];
}

enum { BRANCH_BYTES = 6 }; /* the most that a step of depth takes: two characters of UTF-8 */

/* Whether another row of the same parent comes behind this one. All in all each row is looked at once an ancestor. */
static bool has_next(const struct text *t, size_t row)
{
	size_t i = row + 1;

	while (i < t->depth_len && t->depths[i] > t->depths[row])
		i++;
	return i < t->depth_len && t->depths[i] == t->depths[row];
}

/* The branches that lead to a row, and its name. Rows are drawn from the first to the last. */
static const char *draw(struct text *t, size_t row, const char *name)
{
	static const char *const utf8[] = { "  ", "│ ", "└─", "├─" }, *const ascii[] = { "  ", "| ", "`-", "|-" };
	const char *const *branch = t->style.ascii ? ascii : utf8;
	uint32_t depth = t->depths[row];
	char *to = t->drawn;

	t->more[depth] = has_next(t, row);
	for (uint32_t i = 1; i <= depth; i++)
		to = stpcpy(to, branch[2 * (i == depth) + t->more[i]]);
	strcpy(to, name);
	return t->drawn;
}

/* As kept, with the tree drawn. */
static const char *final(struct text *t, size_t row, size_t i)
{
	const char *s = kept(t, row, i);

	return t->head->columns[i].type == SL_TYPE_TREE ? draw(t, row, s) : s;
}

/* Room for the longest line of a tree. */
static int prepare_tree(struct text *t)
{
	size_t deepest = 0;

	for (size_t i = 0; i < t->depth_len; i++)
		deepest = t->depths[i] > deepest ? t->depths[i] : deepest;
	if (sl_array_reserve((void **)&t->more, &t->more_cap, sizeof(*t->more), deepest + 1) < 0)
		return SL_ERR_NOMEM;
	return sl_array_reserve((void **)&t->drawn, &t->drawn_cap, 1, deepest * BRANCH_BYTES + t->arena_len + 1);
}

static void print_heading(struct text *t)
{
	bool any = false;

	for (size_t i = 0; i < t->head->column_count; i++)
		any |= t->head->columns[i].heading[0] != '\0';
	if (!any)
		return;
	if (t->style.color)
		fputs("\033[4m", t->out);
	line(t, heading, 0);
	if (t->style.color)
		fputs("\033[0m", t->out);
}

static void print_title(struct text *t)
{
	if (t->started)
		putc('\n', t->out);
	t->started = true;
	if (!t->head->title)
		return;
	fprintf(t->out, t->style.color ? "\033[1m%s\033[0m\n" : "%s\n", t->head->title);
}

static void text_begin(void *self, const struct sl_table_head *head)
{
	struct text *t = self;

	t->active = !t->style.table || strcmp(t->style.table, head->name) == 0;
	t->head = head;
	t->arena_len = t->cell_len = t->depth_len = 0;
	if (t->active && !t->error)
		t->error = sl_array_reserve((void **)&t->widths, &t->width_cap, sizeof(*t->widths),
					    head->column_count);
	if (!t->active || t->error)
		return;
	for (size_t i = 0; i < head->column_count; i++) {
		size_t width = sl_utf8_width(head->columns[i].heading);

		t->widths[i] =
			head->stream && head->columns[i].width > width ? head->columns[i].width : width;
	}
	print_title(t);
	if (head->stream)
		print_heading(t);
}

static const char *plain_text(enum sl_type type, struct sl_cell cell, struct sl_number *ret)
{
	switch (type) {
	case SL_TYPE_SIGNED:
		return sl_number_signed(cell.i, ret);
	case SL_TYPE_PERCENT:
	case SL_TYPE_REAL:
		return sl_number_fixed(cell.d, 2, ret);
	case SL_TYPE_ADDR:
		snprintf(ret->text, sizeof(ret->text), "0x%" PRIx64, cell.u);
		return ret->text;
	case SL_TYPE_HEX:
		snprintf(ret->text, sizeof(ret->text), "0x%02" PRIx64, cell.u);
		return ret->text;
	case SL_TYPE_BOOL:
		return cell.u ? "yes" : "no";
	default:
		return sl_number_grouped(cell.u, ret);
	}
}

/* A bar of up to BAR_WIDTH characters, in eighths where the character set has them; what is not 0 is seen. */
static const char *bar(const struct text *t, double part, char ret[BAR_WIDTH * 3 + 4])
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned steps = t->style.ascii ? 1 : 8, length = 0;
	char *to = ret;

	if (part > 0)
		length = (unsigned)((part < 1 ? part : 1) * BAR_WIDTH * steps + 0.5);
	if (part > 0 && !length)
		length = 1;
	*to = '\0';
	for (unsigned i = 0; i < length / steps; i++)
		to = stpcpy(to, t->style.ascii ? "#" : "█");
	stpcpy(to, eighths[length % steps]);
	return ret;
}

/* Appends a cell's text to the arena. */
static int keep(struct text *t, enum sl_type type, struct sl_cell cell)
{
	char drawn[BAR_WIDTH * 3 + 4];
	struct sl_number number;
	const char *s = "-";
	size_t size;

	if (cell.known)
		s = is_text(type) ? cell.s : type == SL_TYPE_BAR ? bar(t, cell.d, drawn) : plain_text(type, cell, &number);
	if (type == SL_TYPE_TREE && SL_ARRAY_PUSH(&t->depths, &t->depth_len, &t->depth_cap, cell.depth) < 0)
		return SL_ERR_NOMEM;
	size = strlen(s) + 1;
	if (SL_ARRAY_PUSH(&t->cells, &t->cell_len, &t->cell_cap, t->arena_len) < 0 ||
	    sl_array_reserve((void **)&t->arena, &t->arena_cap, 1, t->arena_len + size) < 0)
		return SL_ERR_NOMEM;
	sl_printable(s, t->arena + t->arena_len, size);
	t->arena_len += strlen(t->arena + t->arena_len) + 1;
	return SL_OK;
}

static void measure(struct text *t, size_t row)
{
	for (size_t i = 0; i < t->head->column_count; i++) {
		const struct sl_column *column = &t->head->columns[i];
		size_t branches = column->type == SL_TYPE_TREE ? 2 * (size_t)t->depths[row] : 0;
		size_t width = room(column, branches + sl_utf8_width(kept(t, row, i)));

		if (width > t->widths[i])
			t->widths[i] = width;
	}
}

static void text_row(void *self, const struct sl_cell *cells)
{
	struct text *t = self;

	if (!t->active)
		return;
	for (size_t i = 0; i < t->head->column_count && !t->error; i++)
		t->error = keep(t, t->head->columns[i].type, cells[i]);
	if (t->error)
		return;
	if (!t->head->stream) {
		measure(t, t->cell_len / t->head->column_count - 1);
		return;
	}
	line(t, kept, 0);
	t->arena_len = t->cell_len = 0;
}

static void text_end(void *self)
{
	struct text *t = self;

	if (!t->active || t->error)
		return;
	t->active = false;
	if (t->head->stream)
		return;
	t->error = prepare_tree(t);
	if (t->error)
		return;
	print_heading(t);
	for (size_t row = 0; row < t->cell_len / t->head->column_count; row++)
		line(t, final, row);
	if (!t->cell_len)
		fputs("(none)\n", t->out);
}

static int text_close(void *self)
{
	struct text *t = self;
	int ret = t->error ? t->error : sl_writer_flush(t->out);

	free(t->arena);
	free(t->cells);
	free(t->widths);
	free(t->depths);
	free(t->drawn);
	free(t->more);
	free(t);
	return ret;
}

int sl_table_text_new(const struct sl_report_style *style, FILE *out, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { text_begin, text_row, text_end, text_close };
	struct text *t = calloc(1, sizeof(*t));

	if (!t)
		return SL_ERR_NOMEM;
	t->out = out;
	t->style = *style;
	t->started = style->continuation;
	*ret = (struct sl_table){ &ops, t };
	return SL_OK;
}
