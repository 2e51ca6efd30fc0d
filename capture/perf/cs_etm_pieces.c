/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of the hardware, and where perf's copies of their bytes lie in the file. */
#include "cs_etm_rings.h"

#include "sl_array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_BYTES = 16, PADDING_MAX = 7 };

/* Something that happened to some pieces: one note tells of all. */
struct loss {
	uint64_t count, bytes;
	uint64_t first; /* offset of the record of the first one */
};

struct cutter {
	const struct perf_file *file;
	const struct cs_etm_index *index;
	struct sl_notes *notes;
	struct cs_etm *etm;
	const struct cs_etm_rings *rings;
	const struct cs_etm_ring *ring;
	size_t chunk;		     /* those before it are used up */
	uint64_t done;		     /* ring position before which all is dealt with */
	struct cs_etm_piece pattern; /* for bytes that no AUX record tells of */
	struct loss uncovered, trimmed, overlaps, overwritten, truncated, partial, collided;
	struct cs_etm_tally lost;
};

static void count_loss(struct loss *loss, uint64_t bytes, uint64_t record_offset)
{
	if (!loss->count++ || record_offset < loss->first)
		loss->first = record_offset;
	loss->bytes = bytes > UINT64_MAX - loss->bytes ? UINT64_MAX : loss->bytes + bytes;
}

static const struct cs_etm_chunk *chunk_at(const struct cutter *c, size_t i)
{
	return i < c->ring->chunk_count ? &c->rings->chunks[c->ring->chunks + i] : NULL;
}

/* Takes bytes off the last pieces. */
static void trim_end(struct cs_etm *etm, uint64_t bytes)
{
	while (bytes) {
		struct cs_etm_piece *last = &etm->pieces[etm->piece_count - 1];
		uint64_t n = bytes < last->len ? bytes : last->len;

		last->len -= n;
		bytes -= n;
		if (!last->len)
			etm->piece_count--;
	}
}

/* Takes bytes off the pieces from first on. */
static void trim_start(struct cs_etm *etm, size_t first, uint64_t bytes)
{
	struct cs_etm_piece *piece = &etm->pieces[first];

	while (bytes) {
		uint64_t n = bytes < piece->len ? bytes : piece->len;

		piece->file_offset += n;
		piece->aux_offset += n;
		piece->len -= n;
		bytes -= n;
		if (piece->len)
			break;
		memmove(piece, piece + 1, (etm->piece_count - first - 1) * sizeof(*piece));
		etm->piece_count--;
	}
	if (first < etm->piece_count)
		piece->continues = false;
}

/* Pieces from first on belong together: whole frames are kept of them, of which the first begins skip bytes
 * on. */
static void trim_chain(struct cutter *c, size_t first, uint64_t skip)
{
	struct cs_etm *etm = c->etm;
	uint64_t total = 0, rest;

	for (size_t i = first; i < etm->piece_count; i++)
		total += etm->pieces[i].len;
	if (skip > total)
		skip = total;
	rest = (total - skip) % FRAME_BYTES;
	if (!skip && !rest)
		return;
	count_loss(&c->trimmed, skip + rest, etm->pieces[first].record_offset);
	trim_end(etm, rest);
	trim_start(etm, first, skip);
}

static uint64_t to_next_frame(uint64_t start, uint64_t base)
{
	return (FRAME_BYTES - (start - base) % FRAME_BYTES) % FRAME_BYTES;
}

/* Ends the chain that begins at piece first: what follows does not continue it. */
static void end_chain(struct cutter *c, size_t first, uint64_t base)
{
	const struct cs_etm *etm = c->etm;

	if (first < etm->piece_count && !etm->pieces[first].raw)
		trim_chain(c, first, to_next_frame(etm->pieces[first].aux_offset, base));
}

/* The bytes from start to before end that the chunk has, as a piece like pattern. */
static struct cs_etm_piece cut_chunk(const struct cs_etm_chunk *chunk, uint64_t start, uint64_t end,
				     const struct cs_etm_piece *pattern)
{
	uint64_t from = chunk->start > start ? chunk->start : start;
	uint64_t to = chunk->end < end ? chunk->end : end;
	struct cs_etm_piece piece = *pattern;

	piece.aux_offset = from;
	piece.len = to > from ? to - from : 0;
	piece.file_offset = chunk->file_offset + (from - chunk->start);
	if (pattern->uncovered)
		piece.record_offset = chunk->record_offset;
	return piece;
}

/*
 * Makes pieces like pattern of the ring's bytes from start to before end as far as the file has them; frames
 * count from base. Gives how many bytes there are.
 */
static int cut_range(struct cutter *c, uint64_t base, uint64_t start, uint64_t end,
		     const struct cs_etm_piece *pattern, uint64_t *ret)
{
	struct cs_etm *etm = c->etm;
	const struct cs_etm_chunk *chunk;
	size_t first = etm->piece_count;
	uint64_t at = start, sum = 0;

	while ((chunk = chunk_at(c, c->chunk)) && chunk->end <= start)
		c->chunk++;
	for (size_t i = c->chunk; (chunk = chunk_at(c, i)) && chunk->start < end; i++) {
		struct cs_etm_piece piece = cut_chunk(chunk, start, end, pattern);

		if (!piece.len)
			continue;
		if (piece.aux_offset != at) {
			end_chain(c, first, base);
			first = etm->piece_count;
		}
		piece.continues = first < etm->piece_count;
		if (SL_ARRAY_PUSH(&etm->pieces, &etm->piece_count, &etm->piece_cap, piece) < 0)
			return SL_ERR_NOMEM;
		at = piece.aux_offset + piece.len;
		sum += piece.len;
	}
	end_chain(c, first, base);
	*ret = sum;
	return SL_OK;
}

/* perf fills its copies up to 8 bytes. */
static bool is_padding(const struct cutter *c, const struct cs_etm_chunk *chunk, uint64_t from)
{
	static const uint8_t zeros[PADDING_MAX];
	uint8_t bytes[PADDING_MAX];
	uint64_t len = chunk->end - from;
	uint64_t offset = chunk->file_offset + (from - chunk->start);

	if (chunk->cut || from < chunk->start || len > PADDING_MAX)
		return false;
	return perf_file_read(c->file, offset, bytes, (size_t)len) == len &&
	       memcmp(bytes, zeros, (size_t)len) == 0;
}

/* Whether the chunk behind number i continues it before end. Without any AUX records, each copy is as near to
 * a session as can be told. */
static bool joined(const struct cutter *c, size_t i, uint64_t end)
{
	const struct cs_etm_chunk *chunk = chunk_at(c, i), *next = chunk_at(c, i + 1);

	return c->ring->session_count && next && next->start == chunk->end && next->start < end;
}

/* The next bytes between c->done and end that the file has in a row, as *ret_from to before *ret_to. */
static bool next_stretch(struct cutter *c, uint64_t end, uint64_t *ret_from, uint64_t *ret_to)
{
	const struct cs_etm_chunk *chunk;
	size_t i;

	while ((chunk = chunk_at(c, c->chunk)) && chunk->end <= c->done)
		c->chunk++;
	if (!chunk || chunk->start >= end || c->done >= end)
		return false;
	*ret_from = chunk->start > c->done ? chunk->start : c->done;
	for (i = c->chunk; joined(c, i, end); i++)
		;
	chunk = chunk_at(c, i);
	*ret_to = chunk->end < end ? chunk->end : end;
	c->done = *ret_to;
	if (*ret_to == chunk->end && is_padding(c, chunk, *ret_from))
		*ret_to = *ret_from;
	return true;
}

/* Bytes of the ring from c->done to before end that no AUX record tells of. */
static int cut_uncovered(struct cutter *c, uint64_t end)
{
	uint64_t from, to, sum;

	while (next_stretch(c, end, &from, &to)) {
		if (from == to)
			continue;
		count_loss(&c->uncovered, to - from, chunk_at(c, c->chunk)->record_offset);
		if (cut_range(c, from, from, to, &c->pattern, &sum) < 0)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

static struct cs_etm_piece session_pattern(const struct cutter *c, const struct cs_etm_session *session)
{
	const struct perf_record *record = session->record;
	struct cs_etm_piece piece = { .record_offset = record->offset,
				      .flags = session->flags & ~(uint32_t)AUX_RAW,
				      .raw = session->flags & AUX_RAW || c->etm->intel_pt,
				      .cpu = cs_etm_record_cpu(c->index, record),
				      .tid = c->ring->tid,
				      .pid = -1 };

	if (piece.cpu < 0)
		piece.cpu = c->ring->cpu;
	if (piece.cpu < 0 && piece.raw && c->etm->cpu_count == 1)
		piece.cpu = (int32_t)c->etm->cpus[0].cpu;
	/* A CPU's buffer names the first of its threads, or none. */
	if (c->ring->cpu >= 0 || piece.tid < 0)
		piece.tid = cs_etm_record_tid(c->index, record);
	if (record->who.has_tid && record->who.pid <= INT32_MAX)
		piece.pid = (int32_t)record->who.pid;
	if (record->who.has_time)
		piece.time = record->who.time;
	return piece;
}

static void count_flags(struct cutter *c, const struct cs_etm_session *session)
{
	uint64_t offset = session->record->offset, bytes = session->end - session->start;

	if (session->flags & AUX_TRUNCATED)
		count_loss(&c->truncated, bytes, offset);
	if (session->flags & AUX_PARTIAL)
		count_loss(&c->partial, bytes, offset);
	if (session->flags & AUX_COLLISION)
		count_loss(&c->collided, bytes, offset);
}

/* Bytes that the file lacks. In snapshot mode the ring was to be overwritten up to the last copy. */
static void count_missing(struct cutter *c, const struct cs_etm_session *session, uint64_t bytes,
			  struct loss *lost)
{
	const struct cs_etm_chunk *last = c->ring->chunk_count ? chunk_at(c, c->ring->chunk_count - 1) : NULL;

	if (!bytes)
		return;
	if (session->flags & AUX_OVERWRITE && last && session->start < last->end)
		count_loss(&c->overwritten, bytes, session->record->offset);
	else
		count_loss(lost, bytes, session->record->offset);
}

static int cut_session(struct cutter *c, const struct cs_etm_session *session, struct loss *lost)
{
	struct cs_etm_piece pattern = session_pattern(c, session);
	uint64_t start = session->start > c->done ? session->start : c->done, sum;

	if (cut_uncovered(c, session->start) < 0)
		return SL_ERR_NOMEM;
	if (start != session->start)
		count_loss(&c->overlaps, (session->end < start ? session->end : start) - session->start,
			   session->record->offset);
	count_flags(c, session);
	c->pattern.raw = pattern.raw;
	c->pattern.cpu = pattern.cpu;
	if (start >= session->end)
		return SL_OK;
	if (cut_range(c, session->start, start, session->end, &pattern, &sum) < 0)
		return SL_ERR_NOMEM;
	count_missing(c, session, session->end - start - sum, lost);
	c->done = session->end;
	return SL_OK;
}

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	*sum = bytes > UINT64_MAX - *sum ? UINT64_MAX : *sum + bytes;
}

static void note_lost(struct cutter *c, const struct loss *lost)
{
	const struct cs_etm_ring *ring = c->ring;
	struct cs_etm_cpu *cpu = ring->cpu >= 0 ? cs_etm_cpu_find(c->etm, (uint32_t)ring->cpu) : NULL;
	const char *owner = ring->cpu >= 0 ? "CPU" : "thread";

	if (!lost->count)
		return;
	add_bytes(&c->etm->aux_bytes_lost, lost->bytes);
	if (cpu)
		add_bytes(&cpu->bytes_lost, lost->bytes);
	if (cs_etm_tally_next(&c->lost))
		sl_notes_add(c->notes,
			     "%s %" PRId32 ": %" PRIu64
			     " bytes of trace are not in the file (AUX records: %" PRIu64
			     ", the first at offset 0x%" PRIx64
			     "): perf was too slow to write, or the file is cut",
			     owner, ring->cpu >= 0 ? ring->cpu : ring->tid, lost->bytes, lost->count,
			     lost->first);
}

/* Formatted or raw is for the AUX record to say: bytes without one are like those before, or like the first.
 */
static void start_ring(struct cutter *c, const struct cs_etm_ring *ring)
{
	const struct cs_etm_session *first = NULL;

	if (ring->session_count)
		first = &c->rings->sessions[ring->sessions];
	else if (c->rings->session_len)
		first = c->rings->sessions;
	c->ring = ring;
	c->chunk = 0;
	c->done = 0;
	c->pattern = (struct cs_etm_piece){
		.uncovered = true, .cpu = ring->cpu, .tid = ring->cpu >= 0 ? -1 : ring->tid, .pid = -1
	};
	c->pattern.raw = c->etm->intel_pt || (first && first->flags & AUX_RAW);
	if (c->pattern.raw && c->pattern.cpu < 0 && c->etm->cpu_count == 1)
		c->pattern.cpu = (int32_t)c->etm->cpus[0].cpu;
}

static int cut_ring(struct cutter *c, const struct cs_etm_ring *ring)
{
	struct cs_etm_buffer buffer = { .idx = ring->idx, .cpu = ring->cpu, .tid = ring->tid };
	size_t first = c->etm->piece_count;
	struct loss lost = { 0 };
	int result = SL_OK;

	start_ring(c, ring);
	for (size_t i = 0; i < ring->session_count && result == SL_OK; i++)
		result = cut_session(c, &c->rings->sessions[ring->sessions + i], &lost);
	if (result == SL_OK)
		result = cut_uncovered(c, UINT64_MAX);
	if (result < 0)
		return result;
	note_lost(c, &lost);
	buffer.piece_count = c->etm->piece_count - first;
	if (!buffer.piece_count)
		return SL_OK;
	return SL_ARRAY_PUSH(&c->etm->buffers, &c->etm->buffer_count, &c->etm->buffer_cap, buffer);
}

static void note_loss(const struct cutter *c, const struct loss *loss, const char *what, const char *meaning)
{
	if (loss->count)
		sl_notes_add(c->notes,
			     "%s: %" PRIu64 " (%" PRIu64 " bytes, the first at offset 0x%" PRIx64 "): %s",
			     what, loss->count, loss->bytes, loss->first, meaning);
}

static void note_losses(const struct cutter *c)
{
	cs_etm_tally_end(&c->lost, "CPUs or threads have lost trace", c->notes);
	note_loss(c, &c->truncated, "AUX records marked as truncated",
		  "the buffer was full, trace is missing behind them; record with larger buffers (-m ,SIZE)");
	note_loss(c, &c->partial, "AUX records marked as partial", "there are gaps in their trace");
	note_loss(c, &c->collided, "AUX records marked as collided",
		  "trace was lost where the hardware went on to write while the buffer was switched");
	note_loss(c, &c->overwritten, "AUX records older than the snapshot",
		  "their trace was overwritten, as it is meant to be in snapshot mode");
	note_loss(c, &c->overlaps, "AUX records for bytes that others have told of",
		  "the bytes are taken once");
	note_loss(c, &c->trimmed, "pieces of trace that are no multiple of the frames' 16 bytes",
		  "what is no whole frame is left out");
	note_loss(c, &c->uncovered, "stretches of AUXTRACE data without an AUX record",
		  "decoded as well as it goes");
}

int cs_etm_read_pieces(const struct perf_file *file, const struct cs_etm_index *index, struct sl_notes *notes,
		       struct cs_etm *etm)
{
	struct cs_etm_rings rings;
	struct cutter c = { .file = file, .index = index, .notes = notes, .etm = etm, .rings = &rings };
	int result = cs_etm_rings_read(file, index, &rings);
	size_t first = 0;

	for (size_t i = 0; i < rings.len && result == SL_OK; i++)
		result = cut_ring(&c, &rings.items[i]);
	cs_etm_rings_release(&rings);
	if (result < 0)
		return result;
	for (size_t i = 0; i < etm->buffer_count; i++) {
		etm->buffers[i].pieces = etm->pieces + first;
		first += etm->buffers[i].piece_count;
	}
	note_losses(&c);
	return SL_OK;
}
