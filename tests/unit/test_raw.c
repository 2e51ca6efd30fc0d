/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sl_capture.h"
#include "temp_dir.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static const char *const etm4_regs[] = { "TRCCONFIGR=0x1", "trcidr0=0x28000EA1", "TRCIDR2=0x488", NULL };

static int open_raw(struct temp_dir *dir, const struct sl_raw_options *raw, struct sl_capture **ret,
		    struct sl_diag *diag)
{
	struct sl_capture_options options = { .raw = *raw };

	return sl_capture_open(temp_dir_path(dir, "etb.bin"), &options, NULL, ret, diag);
}

static void make_dump(struct temp_dir *dir)
{
	temp_dir_make(dir);
	temp_dir_text(dir, "etb.bin", "0123456789abcdef");
}

void test_raw__options_describe_the_stream(void **state)
{
	struct sl_raw_options raw = {
		.protocol = "etmv4", .trace_id = "0x12", .core = "Cortex-A53", .regs = etm4_regs
	};
	struct sl_capture *cap;
	const struct sl_buffer *buffer;
	const struct sl_stream *stream;
	struct temp_dir dir;
	struct sl_diag diag;
	char bytes[4];

	(void)state;
	make_dump(&dir);
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_OK);
	assert_string_equal(sl_capture_container(cap), "raw dump");
	assert_int_equal(sl_capture_buffers(cap, &buffer), 1);
	assert_string_equal(buffer->name, "etb.bin");
	assert_int_equal(buffer->size, 16);
	assert_int_equal(buffer->framing, SL_FRAMING_CORESIGHT);
	assert_int_equal(sl_capture_streams(cap, &stream), 1);
	assert_int_equal(stream->trace_id, 0x12);
	assert_int_equal(stream->config.regs[SL_REG_TRCTRACEIDR], 0x12);
	assert_int_equal(stream->config.regs[SL_REG_TRCIDR0], 0x28000EA1);
	assert_int_equal(stream->config.regs[SL_REG_TRCIDR1], 0x4100F403);
	assert_int_equal(stream->config.arch, SL_ARCH_V8);
	assert_true(stream->usable);
	assert_int_equal(sl_capture_read(cap, 0, 2, bytes, 4), 4);
	assert_memory_equal(bytes, "2345", 4);
	sl_capture_free(cap);
	temp_dir_remove(&dir);
}

void test_raw__id_is_optional_where_it_is_only_a_name(void **state)
{
	struct sl_raw_options raw = { .protocol = "etmv4", .framing = "none", .regs = etm4_regs };
	struct sl_capture *cap;
	const struct sl_stream *stream;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	make_dump(&dir);
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_OK);
	sl_capture_streams(cap, &stream);
	assert_true(stream->usable);
	assert_int_equal(stream->config.arch, SL_ARCH_AA64);
	assert_string_equal(stream->core_name, "cpu_0");
	sl_capture_free(cap);
	raw.framing = NULL;
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_ERR_CONFIG);
	assert_non_null(strstr(diag.text, "--trace-id"));
	temp_dir_remove(&dir);
}

void test_raw__id_comes_from_registers_too(void **state)
{
	static const char *const etm3[] = { "ETMCR=0x1000", "ETMIDR=0x410CF250", "ETMCCER=0x344008F2",
					    "ETMTRACEIDR=0x13", NULL };
	static const char *const itm[] = { "ITMTCR=0x00140005", NULL };
	struct sl_raw_options raw = { .protocol = "etmv3", .framing = "tpiu", .regs = etm3 };
	struct sl_capture *cap;
	const struct sl_stream *stream;
	const struct sl_buffer *buffer;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	make_dump(&dir);
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_OK);
	sl_capture_streams(cap, &stream);
	sl_capture_buffers(cap, &buffer);
	assert_int_equal(stream->trace_id, 0x13);
	assert_int_equal(stream->config.arch, SL_ARCH_V7);
	assert_int_equal(buffer->framing, SL_FRAMING_TPIU);
	sl_capture_free(cap);
	raw = (struct sl_raw_options){ .protocol = "itm", .regs = itm };
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_OK);
	sl_capture_streams(cap, &stream);
	assert_int_equal(stream->trace_id, 0x14);
	assert_int_equal(stream->core, SL_CORE_ANY);
	assert_null(stream->core_name);
	sl_capture_free(cap);
	raw.trace_id = "0x21";
	assert_int_equal(open_raw(&dir, &raw, &cap, &diag), SL_OK);
	sl_capture_streams(cap, &stream);
	assert_int_equal(stream->trace_id, 0x21);
	assert_int_equal(stream->config.regs[SL_REG_ITMTCR], 0x00210005);
	sl_capture_free(cap);
	temp_dir_remove(&dir);
}

void test_raw__bad_options_say_what_was_expected(void **state)
{
	static const char *const unknown_reg[] = { "TRCFOO=1", NULL };
	static const char *const no_value[] = { "TRCCONFIGR", NULL };
	static const char *const no_number[] = { "TRCCONFIGR=yes", NULL };
	static const char *const too_wide[] = { "TRCCONFIGR=0x100000000", NULL };
	static const char *const incomplete[] = { "TRCCONFIGR=1", "TRCIDR0=0", NULL };
	static const struct {
		struct sl_raw_options raw;
		int result;
		const char *what;
	} rows[] = {
		{ { .protocol = "etm5" }, SL_ERR_FORMAT, "expected etmv3, ptm" },
		{ { .protocol = "etmv4", .framing = "odd" }, SL_ERR_FORMAT, "expected none, coresight" },
		{ { .protocol = "etmv4", .core = "Pentium" }, SL_ERR_FORMAT, "'Pentium' is not known" },
		{ { .protocol = "etmv4", .regs = unknown_reg }, SL_ERR_FORMAT, "TRCCONFIGR TRCTRACEIDR" },
		{ { .protocol = "etmv4", .regs = no_value }, SL_ERR_FORMAT, "NAME=VALUE" },
		{ { .protocol = "etmv4", .regs = no_number }, SL_ERR_FORMAT, "32 bits" },
		{ { .protocol = "etmv4", .regs = too_wide }, SL_ERR_FORMAT, "32 bits" },
		{ { .protocol = "etmv4", .trace_id = "x", .regs = etm4_regs },
		  SL_ERR_FORMAT,
		  "trace id 'x'" },
		{ { .protocol = "etmv4", .trace_id = "0x80", .regs = etm4_regs }, SL_ERR_FORMAT, "0x6f" },
		{ { .protocol = "etmv4", .trace_id = "0x70", .regs = etm4_regs }, SL_ERR_CONFIG, "0x6f" },
		{ { .protocol = "etmv4", .trace_id = "1", .regs = incomplete }, SL_ERR_CONFIG, "TRCIDR2" },
	};
	struct temp_dir dir;

	(void)state;
	make_dump(&dir);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sl_capture *cap;
		struct sl_diag diag;

		assert_int_equal(open_raw(&dir, &rows[i].raw, &cap, &diag), rows[i].result);
		if (!strstr(diag.text, rows[i].what))
			fail_msg("row %zu: %s", i, diag.text);
	}
	temp_dir_remove(&dir);
}

void test_raw__a_snapshot_is_no_raw_dump(void **state)
{
	struct sl_capture_options options = { .raw.protocol = "etmv4" };
	struct sl_capture *cap;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	make_dump(&dir);
	temp_dir_text(&dir, "snapshot.ini", "");
	assert_int_equal(sl_capture_open(dir.path, &options, NULL, &cap, &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "--protocol is for raw dumps"));
	assert_int_equal(sl_capture_open(temp_dir_path(&dir, "snapshot.ini"), &options, NULL, &cap, &diag),
			 SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "ini file"));
	temp_dir_remove(&dir);
}

void test_raw__undescribed_files_are_recognised(void **state)
{
	static const struct {
		const char *bytes, *what;
	} rows[] = {
		{ "\177ELF\1", "--image" },
		{ "anything", "give --protocol, --trace-id and --reg" },
		{ "", "give --protocol, --trace-id and --reg" },
	};
	struct temp_dir dir;

	(void)state;
	temp_dir_make(&dir);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sl_capture *cap;
		struct sl_diag diag;

		temp_dir_text(&dir, "file", rows[i].bytes);
		assert_int_equal(sl_capture_open(temp_dir_path(&dir, "file"), NULL, NULL, &cap, &diag),
				 SL_ERR_UNSUPPORTED);
		assert_non_null(strstr(diag.text, rows[i].what));
	}
	temp_dir_remove(&dir);
}
