/* SPDX-License-Identifier: Apache-2.0 */
/* What a recording says of itself, and what it lacks: from its event, its metadata and its records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/perf_file.h"
#include "perf_write.h"
#include "sl_capture.h"
#include "temp_files.h"

enum { PMU = 8, TRAILER = 2 | 4 | 128 | 65536, VER7_BYTES = 128, VER8_BYTES = 136 };

static struct perf_writer writer;
static struct sl_notes notes;
static struct sl_capture *capture;

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

/* An event with the fields of attr that matter here. */
static void start(struct perf_write_attr attr)
{
	static const uint64_t ids[] = { 11 };

	notes = (struct sl_notes)SL_NOTES_INIT;
	attr.type = PMU;
	attr.sample_type = TRAILER;
	attr.flags |= 1 << 18;
	attr.ids = ids;
	attr.id_count = 1;
	perf_writer_init(&writer, false);
	perf_write_attr(&writer, attr);
}

/* ETMv4 of count CPUs; ts_source of the last may differ. */
static void put_info(unsigned count, uint64_t ts_source, uint64_t last_ts_source)
{
	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	perf_put64(&writer.records, 3);
	perf_put64(&writer.records, 1);
	perf_put64(&writer.records, (uint64_t)PMU << 32 | count);
	perf_put64(&writer.records, 0);
	for (unsigned i = 0; i < count; i++) {
		const uint64_t block[] = { 0x4040404040404040, i, 8, 0, 0x10 + 2 * i, 0x28000ea1, 0x4100f403, 0x488, 0, 0xcc,
					   i + 1 < count ? ts_source : last_ts_source };

		for (size_t k = 0; k < sizeof(block) / sizeof(*block); k++)
			perf_put64(&writer.records, block[k]);
	}
	perf_write_end(&writer);
}

static void put_time_conv(void)
{
	perf_write_begin(&writer, PERF_TIME_CONV, 0);
	perf_put64(&writer.records, 2);
	perf_put64(&writer.records, 40);
	perf_put64(&writer.records, 7);
	perf_write_end(&writer);
}

static void open_it(void)
{
	struct sl_diag diag = { "" };
	struct perf_bytes whole;
	const char *path;

	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	path = temp_write("perf.data", whole.data, whole.len);
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
	if (sl_capture_open(path, &(struct sl_capture_options){ 0 }, &notes, &capture, &diag) < 0)
		fail_msg("%s", diag.text);
}

static void close_it(void)
{
	sl_capture_free(capture);
	sl_notes_release(&notes);
}

static const char *fact(const char *name)
{
	const struct sl_fact *facts;
	size_t count = sl_capture_facts(capture, &facts);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(facts[i].name, name) == 0)
			return facts[i].value;
	}
	return "";
}

static void check_event(struct perf_write_attr attr, const char *event, const char *options)
{
	start(attr);
	put_info(1, 1, 1);
	open_it();
	assert_string_equal(fact("event"), event);
	assert_string_equal(fact("event options"), options);
	close_it();
}

void test_perf_facts__options_in_words(void **state)
{
	(void)state;
	check_event((struct perf_write_attr){ .config = 0 }, "cs_etm// (config 0x0)", "user and kernel");
	check_event((struct perf_write_attr){ .config = 0x30009100, .flags = 1 << 5 | 2 },
		    "cs_etm/branch_broadcast,cycacc,contextid2,timestamp,retstack/u (config 0x30009100)",
		    "user only, child tasks too, timestamps, cycle counts, thread ids as VMIDs (kernel at EL2), "
		    "all branch targets, return stack");
	check_event((struct perf_write_attr){ .config = 0x4003, .flags = 1 << 4 | 1 << 12 },
		    "cs_etm/preset=3,contextid1/k (config 0x4003)",
		    "kernel only, from exec on, thread ids as context ids, preset 3 of the configuration");
}

/* Linux 7.0 has the interval in bits 7:4, and bit 28 no more. */
void test_perf_facts__timestamp_intervals(void **state)
{
	(void)state;
	check_event((struct perf_write_attr){ .config = 0x40 }, "cs_etm/timestamp=4/ (config 0x40)",
		    "user and kernel, timestamps every 8 ticks of the unit's counter");
	check_event((struct perf_write_attr){ .config = 0xf0 }, "cs_etm/timestamp=15/ (config 0xf0)",
		    "user and kernel, timestamps at sync points only");
}

/* config3 came with VER8 of the attribute; before, it is not there and reads as 0. */
void test_perf_facts__cycle_threshold(void **state)
{
	(void)state;
	check_event((struct perf_write_attr){ .config = 0x1000, .config3 = 0x100, .bytes = VER8_BYTES },
		    "cs_etm/cycacc,cc_threshold=256/ (config 0x1000)", "user and kernel, cycle counts from 256 on");
	check_event((struct perf_write_attr){ .config = 0x1000, .config3 = 0x100, .bytes = VER7_BYTES },
		    "cs_etm/cycacc/ (config 0x1000)", "user and kernel, cycle counts");
}

void test_perf_facts__sink_and_configuration(void **state)
{
	(void)state;
	start((struct perf_write_attr){ .config2 = 0x1234567800000000, .sample_period = 5000 });
	put_info(1, 1, 1);
	open_it();
	assert_string_equal(fact("sink"), "the kernel's choice");
	assert_string_equal(fact("configuration"), "id 0x12345678, one of the kernel's (strobing, AutoFDO)");
	assert_string_equal(fact("sample period"), "5000");
	close_it();
	start((struct perf_write_attr){ .config2 = 0xa61eb707 });
	put_info(1, 1, 1);
	open_it();
	assert_string_equal(fact("sink"), "id 0xa61eb707, asked for");
	assert_string_equal(fact("configuration"), "");
	close_it();
}

static void check_clock(uint64_t ts_source, uint64_t last_ts_source, bool conv, const char *timestamps)
{
	start((struct perf_write_attr){ .config = 0x10000000 });
	put_info(2, ts_source, last_ts_source);
	if (conv)
		put_time_conv();
	open_it();
	assert_string_equal(fact("timestamps"), timestamps);
	assert_string_equal(fact("perf's clock"), conv ? "ns = 7 + (ticks * 40 >> 2)" : "");
	close_it();
}

void test_perf_facts__what_timestamps_count(void **state)
{
	(void)state;
	check_clock(1, 1, true, "count the virtual counter; they can be converted to perf's clock");
	check_clock(1, 1, false, "count the virtual counter; no TIME_CONV record tells how to convert them to perf's clock");
	check_clock(3, 3, true, "count the physical counter; whether that is the counter of perf's clock is not told");
	check_clock(1, 3, true, "count several counters, not the same on all CPUs; whether that is the counter of perf's clock is not told");
	check_clock(UINT64_MAX, UINT64_MAX, true,
		    "count a counter that the metadata does not name; whether that is the counter of perf's clock is not told");
}

/* When the wish with that topic applies and what it says; "" and -1 where there is none. */
static const char *wish(const char *topic, int *ret_when)
{
	const struct sl_wish *wishes;
	size_t count = sl_capture_wishes(capture, &wishes);

	*ret_when = -1;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(wishes[i].topic, topic) != 0)
			continue;
		*ret_when = (int)wishes[i].when;
		return wishes[i].text;
	}
	return "";
}

static void expect_wish(const char *topic, int when, const char *part)
{
	int found;
	const char *text = wish(topic, &found);

	assert_int_equal(found, when);
	if (!strstr(text, part))
		fail_msg("%s: %s", topic, text);
}

/* AUX of a full buffer of len bytes on CPU 0, and of as many that are not in the file. */
static void put_pieces(size_t len, size_t lost)
{
	static uint8_t payload[1 << 16];

	perf_write_begin(&writer, PERF_AUX, 0);
	perf_put64(&writer.records, 0);
	perf_put64(&writer.records, len);
	perf_put64(&writer.records, 1);
	perf_put64(&writer.records, (uint64_t)100 << 32 | 100);
	perf_put64(&writer.records, 1000);
	perf_put64(&writer.records, 0);
	perf_put64(&writer.records, 11);
	perf_write_end(&writer);
	if (lost) {
		perf_write_begin(&writer, PERF_AUX, 0);
		perf_put64(&writer.records, len);
		perf_put64(&writer.records, lost);
		perf_put64(&writer.records, 0);
		perf_put64(&writer.records, (uint64_t)100 << 32 | 100);
		perf_put64(&writer.records, 2000);
		perf_put64(&writer.records, 0);
		perf_put64(&writer.records, 11);
		perf_write_end(&writer);
	}
	perf_write_auxtrace(&writer, 0, UINT32_MAX, 0, 0, payload, len);
}

void test_perf_facts__wishes_of_a_full_buffer(void **state)
{
	(void)state;
	start((struct perf_write_attr){ .config = 0x10000000 });
	put_info(1, 1, 1);
	put_pieces(4096, 4000);
	open_it();
	expect_wish("larger trace buffers", SL_WISH_ALWAYS, "behind 1 pieces, as the buffer was full; the largest of them has 4096 bytes");
	expect_wish("larger trace buffers", SL_WISH_ALWAYS, "four times that, -m ,16K");
	expect_wish("less trace", SL_WISH_ALWAYS, "4000 bytes were traced and are not in the file");
	expect_wish("return stack", SL_WISH_ALWAYS, "cs_etm/retstack/");
	assert_int_equal(sl_capture_lost(capture), 4000);
	close_it();
}

void test_perf_facts__wishes_of_times(void **state)
{
	(void)state;
	start((struct perf_write_attr){ .config = 0 });
	put_info(1, 3, 3);
	put_time_conv();
	open_it();
	expect_wish("timestamps", SL_WISH_NO_TIME, "record with cs_etm/timestamp/");
	expect_wish("clock", SL_WISH_TIME, "timestamps count the physical counter");
	expect_wish("cycle counts", SL_WISH_NO_CYCLES, "record with cs_etm/cycacc/");
	expect_wish("kernel code", SL_WISH_NO_KERNEL, "perf record --kcore");
	expect_wish("larger trace buffers", -1, "");
	expect_wish("return stack", -1, "");
	expect_wish("context ids", -1, "");
	expect_wish("build ids", -1, "");
	close_it();
	start((struct perf_write_attr){ .config = 0x10001000 });
	put_info(1, 1, 1);
	put_time_conv();
	open_it();
	expect_wish("timestamps", SL_WISH_NO_TIME, "were asked for and none came");
	expect_wish("clock", -1, "");
	expect_wish("cycle counts", -1, "");
	close_it();
}

static void put_map_at(uint32_t pid, const char *name, uint64_t time)
{
	perf_write_begin(&writer, PERF_MMAP, 2);
	perf_put32(&writer.records, pid);
	perf_put32(&writer.records, pid);
	perf_put64(&writer.records, 0x400000);
	perf_put64(&writer.records, 0x1000);
	perf_put64(&writer.records, 0);
	perf_put_text(&writer.records, name);
	perf_put64(&writer.records, (uint64_t)pid << 32 | pid);
	perf_put64(&writer.records, time);
	perf_put64(&writer.records, 0);
	perf_put64(&writer.records, 11);
	perf_write_end(&writer);
}

static void put_map(uint32_t pid, const char *name)
{
	put_map_at(pid, name, 500);
}

void test_perf_facts__who_was_recorded(void **state)
{
	const struct sl_process *processes;

	(void)state;
	start((struct perf_write_attr){ .config = 0 });
	put_info(1, 1, 1);
	put_map(100, "/bin/a");
	put_map(200, "/bin/b");
	put_pieces(64, 0);
	open_it();
	expect_wish("context ids", SL_WISH_ALWAYS, "CONFIG_PID_IN_CONTEXTIDR");
	expect_wish("build ids", SL_WISH_ALWAYS, "--buildid-mmap");
	assert_int_equal(sl_capture_processes(capture, &processes), 2);
	assert_int_equal(processes[0].pid, 100);
	assert_string_equal(processes[0].traced, "100");
	assert_int_equal(processes[0].maps, 1);
	assert_int_equal(processes[1].pid, 200);
	assert_null(processes[1].traced);
	assert_int_equal(processes[1].threads, 1);
	close_it();
}

/* Memory that changes is a core for each time; all of them are the process. */
void test_perf_facts__views_are_of_their_process(void **state)
{
	const char *const *names;
	size_t cores;

	(void)state;
	start((struct perf_write_attr){ .config = 0 });
	put_info(1, 1, 1);
	put_map(100, "/bin/a");
	put_map(200, "/bin/b");
	put_pieces(64, 0);
	put_map_at(200, "/bin/c", 3000);
	put_map_at(100, "/bin/d", 4000);
	open_it();
	cores = sl_capture_cores(capture, &names);
	assert_true(cores >= 2 + 1 + 2 * 3);
	for (uint32_t core = 0; core < 3; core++)
		assert_int_equal(sl_capture_core_of(capture, core), core);
	for (uint32_t core = 3; core < cores; core++) {
		assert_true(sl_capture_core_of(capture, core) < 2);
		assert_ptr_equal(names[core], names[sl_capture_core_of(capture, core)]);
	}
	assert_int_equal(sl_capture_core_of(capture, SL_CORE_ANY), SL_CORE_ANY);
	close_it();
}
