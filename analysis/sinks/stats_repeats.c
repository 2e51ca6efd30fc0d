/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose memory changes is several cores of the image: what all of them map is told once. */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

struct key {
	const char *path;
	uint64_t start, end;
	uint32_t core;
	size_t index;
};

static int by_key(const void *left, const void *right)
{
	const struct key *a = left, *b = right;
	int order;

	if (a->core != b->core)
		return a->core < b->core ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	order = strcmp(a->path, b->path);
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static bool equal(const struct key *a, const struct key *b)
{
	return a->core == b->core && a->start == b->start && a->end == b->end && strcmp(a->path, b->path) == 0;
}

/* The number of the first that is equal, for each. */
static void find_first(struct key *keys, size_t count, size_t *ret)
{
	size_t first = 0;

	if (count)
		qsort(keys, count, sizeof(*keys), by_key);
	for (size_t i = 0; i < count; i++) {
		if (!equal(&keys[first], &keys[i]))
			first = i;
		ret[keys[i].index] = keys[first].index;
	}
}

static void key_maps(const struct sl_stats *stats, const struct sl_capture *capture, struct key *keys)
{
	const struct sl_mapping *maps;
	size_t count = sl_image_mappings(stats->image, &maps);

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct key){ sl_image_module(stats->image, maps[i].module)->path, maps[i].start, maps[i].end,
					sl_capture_core_of(capture, maps[i].core), i };
}

static void key_missing(const struct sl_stats *stats, const struct sl_capture *capture, struct key *keys)
{
	const struct sl_missing *missing;
	size_t count = sl_image_missing(stats->image, &missing);

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct key){ missing[i].path, missing[i].start, missing[i].end,
					sl_capture_core_of(capture, missing[i].core), i };
}

int stats_find_repeats(struct sl_stats *stats, const struct sl_capture *capture)
{
	const struct sl_mapping *maps;
	const struct sl_missing *missing;
	size_t map_count = sl_image_mappings(stats->image, &maps), count = sl_image_missing(stats->image, &missing);
	struct key *keys = calloc((map_count > count ? map_count : count) + 1, sizeof(*keys));
	int result = SL_ERR_NOMEM;

	free(stats->first_map);
	free(stats->first_missing);
	stats->first_map = calloc(map_count + 1, sizeof(*stats->first_map));
	stats->first_missing = calloc(count + 1, sizeof(*stats->first_missing));
	if (keys && stats->first_map && stats->first_missing) {
		key_maps(stats, capture, keys);
		find_first(keys, map_count, stats->first_map);
		key_missing(stats, capture, keys);
		find_first(keys, count, stats->first_missing);
		result = SL_OK;
	}
	free(keys);
	return result;
}
