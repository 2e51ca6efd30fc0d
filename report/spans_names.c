/* SPDX-License-Identifier: Apache-2.0 */
#include "writers.h"

const char *sl_span_kind_name(unsigned kind)
{
	static const char *const names[] = {
		[SL_SPAN_ENTER] = "enter",   [SL_SPAN_LEAVE] = "leave", [SL_SPAN_LEVEL] = "level",
		[SL_SPAN_RESUME] = "resume", [SL_SPAN_GAP] = "gap",	[SL_SPAN_INSN] = "insn",
		[SL_SPAN_NOTE] = "note",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "unknown";
}

const char *sl_span_flag_name(unsigned i)
{
	static const char *const names[] = { "no_entry", "no_exit", "tail", "repaired" };

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}
