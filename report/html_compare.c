/* SPDX-License-Identifier: Apache-2.0 */
/* The page of compare: what the build made of report/html/compare/, with its tables in it. */
#include <stdlib.h>

#include "html_page.h"
#include "utf8.h"
#include "writers.h"

extern const unsigned char sl_html_compare_page[];

struct compare_page {
	FILE *out;
	const char *title;
	struct html_table table; /* to a temporary file */
	struct sl_table tables;	 /* its writer */
};

static void page_begin(void *self, const struct sl_table_head *head)
{
	struct compare_page *page = self;

	page->tables.ops->begin(page->tables.out, head);
}

static void page_row(void *self, const struct sl_cell *cells)
{
	struct compare_page *page = self;

	page->tables.ops->row(page->tables.out, cells);
}

static void page_end(void *self)
{
	struct compare_page *page = self;

	page->tables.ops->end(page->tables.out);
}

static int write_facts(struct compare_page *page)
{
	struct html_block *block;
	int result;

	if (ferror(page->table.facts) || fflush(page->table.facts) != 0)
		return SL_ERR_IO;
	fputs("<script type=\"application/octet-stream\" id=\"facts\">", page->out);
	result = html_block_new(page->out, &block);
	if (result < 0)
		return result;
	html_block_copy(block, page->table.facts);
	result = html_block_close(block);
	fputs("</script>\n", page->out);
	return result;
}

static int page_close(void *self)
{
	struct compare_page *page = self;
	const char *rest = html_write_until(page->out, (const char *)sl_html_compare_page, "@CONNECT@");
	int result;

	rest = html_write_until(page->out, rest, "@TITLE@");
	sl_xml_text(page->out, page->title);
	rest = html_write_until(page->out, rest, "@DATA@");
	result = write_facts(page);
	fputs(rest, page->out);
	if (result == SL_OK)
		result = sl_writer_flush(page->out);
	fclose(page->table.facts);
	free(page);
	return result;
}

int sl_html_compare_new(FILE *out, const char *title, struct sl_table *ret)
{
	static const struct sl_table_ops ops = { page_begin, page_row, page_end, page_close };
	struct compare_page *page = calloc(1, sizeof(*page));

	if (!page)
		return SL_ERR_NOMEM;
	*page = (struct compare_page){ .out = out, .title = title, .table = { .facts = tmpfile() } };
	if (!page->table.facts) {
		free(page);
		return SL_ERR_IO;
	}
	html_table_ops(&page->table, &page->tables);
	*ret = (struct sl_table){ &ops, page };
	return SL_OK;
}
