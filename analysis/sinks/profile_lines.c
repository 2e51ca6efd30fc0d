/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines and files by instructions. While the trace runs only pieces are counted, which are few and come again; whose lines
 * they are is asked once for each instruction, when all is over.
 */
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

#define NONE UINT32_MAX

struct counted_piece {
	uint64_t start, end, times;
	uint32_t core, symbol, next; /* of the same start; NONE */
	uint8_t isa;
};

struct insn {
	uint64_t address, times;
	uint32_t core, symbol;
};

struct line_row {
	const char *file; /* NULL: nothing tells it */
	unsigned line;
	uint32_t symbol, module; /* symbol: NONE where there are several */
	uint64_t insns, executed;
	uint32_t next; /* with the same hash; NONE */
};

struct profile_lines {
	const struct sl_image *image;
	bool files;
	struct counted_piece *pieces;
	size_t len, cap;
	struct sl_map by_start; /* index + 1 */
	bool failed;
};

/* What is at work while the rows are made. */
struct making {
	const struct profile_lines *lines;
	struct sl_lines *dwarf;
	struct insn *insns;
	size_t insn_count, insn_cap;
	struct line_row *rows;
	size_t row_count, row_cap;
	struct sl_map by_hash;
	uint64_t whole;
};

int profile_lines_new(const struct sl_profile_options *options, struct profile_lines **ret)
{
	struct profile_lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return SL_ERR_NOMEM;
	lines->image = options->image;
	lines->files = options->by == SL_BY_FILE;
	*ret = lines;
	return SL_OK;
}

void profile_lines_free(struct profile_lines *lines)
{
	if (!lines)
		return;
	free(lines->pieces);
	sl_map_release(&lines->by_start);
	free(lines);
}

bool profile_lines_failed(const struct profile_lines *lines)
{
	return lines->failed;
}

void profile_lines_piece(struct profile_lines *lines, const struct sl_piece *piece)
{
	const struct sl_elem *range = piece->range;
	uint64_t *first = sl_map_put(&lines->by_start, range->range.start);
	struct counted_piece fresh = { .start = range->range.start, .end = range->range.end, .times = 1, .core = piece->core,
				       .symbol = piece->symbol, .isa = range->isa };
	uint32_t i;

	if (!first) {
		lines->failed = true;
		return;
	}
	for (i = (uint32_t)*first - 1; i != NONE; i = lines->pieces[i].next) {
		struct counted_piece *known = &lines->pieces[i];

		if (known->end == fresh.end && known->core == fresh.core && known->isa == fresh.isa) {
			known->times++;
			return;
		}
	}
	fresh.next = (uint32_t)*first - 1;
	if (lines->len == NONE || SL_ARRAY_PUSH(&lines->pieces, &lines->len, &lines->cap, fresh) < 0)
		lines->failed = true;
	else
		*first = lines->len;
}

/* In T32 the first halfword tells the size; elsewhere all instructions have 4 bytes. */
static unsigned size_at(const struct profile_lines *lines, const struct counted_piece *piece, uint64_t address)
{
	struct sl_bytes code;

	if (piece->isa != SL_ISA_T32)
		return 4;
	code = sl_image_bytes(lines->image, piece->core, SL_SPACE_ANY, address);
	return code.len >= 2 && code.data[1] < 0xe8 ? 2 : 4;
}

static int spread_piece(struct making *m, const struct counted_piece *piece)
{
	uint64_t at = piece->start;

	while (at < piece->end) {
		struct insn insn = { at, piece->times, piece->core, piece->symbol };

		if (SL_ARRAY_PUSH(&m->insns, &m->insn_count, &m->insn_cap, insn) < 0)
			return SL_ERR_NOMEM;
		at += size_at(m->lines, piece, at);
	}
	return SL_OK;
}

static int by_address(const void *left, const void *right)
{
	const struct insn *a = left, *b = right;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* An instruction that several pieces hold is executed as often as all of them. */
static void join_insns(struct making *m)
{
	size_t len = 0;

	if (m->insn_count)
		qsort(m->insns, m->insn_count, sizeof(*m->insns), by_address);
	for (size_t i = 0; i < m->insn_count; i++) {
		if (len && by_address(&m->insns[len - 1], &m->insns[i]) == 0)
			m->insns[len - 1].times += m->insns[i].times;
		else
			m->insns[len++] = m->insns[i];
	}
	m->insn_count = len;
}

static bool is_row(const struct line_row *row, const char *file, unsigned line, uint32_t module)
{
	if (!file || !row->file)
		return !file && !row->file && row->module == module;
	return row->line == line && strcmp(row->file, file) == 0;
}

/* The row of a line; where there is none, of its module. NULL: no memory. */
static struct line_row *row_of(struct making *m, const char *file, unsigned line, uint32_t symbol)
{
	uint32_t module = symbol ? sl_image_symbol(m->lines->image, symbol)->module : NONE;
	uint64_t hash = file ? sl_hash(SL_HASH_SEED + line, file, strlen(file)) : module, *first = sl_map_put(&m->by_hash, hash);
	struct line_row fresh = { .file = file, .line = line, .symbol = symbol, .module = module };

	if (!first)
		return NULL;
	for (uint32_t i = (uint32_t)*first - 1; i != NONE; i = m->rows[i].next) {
		if (is_row(&m->rows[i], file, line, module))
			return &m->rows[i];
	}
	fresh.next = (uint32_t)*first - 1;
	if (SL_ARRAY_PUSH(&m->rows, &m->row_count, &m->row_cap, fresh) < 0)
		return NULL;
	*first = m->row_count;
	return &m->rows[m->row_count - 1];
}

static int book_insn(struct making *m, const struct insn *insn)
{
	const char *file = NULL;
	struct line_row *row;
	unsigned line = 0;

	if (!sl_lines_at(m->dwarf, insn->core, insn->address, &file, &line))
		file = NULL;
	if (!file || m->lines->files)
		line = 0;
	row = row_of(m, file, line, insn->symbol);
	if (!row)
		return SL_ERR_NOMEM;
	if (row->symbol != insn->symbol)
		row->symbol = NONE;
	row->insns += insn->times;
	if (insn->times > row->executed)
		row->executed = insn->times;
	m->whole += insn->times;
	return SL_OK;
}

static int make_rows(struct making *m)
{
	int result = sl_lines_new(m->lines->image, &m->dwarf);

	for (size_t i = 0; i < m->lines->len && result == SL_OK; i++)
		result = spread_piece(m, &m->lines->pieces[i]);
	join_insns(m);
	for (size_t i = 0; i < m->insn_count && result == SL_OK; i++)
		result = book_insn(m, &m->insns[i]);
	return result;
}

static const struct sl_column line_columns[] = {
	{ "line", "line", "source file and line", SL_TYPE_STRING, 0 },
	{ "function", "function", "function that it is in, where it is one alone", SL_TYPE_STRING, 0 },
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },
	{ "executed", "executed", "how often: of the instruction of the line that ran most often", SL_TYPE_COUNT, 0 },
	{ "self_insns", "self insns", "instructions executed", SL_TYPE_COUNT, 0 },
	{ "self_percent", "self %", "share of them in the instructions of all lines", SL_TYPE_PERCENT, 0 },
};
static const struct sl_column file_columns[] = {
	{ "file", "file", "source file", SL_TYPE_STRING, 0 },
	{ "module", "module", "file that holds it", SL_TYPE_STRING, 0 },
	{ "self_insns", "self insns", "instructions executed", SL_TYPE_COUNT, 0 },
	{ "self_percent", "self %", "share of them in the instructions of all files", SL_TYPE_PERCENT, 0 },
};

size_t profile_lines_columns(enum sl_profile_by by, const struct sl_column **ret)
{
	*ret = by == SL_BY_FILE ? file_columns : line_columns;
	return by == SL_BY_FILE ? sizeof(file_columns) / sizeof(file_columns[0])
				: sizeof(line_columns) / sizeof(line_columns[0]);
}

static const char *module_of(const struct making *m, const struct line_row *row)
{
	return row->module == NONE ? NULL : sl_image_module(m->lines->image, row->module)->name;
}

static void write_row(const struct making *m, const struct line_row *row, const struct sl_table *out)
{
	const char *place = row->file ? row->file : "[no line]";
	double share = m->whole ? 100.0 * (double)row->insns / (double)m->whole : 0;
	struct sl_cell cells[6];
	char *text = NULL;
	size_t n = 0;

	if (row->line && asprintf(&text, "%s:%u", place, row->line) < 0)
		text = NULL;
	cells[n++] = sl_cell_str(text ? text : place);
	if (!m->lines->files)
		cells[n++] = sl_cell_str(row->symbol == NONE ? NULL : sl_image_symbol(m->lines->image, row->symbol)->name);
	cells[n++] = sl_cell_str(module_of(m, row));
	if (!m->lines->files)
		cells[n++] = sl_cell_u64(row->executed);
	cells[n++] = sl_cell_u64(row->insns);
	cells[n++] = sl_cell_real(share);
	out->ops->row(out->out, cells);
	free(text);
}

static void write_table(const struct making *m, const struct sl_table *out)
{
	const struct sl_meta meta[] = { { "unit", "insns" } };
	struct sl_table_head head = { .schema = "sightline.report/1", .name = m->lines->files ? "files" : "lines",
				      .title = m->lines->files ? "Source files, in instructions" : "Source lines, in instructions",
				      .meta = meta, .meta_count = 1 };

	head.column_count = profile_lines_columns(m->lines->files ? SL_BY_FILE : SL_BY_LINE, &head.columns);
	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < m->row_count; i++)
		write_row(m, &m->rows[i], out);
	out->ops->end(out->out);
}

int profile_lines_write(const struct profile_lines *lines, const struct sl_table *out)
{
	struct making m = { .lines = lines };
	int result = make_rows(&m);

	if (result == SL_OK)
		write_table(&m, out);
	sl_lines_free(m.dwarf);
	sl_map_release(&m.by_hash);
	free(m.insns);
	free(m.rows);
	return result;
}
