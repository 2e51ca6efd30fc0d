/* SPDX-License-Identifier: Apache-2.0 */
#include "stacks.h"

#include <stdlib.h>

#include "sl_array.h"

int sl_stacks_new(struct sl_stacks **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? SL_OK : SL_ERR_NOMEM;
}

void sl_stacks_free(struct sl_stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->count; i++) {
		free(stacks->items[i]->frames);
		free(stacks->items[i]);
	}
	free(stacks->items);
	sl_map_release(&stacks->by_key);
	free(stacks);
}

void sl_stacks_begin_at(struct sl_stacks *stacks, uint64_t tick)
{
	stacks->begun = true;
	stacks->begin = tick;
}

uint64_t sl_stacks_beginning(const struct sl_stacks *stacks)
{
	return stacks->begin;
}

static struct stack *add_stack(struct sl_stacks *stacks)
{
	struct stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->number = (uint32_t)stacks->count;
	if (SL_ARRAY_PUSH(&stacks->items, &stacks->count, &stacks->cap, stack) == SL_OK)
		return stack;
	free(stack);
	return NULL;
}

struct stack *stacks_get(struct sl_stacks *stacks, struct sl_map *by_key, uint64_t key)
{
	uint64_t *number = sl_map_put(by_key, key);
	struct stack *stack;

	if (!number)
		return NULL;
	if (*number)
		return stacks->items[*number - 1];
	stack = add_stack(stacks);
	if (stack)
		*number = (uint64_t)stack->number + 1;
	return stack;
}
