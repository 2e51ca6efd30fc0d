/* SPDX-License-Identifier: Apache-2.0 */
/*
 * x86 instructions: how long they are, and which ones Intel PT has something to say of. After the Intel SDM, volume 2:
 * chapter 2 (format), appendix A (opcode maps), and volume 3, 33.4 (branches and what binds to packets).
 */
#include "isa.h"

enum { INSN_MAX = 15 };

/* What follows an opcode. */
enum {
	M = 1,	  /* ModRM */
	I8 = 2,	  /* an immediate of one byte */
	I16 = 4,  /* of two */
	IZ = 8,	  /* of two or four, by operand size */
	IV = 16,  /* of two, four or eight */
	IP = 32,  /* IZ and a selector; not in 64-bit mode */
	O = 64,	  /* an offset of address size */
	BAD = 128,
};
#define FOUR(a) a, a, a, a
#define EIGHT(a) FOUR(a), FOUR(a)

/* Prefixes, REX and the escapes to other maps are not looked up here. */
static const uint8_t one_byte[256] = {
	/* 00 */ FOUR(M), I8, IZ, 0, 0, FOUR(M), I8, IZ, 0, 0,
	/* 10 */ FOUR(M), I8, IZ, 0, 0, FOUR(M), I8, IZ, 0, 0,
	/* 20 */ FOUR(M), I8, IZ, 0, 0, FOUR(M), I8, IZ, 0, 0,
	/* 30 */ FOUR(M), I8, IZ, 0, 0, FOUR(M), I8, IZ, 0, 0,
	/* 40 */ EIGHT(0), EIGHT(0),
	/* 50 */ EIGHT(0), EIGHT(0),
	/* 60 */ 0, 0, M, M, 0, 0, 0, 0, IZ, M | IZ, I8, M | I8, FOUR(0),
	/* 70 */ EIGHT(I8), EIGHT(I8),
	/* 80 */ M | I8, M | IZ, M | I8, M | I8, FOUR(M), EIGHT(M),
	/* 90 */ EIGHT(0), 0, 0, IP, 0, FOUR(0),
	/* a0 */ FOUR(O), FOUR(0), I8, IZ, 0, 0, FOUR(0),
	/* b0 */ EIGHT(I8), EIGHT(IV),
	/* c0 */ M | I8, M | I8, I16, 0, M, M, M | I8, M | IZ, I16 | I8, 0, I16, 0, 0, I8, 0, 0,
	/* d0 */ FOUR(M), I8, I8, 0, 0, EIGHT(M),
	/* e0 */ EIGHT(I8), IZ, IZ, IP, I8, FOUR(0),
	/* f0 */ FOUR(0), 0, 0, M, M, FOUR(0), 0, 0, M, M,
};

static const uint8_t two_byte[256] = {
	/* 00 */ FOUR(M), BAD, 0, 0, 0, 0, 0, BAD, 0, BAD, M, 0, M | I8,
	/* 10 */ EIGHT(M), EIGHT(M),
	/* 20 */ FOUR(M), FOUR(BAD), EIGHT(M),
	/* 30 */ FOUR(0), 0, 0, BAD, 0, EIGHT(BAD),
	/* 40 */ EIGHT(M), EIGHT(M),
	/* 50 */ EIGHT(M), EIGHT(M),
	/* 60 */ EIGHT(M), EIGHT(M),
	/* 70 */ FOUR(M | I8), M, M, M, 0, EIGHT(M),
	/* 80 */ EIGHT(IZ), EIGHT(IZ),
	/* 90 */ EIGHT(M), EIGHT(M),
	/* a0 */ 0, 0, 0, M, M | I8, M, BAD, BAD, 0, 0, 0, M, M | I8, M, M, M,
	/* b0 */ EIGHT(M), M, M, M | I8, M, FOUR(M),
	/* c0 */ M, M, M | I8, M, M | I8, M | I8, M | I8, M, EIGHT(0),
	/* d0 */ EIGHT(M), EIGHT(M),
	/* e0 */ EIGHT(M), EIGHT(M),
	/* f0 */ EIGHT(M), EIGHT(M),
};

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER };

/* An instruction that is being taken apart. at: the next byte; beyond len where there are too few. */
struct x86 {
	const uint8_t *code;
	size_t len, at;
	bool wide;	     /* 64-bit mode */
	bool operand_32, address_32; /* by default or prefix; else 16 (addresses in 64-bit mode: 64, else 32) */
	bool rex_w, repeat, repeat_not, operand_prefix, vector; /* VEX and the like */
	enum map map;
	uint8_t opcode, modrm;
	bool bad;
};

static uint8_t byte_at(const struct x86 *x, size_t at)
{
	return at < x->len ? x->code[at] : 0;
}

static uint8_t next(struct x86 *x)
{
	return byte_at(x, x->at++);
}

/* True where byte is a prefix, which is taken. */
static bool take_prefix(struct x86 *x, uint8_t byte, enum sl_isa isa)
{
	switch (byte) {
	case 0x66:
		x->operand_prefix = true;
		x->operand_32 = isa == SL_ISA_X86_16;
		return true;
	case 0x67:
		x->address_32 = isa != SL_ISA_X86_32;
		return true;
	case 0xf2:
		x->repeat_not = true;
		x->repeat = false;
		return true;
	case 0xf3:
		x->repeat = true;
		x->repeat_not = false;
		return true;
	case 0xf0: case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		return true;
	default:
		return false;
	}
}

/* A REX that is not the last one before the opcode says nothing. */
static void take_prefixes(struct x86 *x, enum sl_isa isa)
{
	while (x->at < INSN_MAX && x->at < x->len) {
		uint8_t byte = x->code[x->at];

		if (take_prefix(x, byte, isa))
			x->rex_w = false;
		else if (x->wide && byte >> 4 == 4)
			x->rex_w = byte & 8;
		else
			return;
		x->at++;
	}
}

static enum map map_numbered(unsigned number)
{
	return number >= 1 && number <= 3 ? (enum map)(MAP_0F + number - 1) : MAP_OTHER;
}

/* C4, C5, 62 and 8F are other instructions where what follows is a ModRM of those. */
static bool is_vector(const struct x86 *x, uint8_t byte)
{
	uint8_t behind = byte_at(x, x->at);

	if (byte == 0x8f)
		return (behind & 0x1f) >= 8;
	return (byte == 0xc4 || byte == 0xc5 || byte == 0x62) && (x->wide || behind >= 0xc0);
}

static void take_vector(struct x86 *x, uint8_t byte)
{
	uint8_t first = next(x);

	x->vector = true;
	x->map = MAP_0F;
	if (byte == 0xc4)
		x->map = map_numbered(first & 0x1f);
	else if (byte == 0x62)
		x->map = map_numbered(first & 7);
	else if (byte == 0x8f)
		x->map = MAP_OTHER;
	x->modrm = byte == 0x8f ? first & 0x1f : 0; /* XOP's map, until there is a ModRM */
	x->at += byte == 0xc4 || byte == 0x8f ? 1 : byte == 0x62 ? 2 : 0;
	x->opcode = next(x);
}

static void take_opcode(struct x86 *x)
{
	uint8_t byte = next(x);

	x->opcode = byte;
	if (is_vector(x, byte)) {
		take_vector(x, byte);
	} else if (byte == 0x0f) {
		x->map = MAP_0F;
		x->opcode = next(x);
		if (x->opcode == 0x38 || x->opcode == 0x3a) {
			x->map = x->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
			x->opcode = next(x);
		}
	}
}

/* In 64-bit mode some of the one-byte map is gone. */
static bool is_gone(const struct x86 *x)
{
	static const uint8_t gone[] = { 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60,
					0x61, 0x82, 0x9a, 0xce, 0xd4, 0xd5, 0xd6, 0xea };

	for (size_t i = 0; i < sizeof(gone) && x->wide; i++) {
		if (x->opcode == gone[i])
			return true;
	}
	return false;
}

/* XOP has one byte in map 8, none in 9, four in 10. */
static uint8_t vector_form(const struct x86 *x)
{
	if (x->map == MAP_OTHER)
		return x->modrm == 8 ? M | I8 : x->modrm == 10 ? M | IZ : M;
	if (x->map == MAP_0F && x->opcode == 0x77)
		return 0;
	return x->map == MAP_0F ? (two_byte[x->opcode] & I8) | M : x->map == MAP_0F3A ? M | I8 : M;
}

static uint8_t form_of(const struct x86 *x)
{
	if (x->vector)
		return vector_form(x);
	switch (x->map) {
	case MAP_ONE:
		return is_gone(x) ? BAD : one_byte[x->opcode];
	case MAP_0F:
		return two_byte[x->opcode];
	case MAP_0F3A:
		return M | I8;
	default:
		return M;
	}
}

static void take_displacement(struct x86 *x)
{
	unsigned mod = x->modrm >> 6, rm = x->modrm & 7;
	uint8_t base = 0;

	/* MOV to and from control and debug registers has no memory operand, whatever mod says. */
	if (mod == 3 || (x->map == MAP_0F && x->opcode >> 2 == 0x20 >> 2))
		return;
	if (!x->wide && !x->address_32) {
		x->at += mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
		return;
	}
	if (rm == 4)
		base = next(x) & 7;
	if (mod == 1)
		x->at += 1;
	else if (mod == 2 || rm == 5 || (rm == 4 && base == 5))
		x->at += 4;
}

/* Near branches have 32 bits in 64-bit mode. */
static bool is_near_branch(const struct x86 *x)
{
	return (x->map == MAP_ONE && (x->opcode == 0xe8 || x->opcode == 0xe9)) ||
	       (x->map == MAP_0F && !x->vector && x->opcode >> 4 == 8);
}

static void take_immediates(struct x86 *x, uint8_t form)
{
	unsigned z = x->operand_32 || x->rex_w || (x->wide && is_near_branch(x)) || x->vector ? 4 : 2;

	if (x->map == MAP_ONE && (x->opcode & 0xfe) == 0xf6 && !(x->modrm >> 4 & 3) && !x->vector)
		x->at += x->opcode == 0xf6 ? 1 : z; /* TEST; the others of this group have none */
	if (form & I8)
		x->at += 1;
	if (form & I16)
		x->at += 2;
	if (form & IZ)
		x->at += z;
	if (form & IV)
		x->at += x->rex_w ? 8 : z;
	if (form & IP)
		x->at += z + 2;
	if (form & O)
		x->at += x->wide && !x->address_32 ? 8 : x->wide || x->address_32 ? 4 : 2;
}

static void take_apart(struct x86 *x, enum sl_isa isa)
{
	uint8_t form;

	take_prefixes(x, isa);
	take_opcode(x);
	form = form_of(x);
	x->bad = form & BAD;
	if (form & M) {
		x->modrm = next(x);
		take_displacement(x);
	}
	take_immediates(x, form);
}

static uint64_t clip(uint64_t address, enum sl_isa isa)
{
	return isa == SL_ISA_X86_64 ? address : address & UINT32_MAX;
}

/* The displacement is the last thing of a direct branch. */
static void set_direct(const struct x86 *x, unsigned bytes, uint64_t pc, enum sl_isa isa, struct isa_insn *ret)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)x->code[x->at - bytes + i] << 8 * i;
	if (value >> (8 * bytes - 1))
		value |= ~UINT64_C(0) << 8 * bytes;
	ret->last = SL_LAST_BRANCH;
	ret->target = clip(pc + x->at + value, isa);
	if (!x->wide && !x->operand_32)
		ret->target = (pc & ~UINT64_C(0xffff)) | (ret->target & 0xffff);
}

static void set_indirect(enum sl_branch branch, enum isa_x86 x86, struct isa_insn *ret)
{
	ret->last = SL_LAST_INDIRECT;
	ret->branch = (uint8_t)branch;
	ret->x86 = (uint8_t)x86;
}

/* FF /2 to /5 */
static void classify_ff(const struct x86 *x, struct isa_insn *ret)
{
	switch (x->modrm >> 3 & 7) {
	case 2:
		ret->link = true;
		set_indirect(SL_BRANCH_CALL, X86_NONE, ret);
		break;
	case 3:
		set_indirect(SL_BRANCH_CALL, X86_FAR_JUMP, ret);
		break;
	case 4:
		set_indirect(SL_BRANCH_PLAIN, X86_NONE, ret);
		break;
	case 5:
		set_indirect(SL_BRANCH_PLAIN, X86_FAR_JUMP, ret);
		break;
	default:
		break;
	}
}

static void classify_one(const struct x86 *x, uint64_t pc, enum sl_isa isa, struct isa_insn *ret)
{
	unsigned z = x->operand_32 || x->rex_w || x->wide ? 4 : 2;

	switch (x->opcode) {
	case 0xe0: case 0xe1: case 0xe2: case 0xe3:
		ret->conditional = true;
		/* fall through */
	case 0xeb:
		set_direct(x, 1, pc, isa, ret);
		break;
	case 0xe8:
		ret->link = true;
		ret->branch = SL_BRANCH_CALL;
		/* fall through */
	case 0xe9:
		set_direct(x, z, pc, isa, ret);
		break;
	case 0xc2: case 0xc3:
		set_indirect(SL_BRANCH_RETURN, X86_NONE, ret);
		break;
	case 0xca: case 0xcb:
		set_indirect(SL_BRANCH_RETURN, X86_FAR_JUMP, ret);
		break;
	case 0xcf:
		set_indirect(SL_BRANCH_ERET, X86_FAR_RETURN, ret);
		break;
	case 0x9a:
		set_indirect(SL_BRANCH_CALL, X86_FAR_JUMP, ret);
		break;
	case 0xea:
		set_indirect(SL_BRANCH_PLAIN, X86_FAR_JUMP, ret);
		break;
	case 0xcc: case 0xcd: case 0xce: case 0xf1:
		ret->x86 = X86_INTERRUPT;
		ret->vector = x->opcode == 0xcc ? 3 : x->opcode == 0xcd ? x->code[x->at - 1] : x->opcode == 0xce ? 4 : 1;
		break;
	case 0xff:
		classify_ff(x, ret);
		break;
	default:
		if (x->opcode >> 4 == 7) {
			ret->conditional = true;
			set_direct(x, 1, pc, isa, ret);
		}
	}
}

/* 0F 01: VMCALL, VMLAUNCH, VMRESUME; VMMCALL and VMRUN are AMD's. With F2 or F3: returns of user interrupts and FRED. */
static void classify_0f01(const struct x86 *x, struct isa_insn *ret)
{
	if (x->modrm == 0xc1)
		ret->x86 = X86_VMCALL;
	else if (x->modrm == 0xc2 || x->modrm == 0xc3 || (x->modrm == 0xca && (x->repeat || x->repeat_not)) ||
		 (x->modrm == 0xec && x->repeat))
		set_indirect(SL_BRANCH_ERET, X86_FAR_RETURN, ret);
}

static void classify_0f(const struct x86 *x, uint64_t pc, enum sl_isa isa, struct isa_insn *ret)
{
	unsigned reg = x->modrm >> 3 & 7;

	switch (x->opcode) {
	case 0x01:
		classify_0f01(x, ret);
		break;
	case 0x05:
		ret->x86 = X86_SYSCALL;
		break;
	case 0x34:
		ret->x86 = X86_SYSENTER;
		break;
	case 0x07: case 0x35: case 0xaa:
		set_indirect(SL_BRANCH_ERET, X86_FAR_RETURN, ret);
		break;
	case 0x22:
		ret->x86 = reg == 3 ? X86_PAGING : X86_NONE;
		break;
	case 0xc7:
		if (reg == 6 && x->modrm < 0xc0 && !x->operand_prefix && !x->repeat)
			ret->x86 = X86_VMPTRLD;
		break;
	case 0xae:
		ret->x86 = reg == 4 && x->repeat ? X86_PTWRITE : X86_NONE;
		break;
	default:
		if (x->opcode >> 4 == 8) {
			ret->conditional = true;
			set_direct(x, x->operand_32 || x->rex_w || x->wide ? 4 : 2, pc, isa, ret);
		}
	}
}

void isa_x86(enum sl_isa isa, const uint8_t *code, size_t len, uint64_t pc, struct isa_insn *ret)
{
	struct x86 x = { .code = code, .len = len < INSN_MAX ? len : INSN_MAX, .wide = isa == SL_ISA_X86_64,
			 .operand_32 = isa != SL_ISA_X86_16, .address_32 = isa == SL_ISA_X86_32 };

	*ret = (struct isa_insn){ .target_isa = (uint8_t)isa };
	take_apart(&x, isa);
	ret->undefined = x.bad || x.at > INSN_MAX;
	if (ret->undefined || x.at > len)
		return;
	ret->size = (uint8_t)x.at;
	if (x.vector)
		return;
	if (x.map == MAP_ONE)
		classify_one(&x, pc, isa, ret);
	else if (x.map == MAP_0F)
		classify_0f(&x, pc, isa, ret);
}
