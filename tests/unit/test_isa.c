/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as the GNU assembler writes them, and what the Arm manuals say of them. Random ones: test_isa_opencsd. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/isa.h"
#include "opcode_seeds.h"

enum { PC = 0x10000000 };

struct row {
	uint32_t word;
	uint8_t last, branch;
	bool conditional;
	uint64_t target;
};

static const struct isa_options newest = { SL_ARCH_AA64, false, true };

static void expect(const struct isa_insn *insn, const struct row *row)
{
	bool call = row->branch == SL_BRANCH_CALL;

	if (insn->last != row->last || insn->branch != row->branch || insn->conditional != row->conditional ||
	    insn->target != row->target || insn->link != call)
		fail_msg("%08x: last %u branch %u conditional %u target %llx", row->word, insn->last, insn->branch,
			 insn->conditional, (unsigned long long)insn->target);
}

void test_isa__a64(void **state)
{
	static const struct row rows[] = {
		{ 0xd503201f, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	  /* nop */
		{ 0x14000002, SL_LAST_BRANCH, SL_BRANCH_PLAIN, false, PC + 8 },	  /* b .+8 */
		{ 0x97ffffff, SL_LAST_BRANCH, SL_BRANCH_CALL, false, PC - 4 },	  /* bl .-4 */
		{ 0x54ffffe1, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC - 4 },	  /* b.ne .-4 */
		{ 0x54000051, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 8 },	  /* bc.ne .+8 */
		{ 0xb4000085, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 16 },	  /* cbz x5, .+16 */
		{ 0xb7fffff9, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC - 4 },	  /* tbnz x25, #63, .-4 */
		{ 0x74c20041, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 8 },	  /* cbeq w1, w2, .+8 */
		{ 0x74e2bfe1, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC - 4 },	  /* cbbne w1, w2, .-4 */
		{ 0xf5c28041, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 8 },	  /* cbeq x1, #5, .+8 */
		{ 0xd6ff03e0, SL_LAST_INDIRECT, SL_BRANCH_ERET, false, 0 },	  /* texit */
		{ 0xd61f0200, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	  /* br x16 */
		{ 0xd71f0801, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	  /* braa x0, x1 */
		{ 0xd63f0020, SL_LAST_INDIRECT, SL_BRANCH_CALL, false, 0 },	  /* blr x1 */
		{ 0xd63f081f, SL_LAST_INDIRECT, SL_BRANCH_CALL, false, 0 },	  /* blraaz x0 */
		{ 0xd65f03c0, SL_LAST_INDIRECT, SL_BRANCH_RETURN, false, 0 },	  /* ret */
		{ 0xd65f0bff, SL_LAST_INDIRECT, SL_BRANCH_RETURN, false, 0 },	  /* retaa */
		{ 0xd65f0be2, SL_LAST_INDIRECT, SL_BRANCH_RETURN, false, 0 },	  /* retaasppcr x2 */
		{ 0x5500005f, SL_LAST_INDIRECT, SL_BRANCH_RETURN, false, 0 },	  /* retaasppc .-8 */
		{ 0xd69f03e0, SL_LAST_INDIRECT, SL_BRANCH_ERET, false, 0 },	  /* eret */
		{ 0xd69f0fff, SL_LAST_INDIRECT, SL_BRANCH_ERET, false, 0 },	  /* eretab */
		{ 0xd5033fdf, SL_LAST_ISB, SL_BRANCH_PLAIN, false, 0 },		  /* isb */
		{ 0xd5033f9f, SL_LAST_DSB, SL_BRANCH_PLAIN, false, 0 },		  /* dsb sy */
		{ 0xd503323f, SL_LAST_DSB, SL_BRANCH_PLAIN, false, 0 },		  /* dsb oshnxs */
		{ 0xd5033bbf, SL_LAST_DSB, SL_BRANCH_PLAIN, false, 0 },		  /* dmb ish */
		{ 0xd503205f, SL_LAST_WFI, SL_BRANCH_PLAIN, false, 0 },		  /* wfe */
		{ 0xd5031025, SL_LAST_WFI, SL_BRANCH_PLAIN, false, 0 },		  /* wfit x5 */
		{ 0xd5233065, SL_LAST_TSTART, SL_BRANCH_PLAIN, false, 0 },	  /* tstart x5 */
		{ 0xd4000001, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	  /* svc #0 */
		{ 0xd4200000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	  /* brk #0 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct isa_insn insn;

		isa_a64(&newest, rows[i].word, PC, &insn);
		assert_int_equal(insn.size, 4);
		assert_int_equal(insn.target_isa, insn.last == SL_LAST_BRANCH ? SL_ISA_A64 : SL_ISA_UNKNOWN);
		expect(&insn, &rows[i]);
	}
}

void test_isa__a32(void **state)
{
	static const struct row rows[] = {
		{ 0xe320f000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },		/* nop */
		{ 0xeafffffe, SL_LAST_BRANCH, SL_BRANCH_PLAIN, false, PC },		/* b . */
		{ 0x0a000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 8 },		/* beq .+8 */
		{ 0xeb000000, SL_LAST_BRANCH, SL_BRANCH_CALL, false, PC + 8 },		/* bl .+8 */
		{ 0xfbffffff, SL_LAST_BRANCH, SL_BRANCH_CALL, false, PC + 6 },		/* blx .+6 */
		{ 0xe12fff1e, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 },	/* bx lr */
		{ 0x112fff1e, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, true, 0 },	/* bxne lr */
		{ 0xe12fff13, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* bx r3 */
		{ 0xe12fff33, SL_LAST_INDIRECT, SL_BRANCH_CALL, false, 0 },		/* blx r3 */
		{ 0xe1a0f00e, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 },	/* mov pc, lr */
		{ 0xe08ff001, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* add pc, pc, r1 */
		{ 0xe8bd8010, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 },	/* pop {r4, pc} */
		{ 0xe89da800, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* ldm sp, {fp, sp, pc} */
		{ 0xe49df004, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 },	/* pop {pc} */
		{ 0xe59ff000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* ldr pc, [pc] */
		{ 0xe79ff101, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* ldr pc, [pc, r1, lsl #2] */
		{ 0xe7f000f0, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },		/* udf */
		{ 0xe25ef004, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* subs pc, lr, #4 */
		{ 0xf8bd0a00, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* rfeia sp! */
		{ 0xe160006e, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* eret */
		{ 0xf57ff06f, SL_LAST_ISB, SL_BRANCH_PLAIN, false, 0 },			/* isb */
		{ 0xee070f95, SL_LAST_ISB, SL_BRANCH_PLAIN, false, 0 },			/* mcr 15, 0, r0, cr7, cr5, {4} */
		{ 0xee070fba, SL_LAST_DSB, SL_BRANCH_PLAIN, false, 0 },			/* mcr 15, 0, r0, cr7, cr10, {5} */
		{ 0xe320f003, SL_LAST_WFI, SL_BRANCH_PLAIN, false, 0 },			/* wfi */
		{ 0xe30ef000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },		/* movw pc, #0xe000: UNPREDICTABLE */
		{ 0xe35f0000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },		/* cmp pc, #0 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct isa_insn insn;

		isa_a32(&newest, rows[i].word, PC, &insn);
		assert_int_equal(insn.size, 4);
		expect(&insn, &rows[i]);
	}
}

/* Of one halfword: in the upper half of word. */
static void t32(const struct isa_options *options, uint32_t word, unsigned *it, struct isa_insn *ret)
{
	uint8_t code[4];

	opcode_store(SL_ISA_T32, word, code);
	isa_t32(options, code, sizeof(code), PC, it, ret);
}

static void expect_t32(const struct isa_options *options, const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct isa_insn insn;
		unsigned it = 0;

		t32(options, rows[i].word, &it, &insn);
		assert_int_equal(insn.size, rows[i].word >> 27 >= 0x1d ? 4 : 2);
		expect(&insn, &rows[i]);
	}
}

void test_isa__t32(void **state)
{
	static const struct row rows[] = {
		{ 0xbf000000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* nop */
		{ 0xd0fe0000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC },	      /* beq .n */
		{ 0xe7fe0000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, false, PC },	      /* b .n */
		{ 0xb1080000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 6 },	      /* cbz r0, .+6 */
		{ 0xbb000000, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 0x44 },     /* cbnz r0, .+0x44 */
		{ 0x47700000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* bx lr */
		{ 0x47180000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* bx r3 */
		{ 0x47980000, SL_LAST_INDIRECT, SL_BRANCH_CALL, false, 0 },	      /* blx r3 */
		{ 0xbd100000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* pop {r4, pc} */
		{ 0x46f70000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* mov pc, lr */
		{ 0x449f0000, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* add pc, r3 */
		{ 0xbf300000, SL_LAST_WFI, SL_BRANCH_PLAIN, false, 0 },		      /* wfi */
		{ 0xdf000000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* svc 0 */
		{ 0xf7fffffe, SL_LAST_BRANCH, SL_BRANCH_CALL, false, PC },	      /* bl . */
		{ 0xf000e800, SL_LAST_BRANCH, SL_BRANCH_CALL, false, PC + 4 },	      /* blx .+4 */
		{ 0xf7ffbffe, SL_LAST_BRANCH, SL_BRANCH_PLAIN, false, PC },	      /* b.w . */
		{ 0xf43faffe, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC },	      /* beq.w . */
		{ 0xe8bd8010, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* pop.w {r4, pc} */
		{ 0xe8908001, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* ldm.w r0, {r0, pc} */
		{ 0xf85dfb04, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* pop.w {pc} */
		{ 0xf8dff004, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* ldr.w pc, [pc, #4] */
		{ 0xf851f022, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* ldr.w pc, [r1, r2, lsl #2] */
		{ 0xe8dff001, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* tbb [pc, r1] */
		{ 0xe8dff011, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* tbh [pc, r1, lsl #1] */
		{ 0xf3de8f04, SL_LAST_INDIRECT, SL_BRANCH_PLAIN, false, 0 },	      /* subs pc, lr, #4 */
		{ 0xf3bf8f6f, SL_LAST_ISB, SL_BRANCH_PLAIN, false, 0 },		      /* isb */
		{ 0xf3bf8f4f, SL_LAST_DSB, SL_BRANCH_PLAIN, false, 0 },		      /* dsb */
		{ 0xf3af8002, SL_LAST_WFI, SL_BRANCH_PLAIN, false, 0 },		      /* wfe.w */
		{ 0xf00fc805, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* le, which only M has */
	};

	expect_t32(&newest, rows, sizeof(rows) / sizeof(rows[0]));
}

void test_isa__t32_of_m_profile(void **state)
{
	static const struct isa_options m = { SL_ARCH_V8, true, false };
	static const struct row rows[] = {
		{ 0xf00fc805, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC - 6 },	      /* le lr, .-6 */
		{ 0xf02fc805, SL_LAST_BRANCH, SL_BRANCH_PLAIN, false, PC - 6 },	      /* le .-6 */
		{ 0xf01fc807, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC - 10 },	      /* letp lr, .-10 */
		{ 0xf041c015, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 44 },	      /* wls lr, r1, .+44 */
		{ 0xf032c011, SL_LAST_BRANCH, SL_BRANCH_PLAIN, true, PC + 36 },	      /* wlstp.64 lr, r2, .+36 */
		{ 0xf043e001, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* dls lr, r3 */
		{ 0xf024e001, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* dlstp.32 lr, r4 */
		{ 0xf00fe001, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* lctp */
		{ 0xf3c0e009, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* bf */
		{ 0x47740000, SL_LAST_INDIRECT, SL_BRANCH_IMPLIED_RETURN, false, 0 }, /* bxns lr */
		{ 0x479c0000, SL_LAST_INDIRECT, SL_BRANCH_CALL, false, 0 },	      /* blxns r3 */
		{ 0xe97fe97f, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* sg */
		{ 0xbf300000, SL_LAST_OTHER, SL_BRANCH_PLAIN, false, 0 },	      /* wfi, no waypoint here */
	};

	expect_t32(&m, rows, sizeof(rows) / sizeof(rows[0]));
}

void test_isa__it_blocks(void **state)
{
	static const struct { uint32_t it; unsigned len; } blocks[] = {
		{ 0xbf080000, 1 }, { 0xbf0c0000, 2 }, { 0xbf060000, 3 }, { 0xbf010000, 4 }, { 0xbf000000, 0 },
	};
	struct isa_insn insn;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		unsigned it = 0;

		t32(&newest, blocks[i].it, &it, &insn);
		assert_false(insn.conditional);
		for (unsigned left = blocks[i].len; left; left--) {
			assert_int_equal(it, left);
			t32(&newest, 0x47700000, &it, &insn); /* bx lr */
			assert_true(insn.conditional);
		}
		assert_int_equal(it, 0);
		t32(&newest, 0x47700000, &it, &insn);
		assert_false(insn.conditional);
	}
}

void test_isa__what_only_newer_cores_have(void **state)
{
	static const struct isa_options v8 = { SL_ARCH_V8, false, true };
	struct isa_insn insn;

	isa_a64(&v8, 0xd65f0bff, PC, &insn);
	assert_int_equal(insn.last, SL_LAST_OTHER);
	isa_a64(&v8, 0xd65f03c0, PC, &insn);
	assert_int_equal(insn.last, SL_LAST_INDIRECT);
}

void test_isa__undefined(void **state)
{
	struct isa_insn insn;
	unsigned it = 0;

	isa_a64(&newest, 0x0000abcd, PC, &insn);
	assert_true(insn.undefined);
	isa_a32(&newest, 0xe7f123f4, PC, &insn);
	assert_true(insn.undefined);
	t32(&newest, 0xde010000, &it, &insn);
	assert_true(insn.undefined);
	t32(&newest, 0xf7f1a123, &it, &insn);
	assert_true(insn.undefined);
	t32(&newest, 0xdf010000, &it, &insn);
	assert_false(insn.undefined);
}

void test_isa__code_that_is_cut_short(void **state)
{
	static const uint8_t bl[] = { 0x00, 0xf0, 0x00, 0xf8 };
	struct isa_insn insn;
	unsigned it = 0;

	for (size_t len = 0; len < 4; len++) {
		isa_t32(&newest, bl, len, PC, &it, &insn);
		assert_int_equal(insn.size, 0);
	}
	isa_t32(&newest, bl, 4, PC, &it, &insn);
	assert_int_equal(insn.size, 4);
}

void test_isa__addresses_of_aarch32_wrap(void **state)
{
	static const uint8_t back[] = { 0xf0, 0xe7 }; /* b .-28 */
	struct isa_insn insn;
	unsigned it = 0;

	isa_a32(&newest, 0xeafffffc, 0, &insn); /* b .-8 */
	assert_int_equal(insn.target, 0xfffffff8);
	isa_t32(&newest, back, 2, 8, &it, &insn);
	assert_int_equal(insn.target, 0xffffffec);
}

void test_isa__what_sleeps(void **state)
{
	enum { WFE = SL_FLAG_SLEEPS, WFI = SL_FLAG_SLEEPS | SL_FLAG_WFI };
	static const struct {
		uint8_t isa, code[4];
		uint8_t sleeps;
	} rows[] = {
		{ SL_ISA_A64, { 0x7f, 0x20, 0x03, 0xd5 }, WFI },  /* wfi */
		{ SL_ISA_A64, { 0x5f, 0x20, 0x03, 0xd5 }, WFE },  /* wfe */
		{ SL_ISA_A64, { 0x25, 0x10, 0x03, 0xd5 }, WFI },  /* wfit x5 */
		{ SL_ISA_A64, { 0x9f, 0x20, 0x03, 0xd5 }, 0 }, /* sev */
		{ SL_ISA_A64, { 0x3f, 0x20, 0x03, 0xd5 }, 0 }, /* yield */
		{ SL_ISA_A32, { 0x03, 0xf0, 0x20, 0xe3 }, WFI },  /* wfi */
		{ SL_ISA_A32, { 0x02, 0xf0, 0x20, 0x03 }, WFE },  /* wfeeq */
		{ SL_ISA_A32, { 0x04, 0xf0, 0x20, 0xe3 }, 0 }, /* sev */
		{ SL_ISA_T32, { 0x00, 0xbf, 0x30, 0xbf }, WFI },  /* nop, wfi */
		{ SL_ISA_T32, { 0xaf, 0xf3, 0x02, 0x80 }, WFE },  /* wfe.w */
		{ SL_ISA_T32, { 0x00, 0xf8, 0x30, 0xbf }, 0 }, /* strb.w, whose second half looks like wfi */
		{ SL_ISA_T32, { 0x40, 0xbf, 0x10, 0xbf }, 0 }, /* sev, yield */
		{ SL_ISA_X86_64, { 0xf4 }, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(isa_sleeps(rows[i].isa, rows[i].code, 4), rows[i].sleeps);
		assert_int_equal(isa_sleeps(rows[i].isa, rows[i].code, 1), 0);
	}
}
