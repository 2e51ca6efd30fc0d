/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel PT: switches, two sizes of pieces, where to restart in eights of bytes (0xff: nowhere), then the lane. It decodes the same however
 * it is cut, and whether packets are told or not; packets cover each byte once and in order; elements do not go back. An element costs a
 * bounded part of the input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "decode_pieces.h"

enum { HEAD_BYTES = 4, CODE_BYTES = 8192, ELEMS_PER_BYTE = 4096, ELEMS_FREE = 1 << 20 };

/* Branches of all kinds, near one another, with other instructions between. */
static void make_code(uint8_t *code)
{
	static const char insns[][8] = {
		"\x90", "\x74\x05", "\xeb\x03", "\xe8\x10\0\0\0", "\xc3", "\xff\xe0", "\xff\xd0", "\x0f\x05", "\x0f\x84\x20\0\0\0",
		"\xe9\xe0\xff\xff\xff", "\x48\xcf", "\x0f\x22\xd8", "\xcd\x80", "\xf3\xc3", "\xeb\xfe", "\x0f\x01\xc1", "\x48\x0f\x07",
		"\x06", "\x48\x8b\x05\1\2\3\4", "\xe2\xf0",
	};
	static const uint8_t sizes[] = { 1, 2, 2, 5, 1, 2, 2, 2, 6, 5, 2, 3, 2, 2, 2, 3, 3, 1, 7, 2 };
	size_t at = 0;

	for (size_t i = 0; at + 8 < CODE_BYTES; i++) {
		size_t n = (i * 7 + i / 20) % sizeof(sizes);

		memcpy(code + at, insns[n], sizes[n]);
		at += sizes[n];
	}
}

/* The same code at three places. */
static struct sl_image *make_image(void)
{
	static const uint64_t addresses[] = { 0, 0x401000, 0xffffffff81000000 };
	static uint8_t code[CODE_BYTES];
	struct sl_image *image;
	char path[64];
	int fd = memfd_create("code", 0);

	make_code(code);
	if (fd < 0 || write(fd, code, sizeof(code)) != (ssize_t)sizeof(code) || sl_image_new(&image) < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = addresses[i],
					  .address_known = true };

		if (sl_image_add_dump(image, path, &place, NULL, NULL) < 0)
			abort();
	}
	if (sl_image_seal(image) < 0)
		abort();
	close(fd);
	return image;
}

static void next_packet(void *ctx, const struct sl_packet *packet)
{
	uint64_t *at = ctx;

	if (packet->offset != *at || !packet->len || !*packet->name || !packet->text)
		abort();
	*at += packet->len;
}

static void check(struct sl_decoder *dec, struct sl_bytes lane)
{
	struct pieces p = { 0 };

	sl_decoder_feed(dec, lane);
	pieces_drain(dec, &p);
	sl_decoder_finish(dec);
	pieces_drain(dec, &p);
	for (size_t i = 1; i < p.len; i++) {
		if (p.elems[i].offset < p.elems[i - 1].offset)
			abort();
		if (p.elems[i].kind == SL_ELEM_RANGE && p.elems[i].range.end - p.elems[i].range.start < p.elems[i].count)
			abort();
	}
	if (p.len > ELEMS_FREE + ELEMS_PER_BYTE * lane.len || p.elems[p.len - 1].kind != SL_ELEM_END ||
	    p.elems[p.len - 1].offset != lane.offset + lane.len)
		abort();
	free(p.elems);
}

/* Packets that nobody asks for are not all read; the elements are the same. */
static void compare_without_packets(const struct sl_trace_config *config, const struct sl_decoder_options *options,
				    struct sl_bytes lane, const uint8_t sizes[2], size_t restart_at)
{
	struct sl_decoder_options quiet = *options;
	struct pieces told = { 0 }, untold = { 0 };

	quiet.packet = NULL;
	if (!pieces_decode(config, options, lane, sizes, restart_at, &told) ||
	    !pieces_decode(config, &quiet, lane, sizes, restart_at, &untold))
		abort();
	untold.packets = told.packets;
	if (!pieces_same(&told, &untold))
		abort();
	free(told.elems);
	free(untold.elems);
}

static void set_config(uint8_t switches, struct sl_trace_config *ret)
{
	static const uint32_t cpus[] = { 0, 0x406e3, 0x306d4, 0x506c9 };

	*ret = (struct sl_trace_config){ .protocol = SL_PROTOCOL_IPT };
	if (switches & 4) {
		sl_config_set(ret, SL_REG_RTIT_CTL, 3 << 14);
		sl_config_set(ret, SL_REG_CPUID_15_EAX, 2);
		sl_config_set(ret, SL_REG_CPUID_15_EBX, 300);
	}
	if (switches >> 3 & 3)
		sl_config_set(ret, SL_REG_CPUID_1_EAX, cpus[switches >> 3 & 3]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sl_image *image;
	struct sl_trace_config config;
	struct sl_decoder_options options = { 0 };
	struct sl_decoder *dec;
	struct sl_bytes lane;
	uint64_t at = 0;

	if (size < HEAD_BYTES)
		return 0;
	if (!image)
		image = make_image();
	lane = (struct sl_bytes){ data + HEAD_BYTES, size - HEAD_BYTES, 0 };
	set_config(data[0], &config);
	options = (struct sl_decoder_options){ .image = image, .packet = pieces_packet, .packet_text = data[0] & 1,
					       .packets_only = data[0] & 2 };
	if (sl_decoder_new(&config, &options, &dec, NULL) < 0) /* built without libipt */
		return 0;
	sl_decoder_free(dec);
	pieces_compare(&config, &options, lane, data + 1, data[3] == 0xff ? SIZE_MAX : data[3] * (size_t)8);
	compare_without_packets(&config, &options, lane, data + 1, data[3] == 0xff ? SIZE_MAX : data[3] * (size_t)8);
	options = (struct sl_decoder_options){ .image = image, .packet = next_packet, .packet_ctx = &at, .packet_text = true };
	if (sl_decoder_new(&config, &options, &dec, NULL) < 0)
		abort();
	check(dec, lane);
	sl_decoder_free(dec);
	if (at != lane.len)
		abort();
	return 0;
}
