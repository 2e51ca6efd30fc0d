/* SPDX-License-Identifier: Apache-2.0 */
/* What a JIT compiler leaves: a jitdump, and as text a perf-PID.map. What they say lies inside of them. */
#include <stdlib.h>
#include <string.h>

#include "perf/jit_map.h"
#include "perf/jitdump.h"

static void check_codes(const struct jitdump *dump, const uint8_t *data, size_t size)
{
	uint64_t before = 0;

	for (size_t i = 0; i < dump->count; i++) {
		const struct jit_code *code = &dump->codes[i];
		size_t name_at = (size_t)((const uint8_t *)code->name - data);

		if (code->time < before || !code->size || code->file_offset > size || code->size > size - code->file_offset ||
		    code->address + code->size < code->address || name_at >= size ||
		    name_at + strlen(code->name) >= code->file_offset)
			abort();
		before = code->time;
	}
}

static void check_names(const uint8_t *data, size_t size)
{
	struct sl_bytes text = { data, size, 0 };
	struct jit_name name;
	uint64_t others = 0;

	while (jit_map_next(&text, &name, &others) == SL_OK) {
		const uint8_t *at = (const uint8_t *)name.name;

		if (!name.len || !name.size || name.address + name.size < name.address || at < data ||
		    at + name.len > data + size || memchr(at, '\n', name.len) || memchr(at, '\0', name.len))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct jitdump dump;

	if (jitdump_parse("fuzz", (struct sl_bytes){ data, size, 0 }, &notes, &dump, NULL) == SL_OK) {
		check_codes(&dump, data, size);
		jitdump_release(&dump);
	}
	check_names(data, size);
	sl_notes_release(&notes);
	return 0;
}
