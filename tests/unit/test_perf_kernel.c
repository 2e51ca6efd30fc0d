/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's files of a recording: where they are found, and where they are put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "find_fixture.h"

#define BASE  0xffff800008000000ull /* of the vmlinux files here */
#define SLIDE 0x12600000ull
#define IN_BOOT	  "symfs/usr/lib/debug/boot/vmlinux-6.1.0-test"
#define IN_CACHE(fill, name) "home/.debug/.build-id/" fill "/" fill fill fill fill fill fill fill fill fill fill fill fill fill fill \
	fill fill fill fill fill "/" name

int group_setup(void **state)
{
	return find_group_setup(state);
}

int group_teardown(void **state)
{
	return find_group_teardown(state);
}

int case_setup(void **state)
{
	return find_setup(state);
}

int case_teardown(void **state)
{
	remove(temp_path(IN_BOOT));
	return find_teardown(state);
}

static void write_kernel(const char *name, const char *symbol, uint64_t offset, uint8_t fill)
{
	write_elf(name, (struct find_elf){ .type = ET_EXEC, .fill = fill, .address = BASE, .symbol = symbol,
					   .symbol_at = BASE + offset });
}

/* A kernel map as perf makes it up: pgoff is the symbol's address. */
static void put_kernel(const char *name, uint64_t address)
{
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = name, .start = BASE + SLIDE, .len = 0x1000000,
					.pgoff = address });
}

/* KASLR: by the symbol that the map's name tells, which need not be the first byte. */
void test_perf_kernel__slide(void **state)
{
	write_kernel(IN_BOOT, "_stext", 0x80, 0x41);
	put_kernel("[kernel.kallsyms]_stext", BASE + SLIDE + 0x80);
	put_build_id(KERNEL_MODE, "[kernel.kallsyms]", 0x41);
	load("symfs");
	check_file_at(BASE + SLIDE, IN_BOOT);
	assert_string_equal(file_at(BASE + SLIDE - 1), "");
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, BASE + SLIDE + 0x80).id)->name, "_stext");
	assert_int_equal(notes.len, 0);
}

/* simpleperf: no pgoff, the map begins at the symbol and ends anywhere. */
void test_perf_kernel__simpleperf(void **state)
{
	write_kernel(IN_BOOT, "_stext", 0x80, 0x41);
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[kernel.kallsyms]_stext", .start = BASE + SLIDE + 0x80,
					.len = UINT64_MAX });
	load("symfs");
	check_file_at(BASE + SLIDE, IN_BOOT);
	assert_true(noted("is taken for the kernel that ran: the recording has no build id of it to check"));
}

/* Without symbols the first byte is _text; for another symbol nothing tells. */
void test_perf_kernel__without_symbols(void **state)
{
	write_kernel(IN_BOOT, NULL, 0, 0x41);
	put_kernel("[kernel.kallsyms]_text", BASE + SLIDE);
	load("symfs");
	check_file_at(BASE + SLIDE, IN_BOOT);
	assert_true(noted("has no symbol _text: its first byte is taken for it"));
}

void test_perf_kernel__without_the_symbol(void **state)
{
	write_kernel(IN_BOOT, "_text", 0, 0x41);
	put_kernel("[kernel.kallsyms]_stext", BASE + SLIDE);
	load("symfs");
	assert_string_equal(file_at(BASE + SLIDE), "");
	assert_true(noted("has no symbol _stext, whose address is all that the recording tells"));
}

/* A map without a symbol: the kernel's own addresses, and that is said. */
void test_perf_kernel__address_unknown(void **state)
{
	write_kernel(IN_BOOT, "_stext", 0, 0x41);
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[kernel.kallsyms]", .start = 0, .len = UINT64_MAX });
	load("symfs");
	check_file_at(BASE, IN_BOOT);
	assert_true(noted("does not tell where the kernel was"));
}

void test_perf_kernel__another_kernel(void **state)
{
	write_kernel(IN_BOOT, "_text", 0, 0x41);
	put_kernel("[kernel.kallsyms]_text", BASE + SLIDE + 0x10);
	load("symfs");
	assert_string_equal(file_at(BASE + SLIDE + 0x10), "");
	assert_true(noted("is another kernel: its _text is at 0xffff800008000000, and was at 0xffff80001a600010"));
	put_build_id(KERNEL_MODE, "[kernel.kallsyms]", 0x42);
	load("symfs");
	assert_true(noted("vmlinux-6.1.0-test has build id 4141"));
	assert_int_equal(missing("[kernel.kallsyms]_text"), 1);
}

/* A guest's kernel is none of this one. */
void test_perf_kernel__guest(void **state)
{
	write_kernel(IN_BOOT, "_text", 0, 0x41);
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[guest.kernel.kallsyms]_text", .start = BASE + SLIDE,
					.len = 0x1000, .pgoff = BASE + SLIDE });
	load("symfs");
	assert_string_equal(file_at(BASE + SLIDE), "");
}

/* --image vmlinux goes where the kernel was; another file of the user's where it says. */
void test_perf_kernel__the_users_own(void **state)
{
	struct sl_image_file files[2] = { 0 };
	char paths[2][300];

	write_kernel("mine/vmlinux", "_text", 0, 0x41);
	write_elf("mine/boot.elf", (struct find_elf){ .type = ET_EXEC, .address = 0x8000, .symbol = "start", .symbol_at = 0x8000 });
	snprintf(paths[0], sizeof(paths[0]), "%s", temp_path("mine/vmlinux"));
	snprintf(paths[1], sizeof(paths[1]), "%s", temp_path("mine/boot.elf"));
	files[0].path = paths[0];
	files[1].path = paths[1];
	put_kernel("[kernel.kallsyms]_text", BASE + SLIDE);
	put_build_id(KERNEL_MODE, "[kernel.kallsyms]", 0x43);
	load_with(NULL, files, 2);
	check_file_at(BASE + SLIDE, "mine/vmlinux");
	check_file_at(0x8000, "mine/boot.elf");
	assert_true(noted("mine/vmlinux has another build id than the kernel that ran"));
	files[0].address = BASE;
	files[0].address_known = true;
	load_with(NULL, files, 1);
	check_file_at(BASE, "mine/vmlinux");
}

#define ID_44 "4444444444444444444444444444444444444444"
#define KCORES "home/.debug/[kernel.kcore]/" ID_44

static void write_text(const char *name, const char *text)
{
	temp_write(name, text, strlen(text));
}

/* A copy of the kernel's memory: code at address, and what /proc said then. */
static void write_copy(const char *folder, uint64_t address, const char *kallsyms, const char *modules)
{
	char name[200];

	snprintf(name, sizeof(name), KCORES "/%s/kcore", folder);
	write_elf(name, (struct find_elf){ .type = ET_CORE, .address = address });
	snprintf(name, sizeof(name), KCORES "/%s/kallsyms", folder);
	write_text(name, kallsyms);
	snprintf(name, sizeof(name), KCORES "/%s/modules", folder);
	write_text(name, modules);
}

static void put_recorded_boot(void)
{
	put_kernel("[kernel.kallsyms]_text", BASE + SLIDE);
	put_build_id(KERNEL_MODE, "[kernel.kallsyms]", 0x44);
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[the_module]", .start = 0xffff800001000000, .len = 0x1000 });
}

#define KALLSYMS_HERE  "ffff80001a600000 T _text\nffff80001a600040 T do_it\n"
#define KALLSYMS_THERE "ffff80001a700000 T _text\nffff80001a700040 T do_it\n"
#define MODULES_HERE   "other 1 0 - Live 0xffff800002000000\nthe_module 16384 0 - Live 0xffff800001000000 (E)\n"
#define MODULES_THERE  "the_module 16384 0 - Live 0xffff800003000000\n"

/* Of several copies that one whose kernel and modules lay where the recording has them. */
void test_perf_kernel__cached_kcore(void **state)
{
	write_copy("2024010100000001", BASE + SLIDE, KALLSYMS_HERE, MODULES_HERE);
	write_copy("2024010100000002", BASE + SLIDE, KALLSYMS_HERE, MODULES_THERE);
	write_copy("2024010100000003", BASE + SLIDE, KALLSYMS_THERE, MODULES_HERE);
	put_recorded_boot();
	load(NULL);
	check_file_at(BASE + SLIDE, KCORES "/2024010100000001/kcore");
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, BASE + SLIDE + 0x40).id)->name, "do_it");
	assert_int_equal(missing("[the_module]"), 0);
}

void test_perf_kernel__kcore_of_another_boot(void **state)
{
	write_copy("2024010100000001", BASE + SLIDE, KALLSYMS_THERE, MODULES_HERE);
	put_recorded_boot();
	load(NULL);
	assert_string_equal(file_at(BASE + SLIDE), "");
	assert_true(noted("of 3 copies of the kernel's memory none is of the boot that was recorded"));
	assert_int_equal(missing("[the_module]"), 1);
	assert_int_equal(missing("[kernel.kallsyms]_text"), 1);
}

/* A module's code begins where its map does; it is found by the name in brackets, or unpacked. */
void test_perf_kernel__modules(void **state)
{
	write_elf("symfs/some-module.ko", (struct find_elf){ .type = ET_REL, .fill = 0x45, .symbol = "work", .symbol_at = 8 });
	write_elf("symfs/packed.ko", (struct find_elf){ .type = ET_REL, .fill = 0x46 });
	write_text("symfs/lib/modules/6.1.0-test/kernel/packed.ko.xz", "\xfd" "7zXZ");
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[some_module]", .start = BASE, .len = 0x1000 });
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "/lib/modules/6.1.0-test/kernel/packed.ko.xz",
					.start = BASE + 0x10000, .len = 0x80 });
	put_build_id(KERNEL_MODE, "/lib/modules/6.1.0-test/some-module.ko", 0x45);
	put_build_id(KERNEL_MODE, "/lib/modules/6.1.0-test/kernel/packed.ko.xz", 0x46);
	load("symfs");
	check_file_at(BASE, "symfs/some-module.ko");
	assert_int_equal(sl_image_symbol_at(image, 0, BASE + 8).start, BASE + 8);
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, BASE + 8).id)->name, "work");
	check_file_at(BASE + 0x1007f, "symfs/packed.ko");
	assert_string_equal(file_at(BASE + 0x10080), "");
	put_build_id(KERNEL_MODE, "[some_module]", 0x47);
	put_build_id(KERNEL_MODE, "packed.ko", 0x47);
	remove(temp_path("symfs/packed.ko"));
	load("symfs");
	assert_true(noted("packed.ko.xz is compressed: unpack it"));
	assert_int_equal(missing("/lib/modules/6.1.0-test/kernel/packed.ko.xz"), 1);
}

/* What another module's map took of a module's is not its own any more; the rest stays in place. */
void test_perf_kernel__overlapping_modules(void **state)
{
	write_elf("symfs/under.ko", (struct find_elf){ .type = ET_REL, .symbol = "work", .symbol_at = 0x80 });
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[under]", .start = BASE, .len = 0x1000 });
	now = 1000;
	put_find_map((struct find_map){ .pid = KERNEL_PID, .name = "[over]", .start = BASE, .len = 0x40 });
	load("symfs");
	assert_string_equal(file_at(BASE), "");
	check_file_at(BASE + 0x40, "symfs/under.ko");
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, BASE + 0x80).id)->name, "work");
}

/* debuginfod serves vmlinux as the kernel's debuginfo. */
void test_perf_kernel__debuginfod(void **state)
{
	write_kernel("debuginfod/4848484848484848484848484848484848484848/debuginfo", "_text", 0, 0x48);
	put_kernel("[kernel.kallsyms]_text", BASE + SLIDE);
	put_build_id(KERNEL_MODE, "[kernel.kallsyms]", 0x48);
	load(NULL);
	check_file_at(BASE + SLIDE, "debuginfod/4848484848484848484848484848484848484848/debuginfo");
}
