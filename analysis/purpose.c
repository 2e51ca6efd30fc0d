/* SPDX-License-Identifier: Apache-2.0 */
#include "purpose.h"

#include <string.h>

const char *purpose_name(enum purpose purpose)
{
	static const char *const names[PURPOSES] = { "exception-behind", "q-behind", "q-offset", "no-address-yet",
						      "newer-instruction", "source-behind" };

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

/*
 * ETE: the last instruction that OpenCSD passed on such a way may be a BLX. What a source address element says of the
 * instruction set is ignored, so that it reads the instruction there as one of the other set.
 */
static bool source_behind(const struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	return fast->kind == SL_ELEM_RANGE && opencsd->kind == SL_ELEM_RANGE && fast->count == 1 && opencsd->count == 1 &&
	       fast->offset == opencsd->offset && fast->range.start == opencsd->range.start &&
	       fast->isa == purposes->walked_isa && is_other_isa(opencsd->isa, purposes->walked_isa);
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

/* An exception, source address or Q element before any address: OpenCSD walks from what was in memory. */
static bool no_address_yet(const struct sl_elem *fast)
{
	return (fast->kind == SL_ELEM_RANGE_NO_PATH || is_walk(fast)) && fast->range.start == 0;
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

static enum purpose find(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	if (!fast)
		return PURPOSES;
	if (opencsd && exception_behind(purposes, fast, opencsd))
		return PURPOSE_EXCEPTION_BEHIND;
	if (opencsd && source_behind(purposes, fast, opencsd))
		return PURPOSE_SOURCE_BEHIND;
	if (opencsd && q_behind(purposes, fast, opencsd))
		return PURPOSE_Q_BEHIND;
	if (opencsd && q_offset(purposes, fast, opencsd))
		return PURPOSE_Q_OFFSET;
	if (opencsd && newer_instruction(purposes->image, fast, opencsd))
		return PURPOSE_NEWER_INSTRUCTION;
	return no_address_yet(fast) ? PURPOSE_NO_ADDRESS_YET : PURPOSES;
}

enum purpose purpose_of(struct purposes *purposes, const struct sl_elem *fast, const struct sl_elem *opencsd)
{
	enum purpose purpose = find(purposes, fast, opencsd);

	if (purpose < PURPOSES)
		purposes->times[purpose]++;
	return purpose;
}

bool purpose_passes(enum purpose purpose, bool *fast, bool *opencsd)
{
	*fast = purpose == PURPOSE_Q_OFFSET || purpose == PURPOSE_Q_BEHIND;
	*opencsd = *fast || purpose == PURPOSE_EXCEPTION_BEHIND;
	return *opencsd;
}
