/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was executed, as AutoFDO's text profile (create_llvm_prof -profiler text): ranges of instructions, addresses (of which
 * there are none: ranges say all), branches that were taken; each with their number before. Addresses are in hexadecimal, from
 * the program's first loaded segment on: what create_llvm_prof adds to them is the segment's address, and not its offset.
 */
#include "sl_export_files.h"

#include <inttypes.h>

#include "sl_text.h"
#include "utf8.h"
#include "writers.h"

enum { BUILD_ID_MAX = 64 };

int sl_executed_autofdo(FILE *out, const struct sl_executed *executed)
{
	char build_id[2 * BUILD_ID_MAX + 1] = "";

	fprintf(out, "%zu\n", executed->range_count);
	for (size_t i = 0; i < executed->range_count; i++)
		fprintf(out, "%" PRIx64 "-%" PRIx64 ":%" PRIu64 "\n", executed->ranges[i].first, executed->ranges[i].last,
			executed->ranges[i].times);
	fputs("0\n", out);
	fprintf(out, "%zu\n", executed->branch_count);
	for (size_t i = 0; i < executed->branch_count; i++)
		fprintf(out, "%" PRIx64 "->%" PRIx64 ":%" PRIu64 "\n", executed->branches[i].from, executed->branches[i].to,
			executed->branches[i].times);
	if (executed->build_id_len && executed->build_id_len <= BUILD_ID_MAX) {
		sl_hex(executed->build_id, executed->build_id_len, build_id);
		fprintf(out, "// build_id: %s\n", build_id);
	}
	fputs("// ", out);
	sl_plain_text(out, executed->path, "");
	putc('\n', out);
	return sl_writer_flush(out);
}
