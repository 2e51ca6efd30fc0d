/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical names: what ships, what a file adds, what it may not say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sl_compare.h"

static void is(const struct sl_aliases *aliases, const char *name, const char *want)
{
	char *got = sl_aliases_name(aliases, name);

	assert_string_equal(got, want);
	free(got);
}

void test_alias__those_that_ship(void **state)
{
	struct sl_aliases *aliases;

	(void)state;
	assert_int_equal(sl_aliases_new(&aliases), SL_OK);
	is(aliases, "__arm64_sys_read", "sys_read");
	is(aliases, "__x64_sys_read", "sys_read");
	is(aliases, "__se_sys_read.isra.0", "sys_read");
	is(aliases, "SyS_read", "sys_read");
	is(aliases, "sys_read", "sys_read");
	is(aliases, "work.constprop.12.isra.3.cold", "work");
	is(aliases, "work.part.0", "work");
	is(aliases, "work.llvm.123456789", "work");
	is(aliases, "memcpy@@GLIBC_2.14", "memcpy");
	is(aliases, "el0_svc", "[system call entry]");
	is(aliases, "do_syscall_64", "[system call entry]");
	is(aliases, "work.isra.", "work.isra.");
	is(aliases, "work.isra.x", "work.isra.x");
	is(aliases, ".cold", ".cold");
	is(aliases, "@", "@");
	is(aliases, "", "");
	is(aliases, "__x64_sys_", "__x64_sys_");
	sl_aliases_free(aliases);
}

static int add(struct sl_aliases *aliases, const char *text, struct sl_diag *diag)
{
	return sl_aliases_add_text(aliases, "a.ini", strdup(text), strlen(text), diag);
}

void test_alias__own_rules(void **state)
{
	struct sl_aliases *aliases;
	struct sl_diag diag = { "" };

	(void)state;
	assert_int_equal(sl_aliases_new(&aliases), SL_OK);
	assert_int_equal(add(aliases, "[prefix]\nold_ = new_\n[suffix]\n.vN = drop\n[alias]\nsys_read = sys_write\n", &diag), SL_OK);
	is(aliases, "old_thing.v7", "new_thing");
	is(aliases, "__x64_sys_read", "sys_write");
	assert_int_equal(add(aliases, "[suffix]\n.x = keep\n", &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "a.ini:2: .x=keep: expected drop"));
	assert_int_equal(add(aliases, "[others]\na = b\n", &diag), SL_ERR_FORMAT);
	assert_non_null(strstr(diag.text, "expected prefix, suffix or alias"));
	sl_aliases_free(aliases);
}
