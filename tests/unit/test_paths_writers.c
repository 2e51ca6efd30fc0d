/* SPDX-License-Identifier: Apache-2.0 */
/* Files of calls by path, byte by byte where they are text; names from strangers must not become anything else there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_export_files.h"

static const char hostile[] = "a;b\"</script>]]>&'\n\x1b[31m\xff";

/* main, and in it one of hostile name, twice. */
static void write_paths(const struct sl_paths *paths)
{
	static const struct sl_paths_head head = { .unit = "ns", .whole = 100, .depth = 3 };
	static const struct sl_path all[] = {
		{ .depth = 0, .name_id = 0, .name = "main", .module = "app", .calls = 1, .total = 90, .self = 40 },
		{ .depth = 1, .name_id = 1, .name = hostile, .module = hostile, .calls = 2, .total = 50, .self = 20 },
		{ .depth = 2, .name_id = 1, .name = hostile, .module = hostile, .calls = 1, .total = 30, .self = 30 },
		{ .kind = SL_PATH_GAP, .depth = 0, .name_id = 2, .name = "[trace missing]", .total = 10, .self = 10 },
	};

	paths->ops->begin(paths->out, &head);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		paths->ops->path(paths->out, &all[i]);
}

static char *written(int (*make)(FILE *out, struct sl_paths *ret))
{
	struct sl_paths paths;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(make(out, &paths), SL_OK);
	write_paths(&paths);
	assert_int_equal(paths.ops->close(paths.out), SL_OK);
	fclose(out);
	return text;
}

void test_paths_writers__folded_is_a_line_a_path(void **state)
{
	char *text = written(sl_paths_folded_new);

	(void)state;
	assert_string_equal(text, "main 40\nmain;a?b\"</script>]]>&'??[31m? 20\n"
				  "main;a?b\"</script>]]>&'??[31m?;a?b\"</script>]]>&'??[31m? 30\n[trace missing] 10\n");
	free(text);
}

void test_paths_writers__callgrind_adds_up_blocks(void **state)
{
	char *text = written(sl_paths_callgrind_new);

	(void)state;
	assert_string_equal(strstr(text, "summary:"),
			    "summary: 100\n\nfl=(1) ???\n"
			    "ob=(1) app\nfl=(1)\nfn=(1) main\n0 40\n\n"
			    "ob=(2) a;b\"</script>]]>&'??[31m?\nfl=(1)\nfn=(2) a;b\"</script>]]>&'??[31m?\n0 20\n\n"
			    "ob=(1)\nfl=(1)\nfn=(1)\ncob=(2)\ncfi=(1)\ncfn=(2)\ncalls=2 0\n0 50\n\n"
			    "ob=(2)\nfl=(1)\nfn=(2)\n0 30\n\n"
			    "ob=(2)\nfl=(1)\nfn=(2)\ncob=(2)\ncfi=(1)\ncfn=(2)\ncalls=1 0\n0 30\n\n"
			    "ob=(3) ???\nfl=(1)\nfn=(3) [trace missing]\n0 10\n\n"
			    "totals: 100\n");
	free(text);
}

/* The script and the CDATA around it end where they do without the name. */
void test_paths_writers__flamegraph_names_are_text(void **state)
{
	static const char escaped[] = "a;b&quot;&lt;/script&gt;]]&gt;&amp;&#39;\xef\xbf\xbd\xef\xbf\xbd[31m\xef\xbf\xbd";
	char *text = written(sl_paths_flamegraph_new), *at = text;
	unsigned names = 0, ends = 0;

	(void)state;
	assert_non_null(strstr(text, "<rect x=\"10.00\" width=\"1062.00\" y=\"78\""));
	assert_null(strstr(text, "a;b\""));
	while ((at = strstr(at, escaped)) != NULL) {
		names++;
		at++;
	}
	assert_int_equal(names, 6); /* of two frames: name, title, and its module */
	for (at = text; (at = strstr(at, "]]>")) != NULL; at++)
		ends++;
	assert_int_equal(ends, 1);
	assert_string_equal(strstr(text, "]]>"), "]]></script>\n</svg>\n");
	free(text);
}

void test_paths_writers__a_full_disk_is_an_error(void **state)
{
	int (*const makers[])(FILE *, struct sl_paths *) = { sl_paths_folded_new, sl_paths_callgrind_new, sl_paths_flamegraph_new,
							     sl_paths_pprof_new };

	(void)state;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		FILE *full = fopen("/dev/full", "w");
		struct sl_paths paths;

		if (!full)
			skip();
		assert_int_equal(makers[i](full, &paths), SL_OK);
		write_paths(&paths);
		assert_int_equal(paths.ops->close(paths.out), SL_ERR_IO);
		fclose(full);
	}
}
