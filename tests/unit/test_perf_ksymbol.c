/* SPDX-License-Identifier: Apache-2.0 */
/* BPF programs and patched code of the kernel, and processes in containers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mini_elf.h"
#include "names_fixture.h"

#define BPF 0xffff800001000000ull
enum { BPF_TYPE = 1, OUT_OF_LINE = 2, GONE = 1 };

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

static struct recording rec;

static void put_ksymbol(uint64_t address, uint32_t len, uint16_t type, uint16_t flags, const char *name)
{
	perf_write_begin(&rec.writer, PERF_KSYMBOL, 1);
	perf_put64(&rec.writer.records, address);
	perf_put32(&rec.writer.records, len);
	perf_put16(&rec.writer.records, type);
	perf_put16(&rec.writer.records, flags);
	perf_put_text(&rec.writer.records, name);
	rec_trailer(&rec, 0);
	perf_write_end(&rec.writer);
}

static void put_trace_start(uint32_t pid)
{
	perf_write_begin(&rec.writer, PERF_ITRACE_START, 0);
	perf_put32(&rec.writer.records, pid);
	perf_put32(&rec.writer.records, pid);
	rec_trailer(&rec, pid);
	perf_write_end(&rec.writer);
}

/* NAMESPACES with count of them, inode in the place of the mount namespace. */
static void put_namespaces(uint32_t pid, uint64_t count, uint64_t inode)
{
	perf_write_begin(&rec.writer, PERF_NAMESPACES, 0);
	perf_put32(&rec.writer.records, pid);
	perf_put32(&rec.writer.records, pid);
	perf_put64(&rec.writer.records, count);
	for (uint64_t i = 0; i < count; i++) {
		perf_put64(&rec.writer.records, 4);
		perf_put64(&rec.writer.records, i == 5 ? inode : 7000 + pid);
	}
	rec_trailer(&rec, pid);
	perf_write_end(&rec.writer);
}

static void open_it(void)
{
	rec_open(&rec, rec_write(&rec, "perf.data"), NULL);
}

void test_perf_ksymbol__names_and_what_to_do(void **state)
{
	const struct sl_missing *missing;

	(void)state;
	rec_start(&rec);
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "bpf_prog_a");
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "bpf_prog_a"); /* perf tells of it, and the kernel too */
	put_ksymbol(BPF + 0x1000, 0x40, OUT_OF_LINE, 0, "ftrace_trampoline");
	put_ksymbol(BPF + 0x2000, 0, BPF_TYPE, 0, "empty");
	put_ksymbol(UINT64_MAX - 4, 0x40, BPF_TYPE, 0, "beyond");
	open_it();
	rec_check(&rec, 0, BPF + 8, "bpf_prog_a", BPF, BPF + 0x100);
	rec_check(&rec, SL_CORE_ANY, BPF + 0x1000, "ftrace_trampoline", BPF + 0x1000, BPF + 0x1040);
	rec_check_none(&rec, 0, BPF + 0x2000);
	assert_true(rec_noted(&rec, "KSYMBOL records without address, length or name: 2 (the first at offset"));
	missing = rec_missing(&rec, "BPF program bpf_prog_a: its code is not in the recording; record with perf record --kcore");
	assert_non_null(missing);
	assert_int_equal(missing->start, BPF);
	assert_int_equal(missing->end, BPF + 0x100);
	assert_non_null(rec_missing(&rec, "kernel code ftrace_trampoline: its code is not in the recording; record with perf "
					  "record --kcore"));
	assert_int_equal(sl_image_missing(rec.image, &missing), 2);
	rec_close(&rec);
}

/* Addresses that were used again: a name for both, unless the first went before tracing began. */
void test_perf_ksymbol__one_after_the_other(void **state)
{
	(void)state;
	rec_start(&rec);
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "before");
	put_ksymbol(BPF, 0x100, BPF_TYPE, GONE, "before");
	put_trace_start(5);
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "bpf_prog_a");
	put_ksymbol(BPF, 0x100, BPF_TYPE, GONE, "bpf_prog_a");
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "bpf_prog_b");
	put_ksymbol(BPF, 0x100, BPF_TYPE, GONE, "bpf_prog_b");
	put_ksymbol(BPF, 0x100, BPF_TYPE, 0, "bpf_prog_a");
	put_ksymbol(BPF + 0x1000, 0x100, BPF_TYPE, 0, "long");
	put_ksymbol(BPF + 0x1000, 0x100, BPF_TYPE, GONE, "long");
	put_ksymbol(BPF + 0x1080, 0x100, BPF_TYPE, 0, "shifted");
	open_it();
	rec_check(&rec, 0, BPF, "bpf_prog_a|bpf_prog_b", BPF, BPF + 0x100);
	rec_check_none(&rec, 0, BPF + 0x1000);
	rec_check_none(&rec, 0, BPF + 0x1100);
	assert_true(rec_noted(&rec, "kernel addresses that several BPF programs had while it was recorded: 1 (the first "
				    "0xffff800001001000)"));
	assert_null(rec_missing(&rec, "BPF program before: its code is not in the recording; record with perf record --kcore"));
	assert_non_null(rec_missing(&rec, "BPF program long: its code is not in the recording; record with perf record --kcore"));
	rec_close(&rec);
}

/* A kcore has the bytes, and the name is for them. */
void test_perf_ksymbol__kcore_has_the_code(void **state)
{
	static const uint8_t code[0x100];
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_CORE);
	const struct sl_missing *missing;
	char folder[300];

	(void)state;
	temp_write("recording/kcore_dir/kcore", "", 0);
	mini_elf_segment(elf, mini_elf_section(elf, &(struct mini_section){ .name = ".text", .addr = BPF, .align = 4096,
									   .flags = SHF_ALLOC | SHF_EXECINSTR, .data = code,
									   .len = sizeof(code) }), PF_R | PF_X);
	mini_elf_write(elf, temp_path("recording/kcore_dir/kcore"));
	rec_start(&rec);
	put_ksymbol(BPF + 0x40, 0x40, BPF_TYPE, 0, "bpf_prog_a");
	rec_write(&rec, "recording/data");
	snprintf(folder, sizeof(folder), "%s", temp_path("recording"));
	rec_open(&rec, folder, NULL);
	rec_check(&rec, 0, BPF + 0x48, "bpf_prog_a", BPF + 0x40, BPF + 0x80);
	assert_int_equal(sl_image_bytes(rec.image, 0, SL_SPACE_ANY, BPF + 0x40).len, 0xc0);
	assert_int_equal(sl_image_missing(rec.image, &missing), 0);
	rec_close(&rec);
}

void test_perf_ksymbol__patched_code_is_told(void **state)
{
	(void)state;
	rec_start(&rec);
	for (unsigned i = 0; i < 2; i++) {
		perf_write_begin(&rec.writer, PERF_TEXT_POKE, 1);
		perf_put64(&rec.writer.records, BPF + i);
		perf_put16(&rec.writer.records, 2);
		perf_put16(&rec.writer.records, 2);
		perf_put32(&rec.writer.records, 0x12345678);
		rec_trailer(&rec, 0);
		perf_write_end(&rec.writer);
	}
	open_it();
	assert_true(rec_noted(&rec, "kernel code was patched while it was recorded: 2 times, the first at 0xffff800001000000 at "
				    "time 1000 (record at offset"));
	rec_close(&rec);
}

static void put_app(uint32_t pid, uint64_t mount)
{
	rec_map(&rec, pid, 0x400000, 0x1000, 0, "/bin/app");
	if (mount)
		put_namespaces(pid, 7, mount);
}

/* In another mount namespace than most, or than process 1. */
void test_perf_ksymbol__containers_are_told(void **state)
{
	(void)state;
	rec_start(&rec);
	put_app(10, 100);
	put_app(20, 200);
	put_app(30, 100);
	put_app(40, 0);
	put_namespaces(50, 7, 300); /* without files */
	put_namespaces(10, 3, 400); /* too few to tell */
	open_it();
	assert_true(rec_noted(&rec, "processes in a mount namespace of their own: 1, the first process (20): the paths of their "
				    "files are those of a container; give its root with --symfs DIR"));
	rec_close(&rec);
	rec_start(&rec);
	put_app(1, 200);
	put_app(10, 100);
	put_app(20, 200);
	put_app(30, 100);
	open_it();
	assert_true(rec_noted(&rec, "processes in a mount namespace of their own: 2, the first process (10)"));
	rec_close(&rec);
	rec_start(&rec);
	put_app(10, 100);
	put_app(20, 100);
	open_it();
	assert_false(rec_noted(&rec, "mount namespace"));
	rec_close(&rec);
}
