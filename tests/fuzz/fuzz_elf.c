/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file: as file, as dump, its symbols, lines and code. */
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
#include <stdio.h>

#include "sl_image.h"

static void look_at(const struct sl_image *image, const struct sl_mapping *map, struct sl_lines *lines,
		    struct sl_disasm *disasm)
{
	unsigned rounds = 0;

	for (uint64_t at = map->start; at < map->end && rounds < 2000; rounds++) {
		struct sl_symbol_range range = sl_image_symbol_at(image, map->core, at);
		struct sl_bytes bytes = sl_image_bytes(image, map->core, SL_SPACE_ANY, at);
		const struct sl_symbol *symbol = sl_image_symbol(image, range.id);
		const char *file;
		unsigned line;
		char text[64];

		if (at < range.start || at >= range.end || !symbol->name)
			abort();
		sl_disasm_one(disasm, (enum sl_isa)symbol->isa, bytes, at, text, sizeof(text));
		sl_lines_at(lines, map->core, at, &file, &line);
		at = range.end;
	}
}

static void look_at_all(const struct sl_image *image)
{
	const struct sl_mapping *maps;
	size_t count = sl_image_mappings(image, &maps);
	struct sl_lines *lines;
	struct sl_disasm *disasm;

	if (sl_lines_new(image, &lines) < 0 || sl_disasm_new(&disasm) < 0)
		abort();
	for (size_t i = 0; i < count && i < 100; i++)
		look_at(image, &maps[i], lines, disasm);
	sl_disasm_free(disasm);
	sl_lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_place own = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };
	struct sl_place moved = { .core = 0, .space = SL_SPACE_N, .address = 0x7000000000, .offset = size / 2,
				  .address_known = true };
	struct sl_part all = { .len = size, .name = "all of it" };
	struct sl_place part = { .core = 1, .space = SL_SPACE_ANY, .address = 0x6000000000, .address_known = true, .part = &all };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_image *image;
	struct sl_elf_id id;
	struct sl_diag diag;
	uint64_t value;
	char path[64];
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (sl_image_new(&image) < 0)
		abort();
	sl_elf_identify(path, NULL, &id);
	sl_elf_find_symbol(path, "_text", &value);
	sl_image_add_dump(image, path, &moved, &notes, &diag);
	sl_image_add_dump(image, path, &part, &notes, &diag);
	sl_image_add_elf(image, path, &own, NULL, &notes, &diag);
	if (sl_image_seal(image) == SL_OK)
		look_at_all(image);
	sl_image_free(image);
	sl_notes_release(&notes);
	close(fd);
	return 0;
}
