/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perf/cs_etm.h"
#include "perf_write.h"
#include "temp_files.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define NONE	 UINT32_MAX

enum { V3 = 0x30, V4 = 0x40, ETE = 0x50 };
enum { TRUNCATED = 1, OVERWRITE = 2, PARTIAL = 4, COLLISION = 8, RAW = 0x100 };

static struct perf_writer writer;
static struct perf_file *file;
static struct cs_etm etm;
static struct sl_notes notes;

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

/* TID, TIME, CPU and IDENTIFIER in each trailer. */
static void begin(bool big)
{
	static const uint64_t ids[] = { 11 };

	perf_writer_init(&writer, big);
	perf_write_attr(&writer, (struct perf_write_attr){ .type = 8,
							   .sample_type = 2 | 4 | 128 | 65536,
							   .flags = 1 << 18,
							   .ids = ids,
							   .id_count = COUNT(ids) });
}

int case_setup(void **state)
{
	begin(false);
	return 0;
}

int case_teardown(void **state)
{
	cs_etm_release(&etm);
	sl_notes_release(&notes);
	perf_file_close(file);
	perf_writer_release(&writer);
	file = NULL;
	return 0;
}

static void trailer(uint32_t tid, uint32_t cpu, uint64_t time)
{
	perf_put32(&writer.records, tid);
	perf_put32(&writer.records, tid);
	perf_put64(&writer.records, time);
	perf_put32(&writer.records, cpu);
	perf_put32(&writer.records, 0);
	perf_put64(&writer.records, 11);
}

static void aux(uint64_t offset, uint64_t size, uint64_t flags, uint32_t tid, uint32_t cpu)
{
	static uint64_t time = 1000;

	perf_write_begin(&writer, PERF_AUX, 0);
	perf_put64(&writer.records, offset);
	perf_put64(&writer.records, size);
	perf_put64(&writer.records, flags);
	trailer(tid, cpu, time++);
	perf_write_end(&writer);
}

static void hw_id(uint64_t value, uint32_t cpu)
{
	perf_write_begin(&writer, PERF_AUX_OUTPUT_HW_ID, 0);
	perf_put64(&writer.records, value);
	trailer(1, cpu, 1);
	perf_write_end(&writer);
}

/* len bytes of trace, none of them 0, and padding zeros. */
static void auxtrace(uint32_t idx, uint32_t tid, uint32_t cpu, uint64_t offset, size_t len, size_t padding)
{
	uint8_t payload[4096] = { 0 };

	memset(payload, 0x11, len);
	perf_write_auxtrace(&writer, idx, tid, cpu, offset, payload, len + padding);
}

static void info_begin(uint64_t version, uint64_t cpus)
{
	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	perf_put32(&writer.records, 3);
	perf_put32(&writer.records, 0);
	perf_put64(&writer.records, version);
	perf_put64(&writer.records, 8ull << 32 | cpus);
	perf_put64(&writer.records, 0);
}

static void put_words(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perf_put64(&writer.records, words[i]);
}

/* A CPU's block: magic is its first byte, repeated. */
static void block(uint64_t version, uint8_t magic, uint64_t cpu, const uint64_t *params, size_t count)
{
	perf_put64(&writer.records, 0x0101010101010101 * magic);
	perf_put64(&writer.records, cpu);
	if (version)
		perf_put64(&writer.records, count);
	put_words(params, count);
}

static const uint64_t etm4[] = { 0x40, 0x10, 0x28000ea1, 0x4100f422, 0x20001088, 0, 0x8c };

static void etm4_info(size_t cpus)
{
	info_begin(1, cpus);
	for (size_t i = 0; i < cpus; i++) {
		uint64_t params[COUNT(etm4)];

		memcpy(params, etm4, sizeof(params));
		params[1] = 0x10 + 2 * i;
		block(1, V4, i, params, COUNT(params));
	}
	perf_write_end(&writer);
}

static void arch(const char *name)
{
	perf_put_string(perf_write_feature(&writer, 6), name);
}

static int try_read(enum perf_write_form form, struct sl_diag *diag)
{
	struct perf_bytes whole;
	const char *path;

	perf_write_whole(&writer, form, &whole);
	path = temp_write("perf.data", whole.data, whole.len);
	perf_bytes_release(&whole);
	assert_int_equal(perf_file_open(path, &notes, &file, diag), SL_OK);
	return cs_etm_read(file, &notes, &etm, diag);
}

static void read_etm(void)
{
	struct sl_diag diag;

	assert_int_equal(try_read(PERF_WRITE_FILE, &diag), SL_OK);
}

static bool noted(const char *part)
{
	for (size_t i = 0; i < notes.len; i++) {
		if (strstr(notes.items[i].text, part))
			return true;
	}
	return false;
}

static uint32_t reg(size_t cpu, enum sl_reg which)
{
	assert_true(cpu < etm.cpu_count && sl_config_has(&etm.cpus[cpu].config, which));
	return etm.cpus[cpu].config.regs[which];
}

/* "0+96 96+32c": positions and lengths in the ring of all pieces; r raw, c continues, u uncovered. */
static const char *pieces(void)
{
	static char text[512];
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < etm.piece_count && used < sizeof(text); i++) {
		const struct cs_etm_piece *p = &etm.pieces[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u+%u%s%s%s", i ? " " : "",
					 (unsigned)p->aux_offset, (unsigned)p->len, p->raw ? "r" : "",
					 p->continues ? "c" : "", p->uncovered ? "u" : "");
	}
	return text;
}

void test_cs_etm__etmv4_registers_of_version_1(void **state)
{
	etm4_info(2);
	read_etm();
	assert_int_equal(etm.version, 1);
	assert_int_equal(etm.pmu_type, 8);
	assert_false(etm.snapshot_mode);
	assert_int_equal(etm.cpu_count, 2);
	assert_int_equal(etm.cpus[1].cpu, 1);
	assert_int_equal(etm.cpus[1].trace_id, 0x12);
	assert_int_equal(etm.cpus[1].ts_source, 0);
	assert_false(etm.cpus[1].has_hw_id);
	assert_int_equal(etm.cpus[0].config.protocol, SL_PROTOCOL_ETMV4);
	assert_int_equal(etm.cpus[0].config.profile, SL_PROFILE_A);
	assert_int_equal(reg(0, SL_REG_TRCCONFIGR), 0x40);
	assert_int_equal(reg(1, SL_REG_TRCTRACEIDR), 0x12);
	assert_int_equal(reg(0, SL_REG_TRCIDR0), 0x28000ea1);
	assert_int_equal(reg(0, SL_REG_TRCIDR1), 0x4100f422);
	assert_int_equal(reg(0, SL_REG_TRCIDR2), 0x20001088);
	assert_int_equal(reg(0, SL_REG_TRCIDR8), 0);
	assert_int_equal(reg(0, SL_REG_TRCAUTHSTATUS), 0x8c);
	assert_false(sl_config_has(&etm.cpus[0].config, SL_REG_TRCDEVARCH));
	assert_int_equal(notes.len, 0);
}

void test_cs_etm__timestamp_source(void **state)
{
	static const struct {
		uint64_t value;
		int source;
	} rows[] = { { UINT64_MAX, -1 }, { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 77, -1 } };

	info_begin(2, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t params[8];

		memcpy(params, etm4, sizeof(etm4));
		params[1] = i + 1;
		params[7] = rows[i].value;
		block(2, V4, i, params, 8);
	}
	perf_write_end(&writer);
	read_etm();
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(etm.cpus[i].ts_source, rows[i].source);
}

void test_cs_etm__ete_by_devarch_not_by_magic(void **state)
{
	static const struct {
		uint8_t magic;
		uint64_t devarch;
		enum sl_protocol protocol;
	} rows[] = {
		{ ETE, 0x47705a13, SL_PROTOCOL_ETE },	/* ETE 1.0 */
		{ ETE, 0x47715a13, SL_PROTOCOL_ETE },	/* 1.1 */
		{ ETE, 0x47724a13, SL_PROTOCOL_ETMV4 }, /* simpleperf, of an ETMv4.2 */
		{ ETE, 0, SL_PROTOCOL_ETE },
		{ V4, 0x47705a13, SL_PROTOCOL_ETMV4 }, /* in its place is the timestamp's source */
	};

	info_begin(1, COUNT(rows));
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t params[9];

		memcpy(params, etm4, sizeof(etm4));
		params[1] = i + 1;
		params[7] = rows[i].devarch;
		params[8] = 1;
		block(1, rows[i].magic, i, params, 9);
	}
	perf_write_end(&writer);
	read_etm();
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(etm.cpus[i].config.protocol, rows[i].protocol);
	assert_int_equal(reg(0, SL_REG_TRCDEVARCH), 0x47705a13);
	assert_int_equal(etm.cpus[0].ts_source, 1);
}

static enum sl_arch arch_of(uint64_t idr1, const char *machine)
{
	uint64_t params[COUNT(etm4)];
	enum sl_arch ret;

	memcpy(params, etm4, sizeof(params));
	params[3] = idr1;
	case_teardown(NULL);
	begin(false);
	if (machine)
		arch(machine);
	info_begin(1, 1);
	block(1, V4, 0, params, COUNT(params));
	perf_write_end(&writer);
	read_etm();
	ret = etm.cpus[0].config.arch;
	return ret;
}

void test_cs_etm__architecture_of_etmv4(void **state)
{
	assert_int_equal(arch_of(0x4100f422, "aarch64"), SL_ARCH_AA64);
	assert_int_equal(arch_of(0x4100f422, "armv7l"), SL_ARCH_V8);
	assert_int_equal(arch_of(0x4100f442, "armv8l"), SL_ARCH_AA64);
	assert_int_equal(arch_of(0x4100f422, "arm64"), SL_ARCH_AA64);
	assert_int_equal(arch_of(0x4100f422, NULL), SL_ARCH_AA64);
}

void test_cs_etm__ptm_and_etmv3_with_all_registers(void **state)
{
	static const uint64_t ptm[] = { 0x10001000, 0x13, 0x34c01ac2, 0x411cf312 };
	static const uint64_t etm3[] = { 0x10001000, 0x14, 0x34c01ac3, 0x410cf253 };

	for (uint64_t version = 0; version <= 2; version++) {
		case_teardown(NULL);
		begin(false);
		info_begin(version, 2);
		block(version, V3, 0, ptm, 4);
		block(version, V3, 3, etm3, 4);
		perf_write_end(&writer);
		read_etm();
		assert_int_equal(etm.version, version);
		assert_int_equal(etm.cpu_count, 2);
		assert_int_equal(etm.cpus[0].config.protocol, SL_PROTOCOL_PTM);
		assert_int_equal(etm.cpus[1].config.protocol, SL_PROTOCOL_ETMV3);
		assert_int_equal(etm.cpus[0].config.arch, SL_ARCH_V7);
		assert_int_equal(reg(0, SL_REG_ETMCR), 0x10001000);
		assert_int_equal(reg(0, SL_REG_ETMCCER), 0x34c01ac2);
		assert_int_equal(reg(1, SL_REG_ETMIDR), 0x410cf253);
		assert_int_equal(etm.cpus[1].cpu, 3);
		assert_int_equal(etm.cpus[1].trace_id, 0x14);
		assert_int_equal(notes.len, 0);
	}
}

void test_cs_etm__missing_ccer_and_idr_are_noted(void **state)
{
	static const uint64_t no_ccer[] = { 0x10001000, 0x13, 0, 0x411cf312 };

	info_begin(1, 2);
	block(1, V3, 0, no_ccer, 4);
	block(1, V3, 1, (const uint64_t[]){ 0x10001000, 0x14 }, 2);
	perf_write_end(&writer);
	read_etm();
	assert_true(noted("CPU 0 has no value of ETMCCER: "));
	assert_true(noted("CPU 1 has no value of ETMCCER and ETMIDR: "));
	assert_false(sl_config_has(&etm.cpus[1].config, SL_REG_ETMCCER));
}

/* Version 0 has no count: what a vendor added must be stepped over by looking for the next magic. */
void test_cs_etm__version_0_with_vendor_words(void **state)
{
	static const uint64_t extra[] = { 0xabc, 0xdef };

	info_begin(0, 2);
	block(0, V4, 0, etm4, COUNT(etm4));
	put_words(extra, 1);
	block(0, V4, 5, etm4, COUNT(etm4));
	put_words(extra, 2);
	perf_write_end(&writer);
	read_etm();
	assert_int_equal(etm.cpu_count, 2);
	assert_int_equal(etm.cpus[1].cpu, 5);
	assert_int_equal(reg(1, SL_REG_TRCIDR8), 0);
	assert_int_equal(reg(1, SL_REG_TRCAUTHSTATUS), 0x8c);
	assert_true(noted("CPU 0 has 1 words more"));
	assert_true(noted("CPU 5 has 2 words more"));
}

void test_cs_etm__unknown_parameters_are_skipped(void **state)
{
	uint64_t params[12] = { 0 };

	memcpy(params, etm4, sizeof(etm4));
	params[9] = params[11] = 0x4040404040404040;
	info_begin(2, 2);
	block(2, V4, 0, params, COUNT(params));
	block(2, V4, 1, etm4, 3); /* and absent ones are not there */
	perf_write_end(&writer);
	read_etm();
	assert_int_equal(etm.cpu_count, 2);
	assert_false(sl_config_has(&etm.cpus[1].config, SL_REG_TRCIDR1));
	assert_int_equal(reg(1, SL_REG_TRCIDR0), 0x28000ea1);
}

void test_cs_etm__sparse_cpus_are_found_by_number(void **state)
{
	uint64_t params[COUNT(etm4)];

	info_begin(1, 3);
	for (size_t i = 0; i < 3; i++) {
		memcpy(params, etm4, sizeof(params));
		params[1] = 0x20 + i;
		block(1, V4, (uint64_t[]){ 9, 2, 130 }[i], params, COUNT(params));
	}
	perf_write_end(&writer);
	read_etm();
	assert_int_equal(cs_etm_cpu_find(&etm, 9)->trace_id, 0x20);
	assert_int_equal(cs_etm_cpu_find(&etm, 2)->trace_id, 0x21);
	assert_int_equal(cs_etm_cpu_find(&etm, 130)->trace_id, 0x22);
	assert_null(cs_etm_cpu_find(&etm, 0));
}

void test_cs_etm__broken_metadata_keeps_what_parses(void **state)
{
	info_begin(1, 6);
	block(1, V4, 0, etm4, COUNT(etm4));
	block(1, 0x77, 1, etm4, COUNT(etm4));
	block(1, V4, 1ull << 40, etm4, COUNT(etm4));
	block(1, V4, 0, etm4, COUNT(etm4));
	put_words((const uint64_t[]){ 0x4040404040404040, 4, 1ull << 62, 1, 2 }, 5);
	perf_write_end(&writer);
	read_etm();
	assert_int_equal(etm.cpu_count, 2);
	assert_int_equal(etm.cpus[1].cpu, 4);
	assert_int_equal(reg(1, SL_REG_TRCTRACEIDR), 2);
	assert_true(noted("unknown kind 0x7777777777777777"));
	assert_true(noted("a block of CPU 1099511627776"));
	assert_true(noted("CPU 0 is there twice"));
	assert_true(noted("should have 4611686018427387904 registers, and the record ends after 2"));
	assert_true(noted("6 CPUs are announced and 5 can be read"));
}

void test_cs_etm__other_trace_and_none(void **state)
{
	struct sl_diag diag;

	assert_int_equal(try_read(PERF_WRITE_FILE, &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "no hardware trace"));
	case_teardown(NULL);
	begin(false);
	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	perf_put32(&writer.records, 2);
	perf_put32(&writer.records, 0);
	perf_write_end(&writer);
	assert_int_equal(try_read(PERF_WRITE_FILE, &diag), SL_ERR_UNSUPPORTED);
	assert_non_null(strstr(diag.text, "Intel BTS"));
}

/* Intel PT: words of AUXTRACE_INFO, and a unit for each CPU that has trace. */
static void intel_pt_info(size_t words)
{
	static const uint64_t info[] = { 8, 31, 1789569706, 77, 1, 1 << 10, 1 << 11, 0, 1, 1, 1 << 9, 0xf << 14, 100, 2, 2, 12, 0 };

	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	perf_put32(&writer.records, 1);
	perf_put32(&writer.records, 0);
	put_words(info, words < COUNT(info) ? words : COUNT(info));
	perf_write_end(&writer);
}

void test_cs_etm__intel_pt(void **state)
{
	intel_pt_info(17);
	perf_put_string(perf_write_feature(&writer, 9), "GenuineIntel,6,78,3");
	aux(0, 0x40, 0, 5, 0);
	aux(0x40, 0x30, 0, 5, 0);
	aux(0, 0x11, 1, 6, 1);
	aux(0x11, 0x20, 0, 6, 1); /* behind one that was truncated */
	auxtrace(0, 5, 0, 0, 0x70, 0);
	auxtrace(1, 6, 1, 0, 0x31, 0);
	read_etm();
	assert_true(etm.intel_pt && etm.snapshot_mode);
	assert_int_equal(etm.pmu_type, 8);
	assert_int_equal(etm.cpu_count, 2);
	assert_int_equal(etm.cpus[1].config.protocol, SL_PROTOCOL_IPT);
	assert_int_equal(reg(0, SL_REG_CPUID_1_EAX), 0x406e3);
	assert_int_equal(reg(0, SL_REG_CPUID_15_EBX), 100);
	assert_int_equal(reg(0, SL_REG_CPUID_15_EAX), 2);
	assert_int_equal(reg(1, SL_REG_PLATFORM_INFO), 12 << 8);
	assert_true(etm.time_conv.known);
	assert_int_equal(etm.time_conv.zero, 77);
	assert_int_equal(etm.buffer_count, 2);
	assert_int_equal(etm.buffers[1].piece_count, 2);
	assert_int_equal(etm.buffers[1].pieces[0].len, 0x11); /* no frames: any length is good */
	assert_false(etm.buffers[1].pieces[1].joined);
	assert_true(etm.buffers[0].pieces[1].joined);
	assert_true(etm.buffers[0].pieces[0].raw);
	assert_int_equal(etm.buffers[0].piece_count, 2);
}

/* Older perf tells less. */
void test_cs_etm__intel_pt_cut(void **state)
{
	intel_pt_info(5);
	auxtrace(0, 5, 3, 0, 0x10, 0);
	read_etm();
	assert_int_equal(etm.cpu_count, 1);
	assert_int_equal(etm.cpus[0].cpu, 3);
	assert_false(sl_config_has(&etm.cpus[0].config, SL_REG_CPUID_15_EAX));
	assert_int_equal(notes.len > 0, 1);
	assert_non_null(strstr(notes.items[0].text, "is cut"));
}

void test_cs_etm__other_endian(void **state)
{
	case_teardown(NULL);
	begin(true);
	etm4_info(2);
	auxtrace(1, NONE, 1, 0, 64, 0);
	aux(0, 64, 0, 7, 1);
	read_etm();
	assert_int_equal(etm.cpus[1].trace_id, 0x12);
	assert_string_equal(pieces(), "0+64");
	assert_int_equal(etm.pieces[0].cpu, 1);
	assert_int_equal(etm.pieces[0].tid, 7);
}

void test_cs_etm__hw_id_overrides_metadata(void **state)
{
	etm4_info(4);
	hw_id(0x2a, 1);
	hw_id(0x12 | 0x1234ull << 8 | 1ull << 56, 2);
	read_etm();
	assert_int_equal(etm.cpus[0].trace_id, 0x10);
	assert_int_equal(etm.cpus[1].trace_id, 0x2a);
	assert_int_equal(sl_config_trace_id(&etm.cpus[1].config), 0x2a);
	assert_true(etm.cpus[1].has_hw_id);
	assert_false(etm.cpus[1].has_sink);
	assert_int_equal(etm.cpus[2].trace_id, 0x12);
	assert_true(etm.cpus[2].has_sink);
	assert_int_equal(etm.cpus[2].sink_id, 0x1234);
	assert_int_equal(notes.len, 0);
}

/* What perf guessed is given up where the kernel gave the id to another CPU. */
void test_cs_etm__guessed_id_yields(void **state)
{
	etm4_info(3);
	hw_id(0x10, 2);
	read_etm();
	assert_int_equal(etm.cpus[0].trace_id, 0);
	assert_int_equal(etm.cpus[1].trace_id, 0x12);
	assert_int_equal(etm.cpus[2].trace_id, 0x10);
	assert_int_equal(notes.len, 0);
}

void test_cs_etm__ids_on_different_sinks_may_be_equal(void **state)
{
	etm4_info(3);
	hw_id(0x20 | 1ull << 8 | 1ull << 56, 0);
	hw_id(0x20 | 2ull << 8 | 1ull << 56, 1);
	read_etm();
	assert_int_equal(notes.len, 0);
	case_teardown(NULL);
	begin(false);
	etm4_info(3);
	hw_id(0x20 | 1ull << 8 | 1ull << 56, 0);
	hw_id(0x20 | 1ull << 8 | 1ull << 56, 1);
	read_etm();
	assert_true(noted("trace id 0x20 is that of CPU 0 and of CPU 1"));
}

void test_cs_etm__bad_hw_ids_are_noted(void **state)
{
	static const struct {
		uint64_t value;
		uint32_t cpu;
		const char *note;
	} rows[] = {
		{ 0, 0, "its trace id is none" },
		{ 0x70, 0, "its trace id is none" },
		{ 0x20 | 2ull << 60, 0, "unknown version" },
		{ 0x20, 9, "a CPU without registers" },
		{ 0x20, NONE, "does not tell its CPU" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		case_teardown(NULL);
		begin(false);
		etm4_info(2);
		hw_id(rows[i].value, rows[i].cpu);
		read_etm();
		assert_true(noted(rows[i].note));
		assert_int_equal(etm.cpus[0].trace_id, 0x10);
		assert_int_equal(etm.cpus[1].trace_id, 0x12);
	}
	case_teardown(NULL);
	begin(false);
	etm4_info(2);
	hw_id(0x20, 0);
	hw_id(0x20, 0);
	hw_id(0x21, 0);
	read_etm();
	assert_int_equal(etm.cpus[0].trace_id, 0x21);
	assert_true(noted("another trace id or sink than before"));
}

void test_cs_etm__ids_that_metadata_cannot_mean(void **state)
{
	uint64_t params[COUNT(etm4)];

	memcpy(params, etm4, sizeof(params));
	params[1] = 0x70;
	info_begin(1, 2);
	block(1, V4, 0, params, COUNT(params));
	params[1] = 0;
	block(1, V4, 1, params, COUNT(params));
	perf_write_end(&writer);
	read_etm();
	assert_int_equal(etm.cpus[0].trace_id, 0);
	assert_int_equal(etm.cpus[1].trace_id, 0);
	assert_true(noted("CPU 0 has trace id 0x70"));
	assert_true(noted("CPU 1 has trace id 0x00"));
}

void test_cs_etm__pieces_of_a_cpu(void **state)
{
	etm4_info(2);
	auxtrace(1, NONE, 1, 0, 96, 0);
	auxtrace(0, NONE, 0, 0, 32, 0);
	aux(0, 32, 0, 7, 0);
	aux(64, 32, TRUNCATED, 8, 1);
	aux(0, 64, PARTIAL | COLLISION, 7, 1);
	aux(96, 0, 0, 7, 1);
	read_etm();
	assert_string_equal(pieces(), "0+32 0+64 64+32");
	assert_int_equal(etm.buffer_count, 2);
	assert_int_equal(etm.buffers[0].cpu, 0);
	assert_int_equal(etm.buffers[0].piece_count, 1);
	assert_int_equal(etm.buffers[1].cpu, 1);
	assert_int_equal(etm.buffers[1].idx, 1);
	assert_int_equal(etm.buffers[1].tid, -1);
	assert_ptr_equal(etm.buffers[1].pieces, &etm.pieces[1]);
	assert_int_equal(etm.pieces[2].tid, 8);
	assert_int_equal(etm.pieces[2].pid, 8);
	assert_int_equal(etm.pieces[2].flags, TRUNCATED);
	assert_int_equal(etm.pieces[1].flags, PARTIAL | COLLISION);
	assert_true(etm.pieces[1].time > etm.pieces[2].time);
	assert_int_equal(etm.pieces[2].file_offset, etm.pieces[1].file_offset + 64);
	assert_int_equal(etm.aux_bytes_lost, 0);
	assert_true(noted("marked as truncated: 1 (32 bytes"));
	assert_true(noted("marked as partial: 1"));
	assert_true(noted("marked as collided: 1"));
}

void test_cs_etm__pieces_lie_where_the_payload_is(void **state)
{
	uint8_t payload[64], got[32];

	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)i;
	etm4_info(1);
	perf_write_auxtrace(&writer, 0, NONE, 0, 0x1000, payload, sizeof(payload));
	aux(0x1020, 32, 0, 7, 0);
	aux(0x1000, 32, 0, 7, 0);
	read_etm();
	assert_int_equal(perf_file_read(file, etm.pieces[1].file_offset, got, sizeof(got)), sizeof(got));
	assert_memory_equal(got, payload + 32, sizeof(got));
}

/* Since Linux 6.4 the CPU is told in per-thread mode, where it only says where the thread ran. */
void test_cs_etm__per_thread_buffers_go_by_thread(void **state)
{
	etm4_info(3);
	auxtrace(0, 50, NONE, 0, 64, 0);
	auxtrace(1, 51, NONE, 0, 48, 0);
	aux(0, 64, 0, 50, 2);
	aux(0, 48, RAW, 51, 1);
	aux(64, 16, 0, 52, 1);
	read_etm();
	assert_string_equal(pieces(), "0+64 0+48r");
	assert_int_equal(etm.buffers[0].cpu, -1);
	assert_int_equal(etm.buffers[0].tid, 50);
	assert_int_equal(etm.pieces[0].cpu, 2);
	assert_int_equal(etm.pieces[0].tid, 50);
	assert_int_equal(etm.pieces[1].cpu, 1);
	assert_int_equal(etm.aux_bytes_lost, 16);
	assert_true(noted("thread 52: 16 bytes of trace are not in the file"));
}

/* A trailer without CPU and thread names its event, and ID_INDEX whose that is. */
void test_cs_etm__owner_by_event_id(void **state)
{
	etm4_info(3);
	perf_write_begin(&writer, PERF_ID_INDEX, 0);
	put_words((const uint64_t[]){ 2, 10, 0, 1, UINT64_MAX, 11, 1, 2, UINT64_MAX }, 9);
	perf_write_end(&writer);
	auxtrace(0, NONE, 1, 0, 64, 0);
	auxtrace(1, NONE, 2, 0, 64, 0);
	aux(16, 32, 0, NONE, NONE);
	hw_id(0x33, NONE);
	read_etm();
	assert_string_equal(pieces(), "0+64u 0+16u 16+32 48+16u");
	assert_int_equal(etm.pieces[2].cpu, 2);
	assert_int_equal(etm.pieces[2].tid, -1);
	assert_int_equal(etm.cpus[2].trace_id, 0x33);
}

void test_cs_etm__raw_of_an_unknown_cpu(void **state)
{
	etm4_info(1);
	auxtrace(0, 50, NONE, 0, 13, 3);
	aux(0, 13, RAW, 50, NONE);
	read_etm();
	assert_string_equal(pieces(), "0+13r");
	assert_int_equal(etm.pieces[0].cpu, 0);
	assert_int_equal(notes.len, 0);
}

/* The padding of a copy is no trace, and where the next copy begins the piece goes on. */
void test_cs_etm__piece_across_two_copies(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 91, 5);
	auxtrace(0, NONE, 0, 91, 69, 3);
	aux(0, 16, 0, 7, 0);
	aux(16, 144, 0, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+16 16+75 91+69c");
	assert_int_equal(etm.pieces[1].record_offset, etm.pieces[2].record_offset);
	assert_true(etm.pieces[2].file_offset > etm.pieces[1].file_offset + 75);
	assert_int_equal(etm.aux_bytes_lost, 0);
	assert_int_equal(notes.len, 0);
}

void test_cs_etm__copy_lost_inside_of_a_piece(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 40, 0);
	auxtrace(0, NONE, 0, 100, 60, 0);
	aux(0, 160, 0, 7, 0);
	read_etm();
	/* Frames go on to count from where the piece began. */
	assert_string_equal(pieces(), "0+32 112+48");
	assert_int_equal(etm.aux_bytes_lost, 60);
	assert_true(noted("CPU 0: 60 bytes of trace are not in the file (AUX records: 1, "));
	assert_true(noted("no multiple of the frames' 16 bytes: 2 (20 bytes"));
}

void test_cs_etm__frames_are_kept_whole(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 40, 0);
	auxtrace(0, NONE, 0, 40, 5, 3);
	auxtrace(0, NONE, 0, 45, 3, 0);
	auxtrace(0, NONE, 0, 48, 16, 0);
	aux(0, 47, 0, 7, 0);
	aux(47, 9, 0, 7, 0);
	aux(56, 8, RAW, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+32 56+8r");
	assert_true(noted("no multiple of the frames' 16 bytes: 2 (24 bytes"));
}

void test_cs_etm__bytes_without_aux_record(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 64, 0);
	auxtrace(0, NONE, 0, 64, 64, 0);
	auxtrace(0, NONE, 0, 128, 61, 3);
	aux(32, 16, RAW, 7, 0);
	aux(144, 40, RAW, 7, 0);
	read_etm();
	/* The last 5 are no padding: perf fills with zeros. */
	assert_string_equal(pieces(), "0+32ru 32+16r 48+16ru 64+64rcu 128+16rcu 144+40r 184+8ru");
	assert_true(noted("stretches of AUXTRACE data without an AUX record: 3 (136 bytes"));
}

void test_cs_etm__frames_without_aux_record_count_from_each_gap(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 32, 0);
	auxtrace(0, NONE, 0, 40, 32, 0);
	aux(72, 16, 0, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+32u 40+32u");
	assert_int_equal(etm.aux_bytes_lost, 16);
}

/* What is left of the first frame may be all of a copy. */
void test_cs_etm__first_frame_is_cut(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 4, 4, 0);
	auxtrace(0, NONE, 0, 8, 56, 0);
	aux(0, 64, 0, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "16+48");
	assert_int_equal(etm.aux_bytes_lost, 4);
}

void test_cs_etm__padding_is_no_trace(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 57, 7);
	aux(0, 57, RAW, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+57r");
	assert_int_equal(notes.len, 0);
}

void test_cs_etm__no_aux_records_at_all(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 64, 0);
	auxtrace(0, NONE, 0, 64, 32, 0);
	read_etm();
	assert_string_equal(pieces(), "0+64u 64+32u");
	assert_int_equal(etm.pieces[0].cpu, 0);
	assert_int_equal(etm.pieces[0].tid, -1);
	assert_int_equal(etm.pieces[0].time, 0);
}

void test_cs_etm__aux_without_auxtrace(void **state)
{
	etm4_info(8);
	aux(0, 1000, 0, 7, 7);
	aux(1000, 500, 0, 7, 7);
	aux(0, 14, 0, 7, 4);
	aux(0, UINT64_MAX, 0, 7, 5);
	aux(UINT64_MAX - 3, UINT64_MAX, 0, 7, 3);
	read_etm();
	assert_int_equal(etm.buffer_count, 0);
	assert_int_equal(etm.piece_count, 0);
	assert_true(etm.aux_bytes_lost == UINT64_MAX);
	assert_true(noted(
		"CPU 7: 1500 bytes of trace are not in the file (AUX records: 2, the first at offset 0x"));
	assert_true(noted("CPU 4: 14 bytes"));
	assert_true(noted("CPU 3: 3 bytes"));
}

/* Of the ring only what was not written over is there; the offset of these AUX records is where they end. */
void test_cs_etm__snapshot_mode(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 128, 128, 0);
	aux(96, 96, OVERWRITE, 7, 0);
	aux(160, 64, OVERWRITE, 7, 0);
	aux(256, 96, OVERWRITE, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "128+32 160+96");
	assert_int_equal(etm.pieces[0].flags, OVERWRITE);
	assert_int_equal(etm.aux_bytes_lost, 0);
	assert_true(noted("older than the snapshot: 2 (128 bytes"));
}

void test_cs_etm__snapshot_of_a_ring_that_went_round(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 936, 64, 0);
	aux(1000, 800, OVERWRITE, 7, 0);
	read_etm();
	/* 936 is 736 bytes behind the start: a whole number of frames. */
	assert_string_equal(pieces(), "936+64");
}

/* The second snapshot has again what is still there of the first. */
void test_cs_etm__overlapping_snapshots(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 128, 0);
	auxtrace(0, NONE, 0, 64, 128, 0);
	aux(128, 128, OVERWRITE, 7, 0);
	aux(192, 64, OVERWRITE, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+64 64+64c 128+64");
	assert_int_equal(etm.aux_bytes_lost, 0);
}

void test_cs_etm__bytes_are_taken_once(void **state)
{
	etm4_info(1);
	auxtrace(0, NONE, 0, 0, 128, 0);
	aux(0, 64, 0, 7, 0);
	aux(0, 64, 0, 7, 0);
	aux(32, 64, 0, 7, 0);
	aux(96, UINT64_MAX, 0, 7, 0);
	read_etm();
	assert_string_equal(pieces(), "0+64 64+32 96+32");
	assert_true(noted("that others have told of: 2 (96 bytes"));
}

void test_cs_etm__auxtrace_cut_by_the_end_of_file(void **state)
{
	struct sl_diag diag;

	etm4_info(1);
	aux(0, 64, RAW, 7, 0);
	auxtrace(0, NONE, 0, 0, 64, 0);
	writer.records.len -= 24;
	assert_int_equal(try_read(PERF_WRITE_UNFINISHED, &diag), SL_OK);
	assert_string_equal(pieces(), "0+40r");
	assert_int_equal(etm.aux_bytes_lost, 24);
}

static void time_conv(uint64_t shift, uint64_t mult, bool later)
{
	perf_write_begin(&writer, PERF_TIME_CONV, 0);
	put_words((const uint64_t[]){ shift, mult, 5000 }, 3);
	if (later) {
		put_words((const uint64_t[]){ 77, 0xffffff }, 2);
		perf_put8(&writer.records, 0);
		perf_put8(&writer.records, 1);
		for (int i = 0; i < 6; i++)
			perf_put8(&writer.records, 0);
	}
	perf_write_end(&writer);
}

void test_cs_etm__time_conv(void **state)
{
	etm4_info(1);
	time_conv(26, 2684354560, true);
	read_etm();
	assert_true(etm.time_conv.known);
	assert_int_equal(etm.time_conv.shift, 26);
	assert_int_equal(etm.time_conv.mult, 2684354560);
	assert_int_equal(etm.time_conv.zero, 5000);
	assert_int_equal(etm.time_conv.cycles, 77);
	assert_int_equal(etm.time_conv.mask, 0xffffff);
	assert_false(etm.time_conv.cap_zero);
	assert_true(etm.time_conv.cap_short);
	case_teardown(NULL);
	begin(false);
	etm4_info(1);
	time_conv(26, 1, false);
	read_etm();
	assert_true(etm.time_conv.known && etm.time_conv.cap_zero && !etm.time_conv.cap_short);
}

void test_cs_etm__senseless_time_conv_is_noted(void **state)
{
	etm4_info(1);
	time_conv(64, 1, false);
	time_conv(3, 0, false);
	read_etm();
	assert_false(etm.time_conv.known);
	assert_true(noted("(shift 64, mult 1)"));
	assert_true(noted("(shift 3, mult 0)"));
}

/* simpleperf's files: manifest.json of the captures tells their AUX records and registers. */
static bool open_shared(const char *name)
{
	const char *path = shared_path(name);
	struct sl_diag diag;

	if (!path)
		return false;
	assert_int_equal(perf_file_open(path, &notes, &file, &diag), SL_OK);
	assert_int_equal(cs_etm_read(file, &notes, &etm, &diag), SL_OK);
	return true;
}

void test_cs_etm__simpleperf_etm(void **state)
{
	static const uint64_t times[] = { 1118687117325, 1118688029825, 1118688983262, 1118693749982 };

	if (!open_shared("captures/simpleperf/perf_etm/perf_etm.data"))
		skip();
	assert_int_equal(etm.cpu_count, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(etm.cpus[i].config.protocol, SL_PROTOCOL_ETMV4);
		assert_int_equal(etm.cpus[i].trace_id, 0x10 + 2 * i);
		assert_int_equal(reg(i, SL_REG_TRCIDR1), i < 6 ? 0x4100f422 : 0x4100f423);
	}
	assert_int_equal(etm.buffer_count, 1);
	assert_int_equal(etm.buffers[0].cpu, 7);
	assert_string_equal(pieces(), "0+80 80+80 160+80 240+144");
	for (size_t i = 0; i < COUNT(times); i++) {
		assert_int_equal(etm.pieces[i].time, times[i]);
		assert_int_equal(etm.pieces[i].tid, 17235);
	}
	assert_int_equal(notes.len, 0);
}

void test_cs_etm__simpleperf_kernel(void **state)
{
	if (!open_shared("captures/simpleperf/perf_kernel/perf_kernel.data"))
		skip();
	assert_int_equal(etm.buffer_count, 2);
	assert_int_equal(etm.buffers[0].cpu, 0);
	assert_int_equal(etm.buffers[1].cpu, 6);
	assert_string_equal(pieces(), "0+16368 0+16368 16368+6464");
	assert_int_equal(etm.pieces[0].flags, TRUNCATED);
	assert_int_equal(etm.pieces[2].flags, 0);
	assert_true(noted("marked as truncated: 2 (32736 bytes"));
}

void test_cs_etm__simpleperf_missing_aux_data(void **state)
{
	if (!open_shared("captures/simpleperf/perf_with_missing_aux_data/perf_with_missing_aux_data.data"))
		skip();
	assert_int_equal(etm.cpus[0].config.protocol, SL_PROTOCOL_ETMV4);
	assert_int_equal(reg(0, SL_REG_TRCDEVARCH), 0x47724a13);
	assert_int_equal(etm.piece_count, 0);
	assert_int_equal(etm.aux_bytes_lost, 683968 + 358512 + 478768 + 48 + 48 + 14000);
	assert_true(noted("CPU 4: 14000 bytes"));
	assert_true(noted("CPU 7: 1521344 bytes"));
}

void test_cs_etm__simpleperf_unformatted(void **state)
{
	if (!open_shared("captures/simpleperf/perf_with_unformatted_trace/perf_with_unformatted_trace.data"))
		skip();
	assert_int_equal(etm.cpu_count, 2);
	assert_int_equal(etm.cpus[0].config.protocol, SL_PROTOCOL_ETE);
	assert_int_equal(reg(1, SL_REG_TRCCONFIGR), 0x8080);
	assert_string_equal(pieces(), "0+76r");
	assert_int_equal(etm.pieces[0].cpu, 0);
	assert_int_equal(etm.pieces[0].time, 1667196293520);
	assert_int_equal(notes.len, 0);
}
