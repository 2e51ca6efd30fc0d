/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ipt_check LOG INTLOG TRACE TRUTH: decodes an Intel PT trace of sightline-gen with libipt, and compares its
 * flow with the truth. The code comes from the block log, as it was at each time: what a uprobe steps over
 * out of line is written where the one before was. Exit code 0: it is as executed; 1: it is not; 77: built
 * without libipt.
 */
#ifndef SL_HAVE_IPT
#include <stdio.h>

int main(void)
{
	puts("skipped: built without libipt");
	return 77;
}
#else
#include <err.h>
#include <inttypes.h>
#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "flow_compare.h"

struct patch {
	uint64_t insns, address;
	uint8_t *bytes;
	size_t len;
};
struct code {
	struct gen_image_runs runs;
	struct patch *patches;
	size_t len, cap, next; /* next: the first that is not written yet */
};

static void check(int rc, const struct sl_diag *diag)
{
	if (rc < 0)
		errx(2, "%s", diag->text);
}

static void keep_patch(void *ctx, const struct gen_event *event)
{
	struct code *code = ctx;
	struct patch *patch;

	if (event->kind != GEN_PATCH)
		return;
	gen_reserve(&code->patches, &code->cap, sizeof(*patch), code->len + 1);
	patch = &code->patches[code->len++];
	*patch = (struct patch){ event->time_ns, event->patch.address, gen_alloc(event->patch.len),
				 event->patch.len };
	memcpy(patch->bytes, event->patch.bytes, patch->len);
}

static void read_log(const char *path, const char *ints_path, struct code *code)
{
	struct sl_diag diag = { "out of memory" };
	struct gen_flow_options options = { 0 };
	struct gen_sink sink = { keep_patch, code };
	struct gen_flow_stats stats;
	struct gen_image *image;
	struct gen_int_log *ints;
	struct gen_log *log;

	check(gen_log_open(path, &log, &diag), &diag);
	check(gen_int_log_open(ints_path, (enum gen_log_arch)gen_log_header(log)->arch, &ints, &diag), &diag);
	check(gen_image_new(&image), &diag);
	check(gen_flow_run(log, ints, &options, image, &sink, &stats, &diag), &diag);
	check(gen_image_runs(image, true, 0, &code->runs), &diag);
	gen_image_free(image);
	gen_int_log_close(ints);
	gen_log_close(log);
}

/* The run that has address, or NULL. */
static struct gen_image_run *run_at(const struct code *code, uint64_t address)
{
	for (size_t i = 0; i < code->runs.len; i++)
		if (address - code->runs.items[i].address < code->runs.items[i].len)
			return &code->runs.items[i];
	return NULL;
}

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *ctx)
{
	const struct gen_image_run *run = run_at(ctx, ip);
	size_t len;

	(void)asid;
	if (!run)
		return -pte_nomap;
	len = (size_t)(run->len - (ip - run->address));
	memcpy(buffer, run->bytes + (ip - run->address), len < size ? len : size);
	return (int)(len < size ? len : size);
}

static void write_patches(struct code *code, uint64_t insns)
{
	for (; code->next < code->len && code->patches[code->next].insns <= insns; code->next++) {
		const struct patch *patch = &code->patches[code->next];
		struct gen_image_run *run = run_at(code, patch->address);
		uint64_t skip = run ? patch->address - run->address : 0;

		if (!run || patch->len > run->len - skip)
			errx(2, "0x%" PRIx64 ": written, but no code", patch->address);
		memcpy(code->runs.bytes + (run->bytes - code->runs.bytes) + skip, patch->bytes, patch->len);
	}
}

/* 0, or a libipt error. insns: how many there were. */
static int decode(struct pt_insn_decoder *decoder, struct code *code, struct flow_compare *flow,
		  uint64_t *insns)
{
	int status = pt_insn_sync_forward(decoder);

	while (status >= 0) {
		struct pt_insn insn = { .iclass = ptic_error };
		struct pt_event event;

		while (status >= 0 && status & pts_event_pending)
			status = pt_insn_event(decoder, &event, sizeof(event));
		if (status < 0 || status & pts_eos)
			break;
		write_patches(code, *insns);
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass == ptic_error)
			continue;
		flow_compare_add(flow, insn.ip, insn.ip + insn.size);
		(*insns)++;
	}
	return status < 0 && status != -pte_eos ? status : 0;
}

static uint8_t *read_trace(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	size_t cap = 0, got;

	if (!file)
		err(2, "%s", path);
	*len = 0;
	do {
		gen_reserve(&bytes, &cap, 1, *len + 65536);
		got = fread(bytes + *len, 1, 65536, file);
		*len += got;
	} while (got > 0);
	fclose(file);
	return bytes;
}

int main(int argc, char **argv)
{
	struct code code = { 0 };
	struct flow_compare flow;
	struct pt_config config;
	struct pt_insn_decoder *decoder;
	struct pt_image *image = pt_image_alloc(NULL);
	uint64_t insns = 0;
	size_t len;
	uint8_t *trace;
	int status;
	bool same;

	if (argc != 5)
		errx(2, "usage: ipt_check LOG INTLOG TRACE TRUTH");
	read_log(argv[1], argv[2], &code);
	trace = read_trace(argv[3], &len);
	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + len;
	decoder = pt_insn_alloc_decoder(&config);
	if (!decoder || !image || pt_image_set_callback(image, read_code, &code) < 0)
		errx(2, "libipt has no memory");
	pt_insn_set_image(decoder, image);
	flow_compare_open(&flow, argv[4], 0, false);
	status = decode(decoder, &code, &flow, &insns);
	same = flow_compare_close(&flow) && status == 0;
	printf("%" PRIu64 " instructions, %zu changes of code: %s\n", insns, code.next,
	       same	    ? "as executed"
	       : status < 0 ? pt_errstr(pt_errcode(status))
			    : flow.why);
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
	for (size_t i = 0; i < code.len; i++)
		free(code.patches[i].bytes);
	free(code.patches);
	gen_image_runs_release(&code.runs);
	free(trace);
	return same ? 0 : 1;
}
#endif
