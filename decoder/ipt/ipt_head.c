/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a window: PSB, and what follows it up to PSBEND (Intel SDM, volume 3, 33.3.7). */
#include "ipt.h"

enum { PACKET_MAX = 16 };

struct head {
	size_t len;
	bool known; /* execution is traced, at ip */
	uint64_t ip;
};
typedef void head_fn(struct ipt *d, const struct pt_packet *packet);

/* The address of a head's FUP: what is not sent is 0. */
static void take_ip(const struct pt_packet_ip *ip, struct head *ret)
{
	ret->known = ip->ipc != pt_ipc_suppressed;
	ret->ip = ip->ip;
	if (ip->ipc == pt_ipc_sext_48)
		ret->ip = (uint64_t)((int64_t)(ip->ip << 16) >> 16);
}

static bool may_be_in_head(enum pt_packet_type type)
{
	switch (type) {
	case ppt_pad: case ppt_tsc: case ppt_tma: case ppt_cbr: case ppt_mode: case ppt_pip: case ppt_vmcs: case ppt_fup:
	case ppt_mtc: case ppt_cyc:
		return true;
	default:
		return false;
	}
}

/* From the first packet, which is the PSB: SL_OK; SL_END where more bytes are needed; SL_ERR_FORMAT where it has no PSBEND. */
static int read_head(struct ipt *d, struct pt_packet_decoder *packets, head_fn *tell, struct head *ret)
{
	for (;;) {
		struct pt_packet packet;
		int result = pt_pkt_next(packets, &packet, sizeof(packet));
		bool first = !ret->len;

		if (result < 0)
			return result == -pte_eos ? SL_END : SL_ERR_FORMAT;
		ret->len += packet.size;
		if (packet.type == ppt_psbend)
			return SL_OK;
		if (!(first ? packet.type == ppt_psb : may_be_in_head(packet.type)))
			return SL_ERR_FORMAT;
		if (packet.type == ppt_fup)
			take_ip(&packet.payload.ip, ret);
		if (tell)
			tell(d, &packet);
	}
}

/* The packets from held[0] on, in so many bytes. NULL: no memory. */
static struct pt_packet_decoder *open_packets(struct ipt *d, size_t len)
{
	struct pt_packet_decoder *packets;

	d->config.begin = d->bytes.held;
	d->config.end = d->bytes.held + len;
	packets = pt_pkt_alloc_decoder(&d->config);
	if (packets && pt_pkt_sync_set(packets, 0) >= 0)
		return packets;
	pt_pkt_free_decoder(packets);
	d->queue.no_memory = true;
	return NULL;
}

static int find_head(struct ipt *d, head_fn *tell, struct head *ret)
{
	size_t len = d->bytes.len < IPT_HEAD_MAX ? d->bytes.len : IPT_HEAD_MAX;
	struct pt_packet_decoder *packets = open_packets(d, len);
	int result;

	*ret = (struct head){ 0 };
	if (!packets)
		return SL_ERR_NOMEM;
	result = read_head(d, packets, tell, ret);
	pt_pkt_free_decoder(packets);
	if (result == SL_ERR_FORMAT && len - ret->len < PACKET_MAX)
		result = SL_END; /* libipt may take a packet that is cut for none */
	return result == SL_END && len == IPT_HEAD_MAX ? SL_ERR_FORMAT : result;
}

/* What its packets tell, and where it joins the flow. */
static void take(struct ipt *d, const struct head *head)
{
	d->packets = open_packets(d, head->len);
	if (!d->packets)
		return;
	d->at = head->len;
	d->packet_at = 0;
	ipt_tell_cycles(d);
	ipt_packets_until(d, d->at);
	pt_pkt_free_decoder(d->packets);
	d->packets = NULL;
	ipt_ask_moment(d);
	ipt_join(d, head->known, head->ip);
	ipt_tell_cycles(d);
	space_tell(&d->space);
	ipt_confirm(d);
	d->told_to = ipt_offset(d, head->len);
	d->bytes.head = head->len;
}

bool ipt_take_head(struct ipt *d)
{
	struct ipt_bytes *b = &d->bytes;
	struct head head;
	int result;

	b->headed = d->options.packets_only;
	if (b->headed)
		return true;
	result = find_head(d, NULL, &head);
	if (result == SL_ERR_NOMEM || (result == SL_END && !b->cut && !b->finishing))
		return false;
	b->headed = true;
	if (result == SL_OK)
		take(d, &head);
	return !d->queue.no_memory;
}

void ipt_take_status(struct ipt *d)
{
	struct head head;

	find_head(d, ipt_event_status, &head);
}
