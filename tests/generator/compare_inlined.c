/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is built twice: with mix_in as a function, and with it inlined (INLINED). */
#include <stdint.h>

#include "markers.h"

#ifdef INLINED
#define MIX static inline __attribute__((always_inline))
#else
#define MIX static __attribute__((noinline))
#endif

static volatile uint32_t words[64];

MIX uint32_t mix_in(uint32_t state, uint32_t word)
{
	for (int i = 0; i < 8; i++)
		state = (state ^ word >> i) * 2654435761u + (uint32_t)i;
	return state;
}

static __attribute__((noinline)) uint32_t digest(uint32_t seed)
{
	for (int i = 0; i < 64; i++)
		seed = mix_in(seed, words[i]);
	return seed;
}

static __attribute__((noinline)) void fill(uint32_t seed)
{
	for (int i = 0; i < 64; i++)
		words[i] = seed += 77;
}

int main(void)
{
	uint32_t state = 1;

	MARK(MARK_START);
	for (int i = 0; i < 40; i++) {
		fill(state);
		state = digest(state);
	}
	MARK(MARK_STOP);
	return 0;
}
