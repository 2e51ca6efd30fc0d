/* SPDX-License-Identifier: Apache-2.0 */
/* ITM and DWT packets, one by one and as streams cut anywhere; and captures that OpenCSD 1.8.0 has decoded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "itm/itm_packet.h"
#include "sl_decoder.h"
#include "sl_demux.h"
#include "sl_file.h"
#include "temp_files.h"

#define SYNC	  0, 0, 0, 0, 0, 0x80
#define MAX_BYTES 64

/* Packets --------------------------------------------------------------------------------------------------
 */

struct packet_row {
	uint8_t bytes[16];
	size_t len;
	int used;
	const char *text;
};

void test_itm__packets(void **state)
{
	static const struct packet_row rows[] = {
		{ { SYNC }, 6, 6, "ITM_ASYNC synchronisation" },
		{ { 0, SYNC }, 7, 7, "ITM_ASYNC synchronisation" },
		{ { 0x70 }, 1, 1, "ITM_OVERFLOW packets were lost" },
		{ { 0x10 }, 1, 1, "ITM_TS_LOCAL delta 1" },
		{ { 0x60 }, 1, 1, "ITM_TS_LOCAL delta 6" },
		{ { 0xc0, 0x7f }, 2, 2, "ITM_TS_LOCAL delta 127" },
		{ { 0xd0, 0x80, 0x01 }, 3, 3, "ITM_TS_LOCAL delta 128, timestamp delayed" },
		{ { 0xe0, 0xff, 0xff, 0x7f }, 4, 4, "ITM_TS_LOCAL delta 2097151, packet delayed" },
		{ { 0xf0, 0xff, 0xff, 0xff, 0x7f }, 5, 5, "ITM_TS_LOCAL delta 268435455, both delayed" },
		{ { 0x94, 0x05 }, 2, 2, "ITM_GTS_1 bits 6:0 0x5" },
		{ { 0x94, 0x80, 0x01 }, 3, 3, "ITM_GTS_1 bits 13:0 0x80" },
		{ { 0x94, 0xff, 0xff, 0xff, 0x1f }, 5, 5, "ITM_GTS_1 bits 25:0 0x3ffffff" },
		{ { 0x94, 0x80, 0x80, 0x80, 0x20 }, 5, 5, "ITM_GTS_1 bits 25:0 0x0, clock changed" },
		{ { 0x94, 0x80, 0x80, 0x80, 0x41 }, 5, 5, "ITM_GTS_1 bits 25:0 0x200000, wrapped" },
		{ { 0xb4, 0xff, 0xff, 0xff, 0x01 }, 5, 5, "ITM_GTS_2 bits 47:26 0x3fffff" },
		{ { 0xb4, 0xff, 0xff, 0xff, 0xff, 0xff, 0x07 }, 7, 7, "ITM_GTS_2 bits 63:26 0x3fffffffff" },
		{ { 0x38 }, 1, 1, "ITM_EXTENSION stimulus port page 3" },
		{ { 0x7c }, 1, 1, "ITM_EXTENSION unknown, from hardware, 3 bits: 0x7" },
		{ { 0x98, 0x01 }, 2, 2, "ITM_EXTENSION unknown, from software, 10 bits: 0x9" },
		{ { 0xf8, 0xff, 0xff, 0xff, 0xff },
		  5,
		  5,
		  "ITM_EXTENSION unknown, from software, 32 bits: 0xffffffff" },
		{ { 0x01, 0x41 }, 2, 2, "ITM_SWIT port 0: 0x41" },
		{ { 0xfa, 0x34, 0x12 }, 3, 3, "ITM_SWIT port 31: 0x1234" },
		{ { 0x0b, 0x78, 0x56, 0x34, 0x12 }, 5, 5, "ITM_SWIT port 1: 0x12345678" },
		{ { 0x05, 0x25 }, 2, 2, "ITM_DWT event counters: CPI SLEEP CYC" },
		{ { 0x0e, 0x0f, 0x10 }, 3, 3, "ITM_DWT exception 15 entered" },
		{ { 0x0e, 0x23, 0x21 }, 3, 3, "ITM_DWT exception 291 exited" },
		{ { 0x17, 0x44, 0x33, 0x22, 0x11 }, 5, 5, "ITM_DWT sample: program counter 0x11223344" },
		{ { 0x15, 0x00 }, 2, 2, "ITM_DWT sample: asleep" },
		{ { 0x47, 1, 0, 0, 8 }, 5, 5, "ITM_DWT comparator 0: program counter 0x08000001" },
		{ { 0x5e, 0x34, 0x12 }, 3, 3, "ITM_DWT comparator 1: address offset 0x1234" },
		{ { 0xa5, 0x99 }, 2, 2, "ITM_DWT comparator 2: read 0x99" },
		{ { 0xbd, 0x99 }, 2, 2, "ITM_DWT comparator 3: written 0x99" },
		{ { 0x1d, 0x99 }, 2, 2, "ITM_DWT reserved discriminator 3: 0x99" },
	};
	struct itm_packet packet;
	char text[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct packet_row *row = &rows[i];
		int n;

		assert_int_equal(itm_packet_parse(row->bytes, sizeof(row->bytes), &packet), row->used);
		n = snprintf(text, sizeof(text), "%s ", itm_kind_name(packet.kind));
		itm_packet_text(&packet, text + n, sizeof(text) - (size_t)n);
		assert_string_equal(text, row->text);
		for (size_t len = 0; len < row->len; len++)
			assert_int_equal(itm_packet_parse(row->bytes, len, &packet), 0);
	}
}

void test_itm__no_packets(void **state)
{
	static const struct packet_row rows[] = {
		{ { 0, 0, 0, 0, 0x80 }, 5, -5, "" }, /* 39 zero bits */
		{ { 0, 0, 0, 0, 0, 0x40 }, 6, -6, "" },
		{ { 0, 0x19 }, 2, -2, "" },
		{ { 0xc0, 0x80, 0x80, 0x80, 0x80 }, 5, -5, "" },
		{ { 0x94, 0x80, 0x80, 0x80, 0x80 }, 5, -5, "" },
		{ { 0xb4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80 }, 7, -7, "" },
		{ { 0x04 }, 1, -1, "" },
		{ { 0x14 }, 1, -1, "" },
		{ { 0xf4 }, 1, -1, "" },
		{ { 0x80 }, 1, -1, "" },
		{ { 0x90 }, 1, -1, "" },
		{ { 0xb0 }, 1, -1, "" },
	};
	struct itm_packet packet;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(itm_packet_parse(rows[i].bytes, sizeof(rows[i].bytes), &packet),
				 rows[i].used);
		assert_int_equal(itm_packet_parse(rows[i].bytes, rows[i].len, &packet), rows[i].used);
		assert_int_equal(itm_packet_parse(rows[i].bytes, rows[i].len - 1, &packet), 0);
	}
}

/* Streams --------------------------------------------------------------------------------------------------
 */

struct listing {
	char elems[8192], packets[16384];
	size_t elems_len, packets_len;
	uint64_t next_byte;
};

/* In order, and each byte once. */
static void on_packet(void *ctx, const struct sl_packet *p)
{
	struct listing *l = ctx;

	assert_int_equal(p->offset, l->next_byte);
	l->next_byte += p->len;
	assert_int_equal(p->not_synced, !strcmp(p->name, "ITM_NOTSYNC"));
	assert_int_equal(p->sync, !strcmp(p->name, "ITM_ASYNC"));
	assert_int_equal(p->bad, !strcmp(p->name, "ITM_BAD_SEQUENCE") || !strcmp(p->name, "ITM_RESERVED"));
	l->packets_len += (size_t)snprintf(l->packets + l->packets_len, sizeof(l->packets) - l->packets_len,
					   "%zu %s\n", p->len, p->name + strlen("ITM_"));
	assert_true(l->packets_len < sizeof(l->packets));
}

static int elem_line(const struct sl_elem *e, char *ret, size_t cap)
{
	switch (e->kind) {
	case SL_ELEM_GAP:
		return snprintf(ret, cap, "%" PRIu64 " gap %s\n", e->offset, sl_gap_name(e->count));
	case SL_ELEM_MESSAGE:
		return snprintf(ret, cap, "%" PRIu64 " %s %" PRIu32 " %u bits %" PRIx32 "\n", e->offset,
				e->message.kind == SL_MESSAGE_DWT ? "dwt" : "port", e->message.channel,
				e->message.bits, e->count);
	case SL_ELEM_TIME:
		return snprintf(ret, cap, "%" PRIu64 " time %" PRIu64 " tc %" PRIu32 "\n", e->offset,
				e->value, e->count);
	case SL_ELEM_MARKER:
		return snprintf(ret, cap, "%" PRIu64 " global %" PRIx64 "%s\n", e->offset, e->value,
				e->flags & SL_FLAG_FREQUENCY ? " clock changed" : "");
	default:
		return snprintf(ret, cap, "%" PRIu64 " %s\n", e->offset, sl_elem_kind_name(e->kind));
	}
}

static void drain(struct sl_decoder *dec, struct listing *l)
{
	struct sl_elem elems[3];
	size_t n;

	while (sl_decoder_next(dec, elems, 3, &n) == SL_OK) {
		assert_in_range(n, 1, 3);
		for (size_t i = 0; i < n; i++)
			l->elems_len += (size_t)elem_line(&elems[i], l->elems + l->elems_len,
							  sizeof(l->elems) - l->elems_len);
		assert_true(l->elems_len < sizeof(l->elems));
	}
}

static struct sl_decoder *new_decoder(uint32_t itmtcr, const struct sl_decoder_options *options)
{
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_ITM };
	struct sl_decoder *dec = NULL;

	sl_config_set(&config, SL_REG_ITMTCR, itmtcr);
	assert_int_equal(sl_decoder_new(&config, options, &dec, NULL), SL_OK);
	return dec;
}

/* restart_at: where the decoder is restarted; SIZE_MAX for never. */
static void list(uint32_t itmtcr, const uint8_t *data, size_t len, size_t chunk, size_t restart_at,
		 struct listing *ret)
{
	struct sl_decoder_options options = { .packet = on_packet,
					      .packet_ctx = ret,
					      .packet_text = chunk & 1 };
	struct sl_decoder *dec = new_decoder(itmtcr, &options);

	memset(ret, 0, sizeof(*ret));
	for (size_t at = 0, n; at < len; at += n) {
		uint8_t copy[MAX_BYTES];

		if (at == restart_at)
			sl_decoder_restart(dec);
		n = chunk < len - at ? chunk : len - at;
		if (at < restart_at && n > restart_at - at)
			n = restart_at - at;
		memcpy(copy, data + at, n);
		sl_decoder_feed(dec, (struct sl_bytes){ copy, n, at });
		drain(dec, ret);
		memset(copy, 0xaa, sizeof(copy)); /* it was lent only so long */
	}
	sl_decoder_finish(dec);
	drain(dec, ret);
	assert_int_equal(ret->next_byte, len);
	sl_decoder_free(dec);
}

static void expect(uint32_t itmtcr, const uint8_t *data, size_t len, size_t restart_at, const char *elems,
		   const char *packets)
{
	struct listing got;

	for (size_t chunk = 1; chunk <= MAX_BYTES; chunk++) {
		list(itmtcr, data, len, chunk, restart_at, &got);
		assert_string_equal(got.elems, elems);
		assert_string_equal(got.packets, packets);
	}
}
#define EXPECT(itmtcr, bytes, elems, packets) expect(itmtcr, bytes, sizeof(bytes), SIZE_MAX, elems, packets)

void test_itm__messages(void **state)
{
	static const uint8_t bytes[] = { SYNC, 0x09, 0xac, 0x0a, 0x45, 0x23, 0xfb, 1,	 2,    3,
					 4,    0x48, 0x11, 0x5a, 0x0e, 0x0f, 0x10, 0x08, 0x11, 0x5b };

	EXPECT(0, bytes,
	       "0 gap start\n6 port 1 8 bits ac\n8 port 1 16 bits 2345\n11 port 31 32 bits 4030201\n"
	       "17 port 130 8 bits 5a\n19 dwt 1 16 bits 100f\n23 port 2 8 bits 5b\n25 end\n",
	       "6 ASYNC\n2 SWIT\n3 SWIT\n5 SWIT\n1 EXTENSION\n2 SWIT\n3 DWT\n1 EXTENSION\n2 SWIT\n");
}

/* Deltas add up, times the prescaler, and do so across a sync; an overflow begins anew. */
void test_itm__local_time(void **state)
{
	static const uint8_t bytes[] = { SYNC, 0x20, 0xc0, 0x80, 0x01, 0xf0, 0x01,
					 SYNC, 0x10, 0x70, 0x30, 0xd0, 0x05 };

	EXPECT(0, bytes,
	       "0 gap start\n6 time 2 tc 0\n7 time 130 tc 0\n10 time 131 tc 3\n18 time 132 tc 0\n19 gap overflow\n"
	       "20 time 3 tc 0\n21 time 8 tc 1\n23 end\n",
	       "6 ASYNC\n1 TS_LOCAL\n3 TS_LOCAL\n2 TS_LOCAL\n6 ASYNC\n1 TS_LOCAL\n1 OVERFLOW\n1 TS_LOCAL\n2 TS_LOCAL\n");
	expect(0x200, bytes, 7, SIZE_MAX, "0 gap start\n6 time 32 tc 0\n7 end\n", "6 ASYNC\n1 TS_LOCAL\n");
	expect(0x300, bytes, 7, SIZE_MAX, "0 gap start\n6 time 128 tc 0\n7 end\n", "6 ASYNC\n1 TS_LOCAL\n");
}

/* A global time is told when all of its bits are known; the change of the clock goes with the next one told.
 */
void test_itm__global_time(void **state)
{
	static const uint8_t bytes[] = {
		SYNC, 0x94, 0x81, 0x80, 0x80, 0x20, 0xb4, 0x82, 0x80, 0x80, 0x00, 0x94, 0x7f, 0x94,
		0x80, 0x80, 0x80, 0x40, 0x94, 0x03, 0xb4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x04,
	};

	EXPECT(0, bytes,
	       "0 gap start\n11 global 8000001 clock changed\n16 global 800007f\n25 global 8000000000000003\n32 end\n",
	       "6 ASYNC\n5 GTS_1\n5 GTS_2\n2 GTS_1\n5 GTS_1\n2 GTS_1\n7 GTS_2\n");
}

/* Bytes before the first sync, bad ones, and those after them until the next; with all that was known
 * forgotten. */
void test_itm__loss(void **state)
{
	static const uint8_t bytes[] = {
		0x19, 0, 0, 0x80, SYNC, 0x28, 0x30, 0x04, 0x11, 0x22, 0,    SYNC, 0x11, 0x33,
		0x20, 0, 0, 0x20, 0x20, SYNC, 0x20, 0xc0, 0xff, 0xff, 0xff, 0xff, 0x09,
	};

	EXPECT(0, bytes,
	       "0 gap start\n11 time 3 tc 0\n12 gap bad packet\n22 port 2 8 bits 33\n24 time 2 tc 0\n25 gap bad packet\n"
	       "35 time 2 tc 0\n36 gap bad packet\n42 end\n",
	       "4 NOTSYNC\n6 ASYNC\n1 EXTENSION\n1 TS_LOCAL\n1 RESERVED\n2 NOTSYNC\n7 ASYNC\n2 SWIT\n1 TS_LOCAL\n"
	       "3 BAD_SEQUENCE\n1 NOTSYNC\n6 ASYNC\n1 TS_LOCAL\n5 BAD_SEQUENCE\n1 NOTSYNC\n");
}

/* More zeros than any sync has, before the first one and after it: no loss, but they are shown as skipped. */
void test_itm__long_runs_of_zeros(void **state)
{
	uint8_t bytes[60] = { 0 };

	bytes[29] = 0x80;
	bytes[30] = 0x20;
	bytes[58] = 0x80;
	bytes[59] = 0x10;
	EXPECT(0, bytes, "0 gap start\n30 time 2 tc 0\n59 time 3 tc 0\n60 end\n",
	       "16 NOTSYNC\n14 ASYNC\n1 TS_LOCAL\n16 NOTSYNC\n12 ASYNC\n1 TS_LOCAL\n");
	bytes[58] = 0x40;
	EXPECT(0, bytes, "0 gap start\n30 time 2 tc 0\n47 gap bad packet\n60 end\n",
	       "16 NOTSYNC\n14 ASYNC\n1 TS_LOCAL\n16 NOTSYNC\n12 BAD_SEQUENCE\n1 NOTSYNC\n");
}

void test_itm__cut_short(void **state)
{
	static const uint8_t bytes[] = { SYNC, 0x20, 0x0b, 1, 2, 3 };

	EXPECT(0, bytes, "0 gap start\n6 time 2 tc 0\n11 end\n", "6 ASYNC\n1 TS_LOCAL\n4 INCOMPLETE_EOT\n");
	expect(0, bytes, 4, SIZE_MAX, "0 gap start\n4 end\n", "4 NOTSYNC\n");
	expect(0, bytes, 0, SIZE_MAX, "0 end\n", "");
}

void test_itm__restart(void **state)
{
	static const uint8_t bytes[] = { SYNC, 0x28, 0x20, 0x0b, 1, 2, 3, SYNC, 0x20, 0x09, 1, 0 };

	expect(0, bytes, sizeof(bytes), 11,
	       "0 gap start\n7 time 2 tc 0\n11 gap reset\n18 time 2 tc 0\n19 port 1 8 bits 1\n22 end\n",
	       "6 ASYNC\n1 EXTENSION\n1 TS_LOCAL\n3 INCOMPLETE_EOT\n1 NOTSYNC\n6 ASYNC\n1 TS_LOCAL\n2 SWIT\n1 INCOMPLETE_EOT\n");
	expect(0, bytes, 12, 0, "0 gap reset\n7 time 2 tc 0\n12 end\n",
	       "6 ASYNC\n1 EXTENSION\n1 TS_LOCAL\n4 INCOMPLETE_EOT\n");
}

void test_itm__packets_only(void **state)
{
	static const uint8_t bytes[] = { 1, SYNC, 0x20, 0x04 };
	struct listing got = { .next_byte = 0 };
	struct sl_decoder_options options = { .packet = on_packet, .packet_ctx = &got, .packets_only = true };
	struct sl_decoder *dec = new_decoder(0, &options);

	sl_decoder_feed(dec, (struct sl_bytes){ bytes, sizeof(bytes), 0 });
	sl_decoder_finish(dec);
	drain(dec, &got);
	sl_decoder_free(dec);
	assert_string_equal(got.elems, "9 end\n");
	assert_string_equal(got.packets, "1 NOTSYNC\n6 ASYNC\n1 TS_LOCAL\n1 RESERVED\n");
}

/* Captures -------------------------------------------------------------------------------------------------
 */

/* A capture's lane, decoded beside what OpenCSD 1.8.0 says of it. */
struct capture {
	const char *dir, *file, *golden;
	enum sl_framing framing;
	uint8_t id;
	size_t chunk;
	unsigned packets[ITM_KINDS];
	struct sl_elem *elems;
	size_t elems_len;
	const struct sl_lane_bytes *lane; /* NULL where the buffer is the lane */
};

static void count_packet(void *ctx, const struct sl_packet *p)
{
	struct capture *c = ctx;
	unsigned kind = 0;

	while (kind < ITM_KINDS && strcmp(p->name, itm_kind_name((enum itm_kind)kind)) != 0)
		kind++;
	assert_in_range(kind, 0, ITM_KINDS - 1);
	c->packets[kind]++;
}

static void take_elems(struct sl_decoder *dec, struct capture *c)
{
	size_t n;

	while (sl_decoder_next(dec, c->elems + c->elems_len, 16, &n) == SL_OK)
		c->elems_len += n;
}

static void decode_lane(struct capture *c, const uint8_t *data, size_t len)
{
	struct sl_decoder_options options = { .packet = count_packet, .packet_ctx = c };
	struct sl_decoder *dec = new_decoder(0, &options);

	c->elems = calloc(len + 32, sizeof(*c->elems)); /* no byte makes more than one */
	assert_non_null(c->elems);
	for (size_t at = 0; at < len; at += c->chunk) {
		size_t n = c->chunk < len - at ? c->chunk : len - at;

		sl_decoder_feed(dec, (struct sl_bytes){ data + at, n, at });
		take_elems(dec, c);
	}
	sl_decoder_finish(dec);
	take_elems(dec, c);
	sl_decoder_free(dec);
}

/* The elements that a line of the golden text stands for; how many. */
static size_t golden_elems(const char *line, uint64_t *offset, struct sl_elem ret[2])
{
	static const char *const delays[] = { "{ TS Sync}", "{ TS Delay}", "{ Packet Delay}",
					      "{ TS and Packet Delay}" };
	const char *what = strstr(line, "OCSD_GEN_TRC_ELEM_"), *data = strstr(line, "Data: 0x"), *p;
	struct sl_elem *e = ret;

	assert_int_equal(sscanf(line, "Idx:%" SCNu64, offset), 1);
	memset(ret, 0, 2 * sizeof(*ret));
	if (strstr(line, "ITM_OVERFLOW")) {
		e->kind = SL_ELEM_GAP;
		e++->count = SL_GAP_OVERFLOW;
	}
	if (strstr(what, "NO_SYNC( [init-decoder])")) {
		e->kind = SL_ELEM_GAP;
	} else if (strstr(what, "EO_TRACE")) {
		e->kind = SL_ELEM_END;
	} else if ((p = strstr(what, "ITM_TS_GLOBAL ( TS: 0x"))) {
		e->kind = SL_ELEM_MARKER;
		e->value = strtoull(p + strlen("ITM_TS_GLOBAL ( TS: 0x"), NULL, 16);
	} else if ((p = strstr(what, "TS cumulative: 0x"))) {
		e->kind = SL_ELEM_TIME;
		e->value = strtoull(p + strlen("TS cumulative: 0x"), NULL, 16);
		while (!strstr(what, delays[e->count]))
			assert_in_range(++e->count, 0, 3);
	} else {
		p = strstr(what, "ITM_SWIT (ch: 0x");
		e->message.kind = p ? SL_MESSAGE_DATA : SL_MESSAGE_DWT;
		p = p ? p + strlen("ITM_SWIT (ch: 0x")
		      : strstr(what, "ITM_DWT (desc: 0x") + strlen("ITM_DWT (desc: 0x");
		e->kind = SL_ELEM_MESSAGE;
		e->message.channel = (uint32_t)strtoul(p, NULL, 16);
		e->message.bits = (uint8_t)(4 * strspn(data + 8, "0123456789abcdef"));
		e->count = (uint32_t)strtoul(data + 8, NULL, 16);
	}
	return (size_t)(e - ret) + 1;
}

static void compare(const struct capture *c, size_t i, uint64_t offset, const struct sl_elem *want)
{
	struct sl_elem got;

	assert_true(i < c->elems_len);
	got = c->elems[i];
	/* OpenCSD takes a frame's first byte, the trace id, for the place of the data behind it. */
	if (c->lane)
		got.offset = sl_lane_to_buffer(c->lane, got.offset);
	if (want->kind != SL_ELEM_END && !(want->kind == SL_ELEM_GAP && want->count == SL_GAP_OVERFLOW))
		assert_in_range(got.offset, offset, offset + (c->lane ? 1 : 0));
	got.offset = 0;
	got.flags = 0; /* the golden text does not tell of clock changes */
	assert_memory_equal(&got, want, sizeof(got));
}

/* How many elements the golden text has: ours begin with the same. */
static size_t compare_golden(const struct capture *c)
{
	char command[4200], line[512], name[64];
	size_t n = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "zcat '%s/%s'", c->dir, c->golden);
	snprintf(name, sizeof(name), "ID:%x;", c->id);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		struct sl_elem want[2];
		uint64_t offset;
		size_t len = strstr(line, name) ? golden_elems(line, &offset, want) : 0;

		for (size_t i = 0; i < len; i++)
			compare(c, n++, offset, &want[i]);
	}
	assert_int_equal(pclose(pipe), 0);
	return n;
}

static struct sl_demux *split(struct capture *c, struct sl_bytes data)
{
	struct sl_demux *demux;

	assert_int_equal(sl_demux_new(c->framing, &demux), SL_OK);
	assert_int_equal(sl_demux_split(demux, data), SL_OK);
	c->lane = sl_demux_lane(demux, c->id);
	return demux;
}

/* Decodes a capture and compares; the number of elements that the golden text has. The caller frees elems. */
static size_t check_capture(struct capture *c, const char *dir)
{
	struct sl_demux *demux = NULL;
	struct sl_file file;
	char path[4200];
	size_t n;

	c->dir = shared_path(dir);
	if (!c->dir)
		skip();
	snprintf(path, sizeof(path), "%s/%s", c->dir, c->file);
	assert_int_equal(sl_file_map(path, &file, NULL), SL_OK);
	if (c->framing != SL_FRAMING_NONE)
		demux = split(c, (struct sl_bytes){ file.data, file.len, 0 });
	if (c->lane)
		decode_lane(c, c->lane->data, c->lane->len);
	else
		decode_lane(c, file.data, file.len);
	n = compare_golden(c);
	sl_demux_free(demux);
	sl_file_unmap(&file);
	return n;
}

/* As the manifest counts them, but for ITM_NOTSYNC, which with OpenCSD depends on how the lane is cut. */
static void check_test_data(struct capture *c, const char *dir)
{
	static const unsigned packets[ITM_PARSED] = { 5, 4, 14, 10, 4, 3, 20, 15 };
	size_t n = check_capture(c, dir);

	assert_int_equal(n, 64);
	assert_int_equal(n, c->elems_len);
	assert_memory_equal(c->packets, packets, sizeof(packets));
	assert_int_equal(c->packets[ITM_NOTSYNC], 1);
	free(c->elems);
}

void test_itm__opencsd_raw(void **state)
{
	struct capture c = { .file = "itm_testdata.bin",
			     .golden = "golden.elements.ETB_1.txt.gz",
			     .chunk = 1 };

	check_test_data(&c, "captures/opencsd/itm_only_raw");
}

void test_itm__opencsd_frames(void **state)
{
	struct capture c = { .file = "itm_testdata_ID_0x14.bin",
			     .golden = "golden.elements.ETB_1.txt.gz",
			     .framing = SL_FRAMING_CORESIGHT,
			     .id = 0x14,
			     .chunk = 7 };

	check_test_data(&c, "captures/opencsd/itm_only_csformat");
}

/* OpenCSD stops at the seam of the ring buffer; we go on at the sync after it. */
void test_itm__blinky(void **state)
{
	struct capture c = {
		.file = "Blinky+Arm.SWO.raw", .golden = "golden.elements.SWO.txt.gz", .id = 1, .chunk = 4096
	};
	size_t n = check_capture(&c, "captures/ctrace-itm/blinky");

	assert_int_equal(n, 1174);
	assert_int_equal(c.elems[n].kind, SL_ELEM_GAP);
	assert_int_equal(c.elems[n].count, SL_GAP_BAD_PACKET);
	assert_int_equal(c.elems[n].offset, 8195);
	assert_int_equal(c.elems_len, 1584);
	assert_int_equal(c.elems[c.elems_len - 1].kind, SL_ELEM_END);
	assert_int_equal(c.packets[ITM_ASYNC], 3);
	assert_int_equal(c.packets[ITM_BAD_SEQUENCE], 1);
	free(c.elems);
}

/* It never synchronises, and OpenCSD lists nothing of it. */
void test_itm__stm32f105(void **state)
{
	struct capture c = { .file = "tpiu_frames.bin",
			     .golden = "golden.elements.SWO_TPIU.txt.gz",
			     .framing = SL_FRAMING_CORESIGHT,
			     .id = 1,
			     .chunk = 100 };

	assert_int_equal(check_capture(&c, "captures/sigrok/stm32f105"), 0);
	assert_int_equal(c.elems_len, 2);
	assert_int_equal(c.elems[0].kind, SL_ELEM_GAP);
	assert_int_equal(c.elems[0].count, SL_GAP_START);
	assert_int_equal(c.elems[1].kind, SL_ELEM_END);
	assert_int_equal(c.packets[ITM_NOTSYNC], 164);
	free(c.elems);
}
