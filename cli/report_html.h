/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H
#include <stdio.h>

#include "session.h"

/* What of the options goes not with --html; NULL: nothing. */
const char *report_html_refuses(const struct options *options);
/* report --html: all tables and the timeline as one page. An exit code; what went wrong has been said. */
int report_html(struct session *s);
/* The same to file, which is closed, with the timeline's columns apart. *ret_written: whether there is a page. */
int report_html_apart(struct session *s, FILE *file, FILE *columns, bool *ret_written);
#endif
