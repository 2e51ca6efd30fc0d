/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU's model, and the errata that come with it. */
#include <stdio.h>
#include <string.h>

#include "ipt.h"

/* CPUID.1:EAX as family, model and stepping (SDM, volume 2, CPUID). */
int ipt_set_cpu(struct pt_config *config, uint32_t eax)
{
	unsigned family = eax >> 8 & 15, model = eax >> 4 & 15;

	if (family == 6 || family == 15)
		model |= eax >> 12 & 0xf0;
	if (family == 15)
		family += eax >> 20 & 0xff;
	config->cpu = (struct pt_cpu){ pcv_intel, (uint16_t)family, (uint8_t)model, (uint8_t)(eax & 15) };
	return pt_cpu_errata(&config->errata, &config->cpu);
}

const char *sl_ipt_errata(uint32_t cpuid_eax, char *ret, size_t cap)
{
	struct pt_config config;
	const struct pt_errata *e = &config.errata;
	int result;

	pt_config_init(&config);
	result = ipt_set_cpu(&config, cpuid_eax);
	snprintf(ret, cap, "%s%s%s%s%s%s%s%s%s%s", e->bdm70 ? "bdm70 " : "", e->bdm64 ? "bdm64 " : "",
		 e->skd007 ? "skd007 " : "", e->skd022 ? "skd022 " : "", e->skd010 ? "skd010 " : "",
		 e->skl014 ? "skl014 " : "", e->apl12 ? "apl12 " : "", e->apl11 ? "apl11 " : "",
		 e->skl168 ? "skl168 " : "", e->skz84 ? "skz84 " : "");
	if (result < 0)
		snprintf(ret, cap, "not known: libipt does not know this CPU");
	else if (!*ret)
		snprintf(ret, cap, "none");
	else
		ret[strlen(ret) - 1] = '\0';
	return ret;
}
