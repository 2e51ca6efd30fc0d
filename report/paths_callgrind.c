/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as a callgrind profile (valgrind.org/docs/manual/cl-format.html). A path is two blocks, what it took by itself, and a
 * call from its parent; readers add up blocks of the same function. Names are given once, with a number. Files and lines of
 * sources are not known: each function is at line 0 of a file "???", as callgrind does.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "sl_map.h"
#include "utf8.h"
#include "writers.h"

/* A function that paths go through: numbers that its names have. */
struct entry {
	uint32_t name, object;
};

struct callgrind {
	FILE *out;
	struct entry *stack; /* of the path to the last one */
	size_t len, cap;
	struct sl_map names;   /* by name id: 1 where it was told */
	struct sl_map objects; /* by the module's name: number + 1 */
	uint32_t object_count;
	uint64_t whole;
	bool no_memory;
};

static void callgrind_begin(void *self, const struct sl_paths_head *head)
{
	struct callgrind *c = self;
	bool time = head->unit[0] == 'n', cycles = head->unit[0] == 'c';

	c->whole = head->whole;
	fputs("# callgrind format\nversion: 1\ncreator: sightline " SL_VERSION "\npositions: line\n", c->out);
	fprintf(c->out, "event: %s : %s\nevents: %s\n", time ? "ns" : cycles ? "Cycles" : "Ir",
		time ? "Nanoseconds" : cycles ? "Cycles" : "Instructions", time ? "ns" : cycles ? "Cycles" : "Ir");
	fprintf(c->out, "summary: %" PRIu64 "\n\n", c->whole);
	fputs("fl=(1) ???\n", c->out);
}

/* "KEY(3) name", or "KEY(3)" where the name was told before. */
static void named(struct callgrind *c, const char *key, uint32_t number, const char *name)
{
	fprintf(c->out, "%s(%" PRIu32 ")", key, number);
	if (name) {
		putc(' ', c->out);
		sl_plain_text(c->out, name, "");
	}
	putc('\n', c->out);
}

/* The number of a module's name; *fresh where it is new. */
static uint32_t object_of(struct callgrind *c, const char *module, bool *fresh)
{
	uint64_t *number = sl_map_put(&c->objects, sl_hash(SL_HASH_SEED, module, strlen(module)));

	if (!number) {
		c->no_memory = true;
		return 0;
	}
	*fresh = !*number;
	if (*fresh)
		*number = ++c->object_count;
	return (uint32_t)*number;
}

static struct entry self_block(struct callgrind *c, const struct sl_path *path)
{
	const char *module = path->module ? path->module : "???";
	bool fresh_object = false, fresh;
	struct entry entry = { .name = path->name_id + 1, .object = object_of(c, module, &fresh_object) };
	uint64_t *known = sl_map_put(&c->names, path->name_id);

	fresh = known && !*known;
	if (known)
		*known = 1;
	else
		c->no_memory = true;
	named(c, "ob=", entry.object, fresh_object ? module : NULL);
	named(c, "fl=", 1, NULL);
	named(c, "fn=", entry.name, fresh ? path->name : NULL);
	fprintf(c->out, "0 %" PRIu64 "\n\n", path->self);
	return entry;
}

static void call_block(struct callgrind *c, const struct entry *from, const struct entry *to, const struct sl_path *path)
{
	named(c, "ob=", from->object, NULL);
	named(c, "fl=", 1, NULL);
	named(c, "fn=", from->name, NULL);
	named(c, "cob=", to->object, NULL);
	named(c, "cfi=", 1, NULL);
	named(c, "cfn=", to->name, NULL);
	fprintf(c->out, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n\n", path->calls, path->total);
}

static void callgrind_path(void *self, const struct sl_path *path)
{
	struct callgrind *c = self;
	struct entry entry;

	if (c->no_memory)
		return;
	c->len = path->depth;
	entry = self_block(c, path);
	if (c->len)
		call_block(c, &c->stack[c->len - 1], &entry, path);
	if (SL_ARRAY_PUSH(&c->stack, &c->len, &c->cap, entry) < 0)
		c->no_memory = true;
}

static int callgrind_close(void *self)
{
	struct callgrind *c = self;
	int result;

	fprintf(c->out, "totals: %" PRIu64 "\n", c->whole);
	result = c->no_memory ? SL_ERR_NOMEM : sl_writer_flush(c->out);
	free(c->stack);
	sl_map_release(&c->names);
	sl_map_release(&c->objects);
	free(c);
	return result;
}

int sl_paths_callgrind_new(FILE *out, struct sl_paths *ret)
{
	static const struct sl_paths_ops ops = { callgrind_begin, callgrind_path, callgrind_close };
	struct callgrind *c = calloc(1, sizeof(*c));

	if (!c)
		return SL_ERR_NOMEM;
	c->out = out;
	*ret = (struct sl_paths){ &ops, c };
	return SL_OK;
}
