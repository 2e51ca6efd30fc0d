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
	struct sl_profile_options options;
	struct sl_filter filter;
	struct sl_profile *profile;
	struct sl_sink sink;
	struct sl_buffer buffer;
	struct sl_stream stream;
	struct sl_lane lane;
	const struct sl_table_head *head;
	char rows[8192];
	const char *wanted; /* a column, whose values go to: */
	char value[512];
};

static void on_begin(void *out, const struct sl_table_head *head)
{
	struct fixture *fx = out;

	fx->head = head;
	snprintf(fx->rows + strlen(fx->rows), sizeof(fx->rows) - strlen(fx->rows), "[%s]", head->name);
}

/* What most tests look at; the whole of other tables. */
static bool is_shown(const struct sl_table_head *head, size_t i)
{
	static const char *const usual[] = { "function", "calls", "missing_entry", "missing_exit", "total_", "self_", "min_", "avg_",
					     "max_", "insns", NULL };
	const char *name = head->columns[i].name;

	if (strcmp(name, "meaning") == 0 || strcmp(name, "total_percent") == 0)
		return false;
	if (strcmp(head->name, "functions") != 0)
		return true;
	for (size_t n = 0; usual[n]; n++) {
		size_t len = strlen(usual[n]);

		if (strcmp(name, usual[n]) == 0 || (usual[n][len - 1] == '_' && strncmp(name, usual[n], len) == 0 &&
						    !strstr(name, "_at_") && !strstr(name, "offset") && strcmp(head->columns[i - 1].name, "insns") != 0))
			return true;
	}
	return false;
}

static void put_cell(char *ret, size_t room, enum sl_type type, struct sl_cell cell)
{
	if (!cell.known)
		snprintf(ret, room, " -");
	else if (type == SL_TYPE_STRING)
		snprintf(ret, room, " %s", cell.s);
	else if (type == SL_TYPE_PERCENT || type == SL_TYPE_REAL)
		snprintf(ret, room, " %.1f", cell.d);
	else
		snprintf(ret, room, " %d", (int)cell.u);
}

static void on_row(void *out, const struct sl_cell *cells)
{
	struct fixture *fx = out;

	for (size_t i = 0; i < fx->head->column_count; i++) {
		size_t len = strlen(fx->rows);

		if (is_shown(fx->head, i))
			put_cell(fx->rows + len, sizeof(fx->rows) - len, fx->head->columns[i].type, cells[i]);
		if (fx->wanted && strcmp(fx->head->columns[i].name, fx->wanted) == 0)
			put_cell(fx->value + strlen(fx->value), sizeof(fx->value) - strlen(fx->value), fx->head->columns[i].type,
				 cells[i]);
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

static void make_profile(struct fixture *fx)
{
	struct sl_diag diag = { "" };

	sl_profile_free(fx->profile);
	fx->options.image = fx->image;
	fx->options.filter = &fx->filter;
	fx->options.timestamp_hz = 25000000; /* a tick has 40 ns */
	assert_int_equal(sl_profile_new(&fx->options, &fx->profile, &diag), SL_OK);
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
	make_profile(fx);
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

static const char *report(struct fixture *fx, enum sl_axis axis)
{
	struct sl_table table = { &catch_ops, fx };

	fx->rows[0] = fx->value[0] = '\0';
	assert_int_equal(sl_profile_report(fx->profile, axis, &table), SL_OK);
	return fx->rows;
}

/* One column of all rows, in the order of first entry. */
static const char *column(struct fixture *fx, enum sl_axis axis, const char *name)
{
	fx->wanted = name;
	report(fx, axis);
	return fx->value;
}

/* function calls no-entry no-exit total self self% min avg max insns; then buffer id source whole self gap closed repairs */
void test_profile__numbers_by_hand(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 2), elem_returns(CODE_F, 4), elem_calls(CODE_MAIN + 8, 2), elem_returns(CODE_F, 8),
		elem_stops(CODE_MAIN + 16, 4),
	};

	run_lane(fx, elems, 5);
	assert_string_equal(report(fx, SL_AXIS_INSNS), "[functions] main 0 1 1 20 8 40.0 - - - 20; f 2 0 0 12 12 60.0 4 6.0 8 12;"
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
	assert_string_equal(report(fx, SL_AXIS_INSNS), "[functions] main 0 1 1 12 2 16.7 - - - 12; f 3 0 0 10 10 83.3 2 6.0 10 10;"
						       "[account] B 16 E 12 12 0 1 0;");
	fx->options.outermost = true;
	make_profile(fx);
	run_lane(fx, elems, 7);
	assert_string_equal(report(fx, SL_AXIS_INSNS),
			    "[functions] main 0 1 1 12 2 16.7 - - - 12; f 1 0 0 10 10 83.3 10 10.0 10 10;"
			    "[account] B 16 E 12 12 0 1 0;");
}

/* Told in brief, the same numbers come, and what was not told is left open. */
void test_profile__brief_calls_say_the_same(void **state)
{
	static const char *const columns[] = { "calls", "missing", "p50_insns", "p99_insns", "stdev_insns", "cut_calls", "total_percent" };
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_calls(CODE_F, 1), elem_calls(CODE_F, 1), elem_returns(CODE_F, 2), elem_time(9),
		elem_returns(CODE_F + 4, 3), elem_returns(CODE_F + 4, 3), elem_calls(CODE_MAIN + 4, 1),
		elem_gap(SL_GAP_FILTER, 0), elem_stops(CODE_MAIN + 8, 3), elem_gap(SL_GAP_OVERFLOW, 0), elem_time(20), elem_stops(CODE_G, 1),
	};
	char full[8192];

	for (unsigned axis = SL_AXIS_INSNS; axis <= SL_AXIS_TICKS; axis += SL_AXIS_TICKS) {
		fx->options.brief = false;
		make_profile(fx);
		run_lane(fx, elems, 13);
		strcpy(full, report(fx, axis));
		fx->options.brief = true;
		make_profile(fx);
		run_lane(fx, elems, 13);
		assert_string_equal(report(fx, axis), full);
		assert_true(sl_profile_closes(fx->profile));
	}
	assert_non_null(strstr(full, "[gaps]"));
	assert_string_equal(column(fx, SL_AXIS_INSNS, "max_at_insns"), " - - -");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "intervals"), " - - -");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		fx->options.brief = true;
		make_profile(fx);
		run_lane(fx, elems, 13);
		strcpy(full, column(fx, SL_AXIS_INSNS, columns[i]));
		fx->options.brief = false;
		make_profile(fx);
		run_lane(fx, elems, 13);
		assert_string_equal(column(fx, SL_AXIS_INSNS, columns[i]), full);
	}
}

void test_profile__lanes_merge(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem first[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 4, 1) };
	const struct sl_elem second[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 9), elem_stops(CODE_MAIN + 4, 1) };

	run_lane(fx, first, 3);
	fx->stream.trace_id = 18;
	fx->lane.index = 1;
	run_lane(fx, second, 3);
	assert_string_equal(report(fx, SL_AXIS_INSNS), "[functions] main 0 2 2 15 4 26.7 - - - 15; f 2 0 0 11 11 73.3 2 5.5 9 11;"
						       "[account] B 16 E 4 4 0 1 0; B 18 E 11 11 0 1 0;");
	/* a lane's clock is no other one's */
	assert_string_equal(column(fx, SL_AXIS_INSNS, "intervals"), " 0 0");
}

void test_profile__time_in_ns_and_gaps(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem elems[] = {
		elem_time(1000), elem_calls(CODE_MAIN, 1), elem_time(1010), elem_returns(CODE_F, 2), elem_time(1030),
		elem_gap(SL_GAP_OVERFLOW, 0), elem_time(1100), elem_stops(CODE_G, 1),
	};

	elems[5].offset = 77;
	run_lane(fx, elems, 8);
	assert_string_equal(report(fx, SL_AXIS_TICKS),
			    "[functions] main 0 1 1 1200 400 33.3 - - - 3; f 1 0 1 800 800 66.7 - - - 2; g 0 1 1 0 0 0.0 - - - 1;"
			    "[account] B 16 E 4000 1200 2800 1 0 - -;"
			    "[clocks] B 16 E 4 0 0 0 - - 0 - -;"
			    "[gaps] B 16 overflow 1 2800 2800 0 2 77;");
	assert_string_equal(column(fx, SL_AXIS_TICKS, "cut_calls"), " 1 1 0 2");
}

/* Of flow that is not believed: the gap in it has no part in that, and what the lane ends with counts too. */
void test_profile__gaps_add_up_to_the_account(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem lost = { .kind = SL_ELEM_RANGE_NO_PATH, .count = 30 };
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_gap(SL_GAP_UNTRUSTED, 0), elem_gap(SL_GAP_FILTER, 0), lost, elem_stops(CODE_G, 2),
		elem_gap(SL_GAP_UNTRUSTED, 0), elem_gap(SL_GAP_BAD_PACKET, 0), lost,
	};

	run_lane(fx, elems, 8);
	assert_string_equal(strstr(report(fx, SL_AXIS_INSNS), "[account]"),
			    "[account] B 16 E 63 3 60 1 0;"
			    "[gaps] B 16 bad packet 1 0 0 0 0 0; B 16 untrusted 2 60 30 60 2 0;");
}

void test_profile__axis_is_what_all_lanes_have(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem both[] = { elem_time(1), elem_stops(CODE_F, 1), elem_time(2), elem_cycles(3) };
	const struct sl_elem timed[] = { elem_time(1), elem_stops(CODE_F, 1), elem_time(2) };
	const struct sl_elem bare[] = { elem_stops(CODE_F, 1) };
	const struct sl_calls *calls = sl_profile_calls(fx->profile);
	struct sl_diag diag = { "" };
	enum sl_axis axis;

	run_lane(fx, both, 4);
	assert_int_equal(sl_profile_axis(fx->profile, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_CYCLES);
	run_lane(fx, timed, 3);
	assert_int_equal(sl_profile_axis(fx->profile, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_TICKS);
	assert_int_equal(sl_calls_axis(calls, SL_CHOOSE_AUTO, 0, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_INSNS);
	assert_int_equal(sl_calls_axis(calls, SL_CHOOSE_TIME, 0, &axis, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "--freq"));
	assert_int_equal(sl_calls_axis(calls, SL_CHOOSE_CYCLES, 0, &axis, &diag), SL_ERR_CONFIG);
	run_lane(fx, bare, 1);
	assert_int_equal(sl_profile_axis(fx->profile, &axis, &diag), SL_OK);
	assert_int_equal(axis, SL_AXIS_INSNS);
}

void test_profile__filters_choose_rows_but_not_the_account(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 4, 1) };

	fx->filter.function = "f*";
	make_profile(fx);
	run_lane(fx, elems, 3);
	assert_string_equal(report(fx, SL_AXIS_INSNS), "[functions] f 1 0 0 2 2 50.0 2 2.0 2 2;[account] B 16 E 4 4 0 1 0;");
	assert_true(sl_profile_closes(fx->profile));
}

void test_profile__least_duration_leaves_out_rows(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_calls(CODE_MAIN + 4, 1),
					 elem_returns(CODE_G, 9), elem_stops(CODE_MAIN + 8, 1) };

	fx->filter.min_duration = (struct sl_limit){ SL_UNIT_INSNS, 5 };
	make_profile(fx);
	run_lane(fx, elems, 5);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "function"), " g main");
}

void test_profile__root_is_summed_for_one_call(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_calls(CODE_F, 1), elem_returns(CODE_G, 9), elem_calls(CODE_F + 4, 1),
		elem_returns(CODE_G, 3), elem_returns(CODE_F + 8, 1), elem_calls(CODE_MAIN + 4, 1), elem_returns(CODE_F + 16, 5),
		elem_stops(CODE_MAIN + 8, 1),
	};

	fx->filter.root = "f";
	make_profile(fx);
	run_lane(fx, elems, 9);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "[root] f 2 20 10.0;"));
	assert_string_equal(column(fx, SL_AXIS_INSNS, "function"), " f g");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "per_root_calls"), " 1.0 1.0");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "per_root_self_insns"), " 4.0 6.0");
}

/* main calls f 100 times; the i-th call has i instructions. */
static void run_hundred(struct fixture *fx)
{
	struct sl_elem elems[201];

	for (unsigned i = 0; i < 100; i++) {
		elems[2 * i] = elem_calls(CODE_MAIN, 1);
		elems[2 * i + 1] = elem_returns(CODE_F, i + 1);
		elems[2 * i].offset = elems[2 * i + 1].offset = 10 * i;
		elems[2 * i + 1].range.end = elems[2 * i + 1].range.start + 4;
		/* back to where it was called from */
		elems[2 * i].range.start = CODE_MAIN + (i % 2 ? 4 : 0);
		elems[2 * i].range.end = elems[2 * i].range.start + 4;
	}
	elems[200] = elem_stops(CODE_MAIN + 4, 1);
	run_lane(fx, elems, 201);
}

void test_profile__percentiles_deviation_and_places(void **state)
{
	struct fixture *fx = *state;

	fx->filter.function = "f";
	make_profile(fx);
	run_hundred(fx);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "calls"), " 100");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "p50_insns"), " 50");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "p90_insns"), " 90");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "p99_insns"), " 99");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "p999_insns"), " 100");
	/* sqrt((100^2 - 1) / 12) */
	assert_string_equal(column(fx, SL_AXIS_INSNS, "stdev_insns"), " 28.9");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "max_offset_bytes"), " 990");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "min_at_insns"), " 1");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "first_at_insns"), " 1");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "last_offset_bytes"), " 990");
}

/* From start to start of the i-th call: it, and one instruction. */
void test_profile__intervals(void **state)
{
	struct fixture *fx = *state;

	fx->filter.function = "f";
	make_profile(fx);
	run_hundred(fx);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "intervals"), " 99");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "interval_min_insns"), " 2");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "interval_max_insns"), " 100");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "interval_avg_insns"), " 51.0");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "interval_stdev_insns"), " 28.6");
}

void test_profile__no_interval_across_a_loss(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_gap(SL_GAP_OVERFLOW, 0), elem_calls(CODE_MAIN + 4, 1),
		elem_returns(CODE_F, 2), elem_calls(CODE_MAIN + 8, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 12, 1),
	};

	fx->filter.function = "f";
	make_profile(fx);
	run_lane(fx, elems, 8);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "calls"), " 3");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "intervals"), " 1");
}

/* A call by hand, which takes ticks, is interrupted and suspended, and whose clock is right within resolution ticks. A tick has 1024
 * parts. */
static void tell(struct fixture *fx, uint64_t ticks, uint64_t interrupted, uint64_t suspended, uint64_t resolution)
{
	enum { P = SL_TICK_PARTS };
	struct sl_call_sink sink;
	const struct sl_axes none = { { 0 } }, total = { { 1, 0, ticks * P } }, apart = { { 0, 0, interrupted * P } },
			     away = { { 0, 0, suspended * P } }, unsure = { { 0, 0, resolution * P } },
			     leave = { { 1, 0, (ticks + interrupted + suspended) * P } };
	const struct sl_call call = { .kind = SL_CALL_LEAVE, .symbol = sl_image_symbol_at(fx->image, 0, CODE_F).id, .lane = &fx->lane,
				      .caller = UINT32_MAX, .enter = &none, .leave = &leave, .total = &total, .self = &total,
				      .interrupted = &apart, .suspended = &away, .resolution = &unsure };

	sl_profile_call_sink(fx->profile, &sink);
	assert_int_equal(sink.ops->begin(sink.self, &fx->lane), SL_OK);
	sink.ops->call(sink.self, &call);
}

void test_profile__bounds_are_in_no_min_and_low_percentile(void **state)
{
	struct fixture *fx = *state;

	tell(fx, 0, 0, 0, 5);
	tell(fx, 2, 0, 0, 5);
	tell(fx, 10, 0, 0, 5);
	tell(fx, 20, 0, 0, 4);
	assert_string_equal(column(fx, SL_AXIS_TICKS, "bounds"), " 2");
	assert_string_equal(column(fx, SL_AXIS_TICKS, "min_ns"), " 400");
	assert_string_equal(column(fx, SL_AXIS_TICKS, "p50_ns"), " -");
	assert_string_equal(column(fx, SL_AXIS_TICKS, "p90_ns"), " 800");
	assert_string_equal(column(fx, SL_AXIS_TICKS, "resolution_ns"), " 200");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "resolution_insns"), " -");
}

void test_profile__net_gross_and_wall(void **state)
{
	static const char *const wanted[] = { " 400", " 440", " 520" };
	struct fixture *fx = *state;

	for (int i = 0; i < 3; i++) {
		fx->options.durations = (enum sl_durations)i;
		make_profile(fx);
		tell(fx, 10, 1, 2, 0);
		assert_string_equal(column(fx, SL_AXIS_TICKS, "total_ns"), wanted[i]);
		assert_string_equal(column(fx, SL_AXIS_TICKS, "max_ns"), wanted[i]);
		assert_string_equal(column(fx, SL_AXIS_TICKS, "self_ns"), " 400");
		assert_string_equal(column(fx, SL_AXIS_TICKS, "longest_interrupted_ns"), " 40");
		assert_string_equal(column(fx, SL_AXIS_TICKS, "suspended_ns"), " 80");
	}
}

void test_profile__by_module_a_call_is_a_stay(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_calls(CODE_MAIN + 4, 1), elem_returns(CODE_G, 2),
		elem_stops(CODE_MAIN + 8, 1),
	};

	fx->options.by = SL_BY_MODULE;
	make_profile(fx);
	run_lane(fx, elems, 5);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "calls"), " 0");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "missing_entry"), " 1");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "total_insns"), " 7");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "self_insns"), " 7 7");
}

void test_profile__by_task_a_call_is_a_stay(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = {
		elem_context(5), elem_stops(CODE_MAIN, 3), elem_context(6), elem_stops(CODE_F, 4), elem_context(5),
		elem_stops(CODE_MAIN + 12, 1), elem_context(6), elem_stops(CODE_F + 16, 2),
	};

	fx->options.by = SL_BY_TASK;
	make_profile(fx);
	run_lane(fx, elems, 8);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "task_id"), " 5 6");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "calls"), " 2 2");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "missing_exit"), " 0 1");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "total_insns"), " 4 6");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "max_insns"), " 3 4");
}

void test_profile__by_cpu_and_level(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 4, 1) };

	fx->options.by = SL_BY_CPU;
	fx->stream.cpu = 3;
	make_profile(fx);
	run_lane(fx, elems, 3);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "cpu"), " 3");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "self_percent"), " 100.0");
	fx->options.by = SL_BY_LEVEL;
	make_profile(fx);
	run_lane(fx, elems, 3);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "level"), " task");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "self_insns"), " 4 4");
}

void test_profile__by_line_without_lines_is_by_module(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem elems[] = { elem_calls(CODE_MAIN, 2), elem_returns(CODE_F, 2), elem_calls(CODE_MAIN, 2),
					 elem_returns(CODE_F, 2), elem_stops(CODE_MAIN + 8, 1) };

	fx->options.by = SL_BY_LINE;
	make_profile(fx);
	run_lane(fx, elems, 5);
	assert_string_equal(column(fx, SL_AXIS_INSNS, "line"), " [no line]");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "executed"), " 2");
	assert_string_equal(column(fx, SL_AXIS_INSNS, "function"), " -");
}

void test_profile__ledger_has_each_repair(void **state)
{
	struct fixture *fx = *state;
	struct sl_elem elems[] = { elem_calls(CODE_MAIN, 1), elem_jumps_far(CODE_F, 2), elem_stops(CODE_G + 16, 1) };

	fx->options.repairs = true;
	make_profile(fx);
	elems[2].offset = 33;
	run_lane(fx, elems, 3);
	assert_non_null(strstr(report(fx, SL_AXIS_INSNS), "[repairs] B 16 jump 1;[ledger] B 16 33 3 jump f;"));
}

void test_profile__columns_are_those_promised(void **state)
{
	static const char *const names[] = { "function", "module", "calls", "missing_entry", "missing_exit", "missing", "total_cycles",
					     "self_cycles", "self_percent", "min_cycles", "avg_cycles", "p99_cycles", "max_cycles",
					     "stdev_cycles", "p50_cycles", "p90_cycles", "p999_cycles", "total_percent", "insns",
					     "self_insns", "ipc", "bounds", "resolution_cycles", "cut_calls" };
	struct sl_column columns[SL_PROFILE_COLUMNS];

	(void)state;
	for (unsigned by = 0; by < SL_PROFILE_KINDS; by++) {
		for (unsigned axis = 0; axis < SL_AXIS_COUNT; axis++)
			assert_in_range(sl_profile_columns((enum sl_profile_by)by, (enum sl_axis)axis, columns), 4, SL_PROFILE_COLUMNS);
	}
	sl_profile_columns(SL_BY_FUNCTION, SL_AXIS_CYCLES, columns);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(columns[i].name, names[i]);
}
