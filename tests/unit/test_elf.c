/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_fixture.h"
#include "mini_elf.h"
#include "sl_file.h"
#include "sl_image.h"
#include "temp_files.h"

#define FUNC(bind)  ELF64_ST_INFO(bind, STT_FUNC)
#define LABEL(bind) ELF64_ST_INFO(bind, STT_NOTYPE)

static const struct sl_place own_addresses = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY };

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static unsigned add_section(struct mini_elf *elf, const char *name, uint64_t flags, uint64_t addr,
			    const void *data, size_t len)
{
	return mini_elf_section(
		elf,
		&(struct mini_section){
			.name = name, .flags = flags, .addr = addr, .align = 4, .data = data, .len = len });
}

/* Of the first segment of a 64-bit file. */
static uint64_t text_offset(const uint8_t *elf)
{
	Elf64_Phdr phdr;

	memcpy(&phdr, elf + sizeof(Elf64_Ehdr), sizeof(phdr));
	return phdr.p_offset;
}

static unsigned add_text(struct mini_elf *elf, uint64_t addr, size_t len)
{
	unsigned text = add_section(elf, ".text", SHF_ALLOC | SHF_EXECINSTR, addr, NULL, len);

	mini_elf_segment(elf, text, PF_R | PF_X);
	return text;
}

static void load(struct mini_elf *elf, const char *name)
{
	mini_elf_write(elf, temp_path(name));
	start();
	if (sl_image_add_elf(image, temp_path(name), &own_addresses, NULL, &notes, &diag) != SL_OK)
		fail_msg("%s", diag.text);
	assert_int_equal(sl_image_seal(image), SL_OK);
}

static const struct sl_symbol *check(uint64_t address, const char *name, uint64_t first, uint64_t end)
{
	struct sl_symbol_range range = sl_image_symbol_at(image, 0, address);
	const struct sl_symbol *symbol = sl_image_symbol(image, range.id);

	assert_string_equal(symbol->name, name);
	assert_int_equal(range.start, first);
	assert_int_equal(range.end, end);
	return symbol;
}

static bool has_note(const char *text)
{
	for (size_t i = 0; i < notes.len; i++) {
		if (strstr(notes.items[i].text, text))
			return true;
	}
	return false;
}

void test_elf__one_alias_is_chosen(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	unsigned text = add_text(elf, 0x1000, 0x100);

	mini_elf_symbol(elf, MINI_SYMTAB, "aa_local", 0x1000, 0x40, FUNC(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "aa_weak", 0x1000, 0x40, FUNC(STB_WEAK), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "memcpy", 0x1000, 0x40, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "memmove", 0x1000, 0x40, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "_stext", 0x1000, 0, LABEL(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "$x", 0x1000, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "table", 0x1000, 0x40, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), text);
	/* One of the aliases has a size, but the better name has none. */
	mini_elf_symbol(elf, MINI_SYMTAB, "sized", 0x1040, 0x20, FUNC(STB_WEAK), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "unsized", 0x1040, 0, FUNC(STB_GLOBAL), text);
	/* The same name twice is two functions. */
	mini_elf_symbol(elf, MINI_SYMTAB, "twin", 0x1080, 0x20, FUNC(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "twin", 0x10a0, 0x20, FUNC(STB_LOCAL), text);
	load(elf, "alias");
	check(0x1010, "memcpy", 0x1000, 0x1040);
	check(0x1050, "unsized", 0x1040, 0x1060);
	check(0x1080, "twin", 0x1080, 0x10a0);
	check(0x10a0, "twin", 0x10a0, 0x10c0);
	assert_int_not_equal(sl_image_symbol_at(image, 0, 0x1080).id,
			     sl_image_symbol_at(image, 0, 0x10a0).id);
	finish();
}

void test_elf__sizes_end_functions_and_small_holes_are_padding(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	unsigned text = add_text(elf, 0x1000, 0x100);
	unsigned more = add_section(elf, ".text.more", SHF_ALLOC | SHF_EXECINSTR, 0x1100, NULL, 0x40);

	mini_elf_segment(elf, more, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "padded", 0x1000, 0x34, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "hole_after", 0x1040, 0x30, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "no_size", 0x1080, 0, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "outer", 0x1100, 0x40, FUNC(STB_GLOBAL), more);
	mini_elf_symbol(elf, MINI_SYMTAB, "inner", 0x1110, 0x10, FUNC(STB_GLOBAL), more);
	mini_elf_symbol(elf, MINI_SYMTAB, "label", 0x1130, 0, LABEL(STB_GLOBAL), more);
	load(elf, "sizes");
	check(0x1000, "padded", 0x1000, 0x1040);
	check(0x1040, "hole_after", 0x1040, 0x1070);
	check(0x1070, "[sizes+0x1000]", 0x1070, 0x1080);
	check(0x10fc, "no_size", 0x1080, 0x1100);
	check(0x1100, "outer", 0x1100, 0x1110);
	check(0x1118, "inner", 0x1110, 0x1120);
	check(0x1134, "outer", 0x1120, 0x1140);
	finish();
}

void test_elf__local_labels_of_assembly_are_no_functions(void **state)
{
	struct mini_elf *elf = mini_elf_new(false, EM_ARM, ET_EXEC);
	unsigned text = add_text(elf, 0x8000, 0x100);

	mini_elf_symbol(elf, MINI_SYMTAB, "$a", 0x8000, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "flush", 0x8000, 0, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "loop", 0x8010, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "$d", 0x8020, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "constant", 0x8020, 0, LABEL(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "$a.1", 0x8030, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "entry2", 0x8030, 0, LABEL(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "sized", 0x8040, 0x10, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "alone", 0x8080, 0, LABEL(STB_LOCAL), text);
	load(elf, "labels");
	check(0x8018, "flush", 0x8000, 0x8030);
	assert_int_equal(check(0x8030, "entry2", 0x8030, 0x8040)->isa, SL_ISA_A32);
	check(0x8080, "alone", 0x8080, 0x8100);
	finish();
}

void test_elf__thumb_bit_is_the_instruction_set(void **state)
{
	struct mini_elf *elf = mini_elf_new(false, EM_ARM, ET_EXEC);
	unsigned text = add_text(elf, 0x8000, 0x100);

	mini_elf_symbol(elf, MINI_SYMTAB, "arm", 0x8000, 0x20, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "thumb", 0x8021, 0x1e, FUNC(STB_GLOBAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "$t.7", 0x8040, 0, LABEL(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "untyped", 0x8040, 0, LABEL(STB_GLOBAL), text);
	load(elf, "thumb");
	assert_int_equal(check(0x8000, "arm", 0x8000, 0x8020)->isa, SL_ISA_A32);
	assert_int_equal(check(0x8020, "thumb", 0x8020, 0x8040)->isa, SL_ISA_T32);
	assert_int_equal(check(0x8040, "untyped", 0x8040, 0x8100)->isa, SL_ISA_T32);
	finish();
}

void test_elf__the_first_byte_lies_at_the_place(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	struct sl_place place = { .core = 2, .space = SL_SPACE_EL3, .address = 0x7f0000, .address_known = true };
	struct sl_bytes bytes;
	unsigned text = add_text(elf, 0x400, 0x100);

	mini_elf_symbol(elf, MINI_DYNSYM, "f", 0x440, 0x20, FUNC(STB_GLOBAL), text);
	mini_elf_write(elf, temp_path("lib.so"));
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("lib.so"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(check(0x7f0044, "f", 0x7f0040, 0x7f0060)->address, 0x440);
	bytes = sl_image_bytes(image, 2, SL_SPACE_EL3, 0x7f0000);
	assert_int_equal(bytes.len, 0x100);
	assert_int_equal(sl_image_bytes(image, 2, SL_SPACE_EL1N, 0x7f0000).len, 0);
	finish();
}

/* Two stubs behind a header; the second with "bti c" before it, and in the order that the GOT does not have.
 */
void test_elf__aarch64_plt_stubs_are_named(void **state)
{
	static const uint32_t plt[] = {
		0xa9bf7bf0, 0x90000090, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f,
		0xd503201f, 0xd503201f, 0x90000090, 0xf9400611, 0x91002210, 0xd61f0220, /* slot 0x11008 */
		0xd503245f, 0x90000090, 0xf9400211, 0x91000210, 0xd61f0220,		/* slot 0x11000 */
		0xd503201f,
	};
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	unsigned section = add_section(elf, ".plt", SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	const struct sl_symbol *symbol;
	unsigned puts, _Zfoo;

	mini_elf_segment(elf, section, PF_R | PF_X);
	puts = mini_elf_symbol(elf, MINI_DYNSYM, "puts", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	_Zfoo = mini_elf_symbol(elf, MINI_DYNSYM, "_ZN1a1bEv", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	mini_elf_reloc(elf, 0x11000, puts, R_AARCH64_JUMP_SLOT);
	mini_elf_reloc(elf, 0x11008, _Zfoo, R_AARCH64_JUMP_SLOT);
	load(elf, "plt64");
	check(0x1000, "[plt64+0x1000]", 0x1000, 0x1020);
	symbol = check(0x1020, "a::b()@plt", 0x1020, 0x1030);
	assert_string_equal(symbol->raw_name, "_ZN1a1bEv@plt");
	assert_true(symbol->plt);
	check(0x1034, "puts@plt", 0x1030, 0x1048);
	finish();
}

void test_elf__arm_plt_stubs_are_named(void **state)
{
	static const uint32_t plt[] = {
		0xe52de004, 0xe59fe004, 0xe08fe00e, 0xe5bef008,
		0x00000000, 0xe28fc600, 0xe28cca08, 0xe5bcf100, /* slot 0x1014 + 8 + 0x8000 + 0x100 */
		0x46c04778, 0xe28fc600, 0xe28cca08, 0xe5bcf0f8, /* slot 0x1024 + 8 + 0x8000 + 0xf8 */
	};
	struct mini_elf *elf = mini_elf_new(false, EM_ARM, ET_DYN);
	unsigned section = add_section(elf, ".plt", SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	unsigned a, b;

	mini_elf_segment(elf, section, PF_R | PF_X);
	a = mini_elf_symbol(elf, MINI_DYNSYM, "a", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	b = mini_elf_symbol(elf, MINI_DYNSYM, "b", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	mini_elf_reloc(elf, 0x911c, a, R_ARM_JUMP_SLOT);
	mini_elf_reloc(elf, 0x9124, b, R_ARM_JUMP_SLOT);
	load(elf, "plt32");
	assert_int_equal(check(0x1014, "a@plt", 0x1014, 0x1020)->isa, SL_ISA_A32);
	assert_int_equal(check(0x1024, "b@plt", 0x1020, 0x1030)->isa, SL_ISA_T32);
	finish();
}

void test_elf__x86_plt_stubs_are_named(void **state)
{
	static const uint8_t plt[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x75, 0x2f, 0x00, 0x00,
		0x0f, 0x1f, 0x44, 0x00, 0x00, 0xff, 0x25, 0x02, 0x10, 0x00, 0x00,
		0x68, 0x00, 0x00, 0x00, 0x00, 0xe9, 0,	  0,	0,    0,
	};
	struct mini_elf *elf = mini_elf_new(true, EM_X86_64, ET_DYN);
	unsigned section = add_section(elf, ".plt.sec", SHF_ALLOC | SHF_EXECINSTR, 0x1000, plt, sizeof(plt));
	unsigned a, b;

	mini_elf_segment(elf, section, PF_R | PF_X);
	a = mini_elf_symbol(elf, MINI_DYNSYM, "a", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	b = mini_elf_symbol(elf, MINI_DYNSYM, "b", 0, 0, FUNC(STB_GLOBAL), SHN_UNDEF);
	mini_elf_reloc(elf, 0x3f80, a, R_X86_64_JUMP_SLOT);
	mini_elf_reloc(elf, 0x2018, b, R_X86_64_JUMP_SLOT);
	load(elf, "pltx86");
	check(0x1004, "a@plt", 0x1000, 0x1010);
	check(0x1010, "b@plt", 0x1010, 0x1020);
	finish();
}

void test_elf__kernel_modules_are_laid_out_code_first(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_REL);
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = 0xffff800001000000,
				  .address_known = true };
	const uint64_t base = place.address;
	unsigned data, text, init, exit_text;

	data = add_section(elf, ".data", SHF_ALLOC | SHF_WRITE, 0, NULL, 0x10);
	init = add_section(elf, ".init.text", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x20);
	text = add_section(elf, ".text", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x42);
	exit_text = add_section(elf, ".exit.text", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x20);
	mini_elf_symbol(elf, MINI_SYMTAB, "work", 0x10, 0x32, FUNC(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "init_module", 0, 0x20, FUNC(STB_GLOBAL), init);
	mini_elf_symbol(elf, MINI_SYMTAB, "cleanup_module", 0, 0x20, FUNC(STB_GLOBAL), exit_text);
	mini_elf_symbol(elf, MINI_SYMTAB, "value", 0, 8, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), data);
	mini_elf_write(elf, temp_path("mod.ko"));
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("mod.ko"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(base + 0x10, "work", base + 0x10, base + 0x42);
	check(base + 0x44, "cleanup_module", base + 0x44, base + 0x64);
	assert_int_equal(sl_image_symbol_at(image, 0, base + 0x74).id, 0);
	finish();
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("mod.ko"), &own_addresses, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(0x74, "init_module", 0x74, 0x94);
	finish();
}

/* What comes behind a section whose size only the loader knows has no address, and what comes before it has. */
void test_elf__code_behind_a_modules_plt(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_REL);
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = 0xffff800001000000,
				  .address_known = true };
	unsigned text, cold;

	text = add_section(elf, ".text", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x40);
	add_section(elf, ".plt", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 1);
	cold = add_section(elf, ".text.unlikely", SHF_ALLOC | SHF_EXECINSTR, 0, NULL, 0x20);
	mini_elf_symbol(elf, MINI_SYMTAB, "work", 0, 0x40, FUNC(STB_LOCAL), text);
	mini_elf_symbol(elf, MINI_SYMTAB, "cold", 0, 0x20, FUNC(STB_LOCAL), cold);
	mini_elf_write(elf, temp_path("plt.ko"));
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("plt.ko"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(place.address, "work", place.address, place.address + 0x40);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, place.address + 0x40).len, 0);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, place.address + 0x44).len, 0);
	assert_int_equal(notes.len, 1);
	assert_non_null(strstr(notes.items[0].text, "has code behind a section that Linux fills (.plt)"));
	finish();
}

/* As clang builds Android's: the code comes behind, but at the next page, whatever Linux needs before that. */
void test_elf__a_modules_code_at_a_page(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_REL);
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = 0xffff800001000000,
				  .address_known = true };
	unsigned text;

	mini_elf_section(elf, &(struct mini_section){ .name = ".plt", .type = SHT_NOBITS, .align = 16, .len = 1,
						      .flags = SHF_ALLOC | SHF_EXECINSTR });
	mini_elf_section(elf, &(struct mini_section){ .name = ".text.ftrace_trampoline", .type = SHT_NOBITS, .align = 1, .len = 1,
						      .flags = SHF_ALLOC | SHF_EXECINSTR });
	text = mini_elf_section(elf, &(struct mini_section){ .name = ".text", .align = 4096, .len = 0x40,
							     .flags = SHF_ALLOC | SHF_EXECINSTR });
	mini_elf_symbol(elf, MINI_SYMTAB, "work", 0, 0x40, FUNC(STB_LOCAL), text);
	mini_elf_write(elf, temp_path("page.ko"));
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("page.ko"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(place.address + 0x1000, "work", place.address + 0x1000, place.address + 0x1040);
	assert_int_equal(notes.len, 0);
	finish();
}

/* A library inside of another file: its own offsets, symbols and build id. */
void test_elf__inside_of_another_file(void **state)
{
	static const uint8_t before[0x1234];
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	struct sl_part part = { .offset = sizeof(before), .name = "x.apk!/lib/libx.so" };
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x70000, .address_known = true, .part = &part };
	struct sl_elf_id id;
	size_t len;
	uint8_t *bytes, *whole;

	mini_elf_segment(elf, add_text(elf, 0x1000, 0x40), PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "inside", 0x1010, 0x10, FUNC(STB_GLOBAL), 1);
	bytes = mini_elf_finish(elf, &len);
	whole = calloc(1, sizeof(before) + len + 100);
	memcpy(whole + sizeof(before), bytes, len);
	part.len = len;
	start();
	assert_int_equal(sl_elf_identify(temp_write("x.apk", whole, sizeof(before) + len + 100), NULL, &id), SL_ERR_FORMAT);
	assert_int_equal(sl_elf_identify(temp_path("x.apk"), &part, &id), SL_OK);
	assert_int_equal(id.isa, SL_ISA_A64);
	assert_int_equal(sl_image_add_dump(image, temp_path("x.apk"), &place, &notes, &diag), SL_OK);
	place.address = 0x90000;
	place.offset = 0x40;
	assert_int_equal(sl_image_add_dump(image, temp_path("x.apk"), &place, &notes, &diag), SL_OK);
	place.len = len;
	assert_int_equal(sl_image_add_dump(image, temp_path("x.apk"), &place, &notes, &diag), SL_ERR_FORMAT);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(sl_image_module_count(image), 1);
	assert_string_equal(sl_image_module(image, 0)->name, "libx.so");
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x70000).len, len);
	assert_memory_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x90000).data, bytes + 0x40, len - 0x40);
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, 0x70000 + 0x18 + text_offset(bytes)).id)->name,
			    "inside");
	finish();
	free(bytes);
	free(whole);
}

/* A part of what is loaded. */
void test_elf__a_part_of_a_file(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = 0x70000, .address_known = true,
				  .offset = 0x10, .len = 0x20 };
	uint8_t bytes[0x40];
	struct sl_bytes run;

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	mini_elf_segment(elf, add_section(elf, ".text", SHF_ALLOC | SHF_EXECINSTR, 0x1000, bytes, sizeof(bytes)), PF_R | PF_X);
	mini_elf_write(elf, temp_path("part"));
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("part"), &place, NULL, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	run = sl_image_bytes(image, 0, SL_SPACE_ANY, 0x70010);
	assert_int_equal(run.len, 0x20);
	assert_memory_equal(run.data, bytes + 0x10, 0x20);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x7000f).len, 0);
	finish();
}

void test_elf__build_id_and_debug_file_are_found(void **state)
{
	static const uint32_t note[] = { 4, 4, 3, 0x00554e47, 0x04030201 };
	const char *dirs[] = { NULL, NULL };
	struct mini_elf *elf;
	unsigned text;
	const struct sl_module *module;

	elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	add_text(elf, 0x1000, 0x40);
	mini_elf_section(elf, &(struct mini_section){ .name = ".note.gnu.build-id",
						      .type = SHT_NOTE,
						      .align = 4,
						      .data = note,
						      .len = sizeof(note) });
	mini_elf_write(elf, temp_path("stripped"));
	elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	text = mini_elf_section(elf, &(struct mini_section){ .name = ".text",
							     .type = SHT_NOBITS,
							     .addr = 0x1000,
							     .flags = SHF_ALLOC | SHF_EXECINSTR,
							     .len = 0x40 });
	mini_elf_section(elf, &(struct mini_section){ .name = ".note.gnu.build-id",
						      .type = SHT_NOTE,
						      .align = 4,
						      .data = note,
						      .len = sizeof(note) });
	mini_elf_symbol(elf, MINI_SYMTAB, "secret", 0x1000, 0x40, FUNC(STB_LOCAL), text);
	temp_write("debug/.build-id/01/020304.debug", "", 0);
	mini_elf_write(elf, temp_path("debug/.build-id/01/020304.debug"));
	dirs[0] = temp_path("debug");
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("stripped"), &own_addresses, dirs, &notes, &diag),
			 SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(0x1020, "secret", 0x1000, 0x1040);
	module = sl_image_module(image, 0);
	assert_int_equal(module->build_id_len, 4);
	assert_memory_equal(module->build_id, "\1\2\3\4", 4);
	assert_true(module->has_symbols);
	finish();
}

/* The checksum of .gnu_debuglink must fit: "wrong" is another file of that name. */
void test_elf__debuglink_needs_the_right_checksum(void **state)
{
	uint8_t link[] = { 'd', '.', 'd', 'b', 'g', 0, 0, 0, 0, 0, 0, 0 };
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	uint32_t crc = 0xffffffff;
	uint8_t *debug;
	unsigned text;
	size_t len;

	text = add_text(elf, 0x1000, 0x40);
	mini_elf_symbol(elf, MINI_SYMTAB, "linked", 0x1000, 0x40, FUNC(STB_LOCAL), text);
	debug = mini_elf_finish(elf, &len);
	temp_write("linked/d.dbg", debug, len);
	for (size_t i = 0; i < len; i++) {
		crc ^= debug[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	crc = ~crc;
	memcpy(link + 8, &crc, 4);
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		if (wrong) {
			debug[len - 1] ^= 1;
			temp_write("linked/d.dbg", debug, len);
		}
		elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
		add_text(elf, 0x1000, 0x40);
		add_section(elf, ".gnu_debuglink", 0, 0, link, sizeof(link));
		load(elf, "linked/prog");
		check(0x1000, wrong ? "[prog+0x1000]" : "linked", 0x1000, 0x1040);
		assert_int_equal(has_note("'d.dbg' was not found"), wrong);
		finish();
	}
	free(debug);
}

void test_elf__a_debug_file_gives_names_to_a_dump(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0x1000, .address_known = true };
	uint8_t zeros[0x80] = { 0 };
	unsigned text = mini_elf_section(elf, &(struct mini_section){ .name = ".text",
								      .type = SHT_NOBITS,
								      .addr = 0x1000,
								      .len = 0x40,
								      .flags = SHF_ALLOC | SHF_EXECINSTR });

	mini_elf_segment(elf, text, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "named", 0x1000, 0x40, FUNC(STB_LOCAL), text);
	mini_elf_write(elf, temp_path("only.debug"));
	start();
	assert_int_equal(
		sl_image_add_elf(image, temp_path("only.debug"), &own_addresses, NULL, &notes, &diag), SL_OK);
	assert_true(has_note("names, but not the code"));
	temp_write("zeros", zeros, sizeof(zeros));
	assert_int_equal(sl_image_add_dump(image, temp_path("zeros"), &place, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(0x1000, "named", 0x1000, 0x1040);
	finish();
}

static void expect_refusal(const char *name, int result, const char *text)
{
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path(name), &own_addresses, NULL, &notes, &diag),
			 result);
	if (!strstr(diag.text, text))
		fail_msg("%s", diag.text);
	assert_int_equal(sl_image_seal(image), SL_OK);
	finish();
}

void test_elf__what_cannot_be_used_is_refused(void **state)
{
	struct mini_elf *elf = mini_elf_new(true, EM_RISCV, ET_EXEC);
	size_t len;
	uint8_t *data;

	add_text(elf, 0x1000, 0x40);
	mini_elf_write(elf, temp_path("riscv"));
	expect_refusal("riscv", SL_ERR_UNSUPPORTED, "machine 243");
	temp_write("text", "hello", 5);
	expect_refusal("text", SL_ERR_FORMAT, "no complete ELF file");
	temp_write("empty", "", 0);
	expect_refusal("empty", SL_ERR_FORMAT, "is empty");
	expect_refusal("absent", SL_ERR_IO, "absent");
	mini_elf_write(mini_elf_new(true, EM_AARCH64, ET_EXEC), temp_path("hollow"));
	expect_refusal("hollow", SL_ERR_FORMAT, "nothing to load");
	elf = mini_elf_new(true, EM_AARCH64, ET_EXEC);
	add_text(elf, 0x1000, 0x4000);
	data = mini_elf_finish(elf, &len);
	temp_write("cut", data, 0x1000);
	free(data);
	start();
	assert_int_equal(sl_image_add_elf(image, temp_path("cut"), &own_addresses, NULL, &notes, &diag),
			 SL_OK);
	assert_true(has_note("is cut short"));
	finish();
	assert_true(sl_is_elf(temp_path("cut")));
	assert_false(sl_is_elf(temp_path("text")));
	assert_false(sl_is_elf(temp_path("empty")));
}

void test_elf__the_stubs_of_a_real_libc(void **state)
{
	const char *path = shared_path("captures/ricsec/common/libc-2.31.so");
	struct sl_place place = { .core = 0, .space = SL_SPACE_ANY, .address = 0xffff9d2fd000, .len = 0x162008,
				  .address_known = true };

	if (!path)
		skip();
	start();
	assert_int_equal(sl_image_add_dump(image, path, &place, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	check(0xffff9d320ac0, "realloc@plt", 0xffff9d320ac0, 0xffff9d320ad0);
	check(0xffff9d320aa0, "[libc-2.31.so+0x23000]", 0xffff9d320000, 0xffff9d320ac0);
	finish();
}

void test_elf__a_real_cortex_r5_program(void **state)
{
	const char *path = shared_path("captures/am243x-r5f/freertos-msg-isr/app.elf");
	struct sl_place vectors = { .core = 0, .space = SL_SPACE_ANY, .offset = 0x38, .len = 0x40, .address_known = true };
	struct sl_place text = { .core = 0, .space = SL_SPACE_ANY, .address = 0x70099300, .offset = 0x80,
				  .len = 0x18058, .address_known = true };
	uint64_t named = 0;

	if (!path)
		skip();
	start();
	assert_int_equal(sl_image_add_dump(image, path, &vectors, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_add_dump(image, path, &text, &notes, &diag), SL_OK);
	assert_int_equal(sl_image_seal(image), SL_OK);
	assert_int_equal(check(0x3c, "_vectors", 0, 0x40)->isa, SL_ISA_A32);
	assert_int_equal(check(0x7009d300, "tm_receiver_thread_entry", 0x7009d300, 0x7009d5e0)->isa,
			 SL_ISA_T32);
	check(0x700b0cac, "CacheP_wbInvAllAsm", 0x700b0c4c, 0x700b0cec);
	for (uint64_t at = text.address; at < text.address + text.len;) {
		struct sl_symbol_range range = sl_image_symbol_at(image, 0, at);

		if (!sl_image_symbol(image, range.id)->page)
			named += range.end - range.start;
		at = range.end;
	}
	assert_true(named * 100 > text.len * 99);
	finish();
}
