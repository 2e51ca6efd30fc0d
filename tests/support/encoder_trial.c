/* SPDX-License-Identifier: Apache-2.0 */
#include "encoder_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoder_config.h"
#include "temp_files.h"

enum { OTHER_ID = 0x2a };

struct run {
	struct trial *trial;
	struct gen_encoder *enc;
	struct sl_decoder *dec;
	struct flow expected, got;
	struct frame_mux mux;
	struct sl_demux *demux;
	bool lost;
	unsigned runs;
	unsigned long contradictions; /* that the decoder marked: good trace has none */
};

unsigned long packet_count(const struct packet_names *names, const char *name)
{
	for (size_t i = 0; i < names->len; i++)
		if (strcmp(names->names[i], name) == 0)
			return names->counts[i];
	return 0;
}

void packet_seen(struct packet_names *names, const char *name)
{
	size_t i = 0;

	while (i < names->len && strcmp(names->names[i], name) != 0)
		i++;
	if (i == sizeof(names->names) / sizeof(names->names[0]))
		abort();
	if (i == names->len)
		snprintf(names->names[names->len++], sizeof(names->names[i]), "%s", name);
	names->counts[i]++;
}

/* Formats of ETMv3's P-headers (IHI 0014Q tables 7-2 and 7-3), which OpenCSD gives one name. */
static void p_header_seen(struct packet_names *names, uint8_t header, bool cycles)
{
	unsigned format = header & 2 ? 2 : 1;
	char name[32];

	if (cycles && (header & 0xa3) == 0xa0)
		format = 3;
	else if (cycles && format == 2 && header & 0x10)
		format = 4;
	snprintf(name, sizeof(name), "P_HDR %s%u", cycles ? "cycles " : "", format);
	packet_seen(names, name);
}

static void on_packet(void *ctx, const struct sl_packet *packet)
{
	const struct trial *trial = ((struct run *)ctx)->trial;

	if (strcmp(packet->name, "P_HDR") == 0)
		p_header_seen(trial->packets, packet->bytes[0], trial->options.cycle_counts);
	else
		packet_seen(trial->packets, packet->name);
}

static void on_lost(void *ctx, const struct gen_event *event, enum gen_lost why)
{
	struct run *run = ctx;

	(void)event;
	if (run->expected.view.x86 && why == GEN_LOST_FILTER)
		flow_drop_exception(&run->expected);
	run->lost = true;
	run->trial->lost[why]++;
}

struct sl_image *program_image(const struct program *p)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address_known = true };
	struct sl_image *image;

	if (sl_image_new(&image) < 0)
		abort();
	for (unsigned part = 0; part < PROGRAM_PARTS; part++) {
		char name[32];

		snprintf(name, sizeof(name), "program%d-%u.bin", (int)p->arch, part);
		place.address = p->parts[part];
		if (sl_image_add_dump(image, temp_write(name, p->code[part], PROGRAM_CODE), &place, NULL,
				      NULL) < 0)
			abort();
	}
	if (sl_image_seal(image) < 0)
		abort();
	return image;
}

void encoder_config(const struct gen_encoder_options *options, enum program_arch arch, struct sl_trace_config *ret)
{
	gen_decoder_config(options, arch == PROGRAM_A64 ? SL_ARCH_AA64 : SL_ARCH_V8, ret);
}

static void drain_marks(struct run *run)
{
	const struct sl_mark *marks;
	size_t n = sl_decoder_marks(run->dec, &marks);

	for (size_t i = 0; i < n; i++) {
		run->trial->confirmed += marks[i].kind == SL_MARK_CONFIRMED;
		run->contradictions += marks[i].kind > SL_MARK_CONFIRMED;
	}
}

static void drain_elems(struct run *run)
{
	struct sl_elem *elems;
	size_t n;
	int result;

	do {
		n = 0;
		result = sl_decoder_lend(run->dec, &elems, &n);
		drain_marks(run);
		for (size_t i = 0; result == SL_OK && i < n; i++) {
			flow_add_elem(&run->got, &elems[i]);
			run->trial->targets +=
				elems[i].kind == SL_ELEM_EXCEPTION && elems[i].flags & SL_FLAG_TARGET;
		}
	} while (result == SL_OK);
}

static void receive_lane(struct run *run)
{
	const struct sl_lane_bytes *lane = sl_demux_lane(run->demux, run->trial->options.trace_id);

	if (!lane->len)
		return;
	sl_decoder_feed(run->dec, (struct sl_bytes){ lane->data, lane->len, lane->offset });
	drain_elems(run);
}

static void receive_frames(struct run *run)
{
	struct sl_bytes block = frame_mux_drain(&run->mux);

	if (!block.len)
		return;
	if (sl_demux_split(run->demux, block) < 0)
		abort();
	receive_lane(run);
}

/* The other source sends the same bytes, its own way round. */
static void send_frames(struct run *run, struct sl_bytes bytes)
{
	frame_mux_put(&run->mux, run->trial->options.trace_id, bytes);
	for (size_t i = bytes.len; i > 0; i -= i > 3 ? 3 : i)
		frame_mux_put(&run->mux, OTHER_ID, (struct sl_bytes){ bytes.data + i - 1, 1, 0 });
	receive_frames(run);
}

static void drain_bytes(struct run *run)
{
	struct sl_bytes bytes = gen_encoder_drain(run->enc);

	if (!bytes.len)
		return;
	run->trial->bytes += bytes.len;
	if (bytes.offset < run->trial->skip_bytes)
		return;
	if (run->trial->frames) {
		send_frames(run, bytes);
		return;
	}
	sl_decoder_feed(run->dec, bytes);
	drain_elems(run);
}

static void begin_frames(struct run *run)
{
	frame_mux_init(&run->mux, run->trial->frames);
	if (sl_demux_new(run->trial->framing, &run->demux) < 0)
		abort();
}

static void end_frames(struct run *run)
{
	frame_mux_flush(&run->mux);
	receive_frames(run);
	sl_demux_finish(run->demux);
	receive_lane(run);
	frame_mux_release(&run->mux);
	sl_demux_free(run->demux);
}

static void maybe_faults(struct run *run)
{
	const struct trial *trial = run->trial;

	run->runs++;
	if (trial->overflow_every && run->runs % trial->overflow_every == 0)
		gen_encoder_overflow(run->enc, 1 + run->runs / trial->overflow_every % 7,
				     run->runs / trial->overflow_every & 1);
	if (trial->trigger_every && run->runs % trial->trigger_every == 0)
		gen_encoder_trigger(run->enc);
}

/* What no branch has told by then, ETMv4 makes known by a halt. */
static void maybe_gap(struct run *run, const struct gen_event *event)
{
	struct gen_event gap = { .kind = GEN_GAP, .cpu = event->cpu, .time_ns = event->time_ns };
	struct gen_event halt = { .kind = GEN_EXCEPTION, .cpu = event->cpu, .time_ns = event->time_ns };

	if (run->trial->gap_every == 0 || run->runs % run->trial->gap_every != 0)
		return;
	halt.exception.type = GEN_HALT;
	halt.exception.preferred_return = event->run.end;
	if (event->run.how == GEN_END_NONE && !run->lost && run->expected.view.el)
		flow_add_event(&run->expected, &halt, false);
	gen_encoder_event(run->enc, &gap);
	flow_add_event(&run->expected, &gap, false);
}

static void on_event(void *ctx, const struct gen_event *event)
{
	struct run *run = ctx;

	run->lost = false;
	gen_encoder_event(run->enc, event);
	flow_add_event(&run->expected, event, run->lost);
	if (event->kind == GEN_RUN) {
		maybe_faults(run);
		maybe_gap(run, event);
	}
	drain_bytes(run);
}

static struct flow_view view_of(const struct trial *trial)
{
	const struct gen_encoder_options *o = &trial->options;
	bool v4 = o->protocol == GEN_ETMV4 || o->protocol == GEN_ETE;

	return (struct flow_view){
		.el = v4,
		.bits64 = (v4 && trial->program->arch == PROGRAM_A64) || o->protocol == GEN_INTEL_PT,
		.x86 = o->protocol == GEN_INTEL_PT,
		.context_id = o->context_id,
		.vmid = o->vmid_bytes > 0,
		.counts_timestamps = !v4,
		.exception_numbers = trial->exception_numbers,
	};
}

static bool finish(struct run *run)
{
	bool same;

	sl_decoder_finish(run->dec);
	drain_elems(run);
	same = flow_same(&run->expected, &run->got, run->trial->name);
	run->trial->cycles_told = run->expected.cycles;
	run->trial->cycles_found = run->got.cycles;
	run->trial->times = run->got.times_len;
	if (gen_encoder_breaks(run->enc) > 0)
		fprintf(stderr, "%s: the flow breaks\n", run->trial->name);
	if (run->contradictions)
		fprintf(stderr, "%s: %lu contradictions marked\n", run->trial->name, run->contradictions);
	same = same && gen_encoder_breaks(run->enc) == 0 && (!run->contradictions || run->got.late);
	flow_release(&run->expected);
	flow_release(&run->got);
	sl_decoder_free(run->dec);
	gen_encoder_free(run->enc);
	return same;
}

bool trial_run(struct trial *trial)
{
	struct run run = { .trial = trial };
	struct sl_decoder_options options = { .image = trial->image,
					      .packet = trial->packets ? on_packet : NULL,
					      .packet_ctx = &run };
	struct flow_view view = view_of(trial);
	struct gen_encoder_options encoder = trial->options;
	struct sl_trace_config config;
	struct sl_diag diag;

	encoder.lost = on_lost;
	encoder.lost_ctx = &run;
	encoder_config(&trial->options, trial->program->arch, &config);
	flow_init(&run.expected, &view);
	flow_init(&run.got, &view);
	run.got.may_miss = trial->may_miss;
	run.got.late = trial->skip_bytes > 0;
	run.enc = gen_encoder_new(&encoder);
	if (sl_decoder_new(&config, &options, &run.dec, &diag) < 0)
		abort();
	if (trial->frames)
		begin_frames(&run);
	program_walk(trial->program, &trial->walk, &(struct gen_sink){ on_event, &run });
	if (trial->frames)
		end_frames(&run);
	return finish(&run);
}
