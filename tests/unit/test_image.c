/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image_fixture.h"
#include "mini_elf.h"
#include "sl_file.h"
#include "sl_image.h"
#include "temp_files.h"

static const uint32_t nop = 0xd503201f;

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

static const char *dump_file(const char *name, uint8_t fill, size_t len)
{
	uint8_t *data = malloc(len + 1);
	const char *path;

	assert_non_null(data);
	memset(data, fill, len);
	path = temp_write(name, data, len);
	free(data);
	return path;
}

static int add_dump(const char *path, uint32_t core, uint8_t space, uint64_t address, uint64_t offset,
		    uint64_t len)
{
	struct sl_place place = { .core = core, .space = space, .address = address, .offset = offset, .len = len,
				  .address_known = true };

	return sl_image_add_dump(image, path, &place, &notes, &diag);
}

static void add_text(const char *name, const char *text)
{
	const char *path = temp_write(name, text, strlen(text));

	assert_int_equal(sl_image_add_symbol_text(image, path, 0, &notes, &diag), SL_OK);
}

/* First byte and length of the run at address. */
static void check_bytes(uint32_t core, uint8_t mask, uint64_t address, int first, size_t len)
{
	struct sl_bytes bytes = sl_image_bytes(image, core, mask, address);

	assert_int_equal(bytes.len, len);
	if (len)
		assert_int_equal(bytes.data[0], first);
}

static void check_symbol(uint32_t core, uint64_t address, const char *name, uint64_t first, uint64_t end)
{
	struct sl_symbol_range range = sl_image_symbol_at(image, core, address);

	assert_string_equal(sl_image_symbol(image, range.id)->name, name);
	assert_int_equal(range.start, first);
	assert_int_equal(range.end, end);
}

void test_image__a_dump_gives_its_bytes_and_pages(void **state)
{
	struct sl_bytes bytes;

	start();
	assert_int_equal(add_dump(dump_file("a", 7, 0x3000), 0, SL_SPACE_ANY, 0x10800, 0x100, 0x2000), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, 0x10800, 7, 0x2000);
	check_bytes(0, SL_SPACE_EL3, 0x127ff, 7, 1);
	check_bytes(0, SL_SPACE_ANY, 0x12800, 0, 0);
	check_bytes(0, SL_SPACE_ANY, 0x107ff, 0, 0);
	bytes = sl_image_bytes(image, 5, SL_SPACE_ANY, 0x10810);
	assert_int_equal(bytes.offset, 0x110);
	check_symbol(0, 0x10900, "[10000]", 0x10800, 0x11000);
	check_symbol(0, 0x11fff, "[11000]", 0x11000, 0x12000);
	check_symbol(0, 0x12000, "[12000]", 0x12000, 0x12800);
	check_symbol(0, 0x12800, "[no image]", 0x12800, 0x12801);
	assert_int_equal(sl_image_symbol_count(image), 3);
	assert_true(sl_image_symbol(image, 1)->page);
	assert_string_equal(sl_image_module(image, sl_image_symbol(image, 1)->module)->name, "a");
	finish();
}

void test_image__the_first_dump_of_a_core_wins(void **state)
{
	start();
	add_dump(dump_file("one", 1, 0x100), 0, SL_SPACE_ANY, 0x1040, 0, 0x40);
	add_dump(dump_file("two", 2, 0x100), 0, SL_SPACE_ANY, 0x1000, 0, 0x100);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, 0x1000, 2, 0x40);
	check_bytes(0, SL_SPACE_ANY, 0x1040, 1, 0x40);
	check_bytes(0, SL_SPACE_ANY, 0x1080, 2, 0x80);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x1080).offset, 0x80);
	finish();
}

void test_image__cores_see_their_own_then_any_then_the_others(void **state)
{
	start();
	add_dump(dump_file("zero", 10, 0x30), 0, SL_SPACE_ANY, 0x1000, 0, 0);
	add_dump(dump_file("first", 11, 0x20), 1, SL_SPACE_ANY, 0x1010, 0, 0);
	add_dump(dump_file("any", 12, 0x18), SL_CORE_ANY, SL_SPACE_ANY, 0x1020, 0, 0);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, 0x1000, 10, 0x30);
	check_bytes(0, SL_SPACE_ANY, 0x1030, 12, 8);
	check_bytes(1, SL_SPACE_ANY, 0x1000, 10, 0x10);
	check_bytes(1, SL_SPACE_ANY, 0x1010, 11, 0x20);
	check_bytes(1, SL_SPACE_ANY, 0x1030, 12, 8);
	check_bytes(9, SL_SPACE_ANY, 0x1000, 10, 0x20);
	check_bytes(9, SL_SPACE_ANY, 0x1020, 12, 0x18);
	check_bytes(SL_CORE_ANY, SL_SPACE_ANY, 0x1020, 12, 0x18);
	finish();
}

void test_image__spaces_do_not_shadow_each_other(void **state)
{
	start();
	add_dump(dump_file("s", 1, 0x20), 0, SL_SPACE_EL1S, 0x1000, 0, 0);
	add_dump(dump_file("n", 2, 0x30), 0, SL_SPACE_N, 0x1000, 0, 0);
	add_dump(dump_file("x", 3, 0x40), 0, SL_SPACE_ANY, 0x1000, 0, 0);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_EL1S, 0x1000, 1, 0x20);
	check_bytes(0, SL_SPACE_EL1S, 0x1020, 3, 0x20);
	check_bytes(0, SL_SPACE_EL1N, 0x1000, 2, 0x30);
	check_bytes(0, SL_SPACE_EL2N, 0x1008, 2, 0x28);
	check_bytes(0, SL_SPACE_EL3, 0x1000, 3, 0x40);
	check_bytes(0, SL_SPACE_ANY, 0x1000, 1, 0x20);
	check_bytes(0, SL_SPACE_ANY, 0x1020, 2, 0x10);
	check_bytes(0, SL_SPACE_EL1S | SL_SPACE_EL1N, 0x1000, 1, 0x20);
	finish();
}

void test_image__bad_dumps_are_refused(void **state)
{
	const struct sl_missing *missing;

	start();
	dump_file("short", 0, 0x100);
	assert_int_equal(add_dump(temp_path("short"), 0, SL_SPACE_ANY, 0, 0x80, 0x81), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "holds 0x100 bytes"));
	assert_int_equal(add_dump(temp_path("short"), 0, SL_SPACE_ANY, 0, 0x101, 0), SL_ERR_FORMAT);
	assert_int_equal(add_dump(temp_path("short"), 0, SL_SPACE_ANY, 0, 1, UINT64_MAX), SL_ERR_FORMAT);
	assert_int_equal(add_dump(temp_path("short"), 0, SL_SPACE_ANY, UINT64_MAX - 0x10, 0, 0),
			 SL_ERR_FORMAT);
	assert_int_equal(add_dump(temp_path("absent"), 3, SL_SPACE_ANY, 0x4000, 0, 0x200), SL_ERR_IO);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(sl_image_missing(image, &missing), 1);
	assert_string_equal(missing[0].path, temp_path("absent"));
	assert_int_equal(missing[0].start, 0x4000);
	assert_int_equal(missing[0].end, 0x4200);
	assert_int_equal(missing[0].core, 3);
	check_bytes(0, SL_SPACE_ANY, 0, 0, 0);
	finish();
}

void test_image__the_top_of_the_address_space_can_be_mapped(void **state)
{
	start();
	assert_int_equal(add_dump(dump_file("top", 9, 0x1000), 0, SL_SPACE_ANY, UINT64_MAX - 0xfff, 0, 0),
			 SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, UINT64_MAX - 0xfff, 9, 0xfff);
	check_symbol(0, UINT64_MAX - 8, "[fffffffffffff000]", UINT64_MAX - 0xfff, UINT64_MAX);
	finish();
}

void test_image__texts_name_dumps_also_in_the_middle(void **state)
{
	start();
	add_dump(dump_file("mid", 0, 0x1000), 0, SL_SPACE_ANY, 0x8000, 0, 0);
	add_dump(dump_file("far", 0, 0x1000), 0, SL_SPACE_ANY, 0x400000, 0, 0);
	add_text("prog.map", "00007f00 T early\n00008100 t inner\n00008200 D data\n00008300 W other\n");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_symbol(0, 0x8000, "early", 0x8000, 0x8100);
	assert_int_equal(sl_image_symbol_at(image, 0, 0x8000).entry, 0x7f00);
	check_symbol(0, 0x8250, "inner", 0x8100, 0x8300);
	check_symbol(0, 0x8fff, "other", 0x8300, 0x9000);
	check_symbol(0, 0x400000, "[400000]", 0x400000, 0x401000);
	check_symbol(0, 0x9000, "[no image]", 0x9000, 0x9001);
	finish();
}

void test_image__names_without_size_reach_one_mebibyte(void **state)
{
	start();
	add_dump(dump_file("big", 0, 0x200000), 0, SL_SPACE_ANY, 0x100000, 0, 0);
	add_text("one.map", "00100800 T only\n00000010 t aaa\n");
	assert_int_equal(sl_image_seal(image), SL_OK);
	/* aaa at 0x10 ends at 0x100010. */
	check_symbol(0, 0x100000, "aaa", 0x100000, 0x100010);
	check_symbol(0, 0x100010, "[100000]", 0x100010, 0x100800);
	check_symbol(0, 0x200000, "only", 0x100800, 0x200800);
	check_symbol(0, 0x200800, "[200000]", 0x200800, 0x201000);
	finish();
}

/* An AArch64 program with code at 0x1000: f (0x20 bytes) and g (0x20), 0x40 bytes more without symbol. */
static const char *write_program(const char *name)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	uint32_t code[32];
	unsigned text;

	for (size_t i = 0; i < 32; i++)
		code[i] = nop;
	text = mini_elf_section(elf, &(struct mini_section){ .name = ".text",
							     .flags = SHF_ALLOC | SHF_EXECINSTR,
							     .addr = 0x1000,
							     .align = 64,
							     .data = code,
							     .len = sizeof(code) });
	mini_elf_segment(elf, text, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "f", 0x1000, 0x20, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "g", 0x1020, 0x20, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	mini_elf_write(elf, temp_path(name));
	return temp_path(name);
}

void test_image__a_dump_of_an_elf_brings_its_names(void **state)
{
	const char *path = write_program("prog.elf");

	start();
	/* .text lies at file offset 0x80; the dump begins with the second half of f. */
	assert_int_equal(add_dump(path, 0, SL_SPACE_ANY, 0x70000010, 0x90, 0x40), SL_OK);
	assert_int_equal(add_dump(path, 1, SL_SPACE_ANY, 0x90000000, 0x80, 0x80), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(sl_image_module_count(image), 1);
	check_symbol(0, 0x70000010, "f", 0x70000010, 0x70000020);
	assert_int_equal(sl_image_symbol_at(image, 0, 0x70000010).entry, 0x70000000);
	check_symbol(0, 0x70000030, "g", 0x70000020, 0x70000040);
	check_symbol(0, 0x70000044, "[prog.elf+0x1000]", 0x70000040, 0x70000050);
	check_symbol(1, 0x90000000, "f", 0x90000000, 0x90000020);
	/* The same symbol at two places is one symbol. */
	assert_int_equal(sl_image_symbol_at(image, 1, 0x90000000).id,
			 sl_image_symbol_at(image, 0, 0x70000010).id);
	assert_int_equal(sl_image_symbol_count(image), 3);
	assert_int_equal(sl_image_symbol(image, 1)->isa, SL_ISA_A64);
	finish();
}

void test_image__names_of_a_file_apply_to_a_dump_at_its_place(void **state)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };

	start();
	add_dump(dump_file("memory", 5, 0x1000), 0, SL_SPACE_ANY, 0x1000, 0, 0);
	assert_int_equal(sl_image_add_elf(image, write_program("prog2.elf"), &place, NULL, &notes, &diag),
			 SL_OK);
	add_text("more.map", "00001030 T in_g\n00001040 T behind\n00001100 T last\n");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, 0x1000, 5, 0x1000);
	check_bytes(1, SL_SPACE_ANY, 0x1000, nop & 0xff, 0x80);
	check_symbol(0, 0x1000, "f", 0x1000, 0x1020);
	check_symbol(0, 0x1030, "g", 0x1020, 0x1040);
	check_symbol(0, 0x1044, "behind", 0x1040, 0x1100);
	check_symbol(1, 0x1044, "behind", 0x1040, 0x1080);
	check_symbol(0, 0x1100, "last", 0x1100, 0x2000);
	finish();
}

void test_image__mappings_are_listed_by_core_and_address(void **state)
{
	const struct sl_mapping *maps;

	start();
	add_dump(dump_file("m", 0, 0x100), 1, SL_SPACE_EL3, 0x5000, 0, 0);
	add_dump(temp_path("m"), 0, SL_SPACE_ANY, 0x9000, 0, 0);
	add_dump(temp_path("m"), 0, SL_SPACE_ANY, 0x1000, 0x80, 0);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(sl_image_mappings(image, &maps), 3);
	assert_int_equal(maps[0].start, 0x1000);
	assert_int_equal(maps[0].end, 0x1080);
	assert_int_equal(maps[1].start, 0x9000);
	assert_int_equal(maps[2].core, 1);
	assert_int_equal(maps[2].space, SL_SPACE_EL3);
	finish();
}

void test_image__a_gibibyte_without_names_gets_few_of_them(void **state)
{
	start();
	dump_file("sparse", 0, 1);
	assert_int_equal(truncate(temp_path("sparse"), (off_t)4 << 30), 0);
	assert_int_equal(add_dump(temp_path("sparse"), 0, SL_SPACE_ANY, 0x80000000, 0, 0), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_true(sl_image_symbol_count(image) <= 1 << 18);
	check_symbol(0, 0x80012345, "[80010000]", 0x80010000, 0x80020000);
	finish();
}

/* Every answer must tile: each range contains the address, and its neighbours begin where it ends. */
void test_image__ranges_tile_whatever_overlaps(void **state)
{
	uint32_t seed = 1;
	const char *path = write_program("tile.elf");

	start();
	for (unsigned i = 0; i < 60; i++) {
		seed = seed * 1664525 + 1013904223;
		add_dump(path, seed >> 30, (uint8_t)(seed >> 20 | 1), 0x1000 + (seed >> 8) % 0x400,
			 (seed >> 16) % 0x100, 1 + (seed >> 12) % 0x90);
	}
	add_text("tile.map", "00001010 T t1\n00001200 T t2\n000013ff T t3\n");
	assert_int_equal(sl_image_seal(image), SL_OK);
	for (uint32_t core = 0; core < 5; core++) {
		struct sl_symbol_range before = { 0 };

		for (uint64_t at = 0xff0; at < 0x1500; at++) {
			struct sl_symbol_range range = sl_image_symbol_at(image, core, at);

			assert_true(range.start <= at && at < range.end);
			if (at < before.end)
				assert_memory_equal(&range, &before, sizeof(range));
			else if (at > 0xff0)
				assert_int_equal(range.start, at);
			assert_int_equal(range.id != 0,
					 sl_image_bytes(image, core, SL_SPACE_ANY, at).len != 0);
			before = range;
		}
	}
	finish();
}

/* Adds the dumps that an ini of a capture lists. */
static void add_dumps_of(const char *dir)
{
	char name[1024], line[256], file[128] = "", *value;
	FILE *ini;

	snprintf(name, sizeof(name), "%s/cpu_0.ini", dir);
	ini = fopen(name, "r");
	assert_non_null(ini);
	while (fgets(line, sizeof(line), ini)) {
		line[strcspn(line, "\r\n")] = '\0';
		value = strchr(line, '=');
		if (value && strncmp(line, "file=", 5) == 0)
			snprintf(file, sizeof(file), "%s", value + 1);
		if (!value || strncmp(line, "address=", 8) != 0)
			continue;
		snprintf(name, sizeof(name), "%s/%s", dir, file);
		assert_int_equal(add_dump(name, 0, SL_SPACE_ANY, strtoull(value + 1, NULL, 0), 0, 0), SL_OK);
	}
	fclose(ini);
}

static void count_insns(const char *dir, uint64_t *counts)
{
	char name[512];
	struct sl_file file;
	uint64_t pair[2];

	snprintf(name, sizeof(name), "%s/expect.0", dir);
	assert_int_equal(sl_file_map(name, &file, &diag), SL_OK);
	for (size_t i = 0; i + sizeof(pair) <= file.len; i += sizeof(pair)) {
		memcpy(pair, file.data + i, sizeof(pair));
		while (pair[0] < pair[1]) {
			struct sl_symbol_range range = sl_image_symbol_at(image, 0, pair[0]);
			uint64_t end = range.end < pair[1] ? range.end : pair[1];

			counts[range.id] += (end - pair[0]) / 4;
			pair[0] = end;
		}
	}
	sl_file_unmap(&file);
}

/* Instructions per function are those of truth.tsv, and no others. */
static void check_truth(const char *dir, uint64_t *counts)
{
	char line[512], name[256];
	unsigned long long self;
	FILE *truth;

	snprintf(line, sizeof(line), "%s/truth.tsv", dir);
	truth = fopen(line, "r");
	assert_non_null(truth);
	assert_non_null(fgets(line, sizeof(line), truth));
	while (fgets(line, sizeof(line), truth)) {
		assert_int_equal(sscanf(line, "%255s %*u %llu", name, &self), 2);
		for (uint32_t id = 1; id <= sl_image_symbol_count(image); id++) {
			if (strcmp(sl_image_symbol(image, id)->name, name) == 0) {
				self -= counts[id];
				counts[id] = 0;
			}
		}
		if (self)
			fail_msg("%s: %lld instructions are missing", name, self);
	}
	fclose(truth);
	for (uint32_t id = 0; id <= sl_image_symbol_count(image); id++) {
		if (counts[id])
			fail_msg("%s: not in truth.tsv", sl_image_symbol(image, id)->name);
	}
}

static void check_capture(const char *name)
{
	char dir[400], path[512];
	uint64_t *counts;

	if (!shared_path(name))
		skip();
	snprintf(dir, sizeof(dir), "%s", shared_path(name));
	start();
	add_dumps_of(dir);
	snprintf(path, sizeof(path), "%s/System.map", dir);
	assert_int_equal(sl_image_add_symbol_text(image, path, 0, &notes, &diag), SL_OK);
	snprintf(path, sizeof(path), "%s/ut.nm", dir);
	assert_int_equal(sl_image_add_symbol_text(image, path, 0, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	counts = calloc(sl_image_symbol_count(image) + 1, sizeof(*counts));
	assert_non_null(counts);
	count_insns(dir, counts);
	check_truth(dir, counts);
	free(counts);
	finish();
}

void test_image__instructions_per_function_of_uprobe_base(void **state)
{
	check_capture("captures/generated/uprobe-arm64-base");
}

void test_image__instructions_per_function_of_uprobe_preempt_tracer(void **state)
{
	check_capture("captures/generated/uprobe-arm64-preempt-tracer");
}

/* Address spaces are cores that share only what belongs to all of them. */
void test_image__separate_cores(void **state)
{
	(void)state;
	start();
	sl_image_separate(image);
	assert_int_equal(add_dump(dump_file("mine", 1, 0x1000), 0, SL_SPACE_ANY, 0x1000, 0, 0x1000), SL_OK);
	assert_int_equal(add_dump(dump_file("other", 2, 0x2000), 1, SL_SPACE_ANY, 0x1000, 0, 0x2000), SL_OK);
	assert_int_equal(add_dump(dump_file("all", 3, 0x1000), SL_CORE_ANY, SL_SPACE_ANY, 0x8000, 0, 0x1000), SL_OK);
	assert_int_equal(sl_image_add_task(image, 77, 1), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check_bytes(0, SL_SPACE_ANY, 0x1000, 1, 0x1000);
	check_bytes(0, SL_SPACE_ANY, 0x2000, 0, 0);
	check_bytes(1, SL_SPACE_ANY, 0x1000, 2, 0x2000);
	check_bytes(0, SL_SPACE_ANY, 0x8000, 3, 0x1000);
	check_bytes(1, SL_SPACE_ANY, 0x8000, 3, 0x1000);
	check_bytes(SL_CORE_ANY, SL_SPACE_ANY, 0x1000, 0, 0);
	check_symbol(0, 0x1000, "[1000]", 0x1000, 0x2000);
	check_symbol(0, 0x2000, "[no image]", 0x2000, 0x2001);
	assert_int_equal(sl_image_task_core(image, 77, 9), 1);
	assert_int_equal(sl_image_task_core(image, 78, 9), 9);
	finish();
}
