/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAGE_READ_H
#define PAGE_READ_H
/*
 * A page of report --html, read as docs/formats/html-data.md says and by none of the code that writes it.
 * What is not as it is said there ends the process.
 */
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct page_call {
	uint64_t start, end, name, flags, kids, pause,
		rest; /* name: an index; of runs a track, of losses a reason */
};

enum page_row_kind { PAGE_CALLS, PAGE_RUNS, PAGE_LOSSES };

struct page_row {
	enum page_row_kind kind;
	uint64_t owner, depth, count, sizes[6];
	size_t number;		 /* as the page has them */
	struct page_call *calls; /* count */
};

struct page {
	json_t *parts; /* tables and paths as they come: [object, row...] */
	json_t *timeline, *names, *tracks, *lanes, *reasons; /* NULL: there is none */
	struct page_row *rows;				     /* by kind, owner and depth */
	size_t row_count;
};

/* template: the page without what is put in; columns: those of a page that has them apart, or NULL. */
void page_read(const char *text, size_t len, const char *template, const uint8_t *columns, size_t columns_len,
	       struct page *ret);
void page_release(struct page *page);
/* NULL: there is no such row. */
const struct page_row *page_row(const struct page *page, enum page_row_kind kind, uint64_t owner,
				uint64_t depth);
#endif
