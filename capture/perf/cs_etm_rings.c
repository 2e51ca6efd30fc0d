/* SPDX-License-Identifier: Apache-2.0 */
#include "cs_etm_rings.h"

#include "sl_array.h"

#include <stdlib.h>

/* Rings by what identifies them. Those that no AUXTRACE tells of are apart, as their kind is not known. */
enum key_kind { KEY_CPU, KEY_TID, KEY_IDX, KEY_LOST_CPU, KEY_LOST_TID };

struct builder {
	const struct perf_file *file;
	const struct cs_etm_index *index;
	struct cs_etm_rings *rings;
	struct sl_map by_key; /* to its number + 1 */
	size_t with_chunks;
	bool per_cpu; /* some ring is a CPU's */
};

static uint64_t key_of(enum key_kind kind, int32_t number)
{
	return (uint64_t)kind << 32 | (uint32_t)number;
}

/* The ring's number, or -1. */
static ptrdiff_t find_ring(const struct builder *b, enum key_kind kind, int32_t number)
{
	const uint64_t *found = number < 0 ? NULL : sl_map_get(&b->by_key, key_of(kind, number));

	return found ? (ptrdiff_t)*found - 1 : -1;
}

static int make_ring(struct builder *b, enum key_kind kind, int32_t number, const struct cs_etm_ring *ring,
		     size_t *ret)
{
	uint64_t *place = sl_map_put(&b->by_key, key_of(kind, number));

	if (!place)
		return SL_ERR_NOMEM;
	if (!*place) {
		if (SL_ARRAY_PUSH(&b->rings->items, &b->rings->len, &b->rings->cap, *ring) < 0)
			return SL_ERR_NOMEM;
		*place = b->rings->len;
	}
	*ret = (size_t)*place - 1;
	return SL_OK;
}

static int32_t signed_at(const struct perf_file *file, const struct perf_record *record, size_t at)
{
	uint32_t value = perf_u32(file, record, at);

	return value <= INT32_MAX ? (int32_t)value : -1;
}

/* AUXTRACE: u64 size, offset, reference; u32 idx, tid, cpu. */
static int add_chunk(struct builder *b, const struct perf_record *record)
{
	struct cs_etm_ring ring = { .idx = perf_u32(b->file, record, 24),
				    .tid = signed_at(b->file, record, 28),
				    .cpu = signed_at(b->file, record, 32) };
	struct cs_etm_chunk chunk = { .start = perf_u64(b->file, record, 8),
				      .file_offset = record->payload_offset,
				      .record_offset = record->offset,
				      .order = b->rings->chunk_len };
	enum key_kind kind = ring.cpu >= 0 ? KEY_CPU : ring.tid >= 0 ? KEY_TID : KEY_IDX;
	int32_t number = kind == KEY_CPU ? ring.cpu : kind == KEY_TID ? ring.tid : (int32_t)ring.idx;
	uint64_t len = record->payload_len;

	if (len > UINT64_MAX - chunk.start)
		len = UINT64_MAX - chunk.start;
	chunk.end = chunk.start + len;
	b->per_cpu |= kind == KEY_CPU;
	if (make_ring(b, kind, number, &ring, &chunk.ring) < 0)
		return SL_ERR_NOMEM;
	return SL_ARRAY_PUSH(&b->rings->chunks, &b->rings->chunk_len, &b->rings->chunk_cap, chunk);
}

/* The ring that an AUX record is about. In per-thread mode the CPU only tells where the thread ran. */
static int ring_of(struct builder *b, const struct perf_record *record, size_t *ret)
{
	struct cs_etm_ring lost = { .cpu = cs_etm_record_cpu(b->index, record),
				    .tid = cs_etm_record_tid(b->index, record) };
	bool per_cpu = lost.cpu >= 0 && (b->per_cpu || lost.tid < 0 || !b->with_chunks);
	ptrdiff_t found = find_ring(b, KEY_CPU, lost.cpu);

	if (found < 0)
		found = find_ring(b, KEY_TID, lost.tid);
	if (found < 0 && b->with_chunks == 1 && (b->per_cpu ? lost.cpu : lost.tid) < 0)
		found = 0;
	if (found >= 0) {
		*ret = (size_t)found;
		return SL_OK;
	}
	if (per_cpu)
		lost.tid = -1;
	else
		lost.cpu = -1;
	return make_ring(b, per_cpu ? KEY_LOST_CPU : KEY_LOST_TID, per_cpu ? lost.cpu : lost.tid, &lost, ret);
}

/* AUX: u64 offset, size, flags. */
static int add_session(struct builder *b, const struct perf_record *record)
{
	uint64_t offset = perf_u64(b->file, record, 0), size = perf_u64(b->file, record, 8);
	struct cs_etm_session session = { .record = record,
					  .flags = (uint32_t)perf_u64(b->file, record, 16),
					  .order = b->rings->session_len };

	if (!size)
		return SL_OK;
	if (session.flags & AUX_OVERWRITE) {
		/* Here the offset is that of the end. What is older than the copy is cut off when both meet.
		 */
		session.end = offset;
		session.start = offset - (size < offset ? size : offset);
	} else {
		session.start = offset;
		session.end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
	}
	if (ring_of(b, record, &session.ring) < 0)
		return SL_ERR_NOMEM;
	return SL_ARRAY_PUSH(&b->rings->sessions, &b->rings->session_len, &b->rings->session_cap, session);
}

static int read_records(struct builder *b)
{
	const struct perf_record *records;
	size_t count = perf_file_records(b->file, &records);
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (records[i].type == PERF_AUXTRACE && records[i].payload_len)
			result = add_chunk(b, &records[i]);
	}
	b->with_chunks = b->rings->len;
	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (records[i].type == PERF_AUX)
			result = add_session(b, &records[i]);
	}
	return result;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_chunk(const void *left, const void *right)
{
	const struct cs_etm_chunk *a = left, *b = right;
	int order = compare(a->ring, b->ring);

	if (!order)
		order = compare(a->start, b->start);
	return order ? order : compare(a->order, b->order);
}

static int by_session(const void *left, const void *right)
{
	const struct cs_etm_session *a = left, *b = right;
	int order = compare(a->ring, b->ring);

	if (!order)
		order = compare(a->start, b->start);
	return order ? order : compare(a->order, b->order);
}

/* -1 comes first. */
static int by_owner(const void *left, const void *right)
{
	const struct cs_etm_ring *a = left, *b = right;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return compare(a->idx, b->idx);
}

/* Where copies overlap, the later one is right: the end of the earlier is padding, or has been copied again.
 */
static void cut_chunks(struct cs_etm_rings *rings)
{
	for (size_t i = 0; i + 1 < rings->chunk_len; i++) {
		struct cs_etm_chunk *chunk = &rings->chunks[i], *next = chunk + 1;

		if (next->ring == chunk->ring && next->start <= chunk->end) {
			chunk->end = next->start;
			chunk->cut = true;
		}
	}
}

/* Numbers the rings' shares of both arrays, which are sorted by ring. */
static void share_out(struct cs_etm_rings *rings)
{
	for (size_t i = 0; i < rings->chunk_len; i++) {
		struct cs_etm_ring *ring = &rings->items[rings->chunks[i].ring];

		if (!ring->chunk_count++)
			ring->chunks = i;
	}
	for (size_t i = 0; i < rings->session_len; i++) {
		struct cs_etm_ring *ring = &rings->items[rings->sessions[i].ring];

		if (!ring->session_count++)
			ring->sessions = i;
	}
}

int cs_etm_rings_read(const struct perf_file *file, const struct cs_etm_index *index,
		      struct cs_etm_rings *ret)
{
	struct builder b = { .file = file, .index = index, .rings = ret, .by_key = SL_MAP_INIT };
	int result;

	*ret = (struct cs_etm_rings){ 0 };
	result = read_records(&b);
	sl_map_release(&b.by_key);
	if (result < 0)
		return result;
	if (ret->chunk_len)
		qsort(ret->chunks, ret->chunk_len, sizeof(*ret->chunks), by_chunk);
	if (ret->session_len)
		qsort(ret->sessions, ret->session_len, sizeof(*ret->sessions), by_session);
	cut_chunks(ret);
	share_out(ret);
	if (ret->len)
		qsort(ret->items, ret->len, sizeof(*ret->items), by_owner);
	return SL_OK;
}

void cs_etm_rings_release(struct cs_etm_rings *rings)
{
	free(rings->items);
	free(rings->chunks);
	free(rings->sessions);
	*rings = (struct cs_etm_rings){ 0 };
}
