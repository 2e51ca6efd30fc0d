/* SPDX-License-Identifier: Apache-2.0 */
#include "offsets.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1000000000
/* 11 days: what is further apart has no common beginning. */
#define NS_MAX UINT64_C(1000000000000000)

static int parse_id(const char *text, size_t len, uint8_t *ret)
{
	char id[8];
	uint64_t value;

	if (len >= sizeof(id))
		return SL_ERR_FORMAT;
	memcpy(id, text, len);
	id[len] = '\0';
	if (parse_number(id, &value) < 0 || value >= SL_TRACE_IDS)
		return SL_ERR_FORMAT;
	*ret = (uint8_t)value;
	return SL_OK;
}

__extension__ typedef unsigned __int128 wide;

static int64_t ticks_of(uint64_t ns, bool before, uint64_t hz)
{
	int64_t ticks = (int64_t)(((wide)ns * hz + NS_PER_S / 2) / NS_PER_S);

	return before ? -ticks : ticks;
}

static int parse_one(const char *text, uint64_t hz, struct sl_clock_offset *ret)
{
	size_t len = strcspn(text, "=");
	bool before = text[len] == '=' && text[len + 1] == '-';
	uint64_t ns;

	if (!text[len] || parse_id(text, len, &ret->trace_id) < 0)
		return SL_ERR_FORMAT;
	if (parse_number(text + len + 1 + before, &ns) < 0 || ns > NS_MAX)
		return SL_ERR_FORMAT;
	ret->ticks = ticks_of(ns, before, hz);
	return SL_OK;
}

int offsets_parse(const struct options *options, uint64_t hz, struct sl_clock_offset **ret, struct sl_diag *diag)
{
	const struct option_list *list = &options->clock_offsets;

	*ret = NULL;
	if (!list->len)
		return SL_OK;
	if (options->cpu_freq_hz)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock-offset moves timestamps, but with --cpu-freq cycles tell the time: leave one of them out");
	if (!hz)
		return sl_fail(diag, SL_ERR_CONFIG,
			       "--clock-offset: the frequency of the timestamps is not known; give it with --freq HZ");
	*ret = calloc(list->len, sizeof(**ret));
	if (!*ret)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < list->len; i++) {
		if (parse_one(list->items[i], hz, &(*ret)[i]) < 0)
			return sl_fail(diag, SL_ERR_FORMAT,
				       "option '--clock-offset': '%s' is no trace id and nanoseconds such as 0x11=-2500", list->items[i]);
	}
	return SL_OK;
}
