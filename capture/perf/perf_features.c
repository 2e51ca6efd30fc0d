/* SPDX-License-Identifier: Apache-2.0 */
/* What the header's features say: host, kernel, command line, build ids, and where the AUXTRACE records are.
 */
#include "perf_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	TEXT_MAX = 1 << 20,
	BUILD_ID_BYTES = 20,
	BUILD_ID_FIELD = 24,	      /* with its size and padding */
	MISC_BUILD_ID_SIZE = 1 << 15, /* the size is given */
	INDEX_ENTRY = 16,
};

/* Bit n of the bitmap, which is an array of unsigned longs of word bytes. */
static bool bit_is_set(const struct perf_file *file, const uint8_t *bitmap, unsigned bit, unsigned word)
{
	unsigned byte = bit / 8;

	if (file->big)
		byte = byte / word * word + (word - 1 - byte % word);
	return bitmap[byte] >> bit % 8 & 1;
}

/* Only a 32-bit machine of the other byte order leaves the host's name, which is always there, elsewhere. */
static unsigned bitmap_word(const struct perf_file *file, const uint8_t *bitmap)
{
	return !bit_is_set(file, bitmap, PERF_FEAT_HOSTNAME, 8) &&
			       bit_is_set(file, bitmap, PERF_FEAT_HOSTNAME, 4)
		       ? 4
		       : 8;
}

void perf_features_find(struct perf_file *file, const uint8_t *bitmap, uint64_t table)
{
	const struct perf_part *part = &file->parts[0];
	unsigned word = bitmap_word(file, bitmap);
	bool cut = false;

	for (unsigned bit = 0; bit < PERF_FEATURES; bit++) {
		struct perf_section section, there;

		if (!bit_is_set(file, bitmap, bit, word))
			continue;
		if (table > part->map.len || part->map.len - table < 16) {
			cut = true;
			break;
		}
		section.offset = perf_get64(file, part->map.data + table);
		section.size = perf_get64(file, part->map.data + table + 8);
		there = perf_section_cut(section, part->map.len);
		cut |= there.size != section.size;
		file->features[bit] =
			(struct sl_bytes){ part->map.data + there.offset, (size_t)there.size, there.offset };
		table += 16;
	}
	if (cut)
		sl_notes_add(file->notes,
			     "%s: is cut in what describes the host (its features, behind the records): "
			     "kernel, command line or build ids may be missing",
			     part->path);
}

/* Takes the string at *at (a length and bytes) and moves on; NULL where there is none. */
static int take_string(const struct perf_file *file, struct sl_bytes from, size_t *at, const char **ret,
		       size_t *ret_len)
{
	size_t len;

	if (from.len - *at < 4)
		return SL_END;
	len = perf_get32(file, from.data + *at);
	*at += 4;
	if (len > from.len - *at)
		len = from.len - *at;
	*ret = (const char *)from.data + *at;
	*ret_len = strnlen(*ret, len);
	*at += len;
	return SL_OK;
}

static int read_string(const struct perf_file *file, unsigned bit, char **ret)
{
	const char *text;
	size_t at = 0, len;

	if (take_string(file, file->features[bit], &at, &text, &len) != SL_OK)
		return SL_OK;
	*ret = strndup(text, len < TEXT_MAX ? len : TEXT_MAX);
	return *ret ? SL_OK : SL_ERR_NOMEM;
}

/* A count and so many strings: the arguments, joined by blanks. */
static int read_cmdline(const struct perf_file *file, char **ret)
{
	struct sl_bytes from = file->features[PERF_FEAT_CMDLINE];
	size_t at = 4, used = 0, cap = from.len < TEXT_MAX ? from.len : TEXT_MAX;
	uint32_t left;
	const char *text;
	size_t len;
	char *line;

	if (from.len < 4)
		return SL_OK;
	line = malloc(cap + 1);
	if (!line)
		return SL_ERR_NOMEM;
	/* Each argument's length takes four bytes, so the line with its blanks is shorter than the section.
	 */
	for (left = perf_get32(file, from.data); left && take_string(file, from, &at, &text, &len) == SL_OK;
	     left--) {
		if (cap - used <= len)
			break;
		if (used)
			line[used++] = ' ';
		memcpy(line + used, text, len);
		used += len;
	}
	line[used] = '\0';
	*ret = line;
	return SL_OK;
}

/*
 * One entry, name at body's end. quirk: until 2.6.35 it had no pid, so that all else is 4 bytes earlier.
 * SL_END where it has no name.
 */
static int add_build_id(struct perf_file *file, uint16_t misc, struct sl_bytes body, bool quirk)
{
	size_t at = quirk ? 0 : 4, name_at = at + BUILD_ID_FIELD;
	struct perf_build_id entry = { .len = BUILD_ID_BYTES, .pid = -1, .misc = misc };

	if (body.len <= name_at || !memchr(body.data + name_at, '\0', body.len - name_at))
		return SL_END;
	if (!quirk)
		entry.pid = (int32_t)perf_get32(file, body.data);
	memcpy(entry.id, body.data + at, BUILD_ID_BYTES);
	if (misc & MISC_BUILD_ID_SIZE && body.data[at + BUILD_ID_BYTES] < BUILD_ID_BYTES)
		entry.len = body.data[at + BUILD_ID_BYTES];
	entry.name = (const char *)body.data + name_at;
	return SL_ARRAY_PUSH(&file->build_ids, &file->build_id_len, &file->build_id_cap, entry);
}

/* The next entry of a BUILD_ID section; false at its end. */
static bool next_entry(const struct perf_file *file, struct sl_bytes *list, uint16_t *misc,
		       struct sl_bytes *ret)
{
	size_t size = list->len >= PERF_HEAD_BYTES ? perf_get16(file, list->data + 6) : 0;

	if (size < PERF_HEAD_BYTES || size > list->len)
		return false;
	*misc = perf_get16(file, list->data + 4);
	*ret = (struct sl_bytes){ list->data + PERF_HEAD_BYTES, size - PERF_HEAD_BYTES, 0 };
	list->data += size;
	list->len -= size;
	return true;
}

static bool has_quirk(const struct perf_file *file)
{
	static const char shifted[] = "nel.kallsyms]"; /* what is left of [kernel.kallsyms] 4 bytes later */
	struct sl_bytes list = file->features[PERF_FEAT_BUILD_ID], body;
	size_t at = 4 + BUILD_ID_FIELD;
	uint16_t misc;

	while (next_entry(file, &list, &misc, &body)) {
		if (body.len >= at + sizeof(shifted) && memcmp(body.data + at, shifted, sizeof(shifted)) == 0)
			return true;
	}
	return false;
}

static int read_build_ids(struct perf_file *file)
{
	struct sl_bytes list = file->features[PERF_FEAT_BUILD_ID], body;
	bool quirk = has_quirk(file);
	int result = SL_OK;
	size_t bad = 0;
	uint16_t misc;

	while (result >= 0 && next_entry(file, &list, &misc, &body)) {
		result = add_build_id(file, misc, body, quirk);
		bad += result == SL_END;
	}
	if (list.len || bad)
		sl_notes_add(file->notes,
			     "%s: its list of build ids is damaged at offset 0x%" PRIx64 " or before",
			     file->parts[0].path,
			     file->features[PERF_FEAT_BUILD_ID].offset +
				     file->features[PERF_FEAT_BUILD_ID].len - list.len);
	return result < 0 ? result : SL_OK;
}

/* FEATURE records carry what the file form has in sections, and perf inject adds BUILD_ID records to either.
 */
static int read_records(struct perf_file *file)
{
	int result = SL_OK;

	for (size_t i = 0; result >= 0 && i < file->record_len; i++) {
		const struct perf_record *record = &file->records[i];
		uint64_t bit = perf_u64(file, record, 0);

		file->simpleperf |= record->type >= PERF_FIRST_SIMPLEPERF_TYPE;
		if (record->type == PERF_BUILD_ID)
			result = add_build_id(file, record->misc,
					      (struct sl_bytes){ record->body, record->len, 0 }, false);
		else if (record->type == PERF_FEATURE && record->len >= 8 && bit < PERF_FEATURES &&
			 !file->features[bit].len)
			file->features[bit] =
				(struct sl_bytes){ record->body + 8, record->len - 8, record->offset };
	}
	return result < 0 ? result : SL_OK;
}

int perf_features_read(struct perf_file *file)
{
	int result = read_records(file);

	for (unsigned bit = PERF_FEAT_SIMPLEPERF; bit <= PERF_FEAT_SIMPLEPERF_LAST; bit++)
		file->simpleperf |= file->features[bit].len != 0;
	if (result == SL_OK)
		result = read_build_ids(file);
	if (result == SL_OK)
		result = read_string(file, PERF_FEAT_HOSTNAME, &file->hostname);
	if (result == SL_OK)
		result = read_string(file, PERF_FEAT_OSRELEASE, &file->release);
	if (result == SL_OK)
		result = read_string(file, PERF_FEAT_ARCH, &file->arch);
	if (result == SL_OK)
		result = read_string(file, PERF_FEAT_CPUDESC, &file->cpudesc);
	if (result == SL_OK)
		result = read_string(file, PERF_FEAT_CPUID, &file->cpuid);
	if (result == SL_OK)
		result = read_cmdline(file, &file->cmdline);
	return result;
}

uint64_t perf_index_next(const struct perf_file *file, uint64_t behind, size_t *cursor)
{
	struct sl_bytes index = file->features[PERF_FEAT_AUXTRACE];
	/* perf begins it with a count, simpleperf does not. */
	size_t skip = index.len / 8 % 2 ? 8 : 0;

	for (; index.len - skip >= (*cursor + 1) * INDEX_ENTRY && index.len; ++*cursor) {
		uint64_t offset = perf_get64(file, index.data + skip + *cursor * INDEX_ENTRY);

		if (offset > behind)
			return offset;
	}
	return 0;
}

void perf_features_release(struct perf_file *file)
{
	free(file->build_ids);
	free(file->arch);
	free(file->release);
	free(file->hostname);
	free(file->cmdline);
	free(file->cpudesc);
	free(file->cpuid);
}
