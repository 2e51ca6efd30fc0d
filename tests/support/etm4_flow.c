/* SPDX-License-Identifier: Apache-2.0 */
#include "etm4_flow.h"

#include <assert.h>
#include <string.h>

#define MAX_CYCLES 0xfffffu /* that a cycle count or a timestamp can say: TRCIDR2.CCSIZE 8, 20 bits */

void etm4_flow_init(struct etm4_flow *flow, const struct etm4_config *config,
		    const struct etm4_flow_options *options)
{
	memset(flow, 0, sizeof(*flow));
	assert(!config->commit_mode_0 && config->max_speculation == 0);
	etm4_init(&flow->w, config);
	flow->options = *options;
	if (flow->options.return_stack == 0)
		flow->options.return_stack = 3;
	assert(flow->options.return_stack <= ETM4_RETURN_STACK_MAX);
}

void etm4_flow_release(struct etm4_flow *flow)
{
	etm4_release(&flow->w);
}

static void flush_atoms(struct etm4_flow *flow)
{
	etm4_atoms(&flow->w, flow->atoms, flow->atom_count);
	flow->atoms = 0;
	flow->atom_count = 0;
}

static void add_atom(struct etm4_flow *flow, uint32_t atom)
{
	flow->atoms |= atom << flow->atom_count++;
	if (flow->atom_count == 24)
		flush_atoms(flow);
}

static uint32_t counted(const struct etm4_flow *flow)
{
	return flow->cycles > MAX_CYCLES ? MAX_CYCLES : (uint32_t)flow->cycles;
}

static void put_timestamp(struct etm4_flow *flow)
{
	if (flow->w.config.cycle_counts)
		etm4_timestamp_cycles(&flow->w, flow->now, counted(flow));
	else
		etm4_timestamp(&flow->w, flow->now);
	flow->timestamp_sent = flow->now;
}

/* A cycle count belongs to the P0 element before it, and is due once the threshold is reached. */
static void put_cycles(struct etm4_flow *flow)
{
	const struct etm4_config *config = &flow->w.config;

	if (!config->cycle_counts || !flow->after_waypoint || flow->cycles < config->cycle_threshold)
		return;
	flush_atoms(flow);
	etm4_cycles(&flow->w, 0, counted(flow));
	flow->cycles = 0;
}

static void put_address(struct etm4_flow *flow, struct etm4_address a)
{
	if (flow->context_due)
		etm4_address_context(&flow->w, a, &flow->context);
	else
		etm4_address(&flow->w, a);
	flow->context_due = false;
}

/*
 * The sync point of IHI 0064H.b 6.3: A-sync, Trace Info, [Trace On,] a timestamp, then address and context.
 * The reader's return stack is empty afterwards.
 */
static void put_sync(struct etm4_flow *flow, struct etm4_address start)
{
	const struct etm4_config *config = &flow->w.config;
	struct etm4_trace_info info = {
		.cycle_counts = config->cycle_counts,
		.cycle_threshold = config->cycle_counts ? config->cycle_threshold : 0,
	};

	flush_atoms(flow);
	if (!flow->synced || flow->on) {
		etm4_async(&flow->w);
		etm4_trace_info(&flow->w, &info);
		flow->sync_at = flow->w.len;
	}
	if (!flow->on)
		etm4_trace_on(&flow->w);
	if (config->timestamps)
		put_timestamp(flow);
	etm4_address_context(&flow->w, start, &flow->context);
	flow->synced = true;
	flow->on = true;
	flow->address_due = false;
	flow->context_due = false;
	flow->stack_len = 0;
}

static bool sync_due(const struct etm4_flow *flow)
{
	return flow->options.sync_bytes > 0 && flow->after_waypoint &&
	       flow->w.len - flow->sync_at >= flow->options.sync_bytes;
}

static bool timestamp_due(const struct etm4_flow *flow)
{
	return flow->w.config.timestamps && flow->options.timestamp_ticks > 0 && flow->after_waypoint &&
	       flow->now - flow->timestamp_sent >= flow->options.timestamp_ticks;
}

static bool same(struct etm4_address a, struct etm4_address b)
{
	return a.address == b.address && a.is == b.is;
}

/* Everything that has to be said before the instructions at start. */
static void arrive(struct etm4_flow *flow, struct etm4_address start)
{
	if (flow->on && !same(flow->next, start)) {
		flow->breaks++;
		etm4_flow_stop(flow);
	}
	put_cycles(flow);
	if (!flow->on || sync_due(flow)) {
		put_sync(flow, start);
		return;
	}
	if (flow->address_due) {
		flush_atoms(flow);
		put_address(flow, start);
		flow->address_due = false;
	} else if (flow->context_due) {
		flush_atoms(flow);
		etm4_context(&flow->w, &flow->context);
		flow->context_due = false;
	}
	if (timestamp_due(flow)) {
		flush_atoms(flow);
		put_timestamp(flow);
	}
}

static void push_return(struct etm4_flow *flow, struct etm4_address a)
{
	if (!flow->w.config.return_stack)
		return;
	if (flow->stack_len == flow->options.return_stack)
		memmove(flow->stack, flow->stack + 1, --flow->stack_len * sizeof(flow->stack[0]));
	flow->stack[flow->stack_len++] = a;
}

/* True where the reader finds the target on its return stack, so that no address is needed. */
static bool pop_return(struct etm4_flow *flow, struct etm4_address target)
{
	if (flow->stack_len == 0 || !same(flow->stack[flow->stack_len - 1], target))
		return false;
	flow->stack_len--;
	return true;
}

static void end_block(struct etm4_flow *flow, const struct etm4_block *block)
{
	struct etm4_address after = { block->end, block->is };
	struct etm4_address target = { block->target, block->target_is };
	bool link = block->how == ETM4_END_CALL || block->how == ETM4_END_INDIRECT_CALL;
	bool indirect = block->how == ETM4_END_INDIRECT || block->how == ETM4_END_INDIRECT_CALL ||
			block->how == ETM4_END_EXCEPTION_RETURN;
	bool stays = block->how == ETM4_END_NONE || block->how == ETM4_END_NOT_TAKEN ||
		     block->how == ETM4_END_BARRIER;

	flow->next = stays ? after : target;
	flow->after_waypoint = block->how != ETM4_END_NONE;
	if (block->how == ETM4_END_NONE)
		return;
	add_atom(flow, block->how != ETM4_END_NOT_TAKEN);
	if (block->how == ETM4_END_EXCEPTION_RETURN && !flow->w.config.ete) {
		flush_atoms(flow);
		etm4_exception_return(&flow->w);
	}
	flow->address_due = indirect && !(block->how == ETM4_END_INDIRECT && pop_return(flow, target));
	if (link)
		push_return(flow, after);
}

void etm4_flow_block(struct etm4_flow *flow, const struct etm4_block *block)
{
	arrive(flow, (struct etm4_address){ block->start, block->is });
	flow->cycles += block->cycles;
	end_block(flow, block);
}

static bool same_context(const struct etm4_context *a, const struct etm4_context *b)
{
	return a->el == b->el && a->security == b->security && a->is64 == b->is64 &&
	       a->context_id == b->context_id && a->vmid == b->vmid;
}

void etm4_flow_context(struct etm4_flow *flow, const struct etm4_context *context)
{
	if (same_context(&flow->context, context))
		return;
	flow->context = *context;
	flow->context_due = flow->on;
}

void etm4_flow_time(struct etm4_flow *flow, uint64_t ticks)
{
	assert(ticks >= flow->now);
	flow->now = ticks;
}

void etm4_flow_cycles(struct etm4_flow *flow, uint64_t cycles)
{
	flow->cycles += cycles;
}

/*
 * Exception packet, then its preferred return address. Where that is the target of an indirect branch whose
 * address was not yet sent, the one address says both (E1:E0 10). With a return stack both are sent, since
 * OpenCSD 1.3.3 takes an entry off its stack when it reads that form.
 */
void etm4_flow_exception(struct etm4_flow *flow, unsigned type, struct etm4_address preferred_return,
			 struct etm4_address target)
{
	enum etm4_exception_form form = ETM4_RETURN_ADDRESS;

	put_cycles(flow);
	if (flow->on && flow->address_due && !flow->w.config.return_stack &&
	    same(flow->next, preferred_return))
		form = ETM4_BRANCH_TARGET;
	else if (!flow->on || flow->address_due || flow->context_due)
		arrive(flow, flow->on ? flow->next : preferred_return);
	flush_atoms(flow);
	etm4_exception(&flow->w, type, form);
	put_address(flow, preferred_return);
	flow->next = target;
	flow->address_due = true;
	flow->after_waypoint = true;
}

void etm4_flow_stop(struct etm4_flow *flow)
{
	flush_atoms(flow);
	flow->on = false;
	flow->address_due = false;
	flow->context_due = false;
	flow->after_waypoint = false;
}

void etm4_flow_overflow(struct etm4_flow *flow)
{
	flow->atoms = 0;
	flow->atom_count = 0;
	etm4_flow_stop(flow);
	flow->synced = false;
	flow->cycles = 0;
	etm4_overflow(&flow->w);
}

void etm4_flow_finish(struct etm4_flow *flow)
{
	if (flow->on && !flow->after_waypoint)
		etm4_flow_exception(flow, ETM4_DEBUG_HALT, flow->next, flow->next);
	put_cycles(flow);
	if (flow->on && flow->address_due) {
		flush_atoms(flow);
		put_address(flow, flow->next);
		flow->address_due = false;
	}
	flush_atoms(flow);
	if (flow->on && flow->w.config.timestamps)
		put_timestamp(flow);
}
