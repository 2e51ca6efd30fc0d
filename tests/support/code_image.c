/* SPDX-License-Identifier: Apache-2.0 */
#include "code_image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char symbols[] = "1000 T main\n1100 T f\n1200 T g\n1300 T h\n1400 T vectors\n1500 t f.cold\n1600 T task_b\n"
			      "2000 T __x86_indirect_thunk_rax\n2100 T srso_return_thunk\n2200 T srso_safe_ret\n2300 T asm_exc_page_fault\n"
			      "2400 T asm_sysvec_apic_timer_interrupt\n";

/* The name of a new temporary file with these bytes, in name. */
static bool temp_file(char *name, const void *data, size_t len)
{
	int fd = mkstemp(name);
	bool done = fd >= 0 && write(fd, data, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return done;
}

struct sl_image *code_image(void)
{
	static const uint8_t code[0x2000];
	char bytes[] = "/tmp/sightline-code-XXXXXX", map[] = "/tmp/sightline-map-XXXXXX";
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x1000, .address_known = true };
	struct sl_place pages = { .core = 0, .space = SL_SPACE_ANY, .address = CODE_PAGES, .address_known = true };
	struct sl_image *image = NULL;
	bool made = temp_file(bytes, code, sizeof(code)) && temp_file(map, symbols, strlen(symbols)) &&
		    sl_image_new(&image) == SL_OK && sl_image_add_dump(image, bytes, &place, NULL, NULL) == SL_OK &&
		    sl_image_add_dump(image, bytes, &pages, NULL, NULL) == SL_OK &&
		    sl_image_add_symbol_text(image, map, 0, NULL, NULL) == SL_OK &&
		    sl_image_add_symbol(image, 0, CODE_NAMED, 0x100, "bpf_a", "bpf") == SL_OK &&
		    sl_image_add_symbol(image, 0, CODE_NAMED + 0x100, 0x100, "bpf_b", "bpf") == SL_OK && sl_image_seal(image) == SL_OK;

	unlink(bytes);
	unlink(map);
	if (made)
		return image;
	sl_image_free(image);
	return NULL;
}

struct sl_elem elem_run(uint64_t start, uint32_t count, enum sl_last last, enum sl_branch branch)
{
	return (struct sl_elem){ .kind = SL_ELEM_RANGE, .isa = SL_ISA_A64, .last = (uint8_t)(last | branch << 4),
				 .flags = SL_FLAG_EXECUTED, .count = count,
				 .range = { start, start + 4 * (uint64_t)count } };
}

struct sl_elem elem_calls(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_BRANCH, SL_BRANCH_CALL);
}

struct sl_elem elem_jumps(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_BRANCH, SL_BRANCH_PLAIN);
}

struct sl_elem elem_jumps_far(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_INDIRECT, SL_BRANCH_PLAIN);
}

struct sl_elem elem_returns(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_INDIRECT, SL_BRANCH_RETURN);
}

struct sl_elem elem_erets(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_INDIRECT, SL_BRANCH_ERET);
}

struct sl_elem elem_stops(uint64_t start, uint32_t count)
{
	return elem_run(start, count, SL_LAST_OTHER, SL_BRANCH_PLAIN);
}

struct sl_elem elem_exception(uint32_t number, uint64_t preferred_return)
{
	return (struct sl_elem){ .kind = SL_ELEM_EXCEPTION, .flags = SL_FLAG_ADDRESS, .count = number,
				 .address = preferred_return };
}

struct sl_elem elem_gap(enum sl_gap cause, uint64_t address)
{
	return (struct sl_elem){ .kind = SL_ELEM_GAP, .count = cause, .address = address,
				 .flags = cause == SL_GAP_NO_IMAGE ? SL_FLAG_ADDRESS : 0 };
}

struct sl_elem elem_context(uint32_t id)
{
	return (struct sl_elem){ .kind = SL_ELEM_CONTEXT, .context = { .context_id = id, .flags = SL_CTX_ID } };
}

struct sl_elem elem_time(uint64_t tick)
{
	return (struct sl_elem){ .kind = SL_ELEM_TIME, .value = tick };
}

struct sl_elem elem_cycles(uint32_t cycles)
{
	return (struct sl_elem){ .kind = SL_ELEM_CYCLES, .count = cycles };
}
