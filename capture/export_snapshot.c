/* SPDX-License-Identifier: Apache-2.0 */
/* A capture as a snapshot directory, in the ini files that OpenCSD and Arm DS read. */
#include "cores.h"
#include "export.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 65536 };

static const char *const source_types[SL_PROTOCOLS] = {
	[SL_PROTOCOL_ETMV3] = "ETM3.5", [SL_PROTOCOL_PTM] = "PTM1.1", [SL_PROTOCOL_ETMV4] = "ETM4",
	[SL_PROTOCOL_ETE] = "ETE",	[SL_PROTOCOL_STM] = "STM",    [SL_PROTOCOL_ITM] = "ITM",
	[SL_PROTOCOL_IPT] = "IPT",
};

/* tpiu and tpiu_hsync are read here only: the format knows no others. */
static const char *format_of(enum sl_framing framing)
{
	switch (framing) {
	case SL_FRAMING_NONE:
		return "source_data";
	case SL_FRAMING_CORESIGHT:
		return "coresight";
	case SL_FRAMING_DSTREAM:
		return "dstream_coresight";
	case SL_FRAMING_TPIU:
		return "tpiu";
	case SL_FRAMING_TPIU_HSYNC:
		return "tpiu_hsync";
	}
	return "coresight";
}

static int no_memory(const struct export *ex)
{
	return sl_fail(ex->diag, SL_ERR_NOMEM, "%s: %s", ex->dir, sl_strerror(SL_ERR_NOMEM));
}

/* A name of a device or buffer, without what means something in an ini file. */
static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || strchr(";#=,[]\"'", *name) ? '_' : *name, out);
}

static void put_pair(FILE *out, const char *key, const char *value)
{
	put_name(out, key);
	fputc('=', out);
	put_name(out, value);
	fputc('\n', out);
}

static int copy_buffer(struct export *ex, size_t i, const char **ret_name)
{
	const struct sl_buffer *buffer = &ex->cap->buffers[i];
	const char *name = sl_export_name(ex, buffer->path);
	char *block = malloc(BLOCK_BYTES);
	FILE *out = name && block ? sl_export_create(ex, name) : NULL;
	int result = out ? SL_OK : name && block ? SL_ERR_IO : no_memory(ex);
	ptrdiff_t got = 1;

	for (uint64_t at = 0; out && at < buffer->size && got > 0; at += (uint64_t)got) {
		got = sl_capture_read(ex->cap, i, at, block, BLOCK_BYTES);
		if (got > 0 && fwrite(block, 1, (size_t)got, out) != (size_t)got)
			break;
	}
	if (got <= 0)
		result = sl_fail(ex->diag, SL_ERR_IO, "%s: cannot be read: %s", buffer->path,
				 got ? strerror(errno) : "it became shorter");
	free(block);
	if (out && result < 0)
		fclose(out);
	else if (out)
		result = sl_export_close(ex, name, out);
	*ret_name = name;
	return result;
}

/* The core's type as given, or where that says nothing, what its stream was decoded as. */
static const char *type_of(const struct sl_capture *cap, size_t core)
{
	const char *type = cap->snap.devices[cap->core_devices[core]].type;
	enum sl_core_profile profile;
	enum sl_arch arch;

	if (type && sl_core_parse(type, &profile, &arch) == SL_OK)
		return type;
	for (size_t i = 0; i < cap->stream_len; i++) {
		if (cap->streams[i].core == core)
			return sl_core_type(cap->streams[i].config.profile, cap->streams[i].config.arch);
	}
	return type;
}

static int write_core(struct export *ex, size_t core, const char *name)
{
	const char *type = type_of(ex->cap, core);
	FILE *out = sl_export_create(ex, name);
	int result;

	if (!out)
		return SL_ERR_IO;
	fputs("[device]\n", out);
	put_pair(out, "name", ex->cap->core_names[core]);
	fputs("class=core\n", out);
	if (type)
		put_pair(out, "type", type);
	result = sl_export_dumps(ex, &ex->cap->snap.devices[ex->cap->core_devices[core]], out);
	if (result < 0) {
		fclose(out);
		return result;
	}
	return sl_export_close(ex, name, out);
}

static int write_source(struct export *ex, const struct sl_stream *stream, const char *name)
{
	FILE *out = sl_export_create(ex, name);

	if (!out)
		return SL_ERR_IO;
	fputs("[device]\n", out);
	put_pair(out, "name", stream->name);
	fprintf(out, "class=trace_source\ntype=%s\n\n[regs]\n", source_types[stream->config.protocol]);
	for (unsigned reg = 0; reg < SL_REGS; reg++) {
		if (sl_config_has(&stream->config, (enum sl_reg)reg))
			fprintf(out, "%s=0x%08" PRIX32 "\n", sl_reg_name(reg), stream->config.regs[reg]);
	}
	return sl_export_close(ex, name, out);
}

/* True where an earlier stream has the same source: it writes into several buffers. */
static bool is_repeated(const struct sl_capture *cap, size_t stream)
{
	for (size_t i = 0; i < stream; i++) {
		if (strcmp(cap->streams[i].name, cap->streams[stream].name) == 0)
			return true;
	}
	return false;
}

static const char *number_name(struct export *ex, const char *prefix, size_t number)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%zu.ini", prefix, number);
	return sl_export_name(ex, name);
}

static int write_devices(struct export *ex, FILE *top)
{
	const struct sl_capture *cap = ex->cap;
	size_t number = 0;
	int result = SL_OK;

	for (size_t i = 0; i < cap->core_len && result == SL_OK; i++) {
		const char *name = number_name(ex, "cpu", i);

		result = name ? write_core(ex, i, name) : no_memory(ex);
		if (result == SL_OK)
			fprintf(top, "device%zu=%s\n", number++, name);
	}
	for (size_t i = 0, n = 0; i < cap->stream_len && result == SL_OK; i++) {
		enum sl_protocol protocol = cap->streams[i].config.protocol;
		const char *kind = protocol == SL_PROTOCOL_STM	 ? "stm"
				   : protocol == SL_PROTOCOL_ITM ? "itm"
								 : "etm";
		const char *name;

		if (is_repeated(cap, i))
			continue;
		name = number_name(ex, kind, n++);
		result = name ? write_source(ex, &cap->streams[i], name) : no_memory(ex);
		if (result == SL_OK)
			fprintf(top, "device%zu=%s\n", number++, name);
	}
	return result;
}

static int write_buffers(struct export *ex, FILE *out)
{
	const struct sl_capture *cap = ex->cap;
	int result = SL_OK;

	fputs("[trace_buffers]\nbuffers=", out);
	for (size_t i = 0; i < cap->snap.buffer_len; i++)
		fprintf(out, "%sbuffer%zu", i ? "," : "", i);
	fputs("\n", out);
	for (size_t i = 0; i < cap->snap.buffer_len && result == SL_OK; i++) {
		const struct sl_buffer *buffer = &cap->buffers[i];
		const char *name;

		result = copy_buffer(ex, i, &name);
		if (result < 0)
			return result;
		fprintf(out, "\n[buffer%zu]\n", i);
		put_pair(out, "name", buffer->name);
		fprintf(out, "file=%s\nformat=%s\n", name, format_of(buffer->framing));
		if (buffer->framing == SL_FRAMING_TPIU || buffer->framing == SL_FRAMING_TPIU_HSYNC)
			sl_notes_add(ex->notes, "%s/trace.ini: format=%s is read by Sightline only", ex->dir,
				     format_of(buffer->framing));
	}
	return result;
}

static int write_trace(struct export *ex)
{
	const struct sl_capture *cap = ex->cap;
	FILE *out = sl_export_create(ex, "trace.ini");
	int result;

	if (!out)
		return SL_ERR_IO;
	result = write_buffers(ex, out);
	fputs("\n[source_buffers]\n", out);
	for (size_t i = 0; i < cap->stream_len; i++)
		put_pair(out, cap->streams[i].name, cap->buffers[cap->streams[i].buffer].name);
	fputs("\n[core_trace_sources]\n", out);
	for (size_t i = 0; i < cap->stream_len; i++) {
		if (cap->streams[i].core_name && !is_repeated(cap, i))
			put_pair(out, cap->streams[i].core_name, cap->streams[i].name);
	}
	if (cap->snap.timestamp_hz)
		fprintf(out, "\n[timestamp]\nfrequency=%" PRIu64 "\n", cap->snap.timestamp_hz);
	if (result < 0) {
		fclose(out);
		return result;
	}
	return sl_export_close(ex, "trace.ini", out);
}

static int write_all(struct export *ex)
{
	FILE *top;
	int result;

	/* Taken before anything is copied, so that no copy gets these names. */
	if (!sl_export_name(ex, "snapshot.ini") || !sl_export_name(ex, "trace.ini"))
		return no_memory(ex);
	top = sl_export_create(ex, "snapshot.ini");
	if (!top)
		return SL_ERR_IO;
	fprintf(top, "[snapshot]\nversion=1.0\ndescription=Written by Sightline %s\n\n[device_list]\n",
		SL_VERSION);
	result = write_devices(ex, top);
	fputs("\n[trace]\nmetadata=trace.ini\n", top);
	if (result == SL_OK)
		result = write_trace(ex);
	if (result == SL_OK)
		result = sl_export_symbols(ex);
	if (result < 0) {
		fclose(top);
		return result;
	}
	if (!ex->cap->core_len && ex->cap->image_count)
		sl_notes_add(ex->notes,
			     "%s: images are not copied: the capture has no core that they belong to",
			     ex->dir);
	return sl_export_close(ex, "snapshot.ini", top);
}

int sl_capture_export_snapshot(const struct sl_capture *cap, const char *dir, struct sl_notes *notes,
			       struct sl_diag *diag)
{
	struct export ex = { .cap = cap, .dir = dir, .notes = notes, .diag = diag };
	int result;

	if (cap->perf)
		return sl_fail(diag, SL_ERR_UNSUPPORTED,
			       "a perf.data describes itself and is not imported: give it to the commands as it is");
	if (mkdir(dir, 0777) < 0)
		return sl_fail(diag, SL_ERR_IO,
			       "%s: cannot be made: %s: name a directory that is not there yet", dir,
			       strerror(errno));
	ex.fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ex.fd < 0) {
		result = sl_fail(diag, SL_ERR_IO, "%s: cannot be opened: %s", dir, strerror(errno));
	} else {
		result = write_all(&ex);
		/* Half a snapshot is worth nothing; all these files are ours. */
		for (size_t i = 0; i < ex.file_len && result < 0; i++)
			unlinkat(ex.fd, ex.files[i].name, 0);
		close(ex.fd);
	}
	if (result < 0)
		rmdir(dir);
	for (size_t i = 0; i < ex.file_len; i++) {
		free(ex.files[i].name);
		free(ex.files[i].source);
	}
	free(ex.files);
	return result;
}
