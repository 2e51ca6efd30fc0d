/* SPDX-License-Identifier: Apache-2.0 */
/* Names of Linux 3.x to 6.x (arch/x86/entry, idtentry.h, lib/retpoline.S), and of GCC's and LLVM's own thunks. */
#include "x86_entry.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* By vector; since 5.8 with asm_exc_ before it. */
static const char *const exceptions[] = {
	"divide_error", "debug", "nmi", "int3", "overflow", "bounds", "invalid_op", "device_not_available", "double_fault",
	"coproc_segment_overrun", "invalid_tss", "segment_not_present", "stack_segment", "general_protection", "page_fault",
	"spurious_interrupt_bug", "coprocessor_error", "alignment_check", "machine_check", "simd_coprocessor_error",
	"virtualization_exception", "control_protection", [29] = "vmm_communication",
};

static bool begins_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && strcmp(name + len - end_len, end) == 0;
}

static uint32_t vector_of(const char *name)
{
	for (uint32_t i = 0; i < COUNT(exceptions); i++) {
		if (exceptions[i] && strcmp(exceptions[i], name) == 0)
			return i;
	}
	return SL_X86_UNKNOWN;
}

/* Stubs of vectors, what they lead to, and the local APIC's own interrupts. */
static bool is_interrupt(const char *name)
{
	return begins_with(name, "asm_sysvec_") || begins_with(name, "irq_entries_start") || begins_with(name, "spurious_entries_start") ||
	       ends_with(name, "_interrupt") || ends_with(name, "_callback_vector");
}

uint32_t x86_exception_of(const char *handler)
{
	static const char *const starts[] = { "asm_exc_xen_", "asm_exc_", "asm_xenpv_exc_", "xen_asm_exc_", "xen_", "async_", "trace_" };
	uint32_t vector = vector_of(handler);

	for (size_t i = 0; i < COUNT(starts) && vector == SL_X86_UNKNOWN; i++) {
		if (begins_with(handler, starts[i]))
			vector = vector_of(handler + strlen(starts[i]));
	}
	if (vector == SL_X86_UNKNOWN && is_interrupt(handler))
		return SL_X86_INTERRUPT;
	return vector;
}

enum x86_thunk x86_thunk_of(const char *name)
{
	if (begins_with(name, "__x86_indirect_") || begins_with(name, "__llvm_retpoline_"))
		return X86_CALL_THUNK;
	if (begins_with(name, "__x86_return_") || ends_with(name, "_return_thunk") || ends_with(name, "_safe_ret"))
		return X86_RETURN_THUNK;
	return X86_NO_THUNK;
}
