/* SPDX-License-Identifier: Apache-2.0 */
#include <demangle.h>
#include <setjmp.h>
#include <string.h>

#include "image.h"

struct output {
	char *buffer;
	size_t len, cap;
	jmp_buf full;
};

/*
 * A name of a hundred characters can say one of gigabytes. The callback cannot ask to stop, so it leaves by
 * longjmp: libiberty's printers hold nothing but their stack.
 */
static void collect(const char *text, size_t len, void *opaque)
{
	struct output *out = opaque;

	if (len >= out->cap - out->len)
		longjmp(out->full, 1);
	if (len) /* text may be NULL else */
		memcpy(out->buffer + out->len, text, len);
	out->len += len;
}

static bool run(const char *name, struct output *out)
{
	if (setjmp(out->full))
		return false;
	if (rust_demangle_callback(name, 0, collect, out))
		return true;
	out->len = 0;
	return name[0] == '_' && name[1] == 'Z' &&
	       cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, collect, out);
}

const char *demangle(const char *name, char *buffer, size_t cap)
{
	struct output out = { .buffer = buffer, .cap = cap };

	/* Both manglings begin so; a longer name is not worth the time that it may take. */
	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') ||
	    strnlen(name, SYM_NAME_MAX) == SYM_NAME_MAX)
		return NULL;
	if (!run(name, &out) || !out.len)
		return NULL;
	buffer[out.len] = '\0';
	return buffer;
}
