/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trace says a thing twice, and whether it is the same: sl_decoder_marks(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "aarch32.h"
#include "decoder_fixture.h"
#include "etm3_encode.h"
#include "ptm_encode.h"

enum { CODE32 = 0x8000 };

static struct sl_image *image32;

/* A32: nop, bx lr, b CODE32, nop... */
int group_setup(void **state)
{
	static const uint32_t code[16] = { 0xe1a00000, 0xe12fff1e, 0xeafffffc, 0xe1a00000, 0xe1a00000, 0xe12fff1e };
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address_known = true, .address = CODE32 };

	(void)state;
	if (fixture_setup() < 0 || sl_image_new(&image32) < 0 ||
	    sl_image_add_dump(image32, temp_write("code32.bin", code, sizeof(code)), &place, NULL, NULL) < 0)
		return -1;
	return sl_image_seal(image32);
}

int group_teardown(void **state)
{
	(void)state;
	sl_image_free(image32);
	return fixture_teardown();
}

static size_t add_marks(const struct sl_decoder *dec, char *text, size_t len, size_t cap)
{
	static const char *const names[SL_MARKS] = {
		[SL_MARK_SYNC] = "sync", [SL_MARK_CONFIRMED] = "confirmed", [SL_MARK_ADDRESS] = "address",
		[SL_MARK_ATOM] = "atom", [SL_MARK_NOT_TAKEN] = "not-taken", [SL_MARK_PACKET] = "packet",
	};
	const struct sl_mark *marks;
	size_t count = sl_decoder_marks(dec, &marks);

	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(text + len, cap - len, "%" PRIu64 " %s %" PRIx64 "\n", marks[i].offset, names[marks[i].kind],
					marks[i].address);
	return len;
}

static size_t drain(struct sl_decoder *dec, char *text, size_t len, size_t cap)
{
	struct sl_elem *elems;
	size_t n;
	int result;

	do {
		result = sl_decoder_lend(dec, &elems, &n);
		len = add_marks(dec, text, len, cap);
	} while (result == SL_OK);
	return len;
}

/* The marks of the fast engine, for bytes that come in pieces. */
static void expect_marks(const struct sl_trace_config *config, const struct sl_image *code, struct sl_bytes lane,
			 const char *expected)
{
	static const size_t chunks[] = { SIZE_MAX / 2, 1, 7 };
	struct sl_decoder_options options = { .image = code, .engine = SL_ENGINE_FAST };

	for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++) {
		char text[1000] = "";
		struct sl_decoder *dec;
		size_t len = 0;

		assert_int_equal(sl_decoder_new(config, &options, &dec, NULL), SL_OK);
		for (size_t at = 0; at < lane.len; at += chunks[i]) {
			size_t n = lane.len - at < chunks[i] ? lane.len - at : chunks[i];

			sl_decoder_feed(dec, (struct sl_bytes){ lane.data + at, n, at });
			len = drain(dec, text, len, sizeof(text));
		}
		sl_decoder_finish(dec);
		drain(dec, text, len, sizeof(text));
		assert_string_equal(text, expected);
		sl_decoder_free(dec);
	}
}

/* Of an ETMv4's, which begins with a sync point at 16; frees the writer. */
static void expect_etm4(struct etm4_writer *w, const char *expected)
{
	struct sl_trace_config config;

	decode_config(&w->config, &config);
	expect_marks(&config, image, (struct sl_bytes){ w->data, w->len, 0 }, expected);
	etm4_release(w);
}

static void put_sync(struct etm4_writer *w, uint64_t address)
{
	etm4_async(w);
	etm4_trace_info(w, &(struct etm4_trace_info){ 0 });
	etm4_address_64_context(w, at(address), &el1);
}

void test_marks__sync_points_are_compared(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_atoms(&w, 6, 3); /* not taken, bl, ret */
	etm4_address(&w, at(BASE + 0xc));
	etm4_atoms(&w, 1, 1); /* b to BASE */
	put_sync(&w, BASE);
	etm4_atoms(&w, 2, 2); /* not taken, bl */
	put_sync(&w, BASE + 0x24); /* not behind the bl's target */
	etm4_atoms(&w, 1, 1); /* eret: nobody knows where to */
	put_sync(&w, BASE);
	etm4_atoms(&w, 1, 1);
	expect_etm4(&w, "16 sync 0\n45 confirmed 10000\n71 address 10020\n71 sync 10020\n97 sync 0\n");
}

void test_marks__addresses_that_no_branch_leads_to(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_atoms(&w, 1, 1); /* taken, to BASE + 0x10 */
	etm4_address(&w, at(BASE + 0x20));
	etm4_atoms(&w, 1, 1); /* ret */
	etm4_address(&w, at(BASE + 0xc));
	etm4_address(&w, at(BASE + 0x10)); /* one of the two is wrong */
	etm4_atoms(&w, 1, 1);
	expect_etm4(&w, "16 sync 0\n27 address 10010\n32 address 1000c\n");
}

/* Of those, one mark: what follows is not known anyway. */
void test_marks__atoms_without_an_address(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_atoms(&w, 6, 3); /* not taken, bl, ret */
	etm4_atoms(&w, 1, 1);
	etm4_atoms(&w, 1, 1);
	etm4_address(&w, at(BASE + 0xc));
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address(&w, at(BASE + 0xc));
	etm4_atoms(&w, 1, 1); /* where the handler is has to come first */
	expect_etm4(&w, "16 sync 0\n27 atom 10024\n34 atom 1000c\n");
}

void test_marks__branches_that_must_be_taken(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_atoms(&w, 0, 2); /* b.ne, bl */
	etm4_atoms(&w, 0, 1); /* b */
	expect_etm4(&w, "16 sync 0\n26 not-taken 1000c\n27 not-taken 10010\n");
}

void test_marks__exceptions_behind_a_branch(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address(&w, at(BASE + 4)); /* before the first branch: fine */
	etm4_address(&w, at(BASE));
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address(&w, at(BASE + 0xc)); /* two branches lie between */
	expect_etm4(&w, "16 sync 0\n31 address 10000\n");
}

void test_marks__bad_packets(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	(void)state;
	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	etm4_byte(&w, 0x87);
	put_sync(&w, BASE);
	etm4_atoms(&w, 1, 1);
	expect_etm4(&w, "16 sync 0\n28 packet 10010\n43 sync 0\n");
}

static void config32(enum sl_protocol protocol, struct sl_trace_config *ret)
{
	*ret = (struct sl_trace_config){ .protocol = protocol, .profile = SL_PROFILE_A, .arch = SL_ARCH_V7 };
	sl_config_set(ret, SL_REG_ETMCR, 0);
	sl_config_set(ret, SL_REG_ETMIDR, 0x4100f250);
	sl_config_set(ret, SL_REG_ETMCCER, 0);
	sl_config_set(ret, SL_REG_ETMTRACEIDR, 0x10);
}

static struct aarch32_address a32(uint32_t address)
{
	return (struct aarch32_address){ address, false };
}

void test_marks__ptm(void **state)
{
	struct ptm_writer w = { 0 };
	struct sl_trace_config config;

	(void)state;
	config32(SL_PROTOCOL_PTM, &config);
	aarch32_async(&w.bytes);
	ptm_isync(&w, a32(CODE32), PTM_TRACE_ON, false, 0, 0);
	ptm_branch(&w, a32(CODE32 + 8), 0); /* bx lr */
	ptm_atoms(&w, 1, 1);		    /* b CODE32 */
	ptm_isync(&w, a32(CODE32), PTM_PERIODIC, false, 0, 0);
	ptm_branch(&w, a32(CODE32 + 8), 0);
	ptm_atoms(&w, 0, 1);		    /* which cannot be */
	ptm_branch(&w, a32(CODE32 + 8), 0); /* bx lr */
	ptm_isync(&w, a32(CODE32 + 4), PTM_PERIODIC, false, 0, 0);
	ptm_atoms(&w, 3, 2);		    /* bx lr, and on without having said where to */
	expect_marks(&config, image32, (struct sl_bytes){ w.bytes.data, w.bytes.len, 0 },
		     "6 sync 0\n14 confirmed 8000\n21 not-taken 800c\n23 address 8008\n23 sync 8008\n29 atom 0\n");
	gen_bytes_release(&w.bytes);
}

void test_marks__etmv3(void **state)
{
	struct etm3_writer w = { 0 };
	struct sl_trace_config config;

	(void)state;
	config32(SL_PROTOCOL_ETMV3, &config);
	aarch32_async(&w.bytes);
	etm3_isync(&w, a32(CODE32), ETM3_TRACE_ON, false, 0, 0);
	etm3_p1(&w, 2, false); /* nop, bx lr */
	etm3_branch(&w, a32(CODE32 + 8));
	etm3_p1(&w, 1, false); /* b CODE32 */
	etm3_isync(&w, a32(CODE32), ETM3_PERIODIC, false, 0, 0);
	etm3_p1(&w, 1, false);
	etm3_branch(&w, a32(CODE32 + 8)); /* by a nop */
	etm3_p1(&w, 0, true);		  /* b, which cannot be */
	etm3_isync(&w, a32(CODE32), ETM3_PERIODIC, false, 0, 0);
	etm3_p1(&w, 3, false); /* nop, bx lr, and on */
	expect_marks(&config, image32, (struct sl_bytes){ w.bytes.data, w.bytes.len, 0 },
		     "6 sync 0\n15 confirmed 8000\n22 address 8004\n23 not-taken 800c\n24 address 800c\n24 sync 800c\n30 atom 0\n");
	gen_bytes_release(&w.bytes);
}
