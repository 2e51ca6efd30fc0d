/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

#include "number.h"
#include "sl_array.h"
#include "sl_text.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	AT_WIDTH = 16,	 /* of the column with the position on the axis */
	INDENT_MAX = 40, /* deeper steps say their depth instead of moving on to the right */
	COMMENT_AT = 64, /* column of the comments, for lines that are shorter */
};

/* A line, or its comment, while it is put together. */
struct piece {
	char *text;
	size_t len, cap;
};

struct flow {
	FILE *out;
	bool color, started;
	int error;
	char *unit;
	struct piece line, comment;
	bool pending; /* line holds a call that may turn out to be a leaf */
	unsigned pending_depth, pending_flags;
	char *pending_name;
	char *module; /* of the line that named one last */
	char *file;   /* of the instruction before */
	unsigned line_no;
};

static void add(struct flow *f, struct piece *piece, const char *text)
{
	size_t len = strlen(text);

	if (f->error || sl_array_reserve((void **)&piece->text, &piece->cap, 1, piece->len + len + 1) < 0) {
		f->error = SL_ERR_NOMEM;
		return;
	}
	sl_printable(text, piece->text + piece->len, len + 1);
	piece->len += strlen(piece->text + piece->len);
}

/* A disassembler's text, where a tab stands between mnemonic and operands. */
static void add_insn(struct flow *f, const char *text)
{
	char copy[160];
	size_t len = strlen(text);

	if (len >= sizeof(copy))
		len = sizeof(copy) - 1;
	memcpy(copy, text, len);
	copy[len] = '\0';
	for (char *p = copy; *p; p++) {
		if (*p == '\t')
			*p = ' ';
	}
	add(f, &f->line, copy);
}

/* Adds to the comment, behind a comma where it has something already. */
static void remark(struct flow *f, const char *before, const char *text, const char *after)
{
	if (f->comment.len)
		add(f, &f->comment, ", ");
	add(f, &f->comment, before);
	add(f, &f->comment, text);
	add(f, &f->comment, after);
}

static void remark_flags(struct flow *f, unsigned flags)
{
	if (flags & SL_SPAN_TAIL)
		remark(f, "tail", "", "");
	if (flags & SL_SPAN_NO_ENTRY)
		remark(f, "entry not traced", "", "");
	if (flags & SL_SPAN_NO_EXIT)
		remark(f, "exit not traced", "", "");
	if (flags & SL_SPAN_REPAIRED)
		remark(f, "inferred", "", "");
}

static void add_amount(struct flow *f, uint64_t amount)
{
	struct sl_number number;

	add(f, &f->comment, sl_number_grouped(amount, &number));
	add(f, &f->comment, " ");
	add(f, &f->comment, f->unit ? f->unit : "");
}

static void remark_amount(struct flow *f, uint64_t amount)
{
	remark(f, "", "", "");
	add_amount(f, amount);
}

/* Starts a line: the position and the indentation. */
static void start(struct flow *f, uint64_t at, unsigned depth)
{
	char head[AT_WIDTH + 2 * INDENT_MAX + 64];
	unsigned shown = depth < INDENT_MAX ? depth : INDENT_MAX;
	struct sl_number number;

	f->line.len = f->comment.len = 0;
	snprintf(head, sizeof(head), "%*s  %*s", AT_WIDTH, sl_number_grouped(at, &number), (int)(2 * shown),
		 "");
	add(f, &f->line, head);
	if (depth <= INDENT_MAX)
		return;
	snprintf(head, sizeof(head), "[%u] ", depth);
	add(f, &f->line, head);
}

/* Prints the line with its comment. */
static void print(struct flow *f, const char *color)
{
	size_t width;

	if (f->error)
		return;
	width = sl_utf8_width(f->line.text);
	if (color && f->color)
		fprintf(f->out, "%s%s\033[0m", color, f->line.text);
	else
		fputs(f->line.text, f->out);
	if (f->comment.len)
		fprintf(f->out, "%*s/* %s */", width + 2 < COMMENT_AT ? (int)(COMMENT_AT - width) : 2, "",
			f->comment.text);
	putc('\n', f->out);
}

static void flush_pending(struct flow *f)
{
	if (!f->pending)
		return;
	f->pending = false;
	add(f, &f->line, " {");
	print(f, NULL);
}

/* Replaces *kept by a copy of text; false where it was the same already. */
static bool changed(struct flow *f, char **kept, const char *text)
{
	if (*kept && text ? strcmp(*kept, text) == 0 : *kept == text)
		return false;
	free(*kept);
	*kept = text ? strdup(text) : NULL;
	if (text && !*kept)
		f->error = SL_ERR_NOMEM;
	return true;
}

static void enter(struct flow *f, const struct sl_span *span)
{
	const char *name = span->name ? span->name : "?";
	char last = *name ? name[strlen(name) - 1] : '\0';

	start(f, span->at, span->depth);
	add(f, &f->line, name);
	/* Demangled names carry their parameters, and "[no image]" is no function. */
	if (last != ')' && last != ']')
		add(f, &f->line, "()");
	remark_flags(f, span->flags);
	if (changed(f, &f->module, span->module) && span->module)
		remark(f, "", span->module, "");
	changed(f, &f->pending_name, name);
	f->pending = true;
	f->pending_depth = span->depth;
	f->pending_flags = span->flags;
}

/* Whether a call that ends is the one that has just begun: another stack's may end at the same depth. */
static bool is_leaf(const struct flow *f, const struct sl_span *span)
{
	return f->pending && f->pending_depth == span->depth && f->pending_name &&
	       strcmp(f->pending_name, span->name ? span->name : "?") == 0;
}

static void leave(struct flow *f, const struct sl_span *span)
{
	struct sl_number number;

	if (is_leaf(f, span)) {
		f->pending = false;
		add(f, &f->line, ";");
		remark_amount(f, span->duration);
		remark_flags(f, span->flags & ~(f->pending_flags | SL_SPAN_NO_ENTRY));
		print(f, NULL);
		return;
	}
	flush_pending(f);
	start(f, span->at, span->depth);
	add(f, &f->line, "}");
	add(f, &f->comment, span->name ? span->name : "?");
	add(f, &f->comment, ": ");
	add_amount(f, span->duration);
	remark(f, "self ", sl_number_grouped(span->self, &number), "");
	remark_flags(f, span->flags);
	print(f, NULL);
}

static void level(struct flow *f, const struct sl_span *span)
{
	bool resume = span->kind == SL_SPAN_RESUME;

	start(f, span->at, span->depth);
	add(f, &f->line, resume ? "--- end of " : "--- ");
	add(f, &f->line, span->name ? span->name : "exception");
	add(f, &f->line, " ---");
	if (resume)
		remark_amount(f, span->duration);
	remark_flags(f, span->flags);
	print(f, "\033[36m");
}

static void gap(struct flow *f, const struct sl_span *span)
{
	char place[32];

	start(f, span->at, span->depth);
	add(f, &f->line, "*** gap: ");
	add(f, &f->line, span->name ? span->name : "unknown");
	if (span->address) {
		snprintf(place, sizeof(place), " at 0x%" PRIx64, span->address);
		add(f, &f->line, place);
	}
	add(f, &f->line, " ***");
	print(f, "\033[31m");
}

static void insn(struct flow *f, const struct sl_span *span)
{
	char place[32];

	start(f, span->at, span->depth);
	snprintf(place, sizeof(place), "0x%08" PRIx64 "  ", span->address);
	add(f, &f->line, place);
	add_insn(f, span->text ? span->text : "?");
	if (span->file && (changed(f, &f->file, span->file) || span->line != f->line_no)) {
		snprintf(place, sizeof(place), ":%u", span->line);
		remark(f, "", span->file, place);
	}
	f->line_no = span->line;
	print(f, NULL);
}

static void note(struct flow *f, const struct sl_span *span)
{
	start(f, span->at, span->depth);
	add(f, &f->line, "/* ");
	add(f, &f->line, span->name ? span->name : "?");
	add(f, &f->line, " */");
	print(f, NULL);
}

static void flow_begin(void *self, const char *label, const char *unit)
{
	struct flow *f = self;

	if (f->started)
		putc('\n', f->out);
	f->started = true;
	changed(f, &f->unit, unit);
	changed(f, &f->module, NULL);
	changed(f, &f->file, NULL);
	f->line.len = f->comment.len = 0;
	add(f, &f->line, label);
	print(f, "\033[1m");
	fprintf(f->out, f->color ? "\033[4m%*s  flow\033[0m\n" : "%*s  flow\n", AT_WIDTH, unit);
}

static void flow_step(void *self, const struct sl_span *span)
{
	struct flow *f = self;

	if (span->kind != SL_SPAN_LEAVE)
		flush_pending(f);
	if (span->kind != SL_SPAN_INSN)
		changed(f, &f->file, NULL);
	switch (span->kind) {
	case SL_SPAN_ENTER:
		enter(f, span);
		break;
	case SL_SPAN_LEAVE:
		leave(f, span);
		break;
	case SL_SPAN_LEVEL:
	case SL_SPAN_RESUME:
		level(f, span);
		break;
	case SL_SPAN_GAP:
		gap(f, span);
		break;
	case SL_SPAN_INSN:
		insn(f, span);
		break;
	case SL_SPAN_NOTE:
		note(f, span);
		break;
	}
}

static void flow_end(void *self)
{
	flush_pending(self);
}

static int flow_close(void *self)
{
	struct flow *f = self;
	int ret = f->error ? f->error : sl_writer_flush(f->out);

	free(f->unit);
	free(f->module);
	free(f->pending_name);
	free(f->file);
	free(f->line.text);
	free(f->comment.text);
	free(f);
	return ret;
}

int sl_spans_text_new(const struct sl_report_style *style, FILE *out, struct sl_spans *ret)
{
	static const struct sl_span_ops ops = { flow_begin, flow_step, flow_end, flow_close };
	struct flow *f = calloc(1, sizeof(*f));

	if (!f)
		return SL_ERR_NOMEM;
	f->out = out;
	f->color = style->color;
	f->started = style->continuation;
	*ret = (struct sl_spans){ &ops, f };
	return SL_OK;
}
