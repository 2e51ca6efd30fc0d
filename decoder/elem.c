/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_elem.h"

#include <stddef.h>
#include <string.h>

/* How many bytes of the union a kind has: what a member is set to leaves the rest of it as it was. */
static size_t union_bytes(unsigned kind)
{
	const struct sl_elem *e = NULL;

	switch (kind) {
	case SL_ELEM_RANGE:
	case SL_ELEM_RANGE_NO_PATH:
		return sizeof(e->range);
	case SL_ELEM_CONTEXT:
		return sizeof(e->context);
	case SL_ELEM_MESSAGE:
		return sizeof(e->message);
	default:
		return sizeof(e->value);
	}
}

bool sl_elem_same(const struct sl_elem *a, const struct sl_elem *b)
{
	return memcmp(a, b, offsetof(struct sl_elem, range) + union_bytes(a->kind)) == 0;
}

const char *sl_elem_kind_name(unsigned kind)
{
	static const char *const names[SL_ELEM_KINDS] = {
		[SL_ELEM_RANGE] = "range",
		[SL_ELEM_RANGE_NO_PATH] = "range no path",
		[SL_ELEM_EXCEPTION] = "exception",
		[SL_ELEM_EXCEPTION_RETURN] = "exception return",
		[SL_ELEM_CONTEXT] = "context",
		[SL_ELEM_TIME] = "timestamp",
		[SL_ELEM_CYCLES] = "cycle count",
		[SL_ELEM_EVENT] = "event",
		[SL_ELEM_MARKER] = "marker",
		[SL_ELEM_TRANSACTION] = "transaction",
		[SL_ELEM_MESSAGE] = "message",
		[SL_ELEM_GAP] = "gap",
		[SL_ELEM_END] = "end",
		[SL_ELEM_TASK] = "task",
		[SL_ELEM_SPACE] = "space",
	};

	return kind < SL_ELEM_KINDS ? names[kind] : "unknown";
}

static const struct {
	const char *name, *advice;
} gaps[SL_GAPS] = {
	[SL_GAP_START] = { "start",
		"bytes before the lane's first sync point cannot be decoded; a shorter sync period (TRCSYNCPR, ETMSYNCFR) "
		"makes them fewer" },
	[SL_GAP_FILTER] = { "filter",
		"tracing was off or filtered out before here; this is how the trace unit was programmed" },
	[SL_GAP_OVERFLOW] = { "overflow",
		"the trace unit's FIFO overflowed and dropped trace; trace less (filters, no cycle counts) or let it stall "
		"the core" },
	[SL_GAP_DEBUG] = { "debug", "the core was in debug state; flow restarts here" },
	[SL_GAP_LOST_SYNC] = { "lost sync",
		"an overflow or discard packet ended the flow; it resumes at the next sync point" },
	[SL_GAP_BAD_PACKET] = { "bad packet",
		"bytes here are no valid packet: damaged on the way, or the registers are not those of this trace; decoding "
		"resumes at the next sync point" },
	[SL_GAP_RESET] = { "reset", "a new piece of trace begins here; decoding resumes at its first sync point" },
	[SL_GAP_NO_IMAGE] = { "no image",
		"the program ran at addresses for which no image is known; give the file with --image FILE@ADDRESS" },
	[SL_GAP_NO_ADDRESS] = { "no address",
		"the address was lost, and is not known before the next address packet" },
	[SL_GAP_DECODE_ERROR] = { "decode error",
		"the packets contradict the program or the protocol; wrong image, wrong registers or damaged bytes; decoding "
		"resumes at the next sync point" },
	[SL_GAP_RUNAWAY] = { "runaway",
		"the image holds no branch where the trace says that one was executed; it is not the program that ran" },
	[SL_GAP_UNTRUSTED] = { "untrusted",
		"what the trace says here is contradicted by what it says up to the next sync point: bytes are missing or wrong, or the "
		"image is not the program that ran; nothing of it is counted. Record anew without loss, or give the very file that ran" },
	[SL_GAP_IMAGE] = { "image mismatch",
		"the trace contradicts the image again and again, and its packets are good: give the very file that ran (of a kernel that is "
		"patched while it runs, what perf record --kcore has); nothing of it is counted" },
};

const char *sl_gap_name(unsigned gap)
{
	return gap < SL_GAPS ? gaps[gap].name : "unknown";
}

const char *sl_gap_advice(unsigned gap)
{
	return gap < SL_GAPS ? gaps[gap].advice : "";
}

/* By libipt's error numbers, in our words. */
const char *sl_gap_reason(const struct sl_elem *gap)
{
	static const char *const reasons[] = {
		NULL, "internal error of libipt", "invalid argument", "out of sync", "unknown opcode of a packet",
		"unknown payload of a packet", "a packet that cannot be here", "end of the trace",
		"the next packet does not fit the instruction", "more events at one place than libipt holds", "bad configuration", "no address", "address suppressed",
		"no code", "no instruction", "no time", "no core to bus ratio", "bad image", "lock", "not supported",
		"a return to a call that is not known", "a return that was not taken", "state that contradicts what was decoded",
		"tracing is off and packets go on", "an event that did not happen", "overflow", "file", "unknown CPU",
	};

	return gap->kind == SL_ELEM_GAP && gap->last < sizeof(reasons) / sizeof(reasons[0]) ? reasons[gap->last] : NULL;
}
