/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_views.h"

#include "perf_images.h"
#include "perf_jit.h"
#include "sl_array.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHANGES_MAX = 63,
	MAPS_ADDED_MAX = 131072, /* maps times generations: a small file cannot ask for much time and memory */
};

static uint64_t end_of(const struct perf_map *map)
{
	return map->start + map->len;
}

static bool is_code(const struct perf_map *map)
{
	return map->executable && !map->kernel && map->len && map->name[0] &&
	       (map->symbol || !perf_jit_is_marker(map->name));
}

/* Memory for code that a program makes: what it makes may lie there, and memory that is mapped anew takes none away. */
static bool is_bare(const struct perf_map *map)
{
	return !map->symbol && perf_is_anonymous(map->name);
}

/* Whether both have the same bytes at the same addresses: parts of one map, or the same file mapped again. */
static bool same_code(const struct perf_map *a, const struct perf_map *b)
{
	size_t ids = a->build_id_len < b->build_id_len ? a->build_id_len : b->build_id_len;

	return a->symbol == b->symbol && a->start - a->pgoff == b->start - b->pgoff && strcmp(a->name, b->name) == 0 &&
	       memcmp(a->build_id, b->build_id, ids) == 0;
}

/* The first of the pieces that ends behind address. */
static size_t find_seen(const struct perf_layout *layout, uint64_t address)
{
	size_t low = 0, high = layout->len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (layout->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct fresh {
	struct perf_seen *items;
	size_t len, cap;
};

/* Pieces that go on from one another are one. */
static int add_fresh(struct fresh *fresh, struct perf_seen seen)
{
	struct perf_seen *last = fresh->len ? &fresh->items[fresh->len - 1] : NULL;

	if (seen.start >= seen.end)
		return SL_OK;
	if (last && last->end == seen.start && last->map == seen.map && last->other == seen.other) {
		last->end = seen.end;
		return SL_OK;
	}
	return SL_ARRAY_PUSH(&fresh->items, &fresh->len, &fresh->cap, seen);
}

/* What a new map makes of a piece that it overlaps. */
static struct perf_seen overlap(const struct perf_seen *old, const struct perf_map *map)
{
	struct perf_seen seen = { .start = old->start > map->start ? old->start : map->start,
				  .end = old->end < end_of(map) ? old->end : end_of(map), .map = map };

	if (old->other || (!is_bare(old->map) && !same_code(old->map, map)))
		seen.other = old->map;
	return seen;
}

/* The pieces that take the place of those from first to before last: the map's own, and what stays of theirs. */
static int lay(const struct perf_layout *layout, size_t first, size_t last, const struct perf_map *map, struct fresh *ret)
{
	uint64_t at = map->start;
	int result = SL_OK;

	for (size_t i = first; i < last && result == SL_OK; i++) {
		const struct perf_seen *old = &layout->items[i];
		struct perf_seen left = *old, right = *old, both = overlap(old, map);

		left.end = both.start;
		right.start = both.end;
		result = add_fresh(ret, left.start < left.end ? left : (struct perf_seen){ at, both.start, map, NULL });
		if (result == SL_OK)
			result = add_fresh(ret, both);
		if (result == SL_OK)
			result = add_fresh(ret, right);
		at = both.end;
	}
	return result == SL_OK ? add_fresh(ret, (struct perf_seen){ at, end_of(map), map, NULL }) : result;
}

static int add_map(struct perf_layout *layout, const struct perf_map *map, struct fresh *fresh)
{
	size_t first = find_seen(layout, map->start), last = first;

	while (last < layout->len && layout->items[last].start < end_of(map))
		last++;
	fresh->len = 0;
	if (lay(layout, first, last, map, fresh) < 0)
		return SL_ERR_NOMEM;
	return SL_ARRAY_SPLICE(&layout->items, &layout->len, &layout->cap, first, last, fresh->items, fresh->len);
}

static int add_maps(const struct perf_process *process, bool bare, uint64_t from_ns, uint64_t to_ns,
		    struct perf_layout *layout, struct fresh *fresh)
{
	int result = SL_OK;

	for (size_t i = 0; i < process->map_count && result == SL_OK; i++) {
		const struct perf_map *map = &process->maps[i];

		if (is_code(map) && is_bare(map) == bare && map->from < to_ns && map->to > from_ns)
			result = add_map(layout, map, fresh);
	}
	return result;
}

int perf_layout_read(const struct perf_process *process, uint64_t from_ns, uint64_t to_ns, struct perf_layout *ret)
{
	struct fresh fresh = { 0 };
	int result;

	*ret = (struct perf_layout){ 0 };
	result = add_maps(process, true, from_ns, to_ns, ret, &fresh);
	if (result == SL_OK)
		result = add_maps(process, false, from_ns, to_ns, ret, &fresh);
	free(fresh.items);
	return result;
}

void perf_layout_release(struct perf_layout *layout)
{
	free(layout->items);
	*layout = (struct perf_layout){ 0 };
}

/* When the code that the pieces show was last there, where the map is other code; 0: nowhere. */
static uint64_t last_end(const struct perf_layout *layout, const struct perf_map *map)
{
	uint64_t end = 0;

	for (size_t i = find_seen(layout, map->start); i < layout->len && layout->items[i].start < end_of(map); i++) {
		const struct perf_map *old = layout->items[i].map;

		if (!same_code(old, map) && old->to > end)
			end = old->to;
	}
	return end < map->from ? end : map->from;
}

struct finder {
	struct perf_layout layout; /* of all code so far; what is other code before and after is not told apart */
	struct fresh fresh;
	struct perf_changes changes;
	size_t cap;
};

/* A change has to lie between the end of the old code and the start of the new: the last one may serve already. */
static int note_change(struct finder *f, const struct perf_map *map)
{
	uint64_t end = last_end(&f->layout, map);
	struct perf_changes *changes = &f->changes;

	if (!end || (changes->count && changes->times_ns[changes->count - 1] >= end))
		return SL_OK;
	return SL_ARRAY_PUSH(&changes->times_ns, &changes->count, &f->cap, map->from);
}

/* Of too many changes the latest are kept: what came before them is one generation. */
static void limit(struct perf_changes *changes, size_t maps)
{
	size_t most = maps ? MAPS_ADDED_MAX / maps / 2 : 0;

	if (most > CHANGES_MAX)
		most = CHANGES_MAX;
	if (changes->count <= most)
		return;
	changes->merged = changes->count - most;
	memmove(changes->times_ns, changes->times_ns + changes->merged, most * sizeof(*changes->times_ns));
	changes->count = most;
}

int perf_changes_find(const struct perf_process *process, uint64_t start, struct perf_changes *ret)
{
	struct finder f = { 0 };
	size_t maps = 0;
	int result = SL_OK;

	for (size_t i = 0; i < process->map_count && result == SL_OK; i++) {
		const struct perf_map *map = &process->maps[i];

		if (!is_code(map) || is_bare(map) || map->to <= start)
			continue;
		maps++;
		result = note_change(&f, map);
		if (result == SL_OK)
			result = add_map(&f.layout, map, &f.fresh);
	}
	free(f.fresh.items);
	perf_layout_release(&f.layout);
	limit(&f.changes, maps);
	*ret = f.changes;
	return result;
}

int perf_maps_end_replaced(struct perf_map *maps, size_t count)
{
	struct perf_layout layout = { 0 };
	struct fresh fresh = { 0 };
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		for (size_t k = find_seen(&layout, maps[i].start);
		     k < layout.len && layout.items[k].start < end_of(&maps[i]); k++) {
			struct perf_map *old = &maps[layout.items[k].map - maps];

			old->to = old->to < maps[i].from ? old->to : maps[i].from;
		}
		result = add_map(&layout, &maps[i], &fresh);
	}
	free(fresh.items);
	perf_layout_release(&layout);
	return result;
}
