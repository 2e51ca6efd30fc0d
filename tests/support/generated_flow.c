/* SPDX-License-Identifier: Apache-2.0 */
#include "generated_flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_text.h"
#include "sl_array.h"

enum { LATE_INSNS = 100 };

void flow_init(struct flow *flow, const struct flow_view *view)
{
	memset(flow, 0, sizeof(*flow));
	flow->view = *view;
}

void flow_release(struct flow *flow)
{
	free(flow->steps);
	free(flow->times);
}

static void add_step(struct flow *flow, const struct flow_step *step)
{
	struct flow_step *last = flow->len ? &flow->steps[flow->len - 1] : NULL;

	if (step->kind == FLOW_CUT && (!last || last->kind == FLOW_CUT))
		return;
	if (last && step->kind == FLOW_RUN && last->kind == FLOW_RUN && last->end == step->start &&
	    last->isa == step->isa && memcmp(&last->context, &step->context, sizeof(step->context)) == 0) {
		last->end = step->end;
		last->count += step->count;
		return;
	}
	if (SL_ARRAY_PUSH(&flow->steps, &flow->len, &flow->cap, *step) < 0)
		abort();
}

static void add_time(struct flow *flow, uint64_t ticks)
{
	struct flow_time time = { flow->insns, ticks };

	if (SL_ARRAY_PUSH(&flow->times, &flow->times_len, &flow->times_cap, time) < 0)
		abort();
}

static void set_context(struct flow *flow, const struct gen_context *c)
{
	const struct flow_view *view = &flow->view;

	flow->context = (struct sl_context){
		.context_id = view->context_id ? c->context_id : 0,
		.vmid = view->vmid ? c->vmid : 0,
		.el = view->el ? c->el : 0,
		.security = c->security,
		.flags = (uint8_t)((view->context_id ? SL_CTX_ID : 0) | (view->vmid ? SL_CTX_VMID : 0) |
				   (view->el ? SL_CTX_EL : 0) | (view->bits64 ? SL_CTX_64BIT : 0)),
	};
}

void flow_add_event(struct flow *flow, const struct gen_event *event, bool lost)
{
	static const enum sl_isa isas[] = { SL_ISA_A64, SL_ISA_A32, SL_ISA_T32, SL_ISA_X86_64 };
	const struct gen_run *run = &event->run;
	const struct gen_exception *e = &event->exception;

	add_time(flow, event->time_ns);
	if (event->kind == GEN_CONTEXT)
		set_context(flow, &event->context);
	else if (lost || event->kind == GEN_GAP)
		add_step(flow, &(struct flow_step){ .kind = FLOW_CUT });
	else if (event->kind == GEN_RUN)
		add_step(flow, &(struct flow_step){ FLOW_RUN, run->start, run->end, run->insns,
						    isas[run->isa], flow->context });
	else if (event->kind == GEN_EXCEPTION)
		add_step(flow, &(struct flow_step){ FLOW_EXCEPTION,
						    e->preferred_return,
						    1,
						    flow->view.exception_numbers[e->type],
						    SL_ISA_UNKNOWN,
						    { 0 } });
	if (event->kind == GEN_RUN) {
		flow->insns += lost ? 0 : run->insns;
		flow->cycles += run->cycles;
	}
	if (event->kind == GEN_EXCEPTION)
		flow->cycles += e->cycles;
}

/* Far transfers of the program's own are runs; and where one leads to is not told where tracing ends with it. */
static void add_exception(struct flow *flow, const struct sl_elem *elem)
{
	bool known = elem->flags & SL_FLAG_ADDRESS;

	if (flow->view.x86 && elem->count != SL_X86_UNKNOWN)
		return;
	add_step(flow, &(struct flow_step){ FLOW_EXCEPTION, elem->address, known, flow->view.x86 ? 0 : elem->count,
					    SL_ISA_UNKNOWN, { 0 } });
}

void flow_drop_exception(struct flow *flow)
{
	if (flow->len > 0 && flow->steps[flow->len - 1].kind == FLOW_EXCEPTION)
		flow->len--;
}

static void add_gap(struct flow *flow, const struct sl_elem *elem)
{
	add_step(flow, &(struct flow_step){ .kind = FLOW_CUT });
	if (elem->count <= SL_GAP_LOST_SYNC || flow->bad)
		return;
	flow->bad = true;
	elem_text(elem, flow->text, sizeof(flow->text));
}

void flow_add_elem(struct flow *flow, const struct sl_elem *elem)
{
	switch (elem->kind) {
	case SL_ELEM_RANGE:
		add_step(flow, &(struct flow_step){ FLOW_RUN, elem->range.start, elem->range.end, elem->count,
						    elem->isa, flow->context });
		flow->insns += elem->count;
		break;
	case SL_ELEM_EXCEPTION:
		add_exception(flow, elem);
		break;
	case SL_ELEM_CONTEXT:
		flow->context = elem->context;
		break;
	case SL_ELEM_TIME:
		add_time(flow, elem->value);
		break;
	case SL_ELEM_CYCLES:
		if (!flow->after_time || !(elem->flags & SL_FLAG_ATTACHED) || flow->view.counts_timestamps)
			flow->cycles += elem->count;
		break;
	case SL_ELEM_GAP:
		add_gap(flow, elem);
		break;
	default:
		break;
	}
	flow->after_time = elem->kind == SL_ELEM_TIME;
}

static bool same_step(const struct flow_step *a, const struct flow_step *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == FLOW_CUT)
		return true;
	if (a->kind == FLOW_EXCEPTION)
		return a->count == b->count && (!a->end || !b->end || a->start == b->start);
	return a->start == b->start && a->end == b->end && a->count == b->count && a->isa == b->isa &&
	       memcmp(&a->context, &b->context, sizeof(a->context)) == 0;
}

static void print_step(const char *who, const struct flow *flow, size_t i)
{
	static const char *const kinds[] = { "run", "exception", "cut" };
	const struct flow_step *s = i < flow->len ? &flow->steps[i] : NULL;

	if (!s)
		fprintf(stderr, "%s: end\n", who);
	else
		fprintf(stderr,
			"%s: %s %" PRIx64 "-%" PRIx64 " %" PRIu32
			" isa %d el%u sec%u id %x vmid %x flags %x\n",
			who, kinds[s->kind], s->start, s->end, s->count, (int)s->isa, s->context.el,
			s->context.security, s->context.context_id, s->context.vmid, s->context.flags);
}

static bool same_steps(const struct flow *expected, const struct flow *got, const char *what)
{
	size_t n = expected->len > got->len ? expected->len : got->len;

	if (expected->len == got->len + 1 && expected->steps[got->len].kind == FLOW_CUT)
		n--; /* nothing tells that what came last was lost */
	if (got->may_miss && got->len && got->len <= expected->len &&
	    expected->len - got->len <= got->may_miss)
		n = got->len - 1;
	for (size_t i = 0; i < n; i++) {
		if (i < expected->len && i < got->len && same_step(&expected->steps[i], &got->steps[i]))
			continue;
		fprintf(stderr, "%s: step %zu of %zu differs\n", what, i, expected->len);
		for (size_t j = i > 2 ? i - 2 : 0; j < i; j++)
			print_step("both", expected, j);
		for (size_t j = i; j < i + 3; j++) {
			print_step("expected", expected, j);
			print_step("got", got, j);
		}
		return false;
	}
	return true;
}

/* Intel PT has no packet for direct branches: those before a time are found by the next packet that tells of the flow. */
static bool is_that(const struct flow *expected, const struct flow_time *time, const struct flow_time *got)
{
	uint64_t late = time->insns - got->insns;

	return time->ticks == got->ticks && late <= (expected->view.x86 ? LATE_INSNS : 0);
}

static bool same_times(const struct flow *expected, const struct flow *got, const char *what)
{
	size_t at = 0;

	for (size_t i = 0; i < got->times_len; i++) {
		const struct flow_time *t = &got->times[i];

		while (at < expected->times_len && !is_that(expected, &expected->times[at], t))
			at++;
		if (at < expected->times_len)
			continue;
		fprintf(stderr, "%s: no event has the time %" PRIu64 " behind %" PRIu64 " instructions\n",
			what, t->ticks, t->insns);
		return false;
	}
	return true;
}

/* The first step may be the rest of one. */
static bool same_rest(const struct flow *expected, const struct flow *got, const char *what)
{
	size_t skip = expected->len - got->len, i = 1;

	if (got->len < 2 || got->len > expected->len) {
		fprintf(stderr, "%s: %zu steps of %zu\n", what, got->len, expected->len);
		return false;
	}
	if (got->steps[0].kind != expected->steps[skip].kind ||
	    (got->steps[0].kind == FLOW_RUN && got->steps[0].end != expected->steps[skip].end))
		i = 0;
	while (i > 0 && i < got->len && same_step(&expected->steps[skip + i], &got->steps[i]))
		i++;
	if (i == got->len)
		return true;
	fprintf(stderr, "%s: step %zu behind %zu differs\n", what, i, skip);
	print_step("expected", expected, skip + i);
	print_step("got", got, i);
	return false;
}

bool flow_same(const struct flow *expected, const struct flow *got, const char *what)
{
	if (got->bad)
		fprintf(stderr, "%s: %s\n", what, got->text);
	if (got->late)
		return same_rest(expected, got, what) && !got->bad;
	return same_steps(expected, got, what) && same_times(expected, got, what) && !got->bad;
}
