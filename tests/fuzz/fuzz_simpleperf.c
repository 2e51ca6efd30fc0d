/* SPDX-License-Identifier: Apache-2.0 */
/* simpleperf's lists of files, in both forms: all that they give lies inside of them. */
#include <stdlib.h>

#include "perf/simpleperf_files.h"

static void check_inside(const char *text, size_t len, const uint8_t *data, size_t size)
{
	const uint8_t *at = (const uint8_t *)text;

	if (at < data || len > size || (size_t)(at - data) > size - len)
		abort();
}

static void read_list(enum simpleperf_form form, const uint8_t *data, size_t size)
{
	struct sl_bytes list = { data, size, 0 };
	struct simpleperf_file file;
	struct simpleperf_symbol symbol;
	int result;

	while ((result = simpleperf_next_file(&list, form, false, &file)) != SL_END) {
		if (result != SL_OK)
			continue;
		check_inside(file.path, file.path_len, data, size);
		while (simpleperf_next_symbol(&file, &symbol) == SL_OK)
			check_inside(symbol.name, symbol.name_len, data, size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_list(SIMPLEPERF_FILE, data, size);
	read_list(SIMPLEPERF_FILE2, data, size);
	return 0;
}
