/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_SPECULATION = 4096 };

static const char *const protocol_names[SL_PROTOCOLS] = {
	[SL_PROTOCOL_ETMV3] = "etmv3", [SL_PROTOCOL_PTM] = "ptm", [SL_PROTOCOL_ETMV4] = "etmv4",
	[SL_PROTOCOL_ETE] = "ete",     [SL_PROTOCOL_STM] = "stm", [SL_PROTOCOL_ITM] = "itm",
	[SL_PROTOCOL_IPT] = "ipt",
};

/* What else snapshots call them, without the minor version. */
static const struct {
	const char *name;
	enum sl_protocol protocol;
} protocol_aliases[] = {
	{ "ETM3", SL_PROTOCOL_ETMV3 }, { "ETM4", SL_PROTOCOL_ETMV4 }, { "PTM1", SL_PROTOCOL_PTM },
	{ "PFT1", SL_PROTOCOL_PTM },   { "PFT", SL_PROTOCOL_PTM },    { "ETE1", SL_PROTOCOL_ETE },
	{ "intel-pt", SL_PROTOCOL_IPT }, { "intel_pt", SL_PROTOCOL_IPT }, { "pt", SL_PROTOCOL_IPT },
};

static const char *const reg_names[SL_REGS] = {
	[SL_REG_TRCCONFIGR] = "TRCCONFIGR",
	[SL_REG_TRCTRACEIDR] = "TRCTRACEIDR",
	[SL_REG_TRCAUTHSTATUS] = "TRCAUTHSTATUS",
	[SL_REG_TRCDEVARCH] = "TRCDEVARCH",
	[SL_REG_TRCIDR0] = "TRCIDR0",
	[SL_REG_TRCIDR1] = "TRCIDR1",
	[SL_REG_TRCIDR2] = "TRCIDR2",
	[SL_REG_TRCIDR8] = "TRCIDR8",
	[SL_REG_TRCIDR9] = "TRCIDR9",
	[SL_REG_TRCIDR10] = "TRCIDR10",
	[SL_REG_TRCIDR11] = "TRCIDR11",
	[SL_REG_TRCIDR12] = "TRCIDR12",
	[SL_REG_TRCIDR13] = "TRCIDR13",
	[SL_REG_TRCCCCTLR] = "TRCCCCTLR",
	[SL_REG_ETMCR] = "ETMCR",
	[SL_REG_ETMIDR] = "ETMIDR",
	[SL_REG_ETMCCER] = "ETMCCER",
	[SL_REG_ETMTRACEIDR] = "ETMTRACEIDR",
	[SL_REG_STMTCSR] = "STMTCSR",
	[SL_REG_ITMTCR] = "ITMTCR",
	[SL_REG_RTIT_CTL] = "RTIT_CTL",
	[SL_REG_CPUID_1_EAX] = "CPUID_1_EAX",
	[SL_REG_CPUID_15_EAX] = "CPUID_15_EAX",
	[SL_REG_CPUID_15_EBX] = "CPUID_15_EBX",
	[SL_REG_PLATFORM_INFO] = "PLATFORM_INFO",
};

#define BIT(n) (1u << (n))
#define ETM4_NEEDS \
	(BIT(SL_REG_TRCCONFIGR) | BIT(SL_REG_TRCTRACEIDR) | BIT(SL_REG_TRCIDR0) | BIT(SL_REG_TRCIDR2))
#define ETM3_NEEDS (BIT(SL_REG_ETMIDR) | BIT(SL_REG_ETMCR) | BIT(SL_REG_ETMCCER) | BIT(SL_REG_ETMTRACEIDR))

static const struct {
	uint32_t needs;
	enum sl_reg id_reg;
	unsigned id_shift;
} protocols[SL_PROTOCOLS] = {
	[SL_PROTOCOL_ETMV3] = { ETM3_NEEDS, SL_REG_ETMTRACEIDR, 0 },
	[SL_PROTOCOL_PTM] = { ETM3_NEEDS, SL_REG_ETMTRACEIDR, 0 },
	[SL_PROTOCOL_ETMV4] = { ETM4_NEEDS, SL_REG_TRCTRACEIDR, 0 },
	[SL_PROTOCOL_ETE] = { ETM4_NEEDS, SL_REG_TRCTRACEIDR, 0 },
	[SL_PROTOCOL_STM] = { BIT(SL_REG_STMTCSR), SL_REG_STMTCSR, 16 },
	[SL_PROTOCOL_ITM] = { BIT(SL_REG_ITMTCR), SL_REG_ITMTCR, 16 },
};

static const struct {
	enum sl_reg reg;
	uint32_t value;
} etm4_defaults[] = {
	{ SL_REG_TRCIDR1, 0x4100F403 }, { SL_REG_TRCIDR8, 0 },	{ SL_REG_TRCIDR9, 0 },
	{ SL_REG_TRCIDR10, 0 },		{ SL_REG_TRCIDR11, 0 }, { SL_REG_TRCIDR12, 0 },
	{ SL_REG_TRCIDR13, 0 },
};

const char *sl_protocol_name(unsigned protocol)
{
	return protocol < SL_PROTOCOLS ? protocol_names[protocol] : NULL;
}

static bool same_name(const char *text, size_t len, const char *name)
{
	return strncasecmp(text, name, len) == 0 && name[len] == '\0';
}

int sl_protocol_parse(const char *text, enum sl_protocol *ret)
{
	size_t len = strcspn(text, ".");

	for (unsigned i = 0; i < SL_PROTOCOLS; i++) {
		if (same_name(text, len, protocol_names[i])) {
			*ret = (enum sl_protocol)i;
			return SL_OK;
		}
	}
	for (size_t i = 0; i < sizeof(protocol_aliases) / sizeof(*protocol_aliases); i++) {
		if (same_name(text, len, protocol_aliases[i].name)) {
			*ret = protocol_aliases[i].protocol;
			return SL_OK;
		}
	}
	return SL_ERR_FORMAT;
}

const char *sl_reg_name(unsigned reg)
{
	return reg < SL_REGS ? reg_names[reg] : NULL;
}

int sl_reg_parse(const char *name, enum sl_reg *ret)
{
	for (unsigned i = 0; i < SL_REGS; i++) {
		if (strcasecmp(name, reg_names[i]) == 0) {
			*ret = (enum sl_reg)i;
			return SL_OK;
		}
	}
	return SL_ERR_FORMAT;
}

uint8_t sl_config_trace_id(const struct sl_trace_config *config)
{
	if (config->protocol == SL_PROTOCOL_IPT)
		return 0;
	return config->regs[protocols[config->protocol].id_reg] >> protocols[config->protocol].id_shift &
	       0x7f;
}

static void set_default(struct sl_trace_config *config, enum sl_reg reg, uint32_t value)
{
	if (!sl_config_has(config, reg))
		sl_config_set(config, reg, value);
}

/* "TRCIDR0, TRCIDR2": the registers of a set. */
static void list_regs(uint32_t set, char *ret, size_t cap)
{
	size_t used = 0;

	*ret = '\0';
	for (unsigned i = 0; i < SL_REGS && used < cap; i++) {
		if (set & BIT(i))
			used += (size_t)snprintf(ret + used, cap - used, "%s%s", used ? ", " : "",
						 reg_names[i]);
	}
}

int sl_config_complete(struct sl_trace_config *config, struct sl_diag *diag)
{
	const char *protocol = protocol_names[config->protocol];
	uint32_t lacks = protocols[config->protocol].needs & ~config->set;
	bool etm4 = config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE;
	char names[128];

	if (lacks) {
		list_regs(lacks, names, sizeof(names));
		return sl_fail(diag, SL_ERR_CONFIG,
			       "%s cannot be decoded without the value of %s: give it as NAME=VALUE",
			       protocol, names);
	}
	if (!etm4)
		return SL_OK;
	if (sl_config_has(config, SL_REG_TRCIDR8) && config->regs[SL_REG_TRCIDR8] > MAX_SPECULATION)
		return sl_fail(
			diag, SL_ERR_CONFIG,
			"TRCIDR8=0x%x asks for a speculation depth that no hardware has (at most %u): correct it",
			config->regs[SL_REG_TRCIDR8], MAX_SPECULATION);
	for (size_t i = 0; i < sizeof(etm4_defaults) / sizeof(*etm4_defaults); i++)
		set_default(config, etm4_defaults[i].reg, etm4_defaults[i].value);
	if (config->protocol == SL_PROTOCOL_ETE)
		set_default(config, SL_REG_TRCDEVARCH, 0x47705A13);
	return SL_OK;
}

static unsigned field(uint32_t value, unsigned high, unsigned low)
{
	return value >> low & ((2u << (high - low)) - 1);
}

/* TRCCONFIGR, TRCIDR0, TRCIDR2 and TRCCCCTLR: IHI 0064, chapter 7. */
static void etm4_facts(const struct sl_trace_config *config, struct sl_config_facts *ret)
{
	uint32_t configr = config->regs[SL_REG_TRCCONFIGR];

	ret->branch_broadcast = field(configr, 3, 3);
	ret->cycle_count = field(configr, 4, 4);
	ret->context_id = field(configr, 6, 6);
	ret->vmid = field(configr, 7, 7);
	ret->conditional = field(configr, 10, 8) != 0;
	ret->timestamp = field(configr, 11, 11);
	ret->return_stack = field(configr, 12, 12);
	ret->q_elements = field(configr, 14, 13) != 0;
	ret->data_trace = field(configr, 17, 16) != 0;
	/* Both sizes are in bytes. */
	ret->context_id_bytes = ret->context_id ? field(config->regs[SL_REG_TRCIDR2], 9, 5) : 0;
	ret->timestamp_bits = ret->timestamp ? field(config->regs[SL_REG_TRCIDR0], 28, 24) * 8 : 0;
	ret->max_speculation = config->regs[SL_REG_TRCIDR8];
	ret->cycle_threshold_known = ret->cycle_count && sl_config_has(config, SL_REG_TRCCCCTLR);
	if (ret->cycle_threshold_known)
		ret->cycle_threshold = field(config->regs[SL_REG_TRCCCCTLR], 11, 0);
}

/* ETMCR and ETMCCER: IHI 0014 for ETMv3, IHI 0035 for PTM. */
static void etm3_facts(const struct sl_trace_config *config, struct sl_config_facts *ret)
{
	uint32_t cr = config->regs[SL_REG_ETMCR];
	unsigned id_size = field(cr, 15, 14);

	ret->branch_broadcast = field(cr, 8, 8);
	ret->cycle_count = field(cr, 12, 12);
	ret->context_id = id_size != 0;
	ret->context_id_bytes = id_size ? 1u << (id_size - 1) : 0;
	ret->timestamp = field(cr, 28, 28);
	ret->timestamp_bits = !ret->timestamp ? 0 : field(config->regs[SL_REG_ETMCCER], 29, 29) ? 64 : 48;
	ret->vmid = field(cr, 30, 30);
	if (config->protocol == SL_PROTOCOL_PTM)
		ret->return_stack = field(cr, 29, 29);
	else
		ret->data_trace = field(cr, 3, 2) != 0;
}

/* IA32_RTIT_CTL: Intel SDM, volume 3, 33.2.8.2. */
static void ipt_facts(const struct sl_trace_config *config, struct sl_config_facts *ret)
{
	uint32_t ctl = config->regs[SL_REG_RTIT_CTL];

	if (!sl_config_has(config, SL_REG_RTIT_CTL))
		return;
	ret->cycle_count = field(ctl, 1, 1);
	ret->timestamp = field(ctl, 10, 10);
	ret->timestamp_bits = ret->timestamp ? 56 : 0;
	ret->return_stack = !field(ctl, 11, 11);
}

void sl_config_facts(const struct sl_trace_config *config, struct sl_config_facts *ret)
{
	memset(ret, 0, sizeof(*ret));
	switch (config->protocol) {
	case SL_PROTOCOL_ETMV4:
	case SL_PROTOCOL_ETE:
		etm4_facts(config, ret);
		break;
	case SL_PROTOCOL_ETMV3:
	case SL_PROTOCOL_PTM:
		etm3_facts(config, ret);
		break;
	case SL_PROTOCOL_STM:
		ret->timestamp = field(config->regs[SL_REG_STMTCSR], 1, 1);
		break;
	case SL_PROTOCOL_ITM:
		/* TSENA: local timestamps; GTSFREQ: global ones. */
		ret->timestamp = field(config->regs[SL_REG_ITMTCR], 1, 1) ||
				 field(config->regs[SL_REG_ITMTCR], 11, 10) != 0;
		break;
	case SL_PROTOCOL_IPT:
		ipt_facts(config, ret);
		break;
	case SL_PROTOCOLS:
		break;
	}
}
