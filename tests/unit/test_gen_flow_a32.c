/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gen_fixture.h"
#include "insn.h"

enum { PC = 0x8000, NONE = 0 };

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

/* Words as the GNU assembler writes them. */
static const struct {
	uint32_t word;
	enum gen_insn_kind kind;
	bool conditional;
	uint64_t target;
	enum gen_isa isa;
} a32_rows[] = {
	{ 0xe320f000, GEN_INSN_OTHER, false, NONE, 0 },		  /* nop */
	{ 0xeafffffd, GEN_INSN_BRANCH, false, PC - 4, GEN_A32 },  /* b .-4 */
	{ 0x1afffffc, GEN_INSN_BRANCH, true, PC - 8, GEN_A32 },	  /* bne */
	{ 0xebfffffb, GEN_INSN_CALL, false, PC - 12, GEN_A32 },	  /* bl */
	{ 0x0bfffffa, GEN_INSN_CALL, true, PC - 16, GEN_A32 },	  /* bleq */
	{ 0xfa00001e, GEN_INSN_CALL, false, PC + 0x80, GEN_T32 }, /* blx */
	{ 0xfb00001e, GEN_INSN_CALL, false, PC + 0x82, GEN_T32 }, /* blx, a halfword more */
	{ 0xe12fff1e, GEN_INSN_RETURN, false, NONE, 0 },	  /* bx lr */
	{ 0x112fff1e, GEN_INSN_RETURN, true, NONE, 0 },		  /* bxne lr */
	{ 0xe12fff13, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* bx r3 */
	{ 0xe12fff23, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* bxj r3 */
	{ 0xe12fff33, GEN_INSN_INDIRECT_CALL, false, NONE, 0 },	  /* blx r3 */
	{ 0xe1a0f00e, GEN_INSN_RETURN, false, NONE, 0 },	  /* mov pc, lr */
	{ 0xe1a0f003, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* mov pc, r3 */
	{ 0xe08ff001, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* add pc, pc, r1 */
	{ 0x008ff101, GEN_INSN_INDIRECT, true, NONE, 0 },	  /* addeq pc, pc, r1, lsl #2 */
	{ 0xe8bd8010, GEN_INSN_RETURN, false, NONE, 0 },	  /* pop {r4, pc} */
	{ 0x08bd8010, GEN_INSN_RETURN, true, NONE, 0 },		  /* popeq {r4, pc} */
	{ 0xe49df004, GEN_INSN_RETURN, false, NONE, 0 },	  /* ldr pc, [sp], #4 */
	{ 0xe793f101, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* ldr pc, [r3, r1, lsl #2] */
	{ 0xe8938002, GEN_INSN_INDIRECT, false, NONE, 0 },	  /* ldm r3, {r1, pc} */
	{ 0xe8fd8001, GEN_INSN_ERET, false, NONE, 0 },		  /* ldm sp!, {r0, pc}^ */
	{ 0xe25ef004, GEN_INSN_ERET, false, NONE, 0 },		  /* subs pc, lr, #4 */
	{ 0xe1b0f00e, GEN_INSN_ERET, false, NONE, 0 },		  /* movs pc, lr */
	{ 0xf8bd0a00, GEN_INSN_ERET, false, NONE, 0 },		  /* rfeia sp! */
	{ 0xf57ff06f, GEN_INSN_BARRIER, false, NONE, 0 },	  /* isb */
	{ 0xee070f95, GEN_INSN_BARRIER, false, NONE, 0 },	  /* mcr p15, 0, r0, c7, c5, 4 */
	{ 0xef000000, GEN_INSN_SYSTEM_CALL, false, NONE, 0 },	  /* svc */
	{ 0xe1412374, GEN_INSN_SYSTEM_CALL, false, NONE, 0 },	  /* hvc */
	{ 0xe1600070, GEN_INSN_SYSTEM_CALL, false, NONE, 0 },	  /* smc */
	{ 0xe0000291, GEN_INSN_OTHER, false, NONE, 0 },		  /* mul r0, r1, r2 */
	{ 0xe1d210b0, GEN_INSN_OTHER, false, NONE, 0 },		  /* ldrh r1, [r2] */
	{ 0xe30f1fff, GEN_INSN_OTHER, false, NONE, 0 },		  /* movw r1, #65535 */
	{ 0xe128f000, GEN_INSN_OTHER, false, NONE, 0 },		  /* msr cpsr_f, r0 */
	{ 0xe581f000, GEN_INSN_OTHER, false, NONE, 0 },		  /* str pc, [r1] */
	{ 0xe351000f, GEN_INSN_OTHER, false, NONE, 0 },		  /* cmp r1, #15 */
	{ 0xe1c120d0, GEN_INSN_OTHER, false, NONE, 0 },		  /* ldrd r2, [r1] */
	{ 0xe7f000f0, GEN_INSN_OTHER, false, NONE, 0 },		  /* udf */
};

void test_gen_flow_a32__a32_instructions(void **state)
{
	for (size_t i = 0; i < sizeof(a32_rows) / sizeof(a32_rows[0]); i++) {
		struct gen_insn insn = gen_a32_insn((const uint8_t *)&a32_rows[i].word, PC);

		if (insn.kind != a32_rows[i].kind || insn.target != a32_rows[i].target ||
		    insn.target_isa != a32_rows[i].isa)
			fail_msg("%08x: kind %d to %llx", a32_rows[i].word, insn.kind,
				 (unsigned long long)insn.target);
		if (insn.kind != GEN_INSN_OTHER)
			assert_int_equal(insn.conditional, a32_rows[i].conditional);
	}
}

/* Halfwords, as objdump prints them. */
static const struct {
	uint16_t halves[2];
	enum gen_insn_kind kind;
	uint64_t target;
	bool conditional;
	enum gen_isa isa;
} t32_rows[] = {
	{ { 0xbf00 }, GEN_INSN_OTHER, NONE, false, 0 },			 /* nop */
	{ { 0xe7fd }, GEN_INSN_BRANCH, PC - 2, false, GEN_T32 },	 /* b.n .-2 */
	{ { 0xd1fc }, GEN_INSN_BRANCH, PC - 4, true, GEN_T32 },		 /* bne.n */
	{ { 0xf7ff, 0xbffb }, GEN_INSN_BRANCH, PC - 6, false, GEN_T32 }, /* b.w */
	{ { 0xf47f, 0xaff9 }, GEN_INSN_BRANCH, PC - 10, true, GEN_T32 }, /* bne.w */
	{ { 0xf7ff, 0xfff7 }, GEN_INSN_CALL, PC - 14, false, GEN_T32 },	 /* bl */
	{ { 0xf7ff, 0xeff4 }, GEN_INSN_CALL, PC - 20, false, GEN_A32 },	 /* blx */
	{ { 0xb101 }, GEN_INSN_BRANCH, PC + 4, true, GEN_T32 },		 /* cbz r1, .+4 */
	{ { 0x4770 }, GEN_INSN_RETURN, NONE, false, 0 },		 /* bx lr */
	{ { 0x4718 }, GEN_INSN_INDIRECT, NONE, false, 0 },		 /* bx r3 */
	{ { 0x4798 }, GEN_INSN_INDIRECT_CALL, NONE, false, 0 },		 /* blx r3 */
	{ { 0x46f7 }, GEN_INSN_RETURN, NONE, false, 0 },		 /* mov pc, lr */
	{ { 0x4697 }, GEN_INSN_INDIRECT, NONE, false, 0 },		 /* mov pc, r2 */
	{ { 0x448f }, GEN_INSN_INDIRECT, NONE, false, 0 },		 /* add pc, r1 */
	{ { 0xbd10 }, GEN_INSN_RETURN, NONE, false, 0 },		 /* pop {r4, pc} */
	{ { 0xe8bd, 0x8110 }, GEN_INSN_RETURN, NONE, false, 0 },	 /* pop.w {r4, r8, pc} */
	{ { 0xf85d, 0xfb04 }, GEN_INSN_RETURN, NONE, false, 0 },	 /* ldr.w pc, [sp], #4 */
	{ { 0xf853, 0xf021 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* ldr.w pc, [r3, r1, lsl #2] */
	{ { 0xf8d3, 0xf010 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* ldr.w pc, [r3, #16] */
	{ { 0xf85f, 0xf022 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* ldr.w pc, [pc, #-34] */
	{ { 0xe893, 0x8006 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* ldmia.w r3, {r1, r2, pc} */
	{ { 0xe913, 0x8002 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* ldmdb r3, {r1, pc} */
	{ { 0xe8df, 0xf001 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* tbb [pc, r1] */
	{ { 0xe8df, 0xf011 }, GEN_INSN_INDIRECT, NONE, false, 0 },	 /* tbh */
	{ { 0xf3bf, 0x8f6f }, GEN_INSN_BARRIER, NONE, false, 0 },	 /* isb */
	{ { 0xdf00 }, GEN_INSN_SYSTEM_CALL, NONE, false, 0 },		 /* svc */
	{ { 0xf7e0, 0x8001 }, GEN_INSN_SYSTEM_CALL, NONE, false, 0 },	 /* hvc */
	{ { 0xf7f1, 0x8000 }, GEN_INSN_SYSTEM_CALL, NONE, false, 0 },	 /* smc */
	{ { 0xf3de, 0x8f04 }, GEN_INSN_ERET, NONE, false, 0 },		 /* subs pc, lr, #4 */
	{ { 0xe9bd, 0xc000 }, GEN_INSN_ERET, NONE, false, 0 },		 /* rfeia sp! */
	{ { 0xe811, 0xc000 }, GEN_INSN_ERET, NONE, false, 0 },		 /* rfedb r1 */
	{ { 0xf240, 0x0001 }, GEN_INSN_OTHER, NONE, false, 0 },		 /* movw r0, #1 */
	{ { 0xe9d2, 0x0100 }, GEN_INSN_OTHER, NONE, false, 0 },		 /* ldrd */
	{ { 0xe9c2, 0x0100 }, GEN_INSN_OTHER, NONE, false, 0 },		 /* strd */
	{ { 0x46f8 }, GEN_INSN_OTHER, NONE, false, 0 },			 /* mov r8, pc */
	{ { 0xde00 }, GEN_INSN_OTHER, NONE, false, 0 },			 /* udf */
	{ { 0x4411 }, GEN_INSN_OTHER, NONE, false, 0 },			 /* add r1, r2 */
	{ { 0xf8d3, 0x1010 }, GEN_INSN_OTHER, NONE, false, 0 },		 /* ldr.w r1, [r3, #16] */
	{ { 0xf3af, 0x8000 }, GEN_INSN_OTHER, NONE, false, 0 },		 /* nop.w */
	{ { 0xf3bf, 0x8f4f }, GEN_INSN_OTHER, NONE, false, 0 },		 /* dsb sy */
};

void test_gen_flow_a32__t32_instructions(void **state)
{
	for (size_t i = 0; i < sizeof(t32_rows) / sizeof(t32_rows[0]); i++) {
		const uint8_t *code = (const uint8_t *)t32_rows[i].halves;
		struct gen_insn insn = gen_t32_insn(code, PC, false);

		if (insn.kind != t32_rows[i].kind || insn.target != t32_rows[i].target ||
		    insn.target_isa != t32_rows[i].isa)
			fail_msg("%04x %04x: kind %d to %llx", t32_rows[i].halves[0], t32_rows[i].halves[1],
				 insn.kind, (unsigned long long)insn.target);
		assert_int_equal(insn.conditional, t32_rows[i].conditional);
		assert_int_equal(gen_t32_size(code), t32_rows[i].halves[1] ? 4 : 2);
		assert_true(gen_t32_insn(code, PC, true).conditional);
	}
}

void test_gen_flow_a32__it_blocks(void **state)
{
	static const struct {
		uint16_t half;
		unsigned len;
	} rows[] = {
		{ 0xbf08, 1 }, { 0xbf06, 3 }, { 0xbf0c, 2 }, { 0xbf01, 4 }, { 0xbf00, 0 }, { 0xbe08, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(gen_t32_it_len((const uint8_t *)&rows[i].half), rows[i].len);
}

/* it eq; popeq {pc}: not taken, then taken. And an IT that is over before the last instruction. */
void test_gen_flow_a32__conditional_return(void **state)
{
	static const uint16_t in_it[] = { 0xbf08, 0xbd10 }, behind_it[] = { 0xbf08, 0x4608, 0xbd10 },
			      nop[] = { 0xbf00 };

	begin_log(GEN_LOG_ARM, 0, 1);
	run_block(0x8000, "22", in_it);
	run_block(0x8004, "222", behind_it);
	run_block(0x8000, "22", in_it);
	run_block(0x9000, "2", nop);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 8000-8004 2 t32 not-taken conditional\n"
		      "2 cpu0 run 8004-800a 3 t32 return to 8000 t32\n"
		      "5 cpu0 run 8000-8004 2 t32 return conditional to 9000 t32\n"
		      "7 cpu0 end\n");
}

/* BLX from one instruction set into the other and back: by halfwords, by what led there, and by symbols or
 * bits. */
void test_gen_flow_a32__interworking(void **state)
{
	static const uint16_t back[] = { 0xbf00, 0x4770 };

	begin_log(GEN_LOG_ARM, 0, 1);
	RUN(0x8000, "4", 0xfa000000 /* blx 0x8008 */);
	run_block(0x8008, "22", back);
	RUN(0x8004, "4", 0xe12fff13 /* bx r3 */);
	RUN(0x9000, "4", 0x8000f3af /* nop.w */);
	RUN(0x9004, "4", 0xe800f000 /* blx 0x9008 */);
	RUN(0x9008, "4", 0xe320f000);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 8000-8004 1 a32 call to 8008 t32\n"
		      "1 cpu0 run 8008-800c 2 t32 return to 8004 a32\n"
		      "3 cpu0 run 8004-8008 1 a32 indirect to 9000 t32\n"
		      "4 cpu0 run 9000-9008 2 t32 call to 9008 a32\n"
		      "6 cpu0 end\n");
}

/* Where the plugin could read the CPU's state, nothing has to be found out. */
void test_gen_flow_a32__told_isa(void **state)
{
	begin_log(GEN_LOG_ARM, 0, 1);
	g.isa = GEN_LOG_ISA_T32;
	RUN(0x8000, "4", 0xf004f8df); /* ldr.w pc, [pc, #...]; in A32 it would be a push */
	RUN(0x9000, "4", 0xf004f8df);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 8000-8004 1 t32 indirect to 9000 t32\n"
		      "1 cpu0 end\n");
}

/* At the end of a page QEMU counts the halfword behind the last instruction in. */
void test_gen_flow_a32__last_halfword_of_a_page(void **state)
{
	static const uint16_t tail[] = { 0xbf00, 0xbf00, 0xffff }, next[] = { 0x4770 };
	static const uint16_t wide[] = { 0xf3af, 0x8000, 0xffff };

	begin_log(GEN_LOG_ARM, 0, 1);
	run_block(0x8ffc, "24", tail);
	run_block(0x9000, "2", next);
	run_block(0xaffc, "6", wide);
	run_block(0xb000, "2", next);
	run_block(0x8ffc, "24", tail);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 8ffc-9002 3 t32 return to affc t32\n"
		      "3 cpu0 run affc-b002 2 t32 return to 8ffc t32\n"
		      "5 cpu0 run 8ffc-8ffe 1 t32 none\n"
		      "6 cpu0 end\n");
}

void test_gen_flow_a32__system_call(void **state)
{
	begin_log(GEN_LOG_ARM, 0, 1);
	RUN(0x8000, "4", 0xef000000);
	RUN(0x8004, "4", 0xe12fff1e);
	expect_events("0 cpu0 context el0 id 0 pid 0 tid 0\n"
		      "0 cpu0 run 8000-8004 1 a32 none\n"
		      "1 cpu0 exception call back to 8004 vector 0\n"
		      "1 cpu0 gap\n"
		      "1 cpu0 end\n");
}
