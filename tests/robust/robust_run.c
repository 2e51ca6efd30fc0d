/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "robust.h"
#include "sl_report.h"
#include "sl_sinks.h"

static int make_table(void *ctx, FILE *out, bool first, struct sl_table *ret)
{
	struct sl_report_style style = { .continuation = !first };

	return sl_report_table(*(const enum sl_format *)ctx, &style, out, ret);
}

static int make_spans(void *ctx, FILE *out, bool first, struct sl_spans *ret)
{
	struct sl_report_style style = { .continuation = !first };

	return sl_report_spans(*(const enum sl_format *)ctx, &style, out, ret);
}

struct session {
	struct sl_capture *capture;
	struct sl_image *image;
	struct sl_profile *profile;
	struct sl_stats *stats;
	struct sl_flow *flow;
	struct sl_outputs *outs;
	struct sl_notes notes;
	enum sl_format format;
	FILE *out;
};

static void make_sinks(struct session *s, unsigned n, struct sl_sink sinks[3])
{
	const struct sl_outputs_ops ops = { make_table, make_spans };
	struct sl_flow_options flow = { .image = s->image, .axis = SL_CHOOSE_INSNS, .insn = n % 8 == 7 };
	const struct sl_profile_options profile = { .image = s->image, .capture = s->capture, .by = (enum sl_profile_by)(n % SL_PROFILE_KINDS),
						    .outermost = n % 3 == 0, .repairs = true };

	if (sl_profile_new(&profile, &s->profile, NULL) < 0 || sl_stats_new(s->image, &s->stats) < 0 ||
	    sl_outputs_new(s->out, &ops, &s->format, &s->outs) < 0 ||
	    sl_flow_new(s->outs, &flow, &s->flow) < 0)
		abort();
	sl_profile_sink(s->profile, &sinks[0]);
	sl_stats_sink(s->stats, &sinks[1]);
	/* The listings take turns. */
	switch (n % 4) {
	case 0:
		sl_ranges_sink(s->outs, &sinks[2]);
		break;
	case 1:
		sl_elements_sink(s->outs, &sinks[2]);
		break;
	case 2:
		sl_packets_sink(s->outs, &sinks[2]);
		break;
	default:
		sl_flow_sink(s->flow, &sinks[2]);
	}
}

static void report(struct session *s, const struct sl_run_result *result)
{
	struct sl_report_style style = { 0 };
	struct sl_table table;

	if (sl_report_table(s->format, &style, s->out, &table) < 0)
		return;
	sl_stats_report(s->stats, s->capture, result, &s->notes, &table);
	sl_profile_report(s->profile, SL_AXIS_INSNS, &table);
	table.ops->close(table.out);
	if (!sl_profile_closes(s->profile)) {
		fprintf(stderr, "the account does not close\n");
		abort();
	}
}

static void decode(struct session *s, unsigned n)
{
	struct sl_run_result result = { 0 };
	struct sl_sink sinks[3];
	struct sl_run_options options = {
		.capture = s->capture,
		.image = s->image,
		.sinks = sinks,
		.sink_count = 3,
		.trace_id = -1,
		.jobs = 1,
		.block_bytes = n % 3 == 0 ? 512 : 0,
		.packet_text = true,
	};

	make_sinks(s, n, sinks);
	if (sl_run(&options, &s->notes, &result, NULL) == SL_OK)
		report(s, &result);
	sl_run_result_release(&result);
	sl_flow_free(s->flow);
	sl_outputs_close(s->outs);
	sl_profile_free(s->profile);
	sl_stats_free(s->stats);
}

void robust_run(const char *dir, unsigned n, struct sl_image **kept, bool keep)
{
	struct sl_capture_options options = { 0 };
	struct session s = { .image = *kept, .notes = SL_NOTES_INIT, .format = n / 4 % SL_FORMATS };
	struct sl_diag diag;

	s.out = fopen("/dev/null", "w");
	if (!s.out)
		abort();
	if (sl_capture_open(dir, &options, &s.notes, &s.capture, &diag) == SL_OK) {
		if (s.image || sl_capture_load_image(s.capture, &s.notes, &s.image, &diag) == SL_OK) {
			decode(&s, n);
			if (keep)
				*kept = s.image;
		}
		if (s.image != *kept)
			sl_image_free(s.image);
		sl_capture_free(s.capture);
	}
	sl_notes_release(&s.notes);
	fclose(s.out);
}
