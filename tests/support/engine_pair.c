/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "decode_text.h"
#include "sl_array.h"
#include "stub_engine.h"

enum { AROUND_BEFORE = 4, AROUND_AFTER = 3 };

struct list {
	struct sl_elem *elems;
	size_t len, cap;
};

static void drain(struct sl_decoder *dec, struct list *list)
{
	struct sl_elem *elems;
	size_t len;
	int result;

	while ((result = sl_decoder_lend(dec, &elems, &len)) == SL_OK) {
		if (sl_array_reserve((void **)&list->elems, &list->cap, sizeof(*elems), list->len + len) < 0)
			abort();
		memcpy(list->elems + list->len, elems, len * sizeof(*elems));
		list->len += len;
	}
	if (result < 0)
		abort();
}

/* What is fed lies in memory of its own, so that a sanitizer sees who reads beyond it or too late. */
static void feed(struct sl_decoder *dec, struct sl_bytes bytes, struct list *list)
{
	uint8_t *copy = malloc(bytes.len ? bytes.len : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes.data, bytes.len);
	sl_decoder_feed(dec, (struct sl_bytes){ copy, bytes.len, bytes.offset });
	drain(dec, list);
	free(copy);
}

static void decode(const struct engine_pair *pair, struct sl_decoder *dec, size_t piece, struct list *list)
{
	for (size_t at = 0, n; at < pair->lane.len; at += n) {
		n = pair->lane.len - at < piece ? pair->lane.len - at : piece;
		if (at < pair->restart_at && n > pair->restart_at - at)
			n = pair->restart_at - at;
		if (at && at == pair->restart_at)
			sl_decoder_restart(dec);
		feed(dec, (struct sl_bytes){ pair->lane.data + at, n, pair->lane.offset + at }, list);
	}
	sl_decoder_finish(dec);
	drain(dec, list);
	sl_decoder_free(dec);
}

static bool is_range(const struct sl_elem *e)
{
	return e->kind == SL_ELEM_RANGE || e->kind == SL_ELEM_RANGE_NO_PATH;
}

/* Whether the ranges of a from element i on are among those of b from at on, in order. */
static bool ranges_among(const struct list *a, size_t i, const struct list *b, size_t at)
{
	for (; i < a->len; i++) {
		const struct sl_elem *e = &a->elems[i];

		if (!is_range(e))
			continue;
		while (at < b->len && (!is_range(&b->elems[at]) || b->elems[at].range.start != e->range.start ||
				       b->elems[at].range.end != e->range.end || b->elems[at].isa != e->isa))
			at++;
		if (at++ >= b->len)
			return false;
	}
	return true;
}

static int add_lines(const char *who, const struct list *list, size_t at, char *ret, size_t cap)
{
	char line[200];
	int used = 0;

	for (size_t i = at > AROUND_BEFORE ? at - AROUND_BEFORE : 0; i < at + AROUND_AFTER && i < list->len; i++) {
		elem_text(&list->elems[i], line, sizeof(line));
		used += snprintf(ret + used, cap - (size_t)used, "%s%8s %zu: %s isa %u flags %x\n", i == at ? "> " : "  ", who, i,
				 line, list->elems[i].isa, list->elems[i].flags);
	}
	return used;
}

/* What is the same, and then what differs on purpose, or cannot be compared; false: neither is. */
static bool pass(const struct list *fast, size_t *i, const struct list *opencsd, size_t *j, struct purposes *purposes)
{
	bool passes_fast, passes_opencsd;
	size_t same = 0;

	while (!purposes->lost && *i + same < fast->len && *j + same < opencsd->len &&
	       compare_same(&fast->elems[*i + same], &opencsd->elems[*j + same]))
		same++;
	purpose_same(purposes, fast->elems + *i, same);
	*i += same;
	*j += same;
	if ((*i == fast->len && *j == opencsd->len) ||
	    !purpose_pass(purposes, *i < fast->len ? &fast->elems[*i] : NULL, *j < opencsd->len ? &opencsd->elems[*j] : NULL,
			  &passes_fast, &passes_opencsd))
		return false;
	*i += passes_fast;
	*j += passes_opencsd;
	return true;
}

static void compare(const struct engine_pair *pair, const struct list *fast, const struct list *opencsd, struct pair_result *ret)
{
	size_t i = 0, j = 0;
	int used;

	ret->purposes.image = pair->image;
	ret->purposes.q = purpose_has_q(&pair->config);
	ret->purposes.ite = purpose_has_ite(&pair->config);
	ret->purposes.ete = pair->config.protocol == SL_PROTOCOL_ETE;
	while (pass(fast, &i, opencsd, &j, &ret->purposes))
		;
	if (i == fast->len && j == opencsd->len)
		return;
	ret->verdict = PAIR_DIFFERS;
	ret->range_too_many = !ranges_among(fast, i, opencsd, j);
	used = snprintf(ret->text, sizeof(ret->text), "element %zu of %zu (fast) and %zu (opencsd)%s\n", i, fast->len, opencsd->len,
			ret->range_too_many ? ", a range too many" : "");
	used += add_lines("fast", fast, i, ret->text + used, sizeof(ret->text) - (size_t)used);
	add_lines("opencsd", opencsd, j, ret->text + used, sizeof(ret->text) - (size_t)used);
}

static void count(const struct list *list, struct pair_result *ret)
{
	ret->elems = list->len;
	for (size_t i = 0; i < list->len; i++) {
		if (!is_range(&list->elems[i]))
			continue;
		ret->ranges++;
		ret->insns += list->elems[i].kind == SL_ELEM_RANGE ? list->elems[i].count : 0; /* no path, maybe no count */
	}
}

/* NULL, and the verdict, where there is no such decoder. */
static struct sl_decoder *new_decoder(const struct engine_pair *pair, enum sl_engine engine, struct pair_result *ret)
{
	struct sl_decoder_options options = { .image = pair->image, .engine = engine };
	struct sl_decoder *dec = NULL;
	int result = pair->stub ? stub_decoder_new(&pair->config, &options, &dec, NULL) :
				  sl_decoder_new(&pair->config, &options, &dec, NULL);

	if (result == SL_ERR_NOMEM)
		abort();
	if (result == SL_OK && sl_decoder_kind(dec) == engine)
		return dec;
	if (result == SL_OK)
		sl_decoder_free(dec);
	ret->verdict = result == SL_OK || result == SL_ERR_UNSUPPORTED ? PAIR_NOT_COVERED : PAIR_REFUSED;
	return NULL;
}

static void enter(const struct engine_pair *pair, enum pair_phase phase)
{
	if (pair->phase)
		*pair->phase = phase;
}

void engine_pair_run(const struct engine_pair *pair, struct pair_result *ret)
{
	struct list lists[2] = { 0 };
	struct sl_decoder *fast, *opencsd;

	memset(ret, 0, sizeof(*ret));
	fast = new_decoder(pair, SL_ENGINE_FAST, ret);
	if (!fast)
		return;
	opencsd = new_decoder(pair, SL_ENGINE_OPENCSD, ret);
	if (!opencsd) {
		sl_decoder_free(fast);
		return;
	}
	enter(pair, PAIR_OPENCSD);
	decode(pair, opencsd, SIZE_MAX, &lists[1]);
	enter(pair, PAIR_FAST);
	decode(pair, fast, pair->piece ? pair->piece : SIZE_MAX, &lists[0]);
	enter(pair, PAIR_IDLE);
	count(&lists[1], ret);
	compare(pair, &lists[0], &lists[1], ret);
	free(lists[0].elems);
	free(lists[1].elems);
}
