/* SPDX-License-Identifier: Apache-2.0 */
#include "parts_trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sl_array.h"

struct elems {
	struct sl_elem *elems;
	size_t len, cap;
	uint64_t merged; /* ranges in other ones' elements */
};

static struct sl_decoder *new_decoder(const struct parts_trial *trial, struct moments *moments)
{
	struct sl_decoder_options options = { .image = trial->image, .core = trial->core, .engine = SL_ENGINE_FAST,
					      .merge = trial->merge };
	struct sl_decoder *dec;

	if (trial->moments) {
		*moments = *trial->moments;
		options.moment = moments_at;
		options.moment_ctx = moments;
	}
	return sl_decoder_new(&trial->config, &options, &dec, NULL) < 0 ? NULL : dec;
}

/* NULL, and only then: a decoder is drained, not its parts. */
static void drain(struct decode *parts, struct sl_decoder *dec, struct elems *ret)
{
	struct sl_elem *elems;
	size_t len;
	int result;

	while ((result = parts ? decode_lend(parts, &elems, &len) : sl_decoder_lend(dec, &elems, &len)) == SL_OK) {
		for (size_t i = 0; i < len; i++) {
			if (SL_ARRAY_PUSH(&ret->elems, &ret->len, &ret->cap, elems[i]) < 0)
				abort();
		}
	}
	if (result != SL_END)
		abort();
}

static void feed(const struct parts_trial *trial, struct decode *parts, struct sl_decoder *dec, struct sl_bytes in,
		 struct elems *ret)
{
	size_t most = trial->piece ? trial->piece : in.len;

	for (size_t at = 0, n; at < in.len; at += n) {
		struct sl_bytes piece = { in.data + at, n = in.len - at < most ? in.len - at : most, in.offset + at };

		if (parts)
			decode_feed(parts, piece);
		else
			sl_decoder_feed(dec, piece);
		drain(parts, dec, ret);
	}
}

static void decode_all(const struct parts_trial *trial, struct decode *parts, struct sl_decoder *dec, struct elems *ret)
{
	const struct sl_bytes *lane = &trial->lane;
	size_t first = trial->restart_at < lane->len ? trial->restart_at : 0;

	if (first) {
		feed(trial, parts, dec, (struct sl_bytes){ lane->data, first, lane->offset }, ret);
		if (parts)
			decode_restart(parts);
		else
			sl_decoder_restart(dec);
	}
	feed(trial, parts, dec, (struct sl_bytes){ lane->data + first, lane->len - first, lane->offset + first }, ret);
	if (parts)
		decode_finish(parts);
	else
		sl_decoder_finish(dec);
	drain(parts, dec, ret);
}

static bool decode_alone(const struct parts_trial *trial, struct elems *ret)
{
	struct parts_trial whole = *trial;
	struct moments moments;
	struct sl_decoder *dec = new_decoder(trial, &moments);

	if (!dec)
		return false;
	whole.piece = 0;
	decode_all(&whole, NULL, dec, ret);
	ret->merged = sl_decoder_merged(dec);
	sl_decoder_free(dec);
	return true;
}

static void decode_parts(const struct parts_trial *trial, struct elems *ret, struct decode_stats *stats)
{
	struct moments moments;
	struct sl_decoder *dec = new_decoder(trial, &moments);
	const struct decode_options options = { .decoder = dec, .moments = trial->moments ? &moments : NULL, .pool = trial->pool,
						.part_bytes = trial->part_bytes, .spoil = trial->spoil,
						.spoil_ctx = trial->spoil_ctx };
	struct decode *parts;

	if (!dec || decode_new(&options, &parts) < 0)
		abort();
	decode_all(trial, parts, dec, ret);
	*stats = decode_stats(parts);
	ret->merged = sl_decoder_merged(dec);
	decode_free(parts);
	sl_decoder_free(dec);
}

static void compare(const struct elems *a, const struct elems *b, struct parts_result *ret)
{
	size_t i = 0;

	while (i < a->len && i < b->len && sl_elem_same(&a->elems[i], &b->elems[i]))
		i++;
	ret->same = i == a->len && i == b->len;
	ret->elems = a->len;
	if (!ret->same)
		snprintf(ret->text, sizeof(ret->text), "element %zu of %zu and %zu: %s at %" PRIu64 ", %s at %" PRIu64, i, a->len,
			 b->len, i < a->len ? sl_elem_kind_name(a->elems[i].kind) : "none", i < a->len ? a->elems[i].offset : 0,
			 i < b->len ? sl_elem_kind_name(b->elems[i].kind) : "none", i < b->len ? b->elems[i].offset : 0);
}

struct sums {
	uint64_t ranges, instructions, others;
};

static struct sums sums_of(const struct elems *elems)
{
	struct sums ret = { .ranges = elems->merged };

	for (size_t i = 0; i < elems->len; i++) {
		bool is_range = elems->elems[i].kind == SL_ELEM_RANGE;

		ret.ranges += is_range;
		ret.instructions += is_range ? elems->elems[i].count : 0;
		ret.others += !is_range;
	}
	return ret;
}

static void compare_merged(const struct elems *a, const struct elems *b, struct parts_result *ret)
{
	const struct sums x = sums_of(a), y = sums_of(b);

	ret->elems = a->len;
	ret->same = x.ranges == y.ranges && x.instructions == y.instructions && x.others == y.others;
	if (!ret->same)
		snprintf(ret->text, sizeof(ret->text), "%" PRIu64 " and %" PRIu64 " ranges, %" PRIu64 " and %" PRIu64
			 " instructions, %" PRIu64 " and %" PRIu64 " others", x.ranges, y.ranges, x.instructions, y.instructions,
			 x.others, y.others);
}

void parts_trial_run(const struct parts_trial *trial, struct parts_result *ret)
{
	struct elems alone = { 0 }, parts = { 0 };

	*ret = (struct parts_result){ .same = true };
	ret->refused = !decode_alone(trial, &alone);
	if (ret->refused)
		return;
	decode_parts(trial, &parts, &ret->stats);
	if (trial->merge)
		compare_merged(&alone, &parts, ret);
	else
		compare(&alone, &parts, ret);
	free(alone.elems);
	free(parts.elems);
}
