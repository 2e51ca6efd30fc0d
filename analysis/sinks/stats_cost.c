/* SPDX-License-Identifier: Apache-2.0 */
/* What gaps cost in bytes of trace, whose code was missing there, and which address space the bytes are of. */
#include "stats.h"

#include <stdlib.h>

#include "sl_array.h"

enum { PAGE_BYTES = 4096, WANTED_MAX = 65536, ANY_SPACE = PAGE_BYTES - 1 };

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE_BYTES - 1);
}

/* The upper half of the addresses is the kernel's, in whatever process it runs. A page's low bits tell the space; of
 * more spaces than they can count, the rest is taken for one. */
static unsigned space_bits(const struct lane_stats *lane, uint64_t address)
{
	return address >> 63 || lane->space > ANY_SPACE ? ANY_SPACE : (unsigned)lane->space - 1;
}

/* Its number, + 1; 0 where it cannot be kept. */
static size_t want_page(struct lane_stats *lane, uint64_t address, uint64_t offset)
{
	unsigned bits = space_bits(lane, address);
	struct wanted wanted = { .page = page_of(address), .first_offset = offset };
	uint64_t *index = sl_map_get(&lane->wanted_by_page, wanted.page | bits);

	wanted.core = bits == ANY_SPACE ? SL_CORE_ANY : lane->spaces[bits].core;
	if (!index && lane->wanted_len < WANTED_MAX)
		index = sl_map_put(&lane->wanted_by_page, wanted.page | bits);
	if (!index) {
		lane->wanted_dropped++;
		return 0;
	}
	if (!*index) {
		if (SL_ARRAY_PUSH(&lane->wanted, &lane->wanted_len, &lane->wanted_cap, wanted) < 0)
			return 0;
		*index = lane->wanted_len;
	}
	lane->wanted[*index - 1].count++;
	return (size_t)*index;
}

void stats_close_gap(struct lane_stats *lane, uint64_t position)
{
	struct open_gap *open = &lane->open;
	uint64_t cost = position > open->position ? position - open->position : 0;

	if (!open->open)
		return;
	lane->gaps[open->gap].cost_bytes += cost;
	if (open->wanted)
		lane->wanted[open->wanted - 1].cost_bytes += cost;
	open->open = false;
	if (position > open->position)
		open->position = position;
}

void stats_open_gap(struct lane_stats *lane, const struct sl_elem *elem, uint64_t position)
{
	unsigned gap = elem->count < SL_GAPS ? elem->count : SL_GAP_DECODE_ERROR;
	struct open_gap *open = &lane->open;

	if (!lane->gaps[gap].count++)
		lane->gaps[gap].first_offset = elem->offset;
	if (gap == SL_GAP_NO_ADDRESS && open->open)
		return;
	stats_close_gap(lane, position);
	open->open = true;
	open->gap = gap;
	open->wanted = gap == SL_GAP_NO_IMAGE ? want_page(lane, elem->address, elem->offset) : 0;
	if (position > open->position)
		open->position = position;
}

int stats_enter_space(struct lane_stats *lane, uint32_t core, uint64_t position)
{
	uint64_t *index = sl_map_put(&lane->space_by_core, core);
	struct space space = { .core = core };

	if (!index)
		return SL_ERR_NOMEM;
	if (!*index) {
		if (SL_ARRAY_PUSH(&lane->spaces, &lane->space_len, &lane->space_cap, space) < 0)
			return SL_ERR_NOMEM;
		*index = lane->space_len;
	}
	if (lane->space && position > lane->space_position) {
		lane->spaces[lane->space - 1].bytes += position - lane->space_position;
		lane->space_position = position;
	}
	lane->space = (size_t)*index;
	return SL_OK;
}

static int by_space(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	return a->page < b->page ? -1 : a->page > b->page;
}

/* The first page of a lane that is not before key. */
static size_t find_wanted(const struct lane_stats *lane, const struct wanted *key)
{
	size_t low = 0, high = lane->wanted_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_space(&lane->wanted[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first one from i on that belongs to no file yet. Paths are halved, so that maps over maps take no time. */
static size_t next_free(struct lane_stats *lane, size_t i)
{
	struct wanted *wanted = lane->wanted;

	while (i < lane->wanted_len && wanted[i].next != i) {
		size_t next = wanted[i].next;

		if (next < lane->wanted_len)
			wanted[i].next = wanted[next].next;
		i = next;
	}
	return i;
}

/* The pages of one address space that the file has. */
static void charge_space(struct lane_stats *lane, uint32_t core, const struct sl_missing *file, struct missing_cost *cost)
{
	const struct wanted key = { .page = page_of(file->start), .core = core };

	for (size_t i = next_free(lane, find_wanted(lane, &key)); i < lane->wanted_len; i = next_free(lane, i)) {
		struct wanted *wanted = &lane->wanted[i];

		if (wanted->core != core || wanted->page >= file->end)
			break;
		cost->count += wanted->count;
		cost->bytes += wanted->cost_bytes;
		wanted->missing = (uint32_t)cost->index + 1;
		wanted->next = i + 1;
	}
}

/* What belongs to no core is there in all spaces; the kernel's pages are those of none. */
static void charge_lane(struct lane_stats *lane, const struct sl_missing *file, struct missing_cost *cost)
{
	if (file->core != SL_CORE_ANY) {
		charge_space(lane, file->core, file, cost);
		charge_space(lane, SL_CORE_ANY, file, cost);
		return;
	}
	for (size_t i = 0; i < lane->space_len; i++) {
		if (lane->spaces[i].core != SL_CORE_ANY)
			charge_space(lane, lane->spaces[i].core, file, cost);
	}
	charge_space(lane, SL_CORE_ANY, file, cost);
}

static void sort_wanted(struct lane_stats *lane)
{
	if (lane->wanted_len)
		qsort(lane->wanted, lane->wanted_len, sizeof(*lane->wanted), by_space);
	for (size_t i = 0; i < lane->wanted_len; i++)
		lane->wanted[i].next = i;
}

static int by_cost(const void *left, const void *right)
{
	const struct missing_cost *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

int stats_charge(struct sl_stats *stats)
{
	const struct sl_missing *files;
	size_t count = sl_image_missing(stats->image, &files);

	free(stats->missing);
	stats->missing = calloc(count + 1, sizeof(*stats->missing));
	if (!stats->missing)
		return SL_ERR_NOMEM;
	for (size_t l = 0; l < stats->lane_count; l++)
		sort_wanted(stats->lanes[l]);
	for (size_t i = 0; i < count; i++) {
		struct missing_cost *cost = &stats->missing[stats->first_missing ? stats->first_missing[i] : i];

		stats->missing[i].index = i;
		cost->index = stats->first_missing ? stats->first_missing[i] : i;
		for (size_t l = 0; l < stats->lane_count; l++)
			charge_lane(stats->lanes[l], &files[i], cost);
	}
	if (count)
		qsort(stats->missing, count, sizeof(*stats->missing), by_cost);
	return SL_OK;
}
