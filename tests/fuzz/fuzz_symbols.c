/* SPDX-License-Identifier: Apache-2.0 */
/* A symbol text, over a dump that covers what hand-made texts name. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sl_image.h"

static int make_file(const void *data, size_t size, char path[64])
{
	int fd = memfd_create("fuzz", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t memory[0x4000];
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x1000, .address_known = true };
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_image *image;
	struct sl_diag diag;
	uint64_t value;
	char path[64], dump[64];
	int fd = make_file(data, size, path), dump_fd = make_file(memory, sizeof(memory), dump);

	if (sl_image_new(&image) < 0)
		abort();
	sl_is_symbol_text(path);
	sl_symbol_text_find(path, "_text", &value);
	sl_image_add_dump(image, dump, &place, &notes, &diag);
	sl_image_add_symbol_text(image, path, 0, &notes, &diag);
	sl_image_add_symbol_text(image, path, 0x1000, &notes, &diag);
	if (sl_image_seal(image) < 0)
		abort();
	for (uint64_t at = 0; at < 0x6000;) {
		struct sl_symbol_range range = sl_image_symbol_at(image, 0, at);

		if (at < range.start || at >= range.end || !sl_image_symbol(image, range.id)->name)
			abort();
		at = range.end;
	}
	sl_image_free(image);
	sl_notes_release(&notes);
	close(dump_fd);
	close(fd);
	return 0;
}
