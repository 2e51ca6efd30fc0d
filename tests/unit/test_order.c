/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which lane goes next. Each lane is written as a row of words: "100" a timestamp, "a" an element, "=7" context 7, "|" the end of an epoch,
 * "[100-200" a piece of the file that is of these times (the log has "|" where one such file is read on).
 * The log has the words in the order in which they are taken, with the lane's name before each batch; "!" where its task is apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "order.h"

enum { LANES_MAX = 3, STRETCHES_MAX = 16 };

struct fixture {
	struct sl_run_options options;
	struct sl_sink sink;
	struct sl_stream stream;
	struct lane lanes[LANES_MAX];
	void *shards[LANES_MAX];
	struct shard {
		struct fixture *fx;
		char name;
		uint64_t looked, settled;
	} names[LANES_MAX];
	size_t first[LANES_MAX + 1]; /* lane of each buffer */
	size_t epochs[LANES_MAX];
	struct sl_stretch stretches[STRETCHES_MAX]; /* those of each lane in a row; a buffer's are its first lane's */
	size_t stretch_count, first_stretch[LANES_MAX + 1];
	char log[1024];
	char last;
};

static void write_elem(char *text, size_t size, const struct sl_elem *elem)
{
	if (elem->kind == SL_ELEM_TIME)
		snprintf(text, size, " %d", (int)elem->value);
	else if (elem->kind == SL_ELEM_CONTEXT)
		snprintf(text, size, " =%u", elem->context.context_id);
	else
		snprintf(text, size, " %c", (char)elem->count);
}

static int take(void *self, const struct sl_elem *elems, size_t len, bool apart)
{
	const struct shard *shard = self;
	char *log = shard->fx->log;
	char word[32];

	if (apart || shard->fx->last != shard->name)
		snprintf(log + strlen(log), sizeof(shard->fx->log) - strlen(log), "%s%c%s", *log ? " " : "", shard->name,
			 apart ? "!" : "");
	shard->fx->last = shard->name;
	for (size_t i = 0; i < len; i++) {
		write_elem(word, sizeof(word), &elems[i]);
		strncat(log, word, sizeof(shard->fx->log) - strlen(log) - 1);
	}
	return SL_OK;
}

static void add_stretch(struct fixture *fx, size_t lane, const char *times)
{
	struct sl_stretch *stretch = &fx->stretches[fx->stretch_count++];
	char *end;

	assert_true(fx->stretch_count <= STRETCHES_MAX);
	stretch->restart = true;
	stretch->window.from_ns = strtoull(times, &end, 10);
	stretch->window.to_ns = strtoull(end + 1, NULL, 10);
	assert_int_equal(window_stretch(&fx->lanes[lane].window, stretch), SL_OK);
}

static void add_word(struct fixture *fx, size_t lane, const char *word)
{
	struct sl_elem elem = { .kind = SL_ELEM_RANGE, .count = (unsigned char)*word };

	if (*word == '|') {
		assert_int_equal(window_end_epoch(&fx->lanes[lane].window), SL_OK);
		fx->epochs[lane]++;
		return;
	}
	if (*word == '[') {
		add_stretch(fx, lane, word + 1);
		return;
	}
	if (*word == '=')
		elem = (struct sl_elem){ .kind = SL_ELEM_CONTEXT,
					 .context = { .context_id = (uint32_t)atoi(word + 1), .flags = SL_CTX_ID } };
	else if (*word >= '0' && *word <= '9')
		elem = (struct sl_elem){ .kind = SL_ELEM_TIME, .value = (uint64_t)atoi(word) };
	assert_int_equal(window_add(&fx->lanes[lane].window, &elem, 1), SL_OK);
}

static int more(void *ctx, size_t buffer)
{
	struct fixture *fx = ctx;
	size_t lane = fx->first[buffer];

	if (!fx->lanes[lane].window.end_len)
		return SL_END;
	if (fx->stretch_count) {
		strncat(fx->log, *fx->log ? " |" : "|", sizeof(fx->log) - strlen(fx->log) - 1);
		fx->last = 0;
	}
	for (; lane < fx->first[buffer + 1]; lane++)
		assert_int_equal(lane_open_epoch(&fx->lanes[lane]), SL_OK);
	return SL_OK;
}

/* What comes before the last time that was looked at may have its turn. */
static uint64_t look_for_time(void *self, const struct sl_elem *elems, size_t len)
{
	struct shard *shard = self;

	for (size_t i = 0; i < len; i++) {
		shard->looked++;
		if (elems[i].kind == SL_ELEM_TIME)
			shard->settled = shard->looked;
	}
	return shard->settled;
}

static void add_lanes(const struct fixture *fx, struct order *order, struct lane *const *lanes, size_t first, size_t count)
{
	const struct sl_stretch *stretches = &fx->stretches[fx->first_stretch[first]];
	size_t stretch_count = fx->first_stretch[first + 1] - fx->first_stretch[first];

	assert_int_equal(order_add(order, lanes, count, stretches, stretch_count), SL_OK);
}

/* Lanes in order; those of one buffer have as many epochs. together: all are of one buffer. */
static struct order_doubts run_with(const struct sl_sink_ops *ops, bool together, const char *expected, size_t count,
				    const char *const *texts)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct order_doubts doubts;
	struct lane *lanes[LANES_MAX];
	struct order *order;

	assert_non_null(fx);
	fx->sink = (struct sl_sink){ ops, fx };
	fx->options = (struct sl_run_options){ .sinks = &fx->sink, .sink_count = 1 };
	assert_int_equal(order_new(NULL, &order), SL_OK);
	for (size_t i = 0; i < count; i++) {
		char text[512], *save, *word;

		fx->first_stretch[i] = fx->stretch_count;

		fx->names[i] = (struct shard){ .fx = fx, .name = (char)('A' + i) };
		fx->shards[i] = &fx->names[i];
		fx->lanes[i].options = &fx->options;
		fx->lanes[i].shards = &fx->shards[i];
		fx->lanes[i].info.stream = &fx->stream;
		lanes[i] = &fx->lanes[i];
		snprintf(text, sizeof(text), "%s |", texts[i]);
		for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
			add_word(fx, i, word);
		fx->first[i + 1] = together ? count : i + 1;
		fx->first_stretch[i + 1] = fx->stretch_count;
		if (!together)
			add_lanes(fx, order, &lanes[i], i, 1);
	}
	fx->first[1] = together ? count : 1;
	if (together)
		add_lanes(fx, order, lanes, 0, count);
	assert_int_equal(order_run(order, more, fx), SL_OK);
	if (expected)
		assert_string_equal(fx->log, expected);
	doubts = *order_doubts(order);
	order_free(order);
	for (size_t i = 0; i < count; i++) {
		assert_true(window_is_empty(&fx->lanes[i].window));
		window_release(&fx->lanes[i].window);
	}
	free(fx);
	return doubts;
}

static struct order_doubts run(bool together, const char *expected, size_t count, const char *const *texts)
{
	static const struct sl_sink_ops ops = { .name = "log", .turn = take };

	return run_with(&ops, together, expected, count, texts);
}

static struct order_doubts run2(bool together, const char *expected, const char *a, const char *b)
{
	return run(together, expected, 2, (const char *const[]){ a, b });
}

void test_order__who_is_behind_goes_on(void **state)
{
	(void)state;
	run2(false, "A 10 B 20 A a 30 B b 40 A c", "10 a 30 c", "20 b 40");
}

void test_order__epochs_do_not_show(void **state)
{
	(void)state;
	run2(false, "A 10 B 20 A a 30 B b 40 A c", "10 | a | 30 c", "20 b 40");
	run2(true, "A 10 B 20 A a 30 B b 40 A c", "10 a 30 c | |", "20 | b | 40");
}

/* Lane A says nothing any more: B goes on without it. */
void test_order__nobody_waits_for_the_silent(void **state)
{
	(void)state;
	run2(true, "A 10 B 20 b 30 c 40 d 50 e 60 A a", "10 | | | | | | a", "20 b | 30 c | 40 d | 50 e | 60 |");
}

void test_order__without_times_the_first_goes_first(void **state)
{
	(void)state;
	run2(true, "A a b B c d", "a b", "c d");
}

/* Task 7 leaves A between 20 and 40. B has it from 30 at the latest, and waits until A has passed that or let go. */
void test_order__a_task_comes_when_it_has_left(void **state)
{
	const struct order_doubts none = { 0 };
	struct order_doubts doubts;

	(void)state;
	doubts = run2(false, "B b 25 A =7 a 20 b B =7 c 30 d A =8 40",
		      "=7 a 20 b =8 40", "b 25 =7 c 30 d");
	assert_memory_equal(&doubts, &none, sizeof(none));
}

/* B has task 7 at 180 and still at 300, so that its stay on A, which is over at 200, came before. */
void test_order__stays_of_a_task_do_not_overlap(void **state)
{
	struct order_doubts doubts;

	(void)state;
	doubts = run2(false, "A 95 B 90 b A =7 s B =7 c 180 d 300 A =9 200 t B =8 e 320", "95 =7 s =9 200 t", "90 b =7 c 180 d 300 =8 e 320");
	assert_int_equal(doubts.orders, 0);
}

/* Both orders may be: who is left first goes first, and it is told. */
void test_order__who_left_first_goes_first(void **state)
{
	struct order_doubts doubts;

	(void)state;
	doubts = run2(false, "A 95 B 90 b =7 c =8 180 A =7 s =9 200", "95 =7 s =9 200", "90 b =7 c =8 180");
	assert_int_equal(doubts.orders, 1);
}

/* Whoever is seen on two lanes at once is not one task. */
void test_order__an_id_of_several(void **state)
{
	struct order_doubts doubts;

	(void)state;
	doubts = run2(false, NULL, "10 =7 a 20 b 30 c 40 d 50", "12 =7 x 22 y 32 z 42 =8 50 =7 w 60");
	assert_int_equal(doubts.several, 1);
	assert_int_equal(doubts.several_id, 7ull << 32);
	run2(false, "A 10 B 12 A =7 a 20 b 30 c 40 B! =7 x 22 y 32 z 42 A d 50 B =8 50 B! =7 w 60", "10 =7 a 20 b 30 c 40 d 50",
	     "12 =7 x 22 y 32 z 42 =8 50 =7 w 60");
}

/* No source in it can be decoded, or none was asked for. */
void test_order__a_buffer_without_lanes(void **state)
{
	(void)state;
	run(true, "", 0, NULL);
}

/* No time, no order: each lane has its own. */
void test_order__without_times_nobody_is_joined(void **state)
{
	(void)state;
	run2(false, "A! =7 a B! =7 b", "=7 a", "=7 b");
}

/* Who has to look ahead gets nothing whose time is not known: more is read first. A lane that is silent for long is not waited for. */
void test_order__waits_for_what_comes_behind(void **state)
{
	static const struct sl_sink_ops ops = { .name = "log", .turn = take, .look = look_for_time };

	(void)state;
	run_with(&ops, false, "A 10 B 15 A a 20 B b c 25 A x", 2,
		 (const char *const[]){ "10 a | 20 x", "15 b | c 25" });
	run_with(&ops, true, NULL, 2, (const char *const[]){ "10 a | b | c | d | e | f | 90", "15 b | 16 | 17 | 18 | 19 | 20 | 95" });
}

/* Within a piece there is no time but the file's order: what is there is taken before more is read, whatever the others may still say. */
void test_order__within_a_piece_the_file_tells(void **state)
{
	(void)state;
	run2(true, "| A a B x | A b | B y", "[100-200 a | b |", "[100-200 x | | y");
	run2(true, "| A a | A b | A c | B y", "[100-200 a | b | [200-300 c |", "[100-200 | | [200-300 | y");
}

/* A task must have come by the end of its piece: what other files have of that time goes first, and nobody looks for a time behind it. */
void test_order__a_task_comes_by_the_end_of_its_piece(void **state)
{
	(void)state;
	run2(false, "| | A a B x | B y | A =8 b | A c B z", "[100-200 a =8 b | c", "[100-150 x | [150-200 y | [200-300 z");
	run2(true, "| A a =8 b | B x =7 y | A c B z", "[100-200 a =8 b | | c", "[100-200 | x =7 y | [200-300 z");
}

/* Pieces of two sinks in one buffer: what comes later in the file may have been earlier, and more of it is read before anybody goes on. */
void test_order__pieces_of_several_sinks_are_waited_for(void **state)
{
	(void)state;
	run2(true, "| | A a | B x A c B z", "[100-200 a | [50-250 | [300-400 c", "[100-200 | [50-250 x | [300-400 z");
}
