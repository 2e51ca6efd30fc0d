/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of a recording's maps are found, by name and by build id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "find_fixture.h"

#define IN_CACHE(fill) "home/.debug/.build-id/" fill "/" fill fill fill fill fill fill fill fill fill fill fill fill fill fill fill \
	fill fill fill fill

enum { PID = 100, CODE = 0x7f0000 };

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
	return find_teardown(state);
}

static void put_library(const char *name, uint64_t start, uint8_t fill)
{
	put_find_map((struct find_map){ .pid = PID, .name = name, .start = start, .len = 0x1000, .pgoff = 0x1000, .fill = fill });
}

/* A map without an id has that of its name in the list; then a cache has its file, whatever it is called there. */
void test_perf_find__the_list_gives_build_ids(void **state)
{
	write_elf(IN_CACHE("21") "/elf", (struct find_elf){ .fill = 0x21 });
	put_library("/target/libone.so", CODE, 0);
	put_library("/target/libtwo.so", CODE + 0x10000, 0);
	put_build_id(USER_MODE, "/target/libone.so", 0x21);
	put_build_id(GUEST_KERNEL_MODE, "/target/libtwo.so", 0x21);
	load(NULL);
	check_file_at(CODE, IN_CACHE("21") "/elf");
	assert_int_equal(missing("/target/libtwo.so"), 1);
}

/* The record's own id tells what ran; the list may tell of another file of that name. */
void test_perf_find__the_record_knows_better(void **state)
{
	write_elf(IN_CACHE("22") "/elf", (struct find_elf){ .fill = 0x22 });
	put_library("/target/libown.so", CODE, 0x22);
	put_build_id(USER_MODE, "/target/libown.so", 0x21);
	load(NULL);
	check_file_at(CODE, IN_CACHE("22") "/elf");
}

/* With an id from the list, another build is refused, and named. */
void test_perf_find__the_list_refuses_others(void **state)
{
	write_elf("symfs/target/libother.so", (struct find_elf){ .fill = 0x23 });
	put_library("/target/libother.so", CODE, 0);
	load("symfs");
	check_file_at(CODE, "symfs/target/libother.so");
	put_build_id(USER_MODE, "/target/libother.so", 0x24);
	load("symfs");
	assert_int_equal(missing("/target/libother.so"), 1);
	assert_true(noted("/symfs/target/libother.so has build id 2323"));
	assert_true(noted("2424 ran"));
}

/* Two ids for one name: neither is known to be the map's. Zeros are none. */
void test_perf_find__contradicting_ids(void **state)
{
	write_elf("symfs/target/libboth.so", (struct find_elf){ .fill = 0x25 });
	put_library("/target/libboth.so", CODE, 0);
	put_build_id(USER_MODE, "/target/libboth.so", 0x26);
	put_build_id(USER_MODE, "/target/libboth.so", 0);
	put_build_id(USER_MODE, "/target/libboth.so", 0x27);
	load("symfs");
	check_file_at(CODE, "symfs/target/libboth.so");
	assert_true(noted("lists two build ids for /target/libboth.so"));
}

/* [vdso] is another file in 32-bit programs, which have all below 4 GiB. */
void test_perf_find__the_vdso(void **state)
{
	write_elf(IN_CACHE("28") "/vdso", (struct find_elf){ .fill = 0x28 });
	write_elf(IN_CACHE("29") "/vdso", (struct find_elf){ .fill = 0x29, .machine = EM_ARM });
	put_find_map((struct find_map){ .pid = PID, .name = "[vdso]", .start = 0xffff80000000, .len = 0x2000 });
	put_find_map((struct find_map){ .pid = PID + 1, .name = "[vdso]", .start = 0xf7ff0000, .len = 0x2000 });
	put_build_id(USER_MODE, "[vdso]", 0x28);
	put_build_id(USER_MODE, "[vdso32]", 0x29);
	load(NULL);
	check_file_at(0xffff80000000, IN_CACHE("28") "/vdso");
	check_file_at(0xf7ff0000, IN_CACHE("29") "/vdso");
}

/* However many processes have it, it is looked for once: all get the same answer, and a mismatch is noted once. */
void test_perf_find__one_search_a_file(void **state)
{
	write_elf("symfs/target/libmany.so", (struct find_elf){ .fill = 0x31 });
	for (uint32_t i = 0; i < 50; i++) {
		put_find_map((struct find_map){ .pid = (int32_t)(PID + i), .name = "/target/libmany.so", .start = CODE + i * 0x10000,
						.len = 0x1000, .pgoff = 0x1000, .fill = i % 2 ? 0x31 : 0x32 });
	}
	load("symfs");
	check_file_at(CODE + 0x10000, "symfs/target/libmany.so");
	check_file_at(CODE + 49 * 0x10000, "symfs/target/libmany.so");
	assert_int_equal(missing("/target/libmany.so"), 25);
	assert_int_equal(notes_with("has build id 3131"), 1);
}

/* What objcopy --only-keep-debug leaves has the build id and the size of the program, and other bytes. */
static void write_debug_file(const char *name, uint8_t fill)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	uint8_t note[36] = { 4, 0, 0, 0, ID_BYTES, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };

	memset(note + 16, fill, ID_BYTES);
	mini_elf_section(elf, &(struct mini_section){ .name = ".text", .type = SHT_NOBITS, .align = 4, .len = 0x100,
						      .flags = SHF_ALLOC | SHF_EXECINSTR });
	mini_elf_section(elf, &(struct mini_section){ .name = ".note.gnu.build-id", .type = SHT_NOTE, .align = 4,
						      .data = note, .len = sizeof(note) });
	temp_write(name, "", 0);
	mini_elf_write(elf, temp_path(name));
}

/* A file of the right name or id that cannot be the code is named with why. */
void test_perf_find__files_without_code(void **state)
{
	write_debug_file("symfs/.build-id/33/33333333333333333333333333333333333333.debug", 0x33);
	temp_write("symfs/target/text.so", "no ELF", 6);
	temp_write("symfs/target/mod.ko.xz", "\xfd" "7zXZ\0", 6);
	put_library("/target/libdebug.so", CODE, 0x33);
	put_library("/target/text.so", CODE + 0x10000, 0);
	put_library("/target/mod.ko.xz", CODE + 0x20000, 0);
	load("symfs");
	assert_true(noted("333333.debug is a debug file, without the code"));
	assert_true(noted("/symfs/target/text.so is no ELF file"));
	assert_true(noted("/symfs/target/mod.ko.xz is compressed: unpack it (unxz, unzstd, gunzip)"));
	assert_string_equal(file_at(CODE), "");
	assert_int_equal(missing("/target/libdebug.so"), 1);
}

/* Where kernels install it, but only with the right id: it may be of another kernel than the release tells. */
void test_perf_find__the_vdso_of_the_kernel(void **state)
{
	write_elf("symfs/lib/modules/6.1.0-test/vdso/vdso.so", (struct find_elf){ .fill = 0x34 });
	put_find_map((struct find_map){ .pid = PID, .name = "[vdso]", .start = 0xffff80000000, .len = 0x2000 });
	load("symfs");
	assert_string_equal(file_at(0xffff80000000), "");
	assert_int_equal(missing("[vdso]"), 1);
	put_build_id(USER_MODE, "[vdso]", 0x34);
	load("symfs");
	check_file_at(0xffff80000000, "symfs/lib/modules/6.1.0-test/vdso/vdso.so");
}

/* What is in no file stays missing, by its name. */
void test_perf_find__pages_of_the_kernel(void **state)
{
	put_find_map((struct find_map){ .pid = PID, .name = "[vectors]", .start = 0xffff0000, .len = 0x1000 });
	put_find_map((struct find_map){ .pid = PID, .name = "[sigpage]", .start = 0xb6f00000, .len = 0x1000 });
	load("symfs");
	assert_int_equal(missing("[vectors]"), 1);
	assert_int_equal(missing("[sigpage]"), 1);
}

void test_perf_find__debuginfod(void **state)
{
	write_elf("debuginfod/3535353535353535353535353535353535353535/executable", (struct find_elf){ .fill = 0x35 });
	put_library("/target/libserved.so", CODE, 0x35);
	load(NULL);
	check_file_at(CODE, "debuginfod/3535353535353535353535353535353535353535/executable");
}

/* As perf makes its cache: a link by build id to the folder of a path, or of old to the file. */
void test_perf_find__linked_caches(void **state)
{
	write_elf("home/.debug/target/liblink.so/36/elf", (struct find_elf){ .fill = 0x36 });
	write_elf("home/.debug/target/libold.so/37", (struct find_elf){ .fill = 0x37 });
	temp_write("home/.debug/.build-id/36/none", "", 0);
	temp_write("home/.debug/.build-id/37/none", "", 0);
	assert_int_equal(symlink("../../target/liblink.so/36", temp_path(IN_CACHE("36"))), 0);
	assert_int_equal(symlink("../../target/libold.so/37", temp_path(IN_CACHE("37"))), 0);
	put_library("/target/liblink.so", CODE, 0x36);
	put_library("/target/libold.so", CODE + 0x10000, 0x37);
	load(NULL);
	check_file_at(CODE, IN_CACHE("36") "/elf");
	check_file_at(CODE + 0x10000, IN_CACHE("37"));
}
