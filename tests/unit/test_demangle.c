/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "sl_image.h"
#include "temp_files.h"

int group_setup(void **state)
{
	static const uint8_t memory[0x100];

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

/* What an image makes of a name. */
static void check(const char *raw, const char *expected)
{
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x1000, .address_known = true };
	const struct sl_symbol *symbol;
	struct sl_image *image;
	char line[2048];

	snprintf(line, sizeof(line), "00001000 T %s\n", raw);
	assert_int_equal(sl_image_new(&image), SL_OK);
	assert_int_equal(sl_image_add_dump(image, temp_path("memory"), &place, NULL, NULL), SL_OK);
	assert_int_equal(
		sl_image_add_symbol_text(image, temp_write("names", line, strlen(line)), 0, NULL, NULL),
		SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	symbol = sl_image_symbol(image, sl_image_symbol_at(image, 0, 0x1000).id);
	assert_string_equal(symbol->name, expected);
	assert_string_equal(symbol->raw_name, raw);
	sl_image_free(image);
}

void test_demangle__names_of_cxx(void **state)
{
	check("_ZN3foo3barEi", "foo::bar(int)");
	check("_ZN3foo3barEv.cold", "foo::bar() [clone .cold]");
	check("_ZNSt6vectorIiSaIiEE9push_backEOi",
	      "std::vector<int, std::allocator<int> >::push_back(int&&)");
}

void test_demangle__names_of_rust(void **state)
{
	check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
}

void test_demangle__other_names_stay(void **state)
{
	check("main", "main");
	check("_start", "_start");
	check("_Znonsense!", "_Znonsense!");
	check("_Z", "_Z");
	check("_Rust", "_Rust");
}

/* Each argument is g<the one before, the one before>: 2^30 characters when written out. */
void test_demangle__a_name_that_explodes_stays(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1gIccE";

	for (unsigned i = 0; i < 30; i++) {
		size_t len = strlen(name);

		snprintf(name + len, sizeof(name) - len, "S_IS%c_S%c_E", digits[i], digits[i]);
	}
	check(name, name);
}
