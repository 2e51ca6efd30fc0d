/* SPDX-License-Identifier: Apache-2.0 */
#include "elf_file.h"

#include <stdlib.h>
#include <string.h>

bool sl_is_elf(const char *path)
{
	struct sl_file file;
	bool yes;

	if (sl_file_map(path, &file, NULL) < 0)
		return false;
	yes = file.len >= SELFMAG && memcmp(file.data, ELFMAG, SELFMAG) == 0;
	sl_file_unmap(&file);
	return yes;
}

/* Sections by index. What libelf cannot read stays empty: type SHT_NULL. */
static int read_sections(struct elf_file *ef)
{
	size_t names = 0, count = 0;
	Elf_Scn *scn = NULL;

	if (elf_getshdrnum(ef->elf, &count) < 0 || count > ef->file->len / sizeof(Elf32_Shdr))
		count = 0;
	ef->sections = calloc(count + 1, sizeof(*ef->sections));
	if (!ef->sections)
		return SL_ERR_NOMEM;
	ef->section_count = count;
	while ((scn = elf_nextscn(ef->elf, scn))) {
		size_t index = elf_ndxscn(scn);
		struct section *section = &ef->sections[index];

		if (index >= count || !gelf_getshdr(scn, &section->hdr))
			continue;
		section->scn = scn;
		section->addr = section->hdr.sh_addr;
	}
	if (elf_getshdrstrndx(ef->elf, &names) < 0)
		names = 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = section_string(ef, names, ef->sections[i].hdr.sh_name);

		ef->sections[i].name = name ? name : "";
	}
	return SL_OK;
}

int elf_file_open(const struct sl_file *file, const char *path, struct elf_file *ret, struct sl_diag *diag)
{
	struct elf_file ef = { .file = file };
	int result;

	if (!file->len || elf_version(EV_CURRENT) == EV_NONE)
		return sl_fail(diag, SL_ERR_FORMAT, "%s: is no ELF file: it is empty", path);
	/* libelf does not write to what it is given here. */
	ef.elf = elf_memory((char *)(uintptr_t)file->data, file->len);
	if (!ef.elf || elf_kind(ef.elf) != ELF_K_ELF || !gelf_getehdr(ef.elf, &ef.ehdr)) {
		elf_file_close(&ef);
		return sl_fail(diag, SL_ERR_FORMAT,
			       "%s: is no complete ELF file: give an executable, shared "
			       "object or kernel module, or add it as a memory dump",
			       path);
	}
	if (ef.ehdr.e_machine != EM_ARM && ef.ehdr.e_machine != EM_AARCH64 &&
	    ef.ehdr.e_machine != EM_X86_64 && ef.ehdr.e_machine != EM_386) {
		result = sl_fail(diag, SL_ERR_UNSUPPORTED,
				 "%s: is for ELF machine %u: give the files of the "
				 "traced target (Arm, AArch64, x86-64 or i386)",
				 path, (unsigned)ef.ehdr.e_machine);
		elf_file_close(&ef);
		return result;
	}
	result = read_sections(&ef);
	if (result < 0) {
		elf_file_close(&ef);
		return sl_fail(diag, result, "%s: out of memory", path);
	}
	*ret = ef;
	return SL_OK;
}

void elf_file_close(struct elf_file *ef)
{
	if (ef->elf)
		elf_end(ef->elf);
	free(ef->sections);
	*ef = (struct elf_file){ 0 };
}

const struct section *elf_file_section(const struct elf_file *ef, const char *name)
{
	for (size_t i = 1; i < ef->section_count; i++) {
		if (strcmp(ef->sections[i].name, name) == 0)
			return &ef->sections[i];
	}
	return NULL;
}

struct sl_bytes section_bytes(const struct elf_file *ef, const struct section *section)
{
	const struct sl_file *file = ef->file;
	const GElf_Shdr *hdr = &section->hdr;

	if (hdr->sh_type == SHT_NOBITS || hdr->sh_type == SHT_NULL || hdr->sh_offset > file->len ||
	    hdr->sh_size > file->len - hdr->sh_offset)
		return (struct sl_bytes){ 0 };
	return (struct sl_bytes){ file->data + hdr->sh_offset, (size_t)hdr->sh_size, hdr->sh_offset };
}

Elf_Data *section_data(const struct elf_file *ef, const struct section *section)
{
	Elf_Data *data;

	if (!section->scn || !section_bytes(ef, section).len)
		return NULL;
	data = elf_getdata(section->scn, NULL);
	return data && data->d_buf && data->d_size <= section->hdr.sh_size ? data : NULL;
}

const char *section_string(const struct elf_file *ef, size_t strtab, size_t offset)
{
	struct sl_bytes bytes;

	if (strtab >= ef->section_count || ef->sections[strtab].hdr.sh_type != SHT_STRTAB)
		return NULL;
	bytes = section_bytes(ef, &ef->sections[strtab]);
	/* Demanding the 0 at the very end makes each string in it end, at no cost a string. */
	if (offset >= bytes.len || bytes.data[bytes.len - 1] != '\0')
		return NULL;
	return (const char *)bytes.data + offset;
}

static size_t find_build_id(Elf_Data *data, uint8_t *ret)
{
	size_t at = 0, name_at = 0, desc_at = 0;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || name_at + 4 > data->d_size ||
		    memcmp(bytes + name_at, "GNU", 4) != 0)
			continue;
		if (!note.n_descsz || note.n_descsz > SL_BUILD_ID_MAX || desc_at + note.n_descsz > data->d_size)
			continue;
		memcpy(ret, bytes + desc_at, note.n_descsz);
		return note.n_descsz;
	}
	return 0;
}

size_t elf_file_build_id(const struct elf_file *ef, uint8_t *ret)
{
	size_t len = 0, segments = 0;

	for (size_t i = 1; i < ef->section_count && !len; i++) {
		if (ef->sections[i].hdr.sh_type == SHT_NOTE)
			len = find_build_id(section_data(ef, &ef->sections[i]), ret);
	}
	if (len || elf_getphdrnum(ef->elf, &segments) < 0)
		return len;
	for (size_t i = 0; i < segments && i < UINT16_MAX && !len; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(ef->elf, (int)i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_offset > ef->file->len || phdr.p_filesz > ef->file->len - phdr.p_offset)
			continue;
		len = find_build_id(elf_getdata_rawchunk(ef->elf, (int64_t)phdr.p_offset,
							 (size_t)phdr.p_filesz, ELF_T_NHDR),
				    ret);
	}
	return len;
}

bool elf_file_without_code(const struct elf_file *ef)
{
	bool found = false;

	for (size_t i = 1; i < ef->section_count; i++) {
		const GElf_Shdr *hdr = &ef->sections[i].hdr;

		if (!(hdr->sh_flags & SHF_ALLOC) || !(hdr->sh_flags & SHF_EXECINSTR) || hdr->sh_size <= 1)
			continue;
		if (hdr->sh_type != SHT_NOBITS)
			return false;
		found = true;
	}
	return found;
}
