/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCSD does not tell of a WFI that is no waypoint: each range is looked at, once. */
#include "isa/isa.h"
#include "ocsd.h"

static uint8_t find(struct ocsd_decoder *dec, uint8_t isa, uint64_t start, uint64_t end)
{
	uint8_t sleeps = 0;

	while (start < end) {
		struct sl_bytes code = ocsd_code_at(dec, dec->code_space, start);
		size_t n = code.len < end - start ? code.len : (size_t)(end - start);

		if (!n)
			break;
		sleeps |= isa_sleeps(isa, code.data, n);
		start += n;
	}
	return sleeps;
}

uint8_t ocsd_sleeps(struct ocsd_decoder *dec, uint8_t isa, uint64_t start, uint64_t end)
{
	struct ocsd_sleep *kept = &dec->sleeps[(start >> 1) % OCSD_SLEEPS];

	if (end - start > ISA_SLEEP_BYTES || !dec->options.image)
		return 0;
	if (kept->start != start || kept->end != end || kept->isa != isa)
		*kept = (struct ocsd_sleep){ start, end, isa, find(dec, isa, start, end) };
	return kept->sleeps;
}
