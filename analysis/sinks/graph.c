/* SPDX-License-Identifier: Apache-2.0 */
/* graph: calls at the nodes of their paths. */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "levels.h"
#include "sl_array.h"
#include "sl_span.h"

static struct graph_stack *add_stacks(struct sl_graph *graph, uint32_t number)
{
	size_t need = (size_t)number + 1;

	if (sl_array_reserve((void **)&graph->stacks, &graph->stack_cap, sizeof(*graph->stacks), need) < 0)
		return NULL;
	for (; graph->stack_count < need; graph->stack_count++)
		graph->stacks[graph->stack_count] = (struct graph_stack){ .base = GRAPH_NONE };
	return &graph->stacks[number];
}

/* Of a task; NULL when out of memory. */
static struct graph_stack *stack_of(struct sl_graph *graph, uint32_t number)
{
	struct graph_stack *stack = number < graph->stack_count ? &graph->stacks[number] : add_stacks(graph, number);

	if (!stack || stack->base != GRAPH_NONE)
		return stack;
	stack->base = graph->options.by_task ? graph_child(&graph->tree, 0, GRAPH_TASK, number) : 0;
	if (stack->base == GRAPH_NONE)
		stack->base = 0;
	return stack;
}

bool graph_is_apart(enum sl_graph_levels levels, enum sl_level level)
{
	if (levels != SL_GRAPH_LEVELS_ASKED)
		return levels == SL_GRAPH_LEVELS_APART;
	return level_interrupts(level);
}

static bool is_apart(const struct sl_graph *graph, enum graph_kind kind, uint32_t id)
{
	return kind == GRAPH_LEVEL && graph_is_apart(graph->options.levels, (enum sl_level)(id >> 16));
}

static struct graph_frame no_frame(const struct graph_stack *stack)
{
	return (struct graph_frame){ .kind = GRAPH_KINDS, .node = stack->base };
}

/* Cuts a stack to depth, or fills it up to there with frames of which nothing is known. */
static int set_depth(struct graph_stack *stack, uint32_t depth)
{
	int result = SL_OK;

	if (stack->len > depth)
		stack->len = depth;
	while (stack->len < depth && result == SL_OK)
		result = SL_ARRAY_PUSH(&stack->frames, &stack->len, &stack->cap, no_frame(stack));
	return result;
}

static struct graph_frame frame_at(struct sl_graph *graph, const struct graph_stack *stack, enum graph_kind kind, uint32_t id)
{
	struct graph_frame frame = { .kind = (uint8_t)kind, .id = id, .node = stack->base };
	const struct graph_frame *below = stack->len ? &stack->frames[stack->len - 1] : NULL;

	if (below && !is_apart(graph, kind, id)) {
		frame.node = below->node;
		frame.beyond = below->beyond;
	}
	if (!frame.beyond) {
		uint32_t node = graph_child(&graph->tree, frame.node, kind, id);

		frame.beyond = node == GRAPH_NONE;
		frame.node = frame.beyond ? frame.node : node;
	}
	return frame;
}

/* The frame that a call enters; NULL when out of memory. */
static struct graph_frame *enter(struct sl_graph *graph, const struct sl_call *call, enum graph_kind kind, uint32_t id)
{
	struct graph_stack *stack = stack_of(graph, call->stack);
	struct graph_frame frame;
	struct graph_node *node;

	if (!stack || set_depth(stack, call->depth) < 0)
		goto no_memory;
	frame = frame_at(graph, stack, kind, id);
	if (SL_ARRAY_PUSH(&stack->frames, &stack->len, &stack->cap, frame) < 0)
		goto no_memory;
	node = &graph->tree.nodes[frame.node];
	if (!frame.beyond && node->entry == UINT64_MAX) {
		node->entry = graph->entries;
		node->first_offset = call->offset;
	}
	graph->entries++;
	return &stack->frames[stack->len - 1];
no_memory:
	graph->no_memory = true;
	return NULL;
}

/* The frame that a call leaves; made where its entry was not told. */
static struct graph_frame *left(struct sl_graph *graph, const struct sl_call *call, enum graph_kind kind, uint32_t id)
{
	struct graph_stack *stack = stack_of(graph, call->stack);

	if (stack && stack->len > call->depth) {
		struct graph_frame *frame = &stack->frames[call->depth];

		if (frame->kind == kind && frame->id == id)
			return frame;
	}
	return enter(graph, call, kind, id);
}

static void count(struct sl_graph *graph, const struct graph_frame *frame, const struct sl_call *call,
		  const struct sl_axes *inclusive)
{
	struct graph_node *node = &graph->tree.nodes[frame->node];
	unsigned lacks = call->flags & GRAPH_LACKS;

	if (frame->beyond) {
		graph->beyond++;
		sl_axes_add(&node->beyond, *call->self);
		return;
	}
	node->calls[lacks]++;
	sl_axes_add(&node->self, *call->self);
	if (!lacks)
		graph_spread_add(&graph->tree, &node->spread, inclusive, call->offset);
}

static void leave(struct sl_graph *graph, const struct sl_call *call, enum graph_kind kind, uint32_t id, bool counts)
{
	struct graph_frame *frame = left(graph, call, kind, id);
	struct sl_axes inclusive = *call->self;
	struct graph_stack *stack;

	if (!frame)
		return;
	sl_axes_add(&inclusive, frame->inside);
	if (counts)
		count(graph, frame, call, &inclusive);
	stack = &graph->stacks[call->stack];
	stack->len = call->depth;
	if (stack->len && !is_apart(graph, kind, id))
		sl_axes_add(&stack->frames[stack->len - 1].inside, inclusive);
}

void graph_call(struct sl_graph *graph, const struct sl_call *call, bool counts)
{
	if (tasks_see(&graph->tasks, call) < 0)
		graph->no_memory = true;
	switch (call->kind) {
	case SL_CALL_ENTER:
		enter(graph, call, GRAPH_FUNCTION, call->symbol);
		break;
	case SL_CALL_LEVEL:
		enter(graph, call, GRAPH_LEVEL, GRAPH_LEVEL_ID(call->level, call->number));
		break;
	case SL_CALL_LEAVE:
		leave(graph, call, GRAPH_FUNCTION, call->symbol, counts);
		break;
	case SL_CALL_RESUME:
		leave(graph, call, GRAPH_LEVEL, GRAPH_LEVEL_ID(call->level, call->number), counts);
		break;
	default:
		break;
	}
}

static void on_call(void *self, const struct sl_call *call)
{
	struct sl_graph *graph = self;

	graph_call(graph, call, !graph->options.sieve || sl_sieve_call(graph->options.sieve, call));
}

static int on_end(void *self, const struct sl_lane *lane)
{
	const struct sl_graph *graph = self;

	(void)lane;
	return graph->no_memory || graph->tree.no_memory ? SL_ERR_NOMEM : SL_OK;
}

/*
 * Histograms take memory: they are kept on the axis that is shown, as far as the registers tell it before the run, and on that
 * of instructions, which is always there.
 */
static unsigned percentile_axes(const struct sl_graph_options *options)
{
	const struct sl_stream *streams;
	size_t count = options->capture ? sl_capture_streams(options->capture, &streams) : 0;
	unsigned axes = 0;

	for (size_t i = 0; i < count; i++)
		axes |= 1u << axis_promised(options->axis, &streams[i].config, options->timestamp_hz);
	return axes | 1u << SL_AXIS_INSNS;
}

int sl_graph_new(const struct sl_graph_options *options, struct sl_graph **ret)
{
	struct sl_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return SL_ERR_NOMEM;
	graph->options = *options;
	if (graph_tree_init(&graph->tree, options->node_max, percentile_axes(options)) < 0) {
		sl_graph_free(graph);
		return SL_ERR_NOMEM;
	}
	*ret = graph;
	return SL_OK;
}

void sl_graph_free(struct sl_graph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->stack_count; i++)
		free(graph->stacks[i].frames);
	free(graph->stacks);
	graph_tree_release(&graph->tree);
	tasks_release(&graph->tasks);
	free(graph);
}

void sl_graph_call_sink(struct sl_graph *graph, struct sl_call_sink *ret)
{
	static const struct sl_call_sink_ops ops = {
		.name = "graph", .call = on_call, .end = on_end, .untold = 1u << SL_CALL_GAP | 1u << SL_CALL_REPAIR,
	};

	*ret = (struct sl_call_sink){ &ops, graph };
}

uint64_t sl_graph_beyond(const struct sl_graph *graph)
{
	return graph->beyond;
}

uint64_t sl_graph_folded(const struct sl_graph *graph)
{
	return graph->tree.folded;
}
