/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "output.h"
#include "session.h"

static int list(struct session *s, struct output *out)
{
	struct sl_run_options run = { .packet_text = true, .packets_only = true };
	struct sl_outputs *outs = NULL;
	struct tally tally = { .image = s->image };
	struct sl_sink sinks[2];
	int result = sl_outputs_new(out->file, &output_writers, out, &outs), closed, code;

	if (result < 0)
		return output_close(out, result);
	sl_packets_sink(outs, &sinks[0]);
	tally_packet_sink(&tally, &sinks[1]);
	code = session_run(s, &run, sinks, 2, out);
	closed = output_close(out, sl_outputs_close(outs));
	if (code == EXIT_DONE || out->reader_left)
		code = closed;
	if (code != EXIT_DONE || out->reader_left)
		return code;
	return session_verdict(s, &tally, tally.packets > 0);
}

int cmd_packets(const struct options *options)
{
	struct session s;
	struct output out;
	int code = session_open(&s, options);

	if (code == EXIT_DONE)
		code = output_open(&out, options);
	if (code == EXIT_DONE) {
		output_page(&out);
		code = list(&s, &out);
	}
	session_close(&s);
	return code;
}
