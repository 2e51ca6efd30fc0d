/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_CONFIG_H
#define SL_CONFIG_H
/* How a trace source was programmed: the registers that its bytes cannot be decoded without. */
#include "sl_base.h"

enum sl_protocol { SL_PROTOCOL_ETMV3, SL_PROTOCOL_PTM, SL_PROTOCOL_ETMV4, SL_PROTOCOL_ETE, SL_PROTOCOL_STM, SL_PROTOCOL_ITM, SL_PROTOCOL_IPT, SL_PROTOCOLS };
/* "etmv4" and so on, as --protocol takes it and info prints it; NULL beyond the last. */
const char *sl_protocol_name(unsigned protocol);
/* SL_OK, or SL_ERR_FORMAT. Accepts the type= of a snapshot as well: ETM4, ETM4.2, ETM3.5, PTM1.1, PFT1.0, ETE, STM, ITM
 * (text from the first '.' on is ignored, case too). */
int sl_protocol_parse(const char *text, enum sl_protocol *ret);

enum sl_reg {
	SL_REG_TRCCONFIGR, SL_REG_TRCTRACEIDR, SL_REG_TRCAUTHSTATUS, SL_REG_TRCDEVARCH,
	SL_REG_TRCIDR0, SL_REG_TRCIDR1, SL_REG_TRCIDR2, SL_REG_TRCIDR8, SL_REG_TRCIDR9, SL_REG_TRCIDR10,
	SL_REG_TRCIDR11, SL_REG_TRCIDR12, SL_REG_TRCIDR13, SL_REG_TRCCCCTLR,
	SL_REG_ETMCR, SL_REG_ETMIDR, SL_REG_ETMCCER, SL_REG_ETMTRACEIDR,
	SL_REG_STMTCSR, SL_REG_ITMTCR,
	/* of Intel PT, which needs none: IA32_RTIT_CTL, CPUID.1:EAX, CPUID.15H, MSR_PLATFORM_INFO; their low 32 bits */
	SL_REG_RTIT_CTL, SL_REG_CPUID_1_EAX, SL_REG_CPUID_15_EAX, SL_REG_CPUID_15_EBX, SL_REG_PLATFORM_INFO,
	SL_REGS,
};
/* The register's name in the architecture, upper case; NULL beyond the last. */
const char *sl_reg_name(unsigned reg);
/* SL_OK, or SL_ERR_FORMAT where no register here has that name (case does not matter). */
int sl_reg_parse(const char *name, enum sl_reg *ret);

enum sl_core_profile { SL_PROFILE_A, SL_PROFILE_R, SL_PROFILE_M };
/* Architecture of the core, as much as decoding needs: 7, 8 (v8.0-8.2), or 9 (AArch64 from v8.3 on and newer). */
enum sl_arch { SL_ARCH_UNKNOWN = 0, SL_ARCH_V7 = 7, SL_ARCH_V8 = 8, SL_ARCH_AA64 = 9 };

/* What of a context names the task that runs, for captures that know their tasks. */
enum sl_task_from { SL_TASK_UNKNOWN, SL_TASK_CONTEXT_ID, SL_TASK_VMID };

struct sl_trace_config {
	enum sl_protocol protocol;
	enum sl_task_from task_from;
	enum sl_core_profile profile;
	enum sl_arch arch;
	uint32_t set;  /* bit n: regs[n] was given */
	uint32_t regs[SL_REGS];
};

static inline bool sl_config_has(const struct sl_trace_config *c, enum sl_reg reg) { return c->set >> reg & 1; }
static inline void sl_config_set(struct sl_trace_config *c, enum sl_reg reg, uint32_t value)
{
	c->regs[reg] = value;
	c->set |= 1u << reg;
}
/* The trace id that the registers hold (7 bits); of Intel PT, which has none, 0. */
uint8_t sl_config_trace_id(const struct sl_trace_config *config);
/*
 * Fills registers that have a usable default (TRCIDR1 0x4100F403, TRCIDR8-13 0, ETE's TRCDEVARCH 0x47705A13) and
 * checks the rest. SL_OK; SL_ERR_CONFIG with diag naming the missing register, or one whose value no hardware has
 * (TRCIDR8 beyond 4096).
 */
int sl_config_complete(struct sl_trace_config *config, struct sl_diag *diag);

/* What the registers switch on, in words. */
struct sl_config_facts {
	bool return_stack, cycle_count, context_id, vmid, branch_broadcast, timestamp, data_trace, conditional, q_elements;
	unsigned context_id_bytes, timestamp_bits, max_speculation, cycle_threshold;
	bool cycle_threshold_known;
};
void sl_config_facts(const struct sl_trace_config *config, struct sl_config_facts *ret);
#endif
