/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads of ETMv4 and ETE packets: IHI 0064H, 6.4; DDI 0487, D5.4. bytes[0] is the header. */
#include "e4_packet.h"

#include "bytes.h"

/* No field of a packet has more bytes with a value in them; what a broken one has beyond is read over. */
enum { FIELD_BYTES = 5, CYCLE_BYTES = 3, TIME_BYTES = 9, ASYNC_BYTES = 12 };

/* Where a field that goes on while bit 7 is set ends: the position behind it, or 0 where that is beyond len. */
static size_t field_end(const uint8_t *bytes, size_t len, size_t at)
{
	while (at < len) {
		if (!(bytes[at++] & 0x80))
			return at;
	}
	return 0;
}

/* The field's value; *at is moved behind what has been read, at most max bytes. */
static uint32_t field_value(const uint8_t *bytes, size_t len, size_t *at, unsigned max)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < max && *at < len; i++) {
		uint8_t byte = bytes[(*at)++];

		value |= (uint32_t)((uint64_t)(byte & 0x7f) << 7 * i);
		if (!(byte & 0x80))
			break;
	}
	return value;
}

size_t e4_read_nothing(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)bytes, (void)len, (void)ret;
	return 1;
}

size_t e4_read_reserved(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)bytes, (void)len;
	ret->type = E4_RESERVED;
	return 1;
}

size_t e4_read_reserved_cfg(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)bytes, (void)len;
	ret->type = E4_RESERVED_CFG;
	return 1;
}

static size_t bad_sequence(struct e4_packet *ret, size_t len)
{
	ret->type = E4_BAD_SEQUENCE;
	return len;
}

/* A-Sync: eleven bytes of 0, and 80. */
static size_t read_async(const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t i = 2;

	while (i < len && i < ASYNC_BYTES && !bytes[i])
		i++;
	if (i == len && len < ASYNC_BYTES)
		return 0;
	if (i != ASYNC_BYTES - 1 || bytes[i] != 0x80)
		return bad_sequence(ret, i < ASYNC_BYTES ? i + 1 : ASYNC_BYTES);
	ret->type = E4_ASYNC;
	return ASYNC_BYTES;
}

size_t e4_read_extension(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config;
	if (len < 2)
		return 0;
	switch (bytes[1]) {
	case 0x00:
		return read_async(bytes, len, ret);
	case 0x03:
		ret->type = E4_DISCARD;
		return 2;
	case 0x05:
		ret->type = E4_OVERFLOW;
		return 2;
	default:
		return bad_sequence(ret, 2);
	}
}

/* PLCTL says which sections follow, in this order. */
enum { SECTION_INFO = 1, SECTION_KEY = 2, SECTION_SPEC = 4, SECTION_CYCT = 8, SECTION_WINDOW = 16, SECTIONS = 5 };

static void trace_info_sections(const uint8_t *bytes, size_t end, size_t at, struct e4_packet *ret)
{
	unsigned present = bytes[1];

	if (present & SECTION_INFO && at < end)
		ret->trace_info = field_value(bytes, end, &at, FIELD_BYTES);
	if (present & SECTION_KEY && at < end)
		field_value(bytes, end, &at, FIELD_BYTES);
	if (present & SECTION_SPEC && at < end)
		ret->elements = field_value(bytes, end, &at, FIELD_BYTES);
	if (present & SECTION_CYCT && at < end) {
		ret->threshold = field_value(bytes, end, &at, FIELD_BYTES);
		ret->has |= E4_HAS_THRESHOLD;
	}
}

size_t e4_read_trace_info(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t control = field_end(bytes, len, 1), end = control;

	/* OpenCSD counts the bytes of PLCTL in eight bits: no trace unit has so many */
	(void)config;
	for (unsigned i = 0; i < SECTIONS && end; i++) {
		if (bytes[1] >> i & 1)
			end = field_end(bytes, len, end);
	}
	if (end)
		trace_info_sections(bytes, end, (control - 1) % 256 + 1, ret);
	return end;
}

/* Seven bits a byte, and eight of the ninth; then the cycles, if the header says so. */
size_t e4_read_timestamp(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t n = 1, end;

	while (n < len && n < TIME_BYTES && bytes[n] & 0x80)
		n++;
	if (n >= len)
		return 0;
	for (size_t i = 1; i <= n; i++)
		ret->value |= (uint64_t)(i == TIME_BYTES ? bytes[i] : bytes[i] & 0x7f) << 7 * (i - 1);
	ret->time_bits = (uint8_t)(n < TIME_BYTES ? 7 * n : 64);
	end = n + 1;
	if (bytes[0] & 1) {
		size_t at = end;

		end = field_end(bytes, len, at);
		if (!end)
			return 0;
		ret->count = field_value(bytes, end, &at, CYCLE_BYTES) & config->cycle_mask;
		ret->has = E4_HAS_COUNT;
	}
	return end;
}

enum { ETE_PE_RESET = 0, ETE_TRANSACTION_FAILED = 0x18 };

size_t e4_read_exception(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	unsigned type, size;

	if (len < 2)
		return 0;
	type = bytes[1] >> 1 & 0x1f;
	size = bytes[1] & 0x80 ? 3 : 2;
	if (e4_is_ete(config) && (type == ETE_PE_RESET || type == ETE_TRANSACTION_FAILED))
		size = 3;
	if (len < size)
		return 0;
	ret->same_address = (bytes[1] & 0x41) == 0x40;
	if (bytes[1] & 0x80)
		type |= (bytes[2] & 0x1fu) << 5;
	ret->count = type;
	if (!e4_is_ete(config) || (type != ETE_PE_RESET && type != ETE_TRANSACTION_FAILED))
		return size;
	ret->type = type == ETE_PE_RESET ? E4_PE_RESET : E4_TRANS_FAIL;
	ret->has = E4_HAS_ADDRESS;
	ret->address_bits = 64;
	return size;
}

/* Software's own packet: the exception level, and eight bytes. */
size_t e4_read_ite(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config;
	if (len < 10)
		return 0;
	ret->info = bytes[1];
	ret->value = bytes_little_endian(bytes + 2, 8);
	return 10;
}

size_t e4_read_ccnt_f1(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t end = 1, at = 1;

	if (!config->commit_option_1)
		end = field_end(bytes, len, end);
	if (end && !(bytes[0] & 1))
		end = field_end(bytes, len, end);
	if (!end)
		return 0;
	if (!config->commit_option_1) {
		ret->elements = field_value(bytes, end, &at, FIELD_BYTES);
		ret->has |= E4_HAS_COMMIT;
	}
	if (!(bytes[0] & 1)) {
		ret->count = field_value(bytes, end, &at, CYCLE_BYTES);
		ret->has |= E4_HAS_COUNT;
	}
	return end;
}

size_t e4_read_ccnt_f2(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	if (len < 2)
		return 0;
	ret->count = bytes[1] & 15;
	ret->elements = bytes[1] >> 4;
	ret->elements += bytes[0] & 1 ? config->max_speculation - 15 : 1;
	ret->has = config->commit_option_1 ? E4_HAS_COUNT : E4_HAS_COUNT | E4_HAS_COMMIT;
	return 2;
}

size_t e4_read_ccnt_f3(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)len;
	ret->count = bytes[0] & 3;
	ret->has = E4_HAS_COUNT;
	if (!config->commit_option_1) {
		ret->elements = (bytes[0] >> 2 & 3) + 1;
		ret->has |= E4_HAS_COMMIT;
	}
	return 1;
}

size_t e4_read_elements(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t end = field_end(bytes, len, 1), at = 1;

	(void)config;
	if (end)
		ret->elements = field_value(bytes, end, &at, FIELD_BYTES);
	return end;
}

size_t e4_read_mispredict(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	static const uint8_t counts[] = { 0, 1, 2, 1 }, atoms[] = { 0, 1, 3, 0 };

	(void)config, (void)len;
	ret->atom_count = counts[bytes[0] & 3];
	ret->atoms = atoms[bytes[0] & 3];
	ret->elements = ret->type == E4_CANCEL_F2;
	return 1;
}

size_t e4_read_cancel_f3(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)len;
	ret->atom_count = bytes[0] & 1;
	ret->atoms = bytes[0] & 1;
	ret->elements = (bytes[0] >> 1 & 3) + 2;
	return 1;
}

/* The context's information byte at at, and the numbers that it announces. The position behind them. */
static size_t read_context(const struct e4_config *config, const uint8_t *bytes, size_t at, struct e4_packet *ret)
{
	uint8_t info = bytes[at++];

	ret->info = info;
	ret->has |= E4_HAS_CONTEXT;
	if (info & 0x40 && config->vmid_bytes) {
		ret->vmid = (uint32_t)bytes_little_endian(bytes + at, config->vmid_bytes);
		ret->has |= E4_HAS_VMID;
		at += config->vmid_bytes;
	}
	if (info & 0x80 && config->context_id_bytes) {
		ret->context_id = (uint32_t)bytes_little_endian(bytes + at, config->context_id_bytes);
		ret->has |= E4_HAS_CONTEXT_ID;
		at += config->context_id_bytes;
	}
	return at;
}

static size_t number_bytes(const struct e4_config *config, uint8_t info)
{
	return (info & 0x40 ? config->vmid_bytes : 0u) + (info & 0x80 ? config->context_id_bytes : 0u);
}

size_t e4_read_context(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t size = 2;

	if (!(bytes[0] & 1))
		return 1;
	if (len < 2)
		return 0;
	/* where numbers are announced that this unit does not have, one byte is still taken for them */
	if (bytes[1] & 0xc0)
		size += number_bytes(config, bytes[1]) ? number_bytes(config, bytes[1]) : 1;
	if (len < size)
		return 0;
	read_context(config, bytes, 1, ret);
	return size;
}

/* Low bits first; the lowest two bytes carry 7 and 7 (A64, A32) or 7 and 8 (T32) bits, in steps of 4 or 2. */
static uint64_t long_address(const uint8_t *bytes, unsigned size, unsigned is)
{
	uint64_t value = is ? (uint64_t)(bytes[0] & 0x7f) << 1 | (uint64_t)bytes[1] << 8 :
			      (uint64_t)(bytes[0] & 0x7f) << 2 | (uint64_t)(bytes[1] & 0x7f) << 9;

	for (unsigned i = 2; i < size; i++)
		value |= (uint64_t)bytes[i] << 8 * i;
	return value;
}

static void take_long(const uint8_t *bytes, unsigned size, unsigned is, struct e4_packet *ret)
{
	ret->is = (uint8_t)is;
	ret->value = long_address(bytes, size, is);
	ret->address_bits = (uint8_t)(8 * size);
	ret->has |= E4_HAS_ADDRESS;
}

static bool is_one(unsigned type)
{
	return type == E4_ADDR_CTXT_L_32IS1 || type == E4_ADDR_CTXT_L_64IS1 || type == E4_ADDR_L_32IS1 ||
	       type == E4_ADDR_L_64IS1 || type == E4_ADDR_S_IS1 || type == E4_SRC_ADDR_L_32IS1 ||
	       type == E4_SRC_ADDR_L_64IS1 || type == E4_SRC_ADDR_S_IS1;
}

static unsigned address_size(unsigned type)
{
	return type == E4_ADDR_L_64IS0 || type == E4_ADDR_L_64IS1 || type == E4_SRC_ADDR_L_64IS0 ||
			       type == E4_SRC_ADDR_L_64IS1 || type == E4_ADDR_CTXT_L_64IS0 || type == E4_ADDR_CTXT_L_64IS1 ?
		       8 :
		       4;
}

size_t e4_read_long(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	unsigned size = address_size(ret->type);

	(void)config;
	if (len < 1 + size)
		return 0;
	take_long(bytes + 1, size, is_one(ret->type), ret);
	return 1 + size;
}

size_t e4_read_address_context(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	unsigned size = address_size(ret->type);

	if (len < 2 + size || len < 2 + size + number_bytes(config, bytes[1 + size]))
		return 0;
	take_long(bytes + 1, size, is_one(ret->type), ret);
	return read_context(config, bytes, 1 + size, ret);
}

/* One or two bytes of address at at; the position behind them, or 0. */
static size_t take_short(const uint8_t *bytes, size_t len, size_t at, unsigned is, struct e4_packet *ret)
{
	unsigned shift = is ? 1 : 2;

	if (at >= len || (bytes[at] & 0x80 && at + 1 >= len))
		return 0;
	ret->is = (uint8_t)is;
	ret->has |= E4_HAS_ADDRESS;
	ret->value = (uint64_t)(bytes[at] & 0x7f) << shift;
	ret->address_bits = (uint8_t)(7 + shift);
	if (!(bytes[at] & 0x80))
		return at + 1;
	ret->value |= (uint64_t)bytes[at + 1] << (7 + shift);
	ret->address_bits = (uint8_t)(15 + shift);
	return at + 2;
}

size_t e4_read_short(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config;
	return take_short(bytes, len, 1, is_one(ret->type), ret);
}

size_t e4_read_match(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)len;
	ret->info = bytes[0] & 3;
	ret->has |= E4_HAS_ADDRESS;
	return 1;
}

size_t e4_read_event(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)len;
	ret->info = bytes[0] & 15;
	return 1;
}

/* The address of a Q packet, by its TYPE. The position behind it, or 0; reserved types are none. */
static size_t q_address(const uint8_t *bytes, size_t len, unsigned type, struct e4_packet *ret)
{
	switch (type) {
	case 0x0:
	case 0x1:
	case 0x2:
		ret->info = (uint8_t)type;
		ret->has |= E4_HAS_ADDRESS;
		return 1;
	case 0x5:
	case 0x6:
		return take_short(bytes, len, 1, type == 0x6, ret);
	case 0xa:
	case 0xb:
		if (len < 5)
			return 0;
		take_long(bytes + 1, 4, type == 0xb, ret);
		return 5;
	default:
		return 1;
	}
}

size_t e4_read_q(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	unsigned type = bytes[0] & 15;
	size_t at, end;

	(void)config;
	if (type == 0x3 || type == 0x4 || (type >= 0x7 && type <= 0x9) || type == 0xd || type == 0xe) {
		ret->type = E4_RESERVED;
		return 1;
	}
	if (type == 0xf)
		return 1;
	at = q_address(bytes, len, type, ret);
	end = at ? field_end(bytes, len, at) : 0;
	if (!end)
		return 0;
	ret->count = field_value(bytes, end, &at, FIELD_BYTES);
	ret->has |= E4_HAS_COUNT;
	return end;
}

size_t e4_read_atoms(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	static const uint8_t f4[] = { 0xe, 0x0, 0xa, 0x5 }, f5[] = { 0, 0x00, 0x0a, 0x15, 0, 0x1e };
	uint8_t h = bytes[0];

	(void)config, (void)len;
	switch (ret->type) {
	case E4_ATOM_F1:
		ret->atom_count = 1;
		ret->atoms = h & 1;
		break;
	case E4_ATOM_F2:
		ret->atom_count = 2;
		ret->atoms = h & 3;
		break;
	case E4_ATOM_F3:
		ret->atom_count = 3;
		ret->atoms = h & 7;
		break;
	case E4_ATOM_F4:
		ret->atom_count = 4;
		ret->atoms = f4[h & 3];
		break;
	case E4_ATOM_F5:
		ret->atom_count = 5;
		ret->atoms = f5[(h & 0x20) >> 3 | (h & 3)];
		break;
	default: /* a row of E, and at last E or N */
		ret->atom_count = (uint8_t)((h & 0x1f) + 4);
		ret->atoms = (UINT32_C(1) << ((h & 0x1f) + 3)) - 1;
		if (!(h & 0x20))
			ret->atoms |= UINT32_C(1) << ((h & 0x1f) + 3);
	}
	return 1;
}

/* Conditional instructions and results are no part of the flow: only their length counts. */
size_t e4_read_cond_f1(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)ret;
	return field_end(bytes, len, 1);
}

size_t e4_read_cond_2(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	(void)config, (void)bytes, (void)ret;
	return len < 2 ? 0 : 2;
}

size_t e4_read_cond_res_f1(const struct e4_config *config, const uint8_t *bytes, size_t len, struct e4_packet *ret)
{
	size_t end = field_end(bytes, len, 1);

	(void)config, (void)ret;
	if (end && (bytes[0] & 0xfc) != 0x6c)
		end = field_end(bytes, len, end);
	return end;
}
