/* SPDX-License-Identifier: Apache-2.0 */
/* Calls told twice, and what slowest says of them. A row reads name:slowest,median,difference, after a "-" for each step of depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_graph.h"

struct fixture {
	struct sl_image *image;
	struct sl_slowest *slowest;
	struct sl_call_sink sink;
	uint32_t depth;
	uint64_t now;
	const struct sl_table_head *head;
	char rows[2048];
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_slowest_free(fx->slowest);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

/* A call of address that runs self by itself, and around it what body says; flags are those of its end. */
static void tell(struct fixture *fx, enum sl_call_kind kind, uint64_t address, uint64_t self, unsigned flags)
{
	const struct sl_context context = { .context_id = 1 };
	const struct sl_axes ran = { { self } };
	struct sl_axes now;
	struct sl_call call = { .kind = kind, .flags = flags, .context = &context, .enter = &now, .offset = 1000 + fx->now };
	bool ends = kind == SL_CALL_LEAVE || kind == SL_CALL_RESUME;

	fx->now += ends ? self : 0;
	now = (struct sl_axes){ { fx->now } };
	if (ends)
		fx->depth--;
	if (kind == SL_CALL_ENTER || kind == SL_CALL_LEAVE)
		call.symbol = sl_image_symbol_at(fx->image, 0, address).id;
	else
		call.level = SL_LEVEL_IRQ;
	call.depth = fx->depth;
	call.leave = ends ? &now : NULL;
	call.total = call.self = ends ? &ran : NULL;
	call.leave_offset = 1000 + fx->now;
	if (!ends)
		fx->depth++;
	fx->sink.ops->call(fx->sink.self, &call);
}

static void enter(struct fixture *fx, uint64_t address)
{
	tell(fx, SL_CALL_ENTER, address, 0, 0);
}

static void leave(struct fixture *fx, uint64_t address, uint64_t self)
{
	tell(fx, SL_CALL_LEAVE, address, self, 0);
}

static void call(struct fixture *fx, uint64_t address, uint64_t self)
{
	enter(fx, address);
	leave(fx, address, self);
}

/* f takes 12, 61 with two g, 11, and one that does not end; in the second one it is interrupted. */
static void run_calls(struct fixture *fx)
{
	enter(fx, CODE_MAIN);
	enter(fx, CODE_F);
	call(fx, CODE_H, 2);
	leave(fx, CODE_F, 10);
	enter(fx, CODE_F);
	call(fx, CODE_G, 20);
	tell(fx, SL_CALL_LEVEL, 0, 0, 0);
	call(fx, CODE_VECTORS, 500);
	tell(fx, SL_CALL_RESUME, 0, 5, 0);
	call(fx, CODE_G, 30);
	call(fx, CODE_H, 1);
	leave(fx, CODE_F, 10);
	enter(fx, CODE_F);
	enter(fx, CODE_F); /* no call of its own */
	leave(fx, CODE_F, 1);
	leave(fx, CODE_F, 10);
	enter(fx, CODE_F);
	call(fx, CODE_G, 9000);
	tell(fx, SL_CALL_LEAVE, CODE_F, 9000, SL_SPAN_NO_EXIT);
	leave(fx, CODE_MAIN, 100);
}

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;

	fx->head = head;
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;
	size_t len = strlen(fx->rows), room = sizeof(fx->rows) - len;

	if (strcmp(fx->head->name, "instances") == 0) {
		snprintf(fx->rows + len, room, "%s:#%d/%d,%d,%d,%d@%d ", cells[0].s, (int)cells[2].u, (int)cells[3].u,
			 (int)cells[4].u, (int)cells[5].u, cells[6].known ? (int)cells[6].u : -1, (int)cells[11].u);
		return;
	}
	for (uint32_t i = 0; i < cells[11].depth; i++)
		fx->rows[len++] = '-';
	snprintf(fx->rows + len, sizeof(fx->rows) - len, "%s:%d,%d,%+d ", cells[11].s, (int)cells[4].u, (int)cells[5].u,
		 (int)cells[6].i);
}

static void on_end(void *out)
{
	(void)out;
}

static int on_close(void *out)
{
	(void)out;
	return SL_OK;
}

static const char *slowest(struct fixture *fx, const char *function, double percent)
{
	static const struct sl_table_ops ops = { on_begin, on_row, on_end, on_close };
	const struct sl_graph_options options = { .image = fx->image };
	const struct sl_graph_shown shown = { .percent = percent, .axis = SL_AXIS_INSNS };
	const struct sl_table table = { &ops, fx };

	assert_int_equal(sl_slowest_new(&options, function, &fx->slowest), SL_OK);
	sl_slowest_call_sink(fx->slowest, &fx->sink);
	run_calls(fx);
	assert_int_equal(sl_slowest_choose(fx->slowest, SL_AXIS_INSNS), SL_OK);
	fx->now = 0;
	run_calls(fx);
	assert_int_equal(sl_slowest_report(fx->slowest, &shown, &table), SL_OK);
	return fx->rows;
}

void test_graph_slowest__beside_the_median(void **state)
{
	assert_string_equal(slowest(*state, "f", 0),
			    "slowest:#2/3,61,505,0@1012 median:#1/3,12,0,0@1000 "
			    "f:61,12,+49 -g:50,0,+50 -h:1,2,-1 [exception 0: irq]:505,0,+505 -vectors:500,0,+500 ");
}

void test_graph_slowest__small_differences_are_one_row(void **state)
{
	assert_string_equal(slowest(*state, "f", 10),
			    "slowest:#2/3,61,505,0@1012 median:#1/3,12,0,0@1000 "
			    "f:61,12,+49 -g:50,0,+50 [exception 0: irq]:505,0,+505 -vectors:500,0,+500 ");
}

void test_graph_slowest__of_one_call_both(void **state)
{
	assert_string_equal(slowest(*state, "main", 100),
			    "slowest:#1/1,18184,505,0@1000 median:#1/1,18184,505,0@1000 main:18184,18184,+0 "
			    "[exception 0: irq]:505,505,+0 ");
}

void test_graph_slowest__no_whole_call(void **state)
{
	struct fixture *fx = *state;
	const struct sl_graph_options options = { .image = fx->image };

	assert_int_equal(sl_slowest_new(&options, "task_b", &fx->slowest), SL_OK);
	sl_slowest_call_sink(fx->slowest, &fx->sink);
	run_calls(fx);
	assert_int_equal(sl_slowest_choose(fx->slowest, SL_AXIS_INSNS), SL_END);
}
