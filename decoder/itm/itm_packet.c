/* SPDX-License-Identifier: Apache-2.0 */
#include "itm_packet.h"

#include <inttypes.h>
#include <stdio.h>

#include "bytes.h"

enum { SYNC_ZEROS = 5, SYNC_END = 0x80, CONTINUES = 0x80 };

/* D4.2.1: at least 47 zero bits, then a one. */
static int parse_async(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	size_t zeros = 0;

	while (zeros < len && !bytes[zeros])
		zeros++;
	if (zeros == len)
		return 0;
	if (zeros < SYNC_ZEROS || bytes[zeros] != SYNC_END)
		return -(int)(zeros + 1);
	*ret = (struct itm_packet){ .kind = ITM_ASYNC };
	return (int)(zeros + 1);
}

/* D4.2.3 */
static int parse_overflow(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	(void)bytes;
	(void)len;
	*ret = (struct itm_packet){ .kind = ITM_OVERFLOW };
	return 1;
}

/*
 * Payload bytes of seven bits after the header, up to the one with bit 7 clear, at most max of them. Results
 * as of itm_packet_parse().
 */
static int parse_continued(const uint8_t *bytes, size_t len, size_t max, uint64_t *ret)
{
	uint64_t value = 0;

	for (size_t i = 1; i < len && i <= max; i++) {
		value |= (uint64_t)(bytes[i] & 0x7f) << (7 * (i - 1));
		if (!(bytes[i] & CONTINUES)) {
			*ret = value;
			return (int)i + 1;
		}
	}
	return len > max ? -(int)(max + 1) : 0;
}

/* D4.2.4, format 1: 0b11TC0000 */
static int parse_local_1(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	uint64_t value;
	int used = parse_continued(bytes, len, 4, &value);

	if (used > 0)
		*ret = (struct itm_packet){ .kind = ITM_TS_LOCAL,
					    .source = bytes[0] >> 4 & 3,
					    .bits = (uint8_t)(7 * (used - 1)),
					    .value = value };
	return used;
}

/* D4.2.4, format 2: 0b0TTT0000, synchronous */
static int parse_local_2(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	(void)len;
	*ret = (struct itm_packet){ .kind = ITM_TS_LOCAL, .bits = 3, .value = bytes[0] >> 4 & 7 };
	return 1;
}

/* D4.2.5, GTS1: up to 26 bits; the fourth payload byte has two flags above them */
static int parse_global_1(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	uint64_t value;
	int used = parse_continued(bytes, len, 4, &value);

	if (used > 0)
		*ret = (struct itm_packet){ .kind = ITM_GTS_1,
					    .source = (uint8_t)(value >> 26),
					    .bits = used == 5 ? 26 : (uint8_t)(7 * (used - 1)),
					    .value = value & 0x3ffffff };
	return used;
}

/* D4.2.5, GTS2: 22 bits of a timestamp of 48, or 38 of one of 64 */
static int parse_global_2(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	uint64_t value;
	int used = parse_continued(bytes, len, 6, &value);

	if (used > 0)
		*ret = (struct itm_packet){ .kind = ITM_GTS_2,
					    .bits = used > 5 ? 38 : 22,
					    .value = value & (((uint64_t)1 << 38) - 1) };
	return used;
}

/* D4.2.6: 0bCXXX1S00; three bits in the header, 7 in each of three bytes and all 8 of a fourth */
static int parse_extension(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	uint64_t value = 0;
	int used = 1;

	if (bytes[0] & CONTINUES)
		used = parse_continued(bytes, len, 3, &value);
	if (used < 0 && len < 5)
		return 0;
	if (used < 0) {
		used = 5;
		for (unsigned i = 1; i < 4; i++)
			value |= (uint64_t)(bytes[i] & 0x7f) << (7 * (i - 1));
		value |= (uint64_t)bytes[4] << 21;
	}
	if (used > 0)
		*ret = (struct itm_packet){ .kind = ITM_EXTENSION,
					    .source = bytes[0] >> 2 & 1,
					    .bits = used == 5 ? 32 : (uint8_t)(3 + 7 * (used - 1)),
					    .value = value << 3 | (bytes[0] >> 4 & 7) };
	return used;
}

/* D4.2.7 and D4.3: 0bAAAAAHSS, one, two or four bytes of payload */
static int parse_source(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	unsigned size = 1u << ((bytes[0] & 3) - 1);

	if (len <= size)
		return 0;
	*ret = (struct itm_packet){ .kind = bytes[0] & 4 ? ITM_DWT : ITM_SWIT,
				    .source = bytes[0] >> 3,
				    .bits = (uint8_t)(8 * size),
				    .value = bytes_little_endian(bytes + 1, size) };
	return (int)size + 1;
}

int itm_packet_parse(const uint8_t *bytes, size_t len, struct itm_packet *ret)
{
	static const struct {
		uint8_t mask, value;
		int (*parse)(const uint8_t *bytes, size_t len, struct itm_packet *ret);
	} formats[] = {
		{ 0xff, 0x00, parse_async },	 { 0xff, 0x70, parse_overflow },
		{ 0x8f, 0x00, parse_local_2 },	 { 0xcf, 0xc0, parse_local_1 },
		{ 0xff, 0x94, parse_global_1 },	 { 0xff, 0xb4, parse_global_2 },
		{ 0x0b, 0x08, parse_extension },
	};

	if (!len)
		return 0;
	if (bytes[0] & 3)
		return parse_source(bytes, len, ret);
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if ((bytes[0] & formats[i].mask) == formats[i].value)
			return formats[i].parse(bytes, len, ret);
	}
	return -1;
}

const char *itm_kind_name(enum itm_kind kind)
{
	static const char *const names[ITM_KINDS] = {
		[ITM_ASYNC] = "ITM_ASYNC",	 [ITM_OVERFLOW] = "ITM_OVERFLOW",
		[ITM_TS_LOCAL] = "ITM_TS_LOCAL", [ITM_GTS_1] = "ITM_GTS_1",
		[ITM_GTS_2] = "ITM_GTS_2",	 [ITM_EXTENSION] = "ITM_EXTENSION",
		[ITM_SWIT] = "ITM_SWIT",	 [ITM_DWT] = "ITM_DWT",
		[ITM_NOTSYNC] = "ITM_NOTSYNC",	 [ITM_BAD_SEQUENCE] = "ITM_BAD_SEQUENCE",
		[ITM_RESERVED] = "ITM_RESERVED", [ITM_INCOMPLETE_EOT] = "ITM_INCOMPLETE_EOT",
	};

	return names[kind];
}

/* D4.3.1: which of the profiling counters have wrapped */
static void counter_text(uint64_t value, char *ret, size_t cap)
{
	static const char *const counters[] = { "CPI", "EXC", "SLEEP", "LSU", "FOLD", "CYC" };
	size_t used = (size_t)snprintf(ret, cap, "event counters:");

	for (unsigned i = 0; i < sizeof(counters) / sizeof(counters[0]) && used < cap; i++) {
		if (value >> i & 1)
			used += (size_t)snprintf(ret + used, cap - used, " %s", counters[i]);
	}
}

/* D4.3.4: discriminators 8 to 23 are comparator 0 to 3's program counter, address, read and written value */
static void data_text(const struct itm_packet *p, char *ret, size_t cap)
{
	static const char *const what[] = { "program counter", "address offset", "read", "written" };

	snprintf(ret, cap, "comparator %u: %s 0x%0*" PRIx64, p->source >> 1 & 3,
		 what[(p->source >> 3 & 2) | (p->source & 1)], p->bits / 4, p->value);
}

static void dwt_text(const struct itm_packet *p, char *ret, size_t cap)
{
	static const char *const actions[] = { "reserved", "entered", "exited", "returned to" };

	if (p->source == 0)
		counter_text(p->value, ret, cap);
	else if (p->source == 1)
		snprintf(ret, cap, "exception %u %s", (unsigned)p->value & 0x1ff,
			 actions[p->value >> 12 & 3]);
	else if (p->source == 2 && p->bits == 32)
		snprintf(ret, cap, "sample: program counter 0x%08" PRIx64, p->value);
	else if (p->source == 2)
		snprintf(ret, cap, "sample: %s", p->value ? "prohibited" : "asleep");
	else if (p->source >= 8 && p->source < 24)
		data_text(p, ret, cap);
	else
		snprintf(ret, cap, "reserved discriminator %u: 0x%0*" PRIx64, p->source, p->bits / 4,
			 p->value);
}

static void extension_text(const struct itm_packet *p, char *ret, size_t cap)
{
	if (!p->source && p->bits == 3)
		snprintf(ret, cap, "stimulus port page %" PRIu64, p->value);
	else
		snprintf(ret, cap, "unknown, from %s, %u bits: 0x%" PRIx64,
			 p->source ? "hardware" : "software", p->bits, p->value);
}

void itm_packet_text(const struct itm_packet *p, char *ret, size_t cap)
{
	static const char *const delays[] = { "", ", timestamp delayed", ", packet delayed",
					      ", both delayed" };
	static const char *const others[ITM_KINDS] = {
		[ITM_ASYNC] = "synchronisation",    [ITM_OVERFLOW] = "packets were lost",
		[ITM_NOTSYNC] = "not synchronised", [ITM_BAD_SEQUENCE] = "no valid packet",
		[ITM_RESERVED] = "reserved header", [ITM_INCOMPLETE_EOT] = "cut short",
	};

	if (p->kind == ITM_SWIT)
		snprintf(ret, cap, "port %u: 0x%0*" PRIx64, p->source, p->bits / 4, p->value);
	else if (p->kind == ITM_DWT)
		dwt_text(p, ret, cap);
	else if (p->kind == ITM_TS_LOCAL)
		snprintf(ret, cap, "delta %" PRIu64 "%s", p->value, delays[p->source & 3]);
	else if (p->kind == ITM_GTS_1)
		snprintf(ret, cap, "bits %u:0 0x%" PRIx64 "%s%s", p->bits - 1u, p->value,
			 p->source & ITM_CLOCK_CHANGED ? ", clock changed" : "",
			 p->source & ITM_WRAPPED ? ", wrapped" : "");
	else if (p->kind == ITM_GTS_2)
		snprintf(ret, cap, "bits %u:26 0x%" PRIx64, p->bits + 25u, p->value);
	else if (p->kind == ITM_EXTENSION)
		extension_text(p, ret, cap);
	else
		snprintf(ret, cap, "%s", others[p->kind]);
}
