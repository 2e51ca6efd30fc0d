/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODE_PIECES_H
#define DECODE_PIECES_H
/* A lane through a decoder in pieces, and whether the same comes out of it however it is cut. */
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_decoder.h"

struct pieces {
	struct sl_elem *elems;
	size_t len, cap;
	uint64_t packets, marks; /* hashes over all of them, in order */
};

static inline void hash_into(uint64_t *hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < len; i++)
		*hash = (*hash ^ bytes[i]) * 0x100000001b3;
}

static inline void pieces_hash(struct pieces *p, const void *data, size_t len)
{
	hash_into(&p->packets, data, len);
}

static inline void pieces_packet(void *ctx, const struct sl_packet *packet)
{
	struct pieces *p = ctx;

	pieces_hash(p, &packet->offset, sizeof(packet->offset));
	pieces_hash(p, packet->bytes, packet->len);
	pieces_hash(p, packet->name, strlen(packet->name));
	if (packet->text)
		pieces_hash(p, packet->text, strlen(packet->text));
}

static inline void pieces_marks(const struct sl_decoder *dec, struct pieces *p)
{
	const struct sl_mark *marks;
	size_t n = sl_decoder_marks(dec, &marks);

	for (size_t i = 0; i < n; i++) {
		if (marks[i].kind >= SL_MARKS)
			abort();
		hash_into(&p->marks, &marks[i].offset, sizeof(marks[i].offset));
		hash_into(&p->marks, &marks[i].address, sizeof(marks[i].address));
		hash_into(&p->marks, &marks[i].kind, sizeof(marks[i].kind));
	}
}

static inline void pieces_drain(struct sl_decoder *dec, struct pieces *p)
{
	struct sl_elem *elems;
	size_t n;
	int result;

	do {
		n = 0;
		result = sl_decoder_lend(dec, &elems, &n);
		pieces_marks(dec, p);
		for (size_t i = 0; i < n; i++) {
			if (SL_ARRAY_PUSH(&p->elems, &p->len, &p->cap, elems[i]) < 0)
				abort();
		}
	} while (result == SL_OK);
	if (result != SL_END)
		abort();
}

/* Pieces of 1 + sizes[0], 1 + sizes[1], 1 + sizes[0] ... bytes; one more ends where the decoder is restarted.
 */
static inline void pieces_feed(struct sl_decoder *dec, struct sl_bytes lane, const uint8_t sizes[2],
			       size_t restart_at, struct pieces *ret)
{
	for (size_t at = 0, n, i = 0; at < lane.len; at += n, i++) {
		uint8_t piece[256];

		n = (size_t)sizes[i % 2] + 1;
		if (n > lane.len - at)
			n = lane.len - at;
		if (at < restart_at && n > restart_at - at)
			n = restart_at - at;
		if (at == restart_at)
			sl_decoder_restart(dec);
		memcpy(piece, lane.data + at, n);
		sl_decoder_feed(dec, (struct sl_bytes){ piece, n, at });
		pieces_drain(dec, ret);
		memset(piece, 0xa5, n); /* it was lent only so long */
	}
}

/* Decodes all of the lane; at restart_at it does not continue. False where the configuration is refused. */
static inline bool pieces_decode(const struct sl_trace_config *config,
				 const struct sl_decoder_options *options, struct sl_bytes lane,
				 const uint8_t sizes[2], size_t restart_at, struct pieces *ret)
{
	struct sl_decoder_options own = *options;
	struct sl_decoder *dec;
	struct sl_diag diag = { "" };

	if (own.packet)
		own.packet_ctx = ret;
	if (sl_decoder_new(config, &own, &dec, &diag) < 0) {
		if (!*diag.text || strchr(diag.text, '\n'))
			abort();
		return false;
	}
	pieces_feed(dec, lane, sizes, restart_at, ret);
	sl_decoder_finish(dec);
	pieces_drain(dec, ret);
	sl_decoder_free(dec);
	if (!ret->len || ret->elems[ret->len - 1].kind != SL_ELEM_END)
		abort();
	return true;
}

static inline bool pieces_same(const struct pieces *a, const struct pieces *b)
{
	bool same = a->len == b->len && a->packets == b->packets && a->marks == b->marks;

	for (size_t i = 0; i < a->len && same; i++)
		same = sl_elem_same(&a->elems[i], &b->elems[i]);
	return same;
}

/* Decodes the lane in large pieces and in these; aborts where the two differ. */
static inline void pieces_compare(const struct sl_trace_config *config,
				  const struct sl_decoder_options *options, struct sl_bytes lane,
				  const uint8_t sizes[2], size_t restart_at)
{
	static const uint8_t large[2] = { 255, 255 };
	struct pieces a = { 0 }, b = { 0 };

	if (pieces_decode(config, options, lane, large, restart_at, &a)) {
		if (!pieces_decode(config, options, lane, sizes, restart_at, &b) || !pieces_same(&a, &b))
			abort();
	}
	free(a.elems);
	free(b.elems);
}
#endif
