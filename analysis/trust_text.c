/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_trust.h"

#include <inttypes.h>
#include <stdio.h>

static const char *module_at(const struct sl_image *image, uint32_t core, uint64_t address)
{
	struct sl_symbol_range symbol = sl_image_symbol_at(image, core, address);

	return symbol.id ? sl_image_module(image, sl_image_symbol(image, symbol.id)->module)->path : NULL;
}

void sl_trust_text(const struct sl_trust_part *part, const struct sl_image *image, uint32_t core, char *ret, size_t cap)
{
	const char *module = part->first_address ? module_at(image, core, part->first_address) : NULL;
	int len = snprintf(ret, cap, "%" PRIu64 " instructions in %" PRIu64 " part%s, first at offset %" PRIu64 ", where %s",
			   part->insns, part->count, part->count == 1 ? "" : "s", part->first_offset, sl_mark_help(part->cause));

	if (part->first_address && len > 0 && (size_t)len < cap)
		snprintf(ret + len, cap - (size_t)len, ", at 0x%" PRIx64 "%s%s", part->first_address, module ? " of " : "",
			 module ? module : "");
}
