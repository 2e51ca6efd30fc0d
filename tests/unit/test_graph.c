/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls told to graph, and the rows of its views, checked by hand. A row reads name:calls,total,self, after a "-" for each step of
 * depth; times are instructions.
 */
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
	struct sl_graph *graph;
	struct sl_calls *calls;
	struct sl_call_sink sink;
	uint32_t stack, depth[4];
	const struct sl_table_head *head;
	char rows[4096];
};

static void make_graph(struct fixture *fx, struct sl_graph_options options)
{
	sl_graph_free(fx->graph);
	memset(fx->depth, 0, sizeof(fx->depth));
	options.image = fx->image;
	assert_int_equal(sl_graph_new(&options, &fx->graph), SL_OK);
	sl_graph_call_sink(fx->graph, &fx->sink);
}

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(sl_calls_new(fx->image, NULL, 0, &fx->calls), SL_OK);
	make_graph(fx, (struct sl_graph_options){ .by_task = false });
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_graph_free(fx->graph);
	sl_calls_free(fx->calls);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void tell(struct fixture *fx, struct sl_call call, uint64_t self)
{
	const struct sl_axes now = { { 0 } }, ran = { { self, 2 * self, 0 } };
	const struct sl_context context = { .context_id = 100 + fx->stack, .flags = SL_CTX_ID };

	call.stack = fx->stack;
	call.depth = fx->depth[fx->stack];
	call.context = &context;
	call.enter = &now;
	call.leave = call.kind == SL_CALL_LEAVE || call.kind == SL_CALL_RESUME ? &now : NULL;
	call.self = call.total = &ran;
	fx->sink.ops->call(fx->sink.self, &call);
}

static void enter(struct fixture *fx, uint64_t address)
{
	tell(fx, (struct sl_call){ .kind = SL_CALL_ENTER, .symbol = sl_image_symbol_at(fx->image, 0, address).id }, 0);
	fx->depth[fx->stack]++;
}

static void leave_lacking(struct fixture *fx, uint64_t address, uint64_t self, unsigned flags)
{
	fx->depth[fx->stack]--;
	tell(fx, (struct sl_call){ .kind = SL_CALL_LEAVE, .symbol = sl_image_symbol_at(fx->image, 0, address).id, .flags = flags },
	     self);
}

static void leave(struct fixture *fx, uint64_t address, uint64_t self)
{
	leave_lacking(fx, address, self, 0);
}

static void call(struct fixture *fx, uint64_t address, uint64_t self)
{
	enter(fx, address);
	leave(fx, address, self);
}

static void interrupt(struct fixture *fx, enum sl_level level)
{
	tell(fx, (struct sl_call){ .kind = SL_CALL_LEVEL, .number = 14, .level = level }, 0);
	fx->depth[fx->stack]++;
}

static void resume(struct fixture *fx, enum sl_level level, uint64_t self)
{
	fx->depth[fx->stack]--;
	tell(fx, (struct sl_call){ .kind = SL_CALL_RESUME, .number = 14, .level = level }, self);
}

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;

	fx->head = head;
	fx->rows[0] = '\0';
}

static size_t column(const struct fixture *fx, const char *name)
{
	size_t i = 0;

	while (i < fx->head->column_count && strncmp(fx->head->columns[i].name, name, strlen(name)) != 0)
		i++;
	assert_true(i < fx->head->column_count);
	return i;
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;
	size_t len = strlen(fx->rows);

	for (uint32_t i = 0; i < cells[column(fx, "function")].depth; i++)
		fx->rows[len++] = '-';
	snprintf(fx->rows + len, sizeof(fx->rows) - len, "%s:%d,%d,%d ", cells[column(fx, "function")].s,
		 (int)cells[column(fx, "calls")].u, (int)cells[column(fx, "total")].u, (int)cells[column(fx, "self")].u);
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

static const char *shown(struct fixture *fx, struct sl_graph_shown shown)
{
	static const struct sl_table_ops ops = { on_begin, on_row, on_end, on_close };
	const struct sl_table table = { &ops, fx };

	assert_int_equal(sl_graph_report(fx->graph, fx->calls, &shown, &table), SL_OK);
	return fx->rows;
}

static const char *view(struct fixture *fx, enum sl_graph_view view, const char *function)
{
	return shown(fx, (struct sl_graph_shown){ .view = view, .function = function });
}

/* main calls f twice, once from g; f calls h. */
static void run_calls(struct fixture *fx)
{
	enter(fx, CODE_MAIN);
	enter(fx, CODE_F);
	call(fx, CODE_H, 3);
	call(fx, CODE_H, 4);
	leave(fx, CODE_F, 10);
	enter(fx, CODE_G);
	enter(fx, CODE_F);
	call(fx, CODE_H, 5);
	leave(fx, CODE_F, 20);
	leave(fx, CODE_G, 100);
	leave_lacking(fx, CODE_MAIN, 1000, SL_SPAN_NO_EXIT);
}

void test_graph__children_and_self_are_the_node(void **state)
{
	struct fixture *fx = *state;

	run_calls(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL),
			    "[all]:0,1142,0 -main:1,1142,1000 --g:1,125,100 ---f:1,25,20 ----h:1,5,5 --f:1,17,10 ---h:2,7,7 ");
}

void test_graph__callees_of_all_places(void **state)
{
	struct fixture *fx = *state;

	run_calls(fx);
	assert_string_equal(view(fx, SL_GRAPH_CALLEES, "f"), "f:2,42,30 -h:3,12,12 ");
	assert_string_equal(view(fx, SL_GRAPH_CALLEES, "[gh]"), "g:1,125,100 -f:1,25,20 --h:1,5,5 h:3,12,12 ");
}

void test_graph__callers_share_the_function(void **state)
{
	struct fixture *fx = *state;

	run_calls(fx);
	assert_string_equal(view(fx, SL_GRAPH_CALLERS, "h"),
			    "h:3,12,12 -f:3,12,12 --main:2,7,7 --g:1,5,5 ---main:1,5,5 ");
}

void test_graph__inverted_is_by_self(void **state)
{
	struct fixture *fx = *state;

	run_calls(fx);
	assert_string_equal(shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_INVERTED, .depth = 1 }),
			    "main:1,1142,1000 g:1,125,100 f:2,42,30 h:3,12,12 ");
}

void test_graph__linkage_is_flat(void **state)
{
	struct fixture *fx = *state;

	run_calls(fx);
	assert_string_equal(view(fx, SL_GRAPH_LINKAGE, "f"), "g:1,25,20 main:1,17,10 f:2,42,30 h:3,12,12 ");
}

void test_graph__no_function_matches(void **state)
{
	struct fixture *fx = *state;
	const struct sl_graph_shown shown = { .view = SL_GRAPH_CALLERS, .function = "nosuch" };
	const struct sl_table table = { NULL, NULL };

	run_calls(fx);
	assert_int_equal(sl_graph_report(fx->graph, fx->calls, &shown, &table), SL_END);
}

/* f calls itself: the inner calls' time is in the outer one's already. */
void test_graph__recursion_counts_once(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_F);
	enter(fx, CODE_F);
	call(fx, CODE_H, 7);
	leave(fx, CODE_F, 2);
	leave(fx, CODE_F, 1);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL), "[all]:0,10,0 -f:1,10,1 --f:1,9,2 ---h:1,7,7 ");
	assert_string_equal(view(fx, SL_GRAPH_CALLERS, "f"), "f:2,10,3 -f:1,0,2 ");
	assert_string_equal(view(fx, SL_GRAPH_CALLEES, "f"), "f:1,10,1 -f:1,9,2 --h:1,7,7 ");
	assert_string_equal(view(fx, SL_GRAPH_LINKAGE, "f"), "f:1,0,2 f:2,10,3 f:1,9,2 h:1,7,7 ");
}

/* A system call is what main asked for; an interrupt that comes meanwhile is not. */
static void run_levels(struct fixture *fx)
{
	enter(fx, CODE_MAIN);
	interrupt(fx, SL_LEVEL_SYSCALL);
	enter(fx, CODE_VECTORS);
	interrupt(fx, SL_LEVEL_IRQ);
	call(fx, CODE_H, 50);
	resume(fx, SL_LEVEL_IRQ, 5);
	leave(fx, CODE_VECTORS, 20);
	resume(fx, SL_LEVEL_SYSCALL, 2);
	leave(fx, CODE_MAIN, 100);
}

void test_graph__asked_for_or_interrupted(void **state)
{
	struct fixture *fx = *state;

	run_levels(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL),
			    "[all]:0,177,0 -main:1,122,100 --[exception 14: syscall]:1,22,2 ---vectors:1,20,20 "
			    "-[exception 14: irq]:1,55,5 --h:1,50,50 ");
	make_graph(fx, (struct sl_graph_options){ .levels = SL_GRAPH_LEVELS_BELOW });
	run_levels(fx);
	assert_string_equal(view(fx, SL_GRAPH_CALLEES, "main"),
			    "main:1,177,100 -[exception 14: syscall]:1,77,2 --vectors:1,75,20 ---[exception 14: irq]:1,55,5 "
			    "----h:1,50,50 ");
	make_graph(fx, (struct sl_graph_options){ .levels = SL_GRAPH_LEVELS_APART });
	run_levels(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL),
			    "[all]:0,177,0 -main:1,100,100 -[exception 14: irq]:1,55,5 --h:1,50,50 "
			    "-[exception 14: syscall]:1,22,2 --vectors:1,20,20 ");
}

/* Two tasks in turns. */
static void run_tasks(struct fixture *fx)
{
	enter(fx, CODE_MAIN);
	fx->stack = 1;
	enter(fx, CODE_TASK_B);
	fx->stack = 0;
	call(fx, CODE_F, 1);
	leave(fx, CODE_MAIN, 10);
	fx->stack = 1;
	call(fx, CODE_F, 2);
	leave(fx, CODE_TASK_B, 200);
}

void test_graph__tasks_have_paths_of_their_own(void **state)
{
	struct fixture *fx = *state;

	run_tasks(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL), "[all]:0,213,0 -task_b:1,202,200 --f:1,2,2 -main:1,11,10 --f:1,1,1 ");
	make_graph(fx, (struct sl_graph_options){ .by_task = true });
	fx->stack = 0;
	run_tasks(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL),
			    "[all]:0,213,0 -[task 101]:0,202,0 --task_b:1,202,200 ---f:1,2,2 -[task 100]:0,11,0 "
			    "--main:1,11,10 ---f:1,1,1 ");
	assert_string_equal(view(fx, SL_GRAPH_CALLERS, "f"),
			    "f:2,3,3 -task_b:1,2,2 --[task 101]:1,2,2 -main:1,1,1 --[task 100]:1,1,1 ");
}

void test_graph__order_and_threshold(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_MAIN);
	call(fx, CODE_H, 10);
	call(fx, CODE_F, 2);
	call(fx, CODE_G, 1);
	call(fx, CODE_G, 2);
	leave(fx, CODE_MAIN, 85);
	assert_string_equal(view(fx, SL_GRAPH_CALLEES, "main"), "main:1,100,85 -h:1,10,10 -g:2,3,3 -f:1,2,2 ");
	assert_string_equal(shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_CALLEES, .function = "main",
							       .order = SL_GRAPH_BY_NAME }),
			    "main:1,100,85 -f:1,2,2 -g:2,3,3 -h:1,10,10 ");
	assert_string_equal(shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_CALLEES, .function = "main",
							       .order = SL_GRAPH_BY_TIME }),
			    "main:1,100,85 -h:1,10,10 -f:1,2,2 -g:2,3,3 ");
	assert_string_equal(shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_CALLEES, .function = "main",
							       .order = SL_GRAPH_BY_CALLS, .percent = 2.5 }),
			    "main:1,100,85 -g:2,3,3 -h:1,10,10 ");
	/* What is too small is a row where it is something together. */
	assert_string_equal(shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_CALLEES, .function = "main", .percent = 5 }),
			    "main:1,100,85 -h:1,10,10 -(2 more):3,5,5 ");
}

/* More paths than are kept: what runs there is counted at the last one that is, and the sums close. */
void test_graph__paths_are_bounded(void **state)
{
	struct fixture *fx = *state;

	make_graph(fx, (struct sl_graph_options){ .node_max = 3 });
	run_calls(fx);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL),
			    "[all]:0,1142,0 -main:1,1142,1000 --f:1,17,10 ---(paths not kept):0,7,7 --(paths not kept):0,125,125 ");
	assert_int_equal(sl_graph_beyond(fx->graph), 5);
}

void test_graph__deep_recursion_is_folded(void **state)
{
	struct fixture *fx = *state;

	enter(fx, CODE_MAIN);
	for (int i = 0; i < 200; i++) {
		enter(fx, CODE_F);
		enter(fx, CODE_G);
	}
	for (int i = 0; i < 200; i++) {
		leave(fx, CODE_G, 1);
		leave(fx, CODE_F, 1);
	}
	leave(fx, CODE_MAIN, 1);
	shown(fx, (struct sl_graph_shown){ .view = SL_GRAPH_TREE, .depth = 3 });
	assert_string_equal(fx->rows, "[all]:0,401,0 -main:1,401,1 --f:1,400,1 ");
	assert_true(sl_graph_folded(fx->graph) > 100);
	assert_int_equal(sl_graph_beyond(fx->graph), 0);
}

/* A sink must not fall over what it was not told. */
void test_graph__unknown_frames(void **state)
{
	struct fixture *fx = *state;

	fx->depth[0] = 3;
	call(fx, CODE_F, 5);
	leave(fx, CODE_G, 7);
	assert_string_equal(view(fx, SL_GRAPH_TREE, NULL), "[all]:0,12,0 -g:1,7,7 -f:1,5,5 ");
}
