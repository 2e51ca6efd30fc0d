/* SPDX-License-Identifier: Apache-2.0 */
/* Which program a file is, without loading it. */
#include "elf_file.h"

#include <string.h>

static enum sl_isa isa_of(unsigned machine)
{
	return machine == EM_AARCH64 ? SL_ISA_A64 : machine == EM_ARM ? SL_ISA_A32 : SL_ISA_X86_64;
}

int sl_elf_identify(const char *path, struct sl_elf_id *ret)
{
	struct sl_file file;
	struct elf_file ef;
	int result = sl_file_map(path, &file, NULL);

	if (result < 0)
		return result;
	result = elf_file_open(&file, path, &ef, NULL);
	if (result == SL_OK) {
		*ret = (struct sl_elf_id){ .isa = isa_of(ef.ehdr.e_machine) };
		ret->build_id_len = elf_file_build_id(&ef, ret->build_id);
		ret->without_code = elf_file_without_code(&ef);
		elf_file_close(&ef);
	}
	sl_file_unmap(&file);
	return result;
}
