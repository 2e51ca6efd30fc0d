/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen_fixture.h"
#include "insn.h"

enum { PC = 0x1000, NONE = 0 };

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

/* Bytes as the GNU assembler writes them. */
void test_gen_flow_x86__instructions(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		enum gen_insn_kind kind;
		bool conditional;
		uint64_t target;
	} rows[] = {
		{ "\x90", 1, GEN_INSN_OTHER, false, NONE },
		{ "\xeb\xfd", 2, GEN_INSN_BRANCH, false, PC - 1 },
		{ "\x75\xfb", 2, GEN_INSN_BRANCH, true, PC - 3 },
		{ "\xe9\xf0\xff\xff\xff", 5, GEN_INSN_BRANCH, false, PC - 11 },
		{ "\x0f\x84\x00\x01\x00\x00", 6, GEN_INSN_BRANCH, true, PC + 0x106 },
		{ "\xe8\xeb\xff\xff\xff", 5, GEN_INSN_CALL, false, PC - 16 },
		{ "\xc3", 1, GEN_INSN_RETURN, false, NONE },
		{ "\xf3\xc3", 2, GEN_INSN_RETURN, false, NONE },
		{ "\xc2\x08\x00", 3, GEN_INSN_RETURN, false, NONE },
		{ "\xff\xd0", 2, GEN_INSN_INDIRECT_CALL, false, NONE },
		{ "\xff\x50\x08", 3, GEN_INSN_INDIRECT_CALL, false, NONE },
		{ "\x41\xff\xe3", 3, GEN_INSN_INDIRECT, false, NONE },
		{ "\xff\x24\xd8", 3, GEN_INSN_INDIRECT, false, NONE },
		{ "\x3e\xff\xe0", 3, GEN_INSN_INDIRECT, false, NONE },
		{ "\xf2\xff\xe0", 3, GEN_INSN_INDIRECT, false, NONE },
		{ "\x0f\x05", 2, GEN_INSN_SYSTEM_CALL, false, NONE },
		{ "\x48\x0f\x07", 3, GEN_INSN_ERET, false, NONE },
		{ "\x48\xcf", 2, GEN_INSN_ERET, false, NONE },
		{ "\xcd\x80", 2, GEN_INSN_SYSTEM_CALL, false, NONE },
		{ "\xcc", 1, GEN_INSN_SYSTEM_CALL, false, NONE },
		{ "\xe2\xc8", 2, GEN_INSN_BRANCH, true, PC - 54 },
		{ "\xe3\xc6", 2, GEN_INSN_BRANCH, true, PC - 56 },
		{ "\xf3\xa4", 2, GEN_INSN_REPEAT, false, NONE },
		{ "\xf2\xae", 2, GEN_INSN_REPEAT, false, NONE },
		{ "\xf3\x48\xab", 3, GEN_INSN_REPEAT, false, NONE },
		{ "\xa4", 1, GEN_INSN_OTHER, false, NONE },
		{ "\xff\x30", 2, GEN_INSN_OTHER, false, NONE },
		{ "\xf0\xff\x00", 3, GEN_INSN_OTHER, false, NONE },
		{ "\xc5\xfe\x6f\x00", 4, GEN_INSN_OTHER, false, NONE },
		{ "\x48\x89\xc3", 3, GEN_INSN_OTHER, false, NONE },
		{ "\xf3\x90", 2, GEN_INSN_OTHER, false, NONE },
		{ "\xf3\x0f\x1e\xfa", 4, GEN_INSN_OTHER, false, NONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gen_insn insn = gen_x86_insn((const uint8_t *)rows[i].bytes, rows[i].len, PC);

		if (insn.kind != rows[i].kind || insn.target != rows[i].target ||
		    insn.conditional != rows[i].conditional)
			fail_msg("row %zu: kind %d to %llx", i, insn.kind, (unsigned long long)insn.target);
	}
}

/* QEMU begins the instruction anew for each turn; it is executed once. */
void test_gen_flow_x86__rep_is_one_instruction(void **state)
{
	begin_log(GEN_LOG_X86_64, 0, 1);
	run_block(0x1000, "12", "\x90\xf3\xa4");
	run_block(0x1001, "2", "\xf3\xa4");
	add_word(2);
	run_block(0x1003, "2", "\xeb\xfb");
	add_word(1);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1005 3 x86 taken to 1000 x86\n"
		      "3 cpu0 run 1000-1001 1 x86 none\n"
		      "4 cpu0 end\n");
	assert_int_equal(g.stats.again, 2);
}

void test_gen_flow_x86__system_call_of_a_program(void **state)
{
	begin_log(GEN_LOG_X86_64, 0, 1);
	run_block(0x1000, "12", "\x90\x0f\x05");
	run_block(0x1003, "1", "\xc3");
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1003 2 x86 syscall to 0 x86\n"
		      "2 cpu0 gap\n"
		      "2 cpu0 end\n");
}

#define KERNEL UINT64_C(0xffffffff81000000)

/* Neither SYSCALL nor IRET is in the log; a fault's handler shows itself, and is known from then on. */
void test_gen_flow_x86__system(void **state)
{
	begin_log(GEN_LOG_X86_64, GEN_LOG_IS_SYSTEM, 1);
	run_block(0x1000, "12", "\x90\x0f\x05");
	run_block(KERNEL, "3", "\x48\x0f\x07"); /* sysret */
	run_block(0x1003, "32", "\x48\x89\xc3\xff\xe0");
	partial(1);
	run_block(KERNEL + 0x1000, "2", "\x48\xcf"); /* the page fault's handler; iret */
	run_block(0x1003, "32", "\x48\x89\xc3\xff\xe0");
	run_block(KERNEL + 0x1000, "2", "\x48\xcf");
	say(GEN_LOG_LINE_START);
	say("     0: v=0e e=0004 i=0 cpl=3 IP=0033:0000000000001003 pc=0000000000001003 SP=002b:0\n");
	say("     1: v=0e e=0014 i=0 cpl=3 IP=0033:0000000000006000 pc=0000000000006000 SP=002b:0\n");
	expect_events("0 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 1000-1003 2 x86 syscall to ffffffff81000000 x86\n"
		      "2 cpu0 run ffffffff81000000-ffffffff81000003 1 x86 eret to 1003 x86\n"
		      "3 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "3 cpu0 exception data-fault back to 1003 vector ffffffff81001000\n"
		      "3 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "3 cpu0 run ffffffff81001000-ffffffff81001002 1 x86 eret to 1003 x86\n"
		      "4 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "4 cpu0 run 1003-1008 2 x86 indirect to 6000 x86\n"
		      "6 cpu0 exception data-fault back to 6000 vector ffffffff81001000\n"
		      "6 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "6 cpu0 end\n");
}

/* A return within the kernel, while a program's fault is still to come, is none. */
void test_gen_flow_x86__fault_that_comes_later(void **state)
{
	begin_log(GEN_LOG_X86_64, GEN_LOG_IS_SYSTEM, 1);
	run_block(KERNEL, "1", "\xc3");
	run_block(KERNEL + 0x100, "2", "\x48\xcf");
	run_block(0x1003, "1", "\x90");
	run_block(KERNEL + 0x1000, "1", "\x90");
	say(GEN_LOG_LINE_START);
	say("     0: v=0e e=0004 i=0 cpl=3 IP=0033:0000000000001003 pc=0000000000001003 SP=002b:0\n");
	expect_events("0 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "0 cpu0 run ffffffff81000000-ffffffff81000001 1 x86 return to ffffffff81000100 x86\n"
		      "1 cpu0 run ffffffff81000100-ffffffff81000102 1 x86 eret to 1003 x86\n"
		      "2 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "2 cpu0 exception data-fault back to 1003 vector ffffffff81001000\n"
		      "2 cpu0 context el1 id 0 pid 0 tid 0\n"
		      "2 cpu0 end\n");
}

void test_gen_flow_x86__one_cpu_only(void **state)
{
	begin_log(GEN_LOG_X86_64, GEN_LOG_IS_SYSTEM, 2);
	say(GEN_LOG_LINE_START);
	assert_int_equal(tell_flow(), SL_ERR_UNSUPPORTED);
	done();
}

void test_gen_flow_x86__exception_types(void **state)
{
	static const struct {
		uint32_t vector;
		enum gen_exception_type type;
	} rows[] = {
		{ 1, GEN_DEBUG_EXCEPTION }, { 2, GEN_SYSTEM_ERROR }, { 6, GEN_UNDEFINED }, { 13, GEN_TRAP },
		{ 14, GEN_DATA_FAULT },	    { 17, GEN_ALIGNMENT },   { 32, GEN_IRQ },	   { 236, GEN_IRQ },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct gen_int_event event = { .syndrome = rows[i].vector };

		assert_int_equal(gen_x86_exception(&event), rows[i].type);
	}
}
