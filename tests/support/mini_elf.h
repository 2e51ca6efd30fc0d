/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MINI_ELF_H
#define MINI_ELF_H
/* Writes small ELF files for tests: little-endian, 32 or 64 bit. Out of memory ends the test program. */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mini_elf;
struct mini_elf *mini_elf_new(bool is64, unsigned machine, unsigned type);

struct mini_section {
	const char *name;
	uint32_t type; /* 0: SHT_PROGBITS */
	uint64_t flags, addr, align;
	const void *data; /* NULL: len bytes of 0 */
	size_t len;
	uint32_t link, info;
};
/* Returns its index, from 1. */
unsigned mini_elf_section(struct mini_elf *elf, const struct mini_section *section);
/* A PT_LOAD of one section: its address and bytes. */
void mini_elf_segment(struct mini_elf *elf, unsigned section, unsigned flags);

enum mini_table { MINI_SYMTAB, MINI_DYNSYM };
/* info as ELF64_ST_INFO(bind, type). Returns its index in the table, from 1. */
unsigned mini_elf_symbol(struct mini_elf *elf, enum mini_table table, const char *name, uint64_t value,
			 uint64_t size, unsigned info, unsigned shndx);
/* A relocation of .rela.plt (64 bit) or .rel.plt (32 bit) by a symbol of MINI_DYNSYM. */
void mini_elf_reloc(struct mini_elf *elf, uint64_t offset, unsigned symbol, unsigned type);

/* The file's bytes (free() them); frees elf. */
uint8_t *mini_elf_finish(struct mini_elf *elf, size_t *ret_len);
/* Writes them to path and frees elf. */
void mini_elf_write(struct mini_elf *elf, const char *path);
#endif
