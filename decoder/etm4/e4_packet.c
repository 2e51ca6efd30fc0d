/* SPDX-License-Identifier: Apache-2.0 */
#include "e4_packet.h"

/* Where a header means its packet; elsewhere it is reserved, of this configuration (CFG) or at all. */
enum { ALWAYS, BEFORE_ETE_CFG, ETE, ITE, SOURCE, FROM_4_3, FROM_4_6, M_PROFILE, Q, COND_CFG, NEVER_CFG };

/* IHI 0064H, table 6-1, and DDI 0487, table D5-2, in the order of their headers. The first that fits counts. */
static const struct e4_header table[] = {
	{ "I_EXTENSION", 0xff, 0x00, E4_EXTENSION, ALWAYS, e4_read_extension },
	{ "I_TRACE_INFO", 0xff, 0x01, E4_TRACE_INFO, ALWAYS, e4_read_trace_info },
	{ "I_TIMESTAMP", 0xfe, 0x02, E4_TIMESTAMP, ALWAYS, e4_read_timestamp },
	{ "I_TRACE_ON", 0xff, 0x04, E4_TRACE_ON, ALWAYS, e4_read_nothing },
	{ "I_FUNC_RET", 0xff, 0x05, E4_FUNC_RET, M_PROFILE, e4_read_nothing },
	{ "I_EXCEPT", 0xff, 0x06, E4_EXCEPT, ALWAYS, e4_read_exception },
	{ "I_EXCEPT_RTN", 0xff, 0x07, E4_EXCEPT_RTN, BEFORE_ETE_CFG, e4_read_nothing },
	{ "I_ITE", 0xff, 0x09, E4_ITE, ITE, e4_read_ite },
	{ "I_TRANS_ST", 0xff, 0x0a, E4_TRANS_ST, ETE, e4_read_nothing },
	{ "I_TRANS_COMMIT", 0xff, 0x0b, E4_TRANS_COMMIT, ETE, e4_read_nothing },
	{ "I_CCNT_F2", 0xfe, 0x0c, E4_CCNT_F2, ALWAYS, e4_read_ccnt_f2 },
	{ "I_CCNT_F1", 0xfe, 0x0e, E4_CCNT_F1, ALWAYS, e4_read_ccnt_f1 },
	{ "I_CCNT_F3", 0xf0, 0x10, E4_CCNT_F3, ALWAYS, e4_read_ccnt_f3 },
	{ "I_NUM_DS_MKR", 0xf8, 0x20, E4_NUM_DS_MKR, NEVER_CFG, e4_read_nothing },
	{ "I_UNNUM_DS_MKR", 0xfc, 0x28, E4_UNNUM_DS_MKR, NEVER_CFG, e4_read_nothing },
	{ "I_UNNUM_DS_MKR", 0xff, 0x2c, E4_UNNUM_DS_MKR, NEVER_CFG, e4_read_nothing },
	{ "I_COMMIT", 0xff, 0x2d, E4_COMMIT, ALWAYS, e4_read_elements },
	{ "I_CANCEL_F1", 0xff, 0x2e, E4_CANCEL_F1, ALWAYS, e4_read_elements },
	{ "I_CANCEL_F1_MISPRED", 0xff, 0x2f, E4_CANCEL_F1_MISPRED, ALWAYS, e4_read_elements },
	{ "I_MISPREDICT", 0xfc, 0x30, E4_MISPREDICT, ALWAYS, e4_read_mispredict },
	{ "I_CANCEL_F2", 0xfc, 0x34, E4_CANCEL_F2, ALWAYS, e4_read_mispredict },
	{ "I_CANCEL_F3", 0xf8, 0x38, E4_CANCEL_F3, ALWAYS, e4_read_cancel_f3 },
	{ "I_COND_FLUSH", 0xff, 0x43, E4_COND_FLUSH, COND_CFG, e4_read_nothing },
	{ "I_COND_I_F2", 0xfc, 0x40, E4_COND_I_F2, COND_CFG, e4_read_nothing },
	{ "I_COND_RES_F4", 0xfe, 0x44, E4_COND_RES_F4, COND_CFG, e4_read_nothing },
	{ "I_COND_RES_F4", 0xff, 0x46, E4_COND_RES_F4, COND_CFG, e4_read_nothing },
	{ "I_COND_RES_F2", 0xfa, 0x48, E4_COND_RES_F2, COND_CFG, e4_read_nothing },
	{ "I_COND_RES_F2", 0xfb, 0x4a, E4_COND_RES_F2, COND_CFG, e4_read_nothing },
	{ "I_COND_RES_F3", 0xf0, 0x50, E4_COND_RES_F3, COND_CFG, e4_read_cond_2 },
	{ "I_COND_RES_F1", 0xfc, 0x68, E4_COND_RES_F1, COND_CFG, e4_read_cond_res_f1 },
	{ "I_COND_I_F1", 0xff, 0x6c, E4_COND_I_F1, COND_CFG, e4_read_cond_f1 },
	{ "I_COND_I_F3", 0xff, 0x6d, E4_COND_I_F3, COND_CFG, e4_read_cond_2 },
	{ "I_COND_RES_F1", 0xfe, 0x6e, E4_COND_RES_F1, COND_CFG, e4_read_cond_res_f1 },
	{ "I_IGNORE", 0xff, 0x70, E4_IGNORE, FROM_4_3, e4_read_nothing },
	{ "I_RESERVED", 0xff, 0x70, E4_RESERVED, ALWAYS, e4_read_reserved },
	{ "I_EVENT", 0xf0, 0x70, E4_EVENT, ALWAYS, e4_read_event },
	{ "I_CTXT", 0xfe, 0x80, E4_CTXT, ALWAYS, e4_read_context },
	{ "I_ADDR_CTXT_L_32IS0", 0xff, 0x82, E4_ADDR_CTXT_L_32IS0, ALWAYS, e4_read_address_context },
	{ "I_ADDR_CTXT_L_32IS1", 0xff, 0x83, E4_ADDR_CTXT_L_32IS1, ALWAYS, e4_read_address_context },
	{ "I_ADDR_CTXT_L_64IS0", 0xff, 0x85, E4_ADDR_CTXT_L_64IS0, ALWAYS, e4_read_address_context },
	{ "I_ADDR_CTXT_L_64IS1", 0xff, 0x86, E4_ADDR_CTXT_L_64IS1, ALWAYS, e4_read_address_context },
	{ "I_TS_MARKER", 0xff, 0x88, E4_TS_MARKER, FROM_4_6, e4_read_nothing },
	{ "I_RESERVED", 0xff, 0x93, E4_RESERVED, ALWAYS, e4_read_reserved },
	{ "I_ADDR_MATCH", 0xfc, 0x90, E4_ADDR_MATCH, ALWAYS, e4_read_match },
	{ "I_ADDR_S_IS0", 0xff, 0x95, E4_ADDR_S_IS0, ALWAYS, e4_read_short },
	{ "I_ADDR_S_IS1", 0xff, 0x96, E4_ADDR_S_IS1, ALWAYS, e4_read_short },
	{ "I_ADDR_L_32IS0", 0xff, 0x9a, E4_ADDR_L_32IS0, ALWAYS, e4_read_long },
	{ "I_ADDR_L_32IS1", 0xff, 0x9b, E4_ADDR_L_32IS1, ALWAYS, e4_read_long },
	{ "I_ADDR_L_64IS0", 0xff, 0x9d, E4_ADDR_L_64IS0, ALWAYS, e4_read_long },
	{ "I_ADDR_L_64IS1", 0xff, 0x9e, E4_ADDR_L_64IS1, ALWAYS, e4_read_long },
	{ "I_Q", 0xf0, 0xa0, E4_Q, Q, e4_read_q },
	{ "I_RESERVED", 0xff, 0xb3, E4_RESERVED, ALWAYS, e4_read_reserved },
	{ "I_SRC_ADDR_MATCH", 0xfc, 0xb0, E4_SRC_ADDR_MATCH, SOURCE, e4_read_match },
	{ "I_SRC_ADDR_S_IS0", 0xff, 0xb4, E4_SRC_ADDR_S_IS0, SOURCE, e4_read_short },
	{ "I_SRC_ADDR_S_IS1", 0xff, 0xb5, E4_SRC_ADDR_S_IS1, SOURCE, e4_read_short },
	{ "I_SRC_ADDR_L_32IS0", 0xff, 0xb6, E4_SRC_ADDR_L_32IS0, SOURCE, e4_read_long },
	{ "I_SRC_ADDR_L_32IS1", 0xff, 0xb7, E4_SRC_ADDR_L_32IS1, SOURCE, e4_read_long },
	{ "I_SRC_ADDR_L_64IS0", 0xff, 0xb8, E4_SRC_ADDR_L_64IS0, SOURCE, e4_read_long },
	{ "I_SRC_ADDR_L_64IS1", 0xff, 0xb9, E4_SRC_ADDR_L_64IS1, SOURCE, e4_read_long },
	{ "I_ATOM_F5", 0xdf, 0xd5, E4_ATOM_F5, ALWAYS, e4_read_atoms }, /* and with the next, d6 and d7 */
	{ "I_ATOM_F5", 0xfe, 0xd6, E4_ATOM_F5, ALWAYS, e4_read_atoms },
	{ "I_ATOM_F1", 0xfe, 0xf6, E4_ATOM_F1, ALWAYS, e4_read_atoms },
	{ "I_ATOM_F2", 0xfc, 0xd8, E4_ATOM_F2, ALWAYS, e4_read_atoms },
	{ "I_ATOM_F4", 0xfc, 0xdc, E4_ATOM_F4, ALWAYS, e4_read_atoms },
	{ "I_ATOM_F3", 0xf8, 0xf8, E4_ATOM_F3, ALWAYS, e4_read_atoms },
	{ "I_ATOM_F6", 0xc0, 0xc0, E4_ATOM_F6, ALWAYS, e4_read_atoms },
	{ "I_RESERVED", 0x00, 0x00, E4_RESERVED, ALWAYS, e4_read_reserved },
};
static const struct e4_header reserved_cfg = { "I_RESERVED_CFG", 0, 0, E4_RESERVED_CFG, ALWAYS, e4_read_reserved_cfg };

enum use { YES, NO, NOT_CONFIGURED };

static enum use use_of(const struct e4_header *h, const struct e4_config *c)
{
	switch (h->when) {
	case BEFORE_ETE_CFG:
		return e4_is_ete(c) ? NOT_CONFIGURED : YES;
	case ETE:
	case SOURCE:
		return e4_is_ete(c) ? YES : NO;
	case ITE:
		return e4_is_ete(c) && (c->version & 15) >= 3 ? YES : NO;
	case FROM_4_3:
		return c->version >= 0x43 ? YES : NO;
	case FROM_4_6:
		return c->version >= 0x46 ? YES : NO;
	case M_PROFILE:
		return c->function_returns && c->version >= 0x42 ? YES : NO;
	case Q:
		return c->q_elements ? YES : NO;
	case COND_CFG:
		return c->conditional ? YES : NOT_CONFIGURED;
	case NEVER_CFG:
		return NOT_CONFIGURED;
	default:
		return YES;
	}
}

static const struct e4_header *find(const struct e4_config *config, unsigned byte)
{
	const struct e4_header *h = table;

	for (;; h++) {
		enum use use;

		if ((byte & h->mask) != h->value)
			continue;
		use = use_of(h, config);
		if (use == NOT_CONFIGURED)
			return &reserved_cfg;
		if (use == YES)
			return h;
	}
}

void e4_headers_init(const struct e4_config *config, struct e4_headers *ret)
{
	for (unsigned i = 0; i < 256; i++)
		ret->of[i] = find(config, i);
}

size_t e4_read(const struct e4_headers *headers, const struct e4_config *config, const uint8_t *bytes, size_t len,
	       struct e4_packet *ret)
{
	const struct e4_header *h = headers->of[bytes[0]];

	*ret = (struct e4_packet){ .type = h->type };
	return h->read(config, bytes, len, ret);
}

const char *e4_name(unsigned type)
{
	static const char *const others[] = {
		[E4_NOT_SYNC] = "I_NOT_SYNC",	  [E4_INCOMPLETE_EOT] = "I_INCOMPLETE_EOT",
		[E4_BAD_SEQUENCE] = "I_BAD_SEQUENCE", [E4_RESERVED] = "I_RESERVED",
		[E4_RESERVED_CFG] = "I_RESERVED_CFG", [E4_ASYNC] = "I_ASYNC",
		[E4_DISCARD] = "I_DISCARD",	  [E4_OVERFLOW] = "I_OVERFLOW",
	};

	if (type < sizeof(others) / sizeof(others[0]) && others[type])
		return others[type];
	if (type == E4_PE_RESET)
		return "I_PE_RESET";
	if (type == E4_TRANS_FAIL)
		return "I_TRANS_FAIL";
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].type == type)
			return table[i].name;
	}
	return "I_UNKNOWN";
}

static unsigned field(uint32_t value, unsigned high, unsigned low)
{
	return value >> low & ((2u << (high - low)) - 1);
}

static uint8_t version_of(const struct sl_trace_config *c)
{
	const uint32_t *r = c->regs;

	if (c->protocol == SL_PROTOCOL_ETE)
		return (uint8_t)(field(r[SL_REG_TRCDEVARCH], 15, 12) << 4 | field(r[SL_REG_TRCDEVARCH], 19, 16));
	return (uint8_t)field(r[SL_REG_TRCIDR1], 11, 4);
}

/* TRCIDR2.VMIDSIZE: more than 8 bits from ETMv4.1 on. */
static uint8_t vmid_bytes_of(uint32_t idr2, uint8_t version)
{
	unsigned size = field(idr2, 14, 10);

	if (size != 1 && !(version > 0x40 && (size == 2 || size == 4)))
		return 0;
	return (uint8_t)size;
}

void e4_configure(const struct sl_trace_config *config, struct e4_config *ret)
{
	const uint32_t *r = config->regs;
	uint32_t idr0 = r[SL_REG_TRCIDR0], idr2 = r[SL_REG_TRCIDR2];
	struct sl_config_facts facts;

	sl_config_facts(config, &facts);
	*ret = (struct e4_config){
		.version = version_of(config),
		.context_id_bytes = field(idr2, 9, 5) == 4 ? 4 : 0,
		.commit_option_1 = field(idr0, 29, 29) && field(idr0, 7, 7),
		.cycle_counts = facts.cycle_count,
		.q_elements = field(idr0, 16, 15) != 0,
		.conditional = field(idr0, 6, 6) && facts.conditional,
		.m_profile = config->profile == SL_PROFILE_M,
		.exception_returns = config->profile == SL_PROFILE_M && config->arch == SL_ARCH_V7,
		.function_returns = config->profile == SL_PROFILE_M && config->arch != SL_ARCH_V7,
		.transactions_are_p0 = !field(idr0, 30, 30),
		.cycle_mask = (UINT32_C(1) << (field(idr2, 28, 25) + 12)) - 1,
		.max_speculation = r[SL_REG_TRCIDR8],
	};
	ret->vmid_bytes = vmid_bytes_of(idr2, ret->version);
	ret->has_time_marker = ret->version > 0x50 && field(idr0, 23, 23);
}
