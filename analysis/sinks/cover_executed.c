/* SPDX-License-Identifier: Apache-2.0 */
/* What was executed of one program, by addresses from its first segment on. */
#include "cover.h"

#include <stdlib.h>
#include <string.h>

#include "sl_insn.h"

/* Instructions that a module executed, and which has most of them. */
static int find_busiest(const struct sl_cover *cover, uint32_t *ret, size_t *ret_others)
{
	uint32_t count = sl_image_module_count(cover->image);
	uint64_t *bytes = calloc((size_t)count + 1, sizeof(*bytes));
	size_t others = 0;

	if (!bytes)
		return SL_ERR_NOMEM;
	*ret = count;
	for (size_t i = 0; i < cover->len; i++) {
		const struct cover_piece *piece = &cover->pieces[i];

		if (piece->symbol)
			bytes[sl_image_symbol(cover->image, piece->symbol)->module] += piece->times * (piece->end - piece->start);
	}
	for (uint32_t i = 0; i < count; i++) {
		others += bytes[i] > 0;
		if (bytes[i] && (*ret == count || bytes[i] > bytes[*ret]))
			*ret = i;
	}
	free(bytes);
	*ret_others = others ? others - 1 : 0;
	return *ret == count ? SL_END : SL_OK;
}

/* Where an address of a symbol lies, from its module's first segment on. */
static uint64_t place_of(const struct sl_cover *cover, uint32_t id, uint32_t core, uint64_t address)
{
	const struct sl_symbol *symbol = sl_image_symbol(cover->image, id);
	uint64_t entry = sl_image_symbol_at(cover->image, core, address).entry;

	return symbol->address + (address - entry) - sl_image_module(cover->image, symbol->module)->base;
}

/* The instruction that last lies in, of those from start on. */
static uint64_t insn_at(const struct sl_image *image, uint32_t core, uint8_t isa, uint64_t start, uint64_t last)
{
	uint64_t at = 0, next = 0; /* from start on */

	if (!sl_isa_is_x86(isa))
		return last;
	for (; next <= last - start; next += sl_insn_size((enum sl_isa)isa, sl_image_bytes(image, core, SL_SPACE_ANY, start + at)))
		at = next;
	return start + at;
}

static bool is_of(const struct sl_cover *cover, uint32_t symbol, uint32_t module)
{
	return symbol && sl_image_symbol(cover->image, symbol)->module == module;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct sl_executed_range *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->last > b->last) - (a->last < b->last);
}

static int compare_branches(const void *left, const void *right)
{
	const struct sl_executed_branch *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return (a->to > b->to) - (a->to < b->to);
}

/* The same code in several address spaces is one. */
static size_t join_ranges(struct sl_executed_range *ranges, size_t count)
{
	size_t len = 0;

	if (count)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		if (len && compare_ranges(&ranges[len - 1], &ranges[i]) == 0)
			ranges[len - 1].times += ranges[i].times;
		else
			ranges[len++] = ranges[i];
	}
	return len;
}

static size_t join_branches(struct sl_executed_branch *branches, size_t count)
{
	size_t len = 0;

	if (count)
		qsort(branches, count, sizeof(*branches), compare_branches);
	for (size_t i = 0; i < count; i++) {
		if (len && compare_branches(&branches[len - 1], &branches[i]) == 0)
			branches[len - 1].times += branches[i].times;
		else
			branches[len++] = branches[i];
	}
	return len;
}

static size_t take_ranges(struct sl_cover *cover, uint32_t module)
{
	size_t count = 0;

	for (size_t i = 0; i < cover->len; i++) {
		const struct cover_piece *piece = &cover->pieces[i];
		struct sl_executed_range *range = &cover->ranges[count];

		if (!is_of(cover, piece->symbol, module))
			continue;
		range->first = place_of(cover, piece->symbol, piece->core, piece->start);
		range->last = range->first +
			      (insn_at(cover->image, piece->core, piece->isa, piece->start, cover_last(piece)) - piece->start);
		range->times = piece->times;
		count++;
	}
	return join_ranges(cover->ranges, count);
}

static size_t take_branches(struct sl_cover *cover, uint32_t module)
{
	size_t count = 0;

	for (size_t i = 0; i < cover->edge_count; i++) {
		const struct cover_edge *edge = &cover->edges[i];
		struct sl_executed_branch *branch = &cover->branches[count];

		if (!is_of(cover, edge->from_symbol, module) || !is_of(cover, edge->to_symbol, module))
			continue;
		branch->from = place_of(cover, edge->from_symbol, edge->core,
					insn_at(cover->image, edge->core, edge->isa, edge->start, edge->from));
		branch->to = place_of(cover, edge->to_symbol, edge->core, edge->to);
		branch->times = edge->times;
		count++;
	}
	return join_branches(cover->branches, count);
}

int sl_cover_executed(struct sl_cover *cover, struct sl_executed *ret, size_t *ret_others)
{
	const struct sl_module *module;
	uint32_t number;
	int result = find_busiest(cover, &number, ret_others);

	if (result != SL_OK)
		return result;
	free(cover->ranges);
	free(cover->branches);
	cover->ranges = calloc(cover->len + 1, sizeof(*cover->ranges));
	cover->branches = calloc(cover->edge_count + 1, sizeof(*cover->branches));
	if (!cover->ranges || !cover->branches)
		return SL_ERR_NOMEM;
	module = sl_image_module(cover->image, number);
	*ret = (struct sl_executed){ .path = module->path, .build_id = module->build_id, .build_id_len = module->build_id_len,
				     .ranges = cover->ranges, .branches = cover->branches };
	ret->range_count = take_ranges(cover, number);
	ret->branch_count = take_branches(cover, number);
	return ret->range_count ? SL_OK : SL_END;
}
