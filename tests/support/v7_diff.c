/* SPDX-License-Identifier: Apache-2.0 */
#include "v7_diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_text.h"
#include "sl_array.h"

struct seen {
	uint64_t offset, time;
	size_t len;
	char name[24];
	bool not_synced, sync, bad, has_time;
};

struct output {
	struct sl_elem *elems;
	size_t len, cap;
	struct seen *packets;
	size_t packets_len, packets_cap;
};

static void on_packet(void *ctx, const struct sl_packet *packet)
{
	struct output *out = ctx;
	struct seen seen = { .offset = packet->offset,
			     .len = packet->len,
			     .not_synced = packet->not_synced,
			     .sync = packet->sync,
			     .bad = packet->bad,
			     .has_time = packet->has_time };

	if (packet->has_time)
		seen.time = packet->time;
	snprintf(seen.name, sizeof(seen.name), "%s", packet->name);
	if (packet->not_synced)
		return;
	if (SL_ARRAY_PUSH(&out->packets, &out->packets_len, &out->packets_cap, seen) < 0)
		abort();
}

static void drain(struct sl_decoder *dec, struct output *out)
{
	struct sl_elem *elems;
	size_t n;
	int result;

	while ((result = sl_decoder_lend(dec, &elems, &n)) == SL_OK) {
		if (sl_array_reserve((void **)&out->elems, &out->cap, sizeof(*elems), out->len + n) < 0)
			abort();
		memcpy(out->elems + out->len, elems, n * sizeof(*elems));
		out->len += n;
	}
	if (result != SL_END)
		abort();
}

static void decode(const struct v7_diff *d, enum sl_engine engine, struct output *out)
{
	struct sl_decoder_options options = *d->options;
	struct sl_diag diag = { "" };
	struct sl_decoder *dec;
	size_t piece = d->piece ? d->piece : d->lane.len;

	options.engine = engine;
	options.packet = d->packets ? on_packet : NULL;
	options.packet_ctx = out;
	if (sl_decoder_new(d->config, &options, &dec, &diag) < 0) {
		fprintf(stderr, "%s\n", diag.text);
		abort();
	}
	for (size_t at = 0, n; at < d->lane.len; at += n) {
		n = d->lane.len - at < piece ? d->lane.len - at : piece;
		if (at < d->restart_at && n > d->restart_at - at)
			n = d->restart_at - at;
		if (at && at == d->restart_at)
			sl_decoder_restart(dec);
		sl_decoder_feed(dec, (struct sl_bytes){ d->lane.data + at, n, d->lane.offset + at });
		drain(dec, out);
	}
	sl_decoder_finish(dec);
	drain(dec, out);
	sl_decoder_free(dec);
}

static bool same_elems(const struct output *a, const struct output *b, char *ret_text, size_t cap,
		       uint64_t *ret_at)
{
	size_t i = 0;
	char x[160] = "nothing", y[160] = "nothing", before[160] = "nothing";

	while (i < a->len && i < b->len && sl_elem_same(&a->elems[i], &b->elems[i]))
		i++;
	if (i == a->len && i == b->len)
		return true;
	*ret_at = i < a->len && (i == b->len || a->elems[i].offset < b->elems[i].offset) ? a->elems[i].offset
											 : b->elems[i].offset;
	if (i < a->len)
		elem_text(&a->elems[i], x, sizeof(x));
	if (i < b->len)
		elem_text(&b->elems[i], y, sizeof(y));
	if (i)
		elem_text(&a->elems[i - 1], before, sizeof(before));
	snprintf(ret_text, cap, "element %zu (at %" PRIu64 "): OpenCSD: %s; fast: %s; before: %s", i,
		 i < a->len ? a->elems[i].offset : 0, x, y, before);
	return false;
}

static bool same_seen(const struct seen *a, const struct seen *b)
{
	return a->offset == b->offset && a->len == b->len && a->time == b->time && strcmp(a->name, b->name) == 0 &&
	       a->not_synced == b->not_synced && a->sync == b->sync && a->bad == b->bad && a->has_time == b->has_time;
}

static bool same_packets(const struct output *a, const struct output *b, char *ret_text, size_t cap,
			 uint64_t *ret_at)
{
	static const struct seen none = { .name = "nothing" };
	const struct seen *x, *y;
	size_t i = 0;

	while (i < a->packets_len && i < b->packets_len && same_seen(&a->packets[i], &b->packets[i]))
		i++;
	if (i == a->packets_len && i == b->packets_len)
		return true;
	x = i < a->packets_len ? &a->packets[i] : &none;
	y = i < b->packets_len ? &b->packets[i] : &none;
	*ret_at = x->offset;
	snprintf(ret_text, cap,
		 "packet %zu: OpenCSD: %s at %" PRIu64 " (%zu bytes, time %" PRIx64 "); fast: %s at %" PRIu64
		 " (%zu, %" PRIx64 ")",
		 i, x->name, x->offset, x->len, x->time, y->name, y->offset, y->len, y->time);
	return false;
}

bool v7_diff(struct v7_diff *diff, char *ret_text, size_t cap)
{
	struct output a = { 0 }, b = { 0 };
	bool same;

	decode(diff, SL_ENGINE_OPENCSD, &a);
	decode(diff, SL_ENGINE_FAST, &b);
	for (size_t i = 0; i < a.len; i++) {
		diff->ranges += a.elems[i].kind == SL_ELEM_RANGE;
		diff->instructions += a.elems[i].kind == SL_ELEM_RANGE ? a.elems[i].count : 0;
		diff->gaps += a.elems[i].kind == SL_ELEM_GAP;
	}
	diff->elems += a.len;
	same = same_elems(&a, &b, ret_text, cap, &diff->differ_at) &&
	       same_packets(&a, &b, ret_text, cap, &diff->differ_at);
	free(a.elems);
	free(b.elems);
	free(a.packets);
	free(b.packets);
	return same;
}

uint64_t v7_sum(const struct v7_diff *diff, enum sl_engine engine)
{
	struct sl_decoder_options options = *diff->options;
	struct sl_decoder *dec;
	struct sl_elem *elems;
	uint64_t ranges = 0, instructions = 0;
	size_t n;

	options.engine = engine;
	if (sl_decoder_new(diff->config, &options, &dec, NULL) < 0)
		abort();
	sl_decoder_feed(dec, diff->lane);
	for (unsigned pass = 0; pass < 2; pass++) {
		while (sl_decoder_lend(dec, &elems, &n) == SL_OK) {
			for (size_t i = 0; i < n; i++) {
				ranges += elems[i].kind == SL_ELEM_RANGE;
				instructions += elems[i].kind == SL_ELEM_RANGE ? elems[i].count : 0;
			}
		}
		sl_decoder_finish(dec);
	}
	sl_decoder_free(dec);
	return instructions + (ranges << 40);
}

void v7_append(struct v7_bytes *to, const uint8_t *data, size_t len)
{
	if (sl_array_reserve((void **)&to->data, &to->cap, 1, to->len + len) < 0)
		abort();
	if (len)
		memcpy(to->data + to->len, data, len);
	to->len += len;
}

uint64_t v7_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* One change of a lane of more than 64 bytes. */
static void change(struct v7_bytes *lane, uint64_t *state)
{
	/* headers of both protocols, and what they consist of */
	static const uint8_t likely[] = { 0,	0x80, 0x08, 0x70, 0x72, 0x6e, 0x76, 0x7e,
					  0x42, 0x04, 0x3c, 0x0c, 0x66, 0xff, 0x81 };
	size_t at = v7_random(state) % (lane->len - 32), n = 1 + v7_random(state) % 24;
	uint8_t value = (uint8_t)v7_random(state);

	switch (v7_random(state) % 5) {
	case 0:
		lane->data[at] = value;
		break;
	case 1:
		lane->data[at] = likely[value % sizeof(likely)];
		break;
	case 2:
		lane->data[at] ^= (uint8_t)(1u << value % 8);
		break;
	case 3:
		memmove(lane->data + at, lane->data + at + n, lane->len - at - n);
		lane->len -= n;
		break;
	default:
		memmove(lane->data + at, lane->data + v7_random(state) % (lane->len - 32), n);
		break;
	}
}

void v7_mutate(struct v7_bytes *lane, uint64_t *state)
{
	for (unsigned n = 1 + (unsigned)(v7_random(state) % 24); n && lane->len > 64; n--)
		change(lane, state);
	if (v7_random(state) % 4 == 0)
		lane->len -= v7_random(state) % 64 % lane->len;
}

void v7_scramble(struct sl_trace_config *config, uint64_t *state)
{
	static const enum sl_arch archs[] = { SL_ARCH_UNKNOWN, SL_ARCH_V7, SL_ARCH_V7, SL_ARCH_V8 };
	uint64_t value = v7_random(state);

	/* cycle-accurate, context id size, timestamps, return stack, VMID; never data trace */
	sl_config_set(config, SL_REG_ETMCR, (uint32_t)value & 0x7000d000);
	sl_config_set(config, SL_REG_ETMIDR, 0x41000200 | (uint32_t)(value >> 32 & 0x50) | (uint32_t)(value >> 40 & 1) << 20);
	sl_config_set(config, SL_REG_ETMCCER, (uint32_t)v7_random(state) & 0x3fc00000);
	config->profile = (enum sl_core_profile)(value >> 48 & 1 ? SL_PROFILE_M : SL_PROFILE_A);
	config->arch = archs[value >> 52 & 3];
}
