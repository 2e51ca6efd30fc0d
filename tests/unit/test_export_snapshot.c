/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mini_elf.h"
#include "sl_capture.h"
#include "temp_dir.h"

#define ETM(name, id)                                                                   \
	"[device]\nname=" name                                                          \
	"\nclass=trace_source\ntype=ETM4.2\n[regs]\nTRCCONFIGR=0x1841\nTRCTRACEIDR=" id \
	"\nTRCIDR0=0x28000EA1\nTRCIDR2=0x488\nTRCCCCTLR=4\n"

static struct sl_capture *open_path(const char *path, const struct sl_capture_options *options,
				    struct sl_notes *notes)
{
	struct sl_capture *cap = NULL;
	struct sl_diag diag;

	if (sl_capture_open(path, options, notes, &cap, &diag) != SL_OK)
		fail_msg("%s: %s", path, diag.text);
	return cap;
}

static void check_buffers(const struct sl_capture *a, const struct sl_capture *b)
{
	const struct sl_buffer *from, *to;
	size_t count = sl_capture_buffers(a, &from);

	assert_int_equal(sl_capture_buffers(b, &to), count);
	for (size_t i = 0; i < count; i++) {
		static char x[4096], y[4096];

		assert_string_equal(from[i].name, to[i].name);
		assert_int_equal(from[i].size, to[i].size);
		assert_int_equal(from[i].framing, to[i].framing);
		for (uint64_t at = 0; at < from[i].size; at += sizeof(x)) {
			ptrdiff_t got = sl_capture_read(a, i, at, x, sizeof(x));

			assert_true(got > 0);
			assert_int_equal(sl_capture_read(b, i, at, y, sizeof(y)), got);
			assert_memory_equal(x, y, (size_t)got);
		}
	}
}

static void check_streams(const struct sl_capture *a, const struct sl_capture *b)
{
	const struct sl_stream *from, *to;
	size_t count = sl_capture_streams(a, &from);

	assert_int_equal(sl_capture_streams(b, &to), count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(from[i].name, to[i].name);
		assert_int_equal(from[i].buffer, to[i].buffer);
		assert_int_equal(from[i].core, to[i].core);
		assert_int_equal(from[i].trace_id, to[i].trace_id);
		assert_int_equal(from[i].usable, to[i].usable);
		assert_int_equal(from[i].core_name != NULL, to[i].core_name != NULL);
		if (from[i].core_name)
			assert_string_equal(from[i].core_name, to[i].core_name);
		assert_memory_equal(&from[i].config, &to[i].config, sizeof(from[i].config));
	}
}

/* The bytes that each core of a sees are those that it sees in b. */
static void check_images(const struct sl_capture *a, const struct sl_capture *b)
{
	const struct sl_mapping *maps;
	struct sl_image *from, *to;
	struct sl_diag diag;
	const char *const *names;
	size_t cores = sl_capture_cores(a, &names), count;

	assert_int_equal(sl_capture_load_image(a, NULL, &from, &diag), SL_OK);
	assert_int_equal(sl_capture_load_image(b, NULL, &to, &diag), SL_OK);
	count = sl_image_mappings(from, &maps);
	for (uint32_t core = 0; core < cores; core++) {
		for (size_t i = 0; i < count; i++) {
			struct sl_bytes x = sl_image_bytes(from, core, maps[i].space, maps[i].start);
			struct sl_bytes y = sl_image_bytes(to, core, maps[i].space, maps[i].start);
			size_t len = x.len < y.len ? x.len : y.len;

			assert_int_equal(x.len != 0, y.len != 0);
			if (len)
				assert_memory_equal(x.data, y.data, len);
		}
	}
	sl_image_free(from);
	sl_image_free(to);
}

/* Writes cap to name in dir and opens that; what must be the same is. */
static struct sl_capture *export_and_check(const struct sl_capture *cap, struct temp_dir *dir,
					   const char *name, struct sl_notes *notes)
{
	struct sl_diag diag;
	struct sl_capture *copy;

	if (sl_capture_export_snapshot(cap, temp_dir_path(dir, name), notes, &diag) != SL_OK)
		fail_msg("%s", diag.text);
	copy = open_path(temp_dir_path(dir, name), NULL, NULL);
	assert_int_equal(sl_capture_timestamp_hz(copy), sl_capture_timestamp_hz(cap));
	check_buffers(cap, copy);
	check_streams(cap, copy);
	check_images(cap, copy);
	return copy;
}

static void make_snapshot(struct temp_dir *dir)
{
	temp_dir_make(dir);
	assert_int_equal(mkdir(temp_dir_path(dir, "in"), 0700), 0);
	assert_int_equal(mkdir(temp_dir_path(dir, "in/sub"), 0700), 0);
	temp_dir_text(dir, "in/snapshot.ini",
		      "[device_list]\na=c0.ini\nb=c1.ini\nc=e0.ini\nd=e1.ini\ne=s.ini\n"
		      "[trace]\nmetadata=trace.ini\n");
	temp_dir_text(dir, "in/c0.ini",
		      "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"
		      "[dump1]\nfile=sub/code.bin\naddress=0x8000\nlength=4\noffset=2\nspace=S\n"
		      "[dump2]\nfile=code.bin\naddress=0x8000\n[dump3]\nfile=gone.bin\naddress=0x10\n");
	temp_dir_text(dir, "in/c1.ini",
		      "[device]\nname=cpu_1\nclass=core\ntype=Mystery\n"
		      "[dump1]\nfile=code.bin\naddress=0x8002\n");
	temp_dir_text(dir, "in/e0.ini", ETM("ETM_0", "0x10"));
	temp_dir_text(dir, "in/e1.ini", ETM("ETM_1", "0x11"));
	temp_dir_text(dir, "in/s.ini",
		      "[device]\nname=STM_0\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x00200005\n");
	temp_dir_text(dir, "in/trace.ini",
		      "[trace_buffers]\nbuffers=b,a\n[a]\nname=ETB_A\nfile=t.bin\nformat=dstream_coresight\n"
		      "[b]\nname=ETB_B\nfile=sub/t.bin\nformat=source_data\n"
		      "[source_buffers]\nETM_0=ETB_A\nSTM_0=ETB_A\nETM_1=ETB_B\nETM_0=ETB_B\n"
		      "[core_trace_sources]\ncpu_0=ETM_0\ncpu_1=ETM_1\n[timestamp]\nfrequency=1000000\n");
	temp_dir_text(dir, "in/t.bin", "trace of buffer a");
	temp_dir_text(dir, "in/sub/t.bin", "buffer b");
	temp_dir_text(dir, "in/code.bin", "ABCDEFGH");
	temp_dir_text(dir, "in/sub/code.bin", "abcdefgh");
	temp_dir_text(dir, "in/System.map", "0000000000008000 T first\n0000000000008004 T second\n");
}

void test_export_snapshot__a_snapshot_comes_back_as_it_was(void **state)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *cap, *copy;
	struct sl_image *image;
	struct temp_dir dir;
	struct sl_diag diag;
	struct sl_bytes bytes;

	(void)state;
	make_snapshot(&dir);
	cap = open_path(temp_dir_path(&dir, "in"), NULL, NULL);
	copy = export_and_check(cap, &dir, "out", &notes);
	assert_int_equal(notes.len, 1);
	assert_non_null(strstr(notes.items[0].text, "gone.bin is missing"));
	assert_int_equal(sl_capture_load_image(copy, NULL, &image, &diag), SL_OK);
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, 0x8005).id)->name, "second");
	bytes = sl_image_bytes(image, 0, SL_SPACE_EL1S, 0x8000);
	assert_int_equal(bytes.data[0], 'c');
	bytes = sl_image_bytes(image, 0, SL_SPACE_EL1N, 0x8000);
	assert_int_equal(bytes.data[0], 'A');
	sl_image_free(image);
	sl_capture_free(copy);
	sl_capture_free(cap);
	sl_notes_release(&notes);
	temp_dir_remove(&dir);
}

void test_export_snapshot__an_existing_directory_is_left_alone(void **state)
{
	struct sl_capture *cap;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	make_snapshot(&dir);
	cap = open_path(temp_dir_path(&dir, "in"), NULL, NULL);
	assert_int_equal(mkdir(temp_dir_path(&dir, "out"), 0700), 0);
	temp_dir_text(&dir, "out/trace.ini", "mine");
	assert_int_equal(sl_capture_export_snapshot(cap, temp_dir_path(&dir, "out"), NULL, &diag), SL_ERR_IO);
	assert_non_null(strstr(diag.text, "not there yet"));
	assert_int_equal(access(temp_dir_path(&dir, "out/trace.ini"), R_OK), 0);
	assert_int_equal(access(temp_dir_path(&dir, "out/snapshot.ini"), F_OK), -1);
	sl_capture_free(cap);
	temp_dir_remove(&dir);
}

void test_export_snapshot__failure_leaves_nothing(void **state)
{
	struct sl_image_file image = { .path = "/nonexistent/app", .address_known = true };
	struct sl_capture_options options = { .images = &image, .image_count = 1 };
	struct sl_capture *cap;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	make_snapshot(&dir);
	cap = open_path(temp_dir_path(&dir, "in"), &options, NULL);
	assert_int_equal(sl_capture_export_snapshot(cap, temp_dir_path(&dir, "out"), NULL, &diag), SL_ERR_IO);
	assert_non_null(strstr(diag.text, "/nonexistent/app"));
	assert_int_equal(access(temp_dir_path(&dir, "out"), F_OK), -1);
	sl_capture_free(cap);
	temp_dir_remove(&dir);
}

/* Two sections of code, the second with a name in it. */
static void write_elf(const char *path)
{
	static const uint8_t code[16] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };
	struct mini_elf *elf = mini_elf_new(true, EM_AARCH64, ET_DYN);
	struct mini_section first = { .name = ".init",
				      .flags = SHF_ALLOC | SHF_EXECINSTR,
				      .addr = 0x1000,
				      .align = 4,
				      .data = code,
				      .len = sizeof(code) };
	struct mini_section text = { .name = ".text",
				     .flags = SHF_ALLOC | SHF_EXECINSTR,
				     .addr = 0x3000,
				     .align = 4,
				     .data = code,
				     .len = 8 };
	unsigned index;

	mini_elf_segment(elf, mini_elf_section(elf, &first), PF_R | PF_X);
	index = mini_elf_section(elf, &text);
	mini_elf_segment(elf, index, PF_R | PF_X);
	mini_elf_symbol(elf, MINI_SYMTAB, "work", 0x3000, 8, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), index);
	mini_elf_write(elf, path);
}

void test_export_snapshot__a_raw_dump_becomes_one(void **state)
{
	static const char *const regs[] = { "TRCCONFIGR=0x1", "TRCIDR0=0x28000EA1", "TRCIDR2=0x488", NULL };
	char elf[128], blob[128], names[128];
	struct sl_image_file images[2] = { { elf, true, 0xaaaa0000 }, { blob, true, 0x100 } };
	struct sl_image_file symbols = { names, true, 0x40 };
	struct sl_capture_options options = {
		.raw = { .protocol = "etmv4", .framing = "tpiu", .trace_id = "0x10", .regs = regs },
		.images = images,
		.image_count = 2,
		.symbols = &symbols,
		.symbol_count = 1,
	};
	struct sl_notes notes = SL_NOTES_INIT;
	struct sl_capture *cap, *copy;
	struct sl_image *image;
	struct sl_symbol_range range;
	struct temp_dir dir;
	struct sl_diag diag;

	(void)state;
	temp_dir_make(&dir);
	temp_dir_text(&dir, "etb;1.bin", "0123456789");
	snprintf(elf, sizeof(elf), "%s/app", dir.path);
	snprintf(blob, sizeof(blob), "%s/snapshot.ini", dir.path);
	snprintf(names, sizeof(names), "%s/names", dir.path);
	write_elf(elf);
	temp_dir_text(&dir, "snapshot.ini", "a blob with a bad name");
	temp_dir_text(&dir, "names", "c4 T late\nc0 T early\nno symbol\n");
	cap = open_path(temp_dir_path(&dir, "etb;1.bin"), &options, NULL);
	assert_int_equal(sl_capture_export_snapshot(cap, temp_dir_path(&dir, "out"), &notes, &diag), SL_OK);
	assert_int_equal(notes.len, 1);
	assert_non_null(strstr(notes.items[0].text, "format=tpiu"));
	copy = open_path(temp_dir_path(&dir, "out"), NULL, NULL);
	check_streams(cap, copy);
	check_images(cap, copy);
	assert_int_equal(sl_capture_load_image(copy, NULL, &image, &diag), SL_OK);
	range = sl_image_symbol_at(image, 0, 0xaaaa2004);
	assert_string_equal(sl_image_symbol(image, range.id)->name, "work");
	assert_int_equal(range.entry, 0xaaaa2000);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0xaaaa0000).len, 16);
	assert_string_equal(sl_image_symbol(image, sl_image_symbol_at(image, 0, 0x105).id)->name, "late");
	sl_image_free(image);
	sl_capture_free(copy);
	sl_capture_free(cap);
	sl_notes_release(&notes);
	temp_dir_remove(&dir);
}

static struct temp_dir shared_copies;
static unsigned shared_count;

static int export_shared(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	struct sl_capture_options options = { .allow_outside = true };
	struct sl_capture *cap;
	char name[32];

	(void)st;
	if (kind != FTW_F || strcmp(path + place->base, "snapshot.ini") != 0)
		return 0;
	cap = open_path(path, &options, NULL);
	snprintf(name, sizeof(name), "%u", shared_count++);
	sl_capture_free(export_and_check(cap, &shared_copies, name, NULL));
	sl_capture_free(cap);
	return 0;
}

void test_export_snapshot__shared_captures_come_back(void **state)
{
	const char *shared = getenv("SIGHTLINE_SHARED");
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/captures", shared ? shared : SL_SOURCE_DIR "/../shared");
	if (access(path, R_OK) != 0)
		skip();
	temp_dir_make(&shared_copies);
	shared_count = 0;
	assert_int_equal(nftw(path, export_shared, 16, FTW_PHYS), 0);
	assert_true(shared_count > 0);
	temp_dir_remove(&shared_copies);
}
