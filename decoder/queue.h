/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QUEUE_H
#define QUEUE_H
/* The elements that an engine has made, until they are lent. Inside of decoder/ only. */
#include "sl_elem.h"

struct elem_queue {
	struct sl_elem *elems;	/* [head, len) is not yet lent */
	size_t head, len, cap;
	bool no_memory;		/* for elements, or whatever else the engine needs: it says nothing more */
};

/* Room for need elements in all; false, and no_memory, where there is none. */
bool queue_reserve(struct elem_queue *queue, size_t need);
/* The place of the next element, which counts once len is raised; NULL, and no_memory, where there is none. */
struct sl_elem *queue_slot(struct elem_queue *queue);
/* Appends one element; sets no_memory where it cannot. */
void queue_add(struct elem_queue *queue, const struct sl_elem *elem);
static inline bool queue_is_lent(const struct elem_queue *queue)
{
	return queue->head == queue->len;
}
/* Lends what is left: SL_OK; SL_END where that is nothing; SL_ERR_NOMEM. It is there until the next one is added. */
int queue_lend(struct elem_queue *queue, struct sl_elem **ret, size_t *ret_len);
void queue_release(struct elem_queue *queue);
#endif
