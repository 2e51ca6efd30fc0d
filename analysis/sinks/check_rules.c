/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that need no second decoder. */
#include <stdlib.h>

#include "check.h"
#include "sl_array.h"

#define CHECK_UNKNOWN UINT32_MAX

static void broke(struct check_rules *rules, enum check_rule rule, const struct check_broken *how)
{
	struct check_broken *b = &rules->broken[rule];
	uint64_t count = b->count;

	if (!count)
		*b = *how;
	b->count = count + 1;
}

/* The frame at a depth, as the calls tell; what lies above it is gone. */
static void set_frame(struct check_rules *rules, size_t depth, uint32_t symbol)
{
	if (sl_array_reserve((void **)&rules->entered, &rules->entered_cap, sizeof(*rules->entered), depth + 1) < 0) {
		rules->no_memory = true;
		return;
	}
	while (rules->entered_len < depth)
		rules->entered[rules->entered_len++] = CHECK_UNKNOWN;
	rules->entered[depth] = symbol;
	rules->entered_len = depth + 1;
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct check_rules *rules = ctx;

	switch (call->kind) {
	case SL_CALL_ENTER:
		set_frame(rules, call->depth, call->symbol);
		break;
	case SL_CALL_LEAVE:
		if (rules->entered_len > call->depth)
			rules->entered_len = call->depth;
		break;
	default: /* levels, gaps, another context's stack */
		rules->entered_len = 0;
		break;
	}
}

static void on_piece(void *ctx, const struct sl_elem *piece, uint32_t symbol, uint32_t depth)
{
	struct check_rules *rules = ctx;
	uint32_t core = sl_callstack_core(rules->stack);
	struct sl_symbol_range here = sl_image_symbol_at(rules->image, core, piece->range.start);
	uint32_t top = depth && depth == rules->entered_len ? rules->entered[depth - 1] : CHECK_UNKNOWN;

	if (here.id == symbol && (top == CHECK_UNKNOWN || top == symbol))
		return;
	broke(rules, CHECK_STACK, &(struct check_broken){ .offset = piece->offset, .address = piece->range.start,
							  .was = top == CHECK_UNKNOWN ? symbol : top, .is = here.id });
}

int check_rules_init(struct check_rules *rules, const struct sl_image *image, const struct sl_lane *lane,
		     struct check_broken *broken)
{
	const struct sl_callstack_options options = { .image = image, .core = lane->stream->core, .call = on_call, .ctx = rules,
						      .piece = on_piece };
	enum sl_protocol protocol = lane->stream->config.protocol;

	*rules = (struct check_rules){ .image = image, .broken = broken,
				       .timed = protocol != SL_PROTOCOL_STM && protocol != SL_PROTOCOL_ITM };
	return sl_callstack_new(&options, &rules->stack);
}

/* 0 stands for a time that is not known (IHI 0064H 6.4.8). */
static void check_time(struct check_rules *rules, const struct sl_elem *e)
{
	if (!e->value)
		return;
	if (e->value < rules->last_tick)
		broke(rules, CHECK_TIME, &(struct check_broken){ .offset = e->offset, .was = rules->last_tick, .is = e->value });
	rules->last_tick = e->value;
}

int check_rules_elems(struct check_rules *rules, const struct sl_elem *elems, size_t len)
{
	int result = sl_callstack_feed(rules->stack, elems, len);

	for (size_t i = 0; i < len; i++) {
		sl_flow_check_elem(&rules->flow, &elems[i]);
		if (elems[i].kind == SL_ELEM_TIME && rules->timed)
			check_time(rules, &elems[i]);
	}
	return rules->no_memory ? SL_ERR_NOMEM : result;
}

void check_rules_finish(struct check_rules *rules)
{
	const struct sl_flow_check *flow = &rules->flow;

	rules->broken[CHECK_FLOW] = (struct check_broken){ .count = flow->breaks, .offset = flow->break_offset,
							   .address = flow->break_address };
	rules->broken[CHECK_WALK] = (struct check_broken){ .count = flow->runaways, .offset = flow->runaway_offset,
							   .address = flow->runaway_address };
}

void check_rules_release(struct check_rules *rules)
{
	sl_callstack_free(rules->stack);
	free(rules->entered);
}
