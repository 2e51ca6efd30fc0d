/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data.h"

#include <stdlib.h>
#include <string.h>

static int read_all(struct perf_file *file, const char *path, struct sl_diag *diag)
{
	int result = perf_parts_open(file, path, diag);

	if (result == SL_OK)
		result = perf_header_read(file, diag);
	if (result == SL_OK)
		result = perf_attrs_read(file);
	if (result == SL_OK)
		result = perf_records_read(file, diag);
	if (result == SL_OK)
		result = perf_attrs_read_records(file);
	if (result == SL_OK)
		result = perf_features_read(file);
	if (result == SL_OK)
		result = perf_attrs_index(file);
	if (result < 0)
		return result;
	perf_attrs_apply(file);
	return perf_records_sort(file);
}

int perf_file_open(const char *path, struct sl_notes *notes, struct perf_file **ret, struct sl_diag *diag)
{
	struct perf_file *file = calloc(1, sizeof(*file));
	int result;

	if (!file)
		return sl_fail(diag, SL_ERR_NOMEM, "%s: cannot be opened: %s", path, sl_strerror(SL_ERR_NOMEM));
	file->notes = notes;
	result = read_all(file, path, diag);
	file->notes = NULL;
	if (result < 0) {
		perf_file_close(file);
		if (result == SL_ERR_NOMEM)
			sl_fail(diag, result, "%s: cannot be opened: %s", path, sl_strerror(result));
		return result;
	}
	*ret = file;
	return SL_OK;
}

void perf_file_close(struct perf_file *file)
{
	if (!file)
		return;
	perf_attrs_release(file);
	perf_features_release(file);
	for (size_t i = 0; i < file->chunk_len; i++)
		free(file->chunks[i]);
	free(file->chunks);
	free(file->records);
	perf_parts_close(file);
	free(file);
}

size_t perf_file_records(const struct perf_file *file, const struct perf_record **ret)
{
	*ret = file->records;
	return file->record_len;
}

size_t perf_file_attrs(const struct perf_file *file, const struct perf_attr **ret)
{
	*ret = file->attrs;
	return file->attr_len;
}

size_t perf_file_build_ids(const struct perf_file *file, const struct perf_build_id **ret)
{
	*ret = file->build_ids;
	return file->build_id_len;
}

const char *perf_file_arch(const struct perf_file *file)
{
	return file->arch;
}

const char *perf_file_release(const struct perf_file *file)
{
	return file->release;
}

const char *perf_file_hostname(const struct perf_file *file)
{
	return file->hostname;
}

const char *perf_file_cmdline(const struct perf_file *file)
{
	return file->cmdline;
}

const char *perf_file_cpudesc(const struct perf_file *file)
{
	return file->cpudesc;
}

const char *perf_file_cpuid(const struct perf_file *file)
{
	return file->cpuid;
}

bool perf_file_is_simpleperf(const struct perf_file *file)
{
	return file->simpleperf;
}

bool perf_file_is_pipe(const struct perf_file *file)
{
	return file->pipe;
}

struct sl_bytes perf_file_feature(const struct perf_file *file, unsigned bit)
{
	return bit < PERF_FEATURES ? file->features[bit] : (struct sl_bytes){ 0 };
}

uint64_t perf_file_bytes(const struct perf_file *file)
{
	return perf_parts_bytes(file);
}

const char *perf_file_dir(const struct perf_file *file)
{
	return file->dir;
}

size_t perf_file_read(const struct perf_file *file, uint64_t offset, void *dst, size_t len)
{
	size_t done = 0;

	for (size_t i = 0; i < file->part_len && done < len; i++) {
		const struct perf_part *part = &file->parts[i];
		uint64_t at = offset + done - part->base;
		size_t here = len - done;

		if (offset + done < part->base || at >= part->map.len)
			continue;
		if (here > part->map.len - at)
			here = part->map.len - (size_t)at;
		memcpy((uint8_t *)dst + done, part->map.data + at, here);
		done += here;
	}
	return done;
}

static const uint8_t *number_at(const struct perf_record *record, size_t at, size_t len)
{
	return at <= record->len && record->len - at >= len ? record->body + at : NULL;
}

uint16_t perf_u16(const struct perf_file *file, const struct perf_record *record, size_t at)
{
	const uint8_t *data = number_at(record, at, 2);

	return data ? perf_get16(file, data) : 0;
}

uint32_t perf_u32(const struct perf_file *file, const struct perf_record *record, size_t at)
{
	const uint8_t *data = number_at(record, at, 4);

	return data ? perf_get32(file, data) : 0;
}

uint64_t perf_u64(const struct perf_file *file, const struct perf_record *record, size_t at)
{
	const uint8_t *data = number_at(record, at, 8);

	return data ? perf_get64(file, data) : 0;
}

const char *perf_string(const struct perf_record *record, size_t at)
{
	if (at >= record->body_len || !memchr(record->body + at, '\0', record->body_len - at))
		return "";
	return (const char *)record->body + at;
}
