/* SPDX-License-Identifier: Apache-2.0 */
/* Where the trace says a thing twice: whether it says the same. IHI 0064H: what a sync point repeats. */
#include "e4_decoder.h"

static uint64_t where(const struct e4_decoder *dec)
{
	return dec->run ? dec->runs->hot[dec->run].start : dec->pc;
}

static bool is_known(const struct e4_decoder *dec)
{
	return !dec->need_address && !dec->need_context && !dec->moved && !dec->lost;
}

void e4_mark_at(struct e4_decoder *dec, enum sl_mark_kind kind, uint64_t offset, uint64_t address)
{
	dec->open = 0; /* ranges are not merged across what tells of them */
	if (engine_mark(&dec->base, kind, offset, address) < 0)
		dec->queue.no_memory = true;
}

void e4_mark(struct e4_decoder *dec, enum sl_mark_kind kind, uint64_t offset)
{
	e4_mark_at(dec, kind, offset, where(dec));
}

void e4_mark_address(struct e4_decoder *dec, uint64_t address, uint64_t offset)
{
	bool known = is_known(dec), same = address == where(dec);

	if (known && !same)
		e4_mark(dec, SL_MARK_ADDRESS, offset);
	if (!dec->sync_due || offset < dec->sync_offset)
		return;
	dec->sync_due = false;
	e4_mark_at(dec, known && same ? SL_MARK_CONFIRMED : SL_MARK_SYNC, offset, known ? where(dec) : 0);
}

void e4_mark_until(struct e4_decoder *dec, uint64_t until, uint64_t offset)
{
	if (is_known(dec) && until != dec->pc && !code_leads_to(&dec->code, dec->isa, dec->pc, until))
		e4_mark(dec, SL_MARK_ADDRESS, offset);
}

void e4_mark_sync(struct e4_decoder *dec, uint64_t offset)
{
	dec->sync_due = true;
	dec->sync_offset = offset;
}
