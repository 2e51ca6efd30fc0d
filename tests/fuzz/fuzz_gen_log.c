/* SPDX-License-Identifier: Apache-2.0 */
/* The generator's logs and their flow: 32 bits with the length of the block log, it, and the -d int log
 * behind it. What is told has to be in order and to be there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "flow.h"

struct seen {
	uint64_t time;
	unsigned ended; /* CPUs */
	uint32_t sum;	/* of the code, so that it is read */
};

static void take(void *ctx, const struct gen_event *event)
{
	struct seen *seen = ctx;
	const struct gen_run *run = &event->run;

	if (event->time_ns < seen->time)
		abort();
	seen->time = event->time_ns;
	if (event->kind == GEN_RUN) {
		if (run->insns == 0 || run->start == run->end)
			abort();
		for (uint64_t i = 0; i < run->end - run->start; i++)
			seen->sum += run->code[i];
	} else if (event->kind == GEN_PATCH) {
		for (size_t i = 0; i < event->patch.len; i++)
			seen->sum += event->patch.bytes[i];
	} else if (event->kind == GEN_END) {
		seen->ended++;
	}
}

/* A file in memory, by a name. */
static int put(const uint8_t *data, size_t size, char *ret, size_t cap)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(ret, cap, "/proc/self/fd/%d", fd);
	return fd;
}

static void flow(struct gen_log *log, struct gen_int_log *ints)
{
	struct gen_flow_options options = { .allowed_inconsistencies = UINT64_MAX };
	struct seen seen = { 0 };
	struct gen_sink sink = { take, &seen };
	struct gen_image_runs runs;
	struct gen_flow_stats stats;
	struct gen_image *image;
	struct sl_diag diag = { "" };
	int rc;

	if (gen_image_new(&image) < 0)
		abort();
	rc = gen_flow_run(log, ints, &options, image, &sink, &stats, &diag);
	if (rc < 0 ? !*diag.text || strchr(diag.text, '\n') : stats.blocks > 0 && seen.ended == 0)
		abort();
	if (gen_image_runs(image, false, 16, &runs) < 0)
		abort();
	gen_image_runs_release(&runs);
	gen_image_free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gen_int_log *ints = NULL;
	struct gen_log *log;
	char path[64], int_path[64];
	uint32_t len;
	int fd, int_fd;

	if (size < sizeof(len))
		return 0;
	memcpy(&len, data, sizeof(len));
	data += sizeof(len);
	size -= sizeof(len);
	len = len < size ? len : (uint32_t)size;
	fd = put(data, len, path, sizeof(path));
	int_fd = put(data + len, size - len, int_path, sizeof(int_path));
	if (gen_log_open(path, &log, NULL) == SL_OK) {
		if (gen_log_header(log)->flags & GEN_LOG_IS_SYSTEM)
			gen_int_log_open(int_path, (enum gen_log_arch)gen_log_header(log)->arch, &ints, NULL);
		flow(log, ints);
		gen_int_log_close(ints);
		gen_log_close(log);
	}
	close(fd);
	close(int_fd);
	return 0;
}
