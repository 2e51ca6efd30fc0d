/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A perf.data as a capture: two processes have different programs at one address, and what tells them apart is the
 * context id in the trace, or the thread of the buffer. Each program is one function: two instructions in the first,
 * three in the second.
 */
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
#include "jitdump_write.h"
#include "mini_elf.h"
#include "perf/perf_file.h"
#include "perf_write.h"
#include "sl_capture.h"
#include "sl_run.h"
#include "sl_sinks.h"
#include "temp_files.h"

#define KERNEL 0xffff800008000000ull

enum { CODE = 0x400000, FIRST_PID = 100, SECOND_PID = 200, TRACE_ID = 0x10, CPU = 5, TRAILER = 2 | 4 | 128 | 65536 };

static struct perf_writer writer;
static struct sl_notes notes;
static struct sl_diag diag;
static uint64_t now, aux_at;
static uint64_t called; /* by the pieces */
static size_t missed;	/* files that the image misses in the view of all times */
static bool timed;	/* timestamps in the trace: twice the time of the records */
static char symfs[256];

/* A program of count instructions, the last of which returns; its build id is 20 times fill. */
static void write_program(const char *name, unsigned count, uint8_t fill)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	uint32_t code[4] = { A64_NOP, A64_NOP, A64_NOP, A64_NOP };
	uint8_t note[36] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	unsigned text;

	code[count - 1] = A64_RET_X30;
	memset(note + 16, fill, 20);
	text = mini_elf_section(elf, &(struct mini_section){ .name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
							     .addr = CODE, .align = 4096, .data = code, .len = sizeof(code) });
	mini_elf_segment(elf, text, PF_R | PF_X);
	mini_elf_section(elf, &(struct mini_section){ .name = ".note.gnu.build-id", .type = SHT_NOTE, .align = 4,
						      .data = note, .len = sizeof(note) });
	mini_elf_symbol(elf, MINI_SYMTAB, name, CODE, sizeof(code), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	mini_elf_write(elf, temp_path(name));
}

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	temp_write("first", "", 0);
	write_program("first", 2, 0x11);
	write_program("second", 3, 0x22);
	snprintf(symfs, sizeof(symfs), "%s", temp_path("first"));
	*strrchr(symfs, '/') = '\0';
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static void trailer(uint32_t tid)
{
	perf_put32(&writer.records, tid);
	perf_put32(&writer.records, tid);
	perf_put64(&writer.records, now++);
	perf_put32(&writer.records, CPU);
	perf_put32(&writer.records, 0);
	perf_put64(&writer.records, 11);
}

/* MMAP2 of the whole file, with a build id where fill is not 0. */
static void put_map(uint32_t pid, const char *name, uint8_t fill)
{
	uint8_t id[24] = { 20 };

	memset(id + 4, fill, 20);
	perf_write_begin(&writer, PERF_MMAP2, fill ? 0x4002 : 2);
	perf_put32(&writer.records, pid);
	perf_put32(&writer.records, pid);
	perf_put64(&writer.records, CODE);
	perf_put64(&writer.records, 0x1000);
	perf_put64(&writer.records, 0x1000);
	perf_put(&writer.records, id, sizeof(id));
	perf_put32(&writer.records, 5);
	perf_put32(&writer.records, 2);
	perf_put_text(&writer.records, name);
	trailer(pid);
	perf_write_end(&writer);
}

/* Ticks of the virtual counter into the time of the records: half of them. */
static void put_time_conv(void)
{
	perf_write_begin(&writer, PERF_TIME_CONV, 0);
	perf_put64(&writer.records, 1);
	perf_put64(&writer.records, 1);
	perf_put64(&writer.records, 0);
	perf_write_end(&writer);
}

/* The registers of one CPU; context ids are traced where cid is set. Timestamps are of the virtual counter. */
static void put_info(bool cid)
{
	const struct etm4_config config = { .minor = 2, .context_id = cid, .timestamps = timed };
	static const char *const names[] = { "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
					     "TRCAUTHSTATUS" };
	struct etm4_reg regs[ETM4_REGS];
	size_t count = etm4_registers(&config, TRACE_ID, regs);

	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	perf_put32(&writer.records, 3);
	perf_put32(&writer.records, 0);
	perf_put64(&writer.records, 1);
	perf_put64(&writer.records, 8ull << 32 | 1);
	perf_put64(&writer.records, 0);
	perf_put64(&writer.records, 0x4040404040404040);
	perf_put64(&writer.records, CPU);
	perf_put64(&writer.records, 8);
	for (size_t i = 0; i < 7; i++) {
		uint32_t value = 0;

		for (size_t k = 0; k < count; k++)
			value = strcmp(regs[k].name, names[i]) == 0 ? regs[k].value : value;
		perf_put64(&writer.records, value);
	}
	perf_put64(&writer.records, 1);
	perf_write_end(&writer);
	if (timed)
		put_time_conv();
}

static void start(bool cid)
{
	static const uint64_t ids[] = { 11 };

	now = 1000;
	aux_at = 0;
	called = CODE;
	notes = (struct sl_notes)SL_NOTES_INIT;
	perf_writer_init(&writer, false);
	perf_write_attr(&writer, (struct perf_write_attr){ .type = 8, .sample_type = TRAILER, .flags = 1 << 18, .ids = ids,
							   .id_count = 1 });
	put_info(cid);
}

/* A session begins, with or without context ids. */
static void encode_start(struct etm4_writer *w, bool cid)
{
	const struct etm4_config config = { .minor = 2, .context_id = cid, .timestamps = timed };

	etm4_init(w, &config);
	etm4_async(w);
	etm4_trace_info(w, &(struct etm4_trace_info){ 0 });
	etm4_trace_on(w);
}

/* One call of the program at CODE. */
static void encode_call(struct etm4_writer *w, uint32_t context_id)
{
	const struct etm4_context context = { .security = 1, .is64 = true, .context_id = context_id };

	etm4_address_context(w, (struct etm4_address){ called, ETM4_IS0 }, &context);
	etm4_atom_f1(w, 1);
	if (timed)
		etm4_timestamp(w, 2 * now++);
}

/* An AUX piece with what w holds, in frames; in the buffer of a thread, or of the CPU where tid is UINT32_MAX. */
static void put_session(struct etm4_writer *w, uint32_t running, uint32_t tid, uint32_t idx)
{
	struct frame_encoder frames;
	bool per_thread = tid != UINT32_MAX;

	frame_encoder_init(&frames, &(struct frame_options){ 0 });
	frame_put(&frames, TRACE_ID, w->data, w->len);
	frame_flush(&frames);
	aux_at = per_thread ? 0 : aux_at;
	perf_write_begin(&writer, PERF_AUX, 0);
	perf_put64(&writer.records, aux_at);
	perf_put64(&writer.records, frames.len);
	perf_put64(&writer.records, 0);
	trailer(per_thread ? tid : running);
	perf_write_end(&writer);
	perf_write_auxtrace(&writer, idx, tid, per_thread ? UINT32_MAX : CPU, aux_at, frames.data, frames.len);
	aux_at += frames.len;
	frame_encoder_release(&frames);
	etm4_release(w);
}

/* An AUX piece with one call. */
static void put_piece(bool cid, uint32_t context_id, uint32_t tid, uint32_t idx)
{
	struct etm4_writer w;

	encode_start(&w, cid);
	encode_call(&w, context_id);
	put_session(&w, context_id, tid, idx);
}

/* Those of which either may have been there. */
static size_t count_missed(const struct sl_image *image)
{
	const struct sl_missing *missing;
	size_t count = sl_image_missing(image, &missing), found = 0;

	for (size_t i = 0; i < count; i++)
		found += strcmp(missing[i].path, "/target/bin/first or /target/bin/second") == 0;
	return found;
}

/* The ranges of the capture at path; the files are looked for in files. */
static void run_path(const char *path, const char *files, char *ret, size_t cap)
{
	const struct sl_capture_options how = { .symfs = files };
	struct sl_capture *capture;
	struct sl_image *image;
	struct sl_outputs *outs;
	struct sl_sink sink;
	struct sl_run_result result;
	FILE *out = fmemopen(ret, cap, "w");

	ret[0] = '\0';
	assert_int_equal(sl_capture_open(path, &how, &notes, &capture, &diag), SL_OK);
	assert_int_equal(sl_capture_load_image(capture, &notes, &image, &diag), SL_OK);
	assert_int_equal(sl_outputs_new(out, NULL, NULL, &outs), SL_OK);
	sl_ranges_sink(outs, &sink);
	assert_int_equal(sl_run(&(struct sl_run_options){ .capture = capture, .image = image, .sinks = &sink, .sink_count = 1,
							  .trace_id = -1, .jobs = 1 }, &notes, &result, &diag), SL_OK);
	assert_int_equal(sl_outputs_close(outs), SL_OK);
	fclose(out);
	missed = count_missed(image);
	sl_run_result_release(&result);
	sl_image_free(image);
	sl_capture_free(capture);
}

static const char *write_recording(const char *name)
{
	struct perf_bytes whole;
	const char *path;

	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	path = temp_write(name, whole.data, whole.len);
	perf_bytes_release(&whole);
	perf_writer_release(&writer);
	return path;
}

/* The ranges of what was written. */
static const char *open_and_run(const char *files, char *ret, size_t cap)
{
	run_path(write_recording("perf.data"), files, ret, cap);
	return ret;
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < notes.len; i++) {
		if (strstr(notes.items[i].text, part))
			return true;
	}
	return false;
}

static void put_both_maps(void)
{
	put_map(FIRST_PID, "/target/bin/first", 0x11);
	put_map(SECOND_PID, "/target/bin/second", 0x22);
}

#define FIRST_CALL  "10 400000 400008 2 E\n"
#define SECOND_CALL "10 400000 40000c 2 E\n"

void test_perf_capture__context_ids_tell_the_process(void **state)
{
	char text[400];

	(void)state;
	start(true);
	put_both_maps();
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	put_piece(true, SECOND_PID, UINT32_MAX, 0);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), FIRST_CALL SECOND_CALL FIRST_CALL);
	sl_notes_release(&notes);
}

void test_perf_capture__the_buffer_tells_the_thread(void **state)
{
	char text[400];

	(void)state;
	start(false);
	put_both_maps();
	put_piece(false, 0, SECOND_PID, 0);
	put_piece(false, 0, FIRST_PID, 1);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), SECOND_CALL FIRST_CALL);
	assert_false(noted("no context ids"));
	sl_notes_release(&notes);
}

/* Neither tells: of two processes none is guessed, of one it is the one. */
void test_perf_capture__the_only_process(void **state)
{
	char text[400];

	(void)state;
	start(false);
	put_both_maps();
	put_piece(false, 0, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), "");
	assert_true(noted("the trace has no context ids, and 1 pieces of it are of no known thread"));
	sl_notes_release(&notes);
	start(false);
	put_map(SECOND_PID, "/target/bin/second", 0);
	put_piece(false, 0, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), SECOND_CALL);
	sl_notes_release(&notes);
}

/* dlclose and dlopen: of the session in which the one came to the other's place, nobody knows when. */
void test_perf_capture__maps_change(void **state)
{
	char text[400];

	(void)state;
	start(true);
	put_map(FIRST_PID, "/target/bin/first", 0x11);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	put_map(FIRST_PID, "/target/bin/second", 0x22);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), FIRST_CALL SECOND_CALL);
	assert_int_equal(missed, 1);
	sl_notes_release(&notes);
}

/* Timestamps tell when: the session is of both, and of a third that nobody mapped. */
void test_perf_capture__maps_change_with_timestamps(void **state)
{
	struct etm4_writer w;
	char text[400];

	(void)state;
	timed = true;
	start(true);
	encode_start(&w, true);
	put_map(FIRST_PID, "/target/bin/first", 0x11);
	encode_call(&w, FIRST_PID);
	encode_call(&w, FIRST_PID);
	now += 10;
	put_map(FIRST_PID, "/target/bin/second", 0x22);
	encode_call(&w, FIRST_PID); /* since the timestamp before: of either */
	encode_call(&w, FIRST_PID);
	put_session(&w, FIRST_PID, UINT32_MAX, 0);
	timed = false;
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), FIRST_CALL FIRST_CALL SECOND_CALL);
	sl_notes_release(&notes);
}

/* perf record -a without context ids: records of task switches, and timestamps, tell whose code it is. */
static void put_switch(uint32_t from, uint32_t to)
{
	perf_write_begin(&writer, PERF_SWITCH_CPU_WIDE, 0);
	perf_put32(&writer.records, from);
	perf_put32(&writer.records, from);
	trailer(to);
	perf_write_end(&writer);
}

void test_perf_capture__switches_tell_the_process(void **state)
{
	enum { STRANGER = 333 };
	struct etm4_writer w;
	char text[400];

	(void)state;
	timed = true;
	start(false);
	put_both_maps();
	put_switch(1, FIRST_PID);
	encode_start(&w, false);
	encode_call(&w, 0);
	encode_call(&w, 0);
	put_switch(FIRST_PID, SECOND_PID);
	encode_call(&w, 0);
	encode_call(&w, 0);
	put_switch(SECOND_PID, STRANGER);
	encode_call(&w, 0);
	encode_call(&w, 0);
	put_session(&w, 0, UINT32_MAX, 0);
	timed = false;
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), FIRST_CALL SECOND_CALL);
	sl_notes_release(&notes);
}

/* Another build would lead the decoder astray. */
void test_perf_capture__another_build_is_refused(void **state)
{
	char text[400];

	(void)state;
	start(true);
	put_map(FIRST_PID, "/target/bin/first", 0x33);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), "");
	assert_true(noted("has build id 1111"));
	assert_true(noted("33333333 ran"));
	sl_notes_release(&notes);
}

/* By its path below DIR, and never outside of it. */
void test_perf_capture__symfs(void **state)
{
	char text[400], empty[300];

	(void)state;
	temp_write("empty/none", "", 0);
	write_program("empty/third", 3, 0x44);
	snprintf(empty, sizeof(empty), "%s/empty", symfs);
	start(true);
	put_map(FIRST_PID, "/../second", 0x22);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	assert_string_equal(open_and_run(empty, text, sizeof(text)), "");
	sl_notes_release(&notes);
	start(true);
	put_map(FIRST_PID, "/empty/third", 0x44);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	assert_string_equal(open_and_run(symfs, text, sizeof(text)), SECOND_CALL);
	sl_notes_release(&notes);
}

/* perf record --kcore: the kernel's own bytes and names lie beside the data. */
void test_perf_capture__kcore(void **state)
{
	static const char kallsyms[] = "ffff800008000000 T do_it\nffff800008000100 T other\n";
	const uint32_t code[] = { A64_NOP, A64_RET_X30 };
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_CORE);
	char text[400], folder[300];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/recording", symfs);
	start(true);
	called = KERNEL;
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	write_recording("recording/data");
	run_path(folder, NULL, text, sizeof(text));
	assert_string_equal(text, "");
	sl_notes_release(&notes);
	temp_write("recording/kcore_dir/kcore", "", 0);
	mini_elf_segment(elf, mini_elf_section(elf, &(struct mini_section){ .name = ".text", .addr = KERNEL, .align = 4096,
									   .flags = SHF_ALLOC | SHF_EXECINSTR, .data = code,
									   .len = sizeof(code) }), PF_R | PF_X);
	mini_elf_write(elf, temp_path("recording/kcore_dir/kcore"));
	temp_write("recording/kcore_dir/kallsyms", kallsyms, sizeof(kallsyms) - 1);
	run_path(folder, NULL, text, sizeof(text));
	assert_string_equal(text, "10 ffff800008000000 ffff800008000008 2 E\n");
	sl_notes_release(&notes);
}

/* Code that was compiled: decoded by the bytes of a jitdump. */
void test_perf_capture__jitdump(void **state)
{
	struct perf_bytes dump;
	char text[400];

	(void)state;
	jit_start(&dump, false, EM_AARCH64, 0);
	perf_put32(&dump, 0); /* JIT_CODE_LOAD: two instructions */
	perf_put32(&dump, 56 + 2 + 8);
	perf_put64(&dump, 1);
	perf_put64(&dump, FIRST_PID);
	perf_put64(&dump, CODE);
	perf_put64(&dump, CODE);
	perf_put64(&dump, 8);
	perf_put64(&dump, 1);
	perf_put(&dump, "f", 2);
	perf_put32(&dump, A64_NOP);
	perf_put32(&dump, A64_RET_X30);
	temp_write("jit/jit-100.dump", dump.data, dump.len);
	perf_bytes_release(&dump);
	start(true);
	put_map(FIRST_PID, "/tmp/jit-100.dump", 0);
	put_map(SECOND_PID, "/target/bin/second", 0x22);
	put_piece(true, FIRST_PID, UINT32_MAX, 0);
	put_piece(true, SECOND_PID, UINT32_MAX, 0);
	run_path(write_recording("jit/perf.data"), symfs, text, sizeof(text));
	assert_string_equal(text, FIRST_CALL SECOND_CALL);
	sl_notes_release(&notes);
}
