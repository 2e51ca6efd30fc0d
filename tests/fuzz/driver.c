/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replays a corpus without libFuzzer: fuzz_x CORPUS_DIRECTORY. Each file is run whole and cut short at 64
 * places. Fails where the directory holds no file, for then nothing was tested.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sl_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of exactly this size: AddressSanitizer then sees a read behind the end. */
static void run_one(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int replay(const char *path)
{
	struct sl_diag diag;
	struct sl_file file;

	if (sl_file_map(path, &file, &diag) < 0) {
		fprintf(stderr, "%s\n", diag.text);
		return -1;
	}
	for (size_t i = 0; i < 64; i++)
		run_one(file.data, file.len * i / 64);
	run_one(file.data, file.len);
	sl_file_unmap(&file);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **names = NULL;
	int count = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1;
	int files = 0, failed = 0;

	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
		if (names[i]->d_name[0] != '.') {
			failed |= replay(path);
			files++;
		}
		free(names[i]);
	}
	free(names);
	printf("%d files replayed\n", files);
	return files && !failed ? 0 : 1;
}
