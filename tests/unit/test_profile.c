/* SPDX-License-Identifier: Apache-2.0 */
/* The profile's numbers, checked by hand, and its account. Rows are caught by a table of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_sinks.h"

struct fixture {
	struct sl_image *image;
	struct sl_profile *profile;
	struct sl_sink sink;
	struct sl_buffer buffer;
	struct sl_stream stream;
	struct sl_lane lane;
	const struct sl_table_head *head;
	char rows[4096];
};

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;

	fx->head = head;
	snprintf(fx->rows + strlen(fx->rows), sizeof(fx->rows) - strlen(fx->rows), "[%s]", head->name);
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;

	for (size_t i = 0; i < fx->head->column_count; i++) {
		size_t len = strlen(fx->rows), room = sizeof(fx->rows) - len;
		enum sl_type type = fx->head->columns[i].type;

		if (strcmp(fx->head->columns[i].name, "meaning") == 0 || strcmp(fx->head->columns[i].name, "module") == 0)
			continue;
		if (!cells[i].known)
			snprintf(fx->rows + len, room, " -");
		else if (type == SL_TYPE_STRING)
			snprintf(fx->rows + len, room, " %s", cells[i].s);
		else if (type == SL_TYPE_PERCENT || type == SL_TYPE_REAL)
			snprintf(fx->rows + len, room, " %.1f", cells[i].d);
		else
			snprintf(fx->rows + len, room, " %d", (int)cells[i].u);
	}
	strcat(fx->rows, ";");
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

static const struct sl_table_ops catch_ops = { on_begin, on_row, on_end, on_close };

static void make_profile(struct fixture *fx, const struct sl_filter *filter)
{
	sl_profile_free(fx->profile);
	assert_int_equal(sl_profile_new(fx->image, filter, &fx->profile), SL_OK);
	sl_profile_sink(fx->profile, &fx->sink);
}

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	fx->buffer.name = "B";
	fx->stream = (struct sl_stream){ .name = "E", .trace_id = 16 };
	fx->lane = (struct sl_lane){ .buffer = &fx->buffer, .stream = &fx->stream };
	make_profile(fx, NULL);
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_profile_free(fx->profile);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void run_lane(struct fixture *fx, const struct sl_elem *elems, size_t len)
{
	void *shard = NULL;

	assert_int_equal(fx->sink.ops->begin(fx->sink.self, &fx->lane, &shard), SL_OK);
	assert_int_equal(fx->sink.ops->turn(shard, elems, len, false), SL_OK);
	assert_int_equal(fx->sink.ops->end(fx->sink.self, shard, &fx->lane), SL_OK);
}

static const char *report(struct fixture *fx, enum sl_axis axis, uint64_t hz)
{
	struct sl_table table = { &catch_ops, fx };

	fx->rows[0] = '\0';
	assert_int_equal(sl_profile_report(fx->profile, axis, hz, false, &table), SL_OK);
	return fx->rows;
}

/* function calls no-entry no-exit total self min avg max insns self%; then buffer id source whole self gap closed repairs */
void test_profile__numbers_by_hand(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 2), elem_returns(CODE_F, 4), elem_calls(CODE_MAIN + 8, 2), elem_returns(CODE_F, 8),
		elem_stops(CODE_MAIN + 16, 4),
	};

	run_lane(fx, elems, 5);
	assert_string_equal(report(fx, SL_AXIS_INSNS, 0), "[functions] f 2 0 0 12 12 4 6.0 8 12 60.0; main 0 1 1 20 8 - - - 20 40.0;"
							  "[account] B 16 E 20 20 0 1 0;");
	assert_true(sl_profile_closes(fx->profile));
}

void test_profile__recursion_counts_total_once(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_calls(CODE_F, 1), elem_calls(CODE_F, 1), elem_returns(CODE_F, 2),
		elem_returns(CODE_F + 4, 3), elem_returns(CODE_F + 4, 3), elem_stops(CODE_MAIN + 4, 1),
	};

	run_lane(fx, elems, 7);
	assert_string_equal(report(fx, SL_AXIS_INSNS, 0), "[functions] f 3 0 0 10 10 2 6.0 10 10 83.3; main 0 1 1 12 2 - - - 12 16.7;"
							  "[account] B 16 E 12 12 0 1 0;");
}

void test_profile__lanes_merge(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem first[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 4, 1) };
	const struct sl_elem second[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 9), elem_stops(CODE_MAIN + 4, 1) };

	run_lane(fx, first, 3);
	fx->stream.trace_id = 18;
	run_lane(fx, second, 3);
	assert_string_equal(report(fx, SL_AXIS_INSNS, 0), "[functions] f 2 0 0 11 11 2 5.5 9 11 73.3; main 0 2 2 15 4 - - - 15 26.7;"
							  "[account] B 16 E 4 4 0 1 0; B 18 E 11 11 0 1 0;");
}

void test_profile__time_in_ns_and_gaps(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_time(1000), elem_calls(CODE_MAIN, 1), elem_time(1010), elem_returns(CODE_F, 2), elem_time(1030),
		elem_gap(SL_GAP_OVERFLOW, 0), elem_time(1100), elem_stops(CODE_G, 1),
	};

	run_lane(fx, elems, 8);
	/* 25 MHz: a tick has 40 ns */
	assert_string_equal(report(fx, SL_AXIS_TICKS, 25000000),
			    "[functions] f 1 0 1 800 800 - - - 2 2 66.7; main 0 1 1 1200 400 - - - 3 1 33.3; g 0 1 1 0 0 - - - 1 1 0.0;"
			    "[account] B 16 E 4000 1200 2800 1 0;");
}

void test_profile__axis_is_what_all_lanes_have(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem both[] = { elem_time(1), elem_stops(CODE_F, 1), elem_time(2), elem_cycles(3) };
	const struct sl_elem timed[] = { elem_time(1), elem_stops(CODE_F, 1), elem_time(2) };
	const struct sl_elem bare[] = { elem_stops(CODE_F, 1) };
	struct sl_diag diag = { "" };
	enum sl_axis axis;

	run_lane(fx, both, 4);
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_AUTO, 0, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_CYCLES);
	run_lane(fx, timed, 3);
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_AUTO, 1000, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_TICKS);
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_AUTO, 0, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_INSNS);
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_TIME, 0, &axis, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "--freq"));
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_CYCLES, 0, &axis, &diag), SL_ERR_CONFIG);
	run_lane(fx, bare, 1);
	assert_int_equal(sl_profile_axis(fx->profile, SL_CHOOSE_AUTO, 1000, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_INSNS);
}

void test_profile__filters_choose_rows_but_not_the_account(void **state)
{
	struct fixture *fx = *state;
	const struct sl_filter filter = { .function = "f*" };
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 4, 1) };

	make_profile(fx, &filter);
	run_lane(fx, elems, 3);
	assert_string_equal(report(fx, SL_AXIS_INSNS, 0), "[functions] f 1 0 0 2 2 2 2.0 2 2 50.0;[account] B 16 E 4 4 0 1 0;");
}

void test_profile__columns_are_those_promised(void **state)
{
	static const char *const names[] = { "function", "module", "calls", "missing_entry", "missing_exit", "total_cycles",
					     "self_cycles", "min_cycles", "avg_cycles", "max_cycles", "insns", "self_insns",
					     "self_percent" };
	const struct sl_column *columns;

	(void)state;
	assert_int_equal(sl_profile_columns(SL_AXIS_CYCLES, &columns), 13);
	for (size_t i = 0; i < 13; i++)
		assert_string_equal(columns[i].name, names[i]);
}
