/* SPDX-License-Identifier: Apache-2.0 */
/* Which program a file is, and where a symbol of it lies, without loading it. */
#include "elf_file.h"

#include <limits.h>
#include <string.h>

static enum sl_isa isa_of(unsigned machine)
{
	return machine == EM_AARCH64 ? SL_ISA_A64 : machine == EM_ARM ? SL_ISA_A32 : machine == EM_386 ? SL_ISA_X86_32 : SL_ISA_X86_64;
}

/* Maps and opens; both are to be closed after SL_OK. */
static int open_path(const char *path, const struct sl_part *part, struct sl_file *file, struct elf_file *ef)
{
	int result = image_map(path, part, file, NULL);

	if (result < 0)
		return result;
	result = elf_file_open(file, path, ef, NULL);
	if (result < 0)
		sl_file_unmap(file);
	return result;
}

int sl_elf_identify(const char *path, const struct sl_part *part, struct sl_elf_id *ret)
{
	struct sl_file file;
	struct elf_file ef;
	int result = open_path(path, part, &file, &ef);

	if (result < 0)
		return result;
	*ret = (struct sl_elf_id){ .isa = isa_of(ef.ehdr.e_machine) };
	ret->build_id_len = elf_file_build_id(&ef, ret->build_id);
	ret->without_code = elf_file_without_code(&ef);
	elf_file_close(&ef);
	sl_file_unmap(&file);
	return SL_OK;
}

static bool find_in(const struct elf_file *ef, const struct section *section, const char *name, uint64_t *ret)
{
	size_t size = gelf_fsize(ef->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Data *data = section_data(ef, section);
	GElf_Sym sym;

	for (size_t i = 0; data && i < data->d_size / size && i < INT_MAX && gelf_getsym(data, (int)i, &sym); i++) {
		const char *found = section_string(ef, section->hdr.sh_link, sym.st_name);

		if (found && sym.st_shndx != SHN_UNDEF && strcmp(found, name) == 0) {
			*ret = sym.st_value;
			return true;
		}
	}
	return false;
}

int sl_elf_find_symbol(const char *path, const char *name, uint64_t *ret)
{
	struct sl_file file;
	struct elf_file ef;
	bool found = false;
	int result = open_path(path, NULL, &file, &ef);

	if (result < 0)
		return result;
	for (size_t i = 1; i < ef.section_count && !found; i++)
		found = ef.sections[i].hdr.sh_type == SHT_SYMTAB && find_in(&ef, &ef.sections[i], name, ret);
	elf_file_close(&ef);
	sl_file_unmap(&file);
	return found ? SL_OK : SL_END;
}
