/* SPDX-License-Identifier: Apache-2.0 */
#include "opcode_seeds.h"

#include "encoder_unit.h"

/* As the GNU assembler writes them, operands at random. */
static const uint32_t a64[] = {
	0x14000000, 0x94000000, 0x54000000, 0x54000010, 0x34000000, 0xb5000000, 0x36000000, 0xb7000000, 0x74000000,
	0x74008000, 0x7400c000, 0x75000000, 0xd61f0000, 0xd63f0000, 0xd65f03c0, 0xd69f03e0, 0xd6bf03e0, 0xd61f081f,
	0xd71f0800, 0xd63f081f, 0xd73f0800, 0xd65f0bff, 0xd65f0fff, 0x5500001f, 0x5520001f, 0xd69f0bff, 0xd6ff03e0, 0xd5033fdf,
	0xd5033f9f, 0xd5033fbf, 0xd503309f, 0xd503323f, 0xd503205f, 0xd503207f, 0xd5031000, 0xd5031020, 0xd5233060,
	0xd4000001, 0xd4000002, 0xd4000003, 0xd4200000, 0xd4400000, 0x00000000, 0xd503201f,
};
static const uint32_t a32[] = {
	0xe1a0f00e, 0xe12fff1e, 0xe12fff11, 0xe12fff31, 0xe12fff22, 0xea000000, 0xeb000000, 0xfa000000, 0xf8bd0a00,
	0xf57ff06f, 0xf57ff04f, 0xf57ff05f, 0xe160006e, 0xee070f95, 0xee070f9a, 0xee070fba, 0xe320f000, 0xe320f002,
	0xe320f003, 0xe328f000, 0xe8bd8010, 0xe8fd8010, 0xe8908000, 0xe49df004, 0xe59ff000, 0xe79ff001, 0xe5bdf008,
	0xe5d0f000, 0xe25ef004, 0xe1b0f00e, 0xe08ff001, 0xe3a0f000, 0xe000f091, 0xe180f090, 0xe7f000f0, 0xef000000,
	0xe1200070, 0xe1600070,
};
static const uint32_t t32[] = {
	0xf000d000, 0xf000c000, 0xf0009000, 0xf0008000, 0xf3bf8f6f, 0xf3bf8f4f, 0xf3bf8f5f, 0xf3af8002, 0xf3af8003,
	0xf3c08f00, 0xf3de8f00, 0xf3808000, 0xe810c000, 0xe990c000, 0xe8bd8010, 0xe8908000, 0xe9108000, 0xe8d0f000,
	0xe8d0f010, 0xf85dfb04, 0xf8dff000, 0xf8d0f000, 0xf850fd04, 0xf850f001, 0xee070f95, 0xee070f9a, 0xee070fba,
	0xf7f0a000, 0xf00fc001, 0xf02fc001, 0xf01fc001, 0xf040c001, 0xf000c001, 0xf3c0e001, 0xf040e001, 0xf7e08000,
	0xe97fe97f, 0xd000bf00, 0xe000bf00, 0xb100bf00, 0xb900bf00, 0x4780bf00, 0x4784bf00, 0x4770bf00, 0x4774bf00,
	0x4700bf00, 0xbd00bf00, 0x46f7bf00, 0x4687bf00, 0x4487bf00, 0xbf20bf00, 0xbf30bf00, 0xbf08bd00, 0xbf084770,
	0xbf01bf00, 0xbf1846f7, 0xbf08d000, 0xbf04f000, 0xde00df00, 0xbe00bf00,
};

static const struct {
	const char *name;
	enum sl_isa isa;
	uint32_t mask, value;
} unknowns[] = {
	{ "CB<cc>, CBB<cc>, CBH<cc> (FEAT_CMPBR)", SL_ISA_A64, 0x7e000000, 0x74000000 },
	{ "RETAASPPC, RETABSPPC (FEAT_PAuth_LR)", SL_ISA_A64, 0xffc0001f, 0x5500001f },
	{ "RETAASPPCR, RETABSPPCR (FEAT_PAuth_LR)", SL_ISA_A64, 0xfffffbe0, 0xd65f0be0 },
	{ "TEXIT (FEAT_POE2)", SL_ISA_A64, 0xfffffbff, 0xd6ff03e0 },
	{ "ERET of A32", SL_ISA_A32, 0x0fffffff, 0x0160006e },
	{ "LE, LETP, WLS, WLSTP (Armv8.1-M)", SL_ISA_T32, 0xff80f001, 0xf000c001 },
};
enum { UNKNOWNS = sizeof(unknowns) / sizeof(unknowns[0]) };

/* RETAA and RETAB, which it knows, are in the row of RETAASPPCR; they never differ. */
int opcode_unknown(enum sl_isa isa, uint32_t word)
{
	for (int i = 0; i < UNKNOWNS; i++) {
		if (unknowns[i].isa == isa && (word & unknowns[i].mask) == unknowns[i].value)
			return i;
	}
	return -1;
}

const char *opcode_unknown_name(unsigned i)
{
	return i < UNKNOWNS ? unknowns[i].name : NULL;
}

static uint32_t any_word(uint64_t *random)
{
	return gen_random(random, 0x10000) << 16 | gen_random(random, 0x10000);
}

static uint32_t seed(enum sl_isa isa, uint64_t *random)
{
	if (isa == SL_ISA_A64)
		return a64[gen_random(random, sizeof(a64) / sizeof(a64[0]))];
	if (isa == SL_ISA_A32)
		return a32[gen_random(random, sizeof(a32) / sizeof(a32[0]))];
	return t32[gen_random(random, sizeof(t32) / sizeof(t32[0]))];
}

/* One in four is anything; of the others a few bits are flipped, or an eighth of all. */
uint32_t opcode_random(enum sl_isa isa, uint64_t *random)
{
	uint32_t word = any_word(random);
	unsigned kind = gen_random(random, 4);

	if (kind == 0)
		return word;
	word = seed(isa, random);
	if (kind == 1)
		word ^= any_word(random) & any_word(random) & any_word(random);
	else
		for (unsigned n = gen_random(random, 4); n; n--)
			word ^= UINT32_C(1) << gen_random(random, 32);
	if (isa == SL_ISA_A32 && gen_random(random, 2))
		word = (word & 0x0fffffff) | gen_random(random, 16) << 28;
	return word;
}

void opcode_store(enum sl_isa isa, uint32_t word, uint8_t *ret)
{
	if (isa == SL_ISA_T32)
		word = word << 16 | word >> 16;
	for (unsigned i = 0; i < 4; i++)
		ret[i] = (uint8_t)(word >> (8 * i));
}
