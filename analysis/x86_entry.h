/* SPDX-License-Identifier: Apache-2.0 */
#ifndef X86_ENTRY_H
#define X86_ENTRY_H
/* Functions of x86 kernels and compilers that mean more than others, by name. Inside of analysis/ only. */
#include "sl_elem.h"

/* The exception that is handled there: its vector, SL_X86_INTERRUPT, or SL_X86_UNKNOWN where the name says nothing. */
uint32_t x86_exception_of(const char *handler);

/*
 * Thunks stand in for one instruction. A call thunk for an indirect branch: it leaves to where that would have led, by a
 * RET, too. A return thunk for a RET: it returns for the function that jumped to it.
 */
enum x86_thunk { X86_NO_THUNK, X86_CALL_THUNK, X86_RETURN_THUNK };
enum x86_thunk x86_thunk_of(const char *name);
#endif
