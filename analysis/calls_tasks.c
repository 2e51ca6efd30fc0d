/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a run's calls may be of tasks that nobody told apart. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sl_calls.h"

/* What a switch of tasks looks like on one stack: not a return to who was called before the trace. */
static uint64_t misfits(const struct sl_calls_lane *lane)
{
	const struct sl_account *account = &lane->account;

	return account->elsewhere + account->repairs[SL_REPAIR_UNWOUND] + account->repairs[SL_REPAIR_JUMP] +
	       account->repairs[SL_REPAIR_LEVEL];
}

/* Only trace units whose registers were given can be known to have none. */
static bool has_no_ids(const struct sl_trace_config *config)
{
	enum { CIDSIZE = 0x1f << 5 }; /* TRCIDR2: IHI 0064, chapter 7 */
	bool v4 = config->protocol == SL_PROTOCOL_ETMV4 || config->protocol == SL_PROTOCOL_ETE;

	return v4 && sl_config_has(config, SL_REG_TRCIDR2) && !(config->regs[SL_REG_TRCIDR2] & CIDSIZE);
}

static const char *what_to_do_on_x86(const struct sl_capture *capture)
{
	if (capture && strcmp(sl_capture_container(capture), "perf.data") == 0)
		return "record with --switch-events, or with --per-thread";
	return "CR3 tells processes only, and no raw dump has threads; --root FUNCTION shows what one task's function called";
}

static const char *what_to_do(const struct sl_calls_lane *lane, const struct sl_capture *capture)
{
	struct sl_config_facts facts;

	if (lane->config->protocol == SL_PROTOCOL_IPT)
		return what_to_do_on_x86(capture);
	sl_config_facts(lane->config, &facts);
	if (facts.context_id)
		return "it has context ids, but of no task: let the system write them where it switches (Linux: CONFIG_PID_IN_CONTEXTIDR)";
	if (capture && strcmp(sl_capture_container(capture), "perf.data") == 0)
		return "record with cs_etm/contextid/ on a kernel with CONFIG_PID_IN_CONTEXTIDR, or with --per-thread";
	if (has_no_ids(lane->config))
		return "its trace unit has no context ids; --root FUNCTION shows what one task's function called";
	return "switch context ids on for the next capture (TRCCONFIGR bit 6, ETMCR bits 14 and 15)";
}

bool sl_calls_untold(const struct sl_calls *calls, const struct sl_capture *capture, char *ret, size_t cap)
{
	const struct sl_calls_lane *lanes, *first = NULL;
	size_t count = sl_calls_lanes(calls, &lanes), found = 0;
	char more[40] = "";
	uint64_t n;

	for (size_t i = 0; i < count; i++) {
		if (lanes[i].named || !misfits(&lanes[i]))
			continue;
		first = first ? first : &lanes[i];
		found++;
	}
	if (!first)
		return false;
	if (found > 1)
		snprintf(more, sizeof(more), " (and %zu more)", found - 1);
	n = misfits(first);
	snprintf(ret, cap,
		 "%s, trace id 0x%02x%s: nothing tells which task ran, so all that ran there has one call stack; %" PRIu64
		 " time%s it went on where no open call explains it, as if tasks had switched: %s",
		 first->buffer, first->trace_id, more, n, n == 1 ? "" : "s", what_to_do(first, capture));
	return true;
}
