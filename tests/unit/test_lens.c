/* SPDX-License-Identifier: Apache-2.0 */
/* Lenses: what their files may say, which names they match, and that those that ship can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sl_lens.h"

static int add(struct sl_lenses *lenses, const char *text, struct sl_diag *diag)
{
	*diag = (struct sl_diag){ "" };
	return sl_lenses_add_text(lenses, "a.ini", strdup(text), strlen(text), diag);
}

#define LIST(list) (1u << SL_LENS_##list)

void test_lens__those_that_ship(void **state)
{
	struct sl_lenses lenses;
	const struct sl_lens *lens;

	(void)state;
	assert_int_equal(sl_lenses_init(&lenses), SL_OK);
	lens = sl_lenses_find(&lenses, "Work");
	assert_non_null(lens);
	assert_string_equal(lens->name, "work");
	assert_int_equal(sl_lens_match(lens, "process_one_work"), LIST(DISPATCHER));
	assert_int_equal(sl_lens_match(lens, "queue_work_on"), LIST(REQUESTER));
	assert_int_equal(sl_lens_match(lens, "vmstat_update"), 0);
	lens = sl_lenses_find(&lenses, "syscall");
	assert_int_equal(sl_lens_match(lens, "__arm64_sys_getppid"), LIST(EVENT));
	assert_int_equal(sl_lens_match(lens, "sys_call_table"), LIST(EVENT) | LIST(EXCEPT));
	assert_int_equal(sl_lenses_find(&lenses, "fault")->levels, 1u << SL_LEVEL_FAULT | 1u << SL_LEVEL_SERROR);
	assert_true(sl_lenses_find(&lenses, "task")->switches);
	assert_null(sl_lenses_find(&lenses, "nothing"));
	sl_lenses_release(&lenses);
}

void test_lens__what_compilers_add_to_a_name(void **state)
{
	struct sl_lenses lenses = { .len = 0 };
	struct sl_diag diag;

	(void)state;
	assert_int_equal(add(&lenses, "[a]\nevent = run_*, go\n", &diag), SL_OK);
	assert_int_equal(sl_lens_match(&lenses.items[0], "go.isra.0"), LIST(EVENT));
	assert_int_equal(sl_lens_match(&lenses.items[0], "run_this.constprop.1"), LIST(EVENT));
	assert_int_equal(sl_lens_match(&lenses.items[0], "gone"), 0);
	assert_int_equal(sl_lens_match(&lenses.items[0], ".go"), 0);
	sl_lenses_release(&lenses);
}

void test_lens__one_takes_the_place_of_another(void **state)
{
	struct sl_lenses lenses = { .len = 0 };
	struct sl_diag diag;

	(void)state;
	assert_int_equal(add(&lenses, "[a]\nevent=x\n[b]\nlevel=irq, fiq\ntitle=B\n", &diag), SL_OK);
	assert_int_equal(add(&lenses, "[A]\nevent=y\nevent=z\n", &diag), SL_OK);
	assert_int_equal(lenses.len, 2);
	assert_int_equal(sl_lens_match(&lenses.items[0], "x"), 0);
	assert_int_equal(sl_lens_match(&lenses.items[0], "z"), LIST(EVENT));
	assert_string_equal(lenses.items[1].title, "B");
	assert_int_equal(lenses.items[1].levels, 1u << SL_LEVEL_IRQ | 1u << SL_LEVEL_FIQ);
	sl_lenses_release(&lenses);
}

void test_lens__what_is_wrong_is_told_with_its_line(void **state)
{
	static const struct { const char *text, *diag; } cases[] = {
		{ "[a]\ntitle=A\n", "a.ini:1: [a]: expected a dispatcher, event, level or switches: what are its events?" },
		{ "[a]\nevent=x\nlevel=task\n",
		  "a.ini:3: level=task: expected irq, fiq, serror, syscall, fault, debug, reset or other" },
		{ "[a]\nswitches=maybe\n", "a.ini:2: switches=maybe: expected yes or no" },
		{ "[a]\nevents=x\n",
		  "a.ini:2: events=x: expected title, dispatcher, pointers, event, except, level, requester, switches, voluntary or preempted" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sl_lenses lenses = { .len = 0 };
		struct sl_diag diag;

		assert_int_equal(add(&lenses, cases[i].text, &diag), SL_ERR_FORMAT);
		assert_string_equal(diag.text, cases[i].diag);
		sl_lenses_release(&lenses);
	}
}

void test_lens__there_may_not_be_too_many(void **state)
{
	struct sl_lenses lenses = { .len = 0 };
	struct sl_diag diag;
	char text[64];

	(void)state;
	for (int i = 0; i < SL_LENSES_MAX; i++) {
		snprintf(text, sizeof(text), "[lens%d]\nevent=x\n", i);
		assert_int_equal(add(&lenses, text, &diag), SL_OK);
	}
	assert_int_equal(add(&lenses, "[more]\nevent=x\n", &diag), SL_ERR_FORMAT);
	sl_lenses_release(&lenses);
}
