/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of other tools of anything that a sink may tell (told.h): whatever names are, JSON is JSON, CSV has
 * its fields, XML's elements are closed, protocol buffers end where they say, and what was told is there as
 * often.
 */
#include <jansson.h>
#include <stdio.h>
#include <zlib.h>

#include "sl_export_files.h"
#include "told.h"

struct text {
	char *data;
	size_t len;
};

static void text_release(struct text *text)
{
	free(text->data);
}

typedef int timeline_new(FILE *out, struct sl_timeline *ret);

static struct text timeline_of(struct made *made, struct input in, timeline_new *open)
{
	struct text text = { 0 };
	FILE *out = open_memstream(&text.data, &text.len);

	make(made, in);
	must(out && open(out, &made->to) == SL_OK);
	tell_begin(made);
	while (made->in.at < made->in.end)
		step(made, byte_of(&made->in));
	end_all(made);
	must(made->to.ops->close(made->to.out) == SL_OK);
	fclose(out);
	unmake(made);
	return text;
}

typedef int paths_new(FILE *out, struct sl_paths *ret);

static struct text paths_of(const struct made *made, paths_new *open)
{
	struct text text = { 0 };
	struct sl_paths paths;
	FILE *out = open_memstream(&text.data, &text.len);

	must(out && open(out, &paths) == SL_OK);
	tell_paths(made, &paths);
	must(paths.ops->close(paths.out) == SL_OK);
	fclose(out);
	return text;
}

static json_t *json_of(const char *text, size_t len)
{
	json_t *json = json_loadb(text, len, 0, NULL);

	must(json);
	return json;
}

/* Calls are events of process 1. */
static void check_chrome(const struct made *made, struct text text)
{
	json_t *json = json_of(text.data, text.len), *event;
	uint64_t calls = 0;
	size_t i;

	json_array_foreach(json_object_get(json, "traceEvents"), i, event)
	{
		const char *phase = json_string_value(json_object_get(event, "ph"));

		must(phase);
		if (*phase == 'X' && json_integer_value(json_object_get(event, "pid")) == 1)
			calls++;
	}
	must(calls == made->calls);
	json_decref(json);
}

static uint64_t check_profile(const json_t *profile, size_t frames)
{
	uint64_t open = 0, calls = 0;
	json_int_t last = 0;
	json_t *event;
	size_t i;

	json_array_foreach(json_object_get(profile, "events"), i, event)
	{
		bool opens = *json_string_value(json_object_get(event, "type")) == 'O';
		json_int_t at = json_integer_value(json_object_get(event, "at"));

		must(opens || open);
		must(at >= last && (size_t)json_integer_value(json_object_get(event, "frame")) < frames);
		open += opens ? 1 : UINT64_MAX;
		calls += opens;
		last = at;
	}
	must(!open);
	return calls;
}

static void check_speedscope(const struct made *made, struct text text)
{
	json_t *json = json_of(text.data, text.len), *profile;
	size_t frames = json_array_size(json_object_get(json_object_get(json, "shared"), "frames")), i;
	uint64_t calls = 0;

	json_array_foreach(json_object_get(json, "profiles"), i, profile) calls +=
		check_profile(profile, frames);
	must(calls == made->calls);
	json_decref(json);
}

/* A head and a row a call, each in a line. */
static void check_json(const struct made *made, struct text text)
{
	uint64_t lines = 0;

	for (const char *at = text.data, *end; at < text.data + text.len; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text.data + text.len - at));
		must(end);
		json_decref(json_of(at, (size_t)(end - at)));
		lines++;
	}
	must(lines == made->calls + 1);
}

static void check_csv(const struct made *made, struct text text)
{
	uint64_t rows = 0, fields = 1;
	bool quoted = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '"')
			quoted = !quoted;
		if (quoted)
			continue;
		fields += c == ',';
		if (c == '\n') {
			must(fields == 18);
			fields = 1;
			rows++;
		}
	}
	must(!quoted && rows == made->calls + 1);
}

static uint64_t varint(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned shift = 0;; shift += 7) {
		must(*at < end && shift < 70);
		value |= (uint64_t)(**at & 127) << shift;
		if (*(*at)++ < 128)
			return value;
	}
}

/* Fields of a message, one behind the other to its end. */
static void check_message(const uint8_t *at, size_t len)
{
	const uint8_t *end = at + len;

	while (at < end) {
		uint64_t tag = varint(&at, end), size = 0;

		if ((tag & 7) == 2)
			size = varint(&at, end);
		else if ((tag & 7) == 1)
			size = 8;
		else if ((tag & 7) == 0)
			varint(&at, end);
		else
			must(false);
		must(tag >> 3 && size <= (uint64_t)(end - at));
		at += size;
	}
}

static void check_pprof(const struct made *made, struct text text)
{
	size_t cap = text.len * 20 + 65536;
	uint8_t *data = malloc(cap);
	z_stream z = { .next_in = (Bytef *)text.data,
		       .avail_in = (uInt)text.len,
		       .next_out = data,
		       .avail_out = (uInt)cap };

	(void)made;
	must(data && inflateInit2(&z, 16 + MAX_WBITS) == Z_OK);
	must(inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_in);
	check_message(data, z.total_out);
	inflateEnd(&z);
	free(data);
}

static void check_perfetto(const struct made *made, struct text text)
{
	(void)made;
	check_message((const uint8_t *)text.data, text.len);
}

/* One line a path that took something by itself: names, and what it took. */
static void check_folded(const struct made *made, struct text text)
{
	const char *at = text.data;

	for (unsigned i = 0; i < made->path_count; i++) {
		const struct sl_path *path = &made->paths[i];
		char number[32];
		const char *end;
		uint32_t depth = 0;

		if (!path->self)
			continue;
		end = strchr(at, '\n');
		snprintf(number, sizeof(number), " %llu\n", (unsigned long long)path->self);
		must(end && (size_t)(end + 1 - at) >= strlen(number));
		must(memcmp(end + 1 - strlen(number), number, strlen(number)) == 0);
		for (const char *c = at; c < end; c++)
			depth += *c == ';';
		must(depth == path->depth);
		at = end + 1;
	}
	must(!*at);
}

/* Up to behind what ends a part of XML. */
static const char *behind(const char *at, const char *end)
{
	at = strstr(at, end);
	must(at);
	return at + strlen(end);
}

/* The end of a tag, which quotes may not hide; whether it stands for itself. */
static const char *tag_end(const char *at, bool *ret_empty)
{
	char quote = 0;

	for (; *at && (quote || *at != '>'); at++) {
		must(*at != '<');
		if (quote ? *at == quote : *at == '"' || *at == '\'')
			quote = quote ? 0 : *at;
	}
	must(*at);
	*ret_empty = at[-1] == '/';
	return at + 1;
}

static void check_flamegraph(const struct made *made, struct text text)
{
	const char *at = text.data;
	uint64_t open = 0;
	bool empty;

	(void)made;
	must(strlen(text.data) == text.len);
	while ((at = strchr(at, '<')) != NULL) {
		if (strncmp(at, "<![CDATA[", 9) == 0) {
			at = behind(at, "]]>");
		} else if (strncmp(at, "<!--", 4) == 0) {
			at = behind(at, "-->");
		} else if (at[1] == '?' || at[1] == '!') {
			at = behind(at, ">");
		} else if (at[1] == '/') {
			must(open--);
			at = behind(at, ">");
		} else {
			must(at[1] >= 'a' && at[1] <= 'z');
			at = tag_end(at + 1, &empty);
			open += !empty;
		}
	}
	must(!open);
}

/* Names end no line: a line is a word with '=' or ':' behind it, numbers, or nothing. */
static void check_callgrind(const struct made *made, struct text text)
{
	(void)made;
	for (const char *at = text.data, *end; *at; at = end + 1) {
		size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz");

		end = strchr(at, '\n');
		must(end);
		for (const char *c = at; c < end; c++)
			must((unsigned char)*c >= 0x20);
		must(word ? at[word] == '=' || at[word] == ':' : at == end || strchr("0123456789+-*#", *at));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		timeline_new *open;
		void (*check)(const struct made *made, struct text text);
	} timelines[] = {
		{ sl_timeline_json_new, check_json },
		{ sl_timeline_csv_new, check_csv },
		{ sl_timeline_chrome_new, check_chrome },
		{ sl_timeline_speedscope_new, check_speedscope },
		{ sl_timeline_perfetto_new, check_perfetto },
	};
	static const struct {
		paths_new *open;
		void (*check)(const struct made *made, struct text text);
	} paths[] = {
		{ sl_paths_folded_new, check_folded },
		{ sl_paths_flamegraph_new, check_flamegraph },
		{ sl_paths_callgrind_new, check_callgrind },
		{ sl_paths_pprof_new, check_pprof },
	};
	static struct made made;
	struct input in = { data, data + size };

	for (size_t i = 0; i < sizeof(timelines) / sizeof(timelines[0]); i++) {
		struct text text = timeline_of(&made, in, timelines[i].open);

		timelines[i].check(&made, text);
		text_release(&text);
	}
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct text text = paths_of(&made, paths[i].open);

		paths[i].check(&made, text);
		text_release(&text);
	}
	return 0;
}
