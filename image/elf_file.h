/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_FILE_H
#define ELF_FILE_H
/*
 * An ELF file through libelf. Files come from strangers: sections are used only through section_bytes() and
 * section_data(), names only through section_string().
 */
#include <gelf.h>

#include "image.h"
#include "sl_notes.h"

struct section {
	Elf_Scn *scn; /* NULL: not readable */
	GElf_Shdr hdr;
	uint64_t addr; /* sh_addr, or where it was laid out in a relocatable file */
	const char *name;
};

struct elf_file {
	Elf *elf;
	const struct sl_file *file;
	GElf_Ehdr ehdr;
	struct section *sections;
	size_t section_count;
};

/* Opens and checks. The file must stay mapped. SL_OK; SL_ERR_FORMAT, SL_ERR_UNSUPPORTED, SL_ERR_NOMEM with
 * diag. */
int elf_file_open(const struct sl_file *file, const char *path, struct elf_file *ret, struct sl_diag *diag);
void elf_file_close(struct elf_file *ef);

/* The first section of that name, or NULL. */
const struct section *elf_file_section(const struct elf_file *ef, const char *name);
/* The bytes of a section in the file; len 0 where it has none, or where they lie outside of the file. */
struct sl_bytes section_bytes(const struct elf_file *ef, const struct section *section);
/* The same as libelf translates them (symbols, relocations, notes), or NULL. */
Elf_Data *section_data(const struct elf_file *ef, const struct section *section);
/* The string at offset in the string table with that index; NULL where there is none. In the file's mapping.
 */
const char *section_string(const struct elf_file *ef, size_t strtab, size_t offset);

/* The build id, up to SL_BUILD_ID_MAX bytes; its length, 0 without. */
size_t elf_file_build_id(const struct elf_file *ef, uint8_t *ret);

/* What objcopy --only-keep-debug leaves: the code's sections are there, but without bytes. */
bool elf_file_without_code(const struct elf_file *ef);

/* elf_load.c: makes a module of its mapped file: segments, build id, symbols. */
int elf_load(struct sl_image *image, struct module *module, struct sl_notes *notes, struct sl_diag *diag);
/* elf_symbols.c: appends the symbols of .symtab (else .dynsym) to the module. */
int elf_load_symbols(const struct elf_file *ef, struct module *module);
/* elf_plt.c: appends the stubs of the PLT, named f@plt. */
int elf_load_plt(struct sl_image *image, const struct elf_file *ef, struct module *module);
/* debugfile.c: looks for the separate debug file; takes its symbols where the file itself has no .symtab. */
int elf_load_debug(const struct elf_file *ef, struct module *module, const char *const *debug_dirs,
		   struct sl_notes *notes);
#endif
