/* SPDX-License-Identifier: Apache-2.0 */
/* info's tables of what was mapped, what of it is missing, and what that costs. */
#include "stats.h"

#include <stdlib.h>

#include "sl_array.h"

static const char *core_name(const struct sl_capture *capture, uint32_t core)
{
	const char *const *names;
	size_t count = sl_capture_cores(capture, &names);

	return core < count ? names[core] : NULL;
}

static void found_row(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_mapping *map,
		      const struct sl_table *out)
{
	const struct sl_module *module = sl_image_module(stats->image, map->module);
	const struct sl_cell cells[] = {
		sl_cell_str(module->path), sl_cell_str(core_name(capture, map->core)), sl_cell_u64(map->start),
		sl_cell_u64(map->end), sl_cell_u64(1), sl_cell_none(), sl_cell_u64(module->has_symbols),
		sl_cell_u64(module->has_lines), sl_cell_none(), sl_cell_none(),
	};

	out->ops->row(out->out, cells);
}

static void missing_row(const struct sl_capture *capture, const struct sl_missing *file, const struct missing_cost *cost,
			const struct sl_table *out)
{
	const struct sl_cell cells[] = {
		sl_cell_str(file->path), sl_cell_str(core_name(capture, file->core)), sl_cell_u64(file->start),
		file->end ? sl_cell_u64(file->end) : sl_cell_none(), sl_cell_u64(0), sl_cell_u64(file->refused), sl_cell_none(), sl_cell_none(),
		sl_cell_u64(cost->count), sl_cell_u64(cost->bytes),
	};

	out->ops->row(out->out, cells);
}

/* A phone's kernel has hundreds of modules: of many missing files only those are shown whose code ran. */
void stats_images(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		{ "file", "file", "what is mapped", SL_TYPE_STRING, 0 },
		{ "core", "core", "whose memory it is", SL_TYPE_STRING, 0 },
		{ "start", "start", "first address", SL_TYPE_ADDR, 0 },
		{ "end", "end", "behind the last address", SL_TYPE_ADDR, 0 },
		{ "found", "found", "whether the file could be read", SL_TYPE_BOOL, 0 },
		{ "refused", "refused", "missing: a file is there, and is another build", SL_TYPE_BOOL, 0 },
		{ "symbols", "symbols", "whether it names functions", SL_TYPE_BOOL, 0 },
		{ "lines", "lines", "whether it knows source lines", SL_TYPE_BOOL, 0 },
		{ "count", "times", "missing: how often execution went there", SL_TYPE_COUNT, 0 },
		{ "cost_bytes", "cost", "missing: bytes of trace that lead to no instruction for want of it", SL_TYPE_COUNT, 0 },
	};
	const struct sl_table_head head = HEAD("images", "Images", columns);
	const struct sl_mapping *maps;
	const struct sl_missing *missing;
	size_t map_count = sl_image_mappings(stats->image, &maps);
	size_t count = sl_image_missing(stats->image, &missing);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < map_count; i++) {
		if (stats->first_map[i] == i)
			found_row(stats, capture, &maps[i], out);
	}
	for (size_t i = 0; i < count; i++) {
		const struct missing_cost *cost = &stats->missing[i];
		const struct sl_missing *file = &missing[cost->index];

		if (stats->first_missing[cost->index] != cost->index)
			continue;
		if (count <= MISSING_SHOWN || cost->count || !file->end)
			missing_row(capture, file, cost, out);
	}
	out->ops->end(out->out);
}

/* Neighbouring pages of one lane, one address space and one file: a row. */
struct run {
	const struct lane_stats *lane;
	struct wanted sum;  /* page is the first one */
	uint64_t end;
	size_t order;
};

struct runs {
	struct run *items;
	size_t len, cap;
};

static bool continues(const struct run *run, const struct wanted *page)
{
	return page->core == run->sum.core && page->missing == run->sum.missing && page->page - run->end <= 0xf000;
}

static int add_page(struct runs *runs, const struct lane_stats *lane, const struct wanted *page, bool first)
{
	struct run *last = first ? NULL : &runs->items[runs->len - 1];
	struct run run = { lane, *page, page->page + 0x1000, runs->len };

	if (!last || !continues(last, page))
		return SL_ARRAY_PUSH(&runs->items, &runs->len, &runs->cap, run);
	last->sum.count += page->count;
	last->sum.cost_bytes += page->cost_bytes;
	if (page->first_offset < last->sum.first_offset)
		last->sum.first_offset = page->first_offset;
	last->end = run.end;
	return SL_OK;
}

static int by_cost(const void *left, const void *right)
{
	const struct run *a = left, *b = right;

	if (a->sum.cost_bytes != b->sum.cost_bytes)
		return a->sum.cost_bytes > b->sum.cost_bytes ? -1 : 1;
	if (a->sum.count != b->sum.count)
		return a->sum.count > b->sum.count ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int collect(const struct sl_stats *stats, struct runs *runs)
{
	int result = SL_OK;

	for (size_t l = 0; l < stats->lane_count; l++) {
		const struct lane_stats *lane = stats->lanes[l];

		for (size_t i = 0; i < lane->wanted_len && result == SL_OK; i++)
			result = add_page(runs, lane, &lane->wanted[i], i == 0);
	}
	if (runs->len)
		qsort(runs->items, runs->len, sizeof(*runs->items), by_cost);
	return result;
}

static void wanted_row(const struct run *run, const struct sl_stats *stats, const struct sl_capture *capture,
		       const struct sl_table *out)
{
	const struct sl_missing *missing;
	size_t count = sl_image_missing(stats->image, &missing), file = run->sum.missing;
	const struct sl_cell cells[] = {
		sl_cell_str(run->lane->buffer), sl_cell_u64(run->lane->trace_id),
		sl_cell_str(core_name(capture, run->sum.core)), sl_cell_u64(run->sum.page), sl_cell_u64(run->end),
		sl_cell_u64(run->sum.count), sl_cell_u64(run->sum.cost_bytes), sl_cell_u64(run->sum.first_offset),
		file && file <= count ? sl_cell_str(missing[file - 1].path) : sl_cell_none(),
	};

	out->ops->row(out->out, cells);
}

int stats_wanted(const struct sl_stats *stats, const struct sl_capture *capture, const struct sl_table *out)
{
	static const struct sl_column columns[] = {
		LANE_COLUMNS,
		{ "core", "core", "whose memory it is, where it is not the kernel's", SL_TYPE_STRING, 0 },
		{ "start", "start", "first page that ran without an image", SL_TYPE_ADDR, 0 },
		{ "end", "end", "behind the last one (pages less than 64 KiB apart make one row)", SL_TYPE_ADDR, 0 },
		{ "count", "times", "how often execution went there", SL_TYPE_COUNT, 0 },
		{ "cost_bytes", "cost",
		  "bytes of the id from the packets that went there to the next instruction, gap or such page", SL_TYPE_COUNT, 0 },
		{ "first_offset_bytes", "first at", "offset of the first time in the buffer", SL_TYPE_COUNT, 0 },
		{ "file", "file", "the missing file that was mapped there", SL_TYPE_STRING, 0 },
	};
	const struct sl_table_head head = HEAD("wanted", "Code that ran and has no image", columns);
	struct runs runs = { 0 };
	int result = collect(stats, &runs);

	out->ops->begin(out->out, &head);
	for (size_t i = 0; i < runs.len && result == SL_OK; i++)
		wanted_row(&runs.items[i], stats, capture, out);
	out->ops->end(out->out);
	free(runs.items);
	return result;
}
