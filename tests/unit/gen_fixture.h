/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GEN_FIXTURE_H
#define GEN_FIXTURE_H
/* Block logs that a test writes word by word, and the events that come of them, as text. Include behind
 * cmocka.h, in one file of a test program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "flow.h"
#include "temp_files.h"

static struct {
	uint8_t bytes[1 << 16];
	size_t len;
	char ints[8192]; /* the -d int log; none where empty */
	uint32_t next_id;
	enum gen_log_isa isa; /* of the blocks to come */
	struct sl_diag diag;
	struct gen_flow_stats stats;
	struct gen_flow_options options;
	struct gen_image *image;
	char *events;
	size_t events_len;
} g;

static inline void add_bytes(const void *bytes, size_t len)
{
	assert_true(g.len + len <= sizeof(g.bytes));
	memcpy(g.bytes + g.len, bytes, len);
	g.len += len;
}

static inline void add_word(uint32_t word)
{
	add_bytes(&word, 4);
}

static inline void add_tag(enum gen_log_tag tag, uint32_t argument)
{
	add_word((uint32_t)tag << 24 | argument);
}

static inline void add_value(enum gen_log_tag tag, uint32_t argument, uint64_t value)
{
	add_tag(tag, argument);
	add_bytes(&value, 8);
}

static inline void begin_log(enum gen_log_arch arch, uint32_t flags, uint32_t cpus)
{
	struct gen_log_header header = {
		.version = GEN_LOG_VERSION, .arch = arch, .flags = flags, .cpus = cpus
	};

	memset(&g, 0, sizeof(g));
	g.next_id = 1;
	memcpy(header.magic, GEN_LOG_MAGIC, 8);
	add_bytes(&header, sizeof(header));
	add_tag(GEN_LOG_START, 0);
	add_tag(GEN_LOG_CPU, 0);
}

/* A block of instructions of these sizes, "442" say; returns its id. */
static inline uint32_t define(uint64_t address, const char *sizes, const void *code)
{
	struct gen_log_definition definition = { g.next_id++, 0, address };
	size_t insns = strlen(sizes), start;

	for (size_t i = 0; i < insns; i++)
		definition.len += (uint32_t)(sizes[i] - '0');
	add_tag(GEN_LOG_DEFINE, (uint32_t)insns | (uint32_t)g.isa << 16);
	start = g.len;
	add_bytes(&definition, sizeof(definition));
	for (size_t i = 0; i < insns; i++)
		add_bytes(&(uint8_t){ (uint8_t)(sizes[i] - '0') }, 1);
	add_bytes(code, definition.len);
	while ((g.len - start) % 4 != 0)
		add_bytes("", 1);
	return definition.id;
}

/* Defines a block and executes it. */
static inline uint32_t run_block(uint64_t address, const char *sizes, const void *code)
{
	uint32_t id = define(address, sizes, code);

	add_word(id);
	return id;
}
#define RUN(address, sizes, ...) run_block(address, sizes, (const uint32_t[]){ __VA_ARGS__ })

static inline void partial(uint32_t insns)
{
	add_word(GEN_LOG_PARTIAL | insns);
}

static inline const char *write_log(void)
{
	return temp_write("block.log", g.bytes, g.len);
}

static inline void print_into(void *ctx, const struct gen_event *event)
{
	gen_event_print(ctx, event);
}

/* Ends the log and tells its flow; what came of it is in g. */
static inline int tell_flow(void)
{
	struct gen_log *log;
	struct gen_int_log *ints = NULL;
	FILE *out = open_memstream(&g.events, &g.events_len);
	struct gen_sink sink = { print_into, out };
	int rc;

	add_tag(GEN_LOG_END, 0);
	assert_int_equal(gen_log_open(write_log(), &log, &g.diag), SL_OK);
	if (g.ints[0])
		assert_int_equal(gen_int_log_open(temp_write("int.log", g.ints, strlen(g.ints)),
						  (enum gen_log_arch)gen_log_header(log)->arch, &ints,
						  &g.diag),
				 SL_OK);
	assert_int_equal(gen_image_new(&g.image), SL_OK);
	rc = gen_flow_run(log, ints, &g.options, g.image, &sink, &g.stats, &g.diag);
	fclose(out);
	gen_int_log_close(ints);
	gen_log_close(log);
	return rc;
}

static inline void done(void)
{
	gen_image_free(g.image);
	free(g.events);
}

static inline void expect_events(const char *expected)
{
	int rc = tell_flow();

	if (rc != SL_END && rc != SL_OK)
		fail_msg("%s", g.diag.text);
	assert_string_equal(g.events, expected);
	assert_int_equal(g.stats.inconsistencies, 0);
	done();
}

/* An exception as QEMU's -d int tells it. */
static inline void say_exception(const char *name, unsigned from_el, unsigned to_el, unsigned syndrome,
				 unsigned long long elr, unsigned long long vector)
{
	size_t len = strlen(g.ints);

	snprintf(
		g.ints + len, sizeof(g.ints) - len,
		"Taking exception 1 [%s] on CPU 0\n...from EL%u to EL%u\n...with ESR 0x%x/0x%x\n...with ELR 0x%llx\n"
		"...to EL%u PC 0x%llx PSTATE 0x3c5\n",
		name, from_el, to_el, syndrome >> 26, syndrome, elr, to_el, vector);
}

static inline void say(const char *line)
{
	size_t len = strlen(g.ints);

	snprintf(g.ints + len, sizeof(g.ints) - len, "%s", line);
}
#endif
