/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are cut, damaged or hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>
#include <sys/resource.h>

#include "decoder_fixture.h"

int group_setup(void **state)
{
	return fixture_setup();
}

int group_teardown(void **state)
{
	return fixture_teardown();
}

void test_decoder_faults__bad_bytes_make_a_gap(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	etm4_byte(&w, 0x87);  /* reserved */
	etm4_atoms(&w, 1, 1); /* not believed */
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_address_context(&w, at(RING), &el1);
	etm4_atoms(&w, 1, 1);
	expect(&w, BEGUN "26 range 10000-10008 2 branch E cond\n"
			 "28 gap bad packet\n" /* OpenCSD tells it when the next packet comes */
			 "44 context el1 nonsecure 64-bit\n"
			 "54 range 10100-10104 1 branch E cond\n"
			 "55 end\n");
}

#define AT_TARGET                                          \
	BEGUN "26 range 10000-10008 2 branch N cond\n"     \
	      "26 range 10008-1000c 1 branch/call E\n"     \
	      "26 range 10020-10024 1 indirect/return E\n" \
	      "27 exception 14 at 10100 target\n"

/*
 * An interrupt at the target of a return whose address comes with it: the return took nothing off the return
 * stack. OpenCSD 1.3.3 takes an entry off, and does not find it when the next return needs it.
 */
void test_decoder_faults__return_stack_after_exception_at_target(void **state)
{
	struct etm4_config config = { .return_stack = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_atoms(&w, 6, 3); /* not taken, bl (0x1000c goes onto the stack), ret */
	etm4_exception(&w, ETM4_IRQ, ETM4_BRANCH_TARGET);
	etm4_address(&w, at(RING)); /* where it went */
	etm4_address(&w, at(BASE + 0x20));
	etm4_atoms(&w, 3, 2); /* ret to 0x1000c, b */
	if (strcmp(sl_decoder_engine(), "OpenCSD 1.3.3") == 0)
		expect(&w, AT_TARGET "33 gap bad packet\n34 end\n");
	else
		expect(&w, AT_TARGET "33 range 10020-10024 1 indirect/return E\n"
				     "33 range 1000c-10010 1 branch E\n"
				     "34 end\n");
}

/* An interrupt at the target of a return, which no packet tells: OpenCSD crashes where its return stack is empty. */
void test_decoder_faults__exception_behind_an_empty_return_stack(void **state)
{
	static const enum etm4_exception_form forms[] = { ETM4_RETURN_ADDRESS, ETM4_BRANCH_TARGET };
	struct etm4_config config = { .return_stack = true };
	struct etm4_writer w;

	for (unsigned i = 0; i < 2; i++) {
		begin(&w, &config);
		etm4_address_64(&w, at(BASE + 0x20));
		etm4_atoms(&w, 1, 1); /* RET */
		etm4_exception(&w, ETM4_IRQ, forms[i]);
		etm4_address_64(&w, at(BASE));
		expect(&w, BEGUN "35 range 10020-10024 1 indirect/return E\n38 gap bad packet\n47 end\n");
	}
	begin(&w, &config);
	etm4_address_64(&w, at(BASE + 8));
	etm4_atoms(&w, 3, 2); /* BL and RET */
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address_64(&w, at(BASE + 0xc));
	expect(&w, BEGUN "35 range 10008-1000c 1 branch/call E\n35 range 10020-10024 1 indirect/return E\n"
			 "36 exception 14 at 1000c\n47 end\n");
}

/* The stack has 16 places: the seventeenth return finds it empty. */
void test_decoder_faults__the_return_stack_is_counted(void **state)
{
	struct etm4_config config = { .return_stack = true };
	struct sl_trace_config registers;
	struct etm4_writer w;
	unsigned exceptions = 0;
	char *got;

	begin(&w, &config);
	for (unsigned i = 0; i < 30; i++) {
		etm4_address_64(&w, at(BASE + 8));
		etm4_atoms_f1(&w, 1, 1); /* BL */
	}
	for (unsigned i = 0; i < 17; i++) {
		etm4_address_64(&w, at(BASE + 0x20));
		etm4_atoms_f1(&w, 1, 1); /* RET */
		etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
		etm4_address_64(&w, at(BASE + 0xc));
	}
	decode_config(&config, &registers);
	got = decode_text(&registers, image, w.data, w.len, w.len);
	for (const char *exception = got; (exception = strstr(exception, "exception 14 at 1000c")); exception++)
		exceptions++;
	assert_int_equal(exceptions, 16);
	assert_non_null(strstr(got, "gap bad packet"));
	free(got);
	etm4_release(&w);
}

/* It is OpenCSD that must not crash. */
static void expect_both(struct etm4_writer *w, const char *expected)
{
	struct sl_trace_config config;
	char *got;

	decode_config(&w->config, &config);
	got = decode_text_by(SL_ENGINE_OPENCSD, &config, image, w->data, w->len, w->len);
	assert_string_equal(got, expected);
	free(got);
	expect(w, expected);
}

/* What is executed on the way to an exception goes not onto the stack, nor takes an address off it. */
void test_decoder_faults__no_returns_on_the_way_to_an_exception(void **state)
{
	struct etm4_config config = { .return_stack = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_address_64(&w, at(BASE + 8));
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address_64(&w, at(BASE + 0xc)); /* behind a BL */
	etm4_address_64(&w, at(BASE + 0x20));
	etm4_atoms(&w, 1, 1); /* RET */
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address_64(&w, at(BASE + 0xc));
	expect_both(&w, BEGUN "35 range 10008-1000c 1 branch/call E\n"
			      "35 exception 14 at 1000c\n"
			      "55 range 10020-10024 1 indirect/return E\n"
			      "58 gap bad packet\n"
			      "67 end\n");
}

/* A source address does not say where the return before it went. */
void test_decoder_faults__a_source_address_takes_no_return(void **state)
{
	struct etm4_config config = { .return_stack = true, .ete = true };
	struct etm4_writer w;

	begin(&w, &config);
	etm4_address_64(&w, at(BASE + 0x20));
	etm4_atoms(&w, 1, 1);			/* RET */
	etm4_source_address(&w, at(BASE + 0x14)); /* ISB */
	etm4_exception(&w, ETM4_IRQ, ETM4_RETURN_ADDRESS);
	etm4_address_64(&w, at(BASE + 0xc));
	expect_both(&w, BEGUN "35 range 10020-10024 1 indirect/return E\n"
			      "36 range 10014-10018 1 isb E\n"
			      "40 gap bad packet\n"
			      "49 end\n");
}

void test_decoder_faults__starts_in_the_middle(void **state)
{
	struct etm4_config config = { 0 };
	struct etm4_writer w;

	etm4_init(&w, &config);
	etm4_atoms(&w, 0xffff, 16);
	etm4_byte(&w, 0);
	etm4_byte(&w, 0x55);
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_address_context(&w, at(RING), &el1);
	etm4_atoms(&w, 1, 1);
	expect(&w,
	       "0 gap start\n18 context el1 nonsecure 64-bit\n28 range 10100-10104 1 branch E cond\n29 end\n");
}

static long peak_kib(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

/* More than 2^31 commits are a negative number to OpenCSD; in both engines they cost the lane an event before its next Trace Info. */
void test_decoder_faults__absurd_commit(void **state)
{
	static const struct {
		uint32_t commits;
		bool event_is_lost;
	} cases[] = { { 2, false }, { 0x80000000, false }, { 0x80000001, true }, { 0xfffffffb, true }, { 0xfffffffc, false } };
	struct etm4_config config = { .ete = true, .max_speculation = 4 };
	struct sl_trace_config registers;
	struct etm4_writer w;

	decode_config(&config, &registers);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *fast, *opencsd;

		begin(&w, &config);
		etm4_atoms(&w, 1, 1);
		etm4_commit(&w, cases[i].commits);
		etm4_async(&w);
		etm4_event(&w, 1);
		etm4_event(&w, 2);
		fast = decode_text_by(SL_ENGINE_FAST, &registers, image, w.data, w.len, SIZE_MAX);
		opencsd = decode_text_by(SL_ENGINE_OPENCSD, &registers, image, w.data, w.len, SIZE_MAX);
		assert_string_equal(fast, opencsd);
		assert_int_equal(strstr(fast, "event 1") == NULL, cases[i].event_is_lost);
		free(fast);
		free(opencsd);
		etm4_release(&w);
	}
}

/* No trace unit speculates so deep: what OpenCSD would hold back until it is committed has no bound. */
void test_decoder_faults__absurd_speculation_is_an_error(void **state)
{
	const struct etm4_trace_info hostile = { .speculation = 0xfffffff };
	struct etm4_config config = { 0 };
	struct sl_trace_config registers;
	struct etm4_writer w;
	long before;
	char *got;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	etm4_async(&w);
	etm4_trace_info(&w, &hostile);
	etm4_address_context(&w, at(RING), &el1);
	for (unsigned i = 0; i < 2000000; i++)
		etm4_event(&w, 1);
	etm4_async(&w);
	etm4_trace_info(&w, &(struct etm4_trace_info){ 0 });
	etm4_address_context(&w, at(RING), &el1);
	etm4_atoms(&w, 1, 1);
	decode_config(&config, &registers);
	before = peak_kib();
	got = decode_text(&registers, image, w.data, w.len, 4096);
	assert_true(peak_kib() - before < 32 * 1024);
	assert_non_null(strstr(got, BEGUN "26 range 10000-10008 2 branch E cond\n39 gap decode error\n"));
	assert_non_null(strstr(got, " range 10100-10104 1 branch E cond\n"));
	assert_true(strlen(got) < 1000);
	free(got);
	etm4_release(&w);
}

static size_t drain_ranges(struct sl_decoder *dec)
{
	struct sl_elem elems[16];
	size_t n, ranges = 0;

	while (sl_decoder_next(dec, elems, 16, &n) == SL_OK)
		for (size_t i = 0; i < n; i++)
			ranges += elems[i].kind == SL_ELEM_RANGE;
	return ranges;
}

void test_decoder_faults__restart_waits_for_sync(void **state)
{
	struct etm4_config config = { 0 };
	struct sl_trace_config registers;
	struct sl_decoder_options options = { .image = image };
	struct sl_decoder *dec;
	struct etm4_writer w;
	size_t ranges = 0;

	begin(&w, &config);
	etm4_atoms(&w, 1, 1);
	decode_config(&config, &registers);
	assert_int_equal(sl_decoder_new(&registers, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ w.data, w.len, 0 });
	ranges += drain_ranges(dec);
	sl_decoder_restart(dec);
	sl_decoder_feed(dec, (struct sl_bytes){ w.data + w.len - 1, 1, w.len }); /* an atom, but of what? */
	ranges += drain_ranges(dec);
	sl_decoder_finish(dec);
	ranges += drain_ranges(dec);
	assert_int_equal(ranges, 1);
	sl_decoder_free(dec);
	etm4_release(&w);
}

/* Events wait for the next atom: where none comes, the fast engine gives them up at some time. */
void test_decoder_faults__events_without_end(void **state)
{
	struct sl_decoder_options options = { .image = image, .engine = SL_ENGINE_FAST };
	struct etm4_config config = { 0 };
	struct sl_trace_config registers;
	struct sl_decoder *dec;
	struct sl_elem elem;
	struct etm4_writer w;
	size_t n, gaps = 0;

	begin(&w, &config);
	for (unsigned i = 0; i < (1u << 20) + 10; i++)
		etm4_byte(&w, 0x71);
	decode_config(&config, &registers);
	assert_int_equal(sl_decoder_new(&registers, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ w.data, w.len, 0 });
	while (sl_decoder_next(dec, &elem, 1, &n) == SL_OK)
		gaps += elem.kind == SL_ELEM_GAP && elem.count == SL_GAP_DECODE_ERROR;
	assert_int_equal(gaps, 1);
	sl_decoder_free(dec);
	etm4_release(&w);
}

struct packets {
	uint64_t next;
	unsigned count, syncs, bad;
};

static void on_packet(void *ctx, const struct sl_packet *packet)
{
	struct packets *p = ctx;

	assert_int_equal(packet->offset, p->next);
	p->next += packet->len;
	p->count++;
	p->syncs += packet->sync;
	p->bad += packet->bad;
	assert_non_null(packet->name);
	assert_null(packet->text);
}

/* Every byte is in a packet, in order; no image is needed. */
void test_decoder_faults__packets(void **state)
{
	struct etm4_config config = { 0 };
	struct packets packets = { 0 };
	struct sl_decoder_options options = { .packet = on_packet,
					      .packet_ctx = &packets,
					      .packets_only = true };
	struct sl_trace_config registers;
	struct sl_decoder *dec;
	struct sl_elem elem;
	struct etm4_writer w;
	size_t n;

	begin(&w, &config);
	etm4_atoms(&w, 5, 3);
	etm4_byte(&w, 0x87);
	etm4_address(&w, at(RING));
	decode_config(&config, &registers);
	assert_int_equal(sl_decoder_new(&registers, &options, &dec, NULL), SL_OK);
	sl_decoder_feed(dec, (struct sl_bytes){ w.data, w.len, 0 });
	sl_decoder_finish(dec);
	assert_int_equal(sl_decoder_next(dec, &elem, 1, &n), SL_OK);
	assert_int_equal(elem.kind, SL_ELEM_END);
	assert_int_equal(packets.next, w.len);
	assert_int_equal(packets.count, 7);
	assert_int_equal(packets.syncs, 1);
	assert_int_equal(packets.bad, 1);
	sl_decoder_free(dec);
	etm4_release(&w);
}

/* An image of 96 MiB without a branch costs its size for each atom: the walk is given up, and said so. */
void test_decoder_faults__runaway(void **state)
{
	enum { START = 0x10000000, LEN = 96 << 20 };
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address = START, .address_known = true };
	const char *path = temp_write("endless.bin", "", 0);
	struct etm4_config config = { 0 };
	struct sl_trace_config registers;
	struct sl_image *endless;
	struct etm4_writer w;
	char *got;

	assert_int_equal(truncate(path, LEN), 0);
	assert_int_equal(sl_image_new(&endless), SL_OK);
	assert_int_equal(sl_image_add_dump(endless, path, &place, NULL, NULL), SL_OK);
	assert_int_equal(sl_image_seal(endless), SL_OK);
	begin(&w, &config);
	etm4_address(&w, at(START));
	etm4_atoms(&w, 1, 1);
	decode_config(&config, &registers);
	got = decode_text(&registers, endless, w.data, w.len, SIZE_MAX / 2);
	assert_non_null(strstr(got, "gap runaway"));
	free(got);
	etm4_release(&w);
	sl_image_free(endless);
}
