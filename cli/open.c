/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include <stdlib.h>
#include <string.h>

int parse_image_file(const char *text, struct sl_image_file *ret)
{
	const char *mark = strrchr(text, '@');
	size_t len = strlen(text);
	uint64_t address = 0;
	bool known = mark && mark > text && parse_number(mark + 1, &address) == SL_OK;
	char *path = strndup(text, known ? (size_t)(mark - text) : len);

	if (!path)
		return SL_ERR_NOMEM;
	*ret = (struct sl_image_file){ .path = path, .address_known = known, .address = known ? address : 0 };
	return SL_OK;
}

static void free_files(struct sl_image_file *files, size_t count)
{
	for (size_t i = 0; files && i < count; i++)
		free((void *)files[i].path);
	free(files);
}

static struct sl_image_file *parse_files(const struct option_list *list)
{
	struct sl_image_file *files = calloc(list->len + 1, sizeof(*files));

	for (size_t i = 0; files && i < list->len; i++) {
		if (parse_image_file(list->items[i], &files[i]) < 0) {
			free_files(files, i);
			return NULL;
		}
	}
	return files;
}

/* Registers and the like mean nothing without the protocol they are of. */
static int check_raw(const struct options *o, struct sl_diag *diag)
{
	const char *given = o->core ? "--core" : NULL;

	if (o->trace_id)
		given = "--trace-id";
	if (o->framing)
		given = "--framing";
	if (o->regs.len)
		given = "--reg";
	if (!given || o->protocol)
		return SL_OK;
	return sl_fail(diag, SL_ERR_CONFIG,
		       "%s describes a raw dump: give its --protocol too, or leave %s out", given, given);
}

int open_capture(const struct options *o, struct sl_notes *notes, struct sl_capture **ret,
		 struct sl_diag *diag)
{
	struct sl_image_file *images = parse_files(&o->images), *symbols = parse_files(&o->symbols);
	struct sl_capture_options how = {
		.allow_outside = o->allow_outside,
		.symfs = o->symfs,
		.raw = { .protocol = o->protocol,
			 .framing = o->framing,
			 .trace_id = o->trace_id,
			 .core = o->core,
			 .regs = o->regs.items },
		.images = images,
		.image_count = o->images.len,
		.symbols = symbols,
		.symbol_count = o->symbols.len,
	};
	int result = check_raw(o, diag);

	if (!images || !symbols)
		result = sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	if (result == SL_OK)
		result = sl_capture_open(o->operand, &how, notes, ret, diag);
	free_files(images, o->images.len);
	free_files(symbols, o->symbols.len);
	return result;
}
