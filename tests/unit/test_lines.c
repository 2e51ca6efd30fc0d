/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "mini_elf.h"
#include "sl_image.h"
#include "temp_files.h"

/* One unit: /src/a.c, code at 0x1000 (16 bytes): line 10 at its start, line 11 from 0x1004 on. */
/* clang-format off */
static const uint8_t abbrev[] = {
	1, 0x11, 0, /* DW_TAG_compile_unit without children */
	0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0x03, 0x08, 0x1b, 0x08, /* stmt_list low_pc high_pc name comp_dir */
	0, 0, 0,
};
static const uint8_t info[] = {
	37, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, /* length, version, abbreviations, address size */
	1, 0, 0, 0, 0,
	0x00, 0x10, 0, 0, 0, 0, 0, 0,
	16, 0, 0, 0, 0, 0, 0, 0,
	'a', '.', 'c', 0,
	'/', 's', 'r', 'c', 0,
};
static const uint8_t line_table[] = {
	56, 0, 0, 0, 3, 0, 26, 0, 0, 0, /* length, version, length of the header */
	4, 1, 0xfb, 14, 13, /* instructions of 4 bytes; special opcodes, which are not used */
	0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
	0, 'a', '.', 'c', 0, 0, 0, 0, 0,
	0, 9, 2, 0x00, 0x10, 0, 0, 0, 0, 0, 0, /* set_address 0x1000 */
	3, 9, 1, /* advance_line 9, copy */
	2, 1, 3, 1, 1, /* advance_pc 1, advance_line 1, copy */
	2, 3, 0, 1, 1, /* advance_pc 3, end_sequence */
};
/* clang-format on */

static struct sl_image *image;

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

static void add_section(struct mini_elf *elf, const char *name, const void *data, size_t len)
{
	mini_elf_section(elf, &(struct mini_section){ .name = name, .align = 1, .data = data, .len = len });
}

static const char *write_program(size_t info_len)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	unsigned text = mini_elf_section(elf, &(struct mini_section){ .name = ".text",
								      .addr = 0x1000,
								      .align = 4,
								      .flags = SHF_ALLOC | SHF_EXECINSTR,
								      .len = 0x20 });

	mini_elf_segment(elf, text, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "f", 0x1000, 0x10, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	add_section(elf, ".debug_abbrev", abbrev, sizeof(abbrev));
	add_section(elf, ".debug_info", info, info_len);
	add_section(elf, ".debug_line", line_table, sizeof(line_table));
	mini_elf_write(elf, temp_path("prog"));
	return temp_path("prog");
}

static void check(struct sl_lines *lines, uint64_t address, unsigned expected)
{
	const char *file = NULL;
	unsigned line = 0;
	bool found = sl_lines_at(lines, 0, address, &file, &line);

	assert_int_equal(found, expected != 0);
	assert_int_equal(line, expected);
	if (found)
		assert_string_equal(file, "/src/a.c");
}

void test_lines__are_found_where_the_file_was_moved_to(void **state)
{
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x500000, .address_known = true };
	struct sl_lines *lines;

	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_add_elf(image, write_program(sizeof(info)), &place, NULL, NULL, NULL),
			 SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_true(sl_image_module(image, 0)->has_lines);
	assert_int_equal(sl_lines_new(image, &lines), SL_OK);
	check(lines, 0x500000, 10);
	check(lines, 0x500003, 10);
	check(lines, 0x500004, 11);
	check(lines, 0x50000f, 11);
	check(lines, 0x500010, 0);
	check(lines, 0x4fffff, 0);
	check(lines, 0x1000, 0);
	sl_lines_free(lines);
	sl_image_free(image);
}

void test_lines__damage_gives_none(void **state)
{
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x500000, .address_known = true };

	for (size_t len = 0; len < sizeof(info); len++) {
		struct sl_lines *lines;
		unsigned line = 10;
		const char *file;

		assert_int_equal(sl_image_new(&image), SL_OK);
		assert_int_equal(sl_image_add_elf(image, write_program(len), &place, NULL, NULL, NULL),
				 SL_OK);
		assert_int_equal(sl_image_seal(image), SL_OK);
		assert_int_equal(sl_lines_new(image, &lines), SL_OK);
		/* Without its addresses a unit has no lines; what is cut behind them may be overlooked, not
		 * misread. */
		assert_false(sl_lines_at(lines, 0, 0x500000, &file, &line) && len < 32);
		assert_int_equal(line, 10);
		sl_lines_free(lines);
		sl_image_free(image);
	}
}

void test_lines__of_a_real_program(void **state)
{
	const char *path = shared_path("captures/am243x-r5f/freertos-msg-isr/app.elf");
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x70099300, .offset = 0x80,
				  .len = 0x18058, .address_known = true };
	struct sl_lines *lines;
	const char *file;
	unsigned line;

	if (!path)
		skip();
	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_add_dump(image, path, &place, NULL, NULL), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(sl_lines_new(image, &lines), SL_OK);
	assert_true(sl_lines_at(lines, 0, 0x7009d300, &file, &line));
	assert_non_null(strstr(file, "message_isr_test.c"));
	assert_int_equal(line, 119);
	sl_lines_free(lines);
	sl_image_free(image);
}
