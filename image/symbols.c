/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

#include "sl_array.h"

int syms_add(struct syms *list, const struct sym *sym)
{
	return SL_ARRAY_PUSH(&list->items, &list->len, &list->cap, *sym);
}

void syms_release(struct syms *list)
{
	free(list->items);
	*list = (struct syms){ 0 };
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

bool sym_is_marker(const char *name)
{
	static const char *const names[] = {
		"_text", "_stext", "_etext", "_sinittext", "_einittext", "_end"
	};
	static const char *const starts[] = { "__start_", "__stop_", "_start_", "_end_" };
	static const char *const ends[] = { "_start", "_end", "_begin" }; /* of names with two underscores */
	size_t len;

	if (name[0] != '_')
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (begins_with(name, starts[i]))
			return true;
	}
	len = name[1] == '_' ? strlen(name) : 0;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (ends_with(name, len, ends[i]))
			return true;
	}
	return false;
}

bool sym_is_mark(const char *name)
{
	return name[0] == '$' && name[1] && strchr("atdx", name[1]) && (!name[2] || name[2] == '.');
}

/* Names from strangers may be megabytes long and overlap: they are compared up to a bound. */
static int compare_names(const char *a, const char *b)
{
	return a == b ? 0 : strncmp(a, b, SYM_NAME_MAX);
}

static int compare_syms(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->bind != y->bind)
		return x->bind < y->bind ? -1 : 1;
	return compare_names(x->name, y->name);
}

/* Of each run of aliases the first stays; a size that only another one has is taken over. */
static void drop_aliases(struct syms *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->len; i++) {
		struct sym *sym = &list->items[i];
		struct sym *last = kept ? &list->items[kept - 1] : NULL;

		if (!last || last->addr != sym->addr)
			list->items[kept++] = *sym;
		else if (!last->size)
			last->size = sym->size;
	}
	list->len = kept;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * Labels inside a function are no functions: those within its size, and local ones behind a function of
 * assembly that has no size, up to the next function of that section.
 */
static void drop_inner_labels(struct syms *list)
{
	const struct sym *open = NULL; /* the function without size that we are in */
	uint64_t function_end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < list->len; i++) {
		struct sym *sym = &list->items[i];
		uint64_t end = add_saturated(sym->addr, sym->size);
		bool label = sym->rank == RANK_LABEL && !sym->size;

		if (label && sym->addr < function_end)
			continue;
		if (label && sym->bind == BIND_LOCAL && open && open->limit == sym->limit &&
		    sym->addr - open->addr < SYM_REACH)
			continue;
		if (sym->rank == RANK_FUNCTION && sym->size && end > function_end)
			function_end = end;
		list->items[kept] = *sym;
		open = sym->size || (label && sym->bind == BIND_LOCAL) ? NULL : &list->items[kept];
		kept++;
	}
	list->len = kept;
}

static uint64_t end_of(const struct sym *sym, uint64_t next)
{
	uint64_t end;

	if (!sym->size) {
		end = add_saturated(sym->addr, SYM_REACH);
		if (sym->limit > sym->addr && sym->limit < end)
			end = sym->limit;
		return next < end ? next : end;
	}
	end = add_saturated(sym->addr, sym->size);
	return next > end && next - end < SYM_PADDING ? next : end;
}

int syms_settle(struct syms *list, struct spans *spans)
{
	struct spans raw = { 0 };
	uint64_t next = UINT64_MAX;
	int result = SL_OK;

	if (list->len)
		qsort(list->items, list->len, sizeof(*list->items), compare_syms);
	drop_aliases(list);
	drop_inner_labels(list);
	/* From the last to the first: where functions overlap, the one that starts nearest has the address.
	 */
	for (size_t i = list->len; i-- > 0 && result == SL_OK;) {
		struct sym *sym = &list->items[i];
		uint64_t end = end_of(sym, next);

		next = sym->addr;
		sym->size = end - sym->addr;
		if (sym->size)
			result = spans_add(&raw, (struct span){ sym->addr, end, 0, sym });
	}
	if (result == SL_OK)
		result = spans_cut(raw.items, raw.len, spans);
	spans_release(&raw);
	return result;
}
