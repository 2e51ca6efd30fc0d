/* SPDX-License-Identifier: Apache-2.0 */
/* Names from strangers in files of timelines: they must not become anything else there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "sl_export_files.h"
#include "temp_files.h"

static const char hostile[] = "\"</script>\\\n\x1b[31m\xff,;";

static const char *name_of(const void *ctx, uint32_t name_id, const char **ret_module)
{
	(void)ctx;
	(void)name_id;
	*ret_module = hostile;
	return hostile;
}

/* One call of a hostile function of a hostile module in a hostile task. */
static void write_events(const struct sl_timeline *timeline)
{
	static const struct sl_timeline_head head = { .unit = "ns", .about = "since it began", .lanes = 1, .name = name_of };
	const struct sl_timeline_track track = { .has_task = true, .task = 7, .name = hostile };
	struct sl_timeline_event event = { .kind = SL_TIMELINE_RUN, .track = &track };

	timeline->ops->begin(timeline->out, &head);
	timeline->ops->event(timeline->out, &event);
	event.name = event.module = hostile;
	event.kind = SL_TIMELINE_MARK;
	timeline->ops->event(timeline->out, &event);
	event.kind = SL_TIMELINE_BEGIN;
	event.at = 1000;
	timeline->ops->event(timeline->out, &event);
	event.kind = SL_TIMELINE_END;
	event.start = 1000;
	event.at = 3001;
	event.costs = true;
	event.total = event.self = 1999;
	timeline->ops->event(timeline->out, &event);
	event = (struct sl_timeline_event){ .kind = SL_TIMELINE_RUN, .at = 5000 };
	timeline->ops->event(timeline->out, &event);
	assert_int_equal(timeline->ops->close(timeline->out), SL_OK);
}

/* ret is new. */
static size_t written(int (*make)(FILE *out, struct sl_timeline *ret), char **ret)
{
	struct sl_timeline timeline;
	size_t len;
	FILE *out = open_memstream(ret, &len);

	assert_int_equal(make(out, &timeline), SL_OK);
	write_events(&timeline);
	fclose(out);
	return len;
}

/* No control characters but ends of lines, no quote that is not escaped, only UTF-8 (of which 0xff is no byte). */
static void expect_inert_json(int (*make)(FILE *out, struct sl_timeline *ret))
{
	char *text;

	written(make, &text);
	assert_non_null(strstr(text, "\"\\\"</script>\\\\\\n\\u001b[31m\xef\xbf\xbd,;\""));
	for (const char *p = text; *p; p++)
		assert_false((*p < ' ' && *p >= 0 && *p != '\n') || (unsigned char)*p == 0xff);
	free(text);
}

void test_timeline_writers__json_names_are_inert(void **state)
{
	(void)state;
	expect_inert_json(sl_timeline_json_new);
	expect_inert_json(sl_timeline_chrome_new);
	expect_inert_json(sl_timeline_speedscope_new);
}

void test_timeline_writers__csv_names_are_quoted(void **state)
{
	char *text;

	(void)state;
	written(sl_timeline_csv_new, &text);
	assert_non_null(strstr(text, "1000,2001,1999,1999,0,7,\"\"\"</script>\\\n\xef\xbf\xbd[31m\xef\xbf\xbd,;\","));
	free(text);
}

void test_timeline_writers__chrome_has_all_decimals(void **state)
{
	char *text;

	(void)state;
	written(sl_timeline_chrome_new, &text);
	assert_non_null(strstr(text, "\"ts\":1.000,\"dur\":2.001,"));
	free(text);
}

/* The bytes of a field of length-delimited type, behind a key and a length of one to five bytes. */
static const uint8_t *inside(const uint8_t *p, unsigned field, size_t *ret_len)
{
	size_t len = 0;
	unsigned shift = 0;

	assert_int_equal(p[0] | (field > 15 ? p[1] << 8 : 0), field > 15 ? (0x80 | (field & 15) << 3 | 2) | field >> 4 << 8 : field << 3 | 2);
	p += field > 15 ? 2 : 1;
	do {
		len |= (size_t)(*p & 0x7f) << shift;
		shift += 7;
	} while (*p++ & 0x80);
	*ret_len = len;
	return p;
}

void test_timeline_writers__perfetto_strings_are_utf8(void **state)
{
	uint8_t plain[4096];
	uLongf plain_len = sizeof(plain);
	const uint8_t *packed;
	size_t len;
	char *data;

	(void)state;
	written(sl_timeline_perfetto_new, &data);
	packed = inside(inside((const uint8_t *)data, 1, &len), 50, &len);
	assert_int_equal(uncompress(plain, &plain_len, packed, (uLong)len), Z_OK);
	assert_non_null(memmem(plain, plain_len, "\"</script>\\\n\x1b[31m\xef\xbf\xbd,;", 21));
	assert_null(memmem(plain, plain_len, hostile, sizeof(hostile) - 1));
	free(data);
}

int group_setup(void **state)
{
	(void)state;
	temp_setup();
	return 0;
}

int group_teardown(void **state)
{
	(void)state;
	temp_teardown();
	return 0;
}

static size_t file_text(const char *path, char *ret, size_t cap)
{
	FILE *file = fopen(path, "rb");
	size_t len;

	assert_non_null(file);
	len = fread(ret, 1, cap - 1, file);
	fclose(file);
	ret[len] = '\0';
	return len;
}

/* A name is a line of the symbol list, and no more; the trace itself has numbers. */
void test_timeline_writers__ctf_names_are_lines(void **state)
{
	struct sl_timeline timeline;
	char text[4096];

	(void)state;
	assert_int_equal(sl_timeline_ctf_new(temp_path("ctf"), &timeline), SL_OK);
	write_events(&timeline);
	file_text(temp_path("ctf/functions.nm"), text, sizeof(text));
	assert_string_equal(text, "0000000000000010 T \"</script>\\??[31m?,;\n");
	/* Header and context of the packet, and two events. */
	assert_int_equal(file_text(temp_path("ctf/trace/track_0"), text, sizeof(text)), 24 + 32 + 2 * 49);
	assert_int_equal(sl_timeline_ctf_new(temp_path("ctf"), &timeline), SL_ERR_IO);
}

void test_timeline_writers__sqlite_names_are_values(void **state)
{
	struct sl_timeline timeline;
	char text[65536];
	size_t len;

	(void)state;
	if (sl_timeline_sqlite_new(temp_path("db"), &timeline) == SL_ERR_UNSUPPORTED)
		skip();
	write_events(&timeline);
	len = file_text(temp_path("db"), text, sizeof(text));
	assert_non_null(memmem(text, len, "\"</script>\\\n\x1b[31m\xef\xbf\xbd,;", 20));
	assert_null(memmem(text, len, hostile, sizeof(hostile) - 1));
}

/* A file that takes no byte is an error, and not a silent one. */
void test_timeline_writers__a_full_disk_is_an_error(void **state)
{
	int (*const makers[])(FILE *, struct sl_timeline *) = { sl_timeline_json_new, sl_timeline_csv_new, sl_timeline_chrome_new,
								sl_timeline_speedscope_new, sl_timeline_perfetto_new };
	static const struct sl_timeline_head head = { .unit = "ns", .about = "x", .lanes = 1, .name = name_of };

	(void)state;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		FILE *full = fopen("/dev/full", "w");
		struct sl_timeline timeline;

		if (!full)
			skip();
		assert_int_equal(makers[i](full, &timeline), SL_OK);
		timeline.ops->begin(timeline.out, &head);
		assert_int_equal(timeline.ops->close(timeline.out), SL_ERR_IO);
		fclose(full);
	}
}
