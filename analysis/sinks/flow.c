/* SPDX-License-Identifier: Apache-2.0 */
/* flow: calls, levels and gaps in order, and with insn each instruction. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ahead.h"
#include "axis.h"
#include "outputs.h"
#include "sl_insn.h"

struct sl_flow {
	struct sl_outputs *outs;
	struct sl_flow_options options;
};

struct shard {
	const struct sl_flow *flow;
	const struct sl_lane *lane;
	struct lane_out out;
	struct sl_callstack *callstack;
	struct ahead ahead;
	struct sl_disasm *disasm;
	struct sl_lines *lines;
	enum sl_axis axis;
	/* The outermost call that the filter lets through: its depth (UINT32_MAX: none is open) and its context. */
	uint32_t root_depth;
	struct sl_context root_context;
	struct sl_context context;  /* that runs now */
};

static void give(struct shard *shard, const struct sl_span *span)
{
	shard->out.spans.ops->step(shard->out.spans.out, span);
}

static bool matches(const char *glob, const char *name)
{
	return !glob || fnmatch(glob, name, 0) == 0;
}

static const char *module_of(const struct sl_flow *flow, uint32_t symbol)
{
	if (!symbol)
		return NULL;
	return sl_image_module(flow->options.image, sl_image_symbol(flow->options.image, symbol)->module)->name;
}

static bool is_root(const struct sl_flow *flow, uint32_t symbol)
{
	const char *module = module_of(flow, symbol);

	return matches(flow->options.filter.function, sl_image_symbol(flow->options.image, symbol)->name) &&
	       matches(flow->options.filter.module, module ? module : "");
}

static bool is_filtered(const struct shard *shard)
{
	return shard->flow->options.filter.function || shard->flow->options.filter.module;
}

static bool same_task(const struct sl_context *a, const struct sl_context *b)
{
	return a->context_id == b->context_id && a->vmid == b->vmid;
}

/* Whether something at depth is to be shown: inside of a root, in the root's task, and not too deep in it. */
static bool shown(const struct shard *shard, uint32_t depth, const struct sl_context *context)
{
	uint32_t limit = shard->flow->options.filter.depth;

	if (shard->root_depth == UINT32_MAX || depth < shard->root_depth)
		return false;
	if (is_filtered(shard) && !same_task(context, &shard->root_context))
		return false;
	return !limit || depth - shard->root_depth < limit;
}

static uint64_t on_axis(const struct shard *shard, const struct sl_axes *axes)
{
	return axis_value(shard->axis, axes->v[shard->axis], shard->flow->options.timestamp_hz);
}

static void on_enter(struct shard *shard, const struct sl_call *call, struct sl_span *span)
{
	if (shard->root_depth == UINT32_MAX && is_root(shard->flow, call->symbol)) {
		shard->root_depth = call->depth;
		shard->root_context = *call->context;
	}
	span->kind = SL_SPAN_ENTER;
	if (shown(shard, call->depth, call->context))
		give(shard, span);
}

static void on_leave(struct shard *shard, const struct sl_call *call, struct sl_span *span)
{
	span->kind = SL_SPAN_LEAVE;
	span->offset = call->leave_offset;
	span->at = on_axis(shard, call->leave);
	span->duration = on_axis(shard, call->total);
	span->self = on_axis(shard, call->self);
	if (shown(shard, call->depth, call->context))
		give(shard, span);
	if (is_filtered(shard) && call->depth <= shard->root_depth && same_task(call->context, &shard->root_context))
		shard->root_depth = UINT32_MAX;
}

static void on_level(struct shard *shard, const struct sl_call *call, struct sl_span span)
{
	char name[32];

	snprintf(name, sizeof(name), "exception %u", call->number);
	span.name = name;
	span.kind = SL_SPAN_LEVEL;
	if (call->kind == SL_CALL_RESUME) {
		span.kind = SL_SPAN_RESUME;
		span.offset = call->leave_offset;
		span.at = on_axis(shard, call->leave);
		span.duration = on_axis(shard, call->total);
		span.self = on_axis(shard, call->self);
	}
	if (shown(shard, call->depth, call->context))
		give(shard, &span);
}

static void on_context(struct shard *shard, const struct sl_call *call, struct sl_span span)
{
	char name[64];

	snprintf(name, sizeof(name), "context 0x%" PRIx32 " vmid 0x%" PRIx32, call->context->context_id,
		 call->context->vmid);
	span.kind = SL_SPAN_NOTE;
	span.name = name;
	if (!is_filtered(shard))
		give(shard, &span);
}

static void on_call(void *ctx, const struct sl_call *call)
{
	struct shard *shard = ctx;
	struct sl_span span = { .flags = call->flags & ~(unsigned)SL_SPAN_POINTER, .offset = call->offset, .at = on_axis(shard, call->enter),
				.address = call->address };

	shard->context = *call->context;
	span.depth = shard->root_depth != UINT32_MAX && call->depth > shard->root_depth
			     ? call->depth - shard->root_depth
			     : 0;
	if (call->kind == SL_CALL_ENTER || call->kind == SL_CALL_LEAVE) {
		span.name = sl_image_symbol(shard->flow->options.image, call->symbol)->name;
		span.module = module_of(shard->flow, call->symbol);
	}
	switch (call->kind) {
	case SL_CALL_ENTER:
		on_enter(shard, call, &span);
		break;
	case SL_CALL_LEAVE:
		on_leave(shard, call, &span);
		break;
	case SL_CALL_LEVEL:
	case SL_CALL_RESUME:
		on_level(shard, call, span);
		break;
	case SL_CALL_GAP:
		span.kind = SL_SPAN_GAP;
		span.name = sl_gap_name(call->number);
		if (shown(shard, call->depth, call->context) || !is_filtered(shard))
			give(shard, &span);
		break;
	case SL_CALL_CONTEXT:
		on_context(shard, call, span);
		break;
	case SL_CALL_REPAIR:
		break;
	}
}

static void instruction(struct shard *shard, enum sl_isa isa, uint64_t address, struct sl_bytes code,
			struct sl_span *span)
{
	char text[128];

	sl_disasm_one(shard->disasm, isa, code, address, text, sizeof(text));
	span->address = address;
	span->text = text;
	span->file = NULL;
	span->line = 0;
	sl_lines_at(shard->lines, sl_callstack_core(shard->callstack), address, &span->file, &span->line);
	give(shard, span);
}

static void on_piece(void *ctx, const struct sl_elem *range, uint32_t symbol, uint32_t depth)
{
	struct shard *shard = ctx;
	struct sl_span span = { .kind = SL_SPAN_INSN, .offset = range->offset, .depth = depth };
	uint64_t at = range->range.start;
	struct sl_fused now;

	(void)symbol;
	if (!depth || !shown(shard, depth - 1, &shard->context))
		return;
	span.depth = depth - shard->root_depth;
	now = sl_callstack_now(shard->callstack, 0);
	span.at = on_axis(shard, &now.at);
	while (at < range->range.end) {
		struct sl_bytes code = sl_image_bytes(shard->flow->options.image, sl_callstack_core(shard->callstack),
						      SL_SPACE_ANY, at);
		unsigned size = sl_insn_size((enum sl_isa)range->isa, code);

		instruction(shard, range->isa, at, code, &span);
		at += size;
	}
}

static void drop(void *self)
{
	struct shard *shard = self;

	lane_out_drop(&shard->out);
	sl_callstack_free(shard->callstack);
	ahead_release(&shard->ahead);
	sl_disasm_free(shard->disasm);
	sl_lines_free(shard->lines);
	free(shard);
}

static int open_shard(struct sl_flow *flow, struct shard *shard)
{
	struct sl_callstack_options options = { .image = flow->options.image, .core = shard->lane->stream->core,
						.config = &shard->lane->stream->config, .call = on_call, .ctx = shard,
						.cycles_are_time = shard->lane->cycles_are_time };
	int result;

	if (flow->options.insn) {
		options.piece = on_piece;
		result = sl_disasm_new(&shard->disasm);
		if (result == SL_OK)
			result = sl_lines_new(flow->options.image, &shard->lines);
		if (result < 0)
			return result;
	}
	result = sl_callstack_new(&options, &shard->callstack);
	if (result < 0)
		return result;
	return lane_out_open(flow->outs, LANE_OUT_SPANS, &shard->out);
}

static int begin(void *self, const struct sl_lane *lane, void **ret)
{
	struct sl_flow *flow = self;
	struct shard *shard = calloc(1, sizeof(*shard));
	char label[192];
	int result;

	if (!shard)
		return SL_ERR_NOMEM;
	shard->flow = flow;
	shard->lane = lane;
	shard->root_depth = is_filtered(shard) ? UINT32_MAX : 0;
	shard->axis = axis_promised(flow->options.axis, &lane->stream->config, flow->options.timestamp_hz);
	result = open_shard(flow, shard);
	if (result < 0) {
		drop(shard);
		return result;
	}
	snprintf(label, sizeof(label), "%s id 0x%02x %s %s", lane->buffer->name, lane->stream->trace_id,
		 lane->stream->name, lane->stream->core_name ? lane->stream->core_name : "");
	shard->out.spans.ops->begin(shard->out.spans.out, label, axis_unit(shard->axis));
	*ret = shard;
	return SL_OK;
}

static int elems(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;

	return ahead_feed(&shard->ahead, shard->callstack, elems, len);
}

static int end(void *self, void *shard_self, const struct sl_lane *lane)
{
	struct sl_flow *flow = self;
	struct shard *shard = shard_self;
	int result = ahead_finish(&shard->ahead, shard->callstack), closed;

	(void)lane;
	if (result == SL_OK)
		result = sl_callstack_finish(shard->callstack);
	shard->out.spans.ops->end(shard->out.spans.out);
	closed = lane_out_close(flow->outs, &shard->out);
	drop(shard);
	return result < 0 ? result : closed;
}

int sl_flow_new(struct sl_outputs *outs, const struct sl_flow_options *options, struct sl_flow **ret)
{
	struct sl_flow *flow = calloc(1, sizeof(*flow));

	if (!flow)
		return SL_ERR_NOMEM;
	flow->outs = outs;
	flow->options = *options;
	*ret = flow;
	return SL_OK;
}

void sl_flow_free(struct sl_flow *flow)
{
	free(flow);
}

void sl_flow_sink(struct sl_flow *flow, struct sl_sink *ret)
{
	static const struct sl_sink_ops calls = { .name = "flow", .wants_trusted = true, .begin = begin, .elems = elems, .end = end,
						  .drop = drop };
	static const struct sl_sink_ops insns = { .name = "flow", .wants_ranges = true, .wants_trusted = true, .begin = begin,
						  .elems = elems, .end = end, .drop = drop };

	*ret = (struct sl_sink){ flow->options.insn ? &insns : &calls, flow };
}
