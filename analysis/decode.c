/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of the bytes is cut into parts, each of which some decoder decodes into memory of the part's own. When all are done,
 * they are joined from the first on. While a window's elements are lent, the next one is decoded.
 */
#include "decode.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	PARTS_MAX = 32,		/* of a window; so many decoders at most */
	PART_BYTES = 4 << 10,	/* a window's elements mostly stay in the cores' caches */
	PART_CHUNKS = 80,	/* two and a half megabytes of elements; what makes more is decoded and consumed piece by piece */
	WINDOWS_ALONE = 16,	/* are decoded by one decoder where parts do not begin as foreseen */
};

/* A batch of a part's elements, in the memory that a decoder has put them. */
struct chunk {
	struct sl_elem *elems;
	size_t len, cap;
	struct sl_mark *marks;
	size_t mark_len, mark_cap;
};

struct part {
	struct sl_bytes bytes;
	struct moments moments;
	struct sl_seam *begin, *end;
	struct chunk *chunks;	/* chunk_len hold elements of now; all of chunk_cap may have memory */
	size_t chunk_len, chunk_cap;
	bool too_long;		/* it makes more than may be kept */
	int result;
};

struct window {
	struct decode *decode;
	struct part parts[PARTS_MAX];
	size_t len;	 /* parts */
	size_t part, chunk; /* the next to be lent */
	struct sl_batch batch;
};

struct decode {
	struct decode_options options;
	struct sl_decoder *decoders[PARTS_MAX]; /* the lane's own, and forks */
	size_t decoder_count;
	_Atomic uint32_t idle;	/* decoders, a bit each */
	struct sl_bytes in;	/* lent by feed, and in no window yet */
	size_t alone;		/* bytes that are to be decoded by one decoder */
	struct window windows[2], *ready, *ahead;
	struct sl_seam *now;	/* behind what the windows before were */
	bool away;		/* the lane's own decoder is not there */
	const struct sl_mark *marks; /* of what was lent last */
	size_t mark_len;
	struct decode_stats stats;
};

static size_t part_bytes(const struct decode *d)
{
	return d->options.part_bytes ? d->options.part_bytes : PART_BYTES;
}

int decode_new(const struct decode_options *options, struct decode **ret)
{
	struct decode *d = calloc(1, sizeof(*d));

	if (!d)
		return SL_ERR_NOMEM;
	d->options = *options;
	d->decoders[0] = options->decoder;
	d->decoder_count = 1;
	d->ready = &d->windows[0];
	d->ahead = &d->windows[1];
	d->ready->decode = d->ahead->decode = d;
	*ret = d;
	return SL_OK;
}

static void release_part(struct part *part)
{
	sl_seam_free(part->begin);
	sl_seam_free(part->end);
	for (size_t i = 0; i < part->chunk_cap; i++) {
		free(part->chunks[i].elems);
		free(part->chunks[i].marks);
	}
	free(part->chunks);
}

static void release_window(struct window *w)
{
	for (size_t i = 0; i < PARTS_MAX; i++)
		release_part(&w->parts[i]);
}

void decode_free(struct decode *d)
{
	if (!d)
		return;
	if (d->ahead->len)
		sl_pool_wait(d->options.pool, &d->ahead->batch);
	release_window(d->ready);
	release_window(d->ahead);
	for (size_t i = 1; i < d->decoder_count; i++)
		sl_decoder_free(d->decoders[i]);
	sl_seam_free(d->now);
	free(d);
}

struct decode_stats decode_stats(const struct decode *d)
{
	return d->stats;
}

static size_t decoders_wanted(const struct decode *d)
{
	unsigned jobs = d->options.pool ? sl_pool_jobs(d->options.pool) : 1;

	return jobs < PARTS_MAX ? jobs : PARTS_MAX;
}

/* A decoder that nobody uses: the first one, whose runs are the most. */
static unsigned claim(struct decode *d)
{
	uint32_t idle = atomic_load(&d->idle);

	while (!atomic_compare_exchange_weak(&d->idle, &idle, idle & (idle - 1)))
		;
	return (unsigned)__builtin_ctz(idle);
}

static void give_back(struct decode *d, unsigned i)
{
	atomic_fetch_or(&d->idle, UINT32_C(1) << i);
}

static struct chunk *add_chunk(struct part *part)
{
	size_t had = part->chunk_cap;
	struct chunk *chunk;

	if (sl_array_reserve((void **)&part->chunks, &part->chunk_cap, sizeof(*chunk), part->chunk_len + 1) < 0)
		return NULL;
	memset(part->chunks + had, 0, (part->chunk_cap - had) * sizeof(*chunk));
	chunk = &part->chunks[part->chunk_len++];
	chunk->len = chunk->mark_len = 0;
	return chunk;
}

/* What goes with the elements that dec has lent. */
static int keep_marks(struct chunk *chunk, const struct sl_decoder *dec)
{
	const struct sl_mark *marks;
	size_t len = sl_decoder_marks(dec, &marks);

	if (sl_array_reserve((void **)&chunk->marks, &chunk->mark_cap, sizeof(*marks), len) < 0)
		return SL_ERR_NOMEM;
	if (len)
		memcpy(chunk->marks, marks, len * sizeof(*marks));
	chunk->mark_len = len;
	return SL_OK;
}

/* What dec has lent, without a copy of the elements. */
static int keep(struct part *part, struct sl_decoder *dec, size_t len)
{
	struct chunk *chunk = add_chunk(part);

	if (!chunk)
		return SL_ERR_NOMEM;
	sl_decoder_exchange(dec, &chunk->elems, &chunk->cap);
	chunk->len = len;
	return keep_marks(chunk, dec);
}

/* Where dec has no more elements: marks behind them. */
static int keep_rest(struct part *part, const struct sl_decoder *dec)
{
	const struct sl_mark *marks;
	struct chunk *chunk;

	if (!sl_decoder_marks(dec, &marks))
		return SL_OK;
	chunk = add_chunk(part);
	return chunk ? keep_marks(chunk, dec) : SL_ERR_NOMEM;
}

/* All of the part's bytes, from where the seam is. */
static int decode_part(struct decode *d, struct part *part, struct sl_decoder *dec, const struct sl_seam *seam)
{
	void *moments = d->options.moments ? &part->moments : NULL;
	struct sl_elem *elems;
	size_t len;
	int result = sl_decoder_resume(dec, seam, moments);

	part->chunk_len = 0;
	part->too_long = false;
	if (result < 0)
		return result;
	sl_decoder_feed(dec, part->bytes);
	while ((result = sl_decoder_lend(dec, &elems, &len)) == SL_OK) {
		part->too_long = part->chunk_len == PART_CHUNKS;
		if (part->too_long)
			return SL_OK;
		result = keep(part, dec, len);
		if (result < 0)
			return result;
	}
	if (result == SL_END)
		result = keep_rest(part, dec);
	return result < 0 ? result : sl_decoder_note(dec, &part->end);
}

static void decode_nth(void *ctx, size_t i)
{
	struct window *w = ctx;
	struct decode *d = w->decode;
	struct part *part = &w->parts[i];
	unsigned decoder = claim(d);

	part->result = decode_part(d, part, d->decoders[decoder], i ? part->begin : d->now);
	give_back(d, decoder);
}

/* What the part before ended with is where this one was to begin; else it is decoded again. */
static int join(struct decode *d, struct part *before, struct part *part)
{
	if (part->result < 0 || part->too_long || sl_seam_join(before->end, part->begin, part->end))
		return part->result;
	d->stats.again++;
	if (d->options.moments)
		part->moments = *d->options.moments;
	return decode_part(d, part, d->decoders[0], before->end);
}

static void swap_seams(struct sl_seam **a, struct sl_seam **b)
{
	struct sl_seam *seam = *a;

	*a = *b;
	*b = seam;
}

/* From the part at on, the window's bytes are not decoded yet. */
static void take_back(struct decode *d, struct window *w, size_t at)
{
	const struct sl_bytes *bytes = &w->parts[at].bytes;

	d->in.len += (size_t)(d->in.offset - bytes->offset);
	d->in.data = bytes->data;
	d->in.offset = bytes->offset;
	d->alone = bytes->len;
	w->len = at;
}

/* Where the window's parts are done: what is true of them, and what is known behind the last one. */
static int join_parts(struct decode *d, struct window *w)
{
	uint64_t again = d->stats.again;

	for (size_t i = 0; i < w->len; i++) {
		int result = i ? join(d, &w->parts[i - 1], &w->parts[i]) : w->parts[0].result;

		if (result < 0)
			return result;
		if (w->parts[i].too_long)
			take_back(d, w, i);
	}
	if (!w->len)
		return SL_OK;
	d->stats.parts += w->len;
	if ((d->stats.again - again) * 2 > w->len)
		d->alone = WINDOWS_ALONE * decoders_wanted(d) * part_bytes(d);
	swap_seams(&d->now, &w->parts[w->len - 1].end);
	return SL_OK;
}

static void use_in(struct decode *d, size_t n)
{
	d->in.data += n;
	d->in.offset += n;
	d->in.len -= n;
}

static struct part *add_part(struct decode *d, struct window *w, size_t len)
{
	struct part *part = &w->parts[w->len++];

	part->bytes = (struct sl_bytes){ d->in.data, len, d->in.offset };
	if (d->options.moments)
		part->moments = *d->options.moments;
	use_in(d, len);
	return part;
}

/* Where the next part may begin, at least min bytes from here, and its seam. SL_END where there is no such place. */
static int find_seam(struct decode *d, struct part *next, size_t min, size_t *ret_len)
{
	struct sl_bytes far = { d->in.data + min, d->in.len - min, d->in.offset + min };
	uint64_t offset;
	int result;

	if (d->options.moments)
		next->moments = *d->options.moments;
	result = sl_decoder_foresee(d->decoders[0], d->now, far, d->options.moments ? &next->moments : NULL, &next->begin, &offset);
	if (result != SL_OK)
		return result;
	*ret_len = (size_t)(offset - d->in.offset);
	if (d->options.spoil)
		d->options.spoil(d->options.spoil_ctx, next->begin);
	return SL_OK;
}

/* Parts of the bytes that were fed, the first of which begins where d->now is. Fewer than two are none. */
static int cut(struct decode *d, struct window *w)
{
	size_t wanted = 2 * decoders_wanted(d), min = part_bytes(d), len;
	int result = SL_OK;

	w->len = w->part = w->chunk = 0;
	if (wanted > PARTS_MAX)
		wanted = PARTS_MAX;
	while (w->len + 1 < wanted && d->in.len > min) {
		result = find_seam(d, &w->parts[w->len + 1], min, &len);
		if (result != SL_OK)
			break;
		add_part(d, w, len);
	}
	if (w->len)
		add_part(d, w, d->in.len < min ? d->in.len : min);
	return result < 0 ? result : SL_OK;
}

static int fork_decoders(struct decode *d)
{
	while (d->decoder_count < decoders_wanted(d)) {
		if (sl_decoder_fork(d->decoders[0], &d->decoders[d->decoder_count]) < 0)
			return SL_ERR_NOMEM;
		d->decoder_count++;
	}
	atomic_store(&d->idle, (uint32_t)((UINT64_C(1) << d->decoder_count) - 1));
	return SL_OK;
}

/* Whether a window of the bytes that were fed is worth it. */
static bool wants_window(const struct decode *d)
{
	return !d->alone && decoders_wanted(d) > 1 && d->in.len > part_bytes(d) && sl_decoder_can_fork(d->decoders[0]);
}

/* The lane's decoder back to where the windows have come to. */
static int come_back(struct decode *d)
{
	if (!d->away)
		return SL_OK;
	d->away = false;
	return sl_decoder_resume(d->decoders[0], d->now, d->options.moments);
}

/* The lane's decoder goes on alone with what was fed, or with some of it. */
static int go_alone(struct decode *d)
{
	size_t len = d->alone && d->alone < d->in.len ? d->alone : d->in.len;
	int result = come_back(d);

	if (result < 0 || !len)
		return result;
	sl_decoder_feed(d->decoders[0], (struct sl_bytes){ d->in.data, len, d->in.offset });
	use_in(d, len);
	d->alone -= len < d->alone ? len : d->alone;
	return SL_OK;
}

static int leave(struct decode *d)
{
	int result = d->away ? SL_OK : sl_decoder_note(d->decoders[0], &d->now);

	d->away = true;
	return result < 0 ? result : fork_decoders(d);
}

/* Begins a window of what was fed, or else feeds the lane's decoder. */
static int go_on(struct decode *d)
{
	int result;

	if (!wants_window(d))
		return go_alone(d);
	result = leave(d);
	if (result == SL_OK)
		result = cut(d, d->ahead);
	if (result < 0)
		d->ahead->len = 0;
	else if (d->ahead->len)
		sl_pool_start(d->options.pool, &d->ahead->batch, d->ahead->len, decode_nth, d->ahead);
	else
		result = go_alone(d);
	return result;
}

/* The window ahead is ready, and the next one is begun. */
static int finish_window(struct decode *d)
{
	struct window *done = d->ahead;
	int result;

	sl_pool_wait(d->options.pool, &done->batch);
	d->ahead = d->ready;
	d->ready = done;
	d->ahead->len = 0;
	result = join_parts(d, done);
	if (result < 0) {
		done->len = 0;
		return result;
	}
	return d->in.len ? go_on(d) : SL_OK;
}

static bool lend_ready(struct decode *d, struct sl_elem **ret, size_t *ret_len)
{
	struct window *w = d->ready;

	for (; w->part < w->len; w->part++, w->chunk = 0) {
		const struct part *part = &w->parts[w->part];
		const struct chunk *chunk;

		if (w->chunk == part->chunk_len)
			continue; /* it may never have had any */
		chunk = &part->chunks[w->chunk++];
		*ret = chunk->elems;
		*ret_len = chunk->len;
		d->marks = chunk->marks;
		d->mark_len = chunk->mark_len;
		return true;
	}
	return false;
}

/* Of the lane's own decoder. Marks behind the last element come with none where more is to be decoded. */
static int lend_own(struct decode *d, struct sl_elem **ret, size_t *ret_len)
{
	int result = sl_decoder_lend(d->decoders[0], ret, ret_len);

	d->mark_len = sl_decoder_marks(d->decoders[0], &d->marks);
	if (result != SL_END || !d->mark_len || !d->in.len)
		return result;
	*ret_len = 0;
	return SL_OK;
}

int decode_lend(struct decode *d, struct sl_elem **ret, size_t *ret_len)
{
	int result = SL_OK;

	while (result == SL_OK) {
		if (lend_ready(d, ret, ret_len))
			return SL_OK;
		if (d->ahead->len) {
			result = finish_window(d);
			continue;
		}
		if (!d->away) {
			result = lend_own(d, ret, ret_len);
			if (result != SL_END || !d->in.len)
				return result;
		}
		result = go_on(d);
	}
	return result;
}

size_t decode_marks(const struct decode *d, const struct sl_mark **ret)
{
	*ret = d->marks;
	return d->mark_len;
}

void decode_feed(struct decode *d, struct sl_bytes in)
{
	d->in = in;
}

void decode_finish(struct decode *d)
{
	sl_decoder_finish(d->decoders[0]);
}

void decode_restart(struct decode *d)
{
	sl_decoder_restart(d->decoders[0]);
}
