/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The yardstick of scripts/bench: ocsd_count CAPTURE. As little as a client of OpenCSD's C API can do: a tree a buffer, a
 * decoder a trace source, the image's bytes as buffers, and a callback that counts. What the capture holds, our own library
 * tells; nothing of its decoders is used. All cores share one memory, which is that of the first that has an address. No part
 * of the product.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <opencsd/c_api/opencsd_c_api.h>

#include "sl_capture.h"

enum { BLOCK_BYTES = 65536, FRAME_BYTES = 16 };

struct counts {
	uint64_t elements, ranges, instructions, resets;
};

static void die(const char *what, const char *where)
{
	fprintf(stderr, "ocsd_count: %s: %s\n", where, what);
	exit(2);
}

static ocsd_datapath_resp_t count(const void *ctx, const ocsd_trc_index_t index, const uint8_t id,
				  const ocsd_generic_trace_elem *elem)
{
	struct counts *counts = (struct counts *)(uintptr_t)ctx;

	(void)index;
	(void)id;
	counts->elements++;
	if (elem->elem_type == OCSD_GEN_TRC_ELEM_INSTR_RANGE) {
		counts->ranges++;
		counts->instructions += elem->num_instr_range;
	}
	return OCSD_RESP_CONT;
}

static ocsd_arch_version_t arch_of(const struct sl_trace_config *c)
{
	return c->arch == SL_ARCH_V7 ? ARCH_V7 : c->arch == SL_ARCH_V8 ? ARCH_V8 : ARCH_AA64;
}

static ocsd_core_profile_t profile_of(const struct sl_trace_config *c)
{
	return c->profile == SL_PROFILE_M ? profile_CortexM : c->profile == SL_PROFILE_R ? profile_CortexR : profile_CortexA;
}

static void add_etmv4(dcd_tree_handle_t tree, const struct sl_trace_config *c, const char *name)
{
	const uint32_t *r = c->regs;
	ocsd_etmv4_cfg etmv4 = { .reg_idr0 = r[SL_REG_TRCIDR0], .reg_idr1 = r[SL_REG_TRCIDR1], .reg_idr2 = r[SL_REG_TRCIDR2],
				 .reg_idr8 = r[SL_REG_TRCIDR8], .reg_configr = r[SL_REG_TRCCONFIGR],
				 .reg_traceidr = r[SL_REG_TRCTRACEIDR], .arch_ver = arch_of(c), .core_prof = profile_of(c) };
	ocsd_ete_cfg ete = { .reg_idr0 = r[SL_REG_TRCIDR0], .reg_idr1 = r[SL_REG_TRCIDR1], .reg_idr2 = r[SL_REG_TRCIDR2],
			     .reg_idr8 = r[SL_REG_TRCIDR8], .reg_devarch = r[SL_REG_TRCDEVARCH],
			     .reg_configr = r[SL_REG_TRCCONFIGR], .reg_traceidr = r[SL_REG_TRCTRACEIDR], .arch_ver = arch_of(c),
			     .core_prof = profile_of(c) };
	bool is_ete = c->protocol == SL_PROTOCOL_ETE;
	unsigned char id;

	if (ocsd_dt_create_decoder(tree, is_ete ? OCSD_BUILTIN_DCD_ETE : OCSD_BUILTIN_DCD_ETMV4I, OCSD_CREATE_FLG_FULL_DECODER,
				   is_ete ? (void *)&ete : (void *)&etmv4, &id) != OCSD_OK)
		die("no decoder", name);
}

static void add_v7(dcd_tree_handle_t tree, const struct sl_trace_config *c, const char *name)
{
	const uint32_t *r = c->regs;
	ocsd_etmv3_cfg etm3 = { r[SL_REG_ETMIDR], r[SL_REG_ETMCR], r[SL_REG_ETMCCER], r[SL_REG_ETMTRACEIDR], arch_of(c),
				profile_of(c) };
	ocsd_ptm_cfg ptm = { r[SL_REG_ETMIDR], r[SL_REG_ETMCR], r[SL_REG_ETMCCER], r[SL_REG_ETMTRACEIDR], arch_of(c),
			     profile_of(c) };
	bool is_ptm = c->protocol == SL_PROTOCOL_PTM;
	unsigned char id;

	if (ocsd_dt_create_decoder(tree, is_ptm ? OCSD_BUILTIN_DCD_PTM : OCSD_BUILTIN_DCD_ETMV3, OCSD_CREATE_FLG_FULL_DECODER,
				   is_ptm ? (void *)&ptm : (void *)&etm3, &id) != OCSD_OK)
		die("no decoder", name);
}

static bool add_source(dcd_tree_handle_t tree, const struct sl_stream *stream)
{
	switch (stream->config.protocol) {
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		add_etmv4(tree, &stream->config, stream->name);
		return true;
	case SL_PROTOCOL_PTM:
	case SL_PROTOCOL_ETMV3:
		add_v7(tree, &stream->config, stream->name);
		return true;
	default:
		return false;
	}
}

/* What is mapped already is refused, and stays. */
static void add_memory(dcd_tree_handle_t tree, const struct sl_image *image)
{
	const struct sl_mapping *mappings;
	size_t n = sl_image_mappings(image, &mappings);

	for (size_t i = 0; i < n; i++) {
		const struct sl_mapping *m = &mappings[i];

		for (uint64_t at = m->start; at < m->end;) {
			struct sl_bytes bytes = sl_image_bytes(image, m->core, m->space, at);

			if (!bytes.len)
				break;
			ocsd_dt_add_buffer_mem_acc(tree, at, OCSD_MEM_SPACE_ANY, bytes.data, (uint32_t)bytes.len);
			at += bytes.len;
		}
	}
}

static dcd_tree_handle_t make_tree(const struct sl_capture *cap, const struct sl_image *image, size_t buffer)
{
	const struct sl_buffer *buffers;
	const struct sl_stream *streams;
	size_t n = sl_capture_streams(cap, &streams), sources = 0;
	dcd_tree_handle_t tree;

	sl_capture_buffers(cap, &buffers);
	if (buffers[buffer].framing > SL_FRAMING_CORESIGHT)
		die("a framing that this does not do", buffers[buffer].name);
	tree = ocsd_create_dcd_tree(buffers[buffer].framing ? OCSD_TRC_SRC_FRAME_FORMATTED : OCSD_TRC_SRC_SINGLE,
				    buffers[buffer].framing ? OCSD_DFRMTR_FRAME_MEM_ALIGN : 0);
	if (tree == C_API_INVALID_TREE_HANDLE)
		die("no decode tree", buffers[buffer].name);
	for (size_t i = 0; i < n; i++)
		sources += streams[i].buffer == buffer && streams[i].usable && add_source(tree, &streams[i]);
	if (!sources) {
		ocsd_destroy_dcd_tree(tree);
		return C_API_INVALID_TREE_HANDLE;
	}
	add_memory(tree, image);
	return tree;
}

/* Where OpenCSD gives up, it is reset, and goes on behind. */
static void feed(dcd_tree_handle_t tree, const uint8_t *data, uint32_t len, uint64_t offset, struct counts *counts)
{
	uint32_t used = 0, none;

	for (uint32_t at = 0; at < len; at += used) {
		ocsd_datapath_resp_t response = ocsd_dt_process_data(tree, OCSD_OP_DATA, (ocsd_trc_index_t)(offset + at), len - at,
								     data + at, &used);

		if (OCSD_DATA_RESP_IS_CONT(response) && used)
			continue;
		counts->resets++;
		ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, &none);
		used = used && used <= len - at ? (used + FRAME_BYTES - 1) / FRAME_BYTES * FRAME_BYTES : len - at;
	}
}

static void count_stretch(const struct sl_capture *cap, dcd_tree_handle_t tree, size_t buffer, const struct sl_stretch *stretch,
			  struct counts *counts)
{
	static uint8_t block[BLOCK_BYTES];
	uint64_t len = stretch->framing ? stretch->len & ~(uint64_t)(FRAME_BYTES - 1) : stretch->len;
	ptrdiff_t n;
	uint32_t none;

	for (uint64_t at = 0; at < len; at += (uint64_t)n) {
		size_t want = len - at < BLOCK_BYTES ? (size_t)(len - at) : BLOCK_BYTES;

		n = sl_capture_read(cap, buffer, stretch->offset + at, block, want);
		if (n <= 0)
			die("ends before its trace does", "capture");
		feed(tree, block, (uint32_t)n, at, counts);
	}
	ocsd_dt_process_data(tree, OCSD_OP_EOT, 0, 0, NULL, &none);
	ocsd_dt_process_data(tree, OCSD_OP_RESET, 0, 0, NULL, &none);
}

static void count_buffer(const struct sl_capture *cap, const struct sl_image *image, size_t buffer, struct counts *counts)
{
	dcd_tree_handle_t tree = make_tree(cap, image, buffer);
	const struct sl_stretch *stretches;
	size_t n = sl_capture_stretches(cap, buffer, &stretches);

	if (tree == C_API_INVALID_TREE_HANDLE)
		return;
	ocsd_dt_set_gen_elem_outfn(tree, count, counts);
	for (size_t i = 0; i < n; i++)
		count_stretch(cap, tree, buffer, &stretches[i], counts);
	ocsd_destroy_dcd_tree(tree);
}

int main(int argc, char **argv)
{
	struct sl_capture_options options = { .allow_outside = true };
	struct sl_notes notes = SL_NOTES_INIT;
	struct counts counts = { 0 };
	const struct sl_buffer *buffers;
	struct sl_capture *cap;
	struct sl_image *image;
	struct sl_diag diag;
	size_t n;

	if (argc != 2)
		die("usage: ocsd_count CAPTURE", "arguments");
	if (sl_capture_open(argv[1], &options, &notes, &cap, &diag) < 0 ||
	    sl_capture_load_image(cap, &notes, &image, &diag) < 0)
		die(diag.text, argv[1]);
	n = sl_capture_buffers(cap, &buffers);
	for (size_t i = 0; i < n; i++)
		count_buffer(cap, image, i, &counts);
	printf("%" PRIu64 " elements, %" PRIu64 " ranges, %" PRIu64 " instructions, %" PRIu64 " resets\n", counts.elements,
	       counts.ranges, counts.instructions, counts.resets);
	sl_image_free(image);
	sl_capture_free(cap);
	sl_notes_release(&notes);
	return 0;
}
