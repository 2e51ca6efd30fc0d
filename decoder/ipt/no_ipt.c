/* SPDX-License-Identifier: Apache-2.0 */
/* In place of Intel PT where libipt was not there when this was built. */
#include <stdio.h>

#include "engine.h"

int ipt_new(const struct sl_trace_config *config, const struct sl_decoder_options *options, struct sl_decoder **ret,
	    struct sl_diag *diag)
{
	(void)config;
	(void)options;
	(void)ret;
	return sl_fail(diag, SL_ERR_UNSUPPORTED,
		       "this sightline was built without libipt, which Intel PT needs: install libipt-dev and build it again");
}

const char *sl_ipt_errata(uint32_t cpuid_eax, char *ret, size_t cap)
{
	(void)cpuid_eax;
	snprintf(ret, cap, "not known: built without libipt");
	return ret;
}
