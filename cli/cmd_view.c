/* SPDX-License-Identifier: Apache-2.0 */
/* view: the page of report --html, served. */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report_html.h"
#include "say.h"
#include "serve.h"

/* The page and the timeline's columns, in files without a name. */
struct view {
	FILE *page, *columns;
	int page_file; /* the page's, once it is closed */
};

static void print_address(const struct serve *serve, uint16_t port)
{
	(void)serve;
	printf("http://127.0.0.1:%u/\n", port);
	fflush(stdout);
}

static int serve_view(const struct view *view, uint16_t port)
{
	const struct served_file files[] = {
		{ .file = view->page_file, .name = "", .type = "text/html; charset=utf-8" },
		{ .file = fileno(view->columns), .name = "columns", .type = "application/octet-stream" },
	};
	const struct serve what = { .files = files, .count = 2, .port = port, .said = print_address };

	return serve_files(&what);
}

static int make_files(struct view *view)
{
	view->page = tmpfile();
	view->columns = tmpfile();
	if (view->page && view->columns)
		view->page_file = fcntl(fileno(view->page), F_DUPFD_CLOEXEC, 0);
	if (view->page_file >= 0)
		return EXIT_DONE;
	say("cannot make a temporary file: %s", strerror(errno));
	return EXIT_FAILED;
}

static int write_view(struct session *s, struct view *view, bool *ret_written)
{
	int code = make_files(view);
	FILE *page = view->page;

	if (code != EXIT_DONE)
		return code;
	view->page = NULL; /* it is closed there */
	return report_html_apart(s, page, view->columns, ret_written);
}

int cmd_view(const struct options *options)
{
	struct view view = { .page_file = -1 };
	struct session s;
	bool written = false;
	int code = session_open(&s, options);

	if (code == EXIT_DONE)
		code = session_load_image(&s);
	if (code == EXIT_DONE)
		code = write_view(&s, &view, &written);
	session_close(&s);
	if (code == EXIT_DONE && written)
		code = serve_view(&view, (uint16_t)options->port);
	if (view.page)
		fclose(view.page);
	if (view.columns)
		fclose(view.columns);
	if (view.page_file >= 0)
		close(view.page_file);
	return code;
}
