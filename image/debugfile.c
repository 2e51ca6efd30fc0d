/* SPDX-License-Identifier: Apache-2.0 */
/* Separate debug files: by build id, and by the name and checksum in .gnu_debuglink. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf_file.h"
#include "sl_text.h"

static const char SYSTEM_DIR[] = "/usr/lib/debug";

struct search {
	const struct elf_file *ef;
	struct module *module;
	const char *link; /* name in .gnu_debuglink, or NULL */
	uint32_t crc;
	bool found;
};

/* The CRC-32 of IEEE 802.3, as .gnu_debuglink has it. */
static uint32_t crc32_of(const uint8_t *data, size_t len)
{
	uint32_t table[256], crc = ~(uint32_t)0;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (unsigned bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	for (size_t i = 0; i < len; i++)
		crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
	return ~crc;
}

static void read_link(struct search *search)
{
	const struct section *section = elf_file_section(search->ef, ".gnu_debuglink");
	struct sl_bytes bytes;
	const uint8_t *end, *crc;

	if (!section)
		return;
	bytes = section_bytes(search->ef, section);
	end = bytes.len > 4 ? memchr(bytes.data, '\0', bytes.len - 4) : NULL;
	/* A name with a folder in it would make us open whatever the file's author likes. */
	if (!end || end == bytes.data || memchr(bytes.data, '/', (size_t)(end - bytes.data)))
		return;
	search->link = (const char *)bytes.data;
	crc = bytes.data + bytes.len - 4;
	for (unsigned i = 0; i < 4; i++) {
		unsigned at = search->ef->ehdr.e_ident[EI_DATA] == ELFDATA2MSB ? 3 - i : i;

		search->crc |= (uint32_t)crc[i] << 8 * at;
	}
}

static bool same_build_id(const struct module *module, const struct elf_file *debug)
{
	uint8_t id[SL_BUILD_ID_MAX];
	size_t len = elf_file_build_id(debug, id);

	return len && len == module->pub.build_id_len && memcmp(id, module->build_id, len) == 0;
}

/* Takes what the debug file has: its symbols where the module has no full table, its lines where it has none.
 */
static int take(struct search *search, const char *path, struct sl_file *file, struct elf_file *debug)
{
	struct module *module = search->module;
	const struct section *line = elf_file_section(debug, ".debug_line");
	bool full = elf_file_section(search->ef, ".symtab") != NULL;

	module->debug_path = strdup(path);
	if (!module->debug_path)
		return SL_ERR_NOMEM;
	module->debug = *file;
	*file = (struct sl_file){ 0 };
	debug->file = &module->debug;
	search->found = true;
	if (line && section_bytes(debug, line).len && !module->relocatable)
		module->pub.has_lines = true;
	/* In a relocatable file symbols are offsets in sections, which were laid out for the file itself. */
	return full || module->relocatable ? SL_OK : elf_load_symbols(debug, module);
}

static int try_file(struct search *search, const char *path, bool by_link)
{
	struct sl_file file;
	struct elf_file debug;
	int result = SL_OK;

	if (search->found || strcmp(path, search->module->path) == 0 || sl_file_map(path, &file, NULL) < 0)
		return SL_OK;
	if (by_link && crc32_of(file.data, file.len) != search->crc) {
		sl_file_unmap(&file);
		return SL_OK;
	}
	if (elf_file_open(&file, path, &debug, NULL) == SL_OK) {
		if (debug.ehdr.e_machine == search->ef->ehdr.e_machine &&
		    (by_link || same_build_id(search->module, &debug)))
			result = take(search, path, &file, &debug);
		elf_file_close(&debug);
	}
	sl_file_unmap(&file);
	return result;
}

__attribute__((format(printf, 3, 4))) static int try_path(struct search *search, bool by_link,
							  const char *format, ...)
{
	char path[4096];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return len > 0 && (size_t)len < sizeof(path) ? try_file(search, path, by_link) : SL_OK;
}

static int try_build_id(struct search *search, const char *dir)
{
	const uint8_t *id = search->module->build_id;
	char hex[2 * SL_BUILD_ID_MAX + 1];
	size_t len = search->module->pub.build_id_len;

	if (len < 2)
		return SL_OK;
	sl_hex(id, len, hex);
	return try_path(search, false, "%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2);
}

/* Beside the file, in .debug beside it, and under dir by the file's own folder or by name alone. */
static int try_link(struct search *search, const char *dir)
{
	const char *path = search->module->path;
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	int result;

	if (!search->link)
		return SL_OK;
	if (!dir) {
		result = try_path(search, true, "%.*s%s%s", folder, path, slash ? "/" : "", search->link);
		return result < 0 ? result
				  : try_path(search, true, "%.*s%s.debug/%s", folder, path, slash ? "/" : "",
					     search->link);
	}
	result = try_path(search, true, "%s/%.*s/%s", dir, folder, path, search->link);
	return result < 0 ? result : try_path(search, true, "%s/%s", dir, search->link);
}

int elf_load_debug(const struct elf_file *ef, struct module *module, const char *const *debug_dirs,
		   struct sl_notes *notes)
{
	struct search search = { .ef = ef, .module = module };
	int result = SL_OK;

	read_link(&search);
	for (size_t i = 0; debug_dirs && debug_dirs[i] && result == SL_OK; i++)
		result = try_build_id(&search, debug_dirs[i]);
	if (result == SL_OK)
		result = try_build_id(&search, SYSTEM_DIR);
	if (result == SL_OK)
		result = try_link(&search, NULL);
	for (size_t i = 0; debug_dirs && debug_dirs[i] && result == SL_OK; i++)
		result = try_link(&search, debug_dirs[i]);
	if (result == SL_OK)
		result = try_link(&search, SYSTEM_DIR);
	if (result == SL_OK && !search.found && search.link && !module->pub.has_lines)
		sl_notes_add(notes,
			     "%s: its debug file '%s' was not found; names come from its own table only",
			     module->path, search.link);
	return result;
}
