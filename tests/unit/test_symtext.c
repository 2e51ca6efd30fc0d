/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "sl_image.h"
#include "temp_files.h"

static struct sl_image *image;
static struct sl_notes notes;
static struct sl_diag diag;

int group_setup(void **state)
{
	static const uint8_t memory[0x4000];

	(void)state;
	temp_setup();
	temp_write("memory", memory, sizeof(memory));
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static void start(void)
{
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x1000, .address_known = true };

	notes = (struct sl_notes)SL_NOTES_INIT;
	diag.text[0] = '\0';
	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_add_dump(image, temp_path("memory"), &place, &notes, &diag), SL_OK);
}

static void finish(void)
{
	sl_image_free(image);
	sl_notes_release(&notes);
}

static int add(const char *name, const char *text, uint64_t slide)
{
	return sl_image_add_symbol_text(image, temp_write(name, text, strlen(text)), slide, &notes, &diag);
}

static void seal(void)
{
	assert_int_equal(sl_image_seal(image), SL_OK);
}

static void check(uint64_t address, const char *name, const char *module)
{
	const struct sl_symbol *symbol = sl_image_symbol(image, sl_image_symbol_at(image, 0, address).id);

	assert_string_equal(symbol->name, name);
	assert_string_equal(sl_image_module(image, symbol->module)->name, module);
}

void test_symtext__only_types_of_code_count(void **state)
{
	start();
	assert_int_equal(add("prog.nm",
			     "00001000 T a\n00001010 t b\n00001020 W c\n00001030 w d\n00001040 i e\n"
			     "00001050 u f\n00001060 D data\n00001070 B bss\n00001080 R ro\n00001090 A abs\n"
			     "                 U printf\n         w __gmon_start__\n",
			     0),
			 SL_OK);
	seal();
	check(0x1000, "a", "prog");
	check(0x1010, "b", "prog");
	check(0x1020, "c", "prog");
	check(0x1030, "d", "prog");
	check(0x1040, "e", "prog");
	check(0x1094, "f", "prog");
	assert_int_equal(notes.len, 0);
	finish();
}

void test_symtext__two_columns_name_everything(void **state)
{
	start();
	assert_int_equal(add("symbols.txt", "# made by hand\r\n\r\n00001000 main\r\n0x1040 T\r\n", 0), SL_OK);
	seal();
	check(0x1004, "main", "symbols");
	check(0x1044, "T", "symbols");
	finish();
}

void test_symtext__sizes_of_nm_are_used(void **state)
{
	start();
	assert_int_equal(add("sized",
			     "0000000000001000 0000000000000020 T f\n"
			     "0000000000001100 0000000000000010 t g(int, char)\n",
			     0),
			 SL_OK);
	seal();
	check(0x101f, "f", "sized");
	check(0x1020, "[1000]", "memory");
	check(0x1104, "g(int, char)", "sized");
	finish();
}

void test_symtext__kallsyms_names_modules(void **state)
{
	start();
	assert_int_equal(add("kallsyms",
			     "00001000 T _stext\n00001000 t first\n00002000 t probe\t[rq_stats]\n"
			     "00002100 t remove\t[rq_stats]\n00002200 t other [ext4]\n",
			     0),
			 SL_OK);
	seal();
	check(0x1000, "first", "kernel");
	check(0x2000, "probe", "rq_stats");
	check(0x2100, "remove", "rq_stats");
	check(0x2200, "other", "ext4");
	assert_int_equal(sl_image_module_count(image), 4);
	finish();
}

void test_symtext__markers_yield_to_functions(void **state)
{
	start();
	assert_int_equal(add("System.map",
			     "00001000 T _text\n00001100 T __entry_text_start\n00001100 t vectors\n"
			     "00001200 T __irqentry_text_end\n00001300 T _etext\n00001300 t z_last\n",
			     0),
			 SL_OK);
	seal();
	check(0x1000, "_text", "kernel");
	check(0x1100, "vectors", "kernel");
	check(0x1200, "__irqentry_text_end", "kernel");
	check(0x1300, "z_last", "kernel");
	finish();
}

void test_symtext__aliases_global_weak_local_then_alphabet(void **state)
{
	start();
	assert_int_equal(add("alias",
			     "00001000 W aaa\n00001000 t aab\n00001000 T zzz\n00001000 T yyy\n"
			     "00001100 t b\n00001100 W c\n00001200 t twin\n00001300 t twin\n",
			     0),
			 SL_OK);
	seal();
	check(0x1000, "yyy", "alias");
	check(0x1100, "c", "alias");
	check(0x1200, "twin", "alias");
	assert_int_not_equal(sl_image_symbol_at(image, 0, 0x1200).id,
			     sl_image_symbol_at(image, 0, 0x1300).id);
	finish();
}

void test_symtext__several_texts_and_a_slide(void **state)
{
	start();
	assert_int_equal(add("one.map", "00000100 t low\n00000180 t high\n", 0x1000), SL_OK);
	assert_int_equal(add("two.map", "00001140 T between\n", 0), SL_OK);
	seal();
	check(0x1100, "low", "one");
	check(0x1150, "between", "two");
	check(0x1180, "high", "one");
	finish();
}

void test_symtext__hidden_addresses_are_refused_with_advice(void **state)
{
	start();
	assert_int_equal(add("kallsyms", "0000000000000000 T _stext\n0000000000000000 t a\n", 0),
			 SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "kptr_restrict"));
	assert_int_equal(notes.len, 1);
	assert_non_null(strstr(notes.items[0].text, "kptr_restrict"));
	finish();
}

void test_symtext__lines_that_are_none_are_counted(void **state)
{
	start();
	assert_int_equal(add("mixed",
			     "hello world\n00001000 T f\n12345678901234567 T too_long\n00001000\n"
			     "0000zz T x\n",
			     0),
			 SL_OK);
	assert_int_equal(notes.len, 1);
	assert_non_null(strstr(notes.items[0].text, "4 lines that are no symbols"));
	assert_int_equal(add("none", "hello world\n", 0), SL_ERR_FORMAT);
	assert_int_equal(add("empty", "", 0), SL_ERR_FORMAT);
	assert_int_equal(
		sl_image_add_symbol_text(image, temp_write("nul", "00001000 T f\0g\n", 15), 0, &notes, &diag),
		SL_ERR_FORMAT);
	assert_int_equal(sl_image_add_symbol_text(image, temp_path("gone"), 0, &notes, &diag), SL_ERR_IO);
	finish();
}

void test_symtext__what_looks_like_one(void **state)
{
	static const struct {
		const char *text;
		bool yes;
	} rows[] = {
		{ "ffffffc008000000 T _text\nffffffc008010000 t a\n", true },
		{ "70000000 _vector_table\n70000040 main\n", true },
		{ "                 U puts\n0000000000400340 T abort\n", true },
		{ "00000000 T last_line_without_end", true },
		{ "[device]\nname=cpu_0\n", false },
		{ "add something\nface it\n", false },
		{ "                 U puts\n", false },
		{ "00001000 T f\nand then a sentence\n", false },
		{ "", false },
	};
	char text[6000];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(sl_is_symbol_text(temp_write("sniff", rows[i].text, strlen(rows[i].text))),
				 rows[i].yes);
	assert_false(sl_is_symbol_text(temp_path("memory")));
	assert_false(sl_is_symbol_text(temp_path("absent")));
	/* A line that goes on behind the part that is looked at. */
	memset(text, 'x', sizeof(text));
	memcpy(text, "00001000 T f\n00001010 T ", 24);
	assert_true(sl_is_symbol_text(temp_write("long", text, sizeof(text))));
}
