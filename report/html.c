/* SPDX-License-Identifier: Apache-2.0 */
/* The page: what the build made of report/html/, with the data of one capture in it. */
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "utf8.h"
#include "writers.h"

extern const unsigned char sl_html_page[];

struct sl_html {
	struct sl_html_options options;
	FILE *facts; /* lines of JSON */
	struct html_table table;
	struct html_paths paths;
	struct html_timeline *timeline;
};

int sl_html_new(const struct sl_html_options *options, struct sl_html **ret)
{
	struct sl_html *html = calloc(1, sizeof(*html));
	int result = html ? html_timeline_new(&html->timeline) : SL_ERR_NOMEM;

	if (result < 0) {
		free(html);
		return result;
	}
	html->options = *options;
	if (!html->options.calls_max)
		html->options.calls_max = SL_HTML_CALLS;
	html->facts = tmpfile();
	html->table.facts = html->paths.facts = html->facts;
	if (html->facts) {
		*ret = html;
		return SL_OK;
	}
	html_timeline_close(html->timeline);
	free(html);
	return SL_ERR_IO;
}

void sl_html_table(struct sl_html *html, struct sl_table *ret)
{
	html_table_ops(&html->table, ret);
}

void sl_html_paths(struct sl_html *html, struct sl_paths *ret)
{
	html_paths_ops(&html->paths, ret);
}

void sl_html_timeline(struct sl_html *html, struct sl_timeline *ret)
{
	html_timeline_ops(html->timeline, ret);
}

static int write_block(struct sl_html *html, const char *id, bool columns)
{
	struct html_block *block;
	int result;

	fprintf(html->options.out, "<script type=\"application/octet-stream\" id=\"%s\">", id);
	result = html_block_new(html->options.out, &block);
	if (result < 0)
		return result;
	if (columns)
		html_timeline_columns(html->timeline, block);
	else
		html_block_copy(block, html->facts);
	result = html_block_close(block);
	fputs("</script>\n", html->options.out);
	return result;
}

/* The page up to where its data stand; the rest of it. A page whose columns are apart may ask where it comes from for them. */
static const char *write_head(const struct sl_html *html)
{
	FILE *out = html->options.out;
	const char *rest = html_write_until(out, (const char *)sl_html_page, "@CONNECT@");

	if (html->options.columns)
		fputs("; connect-src 'self'", out);
	rest = html_write_until(out, rest, "@TITLE@");
	sl_xml_text(out, html->options.title);
	return html_write_until(out, rest, "@DATA@");
}

static int write_columns(struct sl_html *html)
{
	if (!html->options.columns)
		return write_block(html, "columns", true);
	html_timeline_rows(html->timeline, html->options.columns);
	return sl_writer_flush(html->options.columns);
}

static int write_page(struct sl_html *html)
{
	const char *rest = write_head(html);
	int result;

	html_timeline_facts(html->timeline, html->facts, html->options.calls_max, html->options.columns != NULL);
	result = ferror(html->facts) || fflush(html->facts) != 0 ? SL_ERR_IO : write_block(html, "facts", false);
	if (result == SL_OK)
		result = write_columns(html);
	fputs(rest, html->options.out);
	return result == SL_OK ? sl_writer_flush(html->options.out) : result;
}

int sl_html_close(struct sl_html *html, bool write)
{
	int result = write ? write_page(html) : SL_OK, timeline = html_timeline_close(html->timeline);

	if (html->paths.no_memory)
		result = SL_ERR_NOMEM;
	fclose(html->facts);
	sl_map_release(&html->paths.known);
	free(html);
	return result < 0 ? result : timeline;
}
