/* SPDX-License-Identifier: Apache-2.0 */
/* Which memory a task sees, and when. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "sl_array.h"

enum { ALL_PAIRS = 8 }; /* so many generations have a view of each row of them */

struct changes {
	uint32_t core;
	uint64_t *times_ns; /* ascending: the i-th starts generation i + 1 */
	size_t count;
	uint32_t first_view;
};

void sl_image_separate(struct sl_image *image)
{
	image->private_cores = true;
}

int sl_image_add_task(struct sl_image *image, uint32_t task, uint32_t core)
{
	uint64_t *value = sl_map_put(&image->tasks, task);

	if (!value)
		return SL_ERR_NOMEM;
	*value = (uint64_t)core + 1;
	return SL_OK;
}

uint32_t sl_image_task_core(const struct sl_image *image, uint32_t task, uint32_t fallback)
{
	const uint64_t *value = image->tasks.len ? sl_map_get(&image->tasks, task) : NULL;

	return value ? (uint32_t)(*value - 1) : fallback;
}

/*
 * Views are numbered so: each generation, each two in a row, then all the others by length and first; where there are
 * many generations, one of all stands for these.
 */
size_t sl_view_count(size_t generations)
{
	if (generations <= ALL_PAIRS)
		return generations * (generations + 1) / 2;
	return generations + (generations - 1) + 1;
}

struct sl_view sl_view_at(size_t generations, size_t i)
{
	size_t row = 1, len = generations;

	if (generations > ALL_PAIRS && i >= 2 * generations - 1)
		return (struct sl_view){ 0, (uint32_t)generations - 1 };
	while (i >= len) {
		i -= len--;
		row++;
	}
	return (struct sl_view){ (uint32_t)i, (uint32_t)(i + row - 1) };
}

static size_t view_of(size_t generations, size_t first, size_t last)
{
	size_t row = last - first, number = 0;

	if (generations > ALL_PAIRS && row > 1)
		return 2 * generations - 1;
	for (size_t i = 0; i < row; i++)
		number += generations - i;
	return number + first;
}

int sl_image_add_changes(struct sl_image *image, uint32_t core, const uint64_t *changes_ns, size_t count,
			 uint32_t first_view)
{
	struct changes changes = { core, malloc((count + 1) * sizeof(*changes_ns)), count, first_view };
	uint64_t *place = sl_map_put(&image->changing, core);

	assert(!image->change_count || image->changes[image->change_count - 1].first_view < first_view);
	if (changes.times_ns && count)
		memcpy(changes.times_ns, changes_ns, count * sizeof(*changes_ns));
	if (!changes.times_ns || !place ||
	    SL_ARRAY_PUSH(&image->changes, &image->change_count, &image->change_cap, changes) < 0) {
		free(changes.times_ns);
		return SL_ERR_NOMEM;
	}
	*place = image->change_count;
	return SL_OK;
}

void image_release_changes(struct sl_image *image)
{
	for (size_t i = 0; i < image->change_count; i++)
		free(image->changes[i].times_ns);
	free(image->changes);
	sl_map_release(&image->changing);
}

/* How many changes there were until then: a change belongs to the generation that it starts. */
static size_t generation_at(const struct changes *changes, uint64_t time_ns)
{
	size_t low = 0, high = changes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (changes->times_ns[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t sl_image_core_within(const struct sl_image *image, uint32_t core, struct sl_window window)
{
	const uint64_t *place = image->change_count ? sl_map_get(&image->changing, core) : NULL;
	const struct changes *changes;
	size_t first, last;

	if (!place || !*place)
		return core;
	changes = &image->changes[*place - 1];
	first = generation_at(changes, window.from_ns);
	last = generation_at(changes, window.to_ns);
	if (last < first)
		last = first;
	return changes->first_view + (uint32_t)view_of(changes->count + 1, first, last);
}

uint32_t image_changing_core(const struct sl_image *image, uint32_t view)
{
	size_t low = 0, high = image->change_count;
	const struct changes *changes;

	while (low < high) { /* low: the first whose views begin behind view */
		size_t middle = low + (high - low) / 2;

		if (image->changes[middle].first_view <= view)
			low = middle + 1;
		else
			high = middle;
	}
	changes = low ? &image->changes[low - 1] : NULL;
	return changes && view - changes->first_view < sl_view_count(changes->count + 1) ? changes->core : view;
}

bool sl_image_changes(const struct sl_image *image)
{
	return image->change_count > 0;
}
