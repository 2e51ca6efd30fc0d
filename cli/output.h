/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OUTPUT_H
#define OUTPUT_H
/* Where data goes: standard output, perhaps through a pager, or the file of -o. */
#include "options.h"
#include "sl_report.h"
#include "sl_sinks.h"
#include "tty.h"

struct output {
	const struct options *options;
	FILE *file;
	enum sl_format format;
	struct sl_report_style style;
	struct pager pager;
	bool reader_left; /* known when it is closed: who reads no more has seen enough */
};

/* Whether -o names the capture that is read. */
bool output_is_capture(const struct options *options);
/* Opens it. An exit code; what went wrong has been said. */
int output_open(struct output *out, const struct options *options);
/* Starts the pager where there is to be one: before the first byte, and behind all progress. */
void output_page(struct output *out);
/* Opens it, starts the pager, and begins tables there. An exit code; where it failed, out is closed. */
int output_table(struct output *out, const struct options *options, struct sl_table *ret);
/* Whether the output goes straight to the terminal: then progress would be mixed with it. */
bool output_on_terminal(const struct output *out);
/* Ends it; result is what the writers' close said. An exit code: EXIT_DONE too where the reader left. */
int output_close(struct output *out, int result);

/* Writers as sl_outputs_new wants them; ctx is the struct output. */
extern const struct sl_outputs_ops output_writers;
#endif
