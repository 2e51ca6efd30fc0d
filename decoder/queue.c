/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <stdlib.h>

#include "sl_array.h"

bool queue_reserve(struct elem_queue *queue, size_t need)
{
	if (need > queue->cap &&
	    sl_array_reserve((void **)&queue->elems, &queue->cap, sizeof(*queue->elems), need) < 0)
		queue->no_memory = true;
	return !queue->no_memory;
}

struct sl_elem *queue_slot(struct elem_queue *queue)
{
	return queue_reserve(queue, queue->len + 1) ? &queue->elems[queue->len] : NULL;
}

void queue_add(struct elem_queue *queue, const struct sl_elem *elem)
{
	struct sl_elem *slot = queue_slot(queue);

	if (!slot)
		return;
	*slot = *elem;
	queue->len++;
}

int queue_lend(struct elem_queue *queue, struct sl_elem **ret, size_t *ret_len)
{
	if (queue->no_memory)
		return SL_ERR_NOMEM;
	if (queue_is_lent(queue))
		return SL_END;
	*ret = queue->elems + queue->head;
	*ret_len = queue->len - queue->head;
	queue->head = queue->len;
	return SL_OK;
}

void queue_release(struct elem_queue *queue)
{
	free(queue->elems);
	*queue = (struct elem_queue){ 0 };
}
