/* SPDX-License-Identifier: Apache-2.0 */
/* What names of x86 kernels say, and which exceptions their handlers make of those that Intel PT does not name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "code_image.h"
#include "sl_callstack.h"
#include "sl_span.h"
#include "x86_entry.h"

void test_x86_entry__exceptions_by_handler(void **state)
{
	static const struct {
		const char *name;
		uint32_t number;
	} rows[] = {
		{ "asm_exc_page_fault", 14 },	  { "page_fault", 14 },		  { "async_page_fault", 14 },
		{ "asm_exc_divide_error", 0 },	  { "asm_exc_int3", 3 },	  { "asm_exc_nmi", 2 },
		{ "asm_exc_xen_hypervisor_callback", SL_X86_UNKNOWN },		  { "asm_exc_machine_check", 18 },
		{ "asm_exc_vmm_communication", 29 },				  { "xen_asm_exc_page_fault", 14 },
		{ "asm_common_interrupt", SL_X86_INTERRUPT },			  { "common_interrupt", SL_X86_INTERRUPT },
		{ "asm_sysvec_apic_timer_interrupt", SL_X86_INTERRUPT },	  { "irq_entries_start", SL_X86_INTERRUPT },
		{ "apic_timer_interrupt", SL_X86_INTERRUPT },			  { "asm_sysvec_irq_work", SL_X86_INTERRUPT },
		{ "main", SL_X86_UNKNOWN },	  { "[no image]", SL_X86_UNKNOWN }, { "", SL_X86_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (x86_exception_of(rows[i].name) != rows[i].number)
			fail_msg("%s is %u", rows[i].name, x86_exception_of(rows[i].name));
	}
}

void test_x86_entry__thunks(void **state)
{
	(void)state;
	assert_int_equal(x86_thunk_of("__x86_indirect_thunk_rax"), X86_CALL_THUNK);
	assert_int_equal(x86_thunk_of("__x86_indirect_call_thunk_r11"), X86_CALL_THUNK);
	assert_int_equal(x86_thunk_of("__llvm_retpoline_r11"), X86_CALL_THUNK);
	assert_int_equal(x86_thunk_of("__x86_return_thunk"), X86_RETURN_THUNK);
	assert_int_equal(x86_thunk_of("__x86_return_skl"), X86_RETURN_THUNK);
	assert_int_equal(x86_thunk_of("retbleed_return_thunk"), X86_RETURN_THUNK);
	assert_int_equal(x86_thunk_of("srso_safe_ret"), X86_RETURN_THUNK);
	assert_int_equal(x86_thunk_of("srso_untrain_ret"), X86_NO_THUNK);
	assert_int_equal(x86_thunk_of("__x86_sys_read"), X86_NO_THUNK);
	assert_int_equal(x86_thunk_of(""), X86_NO_THUNK);
}

static struct sl_elem of_x86(struct sl_elem elem)
{
	elem.isa = SL_ISA_X86_64;
	return elem;
}

static void on_leave(void *ctx, const struct sl_call *call)
{
	if (call->kind == SL_CALL_LEAVE && !(call->flags & SL_SPAN_NO_EXIT))
		++*(unsigned *)ctx;
}

/* Main calls f, which calls the system: there and back through the kernel's own address space, from the first time on. */
void test_x86_entry__page_table_isolation(void **state)
{
	static const struct sl_trace_config config = { .protocol = SL_PROTOCOL_IPT };
	const struct sl_elem elems[] = {
		elem_context(0x1001), elem_calls(CODE_MAIN, 1), elem_stops(CODE_F, 2), elem_exception(SL_X86_SYSCALL, CODE_F + 8),
		elem_calls(CODE_VECTORS, 2), elem_context(0x1000), elem_returns(CODE_G, 2), elem_stops(CODE_VECTORS + 8, 1),
		elem_context(0x1001), elem_erets(CODE_VECTORS + 12, 1), elem_returns(CODE_F + 8, 1), elem_stops(CODE_MAIN + 4, 1),
	};
	struct sl_image *image = code_image();
	unsigned whole = 0;
	const struct sl_callstack_options options = { .image = image, .config = &config, .call = on_leave, .ctx = &whole };
	struct sl_callstack *cs;

	(void)state;
	assert_non_null(image);
	assert_int_equal(sl_callstack_new(&options, &cs), SL_OK);
	for (size_t i = 0; i < sizeof(elems) / sizeof(elems[0]); i++)
		assert_int_equal(sl_callstack_feed(cs, (struct sl_elem[]){ of_x86(elems[i]) }, 1), SL_OK);
	assert_int_equal(sl_callstack_finish(cs), SL_OK);
	assert_int_equal(whole, 3); /* g, the entry, f */
	sl_callstack_free(cs);
	sl_image_free(image);
}

struct levels {
	uint32_t numbers[4];
	enum sl_level levels[4];
	size_t len;
};

static void on_call(void *ctx, const struct sl_call *call)
{
	struct levels *told = ctx;

	if (call->kind != SL_CALL_LEVEL)
		return;
	assert_true(told->len < 4);
	told->numbers[told->len] = call->number;
	told->levels[told->len++] = call->level;
}

static void interrupt(struct sl_callstack *cs, uint32_t number, uint64_t handler)
{
	struct sl_elem elems[] = { elem_stops(CODE_MAIN, 1), elem_exception(number, CODE_MAIN + 4), elem_erets(handler, 1) };

	for (size_t i = 0; i < 3; i++)
		elems[i].isa = SL_ISA_X86_64;
	elems[1].range.end = handler;
	assert_int_equal(sl_callstack_feed(cs, elems, 3), SL_OK);
}

void test_x86_entry__levels_of_a_lane(void **state)
{
	static const struct sl_trace_config config = { .protocol = SL_PROTOCOL_IPT };
	static const uint32_t numbers[] = { 14, SL_X86_INTERRUPT, SL_X86_UNKNOWN, SL_X86_SYSCALL };
	static const enum sl_level levels[] = { SL_LEVEL_FAULT, SL_LEVEL_IRQ, SL_LEVEL_OTHER, SL_LEVEL_SYSCALL };
	struct levels told = { .len = 0 };
	struct sl_image *image = code_image();
	const struct sl_callstack_options options = { .image = image, .config = &config, .call = on_call, .ctx = &told };
	struct sl_callstack *cs;

	(void)state;
	assert_non_null(image);
	assert_int_equal(sl_callstack_new(&options, &cs), SL_OK);
	interrupt(cs, SL_X86_UNKNOWN, CODE_PAGE_FAULT);
	interrupt(cs, SL_X86_UNKNOWN, CODE_TIMER);
	interrupt(cs, SL_X86_UNKNOWN, CODE_VECTORS);
	interrupt(cs, SL_X86_SYSCALL, CODE_H);
	assert_int_equal(told.len, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(told.numbers[i], numbers[i]);
		assert_int_equal(told.levels[i], levels[i]);
	}
	sl_callstack_free(cs);
	sl_image_free(image);
}
