/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks read back with zlib; what a timeline tells of itself where it is too deep or too long; failures of writing. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "html_page.h"

static unsigned digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (unsigned)(strchr(digits, c) - digits);
}

/* In place; the length. */
static size_t unbase64(char *text, size_t len)
{
	size_t out = 0;

	assert_int_equal(len % 4, 0);
	for (size_t i = 0; i < len; i += 4) {
		uint32_t bits = 0;

		for (size_t k = 0; k < 4; k++)
			bits = bits << 6 | (text[i + k] == '=' ? 0 : digit_of(text[i + k]));
		for (size_t k = 0; k < 3 && (k == 0 || text[i + k + 1] != '='); k++)
			text[out++] = (char)(bits >> (16 - 8 * k));
	}
	return out;
}

static void round_trip(size_t len)
{
	uint8_t *data = malloc(len + 1), *back = malloc(len + 1);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct html_block *block;
	z_stream z = { 0 };

	for (size_t i = 0; i < len; i++)
		data[i] = (uint8_t)(i * i >> 5);
	assert_int_equal(html_block_new(out, &block), SL_OK);
	html_block_put(block, data, len / 3);
	html_block_put(block, data + len / 3, len - len / 3);
	assert_int_equal(html_block_close(block), SL_OK);
	fclose(out);
	assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	z.avail_in = (uInt)unbase64(text, size);
	z.next_in = (Bytef *)text;
	z.next_out = back;
	z.avail_out = (uInt)len + 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.total_out, len);
	assert_memory_equal(back, data, len);
	inflateEnd(&z);
	free(text);
	free(back);
	free(data);
}

void test_html__blocks_come_back(void **state)
{
	for (size_t len = 0; len < 70; len++)
		round_trip(len);
	round_trip(300000);
}

static const char *name_of(const void *ctx, uint32_t id, const char **module)
{
	*module = NULL;
	return id ? "called" : "caller";
}

static const struct sl_timeline_head head = { .unit = "ns", .about = "made up", .lanes = 1, .name = name_of };

static void tell(const struct sl_timeline *to, enum sl_timeline_kind kind, uint32_t depth, uint64_t start, uint64_t at)
{
	static const struct sl_timeline_track track = { .name = "task" };
	const struct sl_timeline_event e = { .kind = kind, .track = &track, .cpu = 0, .at = at, .start = start, .name_id = depth > 0,
					     .depth = depth, .costs = true, .total = at - start };

	to->ops->event(to->out, &e);
}

/* Calls nested in each other; what is told of them, which the caller frees. */
static char *facts_of(uint32_t depth, uint64_t calls_max)
{
	struct html_timeline *timeline;
	struct sl_timeline to;
	char *text = NULL;
	size_t size = 0;
	FILE *facts = open_memstream(&text, &size);

	assert_int_equal(html_timeline_new(&timeline), SL_OK);
	html_timeline_ops(timeline, &to);
	to.ops->begin(to.out, &head);
	for (uint32_t i = 0; i < depth; i++)
		tell(&to, SL_TIMELINE_BEGIN, i, 0, i);
	for (uint32_t i = depth; i-- > 0;)
		tell(&to, SL_TIMELINE_END, i, i, 2 * depth - i);
	html_timeline_facts(timeline, facts, calls_max, false);
	assert_int_equal(html_timeline_close(timeline), SL_OK);
	fclose(facts);
	return text;
}

static void assert_told(uint32_t depth, uint64_t calls_max, const char *want)
{
	char *facts = facts_of(depth, calls_max);

	if (!strstr(facts, want))
		fail_msg("'%s' is not in %s", want, facts);
	free(facts);
}

void test_html__a_page_says_what_it_has_not(void **state)
{
	assert_told(3, 100, "\"end\":6,\"calls\":3,\"depth\":400,\"left_out\":0,");
	assert_told(3, 100, "[\"calls\",0,2,1,1,1,1,1,1,1]\n");
	/* The outermost ones are there in any case. */
	assert_told(5, 2, "\"calls\":2,\"depth\":2,\"left_out\":3,");
	assert_told(5, 0, "\"calls\":1,\"depth\":1,\"left_out\":4,");
	/* Deeper than anybody can look. */
	assert_told(450, 1000, "\"calls\":400,\"depth\":400,\"left_out\":50,");
}

void test_html__a_full_disk_is_told(void **state)
{
	const struct sl_html_options options = { .out = fopen("/dev/full", "w"), .title = "x" };
	struct sl_html *html;

	if (!options.out)
		skip();
	assert_int_equal(sl_html_new(&options, &html), SL_OK);
	assert_int_equal(sl_html_close(html, true), SL_ERR_IO);
	assert_int_equal(sl_html_new(&options, &html), SL_OK);
	assert_int_equal(sl_html_close(html, false), SL_OK);
	fclose(options.out);
}
