/* SPDX-License-Identifier: Apache-2.0 */
#include "simpleperf_files.h"

#include <string.h>

#include "perf_data.h"
#include "protobuf.h"

/* Numbers of fields in record_file.proto. */
enum { FILE_PATH = 1, FILE_TYPE = 2, FILE_MIN_VADDR = 3, FILE_SYMBOL = 4, FILE_ELF = 6, FILE_MODULE = 7 };
enum { SYMBOL_VADDR = 1, SYMBOL_LEN = 2, SYMBOL_NAME = 3 };
enum { OFFSET_OF_MIN_VADDR = 1 };

static bool take_number(struct sl_bytes *from, bool big, unsigned len, uint64_t *ret)
{
	if (from->len < len)
		return false;
	*ret = perf_get(big, from->data, len);
	from->data += len;
	from->len -= len;
	from->offset += len;
	return true;
}

static bool take_u32(struct sl_bytes *from, bool big, uint32_t *ret)
{
	uint64_t value = 0;
	bool good = take_number(from, big, 4, &value);

	*ret = (uint32_t)value;
	return good;
}

static bool take_text(struct sl_bytes *from, const char **ret, size_t *ret_len)
{
	size_t len = strnlen((const char *)from->data, from->len);

	if (len == from->len)
		return false;
	*ret = (const char *)from->data;
	*ret_len = len;
	from->data += len + 1;
	from->len -= len + 1;
	from->offset += len + 1;
	return true;
}

/* ElfFile and KernelModule have one field. Absent, it is 0. */
static bool read_offset(struct sl_bytes message, uint64_t *ret)
{
	struct pb_field field;
	int result;

	while ((result = pb_next(&message, &field)) == SL_OK) {
		if (field.number == OFFSET_OF_MIN_VADDR && !field.is_bytes)
			*ret = field.value;
	}
	return result == SL_END;
}

static bool take_file2_field(const struct pb_field *field, struct simpleperf_file *file)
{
	if (field->number == FILE_PATH && field->is_bytes) {
		file->path = (const char *)field->bytes.data;
		file->path_len = field->bytes.len;
	} else if (field->number == FILE_TYPE && !field->is_bytes) {
		file->type = (uint32_t)field->value;
	} else if (field->number == FILE_MIN_VADDR && !field->is_bytes) {
		file->min_vaddr = field->value;
	} else if ((field->number == FILE_ELF || field->number == FILE_MODULE) && field->is_bytes) {
		file->offset_known = true;
		return read_offset(field->bytes, &file->offset);
	}
	return true;
}

static bool read_file2(struct sl_bytes message, struct simpleperf_file *file)
{
	struct pb_field field;
	int result;

	file->rest = message;
	while ((result = pb_next(&message, &field)) == SL_OK) {
		if (!take_file2_field(&field, file))
			return false;
	}
	return result == SL_END && file->path_len > 0;
}

static bool take_old_symbol(struct sl_bytes *from, bool big, struct simpleperf_symbol *ret)
{
	uint32_t len;

	if (!take_number(from, big, 8, &ret->vaddr) || !take_u32(from, big, &len) ||
	    !take_text(from, &ret->name, &ret->name_len))
		return false;
	ret->len = len;
	return true;
}

/* path; u32 type; u64 min_vaddr; u32 count; so many of u64 vaddr, u32 len, name; for ELF files and modules u64 offset. */
static bool read_file(struct sl_bytes body, struct simpleperf_file *file)
{
	struct simpleperf_symbol symbol;

	if (!take_text(&body, &file->path, &file->path_len) || !file->path_len || !take_u32(&body, file->big, &file->type) ||
	    !take_number(&body, file->big, 8, &file->min_vaddr) || !take_u32(&body, file->big, &file->left))
		return false;
	file->rest = body;
	for (uint32_t i = 0; i < file->left; i++) {
		if (!take_old_symbol(&body, file->big, &symbol))
			return false;
	}
	file->offset_known = (file->type == SIMPLEPERF_ELF || file->type == SIMPLEPERF_MODULE) &&
			     take_number(&body, file->big, 8, &file->offset);
	return true;
}

int simpleperf_next_file(struct sl_bytes *list, enum simpleperf_form form, bool big, struct simpleperf_file *ret)
{
	struct simpleperf_file file = { .form = form, .big = big };
	struct sl_bytes body;
	uint32_t size;

	if (!list->len)
		return SL_END;
	if (!take_u32(list, big, &size) || size > list->len) {
		list->len = 0;
		return SL_ERR_FORMAT;
	}
	body = (struct sl_bytes){ list->data, size, list->offset };
	list->data += size;
	list->len -= size;
	list->offset += size;
	if (!(form == SIMPLEPERF_FILE2 ? read_file2(body, &file) : read_file(body, &file)))
		return SL_ERR_FORMAT;
	*ret = file;
	return SL_OK;
}

static bool read_symbol2(struct sl_bytes message, struct simpleperf_symbol *ret)
{
	struct simpleperf_symbol symbol = { 0 };
	struct pb_field field;
	int result;

	while ((result = pb_next(&message, &field)) == SL_OK) {
		if (field.number == SYMBOL_VADDR && !field.is_bytes)
			symbol.vaddr = field.value;
		else if (field.number == SYMBOL_LEN && !field.is_bytes)
			symbol.len = field.value;
		else if (field.number == SYMBOL_NAME && field.is_bytes) {
			symbol.name = (const char *)field.bytes.data;
			symbol.name_len = field.bytes.len;
		}
	}
	*ret = symbol;
	return result == SL_END && symbol.name_len > 0;
}

int simpleperf_next_symbol(struct simpleperf_file *file, struct simpleperf_symbol *ret)
{
	struct pb_field field;

	if (file->form == SIMPLEPERF_FILE) {
		if (!file->left)
			return SL_END;
		file->left--;
		return take_old_symbol(&file->rest, file->big, ret) ? SL_OK : SL_END;
	}
	while (pb_next(&file->rest, &field) == SL_OK) {
		if (field.number == FILE_SYMBOL && field.is_bytes && read_symbol2(field.bytes, ret))
			return SL_OK;
	}
	return SL_END;
}
