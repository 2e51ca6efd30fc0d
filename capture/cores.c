/* SPDX-License-Identifier: Apache-2.0 */
#include "cores.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct core {
	const char *name;
	enum sl_core_profile profile;
	enum sl_arch arch;
};

#define A7 SL_PROFILE_A, SL_ARCH_V7
#define A8 SL_PROFILE_A, SL_ARCH_V8
#define A9 SL_PROFILE_A, SL_ARCH_AA64
#define R7 SL_PROFILE_R, SL_ARCH_V7
#define R8 SL_PROFILE_R, SL_ARCH_V8
#define M7 SL_PROFILE_M, SL_ARCH_V7
#define M8 SL_PROFILE_M, SL_ARCH_V8

/* Cores with pointer authentication (v8.3 and newer) are AA64: its branches are none in v8.0 to v8.2. */
static const struct core cores[] = {
	{ "Cortex-A5", A7 },	 { "Cortex-A7", A7 },	  { "Cortex-A8", A7 },
	{ "Cortex-A9", A7 },	 { "Cortex-A12", A7 },	  { "Cortex-A15", A7 },
	{ "Cortex-A17", A7 },	 { "Cortex-A32", A8 },	  { "Cortex-A34", A8 },
	{ "Cortex-A35", A8 },	 { "Cortex-A53", A8 },	  { "Cortex-A55", A8 },
	{ "Cortex-A57", A8 },	 { "Cortex-A65", A8 },	  { "Cortex-A65AE", A8 },
	{ "Cortex-A72", A8 },	 { "Cortex-A73", A8 },	  { "Cortex-A75", A8 },
	{ "Cortex-A76", A8 },	 { "Cortex-A76AE", A8 },  { "Cortex-A77", A8 },
	{ "Cortex-A78", A8 },	 { "Cortex-A78AE", A9 },  { "Cortex-A78C", A9 },
	{ "Cortex-A320", A9 },	 { "Cortex-A510", A9 },	  { "Cortex-A520", A9 },
	{ "Cortex-A520AE", A9 }, { "Cortex-A710", A9 },	  { "Cortex-A715", A9 },
	{ "Cortex-A720", A9 },	 { "Cortex-A720AE", A9 }, { "Cortex-A725", A9 },
	{ "Cortex-X1", A8 },	 { "Cortex-X1C", A9 },	  { "Cortex-X2", A9 },
	{ "Cortex-X3", A9 },	 { "Cortex-X4", A9 },	  { "Cortex-X925", A9 },
	{ "Neoverse-E1", A8 },	 { "Neoverse-N1", A8 },	  { "Neoverse-N2", A9 },
	{ "Neoverse-N3", A9 },	 { "Neoverse-V1", A9 },	  { "Neoverse-V2", A9 },
	{ "Neoverse-V3", A9 },	 { "Neoverse-V3AE", A9 }, { "Cortex-R4", R7 },
	{ "Cortex-R5", R7 },	 { "Cortex-R7", R7 },	  { "Cortex-R8", R7 },
	{ "Cortex-R52", R8 },	 { "Cortex-R52+", R8 },	  { "Cortex-R82", SL_PROFILE_R, SL_ARCH_AA64 },
	{ "Cortex-M0", M7 },	 { "Cortex-M0+", M7 },	  { "Cortex-M1", M7 },
	{ "Cortex-M3", M7 },	 { "Cortex-M4", M7 },	  { "Cortex-M7", M7 },
	{ "Cortex-M23", M8 },	 { "Cortex-M33", M8 },	  { "Cortex-M35P", M8 },
	{ "Cortex-M52", M8 },	 { "Cortex-M55", M8 },	  { "Cortex-M85", M8 },
};

/* True where a and b are the same but for case, and '_' or ' ' for '-'. */
static bool same_type(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char c = *a == '_' || *a == ' ' ? '-' : *a;

		if (strncasecmp(&c, b, 1) != 0)
			return false;
	}
	return *a == *b;
}

/* "-A" and so on at the end of a type; none is A. */
static int parse_profile(const char *text, enum sl_core_profile *ret)
{
	static const struct {
		const char *text;
		enum sl_core_profile profile;
	} suffixes[] = {
		{ "", SL_PROFILE_A }, { "-A", SL_PROFILE_A }, { "-R", SL_PROFILE_R }, { "-M", SL_PROFILE_M }
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (same_type(text, suffixes[i].text)) {
			*ret = suffixes[i].profile;
			return SL_OK;
		}
	}
	return SL_ERR_FORMAT;
}

/* ARMv7-A, ARMv8.3-A, ARMv8.1-M, ARMv9-A: version and profile from behind "ARMv" on. */
static int parse_version(const char *text, enum sl_core_profile *ret_profile, enum sl_arch *ret_arch)
{
	enum sl_core_profile profile;
	unsigned long major, minor = 0;
	char *end;

	if (*text < '6' || *text > '9')
		return SL_ERR_FORMAT;
	major = strtoul(text, &end, 10);
	if (end - text != 1)
		return SL_ERR_FORMAT;
	if (*end == '.') {
		text = end + 1;
		if (*text < '0' || *text > '9')
			return SL_ERR_FORMAT;
		minor = strtoul(text, &end, 10);
	}
	if (parse_profile(end, &profile) < 0)
		return SL_ERR_FORMAT;
	*ret_profile = profile;
	if (major < 8)
		*ret_arch = SL_ARCH_V7;
	else if (profile == SL_PROFILE_A && (major > 8 || minor >= 3))
		*ret_arch = SL_ARCH_AA64;
	else
		*ret_arch = SL_ARCH_V8;
	return SL_OK;
}

int sl_core_parse(const char *type, enum sl_core_profile *ret_profile, enum sl_arch *ret_arch)
{
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		if (same_type(type, cores[i].name)) {
			*ret_profile = cores[i].profile;
			*ret_arch = cores[i].arch;
			return SL_OK;
		}
	}
	if (strncasecmp(type, "ARMv", 4) == 0)
		return parse_version(type + 4, ret_profile, ret_arch);
	if (strncasecmp(type, "ARM-AA64", 8) == 0 && parse_profile(type + 8, ret_profile) == SL_OK) {
		*ret_arch = SL_ARCH_AA64;
		return SL_OK;
	}
	return SL_ERR_FORMAT;
}

enum sl_arch sl_core_guess(const struct sl_trace_config *config)
{
	switch (config->protocol) {
	case SL_PROTOCOL_ETMV3:
	case SL_PROTOCOL_PTM:
		return SL_ARCH_V7;
	case SL_PROTOCOL_ETMV4:
		/* TRCIDR2.IASIZE 4: instruction addresses have 32 bits, so the core knows no AArch64. */
		if (sl_config_has(config, SL_REG_TRCIDR2) && (config->regs[SL_REG_TRCIDR2] & 0x1f) == 4)
			return SL_ARCH_V8;
		return SL_ARCH_AA64;
	case SL_PROTOCOL_ETE:
		return SL_ARCH_AA64;
	default:
		return SL_ARCH_UNKNOWN;
	}
}

const char *sl_core_type(enum sl_core_profile profile, enum sl_arch arch)
{
	static const char *const types[][3] = {
		[SL_PROFILE_A] = { "ARMv7-A", "ARMv8-A", "ARM-AA64" },
		[SL_PROFILE_R] = { "ARMv7-R", "ARMv8-R", "ARM-AA64-R" },
		[SL_PROFILE_M] = { "ARMv7-M", "ARMv8-M", "ARM-AA64-M" },
	};

	return types[profile][arch == SL_ARCH_V7 ? 0 : arch == SL_ARCH_V8 ? 1 : 2];
}
