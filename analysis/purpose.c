/* SPDX-License-Identifier: Apache-2.0 */
#include "purpose.h"

#include <string.h>

const char *purpose_name(enum purpose purpose)
{
	static const char *const names[PURPOSES] = { "exception-behind", "q-behind", "q-offset", "empty-return-stack",
						      "no-address-yet", "newer-instruction", "source-behind",
						      "newer-packet", "ids-behind" };

	return purpose < PURPOSES ? names[purpose] : NULL;
}

static bool is_walk(const struct sl_elem *e)
{
	return e->kind == SL_ELEM_RANGE || (e->kind == SL_ELEM_GAP && e->count == SL_GAP_NO_IMAGE);
}

/*
 * OpenCSD walks on from an address beyond the exception's, to the end of the image: one element that comes of it. At the
 * next exception it tells of that end again.
 */
static bool exception_behind(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	bool again = purposes->walked && opencsd->kind == SL_ELEM_GAP && opencsd->address == purposes->walked_to;

	if (fast->kind != SL_ELEM_EXCEPTION || !is_walk(opencsd) || opencsd->offset != fast->offset ||
	    (opencsd->range.start <= fast->address && !again))
		return false;
	purposes->walked = opencsd->kind == SL_ELEM_GAP;
	purposes->walked_to = opencsd->address;
	if (opencsd->kind == SL_ELEM_RANGE)
		purposes->walked_isa = sl_elem_last(opencsd) == SL_LAST_BRANCH ? opencsd->isa : SL_ISA_UNKNOWN;
	return true;
}

static bool is_other_isa(uint8_t isa, uint8_t of)
{
	return (isa == SL_ISA_A32 && of == SL_ISA_T32) || (isa == SL_ISA_T32 && of == SL_ISA_A32);
}

/* Whether one instruction that was read in this instruction set can be told so: a BLX is told in the set that it changes to. */
static bool is_read_as(const struct sl_elem *e, uint8_t isa)
{
	return e->isa == isa || (sl_elem_last(e) == SL_LAST_BRANCH && sl_elem_branch(e) == SL_BRANCH_CALL && is_other_isa(e->isa, isa));
}

/*
 * ETE: the last instruction that OpenCSD passed on such a way may be a BLX. What a source address element says of the
 * instruction set is ignored, so that it reads the instruction there as one of the other set.
 */
static bool source_behind(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	uint8_t isa = purposes->walked_isa, other = isa == SL_ISA_A32 ? SL_ISA_T32 : SL_ISA_A32;

	return fast->kind == SL_ELEM_RANGE && opencsd->kind == SL_ELEM_RANGE && fast->count == 1 && opencsd->count == 1 &&
	       fast->offset == opencsd->offset && fast->range.start == opencsd->range.start && is_read_as(fast, isa) &&
	       is_read_as(opencsd, other);
}

/*
 * The same where it looks alike: BL of T32 and the BLX that these bytes are in A32 are told alike, and lead elsewhere.
 */
static bool leads_elsewhere(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return purposes->read_otherwise && is_walk(fast) && is_walk(opencsd) && fast->offset == opencsd->offset &&
	       fast->address != opencsd->address;
}

static void note_read(struct purposes *purposes, const struct sl_elem *e)
{
	purposes->read_otherwise = e->kind == SL_ELEM_RANGE && e->count == 1 && purposes->walked_isa != SL_ISA_UNKNOWN &&
				   sl_elem_last(e) == SL_LAST_BRANCH && sl_elem_branch(e) == SL_BRANCH_CALL;
}

/* A Q element behind such an exception begins nowhere: for OpenCSD where its walk has ended. */
static bool q_behind(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	struct sl_elem other = *opencsd;

	other.offset = fast->offset;
	other.range.start = fast->range.start;
	return fast->kind == SL_ELEM_RANGE_NO_PATH && purposes->walked && opencsd->range.start == purposes->walked_to &&
	       memcmp(&other, fast, sizeof(other)) == 0;
}

/* TRCCONFIGR.QE: IHI 0064H, 7.3.19. */
bool purpose_has_q(const struct sl_trace_config *config)
{
	return config->protocol == SL_PROTOCOL_ETMV4 && config->regs[SL_REG_TRCCONFIGR] >> 13 & 3;
}

/*
 * What comes of a Q element has, in OpenCSD, the offset of an earlier one, or what was in memory: that of ranges and
 * contexts never came before theirs.
 */
static bool q_offset(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	struct sl_elem other = *opencsd;

	other.offset = fast->offset;
	if (!purposes->q || memcmp(&other, fast, sizeof(other)) != 0)
		return false;
	if (fast->kind == SL_ELEM_RANGE_NO_PATH)
		return true;
	return (fast->kind == SL_ELEM_RANGE || fast->kind == SL_ELEM_CONTEXT) && opencsd->offset > fast->offset;
}

static bool is_gap(const struct sl_elem *e, enum sl_gap gap)
{
	return e->kind == SL_ELEM_GAP && e->count == gap;
}

/*
 * An exception behind an indirect branch, whose target nothing tells: OpenCSD takes it from its return stack, and where that is
 * empty it gives up, or was kept from it (docs/opencsd-quirks.md, 46). The fast engine loses its sync there, too, and tells of
 * contexts and times before: they are passed up to behind that.
 */
static bool empty_return_stack(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return purposes->indirect && is_gap(opencsd, SL_GAP_BAD_PACKET) && fast->kind != SL_ELEM_RANGE &&
	       fast->kind != SL_ELEM_RANGE_NO_PATH && fast->kind != SL_ELEM_END;
}

/*
 * Where a Trace Info stands between that exception and its address, the branch's target is asked for no more: OpenCSD was kept from what it
 * would have told as the fast engine does, and has lost its sync alone.
 */
static bool was_kept_alone(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return purposes->indirect && purposes->went_on && is_gap(opencsd, SL_GAP_BAD_PACKET) &&
	       fast->kind == SL_ELEM_RANGE;
}

/* The ids of a context that was passed so are known to the fast engine alone, up to the next that tells its own. */
static bool ids_behind(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	const struct sl_context *behind = &purposes->passed;
	struct sl_elem other = *opencsd;

	if (fast->kind != SL_ELEM_CONTEXT || opencsd->kind != SL_ELEM_CONTEXT ||
	    !((behind->flags & SL_CTX_ID && fast->context.context_id == behind->context_id) ||
	      (behind->flags & SL_CTX_VMID && fast->context.vmid == behind->vmid)))
		return false;
	other.context.context_id = fast->context.context_id;
	other.context.vmid = fast->context.vmid;
	other.context.flags = (uint8_t)((opencsd->context.flags & ~(SL_CTX_ID | SL_CTX_VMID)) |
					(fast->context.flags & (SL_CTX_ID | SL_CTX_VMID)));
	return sl_elem_same(fast, &other);
}

/*
 * An exception, source address or Q element before any address: OpenCSD walks from what was in memory, which is 0 to the fast
 * engine.
 */
static bool no_address_yet(const struct purposes *purposes, const struct sl_elem *fast)
{
	return !purposes->has_address && (fast->kind == SL_ELEM_RANGE_NO_PATH || is_walk(fast)) &&
	       (fast->range.start == 0 || purposes->again);
}

/*
 * ETE: a source address before any context tells no instruction set. OpenCSD reads the instruction there in whatever was in
 * memory: another set (the fast engine's is A32), or none, so that it gives up: at the end of that packet, or of the one that commits it.
 */
static bool source_before_context(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	bool gives_up = is_gap(opencsd, SL_GAP_DECODE_ERROR) && fast->offset <= opencsd->offset;
	bool is_other = opencsd->kind == SL_ELEM_RANGE && opencsd->offset == fast->offset &&
			opencsd->range.start == fast->range.start && opencsd->isa != fast->isa;

	return !purposes->has_context && !purposes->has_address && fast->kind == SL_ELEM_RANGE && fast->count == 1 &&
	       (fast->isa == SL_ISA_A32 || purposes->again) && (gives_up || is_other);
}

/* What comes out with the next P0 element, so that OpenCSD drops it where that is the wrong one. */
static bool waits_for_p0(const struct sl_elem *e)
{
	switch (e->kind) {
	case SL_ELEM_TIME:
	case SL_ELEM_CYCLES:
	case SL_ELEM_EVENT:
	case SL_ELEM_MARKER:
	case SL_ELEM_TRANSACTION:
	case SL_ELEM_EXCEPTION_RETURN:
		return true;
	default: /* Trace On */
		return is_gap(e, SL_GAP_FILTER) || is_gap(e, SL_GAP_OVERFLOW) || is_gap(e, SL_GAP_DEBUG);
	}
}

static bool dropped_before_context(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return !purposes->has_context && !purposes->has_address && is_gap(opencsd, SL_GAP_DECODE_ERROR) &&
	       fast->offset <= opencsd->offset && waits_for_p0(fast);
}

/* ETE 1.3 and newer: TRCDEVARCH.ARCHVER and REVISION, or TRCIDR1.TRCARCHMAJ and TRCARCHMIN. */
bool purpose_has_ite(const struct sl_trace_config *config)
{
	uint32_t devarch = config->regs[SL_REG_TRCDEVARCH], idr1 = config->regs[SL_REG_TRCIDR1];

	if (config->protocol == SL_PROTOCOL_ETE)
		return (devarch >> 12 & 15) >= 5 && (devarch >> 16 & 15) >= 3;
	return config->protocol == SL_PROTOCOL_ETMV4 && (idr1 >> 8 & 15) >= 5 && (idr1 >> 4 & 15) >= 3;
}

/*
 * An ITE packet, which the fast engine passes over: a bad packet to OpenCSD, which tells so at the byte behind its header. So
 * nothing is told in the nine bytes of its payload.
 */
static bool newer_packet(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	bool behind = fast->offset >= opencsd->offset + 9 || fast->kind == SL_ELEM_END;

	return purposes->ite && is_gap(opencsd, SL_GAP_BAD_PACKET) &&
	       (behind || (fast->offset < opencsd->offset && waits_for_p0(fast)));
}

/* Branches of A64 that OpenCSD 1.3.3 does not know: compare and branch, returns with PC as a modifier, TEXIT. */
static bool is_newer_branch(uint32_t word)
{
	return (word & 0x7e000000) == 0x74000000 || (word & 0xffc0001f) == 0x5500001f ||
	       (word & 0xfffffbe0) == 0xd65f0be0 || (word & 0xfffffbff) == 0xd6ff03e0;
}

/* In whatever core's memory: the elements do not tell. */
static bool ends_in_newer_branch(const struct sl_image *image, const struct sl_elem *e)
{
	const struct sl_mapping *mappings;
	size_t n = sl_image_mappings(image, &mappings);

	for (size_t i = 0; i < n; i++) {
		struct sl_bytes code = sl_image_bytes(image, mappings[i].core, SL_SPACE_ANY, e->range.end - 4);
		uint32_t word;

		if (code.len < sizeof(word))
			continue;
		memcpy(&word, code.data, sizeof(word));
		if (is_newer_branch(word))
			return true;
	}
	return false;
}

/* The range that OpenCSD walks beyond such a branch. */
static bool newer_instruction(const struct sl_image *image, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return fast->kind == SL_ELEM_RANGE && fast->isa == SL_ISA_A64 && is_walk(opencsd) && opencsd->offset == fast->offset &&
	       (opencsd->kind == SL_ELEM_GAP || opencsd->range.start == fast->range.start) && ends_in_newer_branch(image, fast);
}

static enum purpose find_of_both(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	if (exception_behind(purposes, fast, opencsd))
		return PURPOSE_EXCEPTION_BEHIND;
	if (source_behind(purposes, fast, opencsd) || leads_elsewhere(purposes, fast, opencsd))
		return PURPOSE_SOURCE_BEHIND;
	if (q_behind(purposes, fast, opencsd))
		return PURPOSE_Q_BEHIND;
	if (q_offset(purposes, fast, opencsd))
		return PURPOSE_Q_OFFSET;
	if (newer_instruction(purposes->image, fast, opencsd))
		return PURPOSE_NEWER_INSTRUCTION;
	if (empty_return_stack(purposes, fast, opencsd) || was_kept_alone(purposes, fast, opencsd))
		return PURPOSE_EMPTY_RETURN_STACK;
	if (ids_behind(purposes, fast, opencsd))
		return PURPOSE_IDS_BEHIND;
	if (source_before_context(purposes, fast, opencsd) || dropped_before_context(purposes, fast, opencsd))
		return PURPOSE_NO_ADDRESS_YET;
	if (newer_packet(purposes, fast, opencsd))
		return PURPOSE_NEWER_PACKET;
	return PURPOSES;
}

/* What the fast engine tells before the element that differs: passed alone, and not counted. */
static bool comes_before(enum purpose purpose, const struct sl_elem *fast)
{
	if (purpose == PURPOSE_NO_ADDRESS_YET)
		return fast->kind != SL_ELEM_RANGE_NO_PATH && !is_walk(fast);
	return purpose == PURPOSE_EMPTY_RETURN_STACK && !is_gap(fast, SL_GAP_BAD_PACKET) && !is_gap(fast, SL_GAP_LOST_SYNC) &&
	       fast->kind != SL_ELEM_RANGE;
}

enum purpose purpose_of(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	enum purpose purpose = fast && opencsd ? find_of_both(purposes, fast, opencsd) : PURPOSES;

	if (purpose == PURPOSES && fast && no_address_yet(purposes, fast))
		purpose = PURPOSE_NO_ADDRESS_YET;
	if (purpose < PURPOSES && !comes_before(purpose, fast))
		purposes->times[purpose]++;
	return purpose;
}

/*
 * A source address behind an indirect branch is one instruction, and does not tell the branch's target: that is still asked for. Elements do
 * not tell source addresses from branches that are targets.
 */
static void note_range(struct purposes *purposes, const struct sl_elem *e)
{
	bool is_taken = sl_elem_last(e) == SL_LAST_INDIRECT && e->flags & SL_FLAG_EXECUTED;
	bool may_be_source = purposes->ete && e->count == 1;

	purposes->has_address = true;
	purposes->indirect = e->kind == SL_ELEM_RANGE && (is_taken || (purposes->indirect && may_be_source));
}

static void note_context(struct purposes *purposes)
{
	purposes->has_context = true;
	purposes->passed.flags = 0;
}

void purpose_same(struct purposes *purposes, const struct sl_elem *elems, size_t len)
{
	if (len)
		purposes->owes = purposes->went_on = false;
	for (size_t i = 0; i < len; i++) {
		const struct sl_elem *e = &elems[i];

		if (e->kind == SL_ELEM_RANGE || e->kind == SL_ELEM_RANGE_NO_PATH)
			note_range(purposes, e);
		else if (e->kind == SL_ELEM_GAP)
			purposes->indirect = false; /* and no address: a source address without memory leaves none behind */
		if (e->kind == SL_ELEM_CONTEXT)
			note_context(purposes);
		if (is_walk(e))
			note_read(purposes, e);
	}
}

/* From here on no packet before counts for either engine. */
static bool begins_anew(const struct purposes *purposes, const struct sl_elem *e)
{
	if (is_gap(e, SL_GAP_RESET))
		return true;
	return !purposes->gave_up &&
	       (is_gap(e, SL_GAP_LOST_SYNC) || is_gap(e, SL_GAP_BAD_PACKET) || is_gap(e, SL_GAP_DECODE_ERROR));
}

static void find_again(struct purposes *purposes)
{
	purposes->lost = false;
	purposes->again = true;
	purposes->walked = purposes->indirect = purposes->has_address = purposes->has_context = false;
	purposes->went_on = purposes->read_otherwise = false;
	purposes->walked_isa = SL_ISA_UNKNOWN;
	purposes->passed.flags = 0;
}

/* Up to a gap of both where they begin anew, whatever each of them has before it. */
static void pass_lost(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd, bool *ret_fast, bool *ret_opencsd)
{
	*ret_fast = fast && !begins_anew(purposes, fast);
	*ret_opencsd = opencsd && !begins_anew(purposes, opencsd);
	if (!*ret_fast && !*ret_opencsd && fast && opencsd && sl_elem_same(fast, opencsd)) {
		*ret_fast = *ret_opencsd = true;
		find_again(purposes);
		return;
	}
	if (!*ret_fast && !*ret_opencsd) {
		*ret_fast = fast && (!opencsd || fast->offset <= opencsd->offset);
		*ret_opencsd = !*ret_fast;
	}
	purposes->gave_up |= (*ret_fast && is_gap(fast, SL_GAP_DECODE_ERROR)) || (*ret_opencsd && is_gap(opencsd, SL_GAP_DECODE_ERROR));
}

/*
 * A Trace Info of more elements than can be in flight is a decode error, and then a bad packet, by which the fast engine comes to lose its sync.
 * OpenCSD has lost it already, at the exception before: it tells of the error behind that.
 */
static bool is_owed(struct purposes *purposes, const struct sl_elem *opencsd)
{
	bool owed = purposes->owes && opencsd && is_gap(opencsd, SL_GAP_DECODE_ERROR) && opencsd->offset == purposes->owes_at;

	if (owed)
		purposes->owes = false;
	return owed;
}

/* What the fast engine tells alone, before it loses its sync as well. */
static void note_before(struct purposes *purposes, const struct sl_elem *fast)
{
	if (fast->kind == SL_ELEM_CONTEXT)
		purposes->passed = fast->context;
	purposes->went_on |= fast->kind == SL_ELEM_EXCEPTION;
	if (is_gap(fast, SL_GAP_DECODE_ERROR)) {
		purposes->owes = true;
		purposes->owes_at = fast->offset;
	}
}

static bool passes_both(enum purpose purpose)
{
	return purpose == PURPOSE_Q_OFFSET || purpose == PURPOSE_Q_BEHIND || purpose == PURPOSE_EMPTY_RETURN_STACK ||
	       purpose == PURPOSE_IDS_BEHIND;
}

bool purpose_pass(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd, bool *ret_fast, bool *ret_opencsd)
{
	enum purpose purpose;

	if (purposes->lost) {
		pass_lost(purposes, fast, opencsd, ret_fast, ret_opencsd);
		return true;
	}
	*ret_fast = false;
	*ret_opencsd = is_owed(purposes, opencsd);
	if (*ret_opencsd)
		return true;
	purpose = purpose_of(purposes, fast, opencsd);
	if (purpose == PURPOSES)
		return false;
	*ret_fast = passes_both(purpose) && !(purpose == PURPOSE_EMPTY_RETURN_STACK && fast->kind == SL_ELEM_RANGE);
	*ret_opencsd = *ret_fast || purpose == PURPOSE_EXCEPTION_BEHIND;
	if (comes_before(purpose, fast)) {
		*ret_fast = true;
		*ret_opencsd = false;
		if (purpose == PURPOSE_EMPTY_RETURN_STACK)
			note_before(purposes, fast);
	} else if (purpose == PURPOSE_EMPTY_RETURN_STACK && *ret_fast) {
		purposes->indirect = purposes->went_on = false;
	} else if (!*ret_opencsd) {
		purposes->lost = true;
		/* pass_lost() sees whether it gave up; and what an ITE packet holds it has read as packets */
		purposes->gave_up = purpose == PURPOSE_NEWER_PACKET;
	}
	return true;
}
