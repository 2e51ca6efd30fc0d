/* SPDX-License-Identifier: Apache-2.0 */
#include "ipt_trial.h"

#ifndef SL_HAVE_IPT
bool ipt_trial_possible(void)
{
	return false;
}

bool ipt_trial_run(struct ipt_trial *trial)
{
	(void)trial;
	return false;
}
#else
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generated_flow.h"
#include "sl_array.h"

struct run {
	struct ipt_trial *trial;
	struct gen_encoder *enc;
	struct flow expected, got;
	bool lost, filtered;
	unsigned runs;
	uint8_t *bytes;
	size_t len, cap;
};

static void on_lost(void *ctx, const struct gen_event *event, enum gen_lost why)
{
	struct run *run = ctx;

	(void)event;
	run->lost = true;
	run->filtered = why == GEN_LOST_FILTER;
	run->trial->lost[why]++;
}

static void keep_bytes(struct run *run)
{
	struct sl_bytes b = gen_encoder_drain(run->enc);

	if (b.len == 0)
		return;
	if (sl_array_reserve((void **)&run->bytes, &run->cap, 1, run->len + b.len) < 0)
		abort();
	memcpy(run->bytes + run->len, b.data, b.len);
	run->len += b.len;
}

static void make_faults(struct run *run, unsigned runs, unsigned every)
{
	if (runs % every == 0)
		gen_encoder_overflow(run->enc, 1 + runs / every % 7, false);
	if (runs % 50 == 0)
		gen_encoder_trigger(run->enc);
}

static void on_event(void *ctx, const struct gen_event *event)
{
	struct run *run = ctx;

	run->lost = false;
	gen_encoder_event(run->enc, event);
	if (run->lost && run->filtered)
		flow_drop_exception(&run->expected); /* it is not told apart from the end of tracing */
	flow_add_event(&run->expected, event, run->lost);
	if (event->kind == GEN_RUN && run->trial->overflow_every)
		make_faults(run, ++run->runs, run->trial->overflow_every);
	keep_bytes(run);
}

static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *ctx)
{
	const struct program *p = ctx;

	(void)asid;
	for (unsigned i = 0; i < PROGRAM_PARTS; i++) {
		uint64_t skip = ip - p->parts[i];

		if (skip >= PROGRAM_CODE)
			continue;
		size = size < PROGRAM_CODE - skip ? size : PROGRAM_CODE - skip;
		memcpy(buffer, p->code[i] + skip, size);
		return (int)size;
	}
	return -pte_nomap;
}

static void add_context(struct flow *flow, uint64_t cr3)
{
	struct sl_elem e = { .kind = SL_ELEM_CONTEXT };

	e.context.security = SL_NONSECURE;
	e.context.flags = flow->view.context_id ? SL_CTX_ID : 0;
	e.context.context_id = flow->view.context_id ? (uint32_t)(cr3 >> 12) : 0;
	flow_add_elem(flow, &e);
}

static void add_gap(struct flow *flow, enum sl_gap gap)
{
	flow_add_elem(flow, &(struct sl_elem){ .kind = SL_ELEM_GAP, .count = gap });
}

static void add_pt_event(struct run *run, const struct pt_event *event)
{
	struct sl_elem e = { .kind = SL_ELEM_EXCEPTION, .flags = SL_FLAG_ADDRESS };

	switch (event->type) {
	case ptev_async_branch:
		e.address = event->variant.async_branch.from;
		flow_add_elem(&run->got, &e);
		break;
	case ptev_disabled:
	case ptev_async_disabled:
	case ptev_enabled:
		add_gap(&run->got, SL_GAP_FILTER);
		break;
	case ptev_overflow:
		add_gap(&run->got, SL_GAP_OVERFLOW);
		break;
	case ptev_paging:
		run->trial->pagings++;
		add_context(&run->got, event->variant.paging.cr3);
		break;
	case ptev_async_paging:
		add_context(&run->got, event->variant.async_paging.cr3);
		break;
	default:
		break;
	}
}

static void add_insn(struct run *run, const struct pt_insn *insn)
{
	struct sl_elem e = { .kind = SL_ELEM_RANGE, .isa = SL_ISA_X86_64, .count = 1 };

	if (insn->iclass == ptic_error)
		return;
	e.range.start = insn->ip;
	e.range.end = insn->ip + insn->size;
	flow_add_elem(&run->got, &e);
}

static int decode_insns(struct run *run, struct pt_insn_decoder *dec)
{
	int status = pt_insn_sync_forward(dec);

	while (status >= 0) {
		struct pt_insn insn = { .iclass = ptic_error };

		while (status >= 0 && status & pts_event_pending) {
			struct pt_event event;

			status = pt_insn_event(dec, &event, sizeof(event));
			if (status >= 0)
				add_pt_event(run, &event);
		}
		if (status < 0 || status & pts_eos)
			break;
		status = pt_insn_next(dec, &insn, sizeof(insn));
		add_insn(run, &insn);
	}
	return status < 0 && status != -pte_eos ? status : 0;
}

static bool decode(struct run *run, struct pt_config *config)
{
	struct pt_insn_decoder *dec = pt_insn_alloc_decoder(config);
	struct pt_image *image = pt_image_alloc("program");
	uint64_t offset = 0;
	int status;

	if (!dec || !image ||
	    pt_image_set_callback(image, read_code, (void *)(uintptr_t)run->trial->program) < 0)
		abort();
	pt_insn_set_image(dec, image);
	add_context(&run->got, 0);
	status = decode_insns(run, dec);
	if (status < 0) {
		pt_insn_get_offset(dec, &offset);
		fprintf(stderr, "%s: libipt: %s at %llu of %zu, behind %llu instructions\n", run->trial->name,
			pt_errstr(pt_errcode(status)), (unsigned long long)offset, run->len,
			(unsigned long long)run->got.insns);
	}
	pt_insn_free_decoder(dec);
	pt_image_free(image);
	return status == 0;
}

static bool is_time(const struct flow *flow, uint64_t ticks)
{
	for (size_t i = 0; i < flow->times_len; i++)
		if (flow->times[i].ticks == ticks)
			return true;
	return false;
}

static void note_packet(struct run *run, const struct pt_packet *packet)
{
	static const char *const names[] = {
		[ppt_pad] = "PAD",	   [ppt_psb] = "PSB",	  [ppt_psbend] = "PSBEND",
		[ppt_fup] = "FUP",	   [ppt_tip] = "TIP",	  [ppt_tip_pge] = "TIP.PGE",
		[ppt_tip_pgd] = "TIP.PGD", [ppt_tnt_8] = "TNT 8", [ppt_tnt_64] = "TNT 64",
		[ppt_mode] = "MODE",	   [ppt_pip] = "PIP",	  [ppt_cbr] = "CBR",
		[ppt_tsc] = "TSC",	   [ppt_tma] = "TMA",	  [ppt_mtc] = "MTC",
		[ppt_cyc] = "CYC",	   [ppt_ovf] = "OVF",
	};
	const char *name = packet->type < sizeof(names) / sizeof(names[0]) ? names[packet->type] : NULL;

	packet_seen(run->trial->packets, name ? name : "other");
}

/* The packets on their own: types, cycles, times. */
static bool read_packets(struct run *run, struct pt_config *config)
{
	struct pt_packet_decoder *dec = pt_pkt_alloc_decoder(config);
	struct pt_packet packet;
	bool good = true;

	if (!dec || pt_pkt_sync_forward(dec) < 0)
		abort();
	while (pt_pkt_next(dec, &packet, sizeof(packet)) >= 0) {
		note_packet(run, &packet);
		if (packet.type == ppt_cyc)
			run->trial->cycles_found += packet.payload.cyc.value;
		if (packet.type == ppt_tsc) {
			run->trial->times++;
			good = good && is_time(&run->expected, packet.payload.tsc.tsc);
		}
	}
	pt_pkt_free_decoder(dec);
	if (!good)
		fprintf(stderr, "%s: a TSC that is no event's\n", run->trial->name);
	return good;
}

static bool check(struct run *run)
{
	struct pt_config config;
	bool same;

	pt_config_init(&config);
	run->got.late = run->trial->skip_bytes > 0;
	if (run->len <= run->trial->skip_bytes) /* the filter hid everything */
		return flow_same(&run->expected, &run->got, run->trial->name);
	config.begin = run->bytes + run->trial->skip_bytes;
	config.end = run->bytes + run->len;
	same = decode(run, &config);
	if (run->got.len > 0 && run->got.steps[run->got.len - 1].kind == FLOW_CUT)
		run->got.len--; /* the end of the trace is one, too */
	same = flow_same(&run->expected, &run->got, run->trial->name) && same;
	return read_packets(run, &config) && same;
}

bool ipt_trial_possible(void)
{
	return true;
}

bool ipt_trial_run(struct ipt_trial *trial)
{
	static const uint8_t exceptions[GEN_HALT + 1]; /* Intel PT does not number them */
	struct flow_view view = { .context_id = trial->options.context_id, .exception_numbers = exceptions };
	struct run run = { .trial = trial };
	bool same;

	trial->options.lost = on_lost;
	trial->options.lost_ctx = &run;
	flow_init(&run.expected, &view);
	flow_init(&run.got, &view);
	run.enc = gen_encoder_new(&trial->options);
	program_walk(trial->program, &trial->walk, &(struct gen_sink){ on_event, &run });
	keep_bytes(&run);
	same = check(&run) && gen_encoder_breaks(run.enc) == 0;
	trial->cycles_told = run.expected.cycles;
	trial->insns = run.got.insns;
	flow_release(&run.expected);
	flow_release(&run.got);
	free(run.bytes);
	gen_encoder_free(run.enc);
	return same;
}
#endif
