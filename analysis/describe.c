/* SPDX-License-Identifier: Apache-2.0 */
#include "describe.h"

#include <inttypes.h>
#include <stdio.h>

const char *describe_isa(unsigned isa)
{
	static const char *const names[] = { "", "A64", "A32", "T32", "Jaz", "x64", "x86", "x16" };

	return isa < sizeof(names) / sizeof(names[0]) ? names[isa] : "";
}

static void describe_range(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const last[] = { "", "branch", "indirect", "isb", "dsb", "wfi", "tstart" };
	static const char *const branch[] = { "", " call", " return", " eret", " return" };
	unsigned l = sl_elem_last(e), b = sl_elem_branch(e);

	snprintf(ret, cap, "%s%s%s%s", l < 7 ? last[l] : "?", b < 5 ? branch[b] : "?",
		 e->flags & SL_FLAG_CONDITIONAL ? " conditional" : "",
		 e->flags & SL_FLAG_EXECUTED ? "" : " not taken");
}

static void describe_context(const struct sl_context *c, char *ret, size_t cap)
{
	static const char *const security[] = { "secure", "non-secure", "root", "realm" };
	int n = snprintf(ret, cap, "%s %s-bit", c->security < 4 ? security[c->security] : "?",
			 c->flags & SL_CTX_64BIT ? "64" : "32");

	if (c->flags & SL_CTX_EL)
		n += snprintf(ret + n, cap - (size_t)n, " EL%u", c->el);
	if (c->flags & SL_CTX_ID)
		n += snprintf(ret + n, cap - (size_t)n, " context 0x%x", c->context_id);
	if (c->flags & SL_CTX_VMID)
		snprintf(ret + n, cap - (size_t)n, " vmid 0x%x", c->vmid);
}

static void describe_message(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const kinds[] = { "data", "flag", "trigger", "frequency", "error", "dwt" };
	unsigned kind = e->message.kind;

	snprintf(ret, cap, "%s master %u channel %u, %u bits%s", kind < 6 ? kinds[kind] : "?", e->message.master,
		 e->message.channel, e->message.bits, e->flags & SL_FLAG_MARKER ? " with marker" : "");
}

void describe_elem(const struct sl_elem *e, char *ret, size_t cap)
{
	static const char *const transactions[] = { "init", "start", "commit", "fail" };

	ret[0] = '\0';
	switch (e->kind) {
	case SL_ELEM_RANGE:
	case SL_ELEM_RANGE_NO_PATH:
		describe_range(e, ret, cap);
		break;
	case SL_ELEM_CONTEXT:
		describe_context(&e->context, ret, cap);
		break;
	case SL_ELEM_MESSAGE:
		describe_message(e, ret, cap);
		break;
	case SL_ELEM_GAP:
		snprintf(ret, cap, "%s%s%s", sl_gap_name(e->count), sl_gap_reason(e) ? ": " : "",
			 sl_gap_reason(e) ? sl_gap_reason(e) : "");
		break;
	case SL_ELEM_TRANSACTION:
		snprintf(ret, cap, "%s", e->count < 4 ? transactions[e->count] : "?");
		break;
	case SL_ELEM_TIME:
	case SL_ELEM_CYCLES:
		snprintf(ret, cap, "%s", e->flags & SL_FLAG_ATTACHED ? "attached" : "");
		break;
	default:
		break;
	}
}

/* What stands in columns of their own where elements are a table. */
static int numbers(const struct sl_elem *e, char *ret, size_t cap)
{
	switch (e->kind) {
	case SL_ELEM_RANGE:
	case SL_ELEM_RANGE_NO_PATH:
		return snprintf(ret, cap, "%s 0x%" PRIx64 "-0x%" PRIx64 " %" PRIu32 " instructions", describe_isa(e->isa),
				e->range.start, e->range.end, e->count);
	case SL_ELEM_EXCEPTION:
		if (e->flags & SL_FLAG_ADDRESS)
			return snprintf(ret, cap, "%" PRIu32 " at 0x%" PRIx64 "%s", e->count, e->address,
					e->flags & SL_FLAG_TARGET ? ", the branch's target" : "");
		return snprintf(ret, cap, "%" PRIu32, e->count);
	case SL_ELEM_GAP:
		return e->flags & SL_FLAG_ADDRESS ? snprintf(ret, cap, "0x%" PRIx64, e->address) : 0;
	case SL_ELEM_TIME:
	case SL_ELEM_MARKER:
		return snprintf(ret, cap, "%" PRIu64, e->value);
	case SL_ELEM_CYCLES:
	case SL_ELEM_EVENT:
	case SL_ELEM_TASK:
	case SL_ELEM_SPACE:
	case SL_ELEM_MESSAGE:
		return snprintf(ret, cap, "%" PRIu32, e->count);
	default:
		return 0;
	}
}

void describe_line(const struct sl_elem *e, char *ret, size_t cap)
{
	char first[100] = "", second[160];

	numbers(e, first, sizeof(first));
	describe_elem(e, second, sizeof(second));
	snprintf(ret, cap, "%s%s%s%s%s", sl_elem_kind_name(e->kind), first[0] ? " " : "", first, second[0] ? " " : "", second);
}
