/* SPDX-License-Identifier: Apache-2.0 */
/* Packets on their own: what they are called and say, and the times and cycles that they tell. */
#include <inttypes.h>
#include <stdio.h>

#include "ipt.h"

enum { TEXT_BYTES = 96 };

static const char *name_of(enum pt_packet_type type)
{
	static const char *const names[] = {
		[ppt_pad] = "PAD",	   [ppt_psb] = "PSB",	  [ppt_psbend] = "PSBEND", [ppt_fup] = "FUP",
		[ppt_tip] = "TIP",	   [ppt_tip_pge] = "TIP.PGE", [ppt_tip_pgd] = "TIP.PGD", [ppt_tnt_8] = "TNT.8",
		[ppt_tnt_64] = "TNT.64",   [ppt_mode] = "MODE",	  [ppt_pip] = "PIP",	   [ppt_vmcs] = "VMCS",
		[ppt_cbr] = "CBR",	   [ppt_tsc] = "TSC",	  [ppt_tma] = "TMA",	   [ppt_mtc] = "MTC",
		[ppt_cyc] = "CYC",	   [ppt_stop] = "STOP",	  [ppt_ovf] = "OVF",	   [ppt_mnt] = "MNT",
		[ppt_exstop] = "EXSTOP",   [ppt_mwait] = "MWAIT", [ppt_pwre] = "PWRE",	   [ppt_pwrx] = "PWRX",
		[ppt_ptw] = "PTW",
	};

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "UNKNOWN";
}

static void spell_tnt(const struct pt_packet_tnt *tnt, char *ret)
{
	unsigned n = 0;

	for (unsigned i = tnt->bit_size; i-- > 0;)
		ret[n++] = tnt->payload >> i & 1 ? '!' : '.';
	ret[n] = '\0';
}

/* An address as it is sent: its low bytes, where the rest is that of the last one. */
static void spell_ip(const struct pt_packet_ip *ip, char *ret)
{
	static const uint8_t bytes[] = { [pt_ipc_update_16] = 2, [pt_ipc_update_32] = 4, [pt_ipc_update_48] = 6,
					 [pt_ipc_sext_48] = 6, [pt_ipc_full] = 8 };
	unsigned len = (unsigned)ip->ipc < sizeof(bytes) ? bytes[ip->ipc] : 0;

	if (!len)
		snprintf(ret, TEXT_BYTES, "no address");
	else
		snprintf(ret, TEXT_BYTES, "0x%0*" PRIx64 "%s", (int)(2 * len), ip->ip,
			 ip->ipc == pt_ipc_sext_48 || ip->ipc == pt_ipc_full ? "" : " (low part)");
}

static void spell_mode(const struct pt_packet_mode *mode, char *ret)
{
	static const char *const modes[] = { "unknown", "16-bit", "32-bit", "64-bit" };

	if (mode->leaf == pt_mol_tsx)
		snprintf(ret, TEXT_BYTES, "TSX%s%s", mode->bits.tsx.intx ? " in transaction" : "",
			 mode->bits.tsx.abrt ? " aborted" : "");
	else
		snprintf(ret, TEXT_BYTES, "Exec %s", modes[pt_get_exec_mode(&mode->bits.exec)]);
}

static void spell(const struct pt_packet *p, char *ret)
{
	ret[0] = '\0';
	switch (p->type) {
	case ppt_tnt_8: case ppt_tnt_64:
		spell_tnt(&p->payload.tnt, ret);
		break;
	case ppt_fup: case ppt_tip: case ppt_tip_pge: case ppt_tip_pgd:
		spell_ip(&p->payload.ip, ret);
		break;
	case ppt_mode:
		spell_mode(&p->payload.mode, ret);
		break;
	case ppt_pip:
		snprintf(ret, TEXT_BYTES, "CR3 0x%" PRIx64 "%s", p->payload.pip.cr3, p->payload.pip.nr ? " guest" : "");
		break;
	case ppt_vmcs:
		snprintf(ret, TEXT_BYTES, "base 0x%" PRIx64, p->payload.vmcs.base);
		break;
	case ppt_cbr:
		snprintf(ret, TEXT_BYTES, "core to bus ratio %u", p->payload.cbr.ratio);
		break;
	case ppt_tsc:
		snprintf(ret, TEXT_BYTES, "0x%" PRIx64, p->payload.tsc.tsc);
		break;
	case ppt_tma:
		snprintf(ret, TEXT_BYTES, "CTC 0x%x, fast counter 0x%x", p->payload.tma.ctc, p->payload.tma.fc);
		break;
	case ppt_mtc:
		snprintf(ret, TEXT_BYTES, "CTC 0x%x", p->payload.mtc.ctc);
		break;
	case ppt_cyc:
		snprintf(ret, TEXT_BYTES, "%" PRIu64, p->payload.cyc.value);
		break;
	case ppt_ptw:
		snprintf(ret, TEXT_BYTES, "0x%" PRIx64, p->payload.ptw.payload);
		break;
	default:
		break;
	}
}

static void tell(struct ipt *d, const struct pt_packet *packet, bool has_time, uint64_t time)
{
	struct sl_packet out = {
		.offset = ipt_offset(d, d->packet_at),
		.bytes = d->bytes.held + d->packet_at,
		.len = packet->size,
		.name = name_of(packet->type),
		.sync = packet->type == ppt_psb,
		.has_time = has_time,
		.time = time,
	};
	char text[TEXT_BYTES];

	if (!d->options.packet)
		return;
	if (d->options.packet_text) {
		spell(packet, text);
		out.text = text;
	}
	d->options.packet(d->options.packet_ctx, &out);
}

void ipt_tell_skipped(struct ipt *d, uint64_t at, size_t len)
{
	while (d->options.packet && len) {
		size_t n = len < IPT_SKIPPED ? len : IPT_SKIPPED;
		struct sl_packet out = { .offset = ipt_offset(d, at), .bytes = d->bytes.held + at, .len = n, .name = "NOTSYNC",
					 .text = "", .not_synced = true };

		d->options.packet(d->options.packet_ctx, &out);
		at += n;
		len -= n;
	}
}

/* What follows is no packet, up to the next PSB. */
static void tell_bad(struct ipt *d)
{
	struct sl_packet out = { .offset = ipt_offset(d, d->packet_at), .bytes = d->bytes.held + d->packet_at,
				 .len = 1, .name = "BAD", .text = "", .bad = true };
	uint64_t next = ipt_next_psb(d, d->packet_at + 1);

	if (d->options.packet)
		d->options.packet(d->options.packet_ctx, &out);
	if (next < d->bytes.window)
		pt_pkt_sync_set(d->packets, next);
	ipt_tell_skipped(d, d->packet_at + 1, next - d->packet_at - 1);
	d->packet_at = next;
	ipt_time_reset(&d->time);
}

void ipt_tell_cycles(struct ipt *d)
{
	uint32_t some = d->cycles < UINT32_MAX ? (uint32_t)d->cycles : UINT32_MAX;

	if (!d->cycles || d->options.packets_only)
		return;
	ipt_push(d, d->packet_at, SL_ELEM_CYCLES)->count = some;
	d->cycles = 0;
}

static void take(struct ipt *d, const struct pt_packet *packet)
{
	uint64_t tsc = 0;
	bool has_time = ipt_time_take(&d->time, packet, &tsc);

	tell(d, packet, has_time, tsc);
	if (packet->type == ppt_cyc)
		d->cycles += packet->payload.cyc.value;
	if (!has_time || d->options.packets_only)
		return;
	ipt_tell_cycles(d);
	ipt_push(d, d->packet_at, SL_ELEM_TIME)->value = tsc;
}

/* The length of a TNT.8 or a TIP packet, most of what there is; 0: it is another one, or does not end within len. */
static size_t branch_length(const uint8_t *bytes, size_t len)
{
	static const uint8_t lengths[] = { 1, 3, 5, 7, 7, 0, 9, 0 }; /* by what is sent of the address */
	size_t need = 0;

	if (!(bytes[0] & 1))
		return bytes[0] > 2;
	if ((bytes[0] & 0x1f) == 0x0d)
		need = lengths[bytes[0] >> 5];
	return need <= len ? need : 0;
}

/* Packets that nobody is told of, and that tell no time: libipt takes as long for one of them as for any other. */
static void pass_branches(struct ipt *d, uint64_t at)
{
	size_t len = 1;

	while (len && d->packet_at < at) {
		len = branch_length(d->bytes.held + d->packet_at, at - d->packet_at);
		d->packet_at += len;
	}
	if (d->packet_at < at)
		pt_pkt_sync_set(d->packets, d->packet_at);
}

void ipt_packets_until(struct ipt *d, uint64_t at)
{
	while (d->packet_at < at) {
		struct pt_packet packet;
		int result;

		if (!d->options.packet)
			pass_branches(d, at);
		if (d->packet_at >= at)
			break;
		result = pt_pkt_next(d->packets, &packet, sizeof(packet));
		if (result < 0 || !packet.size) {
			tell_bad(d);
			continue;
		}
		take(d, &packet);
		d->packet_at += packet.size;
	}
}
