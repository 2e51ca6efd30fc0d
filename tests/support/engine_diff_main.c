/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both engines over captures, element by element: engine_diff [-m COUNT] [-s SEED] [-w FILE] CAPTURE...
 * As they are, through the run; with -m, also COUNT mutants of each lane of ETMv4 and ETE (flipped bits, cut and spliced
 * bytes, return stack and speculation switched on), fed in pieces. Exit code 1 where a list differs: the first difference
 * is printed, with what lies around it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode_text.h"
#include "purpose.h"
#include "sl_array.h"
#include "sl_capture.h"
#include "sl_decoder.h"
#include "sl_demux.h"
#include "sl_file.h"
#include "sl_run.h"

enum { AROUND = 6 };

struct list {
	struct sl_elem *elems;
	size_t len, cap;
	char name[64];
	bool is_wanted;
};

enum { LISTS_MAX = 1024 };
struct lists {
	struct list lists[LISTS_MAX];
	size_t len;
};

/* Shared with the processes that decode mutants: OpenCSD crashes on some. */
static struct counts {
	uint64_t differences, compared, lists, crashes, rules[PURPOSES];
	uint64_t seed;
	bool in_opencsd;
} *counts;

static void print_around(const struct list *list, size_t at, const char *engine)
{
	char text[200];

	for (size_t i = at > AROUND ? at - AROUND : 0; i < at + 3 && i < list->len; i++) {
		elem_text(&list->elems[i], text, sizeof(text));
		printf("  %s%8s %zu: %s\n", i == at ? ">" : " ", engine, i, text);
	}
}

/* Padding counts as well: elements are compared as they are. */
static bool same_elem(const struct sl_elem *a, const struct sl_elem *b)
{
	return sl_elem_same(a, b);
}

/* What is decoded now, for the rules that look at the program. */
static const struct sl_image *image_now;

/* What is the same, and then what differs on purpose, or cannot be compared; false: neither is. */
static bool pass(struct purposes *purposes, const struct list *want, size_t *i, const struct list *got, size_t *j)
{
	bool passes_fast, passes_opencsd;
	size_t same = 0;

	while (!purposes->lost && *i + same < want->len && *j + same < got->len &&
	       same_elem(&want->elems[*i + same], &got->elems[*j + same]))
		same++;
	purpose_same(purposes, got->elems + *j, same);
	counts->compared += same;
	*i += same;
	*j += same;
	if ((*i == want->len && *j == got->len) ||
	    !purpose_pass(purposes, *j < got->len ? &got->elems[*j] : NULL, *i < want->len ? &want->elems[*i] : NULL,
			  &passes_fast, &passes_opencsd))
		return false;
	*i += passes_opencsd;
	*j += passes_fast;
	return true;
}

static bool compare(const char *name, const struct list *want, const struct list *got)
{
	struct purposes purposes = { .image = image_now };
	size_t i = 0, j = 0;

	while (pass(&purposes, want, &i, got, &j))
		;
	for (unsigned p = 0; p < PURPOSES; p++)
		counts->rules[p] += purposes.times[p];
	counts->lists++;
	if (i == want->len && j == got->len)
		return true;
	counts->differences++;
	printf("%s %s: element %zu of %zu, and %zu of %zu, differ\n", name, want->name, i, want->len, j, got->len);
	print_around(want, i, "opencsd");
	print_around(got, j, "fast");
	return false;
}

/* The protocols of both engines. */
static bool is_covered(const struct sl_trace_config *config)
{
	return config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE;
}

static int sink_begin(void *sink, const struct sl_lane *lane, void **shard)
{
	struct lists *lists = sink;
	struct list *list = &lists->lists[lists->len];

	*shard = list;
	list->is_wanted = is_covered(&lane->stream->config);
	if (!list->is_wanted)
		return SL_OK;
	if (++lists->len == LISTS_MAX)
		abort();
	snprintf(list->name, sizeof(list->name), "%s %s %02x", lane->buffer->name, lane->stream->name,
		 lane->stream->trace_id);
	return SL_OK;
}

static int sink_elems(void *shard, const struct sl_elem *elems, size_t len)
{
	struct list *list = shard;

	if (!list->is_wanted)
		return SL_OK;
	if (sl_array_reserve((void **)&list->elems, &list->cap, sizeof(*elems), list->len + len) < 0)
		return SL_ERR_NOMEM;
	memcpy(list->elems + list->len, elems, len * sizeof(*elems));
	list->len += len;
	return SL_OK;
}

static int sink_end(void *sink, void *shard, const struct sl_lane *lane)
{
	(void)sink, (void)shard, (void)lane;
	return SL_OK;
}

static void sink_drop(void *shard)
{
	(void)shard;
}

/* Protocols that only one engine has are decoded by it twice. */
static int new_decoder(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		       struct sl_decoder **ret, struct sl_diag *diag)
{
	struct sl_decoder_options own = *options;

	if (!is_covered(config))
		own.engine = SL_ENGINE_AUTO;
	return sl_decoder_new(config, &own, ret, diag);
}

static void run(const struct sl_capture *capture, const struct sl_image *image, enum sl_engine engine,
		struct lists *ret)
{
	static const struct sl_sink_ops ops = { .name = "lists", .wants_ranges = true, .begin = sink_begin, .elems = sink_elems,
						.end = sink_end, .drop = sink_drop };
	struct sl_sink sink = { &ops, ret };
	struct sl_run_options options = { .capture = capture, .image = image, .sinks = &sink, .sink_count = 1,
					  .trace_id = -1, .jobs = 1, .engine = engine, .new_decoder = new_decoder };
	struct sl_run_result result = { 0 };
	struct sl_notes notes = { 0 };
	struct sl_diag diag = { "" };

	if (sl_run(&options, &notes, &result, &diag) < 0)
		printf("run: %s\n", diag.text);
	sl_run_result_release(&result);
	sl_notes_release(&notes);
}

static void release(struct lists *lists)
{
	for (size_t i = 0; i < lists->len; i++)
		free(lists->lists[i].elems);
	free(lists);
}

static void diff_run(const char *name, const struct sl_capture *capture, const struct sl_image *image)
{
	struct lists *want = calloc(1, sizeof(*want)), *got = calloc(1, sizeof(*got));

	run(capture, image, SL_ENGINE_OPENCSD, want);
	run(capture, image, SL_ENGINE_FAST, got);
	if (want->len != got->len) {
		printf("%s: %zu and %zu lanes\n", name, want->len, got->len);
		counts->differences++;
	}
	for (size_t i = 0; i < want->len && i < got->len; i++)
		compare(name, &want->lists[i], &got->lists[i]);
	release(want);
	release(got);
}

static uint64_t any(uint64_t below)
{
	counts->seed ^= counts->seed << 13;
	counts->seed ^= counts->seed >> 7;
	counts->seed ^= counts->seed << 17;
	return below ? counts->seed % below : 0;
}

static void decode(const struct sl_trace_config *config, const struct sl_image *image, uint32_t core,
		   enum sl_engine engine, struct sl_bytes lane, size_t piece, size_t restart_at, struct list *ret)
{
	struct sl_decoder_options options = { .image = image, .core = core, .engine = engine };
	struct sl_decoder *dec;
	struct sl_elem *elems;
	size_t n;

	if (sl_decoder_new(config, &options, &dec, NULL) < 0)
		return;
	for (size_t at = 0; at < lane.len; at += n) {
		n = piece < lane.len - at ? piece : lane.len - at;
		if (at < restart_at && n > restart_at - at)
			n = restart_at - at;
		if (at == restart_at)
			sl_decoder_restart(dec);
		sl_decoder_feed(dec, (struct sl_bytes){ lane.data + at, n, at });
		for (size_t m; sl_decoder_lend(dec, &elems, &m) == SL_OK;)
			sink_elems(ret, elems, m);
	}
	sl_decoder_finish(dec);
	for (size_t m; sl_decoder_lend(dec, &elems, &m) == SL_OK;)
		sink_elems(ret, elems, m);
	sl_decoder_free(dec);
}

/* A stretch of the lane, damaged. */
static size_t mutate(const uint8_t *lane, size_t len, uint8_t *ret)
{
	size_t at = any(len), n = 64 + any(6000);
	unsigned edits = (unsigned)any(12);

	if (any(4)) /* from an A-Sync on, mostly */
		while (at + 12 < len && (lane[at] || lane[at + 11] != 0x80 || lane[at + 10]))
			at++;
	n = n < len - at ? n : len - at;
	memcpy(ret, lane + at, n);
	for (unsigned i = 0; i < edits; i++) {
		size_t p = any(n), m = 1 + any(8);

		switch (any(5)) {
		case 0:
			ret[p] ^= (uint8_t)(1u << any(8));
			break;
		case 1:
			ret[p] = (uint8_t)any(256);
			break;
		case 2: /* cut */
			if (p + m < n) {
				memmove(ret + p, ret + p + m, n - p - m);
				n -= m;
			}
			break;
		case 3: /* splice */
			if (p + m < n)
				memcpy(ret + p, lane + any(len > m ? len - m : 1), m < len ? m : len);
			break;
		default: /* insert */
			if (p + m < n)
				memmove(ret + p + m, ret + p, n - p - m);
		}
	}
	return n;
}

static void vary_config(struct sl_trace_config *config)
{
	if (any(3) == 0)
		config->regs[SL_REG_TRCCONFIGR] ^= 1u << 12;
	if (any(4) == 0)
		config->regs[SL_REG_TRCIDR8] = any(2) ? (uint32_t)any(16) : 0;
	if (any(6) == 0)
		config->regs[SL_REG_TRCIDR0] ^= 1u << (15 + any(16));
	if (any(8) == 0)
		config->regs[SL_REG_TRCIDR2] ^= 1u << (5 + any(10));
	if (any(8) == 0)
		config->regs[SL_REG_TRCCONFIGR] ^= 1u << 4;
	/* OpenCSD 1.3.3 ignores commits inside of cycle counts: TRCIDR0.COMMOPT of 1 has none */
	if (config->regs[SL_REG_TRCIDR8])
		config->regs[SL_REG_TRCIDR0] |= 1u << 29 | 1u << 7;
	sl_config_set(config, SL_REG_TRCIDR8, config->regs[SL_REG_TRCIDR8]);
}

static const char *save_path;

/* The last mutant that differs, with -w FILE. */
static void save(struct sl_bytes mutant)
{
	FILE *file = save_path ? fopen(save_path, "wb") : NULL;

	if (!file)
		return;
	fwrite(mutant.data, 1, mutant.len, file);
	fclose(file);
}

static void diff_mutant(const char *name, const struct sl_stream *stream, const struct sl_image *image,
			struct sl_bytes lane, unsigned n)
{
	struct sl_trace_config config = stream->config;
	uint64_t first_seed = counts->seed;
	struct list want = { .is_wanted = true }, got = { .is_wanted = true };
	static uint8_t bytes[1 << 16];
	struct sl_bytes mutant = { bytes, mutate(lane.data, lane.len, bytes), 0 };
	size_t piece = any(2) ? 4096 : 1 + any(300), restart_at = any(8) ? SIZE_MAX : any(mutant.len);

	if (n % 2)
		vary_config(&config);
	snprintf(want.name, sizeof(want.name), "%s mutant %u seed %" PRIu64, stream->name, n, first_seed);
	counts->in_opencsd = true;
	decode(&config, image, stream->core, SL_ENGINE_OPENCSD, mutant, 4096, restart_at, &want);
	counts->in_opencsd = false;
	decode(&config, image, stream->core, SL_ENGINE_FAST, mutant, piece, restart_at, &got);
	if (!compare(name, &want, &got)) {
		printf("  configr %x idr0 %x idr2 %x idr8 %x restart %zu\n", config.regs[SL_REG_TRCCONFIGR],
		       config.regs[SL_REG_TRCIDR0], config.regs[SL_REG_TRCIDR2], config.regs[SL_REG_TRCIDR8], restart_at);
		save(mutant);
	}
	free(want.elems);
	free(got.elems);
}

/* In a process of its own. */
static void try_mutant(const char *name, const struct sl_stream *stream, const struct sl_image *image,
		       struct sl_bytes lane, unsigned n)
{
	uint64_t first_seed = counts->seed;
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		diff_mutant(name, stream, image, lane, n);
		fflush(stdout);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		abort();
	if (status && counts->in_opencsd) {
		counts->crashes++;
	} else if (status) {
		counts->differences++;
		printf("%s: crash in mutant %u seed %" PRIu64 "\n", name, n, first_seed);
	}
	counts->in_opencsd = false;
}

static void diff_mutants(const char *name, const struct sl_capture *capture, const struct sl_image *image,
			 const struct sl_stream *stream, unsigned count)
{
	const struct sl_buffer *buffers;
	struct sl_demux *demux = NULL;
	struct sl_file file = { 0 };
	struct sl_bytes lane;

	sl_capture_buffers(capture, &buffers);
	if (sl_file_map(buffers[stream->buffer].path, &file, NULL) < 0)
		return;
	lane = (struct sl_bytes){ file.data, file.len, 0 };
	if (buffers[stream->buffer].framing != SL_FRAMING_NONE) {
		if (sl_demux_new(buffers[stream->buffer].framing, &demux) < 0 || sl_demux_split(demux, lane) < 0)
			abort();
		lane.data = sl_demux_lane(demux, stream->trace_id)->data;
		lane.len = sl_demux_lane(demux, stream->trace_id)->len;
	}
	for (unsigned i = 0; i < count && lane.len > 16; i++)
		try_mutant(name, stream, image, lane, i);
	sl_demux_free(demux);
	sl_file_unmap(&file);
}

static void diff_capture(const char *path, unsigned mutants)
{
	struct sl_capture_options options = { .allow_outside = true };
	const struct sl_stream *streams;
	struct sl_notes notes = { 0 };
	struct sl_diag diag = { "" };
	struct sl_capture *capture;
	struct sl_image *image;

	if (sl_capture_open(path, &options, &notes, &capture, &diag) < 0) {
		printf("%s: %s\n", path, diag.text);
		return;
	}
	if (sl_capture_load_image(capture, &notes, &image, &diag) < 0)
		abort();
	image_now = image;
	if (!mutants)
		diff_run(path, capture, image);
	for (size_t i = 0, n = sl_capture_streams(capture, &streams); mutants && i < n; i++) {
		if (streams[i].usable && is_covered(&streams[i].config))
			diff_mutants(path, capture, image, &streams[i], mutants);
	}
	sl_image_free(image);
	sl_capture_free(capture);
	sl_notes_release(&notes);
}

int main(int argc, char **argv)
{
	unsigned mutants = 0;

	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		abort();
	counts->seed = 1;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-m") == 0)
			mutants = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "-w") == 0)
			save_path = argv[++i];
		else if (strcmp(argv[i], "-s") == 0)
			counts->seed = strtoull(argv[++i], NULL, 0) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		else
			diff_capture(argv[i], mutants);
	}
	printf("%" PRIu64 " lists, %" PRIu64 " elements the same, %" PRIu64 " lists differ\n", counts->lists,
	       counts->compared, counts->differences);
	for (unsigned i = 0; i < PURPOSES; i++)
		if (counts->rules[i])
			printf("differs on purpose: %s %" PRIu64 " times\n", purpose_name((enum purpose)i), counts->rules[i]);
	if (counts->crashes)
		printf("OpenCSD crashed %" PRIu64 " times\n", counts->crashes);
	return counts->differences ? 1 : 0;
}
