/* SPDX-License-Identifier: Apache-2.0 */
#include "random_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "encoder_trial.h"
#include "encoder_unit.h"
#include "sl_array.h"

enum { STREAM_MAX = 1 << 18 };

void stream_release(struct random_stream *stream)
{
	free(stream->data);
	sl_image_free(stream->image);
}

static void append(struct random_stream *stream, size_t *cap, struct sl_bytes bytes)
{
	if (!bytes.len)
		return;
	if (sl_array_reserve((void **)&stream->data, cap, 1, stream->len + bytes.len) < 0)
		abort();
	memcpy(stream->data + stream->len, bytes.data, bytes.len);
	stream->len += bytes.len;
}

/* A piece of the bytes behind fd at an address. */
struct piece {
	uint64_t offset, len, address;
};

/* Names that have nothing to do with the code, but for who looks for what lies in one symbol. */
static void name_functions(struct sl_image *image, const struct piece *piece)
{
	enum { FUNCTION = 0x90 };
	char name[32];

	for (uint64_t at = 0; at < piece->len; at += FUNCTION) {
		snprintf(name, sizeof(name), "f_%llx", (unsigned long long)(piece->address + at));
		if (sl_image_add_symbol(image, SL_CORE_ANY, piece->address + at, FUNCTION - 0x10, name, "code") < 0)
			abort();
	}
}

/* One file for all pieces: an image knows files by their paths. */
static struct sl_image *pieces_image(const void *data, size_t len, const struct piece *pieces, unsigned count)
{
	struct sl_place place = { .core = SL_CORE_ANY, .space = SL_SPACE_ANY, .address_known = true };
	int fd = memfd_create("code", 0);
	struct sl_image *image;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || sl_image_new(&image) < 0)
		abort();
	for (unsigned i = 0; i < count; i++) {
		place.address = pieces[i].address;
		place.offset = pieces[i].offset;
		place.len = pieces[i].len;
		if (sl_image_add_dump(image, path, &place, NULL, NULL) < 0)
			abort();
		name_functions(image, &pieces[i]);
	}
	if (sl_image_seal(image) < 0)
		abort();
	close(fd);
	return image;
}

struct sl_image *bytes_image(const void *data, size_t len, uint64_t address, uint64_t second)
{
	const struct piece pieces[] = { { 0, len, address }, { 0, len, second } };

	return pieces_image(data, len, pieces, second == address ? 1 : 2);
}

static struct sl_image *parts_image(const struct program *program)
{
	struct piece pieces[PROGRAM_PARTS];

	for (unsigned i = 0; i < PROGRAM_PARTS; i++)
		pieces[i] = (struct piece){ i * PROGRAM_CODE, PROGRAM_CODE, program->parts[i] };
	return pieces_image(program->code, sizeof(program->code), pieces, PROGRAM_PARTS);
}

/* One in so many. */
static bool odds(uint64_t *random, unsigned n)
{
	return gen_random(random, n) == 0;
}

static struct gen_encoder_options encoder_options(uint64_t *random)
{
	static const uint8_t vmids[] = { 0, 0, 1, 2, 4 };
	struct gen_encoder_options o = { .protocol = odds(random, 2) ? GEN_ETE : GEN_ETMV4, .trace_id = 0x10 };

	o.sync_bytes = odds(random, 3) ? 0 : 50 + gen_random(random, 1000);
	o.timestamps = odds(random, 2);
	o.timestamp_ns = odds(random, 2) ? 100 + gen_random(random, 900) : 0;
	o.cycle_counts = odds(random, 3);
	o.cycle_threshold = 1 + gen_random(random, 300);
	o.context_id = odds(random, 2);
	o.vmid_bytes = vmids[gen_random(random, sizeof(vmids))];
	o.return_stack = odds(random, 2) ? gen_random(random, 16) : 0;
	o.branch_broadcast = odds(random, 5);
	o.f1_only = odds(random, 6);
	o.max_speculation = odds(random, 3) ? 1 + gen_random(random, 60) : 0;
	if (o.max_speculation)
		o.return_stack = 0; /* OpenCSD may crash (docs/opencsd-quirks.md, 46) */
	o.hidden_levels = odds(random, 6) ? (uint8_t)(1u + gen_random(random, 2)) : 0;
	o.seed = 1 + gen_random(random, 1000000);
	return o;
}

struct recorder {
	struct gen_encoder *enc;
	struct random_stream *stream;
	size_t cap;
	unsigned fault_every, runs;
};

static void on_event(void *ctx, const struct gen_event *event)
{
	struct recorder *r = ctx;

	gen_encoder_event(r->enc, event);
	if (event->kind == GEN_RUN && r->fault_every && ++r->runs % r->fault_every == 0) {
		if (r->runs / r->fault_every % 3)
			gen_encoder_overflow(r->enc, 1 + r->runs % 5, r->runs & 1);
		else
			gen_encoder_trigger(r->enc);
	}
	append(r->stream, &r->cap, gen_encoder_drain(r->enc));
}

static const uint64_t places[][PROGRAM_PARTS] = {
	[PROGRAM_A64] = { 0x400000, 0x7f1200456000, 0xffff800010080000 },
	[PROGRAM_A32] = { 0x10000, 0x7654000, 0xc0008000 },
	[PROGRAM_X86] = { 0x401000, 0x7f1200456000, 0xffffffff81000000 },
};

static struct program *new_program(enum program_arch arch, uint64_t *random)
{
	struct program *program = calloc(1, sizeof(*program));

	if (!program)
		abort();
	program_make(program, arch, 1 + gen_random(random, 1000000), places[arch]);
	return program;
}

static void record(struct random_stream *stream, const struct program *program, const struct gen_encoder_options *options,
		   const struct walk_options *walk, unsigned fault_every)
{
	struct recorder recorder = { .enc = gen_encoder_new(options), .stream = stream, .fault_every = fault_every };

	program_walk(program, walk, &(struct gen_sink){ on_event, &recorder });
	gen_encoder_free(recorder.enc);
}

void program_stream(uint64_t seed, struct random_stream *ret)
{
	uint64_t random = seed * 2 + 1;
	enum program_arch arch = odds(&random, 2) ? PROGRAM_A32 : PROGRAM_A64;
	struct gen_encoder_options options = encoder_options(&random);
	struct walk_options walk = { .seed = 1 + gen_random(&random, 1000000), .runs = 200 + gen_random(&random, 2500),
				     .interrupts_every = odds(&random, 3) ? 0 : 5 + gen_random(&random, 60),
				     .contexts = odds(&random, 2), .kernel_el = (uint8_t)(1 + gen_random(&random, 3)),
				     .security = odds(&random, 3) ? SL_SECURE : SL_NONSECURE };
	unsigned fault_every = odds(&random, 3) ? 20 + gen_random(&random, 200) : 0;
	struct program *program = new_program(arch, &random);

	memset(ret, 0, sizeof(*ret));
	ret->image = parts_image(program);
	encoder_config(&options, arch, &ret->config);
	record(ret, program, &options, &walk, fault_every);
	free(program);
	snprintf(ret->what, sizeof(ret->what), "program of %s, %s, speculation %u, return stack %u, cycles %d, times %d",
		 arch == PROGRAM_A64 ? "A64" : "A32 and T32", options.protocol == GEN_ETE ? "ETE" : "ETMv4",
		 options.max_speculation, options.return_stack, options.cycle_counts, options.timestamps);
}

static struct gen_encoder_options v7_options(enum gen_protocol protocol, uint64_t *random)
{
	struct gen_encoder_options o = { .protocol = protocol, .trace_id = 0x10 };

	o.sync_bytes = odds(random, 3) ? 0 : 50 + gen_random(random, 1000);
	o.timestamps = odds(random, 2);
	o.timestamp_ns = odds(random, 2) ? 100 + gen_random(random, 900) : 0;
	o.cycle_counts = odds(random, 3);
	o.context_id = odds(random, 2);
	o.vmid_bytes = odds(random, 3);
	o.return_stack = odds(random, 2) ? gen_random(random, 16) : 0;
	o.branch_broadcast = odds(random, 4);
	if (odds(random, 2))
		o.broadcast = (struct gen_range){ places[PROGRAM_A32][0], places[PROGRAM_A32][0] + gen_random(random, PROGRAM_CODE) };
	o.old_revision = odds(random, 4);
	o.alternative_branches = odds(random, 2);
	o.hidden_levels = odds(random, 6);
	o.seed = 1 + gen_random(random, 1000000);
	return o;
}

static void v7_stream(enum gen_protocol protocol, uint64_t seed, struct random_stream *ret)
{
	uint64_t random = seed * 2 + 1;
	struct gen_encoder_options options = v7_options(protocol, &random);
	struct walk_options walk = { .seed = 1 + gen_random(&random, 1000000), .runs = 200 + gen_random(&random, 2500),
				     .interrupts_every = odds(&random, 3) ? 0 : 5 + gen_random(&random, 60),
				     .contexts = odds(&random, 2), .security = odds(&random, 3) ? SL_SECURE : SL_NONSECURE };
	unsigned fault_every = odds(&random, 3) ? 20 + gen_random(&random, 200) : 0;
	struct program *program = new_program(PROGRAM_A32, &random);
	bool junk = odds(&random, 8);

	memset(ret, 0, sizeof(*ret));
	encoder_config(&options, PROGRAM_A32, &ret->config);
	record(ret, program, &options, &walk, fault_every);
	for (size_t i = 0; junk && i < sizeof(program->code); i++)
		program->code[i / PROGRAM_CODE][i % PROGRAM_CODE] = (uint8_t)gen_random(&random, 256);
	ret->image = parts_image(program);
	free(program);
	snprintf(ret->what, sizeof(ret->what), "program of A32 and T32, %s%s, return stack %u, cycles %d, times %d%s",
		 protocol == GEN_PTM ? "PTM" : "ETMv3", options.old_revision ? " old" : "", options.return_stack,
		 options.cycle_counts, options.timestamps, junk ? ", over junk" : "");
}

void ptm_stream(uint64_t seed, struct random_stream *ret)
{
	v7_stream(GEN_PTM, seed, ret);
}

void etm3_stream(uint64_t seed, struct random_stream *ret)
{
	v7_stream(GEN_ETMV3, seed, ret);
}

void ipt_stream(uint64_t seed, struct random_stream *ret)
{
	uint64_t random = seed * 2 + 1;
	struct gen_encoder_options options = {
		.protocol = GEN_INTEL_PT, .sync_bytes = 100 + gen_random(&random, 1000), .timestamps = odds(&random, 2),
		.timestamp_ns = odds(&random, 2) ? 100 + gen_random(&random, 900) : 0, .cycle_counts = odds(&random, 3),
		.context_id = odds(&random, 2), .return_stack = odds(&random, 2), .old_revision = odds(&random, 4),
		.hidden_levels = (uint8_t)(odds(&random, 6) ? 1u + gen_random(&random, 2) : 0), .seed = 1 + gen_random(&random, 1000000),
	};
	struct walk_options walk = { .seed = 1 + gen_random(&random, 1000000), .runs = 500 + gen_random(&random, 2500),
				     .interrupts_every = odds(&random, 3) ? 0 : 5 + gen_random(&random, 60),
				     .contexts = odds(&random, 2), .security = 1 };
	unsigned fault_every = odds(&random, 3) ? 20 + gen_random(&random, 200) : 0;
	struct program *program = new_program(PROGRAM_X86, &random);

	memset(ret, 0, sizeof(*ret));
	encoder_config(&options, PROGRAM_X86, &ret->config);
	record(ret, program, &options, &walk, fault_every);
	ret->image = parts_image(program);
	free(program);
	snprintf(ret->what, sizeof(ret->what), "program of x86-64, return stack %u, cycles %d, times %d, faults %u", options.return_stack,
		 options.cycle_counts, options.timestamps, fault_every);
}

/* Removes n bytes at from and puts them in at to; repeated: they stay where they were, too. */
static void move_bytes(struct random_stream *stream, size_t from, size_t to, size_t n, bool repeated)
{
	uint8_t *copy = malloc(n), *grown = realloc(stream->data, stream->len + n);

	if (!copy || !grown)
		abort();
	stream->data = grown;
	memcpy(copy, grown + from, n);
	if (!repeated) {
		memmove(grown + from, grown + from + n, stream->len - from - n);
		stream->len -= n;
		to = to < stream->len ? to : stream->len;
	}
	memmove(grown + to + n, grown + to, stream->len - to);
	memcpy(grown + to, copy, n);
	stream->len += n;
	free(copy);
}

void stream_damage(struct random_stream *stream, uint64_t seed)
{
	uint64_t random = seed * 2 + 1;

	for (unsigned n = 1 + gen_random(&random, 6); n && stream->len > 64; n--) {
		size_t at = gen_random(&random, (uint32_t)stream->len - 40), len = 1 + gen_random(&random, 40);

		switch (gen_random(&random, 6)) {
		case 0:
			stream->data[at] = (uint8_t)gen_random(&random, 256);
			break;
		case 1: /* cut out */
			memmove(stream->data + at, stream->data + at + len, stream->len - at - len);
			stream->len -= len;
			break;
		case 2:
			if (stream->len < STREAM_MAX)
				move_bytes(stream, at, gen_random(&random, (uint32_t)stream->len), len, true);
			break;
		case 3:
			move_bytes(stream, at, gen_random(&random, (uint32_t)stream->len), len, false);
			break;
		default:
			stream->data[at] ^= (uint8_t)(1 << gen_random(&random, 8));
		}
	}
	snprintf(stream->what + strlen(stream->what), sizeof(stream->what) - strlen(stream->what), ", damaged");
}
