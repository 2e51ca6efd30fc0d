/* SPDX-License-Identifier: Apache-2.0 */
/* What the OpenCSD engine keeps OpenCSD from saying of PTM and ETMv3 (docs/opencsd-quirks.md); both engines are the same there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "sl_decoder.h"
#include "temp_files.h"

static struct sl_image *image;

int group_setup(void **state)
{
	static const uint32_t code[] = { 0xe1a00000, 0xe1a00000, 0xe1a00000, 0xe1a00000 };
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address_known = true, .address = 0x8000 };

	temp_setup();
	if (sl_image_new(&image) < 0 ||
	    sl_image_add_dump(image, temp_write("code.bin", code, sizeof(code)), &place, NULL, NULL) < 0 ||
	    sl_image_seal(image) < 0)
		return -1;
	return 0;
}

int group_teardown(void **state)
{
	sl_image_free(image);
	temp_teardown();
	return 0;
}

/* The kinds of the elements, one letter each: g gap, c context, r range, y cycles, t time, x end, ? another. */
static const char *kinds_of(enum sl_protocol protocol, bool cycle_accurate, enum sl_engine engine, const uint8_t *lane,
			    size_t len, struct sl_elem ret[32])
{
	static const char letters[SL_ELEM_KINDS] = {
		[SL_ELEM_GAP] = 'g',	[SL_ELEM_CONTEXT] = 'c', [SL_ELEM_RANGE] = 'r',
		[SL_ELEM_CYCLES] = 'y', [SL_ELEM_TIME] = 't',	 [SL_ELEM_END] = 'x',
	};
	struct sl_trace_config config = { .protocol = protocol, .profile = SL_PROFILE_A, .arch = SL_ARCH_V7 };
	struct sl_decoder_options options = { .image = image, .engine = engine };
	static char text[33];
	struct sl_decoder *dec;
	size_t n, total = 0;

	sl_config_set(&config, SL_REG_ETMCR, cycle_accurate ? 0x1000 : 0);
	sl_config_set(&config, SL_REG_ETMIDR, 0x4100f250);
	sl_config_set(&config, SL_REG_ETMCCER, 0);
	sl_config_set(&config, SL_REG_ETMTRACEIDR, 0x10);
	assert_int_equal(sl_decoder_new(&config, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ lane, len, 0 });
	while (sl_decoder_next(dec, ret + total, 32 - total, &n) == SL_OK)
		total += n;
	sl_decoder_finish(dec);
	while (sl_decoder_next(dec, ret + total, 32 - total, &n) == SL_OK)
		total += n;
	sl_decoder_free(dec);
	for (size_t i = 0; i < total; i++)
		text[i] = letters[ret[i].kind] ? letters[ret[i].kind] : '?';
	text[total] = '\0';
	return text;
}

static void check(enum sl_protocol protocol, bool cycle_accurate, const uint8_t *lane, size_t len, const char *kinds)
{
	struct sl_elem elems[2][32];

	memset(elems, 0, sizeof(elems));
	assert_string_equal(kinds_of(protocol, cycle_accurate, SL_ENGINE_OPENCSD, lane, len, elems[0]), kinds);
	assert_string_equal(kinds_of(protocol, cycle_accurate, SL_ENGINE_FAST, lane, len, elems[1]), kinds);
	assert_memory_equal(elems[0], elems[1], strlen(kinds) * sizeof(elems[0][0]));
}

/* A-sync, I-sync at 0x8000 in A32. */
#define ETM3_START 0, 0, 0, 0, 0, 0x80, 0x08, 0x20, 0x00, 0x80, 0x00, 0x00
#define PTM_START 0, 0, 0, 0, 0, 0x80, 0x08, 0x00, 0x80, 0x00, 0x00, 0x20

void test_opencsd_v7__etm3_jazelle_repeats_nothing(void **state)
{
	/* E E; a branch into Jazelle; E; a branch into A32; E E */
	static const uint8_t lane[] = { ETM3_START, 0x88, 0x81, 0x80, 0x80, 0x80, 0x20, 0x84,
					0x81, 0x80, 0x81, 0x80, 0x08, 0x88 };

	check(SL_PROTOCOL_ETMV3, false, lane, sizeof(lane), "ggcrrrrx");
}

void test_opencsd_v7__etm3_no_atoms_repeat_nothing(void **state)
{
	static const uint8_t lane[] = { ETM3_START, 0x88, 0x80, 0x80, 0x88 };

	check(SL_PROTOCOL_ETMV3, false, lane, sizeof(lane), "ggcrrrrx");
}

void test_opencsd_v7__etm3_jazelle_has_cycles(void **state)
{
	static const uint8_t lane[] = { ETM3_START, 0x81, 0x80, 0x80, 0x80, 0x20, 0x84, 0x88 };

	check(SL_PROTOCOL_ETMV3, true, lane, sizeof(lane), "ggcyyx");
}

void test_opencsd_v7__etm3_a_cut_packet_says_nothing(void **state)
{
	static const uint8_t time[] = { ETM3_START, 0x88, 0x42, 0x81 }, isync[] = { ETM3_START, 0x88, 0x08, 0x20 };

	check(SL_PROTOCOL_ETMV3, false, time, sizeof(time), "ggcrrx");
	check(SL_PROTOCOL_ETMV3, false, isync, sizeof(isync), "ggcrrx");
}

void test_opencsd_v7__ptm_says_bad_packet(void **state)
{
	static const uint8_t lane[] = { PTM_START, 0x10, PTM_START };
	struct sl_elem elems[32];

	check(SL_PROTOCOL_PTM, false, lane, sizeof(lane), "ggcggx");
	kinds_of(SL_PROTOCOL_PTM, false, SL_ENGINE_OPENCSD, lane, sizeof(lane), elems);
	assert_int_equal(elems[3].count, SL_GAP_BAD_PACKET);
	assert_int_equal(elems[3].offset, 12);
}

/* What was begun before a restart does not count as bytes of the A-sync behind it. */
void test_opencsd_v7__ptm_forgets_a_cut_packet(void **state)
{
	static const uint8_t before[] = { PTM_START, 0x08, 0x11 }, after[] = { 0x55, PTM_START };
	struct sl_trace_config config = { .protocol = SL_PROTOCOL_PTM, .profile = SL_PROFILE_A, .arch = SL_ARCH_V7 };
	uint64_t offsets[2] = { 0 };

	sl_config_set(&config, SL_REG_ETMCR, 0);
	sl_config_set(&config, SL_REG_ETMIDR, 0x4100f250);
	sl_config_set(&config, SL_REG_ETMCCER, 0);
	sl_config_set(&config, SL_REG_ETMTRACEIDR, 0x10);
	for (unsigned i = 0; i < 2; i++) {
		struct sl_decoder_options options = { .image = image,
						      .engine = i ? SL_ENGINE_FAST : SL_ENGINE_OPENCSD };
		struct sl_decoder *dec;
		struct sl_elem elems[16];
		size_t n;

		assert_int_equal(sl_decoder_new(&config, &options, &dec, NULL), SL_OK);
		sl_decoder_feed(dec, (struct sl_bytes){ before, sizeof(before), 0 });
		while (sl_decoder_next(dec, elems, 16, &n) == SL_OK)
			;
		sl_decoder_restart(dec);
		while (sl_decoder_next(dec, elems, 16, &n) == SL_OK)
			;
		sl_decoder_feed(dec, (struct sl_bytes){ after, sizeof(after), sizeof(before) });
		sl_decoder_finish(dec);
		assert_int_equal(sl_decoder_next(dec, elems, 1, &n), SL_OK);
		assert_int_equal(elems[0].count, SL_GAP_RESET);
		offsets[i] = elems[0].offset;
		sl_decoder_free(dec);
	}
	assert_int_equal(offsets[0], sizeof(before));
	assert_int_equal(offsets[1], sizeof(before));
}
