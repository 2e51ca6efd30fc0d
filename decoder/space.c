/* SPDX-License-Identifier: Apache-2.0 */
#include "space.h"

void space_init(struct space *space, const struct sl_decoder_options *options, struct elem_queue *queue)
{
	*space = (struct space){
		.image = options->image, .moment_of = options->moment, .moment_ctx = options->moment_ctx,
		.queue = queue, .core = options->core, .home_core = options->core,
	};
}

void space_tell(struct space *space)
{
	for (unsigned i = 0; i < space->told_len; i++)
		queue_add(space->queue, &space->told[i]);
	space->told_len = 0;
}

/*
 * Something is to be told before the elements of the packet at e's offset. What came before may still be held back, so
 * that it waits for the first of those elements.
 */
static void tell(struct space *space, struct sl_elem e)
{
	if (space->told_len && (space->told[0].offset != e.offset || space->told_len == SPACE_TOLD_MAX))
		space_tell(space);
	space->told[space->told_len++] = e;
}

static bool choose_core(struct space *space, uint64_t offset)
{
	uint32_t core = space->home_core;

	if (space->moment.task_known)
		core = sl_image_task_core(space->image, space->moment.task, core);
	if (space->task)
		core = sl_image_task_core(space->image, space->task, core);
	core = sl_image_core_within(space->image, core, space->moment.window);
	if (core == space->core)
		return false;
	space->core = core;
	tell(space, (struct sl_elem){ .offset = offset, .kind = SL_ELEM_SPACE, .count = core });
	return true;
}

/* Whether anything is new. */
static bool ask_moment(struct space *space, uint64_t offset)
{
	struct sl_moment moment = { .window = SL_WINDOW_ANY, .until = UINT64_MAX }, before = space->moment;

	if (offset < before.until)
		return false;
	if (space->moment_of)
		space->moment_of(space->moment_ctx, offset, &moment);
	space->moment = moment;
	if (moment.task_known != before.task_known || moment.task != before.task)
		tell(space, (struct sl_elem){ .offset = offset, .kind = SL_ELEM_TASK, .count = moment.task,
					      .value = moment.task_known });
	return true;
}

/*
 * The context packet names the task whose code is walked next. Its element comes too late for that: it may be held back
 * until after the walk.
 */
static bool follow_task(struct space *space, uint32_t task)
{
	if (task == space->task)
		return false;
	space->task = task;
	return true;
}

bool space_packet(struct space *space, uint32_t task, uint64_t offset)
{
	bool moved = ask_moment(space, offset), switched = follow_task(space, task);

	return (moved || switched) && space->image && choose_core(space, offset);
}

void space_restart(struct space *space)
{
	space_tell(space);
	space->task = 0;
	space->moment.until = 0;
}
