/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FIND_FIXTURE_H
#define FIND_FIXTURE_H
/*
 * A recording that tells only what was mapped, and the files for it below "home" (the caches) and "symfs" of the test's
 * folder: what its image becomes. Include behind cmocka.h, in one file of a test program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a64_insn.h"
#include "mini_elf.h"
#include "perf/perf_file.h"
#include "perf_write.h"
#include "sl_capture.h"
#include "sl_image.h"
#include "temp_files.h"

enum { KERNEL_MODE = 1, USER_MODE = 2, GUEST_KERNEL_MODE = 4, KERNEL_PID = -1, ID_BYTES = 20 };

static struct perf_writer writer;
static struct sl_capture *capture;
static struct sl_image *image;
static struct sl_notes notes;
static struct sl_diag diag;
static uint64_t now;

static inline int find_group_setup(void **state)
{
	(void)state;
	temp_setup();
	setenv("HOME", temp_path("home"), 1);
	setenv("DEBUGINFOD_CACHE_PATH", temp_path("debuginfod"), 1);
	return 0;
}

static inline int find_group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

/* AUXTRACE_INFO of one CPU: without it it is no recording of CoreSight. */
static inline void put_find_info(void)
{
	static const uint64_t words[] = { 3, 1, 8ull << 32 | 1, 0, 0x4040404040404040, 0, 7, 0, 0x10, 0x28000ea1,
					  0x4100f420, 0x488, 0, 0 };

	perf_write_begin(&writer, PERF_AUXTRACE_INFO, 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		perf_put64(&writer.records, words[i]);
	perf_write_end(&writer);
}

static inline int find_setup(void **state)
{
	(void)state;
	now = 1000;
	notes = (struct sl_notes)SL_NOTES_INIT;
	perf_writer_init(&writer, false);
	perf_write_attr(&writer, (struct perf_write_attr){ .type = 8, .sample_type = 2 | 4, .flags = 1 << 18 });
	perf_put_string(perf_write_feature(&writer, 4), "6.1.0-test");
	perf_put_string(perf_write_feature(&writer, 6), "aarch64");
	put_find_info();
	return 0;
}

/* Forgets what was loaded. */
static inline void unload(void)
{
	sl_image_free(image);
	sl_capture_free(capture);
	image = NULL;
	capture = NULL;
	sl_notes_release(&notes);
}

static inline int find_teardown(void **state)
{
	(void)state;
	unload();
	perf_writer_release(&writer);
	return 0;
}

/* MMAP2 with a build id of 20 times fill, or MMAP where fill is 0. */
struct find_map {
	int32_t pid;
	const char *name;
	uint64_t start, len, pgoff;
	uint8_t fill;
};
static inline void put_find_map(struct find_map map)
{
	uint16_t mode = map.pid == KERNEL_PID ? KERNEL_MODE : USER_MODE;
	uint8_t id[24] = { ID_BYTES };

	memset(id + 4, map.fill, ID_BYTES);
	perf_write_begin(&writer, map.fill ? PERF_MMAP2 : PERF_MMAP, map.fill ? (uint16_t)(mode | 0x4000) : mode);
	perf_put32(&writer.records, (uint32_t)map.pid);
	perf_put32(&writer.records, map.pid == KERNEL_PID ? 0 : (uint32_t)map.pid);
	perf_put64(&writer.records, map.start);
	perf_put64(&writer.records, map.len);
	perf_put64(&writer.records, map.pgoff);
	if (map.fill) {
		perf_put(&writer.records, id, sizeof(id));
		perf_put32(&writer.records, 5);
		perf_put32(&writer.records, 2);
	}
	perf_put_text(&writer.records, map.name);
	perf_put32(&writer.records, (uint32_t)map.pid);
	perf_put32(&writer.records, (uint32_t)map.pid);
	perf_put64(&writer.records, now++);
	perf_write_end(&writer);
}

/* An entry of the BUILD_ID feature. */
static inline void put_build_id(uint16_t mode, const char *name, uint8_t fill)
{
	struct perf_bytes *list = perf_write_feature(&writer, 2);
	uint8_t id[24];

	memset(id, fill, ID_BYTES);
	memset(id + ID_BYTES, 0, 4);
	id[ID_BYTES] = ID_BYTES;
	perf_put32(list, PERF_BUILD_ID);
	perf_put16(list, (uint16_t)(mode | 0x8000));
	perf_put16(list, (uint16_t)(8 + 4 + 24 + (strlen(name) / 8 + 1) * 8));
	perf_put32(list, UINT32_MAX);
	perf_put(list, id, sizeof(id));
	perf_put_text(list, name);
}

/* An ELF with one function in .text; a build id of 20 times fill where that is not 0. */
struct find_elf {
	unsigned machine, type; /* 0: AArch64, ET_DYN */
	uint8_t fill;
	uint64_t address, symbol_at; /* of .text, and of the symbol in it */
	const char *symbol;
};
/* Its bytes; free() them. */
static inline uint8_t *make_elf(struct find_elf what, size_t *ret_len)
{
	struct mini_elf *elf = mini_elf_new(what.machine != EM_ARM, what.machine ? what.machine : EM_AARCH64,
					    what.type ? what.type : ET_DYN);
	static const uint32_t code[64] = { A64_NOP, A64_RET_X30 };
	uint8_t note[36] = { 4, 0, 0, 0, ID_BYTES, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	unsigned text;

	memset(note + 16, what.fill, ID_BYTES);
	text = mini_elf_section(elf, &(struct mini_section){ .name = ".text", .flags = SHF_ALLOC | SHF_EXECINSTR,
							     .addr = what.address, .align = 4096, .data = code,
							     .len = sizeof(code) });
	if (what.type != ET_REL)
		mini_elf_segment(elf, text, PF_R | PF_X);
	if (what.fill)
		mini_elf_section(elf, &(struct mini_section){ .name = ".note.gnu.build-id", .type = SHT_NOTE, .align = 4,
							      .data = note, .len = sizeof(note) });
	if (what.symbol)
		mini_elf_symbol(elf, MINI_SYMTAB, what.symbol, what.symbol_at, 16, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text);
	return mini_elf_finish(elf, ret_len);
}
static inline void write_elf(const char *name, struct find_elf what)
{
	size_t len;
	uint8_t *bytes = make_elf(what, &len);

	temp_write(name, bytes, len);
	free(bytes);
}

/* Loads the image of what was put, which stays. files: --symfs, a folder of the test's, or NULL. */
static inline void load_with(const char *files, const struct sl_image_file *images, size_t image_count)
{
	const struct sl_capture_options how = { .symfs = files ? temp_path(files) : NULL, .images = images,
						.image_count = image_count };
	struct perf_bytes whole;
	const char *path;

	unload();
	perf_write_whole(&writer, PERF_WRITE_FILE, &whole);
	path = temp_write("perf.data", whole.data, whole.len);
	perf_bytes_release(&whole);
	assert_int_equal(sl_capture_open(path, &how, &notes, &capture, &diag), SL_OK);
	assert_int_equal(sl_capture_load_image(capture, &notes, &image, &diag), SL_OK);
}

static inline void load(const char *files)
{
	load_with(files, NULL, 0);
}

/* The file of the only mapping that has address, or "". */
static inline const char *file_at(uint64_t address)
{
	const struct sl_mapping *maps;
	size_t count = sl_image_mappings(image, &maps);
	const char *found = "";

	for (size_t i = 0; i < count; i++) {
		if (address < maps[i].start || address >= maps[i].end)
			continue;
		assert_string_equal(found, "");
		found = sl_image_module(image, maps[i].module)->path;
	}
	return found;
}

/* That the file called name of the test's folder is at address. */
static inline void check_file_at(uint64_t address, const char *name)
{
	assert_string_equal(file_at(address), temp_path(name));
}

static inline size_t notes_with(const char *part)
{
	size_t count = 0;

	for (size_t i = 0; i < notes.len; i++)
		count += strstr(notes.items[i].text, part) != NULL;
	return count;
}

static inline bool noted(const char *part)
{
	return notes_with(part) > 0;
}

/* How often a file of this name is missing. */
static inline size_t missing(const char *name)
{
	const struct sl_missing *items;
	size_t len = sl_image_missing(image, &items), count = 0;

	for (size_t i = 0; i < len; i++)
		count += strcmp(items[i].path, name) == 0;
	return count;
}
#endif
