/* SPDX-License-Identifier: Apache-2.0 */
/* Packet layouts: Arm IHI 0064H.b (ETMv4) chapter 6.4 and Arm DDI 0487, part D, "ETE protocol"; by packet
 * name. */
#include "etm4_encode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

void etm4_init(struct etm4_writer *w, const struct etm4_config *config)
{
	memset(w, 0, sizeof(*w));
	w->config = *config;
}

void etm4_release(struct etm4_writer *w)
{
	free(w->data);
	memset(w, 0, sizeof(*w));
}

void etm4_byte(struct etm4_writer *w, unsigned byte)
{
	if (SL_ARRAY_PUSH(&w->data, &w->len, &w->cap, (uint8_t)byte) < 0)
		abort();
}

static void put_le(struct etm4_writer *w, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		etm4_byte(w, value >> (8 * i) & 0xff);
}

/* Seven bits a byte, bit 7 set while more follow. */
static void put_leb(struct etm4_writer *w, uint32_t value)
{
	while (value > 0x7f) {
		etm4_byte(w, 0x80 | (value & 0x7f));
		value >>= 7;
	}
	etm4_byte(w, value);
}

/* Alignment Synchronization: eleven or more bytes 0, then 0x80. */
void etm4_async(struct etm4_writer *w)
{
	for (int i = 0; i < 11; i++)
		etm4_byte(w, 0x00);
	etm4_byte(w, 0x80);
}

/* Trace Info: PLCTL says which of INFO, KEY, SPEC and CYCT follow. The reader forgets addresses and time. */
void etm4_trace_info(struct etm4_writer *w, const struct etm4_trace_info *info)
{
	unsigned sections =
		1u | (info->key ? 2u : 0) | (info->speculation ? 4u : 0) | (info->cycle_threshold ? 8u : 0);

	etm4_byte(w, 0x01);
	etm4_byte(w, sections);
	etm4_byte(w, (unsigned)info->cycle_counts | (info->conditional & 7u) << 1 |
			     (unsigned)info->p0_load << 4 | (unsigned)info->p0_store << 5 |
			     (unsigned)info->in_transaction << 6);
	if (info->key)
		put_leb(w, info->key);
	if (info->speculation)
		put_leb(w, info->speculation);
	if (info->cycle_threshold)
		put_leb(w, info->cycle_threshold);
	w->history_len = 0;
	w->timestamp_known = false;
}

/* Trace On */
void etm4_trace_on(struct etm4_writer *w)
{
	etm4_byte(w, 0x04);
}

/* Overflow, an extension packet */
void etm4_overflow(struct etm4_writer *w)
{
	put_le(w, 0x0500, 2);
}

/* Discard, an extension packet */
void etm4_discard(struct etm4_writer *w)
{
	put_le(w, 0x0300, 2);
}

/* Ignore */
void etm4_ignore(struct etm4_writer *w)
{
	etm4_byte(w, 0x70);
}

/* Event: bits 3:0 are the events 0 to 3 */
void etm4_event(struct etm4_writer *w, unsigned bits)
{
	assert(bits >= 1 && bits <= 15);
	etm4_byte(w, 0x70 | bits);
}

/* TS of a Timestamp packet: the low bits up to the highest one that changed; the ninth byte has eight. */
static void put_timestamp_value(struct etm4_writer *w, uint64_t value)
{
	uint64_t changed = w->timestamp_known ? value ^ w->timestamp : UINT64_MAX;
	unsigned i = 0;

	for (; i < 8 && changed >> (7 * i) > 0x7f; i++)
		etm4_byte(w, 0x80 | (value >> (7 * i) & 0x7f));
	etm4_byte(w, (unsigned)(value >> (7 * i)) & (i == 8 ? 0xff : 0x7f));
	w->timestamp = value;
	w->timestamp_known = true;
}

/* Timestamp, N 0 */
void etm4_timestamp(struct etm4_writer *w, uint64_t value)
{
	etm4_byte(w, 0x02);
	put_timestamp_value(w, value);
}

/* Timestamp, N 1: COUNT of 20 bits in up to three bytes */
void etm4_timestamp_cycles(struct etm4_writer *w, uint64_t value, uint32_t cycles)
{
	assert(cycles < 1u << 20);
	etm4_byte(w, 0x03);
	put_timestamp_value(w, value);
	put_leb(w, cycles);
}

/* Timestamp Marker (ETE) */
void etm4_timestamp_marker(struct etm4_writer *w)
{
	etm4_byte(w, 0x88);
}

/* Cycle Count format 1: COMMIT in commit mode 0, then COUNT above the threshold */
void etm4_cycles_f1(struct etm4_writer *w, uint32_t commits, uint32_t count)
{
	assert(count >= w->config.cycle_threshold && count - w->config.cycle_threshold < 1u << 20);
	etm4_byte(w, 0x0e);
	if (w->config.commit_mode_0)
		put_leb(w, commits);
	put_leb(w, count - w->config.cycle_threshold);
}

/* Cycle Count format 1, U 1: the count is not known */
void etm4_cycles_f1_unknown(struct etm4_writer *w, uint32_t commits)
{
	etm4_byte(w, 0x0f);
	if (w->config.commit_mode_0)
		put_leb(w, commits);
}

/* Whether format 2 can say so many commits, and how: F in bit 4, AAAA in bits 3:0. */
static bool f2_commits(const struct etm4_config *c, uint32_t commits, unsigned *ret)
{
	if (!c->commit_mode_0)
		*ret = 0;
	else if (commits >= 1 && commits <= 16)
		*ret = commits - 1;
	else if (commits + 15 >= c->max_speculation && commits <= c->max_speculation)
		*ret = 0x10 | (commits + 15 - c->max_speculation);
	else
		return false;
	return true;
}

/* Cycle Count format 2: 16 counts above the threshold */
void etm4_cycles_f2(struct etm4_writer *w, uint32_t commits, uint32_t count)
{
	unsigned field = 0;
	bool fits = f2_commits(&w->config, commits, &field);

	assert(fits && count - w->config.cycle_threshold < 16);
	(void)fits;
	etm4_byte(w, 0x0c | field >> 4);
	etm4_byte(w, (field & 15) << 4 | (count - w->config.cycle_threshold));
}

/* Cycle Count format 3: 4 counts above the threshold, 1 to 4 commits */
void etm4_cycles_f3(struct etm4_writer *w, uint32_t commits, uint32_t count)
{
	uint32_t field = w->config.commit_mode_0 ? commits - 1 : 0;

	assert(field < 4 && count - w->config.cycle_threshold < 4);
	etm4_byte(w, 0x10 | field << 2 | (count - w->config.cycle_threshold));
}

void etm4_cycles(struct etm4_writer *w, uint32_t commits, uint32_t count)
{
	uint32_t above = count - w->config.cycle_threshold;
	unsigned field;

	if (above < 4 && (!w->config.commit_mode_0 || (commits >= 1 && commits <= 4)))
		etm4_cycles_f3(w, commits, count);
	else if (above < 16 && f2_commits(&w->config, commits, &field))
		etm4_cycles_f2(w, commits, count);
	else
		etm4_cycles_f1(w, commits, count);
}

/* The context information byte, VMID and CONTEXTID. */
static void put_context(struct etm4_writer *w, const struct etm4_context *context)
{
	unsigned ns = context->security & 1, nse = context->security >> 1;

	etm4_byte(w, (context->el & 3u) | nse << 3 | (unsigned)context->is64 << 4 | ns << 5 |
			     (w->config.vmid_bytes ? 0x40u : 0) | (w->config.context_id ? 0x80u : 0));
	put_le(w, context->vmid, w->config.vmid_bytes);
	put_le(w, context->context_id, w->config.context_id ? 4 : 0);
}

/* Context */
void etm4_context(struct etm4_writer *w, const struct etm4_context *context)
{
	etm4_byte(w, context ? 0x81 : 0x80);
	if (context)
		put_context(w, context);
}

/* Each address packet pushes its address onto the reader's history, an exact match included. */
static void remember(struct etm4_writer *w, struct etm4_address a)
{
	w->history[2] = w->history[1];
	w->history[1] = w->history[0];
	w->history[0] = a;
	if (w->history_len < 3)
		w->history_len++;
}

/* Bits of the address below what a short address of one byte and of two bytes leaves as it was. */
static unsigned short_bits_1(enum etm4_is is)
{
	return is == ETM4_IS0 ? 9 : 8;
}
static unsigned short_bits_2(enum etm4_is is)
{
	return is == ETM4_IS0 ? 17 : 16;
}

static bool same_above(const struct etm4_writer *w, uint64_t address, unsigned bits)
{
	return w->history_len > 0 && w->history[0].address >> bits == address >> bits;
}

static void put_short(struct etm4_writer *w, struct etm4_address a)
{
	unsigned low = a.address >> (a.is == ETM4_IS0 ? 2 : 1) & 0x7f;

	assert(same_above(w, a.address, short_bits_2(a.is)));
	if (same_above(w, a.address, short_bits_1(a.is))) {
		etm4_byte(w, low);
	} else {
		etm4_byte(w, 0x80 | low);
		etm4_byte(w, a.address >> short_bits_1(a.is) & 0xff);
	}
	remember(w, a);
}

/* Long addresses: seven bits in the first byte; seven (IS0) or eight (IS1) in the second; then whole bytes.
 */
static void put_long(struct etm4_writer *w, struct etm4_address a, unsigned bits)
{
	if (a.is == ETM4_IS0) {
		etm4_byte(w, a.address >> 2 & 0x7f);
		etm4_byte(w, a.address >> 9 & 0x7f);
	} else {
		etm4_byte(w, a.address >> 1 & 0x7f);
		etm4_byte(w, a.address >> 8 & 0xff);
	}
	put_le(w, a.address >> 16, (bits - 16) / 8);
	remember(w, a);
}

/* Exact Match Address */
void etm4_address_match(struct etm4_writer *w, unsigned index)
{
	assert(index < w->history_len);
	etm4_byte(w, 0x90 + index);
	remember(w, w->history[index]);
}

/* Short Address */
void etm4_address_short(struct etm4_writer *w, struct etm4_address a)
{
	etm4_byte(w, 0x95 + a.is);
	put_short(w, a);
}

/* 32-bit Long Address */
void etm4_address_32(struct etm4_writer *w, struct etm4_address a)
{
	etm4_byte(w, 0x9a + a.is);
	put_long(w, a, 32);
}

/* 64-bit Long Address */
void etm4_address_64(struct etm4_writer *w, struct etm4_address a)
{
	etm4_byte(w, 0x9d + a.is);
	put_long(w, a, 64);
}

static bool fits_32(const struct etm4_writer *w, uint64_t address)
{
	return w->config.address32 || same_above(w, address, 32);
}

/* Place of a in the history, or -1. */
static int history_index(const struct etm4_writer *w, struct etm4_address a)
{
	for (unsigned i = 0; i < w->history_len; i++)
		if (w->history[i].address == a.address && w->history[i].is == a.is)
			return (int)i;
	return -1;
}

void etm4_address(struct etm4_writer *w, struct etm4_address a)
{
	int index = history_index(w, a);

	if (index >= 0)
		etm4_address_match(w, (unsigned)index);
	else if (same_above(w, a.address, short_bits_2(a.is)))
		etm4_address_short(w, a);
	else if (fits_32(w, a.address))
		etm4_address_32(w, a);
	else
		etm4_address_64(w, a);
}

/* 32-bit Address with Context */
void etm4_address_32_context(struct etm4_writer *w, struct etm4_address a, const struct etm4_context *context)
{
	etm4_byte(w, 0x82 + a.is);
	put_long(w, a, 32);
	put_context(w, context);
}

/* 64-bit Address with Context */
void etm4_address_64_context(struct etm4_writer *w, struct etm4_address a, const struct etm4_context *context)
{
	etm4_byte(w, 0x85 + a.is);
	put_long(w, a, 64);
	put_context(w, context);
}

void etm4_address_context(struct etm4_writer *w, struct etm4_address a, const struct etm4_context *context)
{
	if (fits_32(w, a.address))
		etm4_address_32_context(w, a, context);
	else
		etm4_address_64_context(w, a, context);
}

/* ETE Source Address: Exact Match, Short, 32-bit, 64-bit; the history is that of the other addresses. */
void etm4_source_address(struct etm4_writer *w, struct etm4_address a)
{
	int index = history_index(w, a);

	if (index >= 0) {
		etm4_byte(w, 0xb0 + (unsigned)index);
		remember(w, a);
	} else if (same_above(w, a.address, short_bits_2(a.is))) {
		etm4_byte(w, 0xb4 + a.is);
		put_short(w, a);
	} else if (fits_32(w, a.address)) {
		etm4_byte(w, 0xb6 + a.is);
		put_long(w, a, 32);
	} else {
		etm4_byte(w, 0xb8 + a.is);
		put_long(w, a, 64);
	}
}

/* Q, TYPE 15: neither count nor address */
void etm4_q(struct etm4_writer *w)
{
	etm4_byte(w, 0xaf);
}

/* Q, TYPE 12: count only */
void etm4_q_count(struct etm4_writer *w, uint32_t count)
{
	etm4_byte(w, 0xac);
	put_leb(w, count);
}

/* Q, TYPE 0 to 2: exact match address and count */
void etm4_q_match(struct etm4_writer *w, unsigned index, uint32_t count)
{
	assert(index < w->history_len);
	etm4_byte(w, 0xa0 + index);
	remember(w, w->history[index]);
	put_leb(w, count);
}

/* Q, TYPE 5 and 6: short address and count */
void etm4_q_short(struct etm4_writer *w, struct etm4_address a, uint32_t count)
{
	etm4_byte(w, 0xa5 + a.is);
	put_short(w, a);
	put_leb(w, count);
}

/* Q, TYPE 10 and 11: 32-bit address and count */
void etm4_q_32(struct etm4_writer *w, struct etm4_address a, uint32_t count)
{
	etm4_byte(w, 0xaa + a.is);
	put_long(w, a, 32);
	put_leb(w, count);
}

/* Function Return (v8-M) */
void etm4_function_return(struct etm4_writer *w)
{
	etm4_byte(w, 0x05);
}

static unsigned exception_byte(unsigned type, unsigned form)
{
	return (form & 1) | (type & 0x1f) << 1 | (form >> 1) << 6;
}

/* Exception: E1 in bit 6, TYPE in bits 5:1, E0 in bit 0 */
void etm4_exception(struct etm4_writer *w, unsigned type, enum etm4_exception_form form)
{
	assert(type < 32);
	etm4_byte(w, 0x06);
	etm4_byte(w, exception_byte(type, form));
}

/* Exception with a second byte: TYPE[9:5], P */
void etm4_exception_wide(struct etm4_writer *w, unsigned type, enum etm4_exception_form form, bool pending)
{
	assert(type < 1024);
	etm4_byte(w, 0x06);
	etm4_byte(w, 0x80 | exception_byte(type, form));
	etm4_byte(w, type >> 5 | (unsigned)pending << 5);
}

/* Exception Return */
void etm4_exception_return(struct etm4_writer *w)
{
	assert(!w->config.ete);
	etm4_byte(w, 0x07);
}

/* Commit */
void etm4_commit(struct etm4_writer *w, uint32_t count)
{
	etm4_byte(w, 0x2d);
	put_leb(w, count);
}

/* Cancel format 1 */
void etm4_cancel_f1(struct etm4_writer *w, uint32_t count, bool mispredict)
{
	etm4_byte(w, 0x2e | (unsigned)mispredict);
	put_leb(w, count);
}

/* Cancel format 2: one cancelled, then mispredict; A says which atoms come before the mispredict */
void etm4_cancel_f2(struct etm4_writer *w, unsigned atoms)
{
	etm4_byte(w, 0x34 | (atoms & 3));
}

/* Cancel format 3: CC + 2 cancelled, then mispredict; A: an E atom before it */
void etm4_cancel_f3(struct etm4_writer *w, unsigned count, bool atom)
{
	assert(count >= 2 && count <= 5);
	etm4_byte(w, 0x38 | (count - 2) << 1 | (unsigned)atom);
}

/* Mispredict */
void etm4_mispredict(struct etm4_writer *w, unsigned atoms)
{
	etm4_byte(w, 0x30 | (atoms & 3));
}

/* Transaction Start (ETE) */
void etm4_transaction_start(struct etm4_writer *w)
{
	etm4_byte(w, 0x0a);
}

/* Transaction Commit (ETE) */
void etm4_transaction_commit(struct etm4_writer *w)
{
	etm4_byte(w, 0x0b);
}

/*
 * Transaction Failure and PE Reset (ETE): exception packets of three bytes, the last one fixed, as Arm's
 * model writes them, without a preferred return address. The reader forgets addresses.
 */
static void put_ete_exception(struct etm4_writer *w, unsigned type)
{
	etm4_exception(w, type, ETM4_RETURN_ADDRESS);
	etm4_byte(w, 0x70);
	w->history_len = 0;
}

void etm4_transaction_fail(struct etm4_writer *w)
{
	put_ete_exception(w, ETM4_TRANSACTION_FAIL);
}

void etm4_pe_reset(struct etm4_writer *w)
{
	put_ete_exception(w, ETM4_PE_RESET);
}

/* Instrumentation (ETE 1.3): EL and the 64-bit value */
void etm4_instrumentation(struct etm4_writer *w, unsigned el, uint64_t value)
{
	etm4_byte(w, 0x09);
	etm4_byte(w, el & 3);
	put_le(w, value, 8);
}
