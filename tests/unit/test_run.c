/* SPDX-License-Identifier: Apache-2.0 */
/* The run on a made capture of three lanes: what comes out must not depend on jobs or block size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "a64_insn.h"
#include "etm4_encode.h"
#include "frame_encode.h"
#include "sl_map.h"
#include "sl_run.h"
#include "sl_sinks.h"
#include "snapshot_write.h"
#include "temp_dir.h"

enum { CORES = 3, ATOMS = 40000, CODE = 0x1000, STRAY_ID = 0x33, STRAY_BYTES = 77, TIME_EVERY = 50, TICKS = 10,
       LAST_TIME = (ATOMS - 1) * TICKS };

struct fixture {
	struct temp_dir dir;
	struct sl_capture *capture;
	struct sl_image *image;
	size_t lane_bytes[CORES];
};

static unsigned draw(unsigned *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

/* A loop of two branches; each core walks it by other atoms. */
static void encode_core(struct etm4_writer *w, unsigned seed)
{
	const struct etm4_config config = { .minor = 2, .timestamps = true };
	const struct etm4_context context = { .el = 1, .security = 1, .is64 = true };

	etm4_init(w, &config);
	for (int i = 0; i < ATOMS; i++) {
		if (i % 1000 == 0) {
			etm4_async(w);
			etm4_trace_info(w, &(struct etm4_trace_info){ 0 });
			etm4_trace_on(w);
			etm4_address_context(w, (struct etm4_address){ CODE, ETM4_IS0 }, &context);
		}
		etm4_atom_f1(w, draw(&seed) & 1);
		if (i % TIME_EVERY == TIME_EVERY - 1)
			etm4_timestamp(w, (uint64_t)i * TICKS + seed % TICKS);
	}
}

static void write_code(struct fixture *fx)
{
	const uint32_t code[] = { A64_NOP, A64_NOP, 0x54ffffc1 /* b.ne CODE */, A64_NOP, 0x54ffff80 /* b.eq CODE */, 0x17fffffb };

	assert_int_equal(snapshot_write_file(fx->dir.path, "code.bin", code, sizeof(code)), SL_OK);
}

static void write_trace(struct fixture *fx)
{
	static const uint8_t stray[STRAY_BYTES] = { 1, 2, 3 };
	struct etm4_writer w[CORES];
	struct frame_encoder frames;
	size_t at[CORES] = { 0 };
	unsigned seed = 5;

	frame_encoder_init(&frames, &(struct frame_options){ 0 });
	frame_put(&frames, STRAY_ID, stray, sizeof(stray));
	for (unsigned i = 0; i < CORES; i++)
		encode_core(&w[i], i + 1);
	for (size_t left = 1; left;) {
		left = 0;
		for (unsigned i = 0; i < CORES; i++) {
			size_t n = draw(&seed) % 40;

			n = n < w[i].len - at[i] ? n : w[i].len - at[i];
			frame_put(&frames, (uint8_t)(0x10 + 2 * i), w[i].data + at[i], n);
			at[i] += n;
			left += w[i].len - at[i];
		}
	}
	frame_flush(&frames);
	assert_int_equal(snapshot_write_file(fx->dir.path, "trace.bin", frames.data, frames.len), SL_OK);
	for (unsigned i = 0; i < CORES; i++) {
		fx->lane_bytes[i] = w[i].len;
		etm4_release(&w[i]);
	}
	frame_encoder_release(&frames);
}

static void write_ini(struct fixture *fx)
{
	const struct snapshot_dump dump = { "code.bin", CODE, 24, 0 };
	struct etm4_reg regs[CORES][ETM4_REGS];
	struct snapshot_core cores[CORES];
	struct snapshot snapshot = { cores, CORES, "trace.bin", "coresight", 0 };

	for (unsigned i = 0; i < CORES; i++) {
		size_t count = etm4_registers(&(struct etm4_config){ .minor = 2, .timestamps = true }, (uint8_t)(0x10 + 2 * i), regs[i]);

		cores[i] = (struct snapshot_core){ "Cortex-A53", &dump, 1, "ETM4", regs[i], count };
	}
	assert_int_equal(snapshot_write(&snapshot, fx->dir.path), SL_OK);
}

int group_setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_diag diag = { "" };

	assert_non_null(fx);
	temp_dir_make(&fx->dir);
	write_code(fx);
	write_trace(fx);
	write_ini(fx);
	assert_int_equal(sl_capture_open(fx->dir.path, &(struct sl_capture_options){ 0 }, &notes, &fx->capture, &diag), SL_OK);
	assert_int_equal(sl_capture_load_image(fx->capture, &notes, &fx->image, &diag), SL_OK);
	sl_notes_release(&notes);
	*state = fx;
	return 0;
}

int group_teardown(void **state)
{
	struct fixture *fx = *state;

	sl_image_free(fx->image);
	sl_capture_free(fx->capture);
	temp_dir_remove(&fx->dir);
	free(fx);
	return 0;
}

static int run_ranges(struct fixture *fx, struct sl_run_options options, char **ret, struct sl_run_result *result,
		      struct sl_diag *diag)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_outputs *outs;
	struct sl_sink sink;
	size_t len;
	FILE *out = open_memstream(ret, &len);
	int code;

	assert_non_null(out);
	assert_int_equal(sl_outputs_new(out, NULL, NULL, &outs), SL_OK);
	sl_ranges_sink(outs, &sink);
	options.capture = fx->capture;
	options.image = fx->image;
	options.sinks = &sink;
	options.sink_count = 1;
	code = sl_run(&options, &notes, result, diag);
	assert_int_equal(sl_outputs_close(outs), SL_OK);
	fclose(out);
	sl_notes_release(&notes);
	return code;
}

void test_run__jobs_and_blocks_change_nothing(void **state)
{
	static const size_t blocks[] = { 1, 7, 16, 1000, 0 };
	struct fixture *fx = *state;
	char *first = NULL;

	for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
		for (size_t i = 0; i < 5; i++) {
			struct sl_run_result result;
			char *text = NULL;

			assert_int_equal(run_ranges(fx, (struct sl_run_options){ .trace_id = -1, .jobs = jobs, .block_bytes = blocks[i] },
						    &text, &result, NULL), SL_OK);
			if (!first)
				first = strdup(text);
			assert_string_equal(text, first);
			free(text);
			sl_run_result_release(&result);
		}
	}
	/* a range an atom, and lanes in order of their ids */
	assert_non_null(strstr(first, "10 1000 100c 1 "));
	assert_true(strstr(first, "\n12 ") > strstr(first, "10 1000"));
	assert_true(strstr(first, "\n14 ") > strstr(first, "\n12 "));
	free(first);
}

void test_run__bytes_are_accounted_for(void **state)
{
	struct fixture *fx = *state;
	struct sl_run_result result;
	const struct sl_demux_stats *demux;
	uint64_t sum = 0;
	char *text;

	assert_int_equal(run_ranges(fx, (struct sl_run_options){ .trace_id = -1 }, &text, &result, NULL), SL_OK);
	demux = &result.buffers[0].demux;
	for (unsigned i = 0; i < SL_TRACE_IDS; i++)
		sum += demux->lane_bytes[i];
	assert_int_equal(sum + demux->frame_bytes + demux->unknown_id_bytes + demux->skipped_bytes, demux->bytes);
	for (unsigned i = 0; i < CORES; i++)
		assert_int_equal(demux->lane_bytes[0x10 + 2 * i], fx->lane_bytes[i]);
	assert_int_equal(result.lanes, CORES);
	assert_int_equal(result.buffers[0].unclaimed[STRAY_ID], STRAY_BYTES);
	assert_int_equal(result.buffers[0].unclaimed[0x10], 0);
	free(text);
	sl_run_result_release(&result);
}

void test_run__one_id_alone(void **state)
{
	struct fixture *fx = *state;
	struct sl_run_result result;
	char *text;

	assert_int_equal(run_ranges(fx, (struct sl_run_options){ .trace_id = 0x12 }, &text, &result, NULL), SL_OK);
	assert_int_equal(strncmp(text, "12 1000 ", 8), 0);
	assert_null(strstr(text, "\n10 "));
	assert_int_equal(result.lanes, 1);
	free(text);
	sl_run_result_release(&result);
}

void test_run__what_is_not_there_is_named(void **state)
{
	struct fixture *fx = *state;
	struct sl_run_result result;
	struct sl_diag diag = { "" };
	char *text = NULL;

	assert_int_equal(run_ranges(fx, (struct sl_run_options){ .trace_id = 0x44 }, &text, &result, &diag), SL_ERR_CONFIG);
	assert_string_equal(diag.text, "no source has trace id 0x44; there are: 0x10 0x12 0x14");
	free(text);
	text = NULL;
	assert_int_equal(run_ranges(fx, (struct sl_run_options){ .trace_id = -1, .buffer = "nosuch" }, &text, &result, &diag),
			 SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "no buffer is named 'nosuch'; there are:"));
	free(text);
}

/* Offsets of elements are those of the buffer: the bytes there are the packet's. */
struct offset_check {
	const uint8_t *bytes;
	size_t checked;
};

static int check_begin(void *sink, const struct sl_lane *lane, void **shard)
{
	(void)lane;
	*shard = sink;
	return SL_OK;
}

static void check_packet(void *shard, const struct sl_packet *packet)
{
	struct offset_check *check = shard;

	if (strcmp(packet->name, "I_TRACE_INFO") != 0)
		return;
	assert_int_equal(packet->bytes[0], 1);
	/* an even byte of a frame has its lowest bit elsewhere */
	assert_int_equal(check->bytes[packet->offset] | (packet->offset % 2 ? 0 : 1), 1);
	check->checked++;
}

static int check_end(void *sink, void *shard, const struct sl_lane *lane)
{
	(void)sink;
	(void)shard;
	(void)lane;
	return SL_OK;
}

static void check_drop(void *shard)
{
	(void)shard;
}

void test_run__offsets_are_those_of_the_buffer(void **state)
{
	static const struct sl_sink_ops ops = { .name = "check", .begin = check_begin, .packet = check_packet,
						.end = check_end, .drop = check_drop };
	struct fixture *fx = *state;
	static uint8_t bytes[1 << 21];
	struct offset_check check = { bytes, 0 };
	struct sl_sink sink = { &ops, &check };
	struct sl_run_options options = { .capture = fx->capture, .image = fx->image, .sinks = &sink, .sink_count = 1,
					  .trace_id = -1, .jobs = 1 };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;

	assert_true(sl_capture_read(fx->capture, 0, 0, bytes, sizeof(bytes)) > 0);
	assert_int_equal(sl_run(&options, &notes, &result, NULL), SL_OK);
	assert_int_equal(check.checked, CORES * ATOMS / 1000);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
}

/* Positions count the lane's own bytes: they ascend to no more than all, and no block size moves them. */
struct position_check {
	const struct sl_lane *lane;
	uint64_t last, sum, count;
};

static int position_begin(void *sink, const struct sl_lane *lane, void **shard)
{
	struct position_check *check = sink;

	check += lane->index;
	*check = (struct position_check){ .lane = lane };
	*shard = check;
	return SL_OK;
}

static int position_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct position_check *check = shard;

	for (size_t i = 0; i < len; i++) {
		assert_true(check->lane->positions[i] >= check->last && check->lane->positions[i] <= check->lane->bytes);
		check->last = check->lane->positions[i];
		check->sum += elems[i].kind * check->last;
		check->count++;
	}
	return SL_OK;
}

static void check_positions(struct fixture *fx, size_t block_bytes, struct position_check *checks)
{
	static const struct sl_sink_ops ops = { .name = "positions", .wants_positions = true, .wants_ranges = true, .begin = position_begin,
						.elems = position_elems, .end = check_end, .drop = check_drop };
	struct sl_sink sink = { &ops, checks };
	struct sl_run_options options = { .capture = fx->capture, .image = fx->image, .sinks = &sink, .sink_count = 1,
					  .trace_id = -1, .jobs = 1, .block_bytes = block_bytes };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;

	assert_int_equal(sl_run(&options, &notes, &result, NULL), SL_OK);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
}

void test_run__positions_are_those_of_the_lane(void **state)
{
	struct position_check whole[CORES], cut[CORES];
	struct fixture *fx = *state;

	check_positions(fx, 0, whole);
	check_positions(fx, 100, cut);
	for (int i = 0; i < CORES; i++) {
		assert_true(whole[i].last > fx->lane_bytes[i] * 9 / 10 && whole[i].last <= fx->lane_bytes[i]);
		assert_true(whole[i].count > 50);
		assert_int_equal(whole[i].sum, cut[i].sum);
	}
}

/* Elements in turns: who they come from, and what they are, in one row. */
struct turns {
	uint64_t now[CORES];	/* the last timestamp of each */
	uint64_t hash, batches, elems;
};
struct turn_lane {
	struct turns *turns;
	size_t index;
};

static int turn_begin(void *sink, const struct sl_lane *lane, void **shard)
{
	struct turn_lane *mine = calloc(1, sizeof(*mine));

	assert_non_null(mine);
	*mine = (struct turn_lane){ sink, lane->index };
	*shard = mine;
	return SL_OK;
}

/* Who has a turn is not ahead of the others that go on. */
static int turn_take(void *shard, const struct sl_elem *elems, size_t len, bool apart)
{
	struct turn_lane *mine = shard;
	struct turns *turns = mine->turns;
	uint64_t *now = &turns->now[mine->index];

	assert_false(apart);
	for (size_t i = 0; i < CORES && *now; i++)
		assert_true(!turns->now[i] || turns->now[i] >= LAST_TIME || *now <= turns->now[i]);
	for (size_t i = 0; i < len; i++) {
		if (elems[i].kind == SL_ELEM_TIME)
			*now = elems[i].value;
		turns->hash = sl_hash(turns->hash, &mine->index, sizeof(mine->index));
		turns->hash = sl_hash(turns->hash, &elems[i].offset, sizeof(elems[i].offset));
	}
	turns->elems += len;
	turns->batches++;
	return SL_OK;
}

static int turn_end(void *sink, void *shard, const struct sl_lane *lane)
{
	(void)lane;
	((struct turns *)sink)->now[((struct turn_lane *)shard)->index] = UINT64_MAX;
	free(shard);
	return SL_OK;
}

static struct turns take_turns(struct fixture *fx, unsigned jobs, size_t block_bytes)
{
	static const struct sl_sink_ops ops = { .name = "turns", .wants_ranges = true, .begin = turn_begin, .turn = turn_take, .end = turn_end,
						.drop = free };
	struct turns turns = { .hash = SL_HASH_SEED };
	struct sl_sink sink = { &ops, &turns };
	struct sl_run_options options = { .capture = fx->capture, .image = fx->image, .sinks = &sink, .sink_count = 1,
					  .trace_id = -1, .jobs = jobs, .block_bytes = block_bytes };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;

	assert_int_equal(sl_run(&options, &notes, &result, NULL), SL_OK);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
	return turns;
}

void test_run__turns_are_in_order_of_time(void **state)
{
	static const size_t blocks[] = { 1, 1000, 0 };
	struct fixture *fx = *state;
	struct turns first = take_turns(fx, 1, 0);

	assert_true(first.elems > 1000);
	assert_true(first.batches > (uint64_t)ATOMS / TIME_EVERY);
	for (unsigned jobs = 1; jobs <= 7; jobs += 3) {
		for (size_t i = 0; i < 3; i++) {
			struct turns turns = take_turns(fx, jobs, blocks[i]);

			assert_int_equal(turns.elems, first.elems);
			assert_int_equal(turns.hash, first.hash);
		}
	}
}

/* Ranges that a run's sinks get, and those that were merged into them. */
struct range_count {
	uint64_t ranges, merged;
};

static int count_begin(void *sink, const struct sl_lane *lane, void **shard)
{
	*shard = sink;
	return SL_OK;
}

static int count_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	for (size_t i = 0; i < len; i++)
		((struct range_count *)shard)->ranges += elems[i].kind == SL_ELEM_RANGE;
	return SL_OK;
}

static int count_end(void *sink, void *shard, const struct sl_lane *lane)
{
	((struct range_count *)sink)->merged += lane->merged;
	return SL_OK;
}

static const struct sl_sink_ops count_any = { .name = "any", .begin = count_begin, .elems = count_elems, .end = count_end,
					      .drop = check_drop };
static const struct sl_sink_ops count_each = { .name = "each", .wants_ranges = true, .begin = count_begin,
					       .elems = count_elems, .end = count_end, .drop = check_drop };

static struct range_count count_ranges(struct fixture *fx, const struct sl_sink_ops *second, enum sl_engine against)
{
	struct range_count counts[2] = { { 0, 0 } };
	const struct sl_sink sinks[] = { { &count_any, &counts[0] }, { second, &counts[1] } };
	struct sl_run_options options = { .capture = fx->capture, .image = fx->image, .sinks = sinks, .sink_count = 2,
					  .trace_id = -1, .jobs = 1, .against = against };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_run_result result;

	assert_int_equal(sl_run(&options, &notes, &result, NULL), SL_OK);
	assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
	sl_run_result_release(&result);
	sl_notes_release(&notes);
	return counts[0];
}

void test_run__ranges_are_merged_where_nobody_wants_each(void **state)
{
	struct range_count merged = count_ranges(*state, &count_any, SL_ENGINE_AUTO);
	struct range_count each = count_ranges(*state, &count_each, SL_ENGINE_AUTO);
	struct range_count compared = count_ranges(*state, &count_any, SL_ENGINE_OPENCSD);

	assert_true(merged.merged > 0);
	assert_int_equal(merged.ranges + merged.merged, each.ranges);
	assert_int_equal(each.merged, 0);
	assert_int_equal(compared.ranges, each.ranges);
	assert_int_equal(compared.merged, 0);
}
