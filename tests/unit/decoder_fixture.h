/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODER_FIXTURE_H
#define DECODER_FIXTURE_H
/* A small program, streams of packets over it, and what a decoder is expected to make of them. Include behind
 * cmocka.h, in one file of a test program. */
#include <stdlib.h>

#include "a64_insn.h"
#include "decode_text.h"
#include "sl_image.h"
#include "temp_files.h"

enum { BASE = 0x10000, RING = BASE + 0x100, RING_LEN = 64 };

static struct sl_image *image;

/* The program: a handful of branches, then a row of conditional branches that go to the next one either way.
 */
static inline void write_code(uint32_t *code)
{
	for (unsigned i = 0; i < 256; i++)
		code[i] = A64_NOP;
	code[1] = a64_b_ne(BASE + 0x4, BASE + 0x10);
	code[2] = a64_bl(BASE + 0x8, BASE + 0x20);
	code[3] = a64_b(BASE + 0xc, BASE);
	code[4] = a64_blr(1);
	code[5] = A64_ISB;
	code[6] = A64_SVC_0;
	code[7] = a64_br(2);
	code[8] = A64_RET_X30;
	code[9] = A64_ERET;
	for (unsigned i = 0; i < RING_LEN; i++)
		code[(RING - BASE) / 4 + i] = a64_b_ne(RING + 4 * i, RING + 4 * i + 4);
}

static inline int fixture_setup(void)
{
	struct sl_place place = {
		.core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = BASE, .address_known = true
	};
	uint32_t code[256];

	temp_setup();
	write_code(code);
	if (sl_image_new(&image) < 0)
		return -1;
	if (sl_image_add_dump(image, temp_write("code.bin", code, sizeof(code)), &place, NULL, NULL) < 0)
		return -1;
	return sl_image_seal(image);
}

static inline int fixture_teardown(void)
{
	sl_image_free(image);
	temp_teardown();
	return 0;
}

static inline struct etm4_address at(uint64_t address)
{
	return (struct etm4_address){ address, ETM4_IS0 };
}

static const struct etm4_context el1 = { .el = 1, .security = SL_NONSECURE, .is64 = true };

/* A-sync, Trace Info, Trace On, BASE in el1: 26 bytes where the configuration is empty. */
static inline void begin(struct etm4_writer *w, const struct etm4_config *config)
{
	struct etm4_trace_info info = { .cycle_counts = config->cycle_counts,
					.cycle_threshold = config->cycle_threshold };

	etm4_init(w, config);
	etm4_async(w);
	etm4_trace_info(w, &info);
	etm4_trace_on(w);
	etm4_address_64_context(w, at(BASE), &el1);
}
#define BEGUN "0 gap start\n15 gap filter\n16 context el1 nonsecure 64-bit\n"

/* Decodes what was written, whole and in pieces of several sizes, and frees the writer. */
static inline void expect(struct etm4_writer *w, const char *expected)
{
	static const size_t chunks[] = { SIZE_MAX / 2, 1, 7, 255, 256, 257 };
	struct sl_trace_config config;

	decode_config(&w->config, &config);
	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		char *got = decode_text(&config, image, w->data, w->len, chunks[i]);

		assert_string_equal(got, expected);
		free(got);
	}
	etm4_release(w);
}
#endif
