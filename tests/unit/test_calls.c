/* SPDX-License-Identifier: Apache-2.0 */
/* Whether tasks that nobody told apart may have met on one call stack, and what is said of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_calls.h"

struct fixture {
	struct sl_image *image;
	struct sl_calls *calls;
	struct sl_buffer buffer;
	struct sl_stream stream;
	char text[600];
};

int case_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));

	assert_non_null(fx);
	fx->image = code_image();
	assert_non_null(fx->image);
	assert_int_equal(sl_calls_new(fx->image, NULL, 0, &fx->calls), SL_OK);
	fx->buffer.name = "B";
	fx->stream = (struct sl_stream){ .name = "E", .trace_id = 16, .config = { .protocol = SL_PROTOCOL_ETMV4 } };
	*state = fx;
	return 0;
}

int case_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_calls_free(fx->calls);
	sl_image_free(fx->image);
	free(fx);
	return 0;
}

static void run_lane(struct fixture *fx, const struct sl_elem *elems, size_t len)
{
	const struct sl_lane lane = { .buffer = &fx->buffer, .stream = &fx->stream };
	struct sl_sink sink;
	void *shard;

	sl_calls_sink(fx->calls, &sink);
	assert_int_equal(sink.ops->begin(sink.self, &lane, &shard), SL_OK);
	assert_int_equal(sink.ops->turn(shard, elems, len, false), SL_OK);
	assert_int_equal(sink.ops->end(sink.self, shard, &lane), SL_OK);
}

/* An interrupt of f returns into the middle of task_b. */
static void run_switch(struct fixture *fx, struct sl_elem context)
{
	const struct sl_elem elems[] = {
		elem_gap(SL_GAP_FILTER, 0), context, elem_calls(CODE_MAIN, 2), elem_stops(CODE_F, 2),
		elem_exception(5, CODE_F + 8), elem_erets(CODE_VECTORS, 3), elem_stops(CODE_TASK_B + 0x20, 2),
	};

	run_lane(fx, elems, sizeof(elems) / sizeof(elems[0]));
}

static bool is_untold(struct fixture *fx)
{
	strcpy(fx->text, "untouched");
	return sl_calls_untold(fx->calls, NULL, fx->text, sizeof(fx->text));
}

void test_calls__what_looks_like_a_switch_is_told(void **state)
{
	struct fixture *fx = *state;

	assert_false(is_untold(fx));
	run_switch(fx, elem_time(1));
	assert_true(is_untold(fx));
	assert_string_equal(fx->text, "B, trace id 0x10: nothing tells which task ran, so all that ran there has one call stack; 1 time it went on "
				      "where no open call explains it, as if tasks had switched: switch context ids on for the next capture "
				      "(TRCCONFIGR bit 6, ETMCR bits 14 and 15)");
	fx->stream.trace_id = 17;
	run_switch(fx, elem_time(1));
	assert_true(is_untold(fx));
	assert_memory_equal(fx->text, "B, trace id 0x10 (and 1 more): ", 31);
}

/* A named task's repairs are something else; one stack that explains all needs no word. */
void test_calls__named_or_explained_is_not_told(void **state)
{
	struct fixture *fx = *state;
	const struct sl_elem explained[] = {
		elem_gap(SL_GAP_FILTER, 0), elem_calls(CODE_MAIN, 2), elem_stops(CODE_F, 2),
		elem_exception(5, CODE_F + 8), elem_erets(CODE_VECTORS, 3), elem_returns(CODE_F + 8, 2), elem_stops(CODE_MAIN + 8, 2),
	};

	run_switch(fx, elem_context(7));
	assert_false(is_untold(fx));
	run_lane(fx, explained, sizeof(explained) / sizeof(explained[0]));
	assert_false(is_untold(fx));
	assert_string_equal(fx->text, "untouched");
}

void test_calls__what_to_do_depends_on_the_unit(void **state)
{
	struct fixture *fx = *state;

	sl_config_set(&fx->stream.config, SL_REG_TRCIDR2, 0);
	run_switch(fx, elem_time(1));
	assert_true(is_untold(fx));
	assert_non_null(strstr(fx->text, ": its trace unit has no context ids; --root FUNCTION"));
	sl_config_set(&fx->stream.config, SL_REG_TRCIDR2, 0x88);
	assert_true(is_untold(fx));
	assert_non_null(strstr(fx->text, ": switch context ids on for the next capture"));
	sl_config_set(&fx->stream.config, SL_REG_TRCCONFIGR, 1 << 6);
	assert_true(is_untold(fx));
	assert_non_null(strstr(fx->text, ": it has context ids, but of no task: let the system write them"));
}
