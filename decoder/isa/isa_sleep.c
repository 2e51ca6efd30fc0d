/* SPDX-License-Identifier: Apache-2.0 */
#include "isa.h"

enum { EVENT = SL_FLAG_SLEEPS, INTERRUPT = SL_FLAG_SLEEPS | SL_FLAG_WFI };

static uint32_t half_at(const uint8_t *code)
{
	return (uint32_t)code[0] | (uint32_t)code[1] << 8;
}

/* WFE and WFI differ in one bit; as do WFET and WFIT (DDI 0487, C6.2). */
static unsigned a64_sleeps(uint32_t word)
{
	if ((word & 0xffffffdf) == 0xd503205f)
		return word & 0x20 ? INTERRUPT : EVENT;
	if ((word & 0xffffffc0) == 0xd5031000)
		return word & 0x20 ? INTERRUPT : EVENT;
	return 0;
}

static unsigned a32_sleeps(uint32_t word)
{
	if ((word & 0x0ffffffe) != 0x0320f002 || word >> 28 == 0xf)
		return 0;
	return word & 1 ? INTERRUPT : EVENT;
}

static unsigned words_sleep(uint8_t isa, const uint8_t *code, size_t len)
{
	unsigned sleeps = 0;

	for (size_t i = 0; i + 4 <= len; i += 4) {
		uint32_t word = half_at(code + i) | half_at(code + i + 2) << 16;

		sleeps |= isa == SL_ISA_A64 ? a64_sleeps(word) : a32_sleeps(word);
	}
	return sleeps;
}

static unsigned halves_sleep(const uint8_t *code, size_t len)
{
	unsigned sleeps = 0;

	for (size_t i = 0; i + 2 <= len;) {
		uint32_t half = half_at(code + i), next = i + 4 <= len ? half_at(code + i + 2) : 0;

		if ((half & 0xffef) == 0xbf20)
			sleeps |= half & 0x10 ? INTERRUPT : EVENT;
		if (half == 0xf3af && (next & 0xfffe) == 0x8002)
			sleeps |= next & 1 ? INTERRUPT : EVENT;
		i += half >> 11 >= 0x1d ? 4 : 2;
	}
	return sleeps;
}

uint8_t isa_sleeps(uint8_t isa, const uint8_t *code, size_t len)
{
	if (isa == SL_ISA_T32)
		return (uint8_t)halves_sleep(code, len);
	return isa == SL_ISA_A64 || isa == SL_ISA_A32 ? (uint8_t)words_sleep(isa, code, len) : 0;
}
