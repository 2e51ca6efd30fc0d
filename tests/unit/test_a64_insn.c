/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "a64_insn.h"

enum { PC = 0x40080100, NONE = 0 };

/* Words as the GNU assembler writes them, at PC. */
void test_a64_insn__classifies(void **state)
{
	static const struct {
		uint32_t word;
		enum a64_kind kind;
		uint64_t target;
	} rows[] = {
		{ 0xd503201f, A64_OTHER, NONE },	    /* nop */
		{ 0x14000002, A64_BRANCH, PC + 8 },	    /* b .+8 */
		{ 0x17ffffff, A64_BRANCH, PC - 4 },	    /* b .-4 */
		{ 0x94000040, A64_CALL, PC + 0x100 },	    /* bl .+0x100 */
		{ 0x54ffffe1, A64_CONDITIONAL, PC - 4 },    /* b.ne .-4 */
		{ 0xb4000085, A64_CONDITIONAL, PC + 16 },   /* cbz x5, .+16 */
		{ 0x35000045, A64_CONDITIONAL, PC + 8 },    /* cbnz w5, .+8 */
		{ 0x36180045, A64_CONDITIONAL, PC + 8 },    /* tbz w5, #3, .+8 */
		{ 0xb7fffff9, A64_CONDITIONAL, PC - 4 },    /* tbnz x25, #63, .-4 */
		{ 0xd61f0200, A64_INDIRECT, NONE },	    /* br x16 */
		{ 0xd63f0020, A64_INDIRECT_CALL, NONE },    /* blr x1 */
		{ 0xd65f03c0, A64_RETURN, NONE },	    /* ret */
		{ 0xd65f0bff, A64_RETURN, NONE },	    /* retaa */
		{ 0xd71f0801, A64_INDIRECT, NONE },	    /* braa x0, x1 */
		{ 0xd69f03e0, A64_EXCEPTION_RETURN, NONE }, /* eret */
		{ 0xd5033fdf, A64_BARRIER, NONE },	    /* isb */
		{ 0xd5033f9f, A64_OTHER, NONE },	    /* dsb sy */
		{ 0xd4000001, A64_SYSTEM_CALL, NONE },	    /* svc #0 */
		{ 0xd4000002, A64_SYSTEM_CALL, NONE },	    /* hvc #0 */
		{ 0xd4200000, A64_OTHER, NONE },	    /* brk #0 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t target = NONE;

		assert_int_equal(a64_classify(rows[i].word, PC, &target), rows[i].kind);
		assert_int_equal(target, rows[i].target);
	}
}

void test_a64_insn__assembles(void **state)
{
	assert_int_equal(a64_b(PC, PC - 4), 0x17ffffff);
	assert_int_equal(a64_bl(PC, PC + 0x100), 0x94000040);
	assert_int_equal(a64_b_ne(PC, PC - 4), 0x54ffffe1);
	assert_int_equal(a64_br(16), 0xd61f0200);
	assert_int_equal(a64_blr(1), 0xd63f0020);
}
