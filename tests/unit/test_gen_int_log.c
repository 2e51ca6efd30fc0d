/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen_fixture.h"

int group_setup(void **state)
{
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	temp_teardown();
	return 0;
}

static struct gen_int_log *open_said(enum gen_log_arch arch)
{
	struct gen_int_log *log;

	assert_int_equal(gen_int_log_open(temp_write("int.log", g.ints, strlen(g.ints)), arch, &log, &g.diag),
			 SL_OK);
	return log;
}

void test_gen_int_log__reads_a64(void **state)
{
	const struct gen_int_event *event;
	struct gen_int_log *log;

	memset(&g, 0, sizeof(g));
	say_exception("SVC", 0, 1, 0x56000000, 0x400104, 0x800400); /* before the window */
	say(GEN_LOG_LINE_START "block-log: cpu 0\n");
	say_exception("Data Abort", 0, 1, 0x92000047, 0x400100, 0x800400);
	say("block-log: cpu 1\nException return from AArch64 EL1 to AArch64 EL0 PC 0x400200\n");
	say("Taking exception 11 [Hypervisor Call] on CPU 1\n...from EL1 to EL2\n...handled as PSCI call\n");
	log = open_said(GEN_LOG_A64);
	assert_int_equal(gen_int_log_start(log, &g.diag), SL_OK);
	assert_int_equal(gen_int_log_left(log), 3);
	event = gen_int_log_peek(log, 0);
	assert_int_equal(event->kind, GEN_INT_EXCEPTION);
	assert_int_equal(event->from_el, 0);
	assert_int_equal(event->to_el, 1);
	assert_int_equal(event->syndrome, 0x92000047);
	assert_int_equal(event->from, 0x400100);
	assert_int_equal(event->to, 0x800400);
	gen_int_log_take(log, 0);
	assert_null(gen_int_log_peek(log, 0));
	event = gen_int_log_peek(log, 1);
	assert_int_equal(event->kind, GEN_INT_RETURN);
	assert_int_equal(event->to_el, 0);
	assert_int_equal(event->to, 0x400200);
	gen_int_log_take(log, 1);
	assert_int_equal(gen_int_log_peek(log, 1)->kind, GEN_INT_FIRMWARE);
	gen_int_log_close(log);
}

void test_gen_int_log__reads_x86(void **state)
{
	const struct gen_int_event *event;
	struct gen_int_log *log;

	memset(&g, 0, sizeof(g));
	say(GEN_LOG_LINE_START);
	say("     0: v=0e e=0004 i=0 cpl=3 IP=0033:0000000000401234 pc=0000000000401234 SP=002b:00007ffe0 CR2=0\n"
	    "RAX=0000000000000000 RBX=0000000000000000\n");
	say("    12: v=80 e=0000 i=1 cpl=0 IP=0010:ffffffff81000000 pc=ffffffff81000000\n");
	log = open_said(GEN_LOG_X86_64);
	assert_int_equal(gen_int_log_start(log, &g.diag), SL_OK);
	event = gen_int_log_peek(log, 0);
	assert_int_equal(event->syndrome, 14);
	assert_int_equal(event->from, 0x401234);
	assert_int_equal(event->from_el, 0);
	assert_false(event->software);
	gen_int_log_take(log, 0);
	event = gen_int_log_peek(log, 0);
	assert_int_equal(event->from, UINT64_C(0xffffffff81000000));
	assert_int_equal(event->from_el, 1);
	assert_true(event->software);
	gen_int_log_close(log);
}

/* Only what lies before the next mark is there. */
void test_gen_int_log__stops_at_marks(void **state)
{
	struct gen_int_log *log;

	memset(&g, 0, sizeof(g));
	say(GEN_LOG_LINE_START);
	say_exception("SVC", 0, 1, 0x56000000, 1, 0x800400);
	say("block-log: sync 1\n");
	say_exception("SVC", 0, 1, 0x56000000, 2, 0x800400);
	say(GEN_LOG_LINE_STOP);
	say_exception("SVC", 0, 1, 0x56000000, 3, 0x800400);
	say(GEN_LOG_LINE_START);
	say_exception("SVC", 0, 1, 0x56000000, 4, 0x800400);
	log = open_said(GEN_LOG_A64);
	assert_int_equal(gen_int_log_start(log, &g.diag), SL_OK);
	assert_int_equal(gen_int_log_left(log), 1);
	assert_int_equal(gen_int_log_sync(log, 1, &g.diag), SL_OK);
	assert_int_equal(gen_int_log_left(log), 2);
	assert_int_equal(gen_int_log_sync(log, 2, &g.diag), SL_ERR_FORMAT);
	assert_int_equal(gen_int_log_start(log, &g.diag), SL_OK);
	assert_int_equal(gen_int_log_left(log), 1);
	assert_int_equal(gen_int_log_peek(log, 0)->from, 4);
	assert_int_equal(gen_int_log_start(log, &g.diag), SL_ERR_FORMAT);
	gen_int_log_close(log);
}

void test_gen_int_log__refuses(void **state)
{
	struct gen_int_log *log;

	assert_int_equal(gen_int_log_open("/nonexistent", GEN_LOG_A64, &log, &g.diag), SL_ERR_IO);
	assert_int_equal(gen_int_log_open("/nonexistent", GEN_LOG_ARM, &log, &g.diag), SL_ERR_UNSUPPORTED);
}
