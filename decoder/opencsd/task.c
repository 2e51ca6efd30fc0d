/* SPDX-License-Identifier: Apache-2.0 */
/* The task that a packet of OpenCSD's names. */
#include "ocsd.h"

static uint32_t task_of(const struct ocsd_decoder *dec, const void *packet)
{
	uint32_t context_id = 0, vmid = 0;

	if (dec->config.task_from == SL_TASK_UNKNOWN)
		return 0;
	if (dec->protocol == SL_PROTOCOL_ETMV4 || dec->protocol == SL_PROTOCOL_ETE) {
		context_id = ((const ocsd_etmv4_i_pkt *)packet)->context.ctxtID;
		vmid = ((const ocsd_etmv4_i_pkt *)packet)->context.VMID;
	} else if (dec->protocol == SL_PROTOCOL_ETMV3) {
		context_id = ((const ocsd_etmv3_pkt *)packet)->context.ctxtID;
	} else if (dec->protocol == SL_PROTOCOL_PTM) {
		context_id = ((const ocsd_ptm_pkt *)packet)->context.ctxtID;
	}
	return dec->config.task_from == SL_TASK_VMID ? vmid : context_id;
}

/* Whether a packet changes the side whose memory is read. ETMv4's decoder forgets by itself what it knows of the other. */
static bool changes_security(struct ocsd_decoder *dec, const void *packet)
{
	bool nonsecure = dec->nonsecure;

	if (dec->protocol == SL_PROTOCOL_ETMV3)
		nonsecure = ((const ocsd_etmv3_pkt *)packet)->context.curr_NS;
	else if (dec->protocol == SL_PROTOCOL_PTM)
		nonsecure = ((const ocsd_ptm_pkt *)packet)->context.curr_NS;
	if (nonsecure == dec->nonsecure)
		return false;
	dec->nonsecure = nonsecure;
	return true;
}

void ocsd_space_packet(struct ocsd_decoder *dec, const void *packet, uint64_t offset)
{
	bool other_side = changes_security(dec, packet);

	if (space_packet(&dec->space, task_of(dec, packet), offset) || (other_side && dec->space.image))
		ocsd_forget_code(dec);
}
