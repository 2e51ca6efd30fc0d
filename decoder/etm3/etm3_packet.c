/* SPDX-License-Identifier: Apache-2.0 */
#include "etm3_packet.h"

#include "bytes.h"

bool etm3_configure(const struct sl_trace_config *config, struct etm3_config *ret)
{
	static const uint8_t context_id_bytes[] = { 0, 1, 2, 4 };
	uint32_t control = config->regs[SL_REG_ETMCR], ccer = config->regs[SL_REG_ETMCCER];
	uint32_t id = config->regs[SL_REG_ETMIDR];
	unsigned minor = id >> 4 & 0xf;

	*ret = (struct etm3_config){
		.cycle_accurate = control >> 12 & 1,
		.alternative_branches = id >> 20 & 1 && minor >= 4,
		.has_alternative = minor >= 3,
		.long_timestamps = ccer >> 29 & 1,
		.virtualization = ccer >> 26 & 1,
		.m_profile = config->profile == SL_PROFILE_M,
		.v7_m = config->profile == SL_PROFILE_M && config->arch == SL_ARCH_V7,
		.context_id_bytes = context_id_bytes[control >> 14 & 3],
	};
	return !(control & 0x10000c);
}

static size_t read_nothing(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			   size_t len, struct etm3_packet *ret)
{
	(void)config, (void)before, (void)bytes, (void)len, (void)ret;
	return 1;
}

/* 7.3.2: five zeros and 0x80. A sixth zero means that the first was none of it. */
static size_t read_async(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			 size_t len, struct etm3_packet *ret)
{
	size_t n = 1;

	(void)config, (void)before;
	while (n < len && n < 6 && !bytes[n])
		n++;
	if (n == len && n < 6)
		return 0;
	if (n == 5 && bytes[n] == 0x80)
		return 6;
	ret->type = ETM3_BAD_SEQUENCE;
	return n == 6 ? 1 : n;
}

/* The bytes up to the first one without bit 7; 0: there is none. */
static size_t end_of(const uint8_t *bytes, size_t len)
{
	for (size_t n = 0; n < len; n++) {
		if (!(bytes[n] & 0x80))
			return n + 1;
	}
	return 0;
}

/* Seven bits a byte, five bytes at most. The bytes that they have, or 0. */
static size_t read_cycles(const uint8_t *bytes, size_t len, uint32_t *ret)
{
	size_t n = end_of(bytes, len < 5 ? len : 5);

	if (!n && len < 5)
		return 0;
	n = n ? n : 5;
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret |= (uint32_t)(bytes[i] & (i == 4 ? 0xf : 0x7f)) << (7 * i);
	return n;
}

static size_t read_cycle_count(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			       size_t len, struct etm3_packet *ret)
{
	size_t n = read_cycles(bytes + 1, len - 1, &ret->cycles);

	(void)config, (void)before;
	return n ? 1 + n : 0;
}

/* Exception information bytes (7.4.4). The bytes read, or 0 where there are too few. */
static size_t read_exception(const struct etm3_config *config, const uint8_t *bytes, size_t len, struct etm3_packet *ret)
{
	unsigned number;
	size_t n = 1;

	if (!len)
		return 0;
	number = bytes[0] >> 1 & 0xf;
	ret->has |= ETM3_HAS_EXCEPTION | ETM3_HAS_STATE | ETM3_HAS_ALTERNATIVE | (bytes[0] & 0x20 ? ETM3_CANCELS : 0);
	ret->nonsecure = bytes[0] & 1;
	ret->alternative = bytes[0] & 0x40;
	if (bytes[0] & 0x80) {
		if (len < 2)
			return 0;
		n = 2;
		if (!(bytes[1] & 0x40)) {
			number |= config->v7_m ? (bytes[1] & 0x1fu) << 4 : 0;
			ret->has |= ETM3_HAS_HYP;
			ret->hyp = bytes[1] & 0x20;
			n += bytes[1] & 0x80 ? 1 : 0;
		}
	}
	ret->exception = (uint16_t)number;
	return n <= len ? n : 0;
}

/* The instruction set in an address's fifth byte (table 7-7); SL_ISA_UNKNOWN: in none. */
static uint8_t isa_of(uint8_t fifth, bool alternative)
{
	if ((fifth & 0x38) == 0x08)
		return SL_ISA_A32;
	if ((fifth & 0x30) == 0x10)
		return alternative ? ETM3_ISA_THUMBEE : SL_ISA_T32;
	return fifth & 0x20 ? SL_ISA_JAZELLE : SL_ISA_UNKNOWN;
}

/* The fifth byte of an address. False: it makes no sense. */
static bool read_fifth(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
		       size_t len, struct etm3_packet *ret)
{
	uint8_t fifth = bytes[4];

	ret->has |= ETM3_HAS_ISA;
	if (fifth & 0x80) { /* an exception of the first ETMs, in A32 state only */
		ret->has |= ETM3_HAS_EXCEPTION | (fifth & 0x40 ? ETM3_CANCELS : 0);
		ret->exception = fifth >> 3 & 7;
		ret->isa = SL_ISA_A32;
		return true;
	}
	if (fifth & 0x40 && !read_exception(config, bytes + 5, len - 5, ret))
		return false;
	ret->isa = isa_of(fifth, ret->has & ETM3_HAS_ALTERNATIVE ? ret->alternative : before->alternative);
	return ret->isa != SL_ISA_UNKNOWN;
}

/*
 * An address (7.4.2, 7.4.3) whose bytes are complete, with its exception bytes. False: it makes no sense. Six bits of the
 * first byte, seven of the next, or six of the last in the alternative encoding, whose bit 6 announces an exception.
 */
static bool read_address(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			 size_t len, struct etm3_packet *ret, uint32_t *ret_address, uint8_t *ret_bits)
{
	uint32_t value = bytes[0] >> 1 & 0x3f;
	unsigned bits = 6, shift;
	size_t n = 1;

	ret->isa = before->isa;
	for (; bytes[n - 1] & 0x80 && n < 4; n++) {
		bool last;

		if (n == len)
			return false;
		last = config->alternative_branches && !(bytes[n] & 0x80);
		if (last && bytes[n] & 0x40 && !read_exception(config, bytes + n + 1, len - n - 1, ret))
			return false;
		value |= (uint32_t)(bytes[n] & (last ? 0x3f : 0x7f)) << bits;
		bits += last ? 6 : 7;
	}
	if (bytes[n - 1] & 0x80 && (len < 5 || !read_fifth(config, before, bytes, len, ret)))
		return false;
	shift = ret->isa == SL_ISA_T32 || ret->isa == ETM3_ISA_THUMBEE ? 1 : ret->isa == SL_ISA_JAZELLE ? 0 : 2;
	if (ret->has & ETM3_HAS_ISA) {
		value |= (uint32_t)(bytes[4] & ((1u << (5 - shift)) - 1)) << bits;
		bits += 5 - shift;
	}
	*ret_address = value << shift;
	*ret_bits = (uint8_t)(bits + shift);
	return true;
}

/* Where a branch packet ends: behind its address, or behind the exception bytes that this announces. */
static size_t branch_end(const struct etm3_config *config, const uint8_t *bytes, size_t len)
{
	size_t n = end_of(bytes, config->alternative_branches || len < 5 ? len : 5), more;

	if (n == 1)
		return 1;
	if (!config->alternative_branches && len >= 5 && (!n || n == 5)) {
		n = 5;
		if ((bytes[4] & 0xc0) != 0x40)
			return 5;
	} else if (!n || !config->alternative_branches || !(bytes[n - 1] & 0x40)) {
		return n;
	}
	more = end_of(bytes + n, len - n);
	return more ? n + more : 0;
}

static size_t read_branch(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			  size_t len, struct etm3_packet *ret)
{
	size_t n = branch_end(config, bytes, len);

	/* one that makes no sense goes to the last address again, as OpenCSD has it */
	if (n)
		read_address(config, before, bytes, n, ret, &ret->address, &ret->address_bits);
	return n;
}

/* Not cycle-accurate (7.3.1): format 1 is up to 15 E and an N; format 2 is two atoms. */
static void read_plain_atoms(uint8_t header, struct etm3_packet *ret)
{
	unsigned executed = header >> 2 & 0xf;

	if (header & 2) {
		ret->format = 2;
		ret->atom_count = 2;
		ret->atoms = (uint16_t)((header & 8 ? 0 : 1) | (header & 4 ? 0 : 2));
		return;
	}
	ret->format = 1;
	ret->atom_count = (uint8_t)(executed + (header >> 6 & 1));
	ret->atoms = (uint16_t)((1u << executed) - 1);
}

/* Cycle-accurate (7.3.1): format 1 is up to 7 WE and a WN; 2 is W and two atoms; 3 is up to 8 W and E; 4 is an atom. */
static void read_cycle_atoms(uint8_t header, struct etm3_packet *ret)
{
	unsigned executed = header >> 2 & 7, last = header >> 6 & 1;

	switch (header & 0xa3) {
	case 0x80:
		ret->format = 1;
		ret->atom_count = (uint8_t)(executed + last);
		ret->atoms = (uint16_t)((1u << executed) - 1);
		ret->cycles = executed + last;
		return;
	case 0x82:
		ret->format = header & 0x10 ? 4 : 2;
		ret->atom_count = header & 0x10 ? 1 : 2;
		ret->atoms = header & 0x10 ? !(header & 4) : (uint16_t)((header & 8 ? 0 : 1) | (header & 4 ? 0 : 2));
		ret->cycles = header & 0x10 ? 0 : 1;
		return;
	case 0xa0:
		ret->format = 3;
		ret->atom_count = (uint8_t)last;
		ret->atoms = (uint16_t)last;
		ret->cycles = executed + 1;
		return;
	default: /* reserved: no atoms and no cycles */
		return;
	}
}

static size_t read_atoms(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			 size_t len, struct etm3_packet *ret)
{
	(void)before, (void)len;
	if (!config->cycle_accurate)
		read_plain_atoms(bytes[0], ret);
	else
		read_cycle_atoms(bytes[0], ret);
	return 1;
}

/* An I-sync from behind its cycle count on (7.4.1); at is where that ends. */
static size_t read_isync_at(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			    size_t len, size_t at, struct etm3_packet *ret)
{
	size_t info = at + config->context_id_bytes, end = info + 5;
	struct etm3_before self;
	size_t more;

	if (len < end)
		return 0;
	if (config->context_id_bytes)
		ret->has |= ETM3_HAS_CONTEXT_ID;
	ret->context_id = (uint32_t)bytes_little_endian(bytes + at, config->context_id_bytes);
	ret->reason = bytes[info] >> 5 & 3;
	ret->nonsecure = bytes[info] >> 3 & 1;
	ret->hyp = bytes[info] >> 1 & 1;
	ret->has |= ETM3_HAS_STATE | ETM3_HAS_ISA | (config->virtualization ? ETM3_HAS_HYP : 0);
	ret->address = (uint32_t)bytes_little_endian(bytes + info + 1, 4) & ~UINT32_C(1);
	ret->address_bits = 32;
	ret->isa = bytes[info] & 0x10 ? SL_ISA_JAZELLE : !(bytes[info + 1] & 1) ? SL_ISA_A32 :
		   config->has_alternative && bytes[info] & 4 ? ETM3_ISA_THUMBEE : SL_ISA_T32;
	if (!(bytes[info] & 0x80))
		return end;
	/* Load/store in progress: the address of the instruction that is traced follows, relative to the other's. */
	if (!(bytes[end - 1] & 0x80))
		return end;
	more = end_of(bytes + end, len - end);
	if (!more)
		return 0;
	self = (struct etm3_before){ ret->isa, before->alternative };
	ret->has &= (uint8_t)~ETM3_HAS_ISA;
	if (!read_address(config, &self, bytes + end, more, ret, &ret->second, &ret->second_bits))
		ret->isa = self.isa;
	ret->has |= ETM3_HAS_ISA;
	return end + more;
}

static size_t read_isync(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			 size_t len, struct etm3_packet *ret)
{
	return read_isync_at(config, before, bytes, len, 1, ret);
}

static size_t read_isync_cycles(const struct etm3_config *config, const struct etm3_before *before,
				const uint8_t *bytes, size_t len, struct etm3_packet *ret)
{
	size_t n = read_cycles(bytes + 1, len - 1, &ret->cycles);

	ret->has |= ETM3_HAS_CYCLES;
	return n ? read_isync_at(config, before, bytes, len, 1 + n, ret) : 0;
}

static size_t read_context_id(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			      size_t len, struct etm3_packet *ret)
{
	size_t n = config->context_id_bytes;

	(void)before;
	if (len < 1 + (n ? n : 1))
		return 0;
	if (!n) /* not configured: OpenCSD takes a byte along */
		return 2;
	ret->has |= ETM3_HAS_CONTEXT_ID;
	ret->context_id = (uint32_t)bytes_little_endian(bytes + 1, n);
	return 1 + n;
}

static size_t read_vmid(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			size_t len, struct etm3_packet *ret)
{
	(void)config, (void)before;
	if (len < 2)
		return 0;
	ret->vmid = bytes[1];
	return 2;
}

/* 7.4.7: seven bits a byte, the last of all that can be 8 (of 64 bits) or 6 (of 48). What is beyond says nothing. */
static size_t read_timestamp(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes,
			     size_t len, struct etm3_packet *ret)
{
	size_t n = end_of(bytes + 1, len - 1), most = config->long_timestamps ? 9 : 7;

	(void)before;
	for (size_t i = 0; i < n && i < most; i++) {
		unsigned bits = i < most - 1 ? 7 : config->long_timestamps ? 8 : 6;

		ret->time |= (uint64_t)(bytes[1 + i] & ((1u << bits) - 1)) << (7 * i);
		ret->time_bits += (uint8_t)bits;
	}
	return n ? 1 + n : 0;
}

/* The first row that fits counts. */
static const struct etm3_header {
	const char *name;
	uint8_t mask, value, type;
	etm3_reader *read;
} headers[] = {
	{ "BRANCH_ADDRESS", 0x01, 0x01, ETM3_BRANCH_ADDRESS, read_branch },
	{ "P_HDR", 0x81, 0x80, ETM3_P_HDR, read_atoms },
	{ "A_SYNC", 0xff, 0x00, ETM3_ASYNC, read_async },
	{ "CYCLE_COUNT", 0xff, 0x04, ETM3_CYCLE_COUNT, read_cycle_count },
	{ "I_SYNC", 0xff, 0x08, ETM3_ISYNC, read_isync },
	{ "TRIGGER", 0xff, 0x0c, ETM3_TRIGGER, read_nothing },
	{ "I_SYNC_CYCLE", 0xff, 0x70, ETM3_ISYNC_CYCLE, read_isync_cycles },
	{ "VMID", 0xff, 0x3c, ETM3_VMID, read_vmid },
	{ "IGNORE", 0xff, 0x66, ETM3_IGNORE, read_nothing },
	{ "CONTEXT_ID", 0xff, 0x6e, ETM3_CONTEXT_ID, read_context_id },
	{ "EXCEPTION_EXIT", 0xff, 0x76, ETM3_EXCEPTION_EXIT, read_nothing },
	{ "EXCEPTION_ENTRY", 0xff, 0x7e, ETM3_EXCEPTION_ENTRY, read_nothing },
	{ "TIMESTAMP", 0xfb, 0x42, ETM3_TIMESTAMP, read_timestamp },
	/* data trace: out of order data, store failed, placeholder, data, suppressed, value not traced */
	{ "BAD_TRACEMODE", 0x93, 0x00, ETM3_BAD_TRACEMODE, read_nothing },
	{ "BAD_TRACEMODE", 0xd3, 0x50, ETM3_BAD_TRACEMODE, read_nothing },
	{ "BAD_TRACEMODE", 0xd3, 0x02, ETM3_BAD_TRACEMODE, read_nothing },
	{ "BAD_TRACEMODE", 0xff, 0x62, ETM3_BAD_TRACEMODE, read_nothing },
	{ "BAD_TRACEMODE", 0xef, 0x6a, ETM3_BAD_TRACEMODE, read_nothing },
	{ "I_RESERVED", 0x00, 0x00, ETM3_RESERVED, read_nothing },
	/* no headers: only names */
	{ "NOTSYNC", 0x00, 0xff, ETM3_NOT_SYNC, NULL },
	{ "INCOMPLETE_EOT.", 0x00, 0xff, ETM3_INCOMPLETE_EOT, NULL },
	{ "BAD_SEQUENCE", 0x00, 0xff, ETM3_BAD_SEQUENCE, NULL },
};

size_t etm3_read(const struct etm3_config *config, const struct etm3_before *before, const uint8_t *bytes, size_t len,
		 struct etm3_packet *ret)
{
	const struct etm3_header *row = headers;

	while ((bytes[0] & row->mask) != row->value)
		row++;
	*ret = (struct etm3_packet){ .type = row->type };
	return row->read(config, before, bytes, len, ret);
}

const char *etm3_name(unsigned type)
{
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		if (headers[i].type == type)
			return headers[i].name;
	}
	return "I_RESERVED";
}
