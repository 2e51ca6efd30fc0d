/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths as folded stacks, which flame graph tools read: a line a path, "main;f;g 1234", with what it took by itself. Names have no
 * ';' then.
 */
#include "sl_export_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"
#include "utf8.h"
#include "writers.h"

struct folded {
	FILE *out;
	char **names; /* of the path to the last one */
	size_t len, cap;
	bool no_memory;
};

static void folded_begin(void *self, const struct sl_paths_head *head)
{
	(void)self;
	(void)head;
}

static void drop_to(struct folded *f, size_t depth)
{
	while (f->len > depth)
		free(f->names[--f->len]);
}

static void folded_path(void *self, const struct sl_path *path)
{
	struct folded *f = self;
	char *name = strdup(path->name);

	drop_to(f, path->depth);
	if (!name || SL_ARRAY_PUSH(&f->names, &f->len, &f->cap, name) < 0) {
		free(name);
		f->no_memory = true;
	}
	if (f->no_memory || !path->self)
		return;
	for (size_t i = 0; i < f->len; i++) {
		if (i)
			putc(';', f->out);
		sl_plain_text(f->out, f->names[i], ";");
	}
	fprintf(f->out, " %" PRIu64 "\n", path->self);
}

static int folded_close(void *self)
{
	struct folded *f = self;
	int result = f->no_memory ? SL_ERR_NOMEM : sl_writer_flush(f->out);

	drop_to(f, 0);
	free(f->names);
	free(f);
	return result;
}

int sl_paths_folded_new(FILE *out, struct sl_paths *ret)
{
	static const struct sl_paths_ops ops = { folded_begin, folded_path, folded_close };
	struct folded *f = calloc(1, sizeof(*f));

	if (!f)
		return SL_ERR_NOMEM;
	f->out = out;
	*ret = (struct sl_paths){ &ops, f };
	return SL_OK;
}
