/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel code that has no file: BPF programs and what the kernel writes for probes. KSYMBOL records tell where it lay and
 * when (perf_event.h: u64 addr; u32 len; u16 type, flags; name); its bytes are only in a kcore.
 */
#include "perf_images.h"

#include "sl_array.h"
#include "sl_map.h"
#include "sl_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_BPF = 1, FLAG_UNREGISTER = 1, NAMES_MAX = 4, NAME_CAP = 512, RECORD_BYTES = 16 };

struct ksymbol {
	uint64_t start, end;
	uint64_t to; /* time when it went; UINT64_MAX: never */
	const char *name;
	uint16_t type;
};

struct ksymbols {
	const struct perf_file *file;
	struct ksymbol *items;
	size_t len, cap;
	struct sl_map alive; /* start -> index + 1 of the one that is there; 0: none */
	uint64_t bad, first_bad;
	struct sl_image *image;
	bool bytes_known;
	uint64_t ambiguous, first_ambiguous; /* addresses that different code had which cannot be told apart */
};

static bool same(const struct ksymbol *a, const struct ksymbol *b)
{
	return a->start == b->start && a->end == b->end && strcmp(a->name, b->name) == 0;
}

/* What stood there before is gone, also where its end was not told. */
static int read_record(struct ksymbols *all, const struct perf_record *record)
{
	struct ksymbol symbol = { .start = perf_u64(all->file, record, 0), .to = UINT64_MAX,
				  .name = perf_string(record, RECORD_BYTES), .type = perf_u16(all->file, record, 12) };
	uint32_t len = perf_u32(all->file, record, 8);
	uint64_t *alive;

	if (record->body_len <= RECORD_BYTES || !symbol.name[0] || !len || len > UINT64_MAX - symbol.start) {
		all->first_bad = all->bad++ ? all->first_bad : record->offset;
		return SL_OK;
	}
	symbol.end = symbol.start + len;
	alive = sl_map_put(&all->alive, symbol.start);
	if (!alive)
		return SL_ERR_NOMEM;
	if (*alive && !(perf_u16(all->file, record, 14) & FLAG_UNREGISTER) && same(&all->items[*alive - 1], &symbol))
		return SL_OK;
	if (*alive)
		all->items[*alive - 1].to = record->who.time;
	*alive = 0;
	if (perf_u16(all->file, record, 14) & FLAG_UNREGISTER)
		return SL_OK;
	*alive = all->len + 1;
	return SL_ARRAY_PUSH(&all->items, &all->len, &all->cap, symbol);
}

static int by_start(const void *left, const void *right)
{
	const struct ksymbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What went before tracing began never ran traced. */
static void settle(struct ksymbols *all, uint64_t trace_start)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->len; i++) {
		if (all->items[i].to > trace_start)
			all->items[kept++] = all->items[i];
	}
	all->len = kept;
	if (kept)
		qsort(all->items, kept, sizeof(*all->items), by_start);
}

/* How many from the first on share addresses, one with the next. */
static size_t run_of(const struct ksymbol *first, size_t len)
{
	uint64_t end = first->end;
	size_t n = 1;

	for (; n < len && first[n].start < end; n++)
		end = first[n].end > end ? first[n].end : end;
	return n;
}

/* The names of all, which have the same addresses, with '|' between them; false where they do not or are too many. */
static bool join_names(const struct ksymbol *symbols, size_t count, char ret[NAME_CAP])
{
	size_t names = 0, len = 0;

	for (size_t i = 0; i < count; i++) {
		if (symbols[i].start != symbols->start || symbols[i].end != symbols->end)
			return false;
		if (i && strcmp(symbols[i].name, symbols[i - 1].name) == 0)
			continue;
		if (names++ == NAMES_MAX)
			return false;
		len += (size_t)snprintf(ret + len, NAME_CAP - len, "%s%s", len ? "|" : "", symbols[i].name);
		if (len >= NAME_CAP)
			return false;
	}
	return true;
}

static int add_missing(const struct ksymbols *all, const struct ksymbol *symbol)
{
	struct sl_place place = { .core = SL_CORE_ANY, .address = symbol->start, .len = symbol->end - symbol->start };
	char name[256], text[400];

	if (all->bytes_known)
		return SL_OK;
	snprintf(text, sizeof(text), "%s %s: its code is not in the recording; record with perf record --kcore",
		 symbol->type == TYPE_BPF ? "BPF program" : "kernel code", sl_printable(symbol->name, name, sizeof(name)));
	return sl_image_add_missing(all->image, text, &place);
}

/* Different code at the same addresses, one after the other: a name that says so, or none. */
static int add_run(struct ksymbols *all, const struct ksymbol *symbols, size_t count)
{
	char name[NAME_CAP];
	int result = SL_OK;

	if (join_names(symbols, count, name))
		result = sl_image_add_symbol(all->image, SL_CORE_ANY, symbols->start, symbols->end - symbols->start, name,
					     symbols->type == TYPE_BPF ? "bpf" : "kernel");
	else
		all->first_ambiguous = all->ambiguous++ ? all->first_ambiguous : symbols->start;
	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (!i || !same(&symbols[i], &symbols[i - 1]))
			result = add_missing(all, &symbols[i]);
	}
	return result;
}

static void note(const struct ksymbols *all, struct sl_notes *notes)
{
	if (all->bad)
		sl_notes_add(notes, "KSYMBOL records without address, length or name: %" PRIu64 " (the first at offset 0x%" PRIx64
			     "): left out", all->bad, all->first_bad);
	if (all->ambiguous)
		sl_notes_add(notes, "kernel addresses that several BPF programs had while it was recorded: %" PRIu64
			     " (the first 0x%" PRIx64 "): they are not named; record for a shorter time to tell them apart",
			     all->ambiguous, all->first_ambiguous);
}

int perf_ksymbols_add(const struct sl_capture *cap, struct sl_image *image, bool kernel_known, struct sl_notes *notes)
{
	struct ksymbols all = { .file = cap->perf->file, .image = image, .bytes_known = kernel_known };
	const struct perf_record *records;
	size_t count = perf_file_records(all.file, &records);
	int result = SL_OK;

	for (size_t i = 0; i < count && result == SL_OK; i++) {
		if (records[i].type == PERF_KSYMBOL)
			result = read_record(&all, &records[i]);
	}
	settle(&all, cap->perf->start);
	for (size_t i = 0, n; i < all.len && result == SL_OK; i += n) {
		n = run_of(&all.items[i], all.len - i);
		result = add_run(&all, &all.items[i], n);
	}
	note(&all, notes);
	sl_map_release(&all.alive);
	free(all.items);
	return result;
}
