/* SPDX-License-Identifier: Apache-2.0 */
/* Any packets, in an order that the protocol allows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_text.h"
#include "encoder_unit.h"
#include "opcode_seeds.h"
#include "random_stream.h"

enum { CODE_BYTES = 0x4000, PACKETS_MAX = 3000, EXCEPTIONS = 32 };

struct maker {
	struct etm4_writer w;
	struct etm4_config config;
	struct etm4_context context;
	uint64_t random, bases[2];
	bool a64;
	unsigned held; /* atoms and exceptions that were not committed yet, as far as that is sure */
};

static uint32_t draw(struct maker *m, uint32_t below)
{
	return gen_random(&m->random, below);
}

/* Offsets of direct branches are made small, so that most of them stay in the code. */
static uint32_t near_a64(uint32_t word, uint32_t offset)
{
	if ((word & 0x7c000000) == 0x14000000)
		return (word & 0xfc000000) | (offset & 0x03ffffff);
	if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		return (word & 0xff00001f) | (offset & 0x7ffff) << 5;
	if ((word & 0x7e000000) == 0x36000000)
		return (word & 0xfff8001f) | (offset & 0x3fff) << 5;
	return word;
}

static uint32_t near_a32(uint32_t word, uint32_t offset)
{
	return (word & 0x0e000000) == 0x0a000000 ? (word & 0xff000000) | (offset & 0xffffff) : word;
}

/* B.W, BL and BLX keep the lower bits of their offset only: sign and J1, J2 as those of a small positive one. */
static uint32_t near_t32(uint32_t word)
{
	if ((word & 0xf8008000) != 0xf0008000 || (word & 0xf800d000) == 0xf0008000)
		return word;
	return (word & 0xf800d001) | (word & 0x3fe) | 0x2800;
}

static uint32_t random_word(struct maker *m, enum sl_isa isa)
{
	uint32_t word;

	do {
		uint32_t offset = draw(m, 400) - 200;

		word = opcode_random(isa, &m->random);
		if (draw(m, 10) && isa != SL_ISA_T32)
			word = isa == SL_ISA_A64 ? near_a64(word, offset) : near_a32(word, offset);
		else if (isa == SL_ISA_T32)
			word = near_t32(word);
	} while (opcode_unknown(isa, word) >= 0);
	return word;
}

/* A32 in the first half, T32 in the second. */
static struct sl_image *make_code(struct maker *m)
{
	uint8_t code[CODE_BYTES];

	for (size_t i = 0; i < CODE_BYTES; i += 4) {
		enum sl_isa isa = m->a64 ? SL_ISA_A64 : i < CODE_BYTES / 2 ? SL_ISA_A32 : SL_ISA_T32;

		opcode_store(isa, random_word(m, isa), code + i);
	}
	return bytes_image(code, sizeof(code), m->bases[0], m->bases[1]);
}

/* Mostly in the code, mostly in the half that is of its instruction set. */
static struct etm4_address any_address(struct maker *m)
{
	uint64_t base = m->bases[draw(m, 2)], offset = draw(m, CODE_BYTES);
	struct etm4_address a = { 0, ETM4_IS0 };

	if (!m->a64 && (draw(m, 10) ? offset >= CODE_BYTES / 2 : draw(m, 2)))
		a.is = ETM4_IS1;
	a.address = base + (offset & ~(a.is == ETM4_IS1 ? UINT64_C(1) : UINT64_C(3)));
	if (draw(m, 40) == 0)
		a.address += (uint64_t)CODE_BYTES << draw(m, 3);
	return a;
}

static void any_context(struct maker *m)
{
	m->context.el = (uint8_t)draw(m, 4);
	m->context.security = (uint8_t)draw(m, m->config.ete && draw(m, 4) == 0 ? 4 : 2);
	m->context.context_id = draw(m, 3);
	m->context.vmid = draw(m, 3);
}

static void put_address(struct maker *m)
{
	struct etm4_address a = any_address(m);

	switch (draw(m, 6)) {
	case 0:
		any_context(m);
		etm4_address_64_context(&m->w, a, &m->context);
		break;
	case 1:
		if (draw(m, 2))
			any_context(m);
		etm4_address_context(&m->w, a, &m->context);
		break;
	case 2:
		etm4_address_64(&m->w, a);
		break;
	default:
		etm4_address(&m->w, a);
	}
}

static void hold(struct maker *m, unsigned n)
{
	m->held += n;
	if (m->held > m->config.max_speculation)
		m->held = m->config.max_speculation;
}

static void put_atoms(struct maker *m)
{
	unsigned n = 1 + draw(m, draw(m, 4) ? 6 : 24);
	uint32_t atoms = draw(m, 1 << 24);

	if (draw(m, 3))
		atoms |= draw(m, 1 << 24) | draw(m, 1 << 24);
	etm4_atoms(&m->w, atoms & ((UINT32_C(1) << n) - 1), n);
	hold(m, n);
}

/* Mostly a little behind a known address, so that it is not the end of the image that ends the walk to it. */
static void put_preferred_return(struct maker *m, struct etm4_address from)
{
	if (draw(m, 8) == 0) {
		put_address(m);
		return;
	}
	from.address += draw(m, 16) << (from.is == ETM4_IS1 ? 1 : 2);
	etm4_address(&m->w, from);
}

static void put_exception(struct maker *m)
{
	struct etm4_address from = any_address(m);
	enum etm4_exception_form form;

	if (!m->config.ete && draw(m, 5) == 0) {
		etm4_exception_return(&m->w);
		hold(m, 1);
		return;
	}
	if (draw(m, 8))
		etm4_address(&m->w, from);
	form = draw(m, 3) ? ETM4_RETURN_ADDRESS : ETM4_BRANCH_TARGET;
	etm4_exception(&m->w, 1 + draw(m, EXCEPTIONS - 8), form);
	put_preferred_return(m, from);
	hold(m, 1);
	if (draw(m, 4))
		put_address(m);
}

static void put_sync(struct maker *m)
{
	struct etm4_trace_info info = { .cycle_counts = m->config.cycle_counts, .cycle_threshold = m->config.cycle_threshold,
					.speculation = m->held };

	if (draw(m, 2) && m->held) {
		etm4_commit(&m->w, m->held);
		m->held = info.speculation = 0;
	}
	etm4_async(&m->w);
	etm4_trace_info(&m->w, &info);
	if (draw(m, 2))
		etm4_trace_on(&m->w);
	any_context(m);
	etm4_address_64_context(&m->w, any_address(m), &m->context);
}

static void put_loss(struct maker *m)
{
	switch (draw(m, 3)) {
	case 0:
		etm4_overflow(&m->w);
		break;
	case 1:
		etm4_discard(&m->w);
		break;
	default:
		etm4_trace_on(&m->w);
		put_address(m);
		return;
	}
	m->held = 0;
	put_sync(m);
}

static void put_time(struct maker *m)
{
	uint32_t cycles = m->config.cycle_threshold + draw(m, draw(m, 4) ? 40 : 60000);
	uint64_t time = m->w.timestamp + draw(m, 1 << draw(m, 24));

	if (m->config.cycle_counts && draw(m, 2))
		etm4_cycles(&m->w, 0, cycles);
	else if (m->config.timestamps && m->config.cycle_counts && draw(m, 2))
		etm4_timestamp_cycles(&m->w, time, cycles);
	else if (m->config.timestamps && !m->config.cycle_counts)
		etm4_timestamp(&m->w, time);
	else
		etm4_event(&m->w, 1 + draw(m, 15));
}

/* What was held is committed, or was never executed. */
/* Draws one by one: in which order arguments are computed is the compiler's. */
static void put_speculation(struct maker *m)
{
	unsigned n = m->held ? 1 + draw(m, m->held) : 0;
	bool mispredicts;

	if (!n)
		return;
	switch (draw(m, 6)) {
	case 0:
		if (m->held < 5)
			break;
		mispredicts = draw(m, 2);
		n = 2 + draw(m, 4);
		etm4_cancel_f3(&m->w, n, mispredicts);
		break;
	case 1:
		mispredicts = draw(m, 2);
		n = 1 + draw(m, n < 4 ? n : 4);
		etm4_cancel_f1(&m->w, n, mispredicts);
		break;
	case 2:
		etm4_mispredict(&m->w, draw(m, 4));
		n = 0;
		break;
	case 3:
		etm4_cancel_f2(&m->w, draw(m, 4));
		n = 1;
		break;
	default:
		etm4_commit(&m->w, n);
	}
	m->held -= n < m->held ? n : m->held;
	if (draw(m, 2))
		put_address(m);
}

static void put_ete(struct maker *m)
{
	switch (draw(m, 5)) {
	case 0:
		etm4_transaction_start(&m->w);
		break;
	case 1:
		etm4_transaction_commit(&m->w);
		break;
	case 2:
		etm4_transaction_fail(&m->w);
		put_address(m);
		break;
	case 3:
		if (m->config.timestamps)
			etm4_timestamp_marker(&m->w);
		break;
	default:
		etm4_source_address(&m->w, any_address(m));
		hold(m, 1);
	}
}

static void put_q(struct maker *m)
{
	struct etm4_address a = any_address(m);

	if (m->a64 || draw(m, 2)) {
		etm4_q_count(&m->w, 1 + draw(m, 50));
		put_address(m);
	} else {
		etm4_address_64(&m->w, a);
		a.address ^= draw(m, 64) << 2;
		etm4_q_short(&m->w, a, 1 + draw(m, 50));
	}
	hold(m, 1);
}

static void put_any(struct maker *m)
{
	unsigned kind = draw(m, 100);

	if (kind < 52)
		put_atoms(m);
	else if (kind < 72)
		put_address(m);
	else if (kind < 78)
		put_exception(m);
	else if (kind < 86)
		put_time(m);
	else if (kind < 92 && m->config.max_speculation)
		put_speculation(m);
	else if (kind < 94 && m->config.ete)
		put_ete(m);
	else if (kind < 95 && m->config.q_elements)
		put_q(m);
	else if (kind < 96)
		etm4_context(&m->w, draw(m, 2) ? NULL : &m->context);
	else if (kind < 97)
		put_loss(m);
	else if (kind < 99)
		put_sync(m);
}

static struct etm4_config any_config(struct maker *m)
{
	static const uint8_t vmids[] = { 0, 0, 1, 4 };
	struct etm4_config c = { .ete = draw(m, 3) == 0, .minor = 4 };

	c.max_speculation = draw(m, 3) ? 0 : 1 + draw(m, 40);
	c.vmid_bytes = vmids[draw(m, 4)];
	c.context_id = draw(m, 2);
	c.cycle_counts = draw(m, 3) == 0;
	c.cycle_threshold = c.cycle_counts ? 1 + draw(m, 100) : 0;
	c.timestamps = draw(m, 2);
	c.return_stack = !c.max_speculation && draw(m, 2); /* both: OpenCSD may crash (docs/opencsd-quirks.md, 46) */
	c.q_elements = !c.ete && draw(m, 8) == 0;
	return c;
}

void packet_stream(uint64_t seed, struct random_stream *ret)
{
	struct maker m = { .random = seed * 2 + 1 };

	m.a64 = draw(&m, 2);
	m.bases[0] = m.a64 ? 0xffff800010080000 : 0x8000;
	m.bases[1] = m.a64 ? 0x400000 : 0x76540000;
	m.config = any_config(&m);
	m.context = (struct etm4_context){ .el = 1, .security = SL_NONSECURE, .is64 = m.a64 };
	memset(ret, 0, sizeof(*ret));
	ret->image = make_code(&m);
	etm4_init(&m.w, &m.config);
	put_sync(&m);
	for (unsigned n = 100 + draw(&m, PACKETS_MAX - 100); n; n--)
		put_any(&m);
	decode_config(&m.config, &ret->config);
	ret->config.arch = m.a64 ? SL_ARCH_AA64 : SL_ARCH_V8;
	ret->data = m.w.data;
	ret->len = m.w.len;
	snprintf(ret->what, sizeof(ret->what), "packets over %s, %s, speculation %u, return stack %d, cycles %d, times %d, Q %d",
		 m.a64 ? "A64" : "A32 and T32", m.config.ete ? "ETE" : "ETMv4", m.config.max_speculation, m.config.return_stack,
		 m.config.cycle_counts, m.config.timestamps, m.config.q_elements);
}
