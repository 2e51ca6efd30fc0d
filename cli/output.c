/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "say.h"

bool output_is_capture(const struct options *options)
{
	struct stat output, capture;

	return stat(options->output, &output) == 0 && stat(options->operand, &capture) == 0 &&
	       output.st_dev == capture.st_dev && output.st_ino == capture.st_ino;
}

int output_open(struct output *out, const struct options *options)
{
	*out = (struct output){ .options = options, .file = stdout, .format = SL_FORMAT_TEXT };
	if (options->format)
		sl_format_parse(options->format, &out->format);
	out->style.table = options->table;
	out->style.color = out->format == SL_FORMAT_TEXT &&
			   (!options->output || (options->color && strcmp(options->color, "always") == 0)) &&
			   tty_color(options->color);
	out->style.ascii = !tty_utf8();
	if (!options->output)
		return EXIT_DONE;
	if (output_is_capture(options)) {
		say("%s: is the capture itself: give -o another file", options->output);
		return EXIT_FAILED;
	}
	out->file = fopen(options->output, "we");
	if (out->file)
		return EXIT_DONE;
	say("cannot write %s: %s", options->output, strerror(errno));
	return EXIT_FAILED;
}

bool output_on_terminal(const struct output *out)
{
	return out->file == stdout && isatty(STDOUT_FILENO);
}

void output_page(struct output *out)
{
	if (output_on_terminal(out) && out->format == SL_FORMAT_TEXT && !out->options->no_pager)
		pager_start(&out->pager);
}

int output_close(struct output *out, int result)
{
	bool file = out->file && out->file != stdout;
	int error = errno;

	if (result >= 0 && (fflush(out->file) != 0 || ferror(out->file))) {
		result = SL_ERR_IO;
		error = errno;
	}
	if (file && fclose(out->file) != 0 && result >= 0) {
		result = SL_ERR_IO;
		error = errno;
	}
	pager_wait(&out->pager);
	out->file = NULL;
	out->reader_left = result == SL_ERR_IO && !file && error == EPIPE;
	if (result >= 0 || out->reader_left)
		return EXIT_DONE;
	if (result == SL_ERR_IO)
		say("cannot write %s: %s",
		    !file ? "standard output" : out->options->output ? out->options->output : "a temporary file", strerror(error));
	else
		say("%s", sl_strerror(result));
	return EXIT_FAILED;
}

int output_table(struct output *out, const struct options *options, struct sl_table *ret)
{
	int code = output_open(out, options), result;

	if (code != EXIT_DONE)
		return code;
	output_page(out);
	result = sl_report_table(out->format, &out->style, out->file, ret);
	return result < 0 ? output_close(out, result) : EXIT_DONE;
}

static struct sl_report_style style_of_lane(const struct output *out, bool first)
{
	struct sl_report_style style = out->style;

	style.continuation = !first;
	return style;
}

static int lane_table(void *ctx, FILE *file, bool first, struct sl_table *ret)
{
	const struct output *out = ctx;
	struct sl_report_style style = style_of_lane(out, first);

	return sl_report_table(out->format, &style, file, ret);
}

static int lane_spans(void *ctx, FILE *file, bool first, struct sl_spans *ret)
{
	const struct output *out = ctx;
	struct sl_report_style style = style_of_lane(out, first);

	return sl_report_spans(out->format, &style, file, ret);
}

const struct sl_outputs_ops output_writers = { .table = lane_table, .spans = lane_spans };
