/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are added one by one: whose they are, and what they give way to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image_fixture.h"
#include "mini_elf.h"
#include "temp_files.h"

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

static void add(uint32_t core, uint64_t address, uint64_t size, const char *name)
{
	assert_int_equal(sl_image_add_symbol(image, core, address, size, name, "jit"), SL_OK);
}

static void dump(uint32_t core, uint64_t address)
{
	static const uint8_t zeros[0x1000];
	struct sl_place place = { .core = core, .space = SL_SPACE_ANY, .address = address, .address_known = true };

	assert_int_equal(sl_image_add_dump(image, temp_write("dump", zeros, sizeof(zeros)), &place, &notes, &diag), SL_OK);
}

static void check(uint32_t core, uint64_t address, const char *name, uint64_t first, uint64_t end)
{
	struct sl_symbol_range range = sl_image_symbol_at(image, core, address);

	assert_string_equal(sl_image_symbol(image, range.id)->name, name);
	assert_int_equal(range.start, first);
	assert_int_equal(range.end, end);
}

void test_image_names__belong_to_one_core(void **state)
{
	struct sl_symbol_range range;

	(void)state;
	start();
	sl_image_separate(image);
	add(1, 0x1000, 0x40, "one");
	add(2, 0x1000, 0x80, "two");
	add(SL_CORE_ANY, 0x1020, 0x100, "all");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(1, 0x1008, "one", 0x1000, 0x1040);
	check(2, 0x1008, "two", 0x1000, 0x1080);
	check(3, 0x1008, "[no image]", 0x1008, 0x1009);
	check(1, 0x1040, "all", 0x1040, 0x1120);
	check(3, 0x1040, "all", 0x1020, 0x1120);
	range = sl_image_symbol_at(image, 1, 0x1040);
	assert_int_equal(range.entry, 0x1020);
	assert_string_equal(sl_image_module(image, sl_image_symbol(image, range.id)->module)->name, "jit");
	assert_int_equal(sl_image_module_count(image), 1);
	assert_int_equal(sl_image_symbol_count(image), 3);
	assert_int_equal(sl_image_bytes(image, 1, SL_SPACE_ANY, 0x1008).len, 0);
	finish();
}

/* Those that run on to where another one begins, and no further than is likely. */
void test_image_names__sizes(void **state)
{
	(void)state;
	start();
	add(1, 0x3000, 0, "last");
	add(1, 0x1000, 0, "first");
	add(1, 0x2000, 0, "alias");
	add(1, 0x2000, 0, "second");
	add(2, 0x1800, 0, "other");
	add(1, UINT64_MAX - 8, 0x100, "end");
	add(1, 0x5000, 0x10, "");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(1, 0x1000, "first", 0x1000, 0x2000);
	check(1, 0x2000, "second", 0x2000, 0x3000);
	check(1, 0x5000, "last", 0x3000, 0x3000 + (1 << 20));
	check(2, 0x1800, "other", 0x1800, 0x1800 + (1 << 20));
	check(1, UINT64_MAX - 1, "end", UINT64_MAX - 8, UINT64_MAX);
	finish();
}

void test_image_names__the_last_one_has_what_overlaps(void **state)
{
	(void)state;
	start();
	add(1, 0x1000, 0x100, "old");
	add(1, 0x1040, 0x20, "new");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(1, 0x1000, "old", 0x1000, 0x1040);
	check(1, 0x1040, "new", 0x1040, 0x1060);
	check(1, 0x1060, "old", 0x1060, 0x1100);
	finish();
}

/* Code that is mapped: its file's own names first, then these, then texts for all, then the page. */
void test_image_names__where_code_is_mapped(void **state)
{
	static const char text[] = "1000 T text\n1100 T text2\n";
	const uint32_t nops[] = { 0xd503201f, 0xd503201f, 0xd503201f, 0xd503201f };
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	struct sl_place place = { .core = 1, .space = SL_SPACE_ANY };
	unsigned section = mini_elf_section(elf, &(struct mini_section){ .name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
									 .addr = 0x8000, .align = 4096, .data = nops,
									 .len = sizeof(nops) });

	(void)state;
	mini_elf_segment(elf, section, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "own", 0x8000, 8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), section);
	mini_elf_write(elf, temp_path("elf"));
	start();
	dump(1, 0x1000);
	assert_int_equal(sl_image_add_elf(image, temp_path("elf"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_add_symbol_text(image, temp_write("text", text, sizeof(text) - 1), 0, &notes, &diag), SL_OK);
	add(1, 0x1000, 0x80, "jitted");
	add(1, 0x8000, 0x10, "jitted2");
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(1, 0x1000, "jitted", 0x1000, 0x1080);
	check(1, 0x1080, "text", 0x1080, 0x1100);
	check(1, 0x1100, "text2", 0x1100, 0x2000);
	check(1, 0x8000, "own", 0x8000, 0x8008);
	check(1, 0x8008, "jitted2", 0x8008, 0x8010);
	finish();
}
