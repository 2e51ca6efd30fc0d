/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BYTES_H
#define BYTES_H
/* What readers of packets have in common. Inside of decoder/ only. */
#include <stddef.h>
#include <stdint.h>

/* Up to eight bytes, the lowest first. */
static inline uint64_t bytes_little_endian(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;

	for (size_t i = 0; i < len; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}
#endif
