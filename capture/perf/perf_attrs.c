/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a recording, and with them how each record says who it is about (sample_id of perf_event.h).
 */
#include "perf_data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

enum {
	ATTR_FIRST_BYTES = 64, /* struct perf_event_attr as it was first; writers may leave its size as 0 */
	ATTR_FLAGS_AT = 40,
	IDS_BYTES = 16, /* section of ids behind each attribute */
	IDS_FREE = 1 << 20,
	IDS_FILE_BYTES = 32,
};
enum sample_bit {
	IP = 1,
	TID = 2,
	TIME = 4,
	ADDR = 8,
	ID = 64,
	CPU = 128,
	STREAM_ID = 512,
	IDENTIFIER = 65536,
	TRAILER = TID | TIME | ID | STREAM_ID | CPU | IDENTIFIER,
	SAMPLE_HEAD = TRAILER | IP | ADDR,
};
static const uint64_t sample_id_all = 1u << 18;

static uint64_t attr_u64(const struct perf_file *file, struct sl_bytes attr, size_t at)
{
	return attr.len >= at + 8 ? perf_get64(file, attr.data + at) : 0;
}

/* Bit fields of big-endian machines begin at a byte's top bit, so the bits' order turns within each byte. */
static uint64_t attr_flags(const struct perf_file *file, struct sl_bytes attr)
{
	uint64_t turned = 0;

	if (attr.len < ATTR_FLAGS_AT + 8)
		return 0;
	if (!file->big)
		return perf_get64(file, attr.data + ATTR_FLAGS_AT);
	for (unsigned bit = 0; bit < 64; bit++)
		turned |= (uint64_t)(attr.data[ATTR_FLAGS_AT + bit / 8] >> (7 - bit % 8) & 1) << bit;
	return turned;
}

/* How many ids are sane: no more than the files hold, and of large files a part, for each takes several times
 * 8 bytes. */
static uint64_t ids_limit(const struct perf_file *file)
{
	uint64_t bytes = perf_parts_bytes(file), held = bytes / 8, part = IDS_FREE + bytes / IDS_FILE_BYTES;

	return held < part ? held : part;
}

/* A copy of ids in this machine's order. */
static int copy_ids(struct perf_file *file, struct sl_bytes ids, struct perf_attr *attr)
{
	size_t count = ids.len / 8;
	uint64_t *copy;

	if (!count)
		return SL_OK;
	if (count > ids_limit(file) - file->attr_ids) {
		sl_notes_add(file->notes,
			     "%s: its events have more ids than can be true; the rest is left out",
			     file->parts[0].path);
		return SL_OK;
	}
	copy = malloc(count * 8);
	if (!copy)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		copy[i] = perf_get64(file, ids.data + 8 * i);
	file->attr_ids += count;
	attr->ids = copy;
	attr->id_count = count;
	return SL_OK;
}

static int add_attr(struct perf_file *file, struct sl_bytes data, struct sl_bytes ids)
{
	struct perf_attr attr = {
		.type = data.len >= 4 ? perf_get32(file, data.data) : 0,
		.config = attr_u64(file, data, 8),
		.sample_period = attr_u64(file, data, 16),
		.sample_type = attr_u64(file, data, 24),
		.flags = attr_flags(file, data),
		.config1 = attr_u64(file, data, 56),
		.config2 = attr_u64(file, data, 64),
		.clockid = data.len >= 96 ? perf_get32(file, data.data + 92) : 0,
		.config3 = attr_u64(file, data, 128),
	};
	int result = copy_ids(file, ids, &attr);

	if (result == SL_OK)
		result = SL_ARRAY_PUSH(&file->attrs, &file->attr_len, &file->attr_cap, attr);
	if (result < 0)
		free((void *)(uintptr_t)attr.ids);
	return result;
}

static struct sl_bytes section_bytes(const struct sl_file *map, struct perf_section section)
{
	section = perf_section_cut(section, map->len);
	return (struct sl_bytes){ map->data + section.offset, (size_t)section.size, section.offset };
}

static int read_entry(struct perf_file *file, const uint8_t *entry)
{
	const struct sl_file *map = &file->parts[0].map;
	size_t len = (size_t)file->attr_size - IDS_BYTES;
	struct perf_section ids = { perf_get64(file, entry + len), perf_get64(file, entry + len + 8) };

	return add_attr(file, (struct sl_bytes){ entry, len, 0 }, section_bytes(map, ids));
}

int perf_attrs_read(struct perf_file *file)
{
	const struct perf_part *part = &file->parts[0];
	struct sl_bytes table = section_bytes(&part->map, file->attrs_at);
	int result = SL_OK;

	if (file->pipe)
		return SL_OK;
	if (table.len != file->attrs_at.size)
		sl_notes_add(file->notes, "%s: is cut in its events at offset 0x%" PRIx64, part->path,
			     file->attrs_at.offset);
	if (file->attr_size < ATTR_FLAGS_AT + 8 + IDS_BYTES) {
		sl_notes_add(file->notes,
			     "%s: its header gives events of 0x%" PRIx64 " bytes, which is too short; "
			     "records cannot be ordered by time",
			     part->path, file->attr_size);
		return SL_OK;
	}
	for (; result == SL_OK && table.len >= file->attr_size; table.len -= (size_t)file->attr_size) {
		result = read_entry(file, table.data);
		table.data += file->attr_size;
	}
	return result;
}

static int read_attr_record(struct perf_file *file, const struct perf_record *record)
{
	size_t len = perf_u32(file, record, 4);
	struct sl_bytes ids = { 0 };

	if (!len)
		len = ATTR_FIRST_BYTES;
	if (len > record->len || len < ATTR_FLAGS_AT + 8) {
		sl_notes_add(file->notes,
			     "%s: an event's description (HEADER_ATTR) has a wrong size, the first one at "
			     "offset 0x%" PRIx64,
			     file->parts[0].path, record->offset);
		return SL_END;
	}
	ids.data = record->body + len;
	ids.len = record->len - len;
	return add_attr(file, (struct sl_bytes){ record->body, len, 0 }, ids);
}

int perf_attrs_read_records(struct perf_file *file)
{
	int result = SL_OK;

	if (file->attr_len)
		return SL_OK;
	for (size_t i = 0; result == SL_OK && i < file->record_len; i++) {
		if (file->records[i].type == PERF_HEADER_ATTR)
			result = read_attr_record(file, &file->records[i]);
	}
	return result < 0 ? result : SL_OK;
}

static unsigned words(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

/* The word of the id from a trailer's end, 0 without: the bits that may follow ID are STREAM_ID, CPU,
 * IDENTIFIER. */
static unsigned id_from_end(uint64_t sample_type)
{
	if (sample_type & IDENTIFIER)
		return 1;
	return sample_type & ID ? 1 + words(sample_type & (STREAM_ID | CPU)) : 0;
}

static unsigned id_from_start(uint64_t sample_type)
{
	if (sample_type & IDENTIFIER)
		return 1;
	return sample_type & ID ? 1 + words(sample_type & (IP | TID | TIME | ADDR)) : 0;
}

static void place_ids(struct perf_file *file, struct perf_id_place *trailer, struct perf_id_place *sample)
{
	uint64_t first = file->attrs[0].sample_type;

	*trailer = (struct perf_id_place){ false, id_from_end(first) };
	*sample = (struct perf_id_place){ false, id_from_start(first) };
	for (size_t i = 1; i < file->attr_len; i++) {
		uint64_t type = file->attrs[i].sample_type;

		trailer->mixed |= ((type ^ first) & TRAILER) != 0;
		sample->mixed |= ((type ^ first) & SAMPLE_HEAD) != 0;
		if (id_from_end(type) != trailer->word)
			trailer->word = 0;
		if (id_from_start(type) != sample->word)
			sample->word = 0;
	}
	if ((trailer->mixed && !trailer->word) || (sample->mixed && !sample->word))
		sl_notes_add(
			file->notes,
			"%s: its events' records differ in layout and do not say which event they are of; "
			"the first event's layout is taken for all",
			file->parts[0].path);
}

static int by_id(const void *a, const void *b)
{
	const struct perf_id *left = a, *right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return left->attr < right->attr ? -1 : left->attr > right->attr;
}

int perf_attrs_index(struct perf_file *file)
{
	if (!file->attr_len)
		return SL_OK;
	place_ids(file, &file->trailer_id, &file->sample_id);
	if ((!file->trailer_id.mixed && !file->sample_id.mixed) || !file->attr_ids)
		return SL_OK;
	file->ids = calloc((size_t)file->attr_ids, sizeof(*file->ids));
	if (!file->ids)
		return SL_ERR_NOMEM;
	for (size_t i = 0; i < file->attr_len; i++) {
		for (size_t k = 0; k < file->attrs[i].id_count; k++)
			file->ids[file->id_len++] = (struct perf_id){ file->attrs[i].ids[k], i };
	}
	qsort(file->ids, file->id_len, sizeof(*file->ids), by_id);
	return SL_OK;
}

/* perf's rule: what no event claims (id 0: written by perf itself) has the first one's layout. */
static const struct perf_attr *find_attr(const struct perf_file *file, uint64_t id)
{
	size_t low = 0, high = file->id_len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return &file->attrs[low < file->id_len && file->ids[low].id == id ? file->ids[low].attr : 0];
}

static const struct perf_attr *attr_of(const struct perf_file *file, const struct perf_record *record)
{
	bool sample = record->type == PERF_SAMPLE;
	const struct perf_id_place *place = sample ? &file->sample_id : &file->trailer_id;
	size_t at = 8 * (size_t)place->word;

	if (!place->mixed || !place->word || at > record->len)
		return &file->attrs[0];
	return find_attr(file, perf_u64(file, record, sample ? at - 8 : record->len - at));
}

static void set_time(struct perf_who *who, uint64_t time)
{
	who->has_time = time != UINT64_MAX;
	who->time = who->has_time ? time : 0;
}

static void set_tid(const struct perf_file *file, struct perf_who *who, const uint8_t *word)
{
	who->has_tid = true;
	who->pid = perf_get32(file, word);
	who->tid = perf_get32(file, word + 4);
}

static void set_id(const struct perf_file *file, struct perf_who *who, const uint8_t *word)
{
	who->has_id = true;
	who->id = perf_get64(file, word);
}

/* Reads the fields that bits name off their words. order is that of the file. */
static void read_who(const struct perf_file *file, const uint8_t *word, uint64_t bits, const uint32_t *order,
		     struct perf_who *ret)
{
	for (; *order; order++) {
		if (!(bits & *order))
			continue;
		if (*order == TID)
			set_tid(file, ret, word);
		else if (*order == TIME)
			set_time(ret, perf_get64(file, word));
		else if (*order == ID || *order == IDENTIFIER)
			set_id(file, ret, word);
		else if (*order == CPU)
			ret->cpu = perf_get32(file, word);
		ret->has_cpu |= *order == CPU;
		word += 8;
	}
}

/* Whether the record is long enough for what its event says it carries. */
static bool apply_one(const struct perf_file *file, struct perf_record *record)
{
	static const uint32_t trailer[] = { TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER, 0 };
	static const uint32_t sample[] = { IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, 0 };
	const struct perf_attr *attr = attr_of(file, record);
	bool is_sample = record->type == PERF_SAMPLE;
	uint64_t bits = attr->sample_type & (is_sample ? SAMPLE_HEAD : TRAILER);
	size_t len = 8 * (size_t)words(bits);

	if (record->len < len)
		return false;
	if (is_sample) {
		read_who(file, record->body, bits, sample, &record->who);
	} else {
		record->body_len = record->len - len;
		read_who(file, record->body + record->body_len, bits, trailer, &record->who);
	}
	return true;
}

void perf_attrs_apply(struct perf_file *file)
{
	bool trailers = file->attr_len && file->attrs[0].flags & sample_id_all;
	uint64_t short_ones = 0, first = 0;

	for (size_t i = 0; i < file->record_len && file->attr_len; i++) {
		struct perf_record *record = &file->records[i];

		if (record->type >= PERF_FIRST_OWN_TYPE || (record->type != PERF_SAMPLE && !trailers))
			continue;
		if (!apply_one(file, record) && !short_ones++)
			first = record->offset;
	}
	if (short_ones)
		sl_notes_add(file->notes,
			     "%s: %" PRIu64
			     " records are too short for the time and thread that their event "
			     "promises, the first one at offset 0x%" PRIx64,
			     file->parts[0].path, short_ones, first);
}

void perf_attrs_release(struct perf_file *file)
{
	for (size_t i = 0; i < file->attr_len; i++)
		free((void *)(uintptr_t)file->attrs[i].ids);
	free(file->attrs);
	free(file->ids);
}
