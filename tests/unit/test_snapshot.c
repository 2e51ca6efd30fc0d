/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "temp_dir.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* A snapshot of one core that each test varies. */
#define TOP "[snapshot]\nversion=1.0\n[device_list]\nd0=cpu.ini\nd1=etm.ini\n[trace]\nmetadata=trace.ini\n"
#define CPU "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"
#define REGS(id)                                                \
	"[regs]\nTRCCONFIGR(0x004)=0x1\nTRCTRACEIDR(0x010)=" id \
	"\nTRCIDR0=0x28000EA1\nTRCIDR2(size:32)=\"0x488\"\n"
#define ETM(name, id) "[device]\nname=" name "\nclass=trace_source\ntype=ETM4.2\n" REGS(id)
#define BUFFER	      "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=etb.bin\n"
#define TRACE	      BUFFER "[source_buffers]\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\n"

struct file {
	const char *name, *text;
};

/* The last file of a name counts, so that tests can replace one of the standard ones. */
static int read_file(void *ctx, const char *name, char **ret, size_t *ret_len, struct sl_diag *diag)
{
	const struct file *files = ctx, *found = NULL;

	for (; files->name; files++) {
		if (strcmp(files->name, name) == 0)
			found = files;
	}
	if (!found)
		return sl_fail(diag, SL_ERR_IO, "no file %s", name);
	*ret = strdup(found->text);
	*ret_len = strlen(found->text);
	return *ret ? SL_OK : SL_ERR_NOMEM;
}

struct opened {
	struct sl_capture *cap;
	struct sl_notes notes;
	struct sl_diag diag;
	int result;
};

static void open_files(const struct file *changed, struct opened *ret)
{
	struct file files[16] = { { "snapshot.ini", TOP },
				  { "cpu.ini", CPU },
				  { "etm.ini", ETM("ETM_0", "0x10") },
				  { "trace.ini", TRACE } };
	struct sl_snap_files from = { "dir", read_file, files };
	size_t n = 4;

	memset(ret, 0, sizeof(*ret));
	for (; changed && changed->name; changed++)
		files[n++] = *changed;
	ret->cap = calloc(1, sizeof(*ret->cap));
	assert_non_null(ret->cap);
	ret->result = sl_snapshot_read(&from, "snapshot.ini", &ret->cap->snap, &ret->notes, &ret->diag);
	if (ret->result == SL_OK)
		ret->result = sl_streams_build(ret->cap, &ret->notes);
}

static void release(struct opened *opened)
{
	sl_capture_free(opened->cap);
	sl_notes_release(&opened->notes);
}

static bool noted(const struct sl_notes *notes, const char *text)
{
	for (size_t i = 0; i < notes->len; i++) {
		if (strstr(notes->items[i].text, text))
			return true;
	}
	return false;
}

void test_snapshot__plain_one_is_understood(void **state)
{
	struct opened o;
	const struct sl_stream *stream;

	(void)state;
	open_files(NULL, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(o.notes.len, 0);
	assert_int_equal(sl_capture_streams(o.cap, &stream), 1);
	assert_string_equal(stream->name, "ETM_0");
	assert_string_equal(stream->core_name, "cpu_0");
	assert_int_equal(stream->core, 0);
	assert_int_equal(stream->trace_id, 0x10);
	assert_true(stream->usable);
	assert_int_equal(stream->config.protocol, SL_PROTOCOL_ETMV4);
	assert_int_equal(stream->config.arch, SL_ARCH_V8);
	assert_int_equal(stream->config.regs[SL_REG_TRCIDR2], 0x488);
	assert_int_equal(o.cap->snap.buffers[0].framing, SL_FRAMING_CORESIGHT);
	release(&o);
}

void test_snapshot__errors_name_file_line_and_expectation(void **state)
{
	static const struct {
		struct file file;
		const char *where, *what;
	} rows[] = {
		{ { "snapshot.ini", "[snapshot]\nversion=1\n" }, "dir/snapshot.ini", "[device_list]" },
		{ { "snapshot.ini", "version=1\n" }, "dir/snapshot.ini:1", "[section]" },
		{ { "snapshot.ini", "[device_list]\nd=none.ini\n" }, "none.ini", "no file" },
		{ { "cpu.ini", "[device]\nclass=core\n" }, "dir/cpu.ini", "name=" },
		{ { "cpu.ini", "[device]\nname=a\n" }, "dir/cpu.ini", "class=" },
		{ { "cpu.ini", "[device]\nname=a\nclass=trace_source\n" }, "dir/cpu.ini", "type=" },
		{ { "cpu.ini", CPU "[dump]\nfile=a\n" }, "dir/cpu.ini:5", "address=" },
		{ { "cpu.ini", CPU "[dump1]\naddress=0\n" }, "dir/cpu.ini:5", "file=" },
		{ { "cpu.ini", CPU "[dump1]\nfile=a\naddress=x\n" }, "dir/cpu.ini:7: address=x", "number" },
		{ { "cpu.ini", CPU "[dump1]\nfile=a\nlength=1 2\n" }, "dir/cpu.ini:7: length=1 2", "number" },
		{ { "cpu.ini", CPU "[dump1]\nfile=\n" }, "dir/cpu.ini:6: file=", "name of a file" },
		{ { "cpu.ini", CPU "[dump1]\nspace=EL9\n" }, "dir/cpu.ini:6: space=EL9", "EL1S EL1N" },
		{ { "etm.ini", ETM("ETM_0", "0x100000000") },
		  "dir/etm.ini:7: TRCTRACEIDR(0x010)=0x100000000",
		  "0xffffffff" },
		{ { "etm.ini", ETM("ETM_0", "ten") }, "dir/etm.ini:7: TRCTRACEIDR(0x010)=ten", "number" },
		{ { "trace.ini", "[buffer0]\nname=a\n" }, "dir/trace.ini", "buffers=" },
		{ { "trace.ini", "[trace_buffers]\nbuffers=b\n" },
		  "dir/trace.ini:2: buffers=b",
		  "section for each" },
		{ { "trace.ini", "[trace_buffers]\nbuffers=b\n[b]\nname=x\n" },
		  "[b] has no file=",
		  "name= and file=" },
		{ { "trace.ini", "[trace_buffers]\nbuffers=b\n[b]\nfile=x\n" },
		  "[b] has no name=",
		  "name= and file=" },
		{ { "trace.ini", BUFFER "format=other\n" }, "dir/trace.ini:6: format=other", "source_data" },
		{ { "trace.ini", TRACE "[timestamp]\nfrequency=fast\n" }, "frequency=fast", "number" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct file changed[2] = { rows[i].file };
		struct opened o;

		open_files(changed, &o);
		assert_true(o.result == SL_ERR_FORMAT || o.result == SL_ERR_IO);
		if (!strstr(o.diag.text, rows[i].where) || !strstr(o.diag.text, rows[i].what))
			fail_msg("row %zu: %s", i, o.diag.text);
		assert_null(strchr(o.diag.text, '\n'));
		release(&o);
	}
}

void test_snapshot__control_characters_stay_out_of_messages(void **state)
{
	static const struct file changed[] = { { "snapshot.ini", "[device_list]\nd=\033[31m.ini\n" },
					       { "\033[31m.ini",
						 "[device]\nname=a\nclass=core\n[dump]\nx\x01y=\xff\n" },
					       { 0 } };
	static const struct file bad_key[] = { { "cpu.ini", CPU "[dump]\nfile=a\naddress=0\n\033[31m=1\n" },
					       { 0 } };
	struct opened o;

	(void)state;
	open_files(changed, &o);
	assert_int_equal(o.result, SL_ERR_FORMAT);
	assert_null(strchr(o.diag.text, '\033'));
	assert_null(strchr(o.diag.text, '\x01'));
	release(&o);
	open_files(bad_key, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(o.notes.len, 1);
	assert_null(strchr(o.notes.items[0].text, '\033'));
	release(&o);
}

void test_snapshot__dumps_take_all_keys(void **state)
{
	static const struct file changed[] = {
		{ "cpu.ini", CPU
		  "[dump1]\nfile=\"a\\b.bin\"\naddress=0x8000\nlength=0x10\noffset=4\nspace=el2\ncolour=1\n"
		  "[dump]\nfile=c.bin\naddress=0\n" },
		{ 0 }
	};
	const struct sl_snap_dump *dumps;
	struct opened o;

	(void)state;
	open_files(changed, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(o.cap->snap.devices[0].dump_len, 2);
	dumps = o.cap->snap.devices[0].dumps;
	assert_string_equal(dumps[0].file, "a/b.bin");
	assert_int_equal(dumps[0].place.address, 0x8000);
	assert_int_equal(dumps[0].place.len, 0x10);
	assert_int_equal(dumps[0].place.offset, 4);
	assert_int_equal(dumps[0].place.space, SL_SPACE_EL2N);
	assert_int_equal(dumps[1].place.space, SL_SPACE_ANY);
	assert_int_equal(dumps[1].place.len, 0);
	assert_true(noted(&o.notes, "dir/cpu.ini:11: key 'colour'"));
	release(&o);
}

void test_snapshot__space_names_are_masks(void **state)
{
	static const struct {
		const char *name;
		unsigned mask;
	} rows[] = {
		{ "EL1S", SL_SPACE_EL1S }, { "EL1N", SL_SPACE_EL1N }, { "EL1R", SL_SPACE_EL1R },
		{ "EL2S", SL_SPACE_EL2S }, { "EL2", SL_SPACE_EL2N },  { "EL2N", SL_SPACE_EL2N },
		{ "EL2R", SL_SPACE_EL2R }, { "EL3", SL_SPACE_EL3 },   { "ROOT", SL_SPACE_ROOT },
		{ "S", SL_SPACE_S },	   { "N", SL_SPACE_N },	      { "R", SL_SPACE_R },
		{ "ANY", SL_SPACE_ANY },   { "H", SL_SPACE_EL2N },    { "P", SL_SPACE_EL1N },
		{ "NP", SL_SPACE_EL1N },   { "SP", SL_SPACE_EL1S },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct file changed[2] = { { "cpu.ini", NULL } };
		char text[256];
		struct opened o;

		snprintf(text, sizeof(text), CPU "[dump]\nfile=a\naddress=0\nspace=%s\n", rows[i].name);
		changed[0].text = text;
		open_files(changed, &o);
		assert_int_equal(o.result, SL_OK);
		assert_int_equal(o.cap->snap.devices[0].dumps[0].place.space, rows[i].mask);
		release(&o);
	}
}

void test_snapshot__buffers_are_trimmed_and_keep_their_order(void **state)
{
	static const struct file changed[] = {
		{ "trace.ini",
		  "[trace_buffers]\nbuffers= b2 , b1,, b0 ,\n"
		  "[b0]\nname=N0\nfile=0\nformat=source_data\n[b1]\nname=N1\nfile=1\nformat=dstream_coresight\n"
		  "[b2]\nname=N2\nfile=2\nformat=coresight\n" },
		{ 0 }
	};
	struct opened o;

	(void)state;
	open_files(changed, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(o.cap->snap.buffer_len, 3);
	assert_string_equal(o.cap->snap.buffers[0].name, "N2");
	assert_string_equal(o.cap->snap.buffers[2].name, "N0");
	assert_int_equal(o.cap->snap.buffers[0].framing, SL_FRAMING_CORESIGHT);
	assert_int_equal(o.cap->snap.buffers[1].framing, SL_FRAMING_DSTREAM);
	assert_int_equal(o.cap->snap.buffers[2].framing, SL_FRAMING_NONE);
	assert_true(noted(&o.notes, "source 'ETM_0' is in no buffer"));
	assert_true(noted(&o.notes, "buffer 'N1' has no source"));
	release(&o);
}

#define TOP3 "[device_list]\na=cpu.ini\nb=etm.ini\nc=etm1.ini\nd=etm2.ini\n[trace]\nmetadata=trace.ini\n"
#define SOURCES \
	"[source_buffers]\nETM_2=ETB_0\nETM_1=ETB_0\nETM_0=ETB_0\n[core_trace_sources]\ncpu_0=ETM_0\ncpu_0=ETM_1\ncpu_0=ETM_2\n"

void test_snapshot__streams_are_sorted_and_a_core_has_several(void **state)
{
	static const struct file changed[] = { { "snapshot.ini", TOP3 },
					       { "etm1.ini", ETM("ETM_1", "0x08") },
					       { "etm2.ini", ETM("ETM_2", "0x20") },
					       { "trace.ini", BUFFER SOURCES },
					       { 0 } };
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(changed, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 3);
	assert_string_equal(streams[0].name, "ETM_1");
	assert_string_equal(streams[1].name, "ETM_0");
	assert_string_equal(streams[2].name, "ETM_2");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(streams[i].core, 0);
	assert_int_equal(o.notes.len, 0);
	release(&o);
}

void test_snapshot__an_id_has_one_source_in_frames(void **state)
{
	static const struct file framed[] = { { "snapshot.ini", TOP3 },
					      { "etm1.ini", ETM("ETM_1", "0x10") },
					      { "etm2.ini", ETM("ETM_2", "0x11") },
					      { "trace.ini", BUFFER SOURCES },
					      { 0 } };
	static const struct file plain[] = { { "snapshot.ini", TOP3 },
					     { "etm1.ini", ETM("ETM_1", "0x10") },
					     { "etm2.ini", ETM("ETM_2", "0x11") },
					     { "trace.ini", BUFFER "format=source_data\n" SOURCES },
					     { 0 } };
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(framed, &o);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 3);
	assert_true(streams[0].usable);
	assert_false(streams[1].usable);
	assert_string_equal(streams[1].name, "ETM_1");
	assert_non_null(strstr(streams[1].why, "ETM_0"));
	assert_true(streams[2].usable);
	release(&o);
	open_files(plain, &o);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 3);
	assert_true(streams[0].usable && streams[1].usable && streams[2].usable);
	release(&o);
}

void test_snapshot__incomplete_registers_make_a_stream_unusable(void **state)
{
	static const struct file no_idr0[] = {
		{ "etm.ini",
		  "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4\n[regs]\nTRCCONFIGR=1\nTRCTRACEIDR=16\nTRCIDR2=0\n" },
		{ 0 }
	};
	static const struct file id_zero[] = { { "etm.ini", ETM("ETM_0", "0") }, { 0 } };
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(no_idr0, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 1);
	assert_false(streams[0].usable);
	assert_non_null(strstr(streams[0].why, "TRCIDR0"));
	release(&o);
	open_files(id_zero, &o);
	sl_capture_streams(o.cap, &streams);
	assert_false(streams[0].usable);
	assert_non_null(strstr(streams[0].why, "trace id"));
	release(&o);
}

void test_snapshot__unknown_cores_follow_the_trace_unit(void **state)
{
	static const struct file unknown[] = { { "cpu.ini", "[device]\nname=cpu_0\nclass=core\ntype=Kryo\n" },
					       { 0 } };
	static const struct file none[] = { { "trace.ini", BUFFER "[source_buffers]\nETM_0=ETB_0\n" },
					    { 0 } };
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(unknown, &o);
	sl_capture_streams(o.cap, &streams);
	assert_int_equal(streams[0].config.arch, SL_ARCH_AA64);
	assert_int_equal(streams[0].config.profile, SL_PROFILE_A);
	assert_true(noted(&o.notes, "dir/cpu.ini:4: core type 'Kryo'"));
	release(&o);
	open_files(none, &o);
	sl_capture_streams(o.cap, &streams);
	assert_int_equal(streams[0].config.arch, SL_ARCH_AA64);
	assert_int_equal(streams[0].core, SL_CORE_ANY);
	assert_null(streams[0].core_name);
	assert_true(noted(&o.notes, "source 'ETM_0' has no core"));
	release(&o);
}

void test_snapshot__ete_is_decoded_as_armv9(void **state)
{
	static const struct file changed[] = {
		{ "etm.ini", "[device]\nname=ETM_0\nclass=trace_source\ntype=ETE\n" REGS("0x10") }, { 0 }
	};
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(changed, &o);
	sl_capture_streams(o.cap, &streams);
	assert_int_equal(streams[0].config.protocol, SL_PROTOCOL_ETE);
	assert_int_equal(streams[0].config.arch, SL_ARCH_AA64);
	assert_int_equal(streams[0].config.regs[SL_REG_TRCDEVARCH], 0x47705A13);
	release(&o);
}

void test_snapshot__what_names_nothing_is_noted(void **state)
{
	static const struct file changed[] = { { "trace.ini", BUFFER
						 "[source_buffers]\nETM_9=ETB_0\nETM_0=ETB_9\nETM_0=ETB_0\n"
						 "[core_trace_sources]\ncpu_7=ETM_0\ncpu_0=ETM_0\n" },
					       { 0 } };
	static const struct file funnel[] = {
		{ "etm.ini", "[device]\nname=ETM_0\nclass=trace_source\ntype=FUNNEL\n" }, { 0 }
	};
	const struct sl_stream *streams;
	struct opened o;

	(void)state;
	open_files(changed, &o);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 1);
	assert_true(noted(&o.notes, "trace.ini:7: no device is a trace source named 'ETM_9'"));
	assert_true(noted(&o.notes, "trace.ini:8: no buffer has the name 'ETB_9'"));
	assert_true(noted(&o.notes, "trace.ini:11: no device is a core named 'cpu_7'"));
	assert_string_equal(streams[0].core_name, "cpu_0");
	release(&o);
	open_files(funnel, &o);
	assert_int_equal(sl_capture_streams(o.cap, &streams), 0);
	assert_true(noted(&o.notes, "type 'FUNNEL' cannot be decoded"));
	release(&o);
}

void test_snapshot__old_and_memory_only_ones_open(void **state)
{
	static const struct file memory[] = {
		{ "snapshot.ini", "[device_list]\nd0=cpu.ini\n[clusters]\na=b\n" }, { 0 }
	};
	static const struct file old[] = {
		{ "snapshot.ini", "[device_list]\nd0=cpu.ini\n" },
		{ "cpu.ini", "[global]\ncore=Cortex-A8\n[dump]\nfile=a\naddress=0\n[extendregs]\nx=1\n" },
		{ 0 }
	};
	static const struct file other[] = {
		{ "cpu.ini", "[device]\nname=f\nclass=funnel\n[dump]\nfile=x\n" }, { 0 }
	};
	static const struct file version[] = { { "snapshot.ini", "[snapshot]\nversion=7\n[device_list]\n" },
					       { 0 } };
	const struct sl_buffer *buffers;
	const char *const *names;
	struct opened o;

	(void)state;
	open_files(memory, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(sl_capture_buffers(o.cap, &buffers), 0);
	assert_true(noted(&o.notes, "holds memory and no trace"));
	release(&o);
	open_files(old, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(sl_capture_cores(o.cap, &names), 1);
	assert_int_equal(o.cap->snap.devices[0].dump_len, 1);
	release(&o);
	open_files(other, &o);
	assert_int_equal(o.result, SL_OK);
	assert_int_equal(sl_capture_cores(o.cap, &names), 0);
	release(&o);
	open_files(version, &o);
	assert_int_equal(o.result, SL_OK);
	assert_true(noted(&o.notes, "version '7'"));
	release(&o);
}

void test_snapshot__timestamp_frequency_is_told(void **state)
{
	static const struct file changed[] = { { "trace.ini", TRACE "[timestamp]\nfrequency=31250000\n" },
					       { 0 } };
	struct opened o;

	(void)state;
	open_files(NULL, &o);
	assert_int_equal(sl_capture_timestamp_hz(o.cap), 0);
	release(&o);
	open_files(changed, &o);
	assert_int_equal(sl_capture_timestamp_hz(o.cap), 31250000);
	release(&o);
}

/* A snapshot on disk: 40 bytes of trace, one dump of 8 bytes at 0x8000. */
static void make_dir(struct temp_dir *dir, const char *cpu)
{
	char trace[40];

	for (size_t i = 0; i < sizeof(trace); i++)
		trace[i] = (char)i;
	temp_dir_make(dir);
	temp_dir_text(dir, "snapshot.ini", TOP);
	temp_dir_text(dir, "cpu.ini", cpu);
	temp_dir_text(dir, "etm.ini", ETM("ETM_0", "0x10"));
	temp_dir_text(dir, "trace.ini", TRACE);
	temp_dir_bytes(dir, "etb.bin", trace, sizeof(trace));
	temp_dir_text(dir, "code.bin", "CODEcode");
}

#define DUMP "[dump1]\nfile=code.bin\naddress=0x8000\n"

static int open_path(const char *path, bool allow_outside, struct opened *ret)
{
	struct sl_capture_options options = { .allow_outside = allow_outside };

	memset(ret, 0, sizeof(*ret));
	ret->result = sl_capture_open(path, &options, &ret->notes, &ret->cap, &ret->diag);
	return ret->result;
}

void test_snapshot__directory_or_ini_path(void **state)
{
	static const char *const names[] = { "", "/", "/snapshot.ini" };
	struct temp_dir dir;

	(void)state;
	make_dir(&dir, CPU DUMP);
	for (size_t i = 0; i < COUNT(names); i++) {
		char path[128];
		struct opened o;
		const struct sl_buffer *buffers;

		snprintf(path, sizeof(path), "%s%s", dir.path, names[i]);
		assert_int_equal(open_path(path, false, &o), SL_OK);
		assert_string_equal(sl_capture_container(o.cap), "snapshot");
		assert_int_equal(sl_capture_buffers(o.cap, &buffers), 1);
		assert_int_equal(buffers[0].size, 40);
		assert_string_equal(buffers[0].path, temp_dir_path(&dir, "etb.bin"));
		release(&o);
	}
	temp_dir_remove(&dir);
}

void test_snapshot__buffers_are_read_in_part_and_to_the_end(void **state)
{
	struct temp_dir dir;
	struct opened o;
	char bytes[64];

	(void)state;
	make_dir(&dir, CPU DUMP);
	assert_int_equal(open_path(dir.path, false, &o), SL_OK);
	assert_int_equal(sl_capture_read(o.cap, 0, 10, bytes, 4), 4);
	assert_int_equal(bytes[0], 10);
	assert_int_equal(bytes[3], 13);
	assert_int_equal(sl_capture_read(o.cap, 0, 35, bytes, sizeof(bytes)), 5);
	assert_int_equal(bytes[4], 39);
	assert_int_equal(sl_capture_read(o.cap, 0, 40, bytes, 1), 0);
	assert_int_equal(sl_capture_read(o.cap, 0, UINT64_MAX, bytes, 1), 0);
	release(&o);
	temp_dir_remove(&dir);
}

void test_snapshot__unusable_buffer_files_are_errors(void **state)
{
	struct temp_dir dir;
	struct opened o;

	(void)state;
	make_dir(&dir, CPU DUMP);
	assert_int_equal(unlink(temp_dir_path(&dir, "etb.bin")), 0);
	assert_int_equal(open_path(dir.path, false, &o), SL_ERR_IO);
	assert_non_null(strstr(o.diag.text, "trace.ini:5: trace buffer"));
	release(&o);
	assert_int_equal(mkfifo(temp_dir_path(&dir, "etb.bin"), 0600), 0);
	assert_int_equal(open_path(dir.path, false, &o), SL_ERR_IO);
	assert_non_null(strstr(o.diag.text, "no regular file"));
	release(&o);
	assert_int_equal(unlink(temp_dir_path(&dir, "etb.bin")), 0);
	assert_int_equal(symlink("/etc/passwd", temp_dir_path(&dir, "etb.bin")), 0);
	assert_int_equal(open_path(dir.path, false, &o), SL_ERR_FORMAT);
	assert_non_null(strstr(o.diag.text, "--allow-outside"));
	release(&o);
	temp_dir_remove(&dir);
}

void test_snapshot__dumps_outside_count_as_missing(void **state)
{
	struct temp_dir dir, other;
	struct sl_image *image;
	const struct sl_missing *missing;
	struct opened o;
	char cpu[512];

	(void)state;
	temp_dir_make(&other);
	temp_dir_text(&other, "lib.bin", "12345678");
	snprintf(cpu, sizeof(cpu), CPU "[dump]\nfile=../%s/lib.bin\naddress=0x9000\nlength=8\n" DUMP,
		 strrchr(other.path, '/') + 1);
	make_dir(&dir, cpu);
	assert_int_equal(open_path(dir.path, false, &o), SL_OK);
	assert_true(noted(&o.notes, "cpu.ini:6: file ../"));
	assert_true(
		noted(&o.notes, "lies outside of the snapshot directory: give --allow-outside to read it"));
	assert_int_equal(sl_capture_load_image(o.cap, &o.notes, &image, &o.diag), SL_OK);
	assert_int_equal(sl_image_missing(image, &missing), 1);
	assert_int_equal(missing->start, 0x9000);
	assert_int_equal(missing->end, 0x9008);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x9000).len, 0);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x8004).len, 4);
	sl_image_free(image);
	release(&o);
	assert_int_equal(open_path(dir.path, true, &o), SL_OK);
	assert_int_equal(o.notes.len, 0);
	assert_int_equal(sl_capture_load_image(o.cap, &o.notes, &image, &o.diag), SL_OK);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x9000).len, 8);
	sl_image_free(image);
	release(&o);
	temp_dir_remove(&dir);
	temp_dir_remove(&other);
}

void test_snapshot__missing_dumps_and_user_files(void **state)
{
	struct temp_dir dir;
	struct sl_image_file file = { 0 };
	struct sl_capture_options options = { .images = &file, .image_count = 1 };
	struct sl_image *image;
	const struct sl_missing *missing;
	struct opened o = { 0 };
	char path[256];

	(void)state;
	make_dir(&dir, CPU "[dump]\nfile=gone.bin\naddress=0x100\n");
	snprintf(path, sizeof(path), "%s/code.bin", dir.path);
	file.path = path;
	assert_int_equal(sl_capture_open(dir.path, &options, &o.notes, &o.cap, &o.diag), SL_OK);
	assert_int_equal(sl_capture_load_image(o.cap, &o.notes, &image, &o.diag), SL_ERR_FORMAT);
	assert_non_null(strstr(o.diag.text, "code.bin@0x"));
	release(&o);
	memset(&o, 0, sizeof(o));
	file.address = 0x4000;
	file.address_known = true;
	assert_int_equal(sl_capture_open(dir.path, &options, &o.notes, &o.cap, &o.diag), SL_OK);
	assert_int_equal(sl_capture_load_image(o.cap, &o.notes, &image, &o.diag), SL_OK);
	assert_true(noted(&o.notes, "cpu.ini:6: dump is not read"));
	assert_int_equal(sl_image_missing(image, &missing), 1);
	assert_int_equal(sl_image_bytes(image, 0, SL_SPACE_ANY, 0x4000).len, 8);
	sl_image_free(image);
	release(&o);
	temp_dir_remove(&dir);
}

void test_snapshot__symbol_texts_beside_it_are_found(void **state)
{
	struct temp_dir dir;
	struct sl_image *image;
	struct sl_symbol_range range;
	struct opened o;

	(void)state;
	make_dir(&dir, CPU DUMP);
	temp_dir_text(&dir, "System.map", "0000000000008000 T first\n0000000000008004 T second\n");
	assert_int_equal(open_path(dir.path, false, &o), SL_OK);
	assert_int_equal(sl_capture_load_image(o.cap, &o.notes, &image, &o.diag), SL_OK);
	range = sl_image_symbol_at(image, 0, 0x8004);
	assert_string_equal(sl_image_symbol(image, range.id)->name, "second");
	sl_image_free(image);
	release(&o);
	temp_dir_remove(&dir);
}

void test_snapshot__symbol_file_names(void **state)
{
	static const char *const yes[] = { "System.map",    "System.map-6.1", "ut.nm",
					   "a.MAP",	    "a.sym",	      "kallsyms",
					   "cpu0.kallsyms", "symbols.txt",    "kallsyms.txt" };
	static const char *const no[] = {
		"cpu.ini", "etb.bin", "map", "README", "truth.tsv", "symbols.txt.gz"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(yes); i++)
		assert_true(sl_is_symbol_file_name(yes[i]));
	for (size_t i = 0; i < COUNT(no); i++)
		assert_false(sl_is_symbol_file_name(no[i]));
}

void test_snapshot__a_directory_without_ini_is_told(void **state)
{
	struct temp_dir dir;
	struct opened o;

	(void)state;
	temp_dir_make(&dir);
	assert_int_equal(open_path(dir.path, false, &o), SL_ERR_FORMAT);
	assert_non_null(strstr(o.diag.text, "no snapshot.ini"));
	release(&o);
	assert_int_equal(open_path("/nonexistent/dir", false, &o), SL_ERR_IO);
	release(&o);
	temp_dir_remove(&dir);
}

static int shared_count, shared_streams;

static int open_shared(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	struct opened o;
	const struct sl_stream *streams;

	(void)st;
	if (kind != FTW_F || strcmp(path + place->base, "snapshot.ini") != 0)
		return 0;
	if (open_path(path, false, &o) != SL_OK)
		fail_msg("%s: %s", path, o.diag.text);
	for (size_t i = sl_capture_streams(o.cap, &streams); i-- > 0; shared_streams++) {
		if (!streams[i].usable)
			fail_msg("%s: %s: %s", path, streams[i].name, streams[i].why);
	}
	shared_count++;
	release(&o);
	return 0;
}

void test_snapshot__shared_captures_open_with_all_streams(void **state)
{
	const char *shared = getenv("SIGHTLINE_SHARED");
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/captures", shared ? shared : SL_SOURCE_DIR "/../shared");
	if (access(path, R_OK) != 0)
		skip();
	shared_count = shared_streams = 0;
	assert_int_equal(nftw(path, open_shared, 16, FTW_PHYS), 0);
	assert_true(shared_count > 0);
	assert_true(shared_streams > shared_count);
}
