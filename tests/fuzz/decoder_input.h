/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DECODER_INPUT_H
#define DECODER_INPUT_H
/*
 * What fuzz_decoder and fuzz_engines read: protocol, switches, two sizes of pieces, where to restart in eights of bytes
 * (0xff: nowhere), six registers, then the lane.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sl_decoder.h"

enum { REGS_AT = 5, REG_COUNT = 6, HEAD_BYTES = REGS_AT + 4 * REG_COUNT, CODE_WORDS = 4096 };

/* Branches of A64, A32 and T32, near and far enough apart; other words are none of these in the others. */
static inline void input_code(uint32_t *code)
{
	static const uint32_t words[] = {
		0xd503201f, 0x54000041, 0x94000003, 0xd65f03c0,
		0x17fffffe, 0xd61f0020, 0xd4000001, 0xd5033fdf, /* A64 */
		0xe320f000, 0x1a000001, 0xeb000002, 0xe12fff1e,
		0xeafffffc, 0xe8bd8010, 0xef000000, 0xf57ff06f, /* A32 */
		0xbf00d101, 0xf000f802, 0x4770e7fc, 0x4780b510,
		0xbd10df00, 0xb108bf18, 0x8f6ff3bf, 0xf00fe8d0, /* T32 */
		0xd69f03e0, 0x36080041, 0xb4000041, 0xd63f0040,
		0x9000000e, 0xdeadbeef, 0x00000000, 0xffffffff,
	};

	for (size_t i = 0; i < CODE_WORDS; i++)
		code[i] = words[(i * 7 + i / 64) % (sizeof(words) / sizeof(words[0]))];
}

/* The same code at four places. */
static inline struct sl_image *input_image(void)
{
	static const uint64_t addresses[] = { 0, 0x10000, 0xffffffff80000000, 0x20000000 };
	static uint32_t code[CODE_WORDS];
	struct sl_image *image;
	char path[64];
	int fd = memfd_create("code", 0);

	input_code(code);
	if (fd < 0 || write(fd, code, sizeof(code)) != (ssize_t)sizeof(code) || sl_image_new(&image) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct sl_place place = { .core = SL_CORE_ANY,
					  .space = SL_SPACE_ANY,
					  .address = addresses[i],
					  .address_known = true };

		if (sl_image_add_dump(image, path, &place, NULL, NULL) < 0)
			abort();
	}
	if (sl_image_seal(image) < 0)
		abort();
	close(fd);
	return image;
}

/* SL_REGS ends a list. */
static inline const enum sl_reg *input_regs(enum sl_protocol protocol)
{
	static const enum sl_reg etm4[] = {
		SL_REG_TRCCONFIGR, SL_REG_TRCIDR0,    SL_REG_TRCIDR1, SL_REG_TRCIDR2,
		SL_REG_TRCIDR8,	   SL_REG_TRCDEVARCH, SL_REGS
	};
	static const enum sl_reg etm3[] = { SL_REG_ETMCR, SL_REG_ETMIDR, SL_REG_ETMCCER, SL_REGS };
	static const enum sl_reg stm[] = { SL_REG_STMTCSR, SL_REGS };
	static const enum sl_reg itm[] = { SL_REG_ITMTCR, SL_REGS };

	switch (protocol) {
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		return etm4;
	case SL_PROTOCOL_STM:
		return stm;
	case SL_PROTOCOL_ITM:
		return itm;
	default:
		return etm3;
	}
}

/* data has HEAD_BYTES. */
static inline void input_config(const uint8_t *data, struct sl_trace_config *ret)
{
	static const enum sl_arch archs[] = { SL_ARCH_UNKNOWN, SL_ARCH_V7, SL_ARCH_V8, SL_ARCH_AA64 };
	const enum sl_reg *reg;

	*ret = (struct sl_trace_config){ .protocol = (enum sl_protocol)(data[0] % SL_PROTOCOLS) };
	ret->profile = (enum sl_core_profile)((data[1] >> 3 & 3) % 3);
	ret->arch = archs[data[1] >> 5 & 3];
	reg = input_regs(ret->protocol);
	for (size_t i = 0; reg[i] != SL_REGS; i++) {
		uint32_t value;

		memcpy(&value, data + REGS_AT + 4 * i, sizeof(value));
		sl_config_set(ret, reg[i], value);
	}
	sl_config_set(ret, SL_REG_TRCTRACEIDR, 0x10);
	sl_config_set(ret, SL_REG_ETMTRACEIDR, 0x10);
}
#endif
