/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as a flame graph in SVG: the width of a frame is its total, what is on it its callees, in the order in which they
 * were first called. A script inside zooms and searches; nothing is loaded from elsewhere.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "sl_array.h"
#include "sl_map.h"
#include "utf8.h"
#include "writers.h"

extern const unsigned char sl_flamegraph_js[], sl_flamegraph_css[];
extern const size_t sl_flamegraph_js_len, sl_flamegraph_css_len;

enum { LEFT = 10, WIDTH = 1180, ROW = 17, TOP = 44, BOTTOM = 30 };
#define LEAST 0.1 /* pixels: what is narrower is not drawn */

struct flamegraph {
	FILE *out;
	char unit[16];
	uint64_t whole, start;
	uint32_t rows;
	uint64_t *next; /* by depth: where the next child begins */
	size_t cap;
	uint64_t narrow; /* frames that are not drawn */
	bool begun, no_memory;
};

static void begin_document(const struct flamegraph *f)
{
	unsigned height = TOP + BOTTOM + f->rows * ROW;

	fprintf(f->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" data-whole=\"%" PRIu64 "\" data-unit=\"%s\">\n<style>",
		WIDTH + 2 * LEFT, height, WIDTH + 2 * LEFT, height, f->whole, f->unit);
	fwrite(sl_flamegraph_css, 1, sl_flamegraph_css_len, f->out);
	fprintf(f->out, "</style>\n<text id=\"title\" x=\"%d\" y=\"22\">%s of calls by path</text>\n", LEFT, f->unit);
	fprintf(f->out, "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"38\" style=\"display:none\">all (Esc)</text>\n", LEFT);
	fprintf(f->out, "<text id=\"search\" class=\"button\" x=\"%d\" y=\"22\" text-anchor=\"end\">search (/)</text>\n", WIDTH + LEFT);
	fprintf(f->out, "<text id=\"found\" x=\"%d\" y=\"38\" text-anchor=\"end\"></text>\n", WIDTH + LEFT);
	fprintf(f->out, "<text id=\"line\" x=\"%d\" y=\"%u\"></text>\n", LEFT, height - 10);
}

static void flamegraph_begin(void *self, const struct sl_paths_head *head)
{
	struct flamegraph *f = self;

	snprintf(f->unit, sizeof(f->unit), "%s", head->unit);
	f->whole = head->whole;
	f->rows = head->depth;
	f->begun = true;
	begin_document(f);
}

/* Warm colours for code, by its name; others for what is none. */
static void color(FILE *out, const struct sl_path *path)
{
	uint64_t hash = sl_hash(SL_HASH_SEED, path->name, strlen(path->name));
	unsigned hue = (unsigned)(hash % 50), light = 58 + (unsigned)(hash / 50 % 14);

	switch (path->kind) {
	case SL_PATH_FUNCTION:
		fprintf(out, "hsl(%u 85%% %u%%)", hue, light);
		break;
	case SL_PATH_LEVEL:
		fprintf(out, "hsl(%u 60%% 72%%)", 195 + hue / 2);
		break;
	case SL_PATH_TASK:
		fprintf(out, "hsl(%u 40%% 70%%)", 100 + hue);
		break;
	default:
		fputs("#bbb", out);
	}
}

static void title(struct flamegraph *f, const struct sl_path *path)
{
	struct sl_number total, own, calls, share;

	sl_number_grouped(path->total, &total);
	sl_number_grouped(path->self, &own);
	sl_number_grouped(path->calls, &calls);
	sl_number_fixed(f->whole ? 100.0 * (double)path->total / (double)f->whole : 0, 2, &share);
	fputs("<title>", f->out);
	sl_xml_text(f->out, path->name);
	if (path->module) {
		fputs(" (", f->out);
		sl_xml_text(f->out, path->module);
		putc(')', f->out);
	}
	fprintf(f->out, ": %s %s, %s %%", total.text, f->unit, share.text);
	if (path->kind != SL_PATH_GAP && path->kind != SL_PATH_BEYOND)
		fprintf(f->out, ", self %s, %s calls", own.text, calls.text);
	fputs("</title>", f->out);
}

/* A number with two decimals; the decimal point is that of no locale. */
static void pixels(FILE *out, const char *key, double value)
{
	uint64_t hundredths = (uint64_t)(value * 100 + 0.5);

	fprintf(out, " %s=\"%" PRIu64 ".%02u\"", key, hundredths / 100, (unsigned)(hundredths % 100));
}

static void frame(struct flamegraph *f, const struct sl_path *path, uint64_t start)
{
	double scale = f->whole ? (double)WIDTH / (double)f->whole : 0, width = (double)path->total * scale;
	unsigned y = TOP + (f->rows - 1 - path->depth) * ROW;

	if (width < LEAST) {
		f->narrow++;
		return;
	}
	fprintf(f->out,
		"<g class=\"f\" data-start=\"%" PRIu64 "\" data-total=\"%" PRIu64 "\" data-self=\"%" PRIu64 "\" data-depth=\"%" PRIu32
		"\" data-name=\"",
		start, path->total, path->self, path->depth);
	sl_xml_text(f->out, path->name);
	fputs("\">", f->out);
	title(f, path);
	fputs("<rect", f->out);
	pixels(f->out, "x", LEFT + (double)start * scale);
	pixels(f->out, "width", width);
	fprintf(f->out, " y=\"%u\" height=\"%d\" fill=\"", y, ROW - 1);
	color(f->out, path);
	fputs("\"/><text", f->out);
	pixels(f->out, "x", LEFT + (double)start * scale + 3);
	fprintf(f->out, " y=\"%u\"></text></g>\n", y + 12);
}

static void flamegraph_path(void *self, const struct sl_path *path)
{
	struct flamegraph *f = self;
	uint64_t *place, start;

	if (f->no_memory || sl_array_reserve((void **)&f->next, &f->cap, sizeof(*f->next), (size_t)path->depth + 1) < 0) {
		f->no_memory = true;
		return;
	}
	place = path->depth ? &f->next[path->depth - 1] : &f->start;
	start = *place;
	*place += path->total;
	f->next[path->depth] = start;
	frame(f, path, start);
}

static int flamegraph_close(void *self)
{
	struct flamegraph *f = self;
	int result;

	if (f->begun) {
		fprintf(f->out, "<desc>%" PRIu64 " frames narrower than a tenth of a pixel are not drawn</desc>\n<script><![CDATA[",
			f->narrow);
		fwrite(sl_flamegraph_js, 1, sl_flamegraph_js_len, f->out);
		fputs("]]></script>\n</svg>\n", f->out);
	}
	result = f->no_memory ? SL_ERR_NOMEM : sl_writer_flush(f->out);
	free(f->next);
	free(f);
	return result;
}

int sl_paths_flamegraph_new(FILE *out, struct sl_paths *ret)
{
	static const struct sl_paths_ops ops = { flamegraph_begin, flamegraph_path, flamegraph_close };
	struct flamegraph *f = calloc(1, sizeof(*f));

	if (!f)
		return SL_ERR_NOMEM;
	f->out = out;
	*ret = (struct sl_paths){ &ops, f };
	return SL_OK;
}
