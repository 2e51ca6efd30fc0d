/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CODE_IMAGE_H
#define CODE_IMAGE_H
/* A small image of named functions, and elements that run in it: for tests of what is behind the decoder. */
#include "sl_elem.h"
#include "sl_image.h"

/* 0x100 bytes, 64 A64 instructions each; from CODE_NOWHERE on there is no image, and from CODE_NAMED on bpf_a and bpf_b
 * are only named. */
enum {
	CODE_MAIN = 0x1000, CODE_F = 0x1100, CODE_G = 0x1200, CODE_H = 0x1300, CODE_VECTORS = 0x1400, CODE_F_COLD = 0x1500,
	CODE_TASK_B = 0x1600, CODE_CALL_THUNK = 0x2000, CODE_RETURN_THUNK = 0x2100, CODE_SAFE_RET = 0x2200,
	CODE_PAGE_FAULT = 0x2300, CODE_TIMER = 0x2400, CODE_NOWHERE = 0x9000, CODE_NAMED = 0xa000, CODE_PAGES = 0x400000 /* two pages without names */,
};

/* The sealed image with main, f, g, h, vectors, f.cold, task_b, and thunks and handlers of x86, on core 0; NULL where it cannot be made. */
struct sl_image *code_image(void);

/* count A64 instructions from start; what the last of them is. Taken. */
struct sl_elem elem_run(uint64_t start, uint32_t count, enum sl_last last, enum sl_branch branch);
struct sl_elem elem_calls(uint64_t start, uint32_t count);
struct sl_elem elem_jumps(uint64_t start, uint32_t count);
struct sl_elem elem_jumps_far(uint64_t start, uint32_t count);
struct sl_elem elem_returns(uint64_t start, uint32_t count);
struct sl_elem elem_erets(uint64_t start, uint32_t count);
struct sl_elem elem_stops(uint64_t start, uint32_t count);
struct sl_elem elem_exception(uint32_t number, uint64_t preferred_return);
struct sl_elem elem_gap(enum sl_gap cause, uint64_t address);
struct sl_elem elem_context(uint32_t id);
struct sl_elem elem_time(uint64_t tick);
struct sl_elem elem_cycles(uint32_t cycles);
#endif
