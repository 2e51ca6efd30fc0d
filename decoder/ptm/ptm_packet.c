/* SPDX-License-Identifier: Apache-2.0 */
#include "ptm_packet.h"

#include "bytes.h"

void ptm_configure(const struct sl_trace_config *config, struct ptm_config *ret)
{
	static const uint8_t context_id_bytes[] = { 0, 1, 2, 4 };
	uint32_t control = config->regs[SL_REG_ETMCR], ccer = config->regs[SL_REG_ETMCCER];
	bool old = (config->regs[SL_REG_ETMIDR] >> 4 & 0xf) == 0; /* PFT 1.0 has only short timestamps */

	*ret = (struct ptm_config){
		.cycle_accurate = control >> 12 & 1,
		.long_timestamps = !old && ccer >> 29 & 1,
		.return_stack = control >> 29 & ccer >> 23 & 1,
		.barriers = ccer >> 24 & 1,
		.context_id_bytes = context_id_bytes[control >> 14 & 3],
	};
}

/* Cycle counts (4.8): four bits and a flag in the first byte, then seven. The bytes that they have, or 0. */
static size_t read_cycles(const uint8_t *bytes, size_t len, uint32_t *ret)
{
	size_t n = 1;

	if (!len)
		return 0;
	*ret = bytes[0] >> 2 & 0xf;
	if (!(bytes[0] & 0x40))
		return 1;
	for (; n < 5; n++) {
		if (n == len)
			return 0;
		*ret |= (uint32_t)(bytes[n] & 0x7f) << (7 * n - 3);
		if (!(bytes[n] & 0x80))
			return n + 1;
	}
	return n;
}

/* Appends the cycles that follow at bytes[at]; the length of the whole, or 0. */
static size_t with_cycles(const struct ptm_config *config, const uint8_t *bytes, size_t len, size_t at,
			  struct ptm_packet *ret)
{
	size_t n;

	if (!config->cycle_accurate)
		return at;
	n = read_cycles(bytes + at, len - at, &ret->cycles);
	ret->has |= PTM_HAS_CYCLES;
	return n ? at + n : 0;
}

static size_t read_nothing(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			   size_t len, struct ptm_packet *ret)
{
	(void)config, (void)before, (void)bytes, (void)len, (void)ret;
	return 1;
}

enum { ASYNC_ZEROS = 5, ASYNC_TOO_MANY = 16 };

/* 4.2: five zeros or some more, and 0x80. */
static size_t read_async(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			 size_t len, struct ptm_packet *ret)
{
	size_t n = 1;

	(void)config, (void)before;
	while (n < len && n < ASYNC_TOO_MANY && !bytes[n])
		n++;
	if (n == ASYNC_TOO_MANY) {
		ret->type = PTM_BAD_SEQUENCE;
		return n;
	}
	if (n == len)
		return 0;
	if (bytes[n] != 0x80 || n < ASYNC_ZEROS)
		ret->type = PTM_BAD_SEQUENCE;
	return n + 1;
}

/* 4.3: address, information, cycles where tracing begins, context id. */
static size_t read_isync(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			 size_t len, struct ptm_packet *ret)
{
	size_t at = 6;

	(void)before;
	if (len < at)
		return 0;
	ret->reason = bytes[5] >> 5 & 3;
	ret->nonsecure = bytes[5] >> 3 & 1;
	ret->isa = !(bytes[1] & 1) ? SL_ISA_A32 : bytes[5] >> 2 & 1 ? PTM_ISA_THUMBEE : SL_ISA_T32;
	ret->address = (uint32_t)bytes_little_endian(bytes + 1, 4) & ~UINT32_C(1);
	ret->address_bits = 32;
	if (ret->reason != PTM_REASON_PERIODIC)
		at = with_cycles(config, bytes, len, at, ret);
	if (!at || len - at < config->context_id_bytes)
		return 0;
	if (config->context_id_bytes)
		ret->has |= PTM_HAS_CONTEXT_ID;
	ret->context_id = (uint32_t)bytes_little_endian(bytes + at, config->context_id_bytes);
	return at + config->context_id_bytes;
}

/* The instruction set in an address's fifth byte (4.5, table 4-3). */
static uint8_t isa_of(uint8_t fifth)
{
	if (fifth & 0x20)
		return SL_ISA_JAZELLE;
	return fifth & 0x10 ? SL_ISA_T32 : SL_ISA_A32;
}

static void set_isa(const struct ptm_before *before, const uint8_t *bytes, size_t count, struct ptm_packet *ret)
{
	bool alternative = ret->has & PTM_HAS_ALTERNATIVE ? ret->alternative : before->alternative;

	ret->isa = count == 5 ? isa_of(bytes[4]) : before->isa;
	if (ret->isa == PTM_ISA_THUMBEE && !alternative)
		ret->isa = SL_ISA_T32;
	else if (ret->isa == SL_ISA_T32 && alternative)
		ret->isa = PTM_ISA_THUMBEE;
}

/* Address bytes: 6 bits of the first, 7 of the next, 6 of a last one that is not the fifth, the rest of the fifth. */
static void set_address(const uint8_t *bytes, size_t count, struct ptm_packet *ret)
{
	unsigned shift = ret->isa == SL_ISA_A32 ? 2 : ret->isa == SL_ISA_JAZELLE ? 0 : 1;
	unsigned bits = 6;
	uint32_t value = bytes[0] >> 1 & 0x3f;

	for (size_t i = 1; i < count; i++) {
		unsigned n = i == 4 ? 5 - shift : i == count - 1 ? 6 : 7;

		value |= (uint32_t)(bytes[i] & ((1u << n) - 1)) << bits;
		bits += n;
	}
	ret->address = value << shift;
	ret->address_bits = (uint8_t)(bits + shift);
}

/* The number of address bytes, of five at most; 0: there are more. */
static size_t address_bytes(const uint8_t *bytes, size_t len)
{
	for (size_t n = 1; n <= len; n++) {
		if (n == 5 || !(bytes[n - 1] & 0x80))
			return n;
	}
	return 0;
}

/* 4.5.1: security state and number; a second byte has more of it. */
static size_t read_exception(const uint8_t *bytes, size_t len, struct ptm_packet *ret)
{
	if (len < 1 || (bytes[0] & 0x80 && len < 2))
		return 0;
	ret->has |= PTM_HAS_EXCEPTION | PTM_HAS_ALTERNATIVE;
	ret->alternative = bytes[0] & 0x40;
	ret->exception = bytes[0] >> 1 & 0xf;
	if (!(bytes[0] & 0x80))
		return 1;
	ret->exception |= (uint16_t)((bytes[1] & 0x1f) << 4);
	return 2;
}

/* 4.5: the header is the first address byte. */
static size_t read_branch(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			  size_t len, struct ptm_packet *ret)
{
	size_t count = address_bytes(bytes, len), at = count;

	if (!count)
		return 0;
	if (count > 1 && bytes[count - 1] & 0x40) {
		size_t n = read_exception(bytes + at, len - at, ret);

		if (!n)
			return 0;
		at += n;
	}
	set_isa(before, bytes, count, ret);
	set_address(bytes, count, ret);
	return with_cycles(config, bytes, len, at, ret);
}

/* 4.6: as a branch, behind a header; an information byte tells ThumbEE. */
static size_t read_waypoint(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			    size_t len, struct ptm_packet *ret)
{
	size_t count = address_bytes(bytes + 1, len - 1), at = 1 + count;

	(void)config;
	if (!count)
		return 0;
	if (count == 5 && bytes[5] & 0x40) {
		if (at == len)
			return 0;
		ret->has |= PTM_HAS_ALTERNATIVE;
		ret->alternative = bytes[at++] & 0x40;
	}
	set_isa(before, bytes + 1, count, ret);
	set_address(bytes + 1, count, ret);
	return at;
}

static size_t read_context_id(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			      size_t len, struct ptm_packet *ret)
{
	size_t n = config->context_id_bytes;

	(void)before;
	if (len < 1 + n)
		return 0;
	ret->has |= PTM_HAS_CONTEXT_ID;
	ret->context_id = (uint32_t)bytes_little_endian(bytes + 1, n);
	return 1 + n;
}

static size_t read_vmid(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			size_t len, struct ptm_packet *ret)
{
	(void)config, (void)before;
	if (len < 2)
		return 0;
	ret->vmid = bytes[1];
	return 2;
}

/* 4.4, formats 1 to 5: up to five atoms above bit 0, the newest in bit 1, where 1 is N. */
static void set_atoms(uint8_t header, struct ptm_packet *ret)
{
	unsigned n = (header & 0xf0) == 0x80 ? 1 + (header >> 3 & 1) :
		     (header & 0xf0) == 0x90 ? 3 :
		     (header & 0xe0) == 0xa0 ? 4 : 5;

	ret->atom_count = (uint8_t)n;
	for (unsigned i = 0; i < n; i++)
		ret->atoms |= (uint8_t)((~header >> (n - i) & 1) << i);
}

/* Cycle-accurate: one atom and the cycles before it. */
static size_t read_atoms(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			 size_t len, struct ptm_packet *ret)
{
	(void)before;
	if (!config->cycle_accurate) {
		set_atoms(bytes[0], ret);
		return 1;
	}
	ret->atom_count = 1;
	ret->atoms = !(bytes[0] & 2);
	return with_cycles(config, bytes, len, 0, ret);
}

/* 4.9: seven bits a byte, the last of all that can be 8 (of 64 bits) or 6 (of 48). */
static size_t read_timestamp(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes,
			     size_t len, struct ptm_packet *ret)
{
	size_t most = config->long_timestamps ? 9 : 7, n = 0;
	bool more = true;

	(void)before;
	for (; more; n++) {
		bool last = n == most - 1;
		unsigned bits = !last ? 7 : config->long_timestamps ? 8 : 6;

		if (1 + n == len)
			return 0;
		more = !last && bytes[1 + n] & 0x80;
		ret->time |= (uint64_t)(bytes[1 + n] & ((1u << bits) - 1)) << (7 * n);
		ret->time_bits += (uint8_t)bits;
	}
	return with_cycles(config, bytes, len, 1 + n, ret);
}

/* The first row that fits counts. */
static const struct ptm_header {
	const char *name;
	uint8_t mask, value, type;
	ptm_reader *read;
} headers[] = {
	{ "BRANCH_ADDRESS", 0x01, 0x01, PTM_BRANCH_ADDRESS, read_branch },
	{ "ATOM", 0x81, 0x80, PTM_ATOM, read_atoms },
	{ "ASYNC", 0xff, 0x00, PTM_ASYNC, read_async },
	{ "ISYNC", 0xff, 0x08, PTM_ISYNC, read_isync },
	{ "TRIGGER", 0xff, 0x0c, PTM_TRIGGER, read_nothing },
	{ "VMID", 0xff, 0x3c, PTM_VMID, read_vmid },
	{ "TIMESTAMP", 0xfb, 0x42, PTM_TIMESTAMP, read_timestamp },
	{ "IGNORE", 0xff, 0x66, PTM_IGNORE, read_nothing },
	{ "CTXTID", 0xff, 0x6e, PTM_CONTEXT_ID, read_context_id },
	{ "WP_UPDATE", 0xff, 0x72, PTM_WAYPOINT_UPDATE, read_waypoint },
	{ "ERET", 0xff, 0x76, PTM_EXCEPTION_RETURN, read_nothing },
	{ "RESERVED", 0x00, 0x00, PTM_RESERVED, read_nothing },
	/* no headers: only names */
	{ "NOTSYNC", 0x00, 0xff, PTM_NOT_SYNC, NULL },
	{ "INCOMPLETE_EOT", 0x00, 0xff, PTM_INCOMPLETE_EOT, NULL },
	{ "BAD_SEQUENCE", 0x00, 0xff, PTM_BAD_SEQUENCE, NULL },
};

size_t ptm_read(const struct ptm_config *config, const struct ptm_before *before, const uint8_t *bytes, size_t len,
		struct ptm_packet *ret)
{
	const struct ptm_header *row = headers;

	while ((bytes[0] & row->mask) != row->value)
		row++;
	*ret = (struct ptm_packet){ .type = row->type };
	return row->read(config, before, bytes, len, ret);
}

const char *ptm_name(unsigned type)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		if (headers[i].type == type)
			return headers[i].name;
	}
	return "UNKNOWN";
}
