/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frame_encode.h"

static const struct frame_options bare = { 0 };

#define CHECK(enc, ...) check(enc, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

static void check(struct frame_encoder *enc, const uint8_t *expected, size_t len)
{
	assert_int_equal(enc->len, len);
	assert_memory_equal(enc->data, expected, len);
	enc->len = 0;
}

#define PUT(enc, id, ...) \
	frame_put(enc, id, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

void test_frame_encode__one_source(void **state)
{
	struct frame_encoder enc;

	frame_encoder_init(&enc, &bare);
	PUT(&enc, 0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
	assert_int_equal(enc.len, 0);
	frame_flush(&enc);
	/* the even data bytes are even numbers here: none has a bit 0 to lend to the last byte */
	CHECK(&enc, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x00);
	frame_encoder_release(&enc);
}

void test_frame_encode__flag_byte_holds_bit_0(void **state)
{
	struct frame_encoder enc;

	frame_encoder_init(&enc, &bare);
	PUT(&enc, 0x10, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x81);
	frame_flush(&enc);
	CHECK(&enc, 0x21, 0, 0xfe, 0xff, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x86);
	frame_encoder_release(&enc);
}

void test_frame_encode__id_before_an_odd_byte_is_delayed(void **state)
{
	struct frame_encoder enc;

	frame_encoder_init(&enc, &bare);
	PUT(&enc, 0x10, 0xa1, 0xa2); /* bytes 1 and 2: the change would fall on byte 3 */
	PUT(&enc, 0x11, 0xb1);
	PUT(&enc, 0x12, 0xc1, 0xc2, 0xc3, 0xc4);
	frame_flush(&enc);
	CHECK(&enc, 0x21, 0xa1, 0x23, 0xa2, 0x25, 0xb1, 0xc0, 0xc2, 0xc2, 0xc4, 0x01, 0, 0, 0, 0, 0x1e);
	frame_encoder_release(&enc);
}

void test_frame_encode__id_in_byte_14(void **state)
{
	struct frame_encoder enc;

	frame_encoder_init(&enc, &bare);
	PUT(&enc, 0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
	PUT(&enc, 0x11, 2, 3);
	frame_flush(&enc);
	CHECK(&enc, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x23, 0x00, 2, 3, 0x01, 0, 0, 0, 0, 0, 0,
	      0, 0, 0, 0, 0, 0, 0x00);
	frame_encoder_release(&enc);
}

void test_frame_encode__syncs(void **state)
{
	const struct frame_options options = { .fsync_every = 1, .hsync_every = 5 };
	struct frame_encoder enc;

	frame_encoder_init(&enc, &options);
	PUT(&enc, 0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
	frame_flush(&enc);
	CHECK(&enc, 0xff, 0xff, 0xff, 0x7f, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0x7f, 10, 11, 12, 13, 14,
	      0x00);
	frame_fsync(&enc);
	CHECK(&enc, 0xff, 0xff, 0xff, 0x7f);
	frame_encoder_release(&enc);
}

void test_frame_encode__barrier_flushes_and_forgets_the_id(void **state)
{
	struct frame_encoder enc;

	frame_encoder_init(&enc, &bare);
	PUT(&enc, 0x10, 2);
	frame_barrier(&enc);
	PUT(&enc, 0x10, 2);
	frame_flush(&enc);
	CHECK(&enc, 0x21, 2, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff,
	      0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0x21, 2, 0x01, 0, 0, 0, 0, 0, 0, 0,
	      0, 0, 0, 0, 0, 0);
	frame_encoder_release(&enc);
}

void test_frame_encode__id_is_repeated(void **state)
{
	const struct frame_options options = { .repeat_id_every = 2 };
	struct frame_encoder enc;
	uint8_t data[100] = { 0 };

	frame_encoder_init(&enc, &options);
	frame_put(&enc, 0x10, data, sizeof(data));
	frame_flush(&enc);
	assert_int_equal(enc.data[0], 0x21);
	assert_int_equal(enc.data[16], 0x00);
	assert_int_equal(enc.data[32], 0x21);
	assert_int_equal(enc.data[48], 0x00);
	frame_encoder_release(&enc);
}
