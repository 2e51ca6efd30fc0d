/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trace contradicts the image: which module, which function, and whether it was patched or is another build. */
#include "stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_array.h"

enum { SITES_MAX = 4096, FEW_PLACES = 2 };

/* What an address means depends on the address space, which several spaces of memory (secure, EL) make uncertain: then
 * no instruction is looked at. */
static bool is_plain(const struct sl_image *image)
{
	const struct sl_mapping *maps;
	size_t count = sl_image_mappings(image, &maps);

	for (size_t i = 0; i < count; i++) {
		if (maps[i].space != SL_SPACE_ANY)
			return false;
	}
	return true;
}

int stats_breaks_begin(struct lane_stats *lane, const struct sl_image *image)
{
	lane->module_ranges = calloc(sl_image_module_count(image) + 1u, sizeof(*lane->module_ranges));
	if (!lane->module_ranges)
		return SL_ERR_NOMEM;
	if (!is_plain(image))
		return SL_OK;
	lane->seen = calloc(SEEN, sizeof(*lane->seen));
	return lane->seen ? SL_OK : SL_ERR_NOMEM;
}

void stats_breaks_release(struct lane_stats *lane)
{
	free(lane->module_ranges);
	free(lane->seen);
	free(lane->sites);
	sl_map_release(&lane->site_by_address);
}

static uint32_t core_now(const struct lane_stats *lane)
{
	return lane->spaces[lane->space - 1].core;
}

/* The place, or NULL where it cannot be kept. User space is below 2^56: its key has the address space too. */
static struct site *site_at(struct lane_stats *lane, uint64_t address, uint64_t offset)
{
	uint32_t core = core_now(lane);
	uint64_t key = address >> 63 ? address : address ^ (uint64_t)core << 56 ^ (uint64_t)core << 40;
	uint64_t *index = sl_map_get(&lane->site_by_address, key);
	struct site site = { .address = address, .first_offset = offset, .core = core };

	if (!index && lane->site_len < SITES_MAX)
		index = sl_map_put(&lane->site_by_address, key);
	if (!index) {
		lane->sites_dropped++;
		return NULL;
	}
	if (!*index) {
		if (SL_ARRAY_PUSH(&lane->sites, &lane->site_len, &lane->site_cap, site) < 0)
			return NULL;
		*index = lane->site_len;
	}
	return &lane->sites[*index - 1];
}

void stats_count_break(struct lane_stats *lane, const struct sl_elem *range)
{
	struct site *site = site_at(lane, lane->check.last_address, range->offset);

	if (site)
		site->breaks++;
}

/* A64 never gave a meaning to words whose upper half is 0 (UDF): no range can hold one. */
static void find_undefined(struct lane_stats *lane, struct sl_bytes code, const struct sl_elem *range)
{
	uint64_t len = range->range.end - range->range.start;

	for (uint64_t at = 0; at + 4 <= len && at + 4 <= code.len; at += 4) {
		struct site *site;

		if (code.data[at + 2] || code.data[at + 3])
			continue;
		site = site_at(lane, range->range.start + at, range->offset);
		if (site)
			site->undefined++;
		return;
	}
}

void stats_look_at(struct lane_stats *lane, const struct sl_image *image, const struct sl_elem *range)
{
	struct seen *seen = &lane->seen[(range->range.start >> 2 ^ range->range.start >> 14) & (SEEN - 1)];
	struct seen now = { range->range.start, range->range.end, core_now(lane) };

	if (range->isa != SL_ISA_A64 || (seen->start == now.start && seen->end == now.end && seen->core == now.core))
		return;
	*seen = now;
	find_undefined(lane, sl_image_bytes(image, now.core, SL_SPACE_ANY, now.start), range);
}

/* What a module has of them. */
struct sum {
	uint32_t module;   /* UINT32_MAX: code without an image */
	bool kernel;	   /* the first place is the kernel's */
	uint64_t places, breaks, undefined, ranges;
	const struct site *first;
	const struct lane_stats *lane; /* of the first */
};

/* The instruction's symbol: a break tells the address behind it. */
static struct sl_symbol_range symbol_of(const struct sl_image *image, const struct site *site)
{
	return sl_image_symbol_at(image, site->core, site->breaks && site->address ? site->address - 1 : site->address);
}

static void add_site(struct sum *sums, uint32_t modules, const struct sl_image *image, const struct lane_stats *lane,
		     const struct site *site)
{
	uint32_t module = sl_image_symbol(image, symbol_of(image, site).id)->module;
	struct sum *sum = &sums[module < modules ? module : modules];

	if (!sum->first) {
		sum->first = site;
		sum->lane = lane;
		sum->kernel = site->address >> 63;
	}
	sum->places++;
	sum->breaks += site->breaks;
	sum->undefined += site->undefined;
}

static void collect(const struct sl_stats *stats, struct sum *sums, uint32_t modules)
{
	for (uint32_t m = 0; m <= modules; m++)
		sums[m].module = m < modules ? m : UINT32_MAX;
	for (size_t l = 0; l < stats->lane_count; l++) {
		const struct lane_stats *lane = stats->lanes[l];

		for (uint32_t m = 0; m < modules; m++)
			sums[m].ranges += lane->module_ranges[m];
		for (size_t i = 0; i < lane->site_len; i++)
			add_site(sums, modules, stats->image, lane, &lane->sites[i]);
	}
}

static int by_breaks(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	if (a->breaks != b->breaks)
		return a->breaks > b->breaks ? -1 : 1;
	if (a->undefined != b->undefined)
		return a->undefined > b->undefined ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

/* What it looks like: that nothing proves. */
static const char *judge(const struct sum *sum)
{
	if (sum->undefined && !sum->breaks)
		return "code that does not exist ran: the image is data there, or another build";
	if (sum->places > FEW_PLACES && sl_flow_check_many(sum->breaks, sum->ranges))
		return "many: another build; give the very file that ran";
	if (sum->kernel)
		return "few, in the kernel: patched while it ran (alternatives, static keys, ftrace), or damaged trace; perf record "
		       "--kcore has what ran";
	return "few: damaged trace, code that changed while it ran, or a limit of the decoder";
}

static void sum_row(const struct sl_image *image, const struct sum *sum, const struct sl_table *out)
{
	struct sl_symbol_range range = symbol_of(image, sum->first);
	const struct sl_symbol *symbol = sl_image_symbol(image, range.id);
	uint64_t at = sum->first->address - range.entry;
	char function[300];
	const struct sl_cell cells[] = {
		sl_cell_str(sum->module == UINT32_MAX ? "(no image)" : sl_image_module(image, sum->module)->path),
		sl_cell_u64(sum->breaks), sl_cell_u64(sum->undefined), sl_cell_u64(sum->places), sl_cell_u64(sum->ranges),
		sl_cell_u64(sum->first->address), sl_cell_str(function), sl_cell_str(sum->lane->buffer),
		sl_cell_u64(sum->lane->trace_id), sl_cell_u64(sum->first->first_offset), sl_cell_str(judge(sum)),
	};

	if (range.id && !symbol->page)
		snprintf(function, sizeof(function), "%s+0x%" PRIx64, symbol->name, at);
	else
		snprintf(function, sizeof(function), "%s", symbol->name);
	out->ops->row(out->out, cells);
}

int stats_contradictions(const struct sl_stats *stats, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "module", "module", "whose code it is", SL_TYPE_STRING, 0 },
		{ "breaks", "breaks", "ranges that do not go on as the image says: no branch there, or one that must be taken and was not",
		  SL_TYPE_COUNT, 0 },
		{ "undefined", "undefined", "ranges that hold an instruction that does not exist", SL_TYPE_COUNT, 0 },
		{ "places", "places", "addresses at which they are", SL_TYPE_COUNT, 0 },
		{ "ranges", "of ranges", "of the module that ran, pieces of a function each", SL_TYPE_COUNT, 0 },
		{ "first", "first before", "address behind the instruction where it shows first (undefined: of the instruction)",
		  SL_TYPE_ADDR, 0 },
		{ "function", "function", "and its distance from there", SL_TYPE_STRING, 0 },
		LANE_COLUMNS,
		{ "offset_bytes", "at", "offset of the first one in the buffer", SL_TYPE_COUNT, 0 },
		{ "looks_like", "looks like", "what the numbers suggest", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("contradictions", "Code that contradicts its image", columns);
	uint32_t modules = sl_image_module_count(stats->image);
	struct sum *sums = calloc(modules + 1u, sizeof(*sums));

	if (!sums)
		return SL_ERR_NOMEM;
	collect(stats, sums, modules);
	qsort(sums, modules + 1u, sizeof(*sums), by_breaks);
	out->ops->begin(out->out, &head);
	for (uint32_t m = 0; m <= modules; m++) {
		if (sums[m].places)
			sum_row(stats->image, &sums[m], out);
	}
	out->ops->end(out->out);
	free(sums);
	return SL_OK;
}
