/* SPDX-License-Identifier: Apache-2.0 */
/* From what a snapshot says to streams: a trace source in a buffer, with its core's architecture. */
#include "cores.h"
#include "capture.h"

#include "sl_array.h"
#include "sl_text.h"

#include <stdlib.h>
#include <string.h>

/* Ids that a source in formatter frames may have (IHI 0029, D4): 0 is padding, from 0x70 on they are
 * reserved. */
enum { TRACE_ID_FIRST = 0x01, TRACE_ID_LAST = 0x6f };

struct shown {
	char text[80];
};

static const char *show(struct shown *ret, const char *text)
{
	return sl_printable(text ? text : "", ret->text, sizeof(ret->text));
}

/* The device of that name and kind, or NULL. */
static struct sl_snap_device *find_device(const struct sl_snapshot *snap, const char *name, bool core)
{
	for (size_t i = 0; i < snap->device_len; i++) {
		if (snap->devices[i].core == core && strcmp(snap->devices[i].name, name) == 0)
			return &snap->devices[i];
	}
	return NULL;
}

static int find_buffer(const struct sl_snapshot *snap, const char *name, size_t *ret)
{
	for (size_t i = 0; i < snap->buffer_len; i++) {
		if (strcmp(snap->buffers[i].name, name) == 0) {
			*ret = i;
			return SL_OK;
		}
	}
	return SL_END;
}

static int add_cores(struct sl_capture *cap)
{
	struct sl_snapshot *snap = &cap->snap;

	cap->core_names = calloc(snap->device_len + 1, sizeof(*cap->core_names));
	cap->core_devices = calloc(snap->device_len + 1, sizeof(*cap->core_devices));
	if (!cap->core_names || !cap->core_devices)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < snap->device_len; i++) {
		struct sl_snap_device *device = &snap->devices[i];

		if (!device->core)
			continue;
		for (size_t k = 0; k < device->dump_len; k++)
			device->dumps[k].place.core = (uint32_t)cap->core_len;
		cap->core_names[cap->core_len] = device->name;
		cap->core_devices[cap->core_len++] = i;
	}
	return SL_OK;
}

static bool has_core(enum sl_protocol protocol)
{
	return protocol != SL_PROTOCOL_STM && protocol != SL_PROTOCOL_ITM;
}

static void set_core(struct sl_capture *cap, struct sl_stream *stream, const struct sl_snap_device *core)
{
	for (size_t i = 0; i < cap->core_len; i++) {
		if (&cap->snap.devices[cap->core_devices[i]] == core)
			stream->core = (uint32_t)i;
	}
	stream->core_name = core->name;
}

static bool is_left_of(const struct sl_snap_pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->len; i++) {
		if (strcmp(pairs->items[i].left, name) == 0)
			return true;
	}
	return false;
}

/* Gives each source the core that [core_trace_sources] names. */
static void link_cores(struct sl_capture *cap, struct sl_notes *notes)
{
	const struct sl_ini *ini = cap->snap.trace_ini;
	struct shown name, source_name;

	for (size_t i = 0; i < cap->snap.core_sources.len; i++) {
		const struct sl_snap_pair *pair = &cap->snap.core_sources.items[i];
		struct sl_snap_device *core = find_device(&cap->snap, pair->left, true);
		struct sl_snap_device *source = find_device(&cap->snap, pair->right, false);

		/* Snapshots tell of the whole board, also of what was left out of this one. */
		if (!source || !is_left_of(&cap->snap.source_buffers, source->name))
			continue;
		if (!core)
			sl_ini_note(ini, pair->line, notes, "no device is a core named '%s'",
				    show(&name, pair->left));
		else if (source->traces && source->traces != core)
			sl_ini_note(ini, pair->line, notes,
				    "source '%s' has another core already: '%s' is not used",
				    show(&source_name, source->name), show(&name, core->name));
		else
			source->traces = core;
	}
}

static const char *arch_name(enum sl_arch arch)
{
	return arch == SL_ARCH_V7 ? "Armv7" : arch == SL_ARCH_V8 ? "Armv8" : "AArch64";
}

/* Profile and architecture, from the core's name or else from the trace unit's own registers. */
static void set_arch(struct sl_stream *stream, const struct sl_snap_device *source,
		     const struct sl_snap_device *core, struct sl_notes *notes)
{
	struct sl_trace_config *config = &stream->config;
	struct shown type, name;

	config->profile = SL_PROFILE_A;
	config->arch = sl_core_guess(config);
	if (!core && source->ini)
		sl_ini_note(
			source->ini, source->type_line, notes,
			"source '%s' has no core in [core_trace_sources]: taken for an A-profile %s core's, "
			"after its own registers",
			show(&name, source->name), arch_name(config->arch));
	if (!core)
		return;
	if (core->type && sl_core_parse(core->type, &config->profile, &config->arch) == SL_OK) {
		/* ETE comes with Armv9. */
		if (config->protocol == SL_PROTOCOL_ETE)
			config->arch = SL_ARCH_AA64;
		return;
	}
	if (core->ini)
		sl_ini_note(
			core->ini, core->type_line, notes,
			"core type '%s' is not known: taken for an A-profile %s core, after the registers of "
			"its trace source; if that is wrong, write ARMv7-A, ARMv8-R, ARMv8-M or the like",
			show(&type, core->type), arch_name(config->arch));
}

static bool is_framed(const struct sl_capture *cap, const struct sl_stream *stream)
{
	return cap->buffers[stream->buffer].framing != SL_FRAMING_NONE;
}

int sl_stream_check(struct sl_capture *cap, struct sl_stream *stream)
{
	struct sl_diag diag;

	stream->usable = sl_config_complete(&stream->config, &diag) == SL_OK;
	stream->trace_id = sl_config_trace_id(&stream->config);
	if (stream->usable && is_framed(cap, stream) &&
	    (stream->trace_id < TRACE_ID_FIRST || stream->trace_id > TRACE_ID_LAST)) {
		stream->usable = false;
		sl_fail(&diag, SL_ERR_CONFIG,
			"its trace id is 0x%02x, and in frames only 0x%02x to 0x%02x are sources",
			stream->trace_id, TRACE_ID_FIRST, TRACE_ID_LAST);
	}
	if (stream->usable)
		return SL_OK;
	stream->why = sl_capture_keep(cap, diag.text);
	return stream->why ? SL_OK : SL_ERR_NOMEM;
}

static int add_stream(struct sl_capture *cap, const struct sl_snap_device *source, size_t buffer,
		      struct sl_notes *notes)
{
	struct sl_stream stream = {
		.buffer = buffer, .name = source->name, .core = SL_CORE_ANY, .cpu = -1, .config = source->config
	};
	struct shown type, name;
	int result;

	if (sl_protocol_parse(source->type, &stream.config.protocol) < 0) {
		if (source->ini)
			sl_ini_note(
				source->ini, source->type_line, notes,
				"source '%s' of type '%s' cannot be decoded: expected ETM3, PTM, PFT, ETM4, ETE, "
				"STM or ITM",
				show(&name, source->name), show(&type, source->type));
		return SL_OK;
	}
	if (has_core(stream.config.protocol)) {
		if (source->traces)
			set_core(cap, &stream, source->traces);
		set_arch(&stream, source, source->traces, notes);
	}
	result = sl_stream_check(cap, &stream);
	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&cap->streams, &cap->stream_len, &cap->stream_cap, stream);
	return result;
}

static int add_streams(struct sl_capture *cap, struct sl_notes *notes)
{
	const struct sl_snapshot *snap = &cap->snap;

	for (size_t i = 0; i < snap->source_buffers.len; i++) {
		const struct sl_snap_pair *pair = &snap->source_buffers.items[i];
		const struct sl_snap_device *source = find_device(snap, pair->left, false);
		struct shown name;
		size_t buffer;
		int result;

		if (find_buffer(snap, pair->right, &buffer) != SL_OK) {
			sl_ini_note(snap->trace_ini, pair->line, notes, "no buffer has the name '%s'",
				    show(&name, pair->right));
		} else if (!source) {
			sl_ini_note(snap->trace_ini, pair->line, notes,
				    "no device is a trace source named '%s'", show(&name, pair->left));
		} else {
			result = add_stream(cap, source, buffer, notes);
			if (result < 0)
				return result;
		}
	}
	return SL_OK;
}

static int by_place(const void *left, const void *right)
{
	const struct sl_stream *a = left, *b = right;

	if (a->buffer != b->buffer)
		return a->buffer < b->buffer ? -1 : 1;
	if (a->trace_id != b->trace_id)
		return a->trace_id < b->trace_id ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* In frames an id tells one source: of two that claim it, the first is believed. */
static int refuse_doubles(struct sl_capture *cap)
{
	const struct sl_stream *kept = NULL;

	for (size_t i = 0; i < cap->stream_len; i++) {
		struct sl_stream *stream = &cap->streams[i];
		struct shown name;
		struct sl_diag diag;

		if (!stream->usable || !is_framed(cap, stream))
			continue;
		if (!kept || kept->buffer != stream->buffer || kept->trace_id != stream->trace_id) {
			kept = stream;
			continue;
		}
		sl_fail(&diag, SL_ERR_CONFIG, "its trace id 0x%02x is that of %s as well, which is decoded",
			stream->trace_id, show(&name, kept->name));
		stream->usable = false;
		stream->why = sl_capture_keep(cap, diag.text);
		if (!stream->why)
			return SL_ERR_NOMEM;
	}
	return SL_OK;
}

/* Sources that no buffer has, and buffers that no source fills. */
static void note_loose_ends(const struct sl_capture *cap, struct sl_notes *notes)
{
	const struct sl_snapshot *snap = &cap->snap;
	struct shown name;

	for (size_t i = 0; i < snap->device_len && snap->trace_ini; i++) {
		const struct sl_snap_device *source = &snap->devices[i];

		if (!source->core && source->ini && !is_left_of(&snap->source_buffers, source->name))
			sl_ini_note(source->ini, source->type_line, notes,
				    "source '%s' is in no buffer: [source_buffers] of %s does not name it",
				    show(&name, source->name), snap->trace_ini->file);
	}
	for (size_t i = 0, at = 0; i < snap->buffer_len; i++) {
		size_t first = at;

		while (at < cap->stream_len && cap->streams[at].buffer == i)
			at++;
		if (at == first && snap->buffers[i].ini)
			sl_ini_note(
				snap->buffers[i].ini, snap->buffers[i].line, notes,
				"buffer '%s' has no source: name one in [source_buffers], or its bytes are not decoded",
				show(&name, snap->buffers[i].name));
	}
}

int sl_streams_settle(struct sl_capture *cap)
{
	if (cap->stream_len)
		qsort(cap->streams, cap->stream_len, sizeof(*cap->streams), by_place);
	return refuse_doubles(cap);
}

static int add_buffers(struct sl_capture *cap)
{
	if (sl_capture_make_buffers(cap, cap->snap.buffer_len) < 0)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < cap->buffer_len; i++) {
		cap->buffers[i].name = cap->snap.buffers[i].name;
		cap->buffers[i].framing = cap->snap.buffers[i].framing;
	}
	return SL_OK;
}

int sl_streams_build(struct sl_capture *cap, struct sl_notes *notes)
{
	int result = add_cores(cap);

	link_cores(cap, notes);
	if (result == SL_OK)
		result = add_buffers(cap);
	if (result == SL_OK)
		result = add_streams(cap, notes);
	if (result < 0)
		return result;
	result = sl_streams_settle(cap);
	if (result == SL_OK)
		note_loose_ends(cap, notes);
	return result;
}
