/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_trial.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode_text.h"
#include "sl_array.h"
#include "sl_callstack.h"
#include "sl_flow_check.h"

void merge_list_add(struct merge_list *list, const struct sl_elem *elems, size_t len)
{
	if (sl_array_reserve((void **)&list->elems, &list->cap, sizeof(*elems), list->len + len) < 0)
		abort();
	memcpy(list->elems + list->len, elems, len * sizeof(*elems));
	list->len += len;
}

void merge_list_release(struct merge_list *list)
{
	free(list->elems);
	*list = (struct merge_list){ 0 };
}

/* ------------------------------------------------------------------------------------------------------- elements */

static bool in_symbol(const struct sl_image *image, uint32_t core, const struct sl_elem *range, uint32_t id)
{
	struct sl_symbol_range symbol = sl_image_symbol_at(image, core, range->range.start);

	return symbol.id == id && range->range.start < range->range.end && range->range.end <= symbol.end;
}

/* Whether what comes behind it may be added to it: it was left by a direct branch without link, or behind its end. */
static bool goes_on(const struct sl_elem *range, const struct sl_elem *next)
{
	bool branches = sl_elem_last(range) == SL_LAST_BRANCH || sl_elem_last(range) == SL_LAST_INDIRECT;

	if (branches && range->flags & SL_FLAG_EXECUTED)
		return sl_elem_last(range) == SL_LAST_BRANCH && sl_elem_branch(range) == SL_BRANCH_PLAIN;
	return range->range.end == next->range.start;
}

/* The ranges of plain from first on that merged stands for; 0 where it does not. */
static size_t stands_for(const struct sl_image *image, uint32_t core, const struct sl_elem *first, size_t len,
			 const struct sl_elem *merged)
{
	uint32_t id = sl_image_symbol_at(image, core, first->range.start).id;
	uint64_t sum = 0;
	struct sl_elem last;
	size_t n = 0;

	for (; n < len && sum < merged->count; n++) {
		if (first[n].kind != SL_ELEM_RANGE || !in_symbol(image, core, &first[n], id) || first[n].isa != merged->isa ||
		    (n && !goes_on(&first[n - 1], &first[n])))
			return 0;
		sum += first[n].count;
	}
	if (!id || n < 2 || first->range.start != merged->range.start || first->offset != merged->offset)
		return 0;
	last = first[n - 1];
	last.offset = merged->offset;
	last.range.start = merged->range.start;
	last.count = (uint32_t)sum;
	last.flags |= SL_FLAG_MERGED;
	return sl_elem_same(&last, merged) ? n : 0;
}

static bool is_merged(const struct sl_elem *elem)
{
	return elem->kind == SL_ELEM_RANGE && elem->flags & SL_FLAG_MERGED;
}

/* OpenCSD leaves the master of a message undefined before the lane names one. */
static bool same_elem(const struct sl_elem *a, const struct sl_elem *b)
{
	if (a->kind == SL_ELEM_MESSAGE && b->kind == SL_ELEM_MESSAGE)
		return a->offset == b->offset && a->count == b->count;
	return sl_elem_same(a, b);
}

static bool same_elements(const struct sl_image *image, uint32_t core, const struct merge_list *plain,
			  const struct merge_list *merged, char *ret, size_t cap)
{
	size_t at = 0;

	for (size_t i = 0; i < merged->len; i++) {
		const struct sl_elem *e = &merged->elems[i];
		size_t n = at < plain->len && !is_merged(e) && same_elem(&plain->elems[at], e);
		char text[2][200] = { "end", "" };

		if (e->kind == SL_ELEM_SPACE)
			core = e->count;
		if (is_merged(e))
			n = stands_for(image, core, plain->elems + at, plain->len - at, e);
		if (n) {
			at += n;
			continue;
		}
		if (at < plain->len)
			elem_text(&plain->elems[at], text[0], sizeof(text[0]));
		elem_text(e, text[1], sizeof(text[1]));
		snprintf(ret, cap, "element %zu: '%s', merged %zu: '%s' flags %x", at, text[0], i, text[1], e->flags);
		return false;
	}
	snprintf(ret, cap, "%zu elements, %zu of them and %" PRIu64 " more merged", plain->len, merged->len, merged->merged);
	return at == plain->len && merged->len + merged->merged == plain->len;
}

/* ----------------------------------------------------------------------------------------------------- flow check */

static struct sl_flow_check check_of(const struct merge_list *list)
{
	struct sl_flow_check check = { .ranges = list->merged };

	for (size_t i = 0; i < list->len; i++)
		sl_flow_check_elem(&check, &list->elems[i]);
	return check;
}

static bool same_check(const struct merge_list *plain, const struct merge_list *merged, char *ret, size_t cap)
{
	struct sl_flow_check a = check_of(plain), b = check_of(merged);

	snprintf(ret, cap, "%" PRIu64 " and %" PRIu64 " breaks of %" PRIu64 " and %" PRIu64 " ranges, or where they are", a.breaks,
		 b.breaks, a.ranges, b.ranges);
	return a.ranges == b.ranges && a.breaks == b.breaks && a.break_address == b.break_address &&
	       a.break_offset == b.break_offset && a.last_address == b.last_address && a.kernel_breaks == b.kernel_breaks &&
	       a.kernel_address == b.kernel_address && a.kernel_offset == b.kernel_offset && a.runaways == b.runaways &&
	       a.runaway_offset == b.runaway_offset && a.known == b.known && (!a.known || a.follows == b.follows);
}

/* ---------------------------------------------------------------------------------------------------------- calls */

/* All that was told, as a number: the n-th call is told the same where the numbers are up to there. */
struct told {
	uint64_t *sums;
	size_t len, cap;
	char last[300]; /* the text of call number stop */
	size_t stop;
};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t len)
{
	const uint8_t *b = bytes;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ b[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_axes(uint64_t hash, const struct sl_axes *axes)
{
	return axes ? hash_bytes(hash, axes, sizeof(*axes)) : hash;
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct told *told = ctx;
	uint64_t hash = told->len ? told->sums[told->len - 1] : 1;
	char text[300];

	snprintf(text, sizeof(text),
		 "kind %d flags %x symbol %u caller %u depth %u number %u recursive %d offset %" PRIu64 " to %" PRIu64 " address %" PRIx64,
		 (int)call->kind, call->flags, call->symbol, call->caller, call->depth, call->number, call->recursive, call->offset,
		 call->leave_offset, call->address);
	hash = hash_bytes(hash, text, strlen(text));
	hash = hash_axes(hash_axes(hash_axes(hash_axes(hash, call->enter), call->leave), call->total), call->self);
	hash = hash_bytes(hash, call->context, sizeof(*call->context));
	if (told->len == told->stop)
		snprintf(told->last, sizeof(told->last), "%s", text);
	if (SL_ARRAY_PUSH(&told->sums, &told->len, &told->cap, hash) < 0)
		abort();
}

static void tell(const struct sl_image *image, uint32_t core, const struct merge_list *list, struct told *told,
		 struct sl_account *ret)
{
	const struct sl_callstack_options options = { .image = image, .core = core, .call = on_call, .ctx = told };
	struct sl_callstack *cs;

	told->len = 0;
	if (sl_callstack_new(&options, &cs) < 0 || sl_callstack_feed(cs, list->elems, list->len) < 0 || sl_callstack_finish(cs) < 0)
		abort();
	*ret = *sl_callstack_account(cs);
	sl_callstack_free(cs);
}

static bool same_calls(const struct sl_image *image, uint32_t core, const struct merge_list *plain,
		       const struct merge_list *merged, char *ret, size_t cap)
{
	struct told told[2] = { { .stop = SIZE_MAX }, { .stop = SIZE_MAX } };
	struct sl_account accounts[2];
	size_t n = 0;
	bool same;

	tell(image, core, plain, &told[0], &accounts[0]);
	tell(image, core, merged, &told[1], &accounts[1]);
	while (n < told[0].len && n < told[1].len && told[0].sums[n] == told[1].sums[n])
		n++;
	same = n == told[0].len && n == told[1].len;
	if (!same) {
		told[0].stop = told[1].stop = n;
		tell(image, core, plain, &told[0], &accounts[0]);
		tell(image, core, merged, &told[1], &accounts[1]);
		snprintf(ret, cap, "call %zu of %zu and %zu: '%s', merged '%s'", n, told[0].len, told[1].len, told[0].last,
			 told[1].last);
	} else if (memcmp(&accounts[0], &accounts[1], sizeof(accounts[0])) != 0) {
		snprintf(ret, cap, "the account");
		same = false;
	}
	free(told[0].sums);
	free(told[1].sums);
	return same;
}

bool merge_same(const struct sl_image *image, uint32_t core, const struct merge_list *plain,
		const struct merge_list *merged, char *ret, size_t cap)
{
	return same_elements(image, core, plain, merged, ret, cap) && same_check(plain, merged, ret, cap) &&
	       same_calls(image, core, plain, merged, ret, cap);
}

/* ---------------------------------------------------------------------------------------------------------- lanes */

static void drain(struct sl_decoder *dec, struct merge_list *list)
{
	struct sl_elem *elems;
	size_t len;
	int result;

	while ((result = sl_decoder_lend(dec, &elems, &len)) == SL_OK)
		merge_list_add(list, elems, len);
	if (result < 0)
		abort();
}

static void decode(const struct merge_lane *lane, bool merge, size_t piece, struct merge_list *ret)
{
	struct sl_decoder_options options = *lane->options;
	struct sl_decoder *dec;

	options.engine = SL_ENGINE_FAST;
	options.merge = merge;
	if (sl_decoder_new(lane->config, &options, &dec, NULL) < 0)
		abort();
	for (size_t at = 0, n; at < lane->bytes.len; at += n) {
		n = lane->bytes.len - at < piece ? lane->bytes.len - at : piece;
		if (at < lane->restart_at && n > lane->restart_at - at)
			n = lane->restart_at - at;
		if (at && at == lane->restart_at)
			sl_decoder_restart(dec);
		sl_decoder_feed(dec, (struct sl_bytes){ lane->bytes.data + at, n, lane->bytes.offset + at });
		drain(dec, ret);
	}
	sl_decoder_finish(dec);
	drain(dec, ret);
	ret->merged = sl_decoder_merged(dec);
	sl_decoder_free(dec);
}

bool merge_lane(struct merge_lane *lane, char *ret, size_t cap)
{
	struct merge_list plain = { 0 }, merged = { 0 };
	bool same;

	decode(lane, false, SIZE_MAX, &plain);
	decode(lane, true, lane->piece ? lane->piece : SIZE_MAX, &merged);
	same = !plain.merged && merge_same(lane->options->image, lane->options->core, &plain, &merged, ret, cap);
	lane->merged += merged.merged;
	merge_list_release(&plain);
	merge_list_release(&merged);
	return same;
}
