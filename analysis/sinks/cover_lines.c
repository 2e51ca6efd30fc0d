/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was executed by source line. An instruction is what counts: a piece is spread over its instructions, and each is
 * asked for its line once. Code of the same files that did not run has its lines too, with 0.
 */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum kind { FUNCTION, BRANCH, LINE }; /* in the order in which a file has them */

struct row {
	uint32_t file; /* rank by name */
	enum kind kind;
	unsigned line;
	uint32_t symbol;
	uint64_t address; /* BRANCH: of it, in the module's own addresses */
	uint64_t times, not_taken;
};

/* The same code that runs in several address spaces is one. */
struct insn {
	uint64_t address, times; /* in the module's own addresses */
	uint64_t ran_at;	 /* where it ran in core */
	uint32_t module, core;
};

/* Where a module's code lies at run time: its own addresses and what is to be added. */
struct module_place {
	bool known;
	uint8_t isa;
	uint32_t core;
	uint64_t bias;
};

struct making {
	const struct sl_cover *cover;
	struct sl_lines *dwarf;
	struct row *rows;
	size_t len, cap;
	struct insn *insns;
	size_t insn_count, insn_cap;
	const char **files; /* names, which live as long as dwarf; the same one may come as several */
	size_t file_count, file_cap;
	struct sl_map by_name; /* by where a name lies: number in files + 1 */
	struct module_place *modules;
	bool *touched; /* by number in files */
	size_t touched_len;
};

static int add_row(struct making *m, const struct row *row)
{
	return SL_ARRAY_PUSH(&m->rows, &m->len, &m->cap, *row);
}

/* COVER_NONE when out of memory. */
static uint32_t file_number(struct making *m, const char *name)
{
	uint64_t *number = sl_map_put(&m->by_name, (uintptr_t)name);

	if (number && !*number && SL_ARRAY_PUSH(&m->files, &m->file_count, &m->file_cap, name) == SL_OK)
		*number = m->file_count;
	return number && *number ? (uint32_t)*number - 1 : COVER_NONE;
}

/* The line of an address into row; SL_END where it has none. */
static int find_line(struct making *m, uint32_t core, uint64_t address, struct row *ret)
{
	const char *name;

	if (!sl_lines_at(m->dwarf, core, address, &name, &ret->line))
		return SL_END;
	ret->file = file_number(m, name);
	return ret->file == COVER_NONE ? SL_ERR_NOMEM : SL_OK;
}

static int by_address(const void *left, const void *right)
{
	const struct insn *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* What makes an address of the module's own one where it ran. */
static uint64_t bias_of(const struct sl_cover *cover, const struct cover_piece *piece)
{
	return sl_image_symbol_at(cover->image, piece->core, piece->start).entry -
	       sl_image_symbol(cover->image, piece->symbol)->address;
}

static int spread_piece(struct making *m, const struct cover_piece *piece)
{
	uint64_t bias = bias_of(m->cover, piece);
	int result = SL_OK;

	for (uint64_t at = piece->start; at < piece->end && result == SL_OK; at += cover_step(piece->isa)) {
		const struct insn insn = { .address = at - bias, .times = piece->times, .ran_at = at, .core = piece->core,
					   .module = sl_image_symbol(m->cover->image, piece->symbol)->module };

		result = SL_ARRAY_PUSH(&m->insns, &m->insn_count, &m->insn_cap, insn);
	}
	return result;
}

static int spread_pieces(struct making *m)
{
	int result = SL_OK;

	for (size_t i = 0; i < m->cover->len && result == SL_OK; i++) {
		if (m->cover->pieces[i].symbol)
			result = spread_piece(m, &m->cover->pieces[i]);
	}
	if (result == SL_OK && m->insn_count)
		qsort(m->insns, m->insn_count, sizeof(*m->insns), by_address);
	return result;
}

static int add_executed(struct making *m)
{
	int result = spread_pieces(m);

	for (size_t i = 0; i < m->insn_count && result >= 0;) {
		const struct insn *insn = &m->insns[i];
		struct row row = { .kind = LINE };

		for (; i < m->insn_count && by_address(insn, &m->insns[i]) == 0; i++)
			row.times += m->insns[i].times;
		result = find_line(m, insn->core, insn->ran_at, &row);
		if (result == SL_OK)
			result = add_row(m, &row);
	}
	return result < 0 ? result : SL_OK;
}

static int add_branches(struct making *m)
{
	int result = SL_OK;

	for (size_t i = 0; i < m->cover->len && result >= 0; i++) {
		const struct cover_piece *piece = &m->cover->pieces[i];
		struct row row = { .kind = BRANCH, .symbol = piece->symbol, .times = piece->taken,
				   .not_taken = piece->times - piece->taken };

		if (!piece->conditional || !piece->symbol)
			continue;
		row.address = cover_last(piece) - bias_of(m->cover, piece);
		result = find_line(m, piece->core, cover_last(piece), &row);
		if (result == SL_OK)
			result = add_row(m, &row);
	}
	return result < 0 ? result : SL_OK;
}

/* Where the modules lie of which something ran. */
static void find_places(struct making *m)
{
	const struct sl_image *image = m->cover->image;

	for (size_t i = 0; i < m->cover->len; i++) {
		const struct cover_piece *piece = &m->cover->pieces[i];
		const struct sl_symbol *symbol = sl_image_symbol(image, piece->symbol);
		struct module_place *place;

		if (!piece->symbol)
			continue;
		place = &m->modules[symbol->module];
		if (place->known)
			continue;
		place->known = true;
		place->isa = piece->isa;
		place->core = piece->core;
		place->bias = bias_of(m->cover, piece);
	}
}

/* Names that are the same get the number of the first one in order of names. */
static int compare_names(const void *left, const void *right, void *ctx)
{
	const struct making *m = ctx;

	return strcmp(m->files[*(const uint32_t *)left], m->files[*(const uint32_t *)right]);
}

static int rank_files(struct making *m)
{
	uint32_t *order = calloc(m->file_count + 1, sizeof(*order)), *rank = calloc(m->file_count + 1, sizeof(*rank));
	const char **names = calloc(m->file_count + 1, sizeof(*names));
	uint32_t ranks = 0;
	int result = order && rank && names ? SL_OK : SL_ERR_NOMEM;

	for (uint32_t i = 0; i < m->file_count && result == SL_OK; i++)
		order[i] = i;
	if (result == SL_OK)
		qsort_r(order, m->file_count, sizeof(*order), compare_names, m);
	for (uint32_t i = 0; i < m->file_count && result == SL_OK; i++) {
		if (!i || strcmp(m->files[order[i]], names[ranks - 1]) != 0)
			names[ranks++] = m->files[order[i]];
		rank[order[i]] = ranks - 1;
	}
	for (size_t i = 0; i < m->len && result == SL_OK; i++)
		m->rows[i].file = rank[m->rows[i].file];
	free(order);
	free(rank);
	if (result == SL_OK) {
		free(m->files);
		m->files = names;
		m->file_count = ranks;
	} else {
		free(names);
	}
	return result;
}

/* Whether a file has code that ran, by its name. */
static bool is_touched(const struct making *m, const char *name)
{
	size_t low = 0, high = m->touched_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(m->files[middle], name);

		if (order == 0)
			return m->touched[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* The lines of a function, of touched files. No longer than what is mapped: its size is what its file says. */
static int add_lines_of(struct making *m, uint32_t id, const struct module_place *place)
{
	const struct sl_symbol *symbol = sl_image_symbol(m->cover->image, id);
	uint64_t start = symbol->address + place->bias;
	struct sl_symbol_range range = sl_image_symbol_at(m->cover->image, place->core, start);
	uint64_t mapped = sl_image_bytes(m->cover->image, place->core, SL_SPACE_ANY, start).len;
	unsigned step = cover_step(symbol->isa ? symbol->isa : place->isa), last = 0;
	const char *last_file = NULL;
	int result = SL_OK;

	if (range.id != id)
		return SL_OK;
	for (uint64_t at = 0; at < mapped && start + at < range.end && result >= 0; at += step) {
		struct row row = { .kind = LINE };
		const char *file;

		if (!sl_lines_at(m->dwarf, place->core, start + at, &file, &row.line))
			continue;
		if ((file == last_file && row.line == last) || !is_touched(m, file))
			continue;
		last_file = file;
		last = row.line;
		row.file = file_number(m, file);
		result = row.file == COVER_NONE ? SL_ERR_NOMEM : add_row(m, &row);
	}
	return result;
}

static bool counts(const struct sl_cover *cover, uint32_t id)
{
	const struct sl_symbol *symbol = sl_image_symbol(cover->image, id);

	if (symbol->page || symbol->plt)
		return false;
	return !cover->sieve || sl_sieve_symbol(cover->sieve, id);
}

/* Functions of the modules that ran, whose first line is in a touched file. */
static int add_functions(struct making *m)
{
	const struct sl_cover *cover = m->cover;
	uint32_t count = sl_image_symbol_count(cover->image);
	int result = SL_OK;

	for (uint32_t id = 1; id <= count && result >= 0; id++) {
		const struct sl_symbol *symbol = sl_image_symbol(cover->image, id);
		const struct module_place *place = &m->modules[symbol->module];
		struct row row = { .kind = FUNCTION, .symbol = id, .times = cover->calls[id] };
		const char *file;

		if (!place->known || !counts(cover, id) ||
		    !sl_lines_at(m->dwarf, place->core, symbol->address + place->bias, &file, &row.line) || !is_touched(m, file))
			continue;
		row.file = file_number(m, file);
		result = row.file == COVER_NONE ? SL_ERR_NOMEM : add_row(m, &row);
		if (result == SL_OK)
			result = add_lines_of(m, id, place);
	}
	return result;
}

static const char *name_of(const struct making *m, const struct row *row)
{
	return sl_image_symbol(m->cover->image, row->symbol)->name;
}

/* A function that several units have, from a header, is one. */
static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct row *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->kind == FUNCTION)
		return strcmp(name_of(ctx, a), name_of(ctx, b));
	if (a->symbol != b->symbol)
		return a->symbol < b->symbol ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void write_line(const struct sl_coverage *out, const struct row *rows, size_t count)
{
	uint64_t times = 0;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].times > times)
			times = rows[i].times;
	}
	out->ops->line(out->out, rows->line, times);
}

static void write_function(const struct making *m, const struct sl_coverage *out, const struct row *rows, size_t count)
{
	uint64_t times = 0;

	for (size_t i = 0; i < count; i++)
		times += rows[i].times;
	out->ops->function(out->out, name_of(m, rows), rows->line, times);
}

static void write_branch(const struct sl_coverage *out, const struct row *rows, size_t count, unsigned number)
{
	uint64_t taken = 0, not_taken = 0;

	for (size_t i = 0; i < count; i++) {
		taken += rows[i].times;
		not_taken += rows[i].not_taken;
	}
	out->ops->branch(out->out, rows->line, number, taken, not_taken);
}

static bool is_same(const struct making *m, const struct row *a, const struct row *b)
{
	if (a->kind != b->kind || a->line != b->line)
		return false;
	if (a->kind == FUNCTION)
		return strcmp(name_of(m, a), name_of(m, b)) == 0;
	return a->kind == LINE || (a->symbol == b->symbol && a->address == b->address);
}

/* How many rows of a file from here on are of one line, branch or function. */
static size_t same(const struct making *m, const struct row *rows, size_t len)
{
	size_t count = 1;

	while (count < len && is_same(m, rows, &rows[count]))
		count++;
	return count;
}

static void write_file(const struct making *m, const struct row *rows, size_t len, const struct sl_coverage *out)
{
	unsigned number = 0, line = 0;

	out->ops->file(out->out, m->files[rows->file]);
	for (size_t i = 0, count; i < len; i += count) {
		const struct row *row = &rows[i];

		count = same(m, row, len - i);
		number = row->line == line ? number : 0;
		line = row->line;
		if (row->kind == FUNCTION)
			write_function(m, out, row, count);
		else if (row->kind == BRANCH)
			write_branch(out, row, count, number++);
		else
			write_line(out, row, count);
	}
	out->ops->end_file(out->out);
}

static void write_files(struct making *m, const struct sl_coverage *out)
{
	qsort_r(m->rows, m->len, sizeof(*m->rows), compare_rows, m);
	for (size_t i = 0, end; i < m->len; i = end) {
		for (end = i; end < m->len && m->rows[end].file == m->rows[i].file;)
			end++;
		write_file(m, m->rows + i, end - i, out);
	}
}

/* Files of which something ran, by rank; names that come later stand behind them. */
static int touch_files(struct making *m)
{
	m->touched = calloc(m->file_count + 1, sizeof(*m->touched));
	if (!m->touched)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < m->len; i++)
		m->touched[m->rows[i].file] = true;
	m->touched_len = m->file_count;
	sl_map_release(&m->by_name);
	m->by_name = (struct sl_map)SL_MAP_INIT;
	m->file_cap = m->file_count;
	return SL_OK;
}

static int make_rows(struct making *m)
{
	int result = sl_lines_new(m->cover->image, &m->dwarf);

	m->modules = calloc((size_t)sl_image_module_count(m->cover->image) + 1, sizeof(*m->modules));
	if (!m->modules)
		return SL_ERR_NOMEM;
	if (result == SL_OK)
		result = add_executed(m);
	if (result == SL_OK)
		result = add_branches(m);
	if (result == SL_OK)
		result = m->len ? rank_files(m) : SL_END;
	if (result == SL_OK)
		result = touch_files(m);
	if (result != SL_OK)
		return result;
	find_places(m);
	result = add_functions(m);
	return result == SL_OK ? rank_files(m) : result;
}

int sl_cover_lines(const struct sl_cover *cover, const struct sl_coverage *out)
{
	struct making m = { .cover = cover };
	int result = make_rows(&m);

	if (result == SL_OK)
		write_files(&m, out);
	sl_lines_free(m.dwarf);
	sl_map_release(&m.by_name);
	free(m.rows);
	free(m.insns);
	free(m.files);
	free(m.touched);
	free(m.modules);
	return result;
}
