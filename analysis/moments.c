/* SPDX-License-Identifier: Apache-2.0 */
#include "moments.h"

#include <stdlib.h>

#include "sl_array.h"

void moments_init(struct moments *m, const struct sl_capture *capture, const struct sl_stream *stream)
{
	*m = (struct moments){ .capture = capture, .stream = stream };
}

void moments_release(struct moments *m)
{
	free(m->times);
}

void moments_begin(struct moments *m, const struct sl_stretch *stretch)
{
	m->stretch = stretch;
	if (stretch->restart || !m->chain)
		m->chain = stretch;
}

bool moments_can_date(const struct moments *m)
{
	uint64_t ns;

	return sl_capture_time(m->capture, m->stream, 0, &ns);
}

int moments_add(struct moments *m, uint64_t offset, uint64_t ticks)
{
	struct moment_time time = { .offset = offset, .chain = m->chain };

	if (!ticks || !m->stretch || !sl_capture_time(m->capture, m->stream, ticks, &time.time_ns))
		return SL_OK;
	if (time.time_ns < m->stretch->window.from_ns || time.time_ns > m->stretch->window.to_ns) {
		m->strange++;
		return SL_OK;
	}
	return SL_ARRAY_PUSH(&m->times, &m->len, &m->cap, time);
}

void moments_rewind(struct moments *m)
{
	m->stretch = m->chain = NULL;
	m->next = 0;
}

static bool in_stretch(const struct moments *m, size_t i)
{
	return i < m->len && m->times[i].chain == m->chain;
}

/* Timestamps that run backwards leave the window as it was. */
static void narrow(const struct moments *m, struct sl_moment *ret)
{
	if (m->next && in_stretch(m, m->next - 1) && m->times[m->next - 1].time_ns <= ret->window.to_ns)
		ret->window.from_ns = m->times[m->next - 1].time_ns;
	if (!in_stretch(m, m->next))
		return;
	if (m->times[m->next].time_ns >= ret->window.from_ns)
		ret->window.to_ns = m->times[m->next].time_ns;
	ret->until = m->times[m->next].offset + 1;
}

void moments_at(void *ctx, uint64_t offset, struct sl_moment *ret)
{
	struct moments *m = ctx;

	if (!m->stretch)
		return;
	ret->window = m->stretch->window;
	while (m->next < m->len && m->times[m->next].offset < offset)
		m->next++;
	narrow(m, ret);
	ret->task_known = m->stretch->task_known;
	ret->task = m->stretch->task;
	if (!ret->task_known && m->stream->config.task_from == SL_TASK_UNKNOWN)
		ret->task_known = sl_capture_task_within(m->capture, m->stream, ret->window, &ret->task);
}
