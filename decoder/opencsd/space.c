/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose memory it is: that of the task which the trace's context names, else of the one that the capture knows to have
 * run then, as that memory was at the time.
 */
#include "ocsd.h"

static uint32_t task_of(const struct ocsd_decoder *dec, const void *packet)
{
	uint32_t context_id = 0, vmid = 0;

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

void ocsd_space_tell(struct ocsd_decoder *dec)
{
	for (unsigned i = 0; i < dec->told_len; i++)
		ocsd_queue(dec, &dec->told[i]);
	dec->told_len = 0;
}

/*
 * Something is to be told before the elements of the packet at e's offset. What came before may still be held back by
 * OpenCSD, so that it waits for the first of those elements.
 */
static void tell(struct ocsd_decoder *dec, struct sl_elem e)
{
	if (dec->told_len && (dec->told[0].offset != e.offset || dec->told_len == TOLD_MAX))
		ocsd_space_tell(dec);
	dec->told[dec->told_len++] = e;
}

static void choose_core(struct ocsd_decoder *dec, uint64_t offset)
{
	const struct sl_image *image = dec->options.image;
	uint32_t core = dec->home_core;

	if (dec->moment.task_known)
		core = sl_image_task_core(image, dec->moment.task, core);
	if (dec->task)
		core = sl_image_task_core(image, dec->task, core);
	core = sl_image_core_within(image, core, dec->moment.window);
	if (core == dec->options.core)
		return;
	dec->options.core = core;
	dec->code = (struct sl_bytes){ 0 };
	tell(dec, (struct sl_elem){ .offset = offset, .kind = SL_ELEM_SPACE, .count = core });
}

/* Whether anything is new. */
static bool ask_moment(struct ocsd_decoder *dec, uint64_t offset)
{
	struct sl_moment moment = { .window = SL_WINDOW_ANY, .until = UINT64_MAX }, before = dec->moment;

	if (offset < before.until)
		return false;
	if (dec->options.moment)
		dec->options.moment(dec->options.moment_ctx, offset, &moment);
	dec->moment = moment;
	if (moment.task_known != before.task_known || moment.task != before.task)
		tell(dec, (struct sl_elem){ .offset = offset, .kind = SL_ELEM_TASK, .count = moment.task,
					    .value = moment.task_known });
	return true;
}

/*
 * The context packet names the task whose code is walked next. Its element comes too late for that: OpenCSD holds it
 * back until after the walk.
 */
static bool follow_task(struct ocsd_decoder *dec, const void *packet)
{
	uint32_t task = dec->config.task_from == SL_TASK_UNKNOWN ? 0 : task_of(dec, packet);

	if (task == dec->task)
		return false;
	dec->task = task;
	return true;
}

void ocsd_space_packet(struct ocsd_decoder *dec, const void *packet, uint64_t offset)
{
	bool moved = ask_moment(dec, offset), switched = follow_task(dec, packet);

	if ((moved || switched) && dec->options.image)
		choose_core(dec, offset);
}

void ocsd_space_restart(struct ocsd_decoder *dec)
{
	ocsd_space_tell(dec);
	dec->task = 0;
	dec->moment.until = 0;
}
