/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that the input spells, one byte a number: what is read of trace, CPUs and processes must hold
 * together. Input: flags, then records of kind, who, misc, count of numbers, numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf/cs_etm.h"
#include "perf/perf_process.h"
#include "perf_write.h"

enum { NARROW = 1, NAMED = 2, FRAME_BYTES = 16 };
static const struct {
	uint32_t type;
	unsigned how; /* NARROW: numbers of 32 bits; NAMED: a text follows */
} kinds[] = {
	{ PERF_AUXTRACE_INFO, 0 },     { PERF_AUX, 0 },
	{ PERF_AUXTRACE, 0 },	       { PERF_AUX_OUTPUT_HW_ID, 0 },
	{ PERF_MMAP, NARROW | NAMED }, { PERF_MMAP2, NARROW | NAMED },
	{ PERF_COMM, NARROW | NAMED }, { PERF_FORK, NARROW },
	{ PERF_ITRACE_START, NARROW }, { PERF_ID_INDEX, 0 },
	{ PERF_TIME_CONV, 0 },	       { PERF_LOST, 0 },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const uint64_t rare[] = {
	0x3030303030303030, 0x4040404040404040, 0x5050505050505050, UINT64_MAX,	    UINT64_MAX - 16,
	1ull << 32,	    1ull << 63,		UINT32_MAX,	    0x100,	    0x102,
	0x411cf312,	    0x47705a13,		0x47724a13,	    8ull << 32 | 2, 3,
	1ull << 56 | 0x310,
};

struct input {
	const uint8_t *data;
	size_t len;
};

static uint8_t next(struct input *in)
{
	if (!in->len)
		return 0;
	in->len--;
	return *in->data++;
}

static uint64_t number(uint8_t byte)
{
	if (byte < 0x80)
		return byte;
	return byte < 0xf0 ? (uint64_t)(byte & 0x7f) * FRAME_BYTES : rare[byte - 0xf0];
}

static uint32_t small(unsigned bits)
{
	return bits == 7 ? UINT32_MAX : bits;
}

static void put_auxtrace(struct perf_writer *writer, struct input *in)
{
	uint8_t payload[255];
	size_t len = next(in);
	uint64_t offset = number(next(in));
	unsigned owner = next(in);

	memset(payload, owner & 0x80 ? 0 : 0x22, sizeof(payload));
	perf_write_auxtrace(writer, owner >> 6 & 1, small(owner & 7), small(owner >> 3 & 7), offset, payload,
			    len);
}

static void put_record(struct perf_writer *writer, struct input *in, uint64_t *time)
{
	unsigned kind = next(in) % KINDS, who = next(in), misc = next(in), count = next(in) % 96;
	struct perf_bytes *body;

	if (kinds[kind].type == PERF_AUXTRACE) {
		put_auxtrace(writer, in);
		return;
	}
	body = perf_write_begin(
		writer, kinds[kind].type,
		(uint16_t)((misc & 7) | (misc & 8 ? 1u << 13 : 0) | (misc & 16 ? 1u << 14 : 0)));
	if (kinds[kind].type == PERF_AUXTRACE_INFO) {
		perf_put32(body, misc ? 3 : who);
		perf_put32(body, 0);
	}
	for (unsigned i = 0; i < count; i++) {
		if (kinds[kind].how & NARROW)
			perf_put32(body, (uint32_t)number(next(in)));
		else
			perf_put64(body, number(next(in)));
	}
	if (kinds[kind].how & NAMED)
		perf_put_text(body, who & 1 ? "a" : "bc");
	*time += who >> 6;
	perf_put32(body, small(who >> 3 & 7));
	perf_put32(body, small(who >> 3 & 7));
	perf_put64(body, *time);
	perf_put32(body, small(who & 7));
	perf_put32(body, 0);
	perf_put64(body, who & 3);
	perf_write_end(writer);
}

static void write_file(struct input in, struct perf_bytes *ret)
{
	static const uint64_t ids[] = { 0, 1, 2, 3 };
	struct perf_writer writer;
	uint8_t flags = next(&in);
	uint64_t time = 0;

	perf_writer_init(&writer, flags & 1);
	perf_write_attr(&writer, (struct perf_write_attr){ .type = 8,
							   .sample_type = 2 | 4 | 128 | 65536,
							   .flags = 1 << 18,
							   .ids = ids,
							   .id_count = 4 });
	if (flags & 2)
		perf_put_string(perf_write_feature(&writer, 6), flags & 4 ? "aarch64" : "armv7l");
	while (in.len)
		put_record(&writer, &in, &time);
	perf_write_whole(&writer, PERF_WRITE_FILE, ret);
	perf_writer_release(&writer);
}

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_cpus(const struct cs_etm *etm)
{
	for (size_t i = 0; i < etm->cpu_count; i++) {
		const struct cs_etm_cpu *cpu = &etm->cpus[i];

		require(!i || cpu[-1].cpu < cpu->cpu);
		require(cpu->trace_id <= CS_ETM_ID_LAST);
		require(!cpu->trace_id || cpu->trace_id == sl_config_trace_id(&cpu->config));
		require(cs_etm_cpu_find(etm, cpu->cpu) == cpu);
	}
}

/* Pieces rise and do not overlap, lie in the file, and are whole frames together with those that continue
 * them. */
static uint64_t check_buffer(const struct perf_file *file, const struct cs_etm_buffer *buffer)
{
	uint64_t sum = 0, chain = 0;

	for (size_t i = 0; i < buffer->piece_count; i++) {
		const struct cs_etm_piece *piece = &buffer->pieces[i];
		uint8_t byte;

		require(piece->len > 0);
		require(perf_file_read(file, piece->file_offset + piece->len - 1, &byte, 1) == 1);
		require(!i || piece[-1].aux_offset + piece[-1].len <= piece->aux_offset);
		if (piece->continues) {
			require(i && piece[-1].aux_offset + piece[-1].len == piece->aux_offset);
			require(piece[-1].raw == piece->raw && piece[-1].uncovered == piece->uncovered);
		} else {
			require(chain % FRAME_BYTES == 0);
			chain = 0;
		}
		chain += piece->raw ? 0 : piece->len;
		sum += piece->len;
	}
	require(chain % FRAME_BYTES == 0);
	return sum;
}

static void check_etm(const struct perf_file *file, const struct cs_etm *etm)
{
	const struct perf_record *records;
	size_t count = perf_file_records(file, &records), pieces = 0;
	uint64_t payload = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		payload += records[i].payload_len;
	check_cpus(etm);
	for (size_t i = 0; i < etm->buffer_count; i++) {
		require(etm->buffers[i].pieces == etm->pieces + pieces);
		require(etm->buffers[i].piece_count);
		pieces += etm->buffers[i].piece_count;
		sum += check_buffer(file, &etm->buffers[i]);
	}
	require(pieces == etm->piece_count);
	require(sum <= payload);
	require(!etm->time_conv.known || etm->time_conv.shift < 64);
}

static bool overlap(const struct perf_map *a, const struct perf_map *b)
{
	return a->start < b->start + b->len && b->start < a->start + a->len && a->from < b->to &&
	       b->from < a->to;
}

/* At no time do two maps of a process overlap. */
static void check_processes(const struct perf_processes *all)
{
	for (size_t i = 0; i < all->len; i++) {
		const struct perf_process *process = &all->items[i];

		require(!i || process[-1].pid < process->pid);
		require(perf_process_find(all, process->pid) == process);
		for (size_t k = 0; k < process->map_count; k++) {
			const struct perf_map *map = &process->maps[k];

			require(map->len && map->start + map->len > map->start);
			require(map->from < map->to && map->build_id_len <= sizeof(map->build_id));
			require(!k || map[-1].from <= map->from);
			require(map->kernel == (process->pid == UINT32_MAX));
			for (size_t m = 0; m < k; m++)
				require(!overlap(&process->maps[m], map));
		}
	}
	for (size_t i = 0; i < all->thread_len; i++)
		require(!i || all->threads[i - 1].tid < all->threads[i].tid);
}

static void check_file(const char *path, struct sl_notes *notes)
{
	struct sl_diag diag = { "" };
	struct perf_processes all;
	struct perf_file *file;
	struct cs_etm etm;

	if (perf_file_open(path, notes, &file, &diag) < 0)
		return;
	if (cs_etm_read(file, notes, &etm, &diag) == SL_OK) {
		check_etm(file, &etm);
		cs_etm_release(&etm);
	} else {
		require(*diag.text && !strchr(diag.text, '\n'));
	}
	if (perf_processes_read(file, notes, &all) == SL_OK) {
		check_processes(&all);
		perf_processes_release(&all);
	}
	perf_file_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sl_notes notes = SL_NOTES_INIT;
	struct perf_bytes whole;
	char path[64];
	int fd = memfd_create("perf.data", 0);

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	write_file((struct input){ data, size }, &whole);
	if (write(fd, whole.data, whole.len) == (ssize_t)whole.len)
		check_file(path, &notes);
	perf_bytes_release(&whole);
	close(fd);
	sl_notes_release(&notes);
	return 0;
}
