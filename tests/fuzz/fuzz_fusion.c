/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock, fed with any elements: what it promises holds, and it does not matter in which batches they come. The first two bytes are
 * protocol, registers and the size of batches; then four bytes an element: its kind, with a shift of its number, and the
 * number.
 */
#include <stdlib.h>

#include "fusion_walk.h"

enum { HEAD = 2, ELEM = 4, ELEMS_MAX = 1 << 14 };

static void config_of(uint8_t byte, struct sl_trace_config *ret)
{
	*ret = (struct sl_trace_config){ .protocol = (enum sl_protocol)(byte % SL_PROTOCOLS) };
	sl_config_set(ret, SL_REG_TRCCONFIGR, (byte & 0x40 ? 1u << 4 : 0) | (byte & 0x80 ? 1u << 11 : 0));
	sl_config_set(ret, SL_REG_ETMCR, (byte & 0x40 ? 1u << 12 : 0) | (byte & 0x80 ? 1u << 28 : 0));
	sl_config_set(ret, SL_REG_TRCCCCTLR, byte & 0x20 ? 4 : 0);
	sl_config_set(ret, SL_REG_ETMCCER, byte & 0x20 ? 1u << 28 : 0);
	sl_config_set(ret, SL_REG_TRCIDR8, byte & 0x20 ? 0 : byte & 7);
	sl_config_set(ret, SL_REG_TRCIDR2, byte & 0x10 ? 15u << 25 : 0);
}

static struct sl_elem elem_of(const uint8_t *p)
{
	static const uint8_t kinds[] = { SL_ELEM_RANGE, SL_ELEM_TIME, SL_ELEM_CYCLES, SL_ELEM_GAP, SL_ELEM_MARKER, SL_ELEM_RANGE_NO_PATH,
					 SL_ELEM_EXCEPTION, SL_ELEM_END };
	uint64_t number = (uint64_t)(p[1] | p[2] << 8) << (p[0] >> 3 & 3) * 16 | p[3];
	struct sl_elem elem = { .kind = kinds[p[0] & 7], .flags = p[0] & 0x20 ? SL_FLAG_ATTACHED : 0 };

	if (elem.kind == SL_ELEM_TIME) {
		elem.value = number;
		elem.flags = p[0] & 0x40 ? SL_FLAG_FREQUENCY : 0;
	} else {
		elem.count = elem.kind == SL_ELEM_GAP ? p[1] % SL_GAPS : (uint32_t)number;
	}
	return elem;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sl_elem elems[ELEMS_MAX];
	struct sl_trace_config config;
	struct fusion_walk whole = { ELEMS_MAX, 0 }, cut, window;
	uint64_t hash, other;
	size_t len = 0;

	if (size < HEAD)
		return 0;
	config_of(data[0], &config);
	cut = (struct fusion_walk){ 1u + data[1] % 16, 0 };
	window = (struct fusion_walk){ cut.batch, 1u + data[1] };
	for (size_t i = HEAD; i + ELEM <= size && len < ELEMS_MAX; i += ELEM)
		elems[len++] = elem_of(data + i);
	if (fusion_walk(&config, &whole, elems, len, &hash) || fusion_walk(&config, &cut, elems, len, &other) || hash != other ||
	    fusion_walk(&config, &window, elems, len, &other))
		abort();
	return 0;
}
