/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <string.h>

#include "output.h"
#include "say.h"
#include "session.h"

static int check(const struct options *o)
{
	const char *text = NULL;

	if (o->ranges + o->elements + o->insn > 1)
		text = "--ranges, --elements and --insn exclude each other";
	else if (o->ranges && o->format && strcmp(o->format, "text") != 0)
		text = "--ranges prints plain lines and takes no --format";
	else if ((o->ranges || o->elements) && (o->function || o->module || o->depth))
		text = "--function, --module and --depth choose calls: --ranges and --elements take none of them";
	if (!text)
		return EXIT_DONE;
	say("%s", text);
	say_try("flow");
	return EXIT_FAILED;
}

/* What the registers of any source promise. */
static void find_clocks(const struct session *s, bool *ret_timed, bool *ret_counted)
{
	const struct sl_stream *streams;
	size_t count = sl_capture_streams(s->capture, &streams);
	struct sl_config_facts facts;

	*ret_timed = *ret_counted = false;
	for (size_t i = 0; i < count; i++) {
		sl_config_facts(&streams[i].config, &facts);
		*ret_timed |= facts.timestamp;
		*ret_counted |= facts.cycle_count;
	}
}

/* NULL: nothing. The flow sink, which writes while it is fed, cannot say it. */
static const char *clock_lacks(const struct session *s)
{
	enum sl_axis_choice choice = session_axis_choice(s);
	bool timed, counted;

	find_clocks(s, &timed, &counted);
	if (choice == SL_CHOOSE_CYCLES && !counted)
		return "--clock cycles: no source of the capture counts cycles; use --clock time or insns";
	if (choice != SL_CHOOSE_TIME || s->options->cpu_freq_hz)
		return NULL;
	if (!timed)
		return "--clock time: no source of the capture has timestamps; use --clock cycles or insns";
	return session_hz(s) ? NULL : "--clock time: the capture does not tell the frequency of its timestamps: give --freq HZ";
}

static int check_clock(const struct session *s)
{
	const char *text = clock_lacks(s);

	if (!text)
		return EXIT_DONE;
	say("%s", text);
	return EXIT_FAILED;
}

/* Before the output is opened. */
static int check_disassembler(const struct options *o)
{
	struct sl_disasm *disasm = NULL;
	int result = o->insn ? sl_disasm_new(&disasm) : SL_OK;

	sl_disasm_free(disasm);
	if (result == SL_OK)
		return EXIT_DONE;
	say("%s", result == SL_ERR_UNSUPPORTED ? "--insn: the library that spells instructions out, libcapstone, is not there: install it, or leave --insn out" :
						 sl_strerror(result));
	return EXIT_FAILED;
}

static int make_flow(const struct session *s, struct sl_outputs *outs, struct sl_flow **ret)
{
	const struct options *o = s->options;
	const struct sl_flow_options flow = {
		.image = s->image,
		.filter = { .function = o->function, .module = o->module, .depth = (uint32_t)o->depth },
		.axis = session_axis_choice(s),
		.timestamp_hz = session_hz(s),
		.insn = o->insn,
	};

	return sl_flow_new(outs, &flow, ret);
}

static void choose_sink(const struct options *o, struct sl_outputs *outs, struct sl_flow *flow,
			struct sl_sink *ret)
{
	if (o->ranges)
		sl_ranges_sink(outs, ret);
	else if (o->elements)
		sl_elements_sink(outs, ret);
	else
		sl_flow_sink(flow, ret);
}

static int print(struct session *s, struct output *out)
{
	struct sl_run_options run = { 0 };
	struct sl_outputs *outs = NULL;
	struct sl_flow *flow = NULL;
	struct tally tally = { .image = s->image };
	struct sl_sink sinks[2];
	int result = sl_outputs_new(out->file, &output_writers, out, &outs), closed, code = EXIT_DONE;

	if (result == SL_OK)
		result = make_flow(s, outs, &flow);
	if (result == SL_OK) {
		choose_sink(s->options, outs, flow, &sinks[0]);
		tally_sink(&tally, &sinks[1]);
		code = session_run(s, &run, sinks, 2, out);
	}
	sl_flow_free(flow);
	closed = outs ? sl_outputs_close(outs) : SL_OK;
	closed = output_close(out, result < 0 ? result : closed);
	if (code == EXIT_DONE || out->reader_left)
		code = closed;
	if (code != EXIT_DONE || out->reader_left)
		return code;
	return session_verdict(s, &tally, tally.ranges || (s->options->elements && tally.messages));
}

int cmd_flow(const struct options *options)
{
	struct session s;
	struct output out;
	int code = check(options);

	if (code != EXIT_DONE)
		return code;
	code = session_open(&s, options);
	if (code == EXIT_DONE)
		code = check_clock(&s);
	if (code == EXIT_DONE)
		code = check_disassembler(options);
	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = output_open(&out, options);
	if (code == EXIT_DONE) {
		output_page(&out);
		code = print(&s, &out);
	}
	session_close(&s);
	return code;
}
