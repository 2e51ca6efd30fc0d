/* SPDX-License-Identifier: Apache-2.0 */
#include "sl_filter.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "levels.h"
#include "sl_array.h"
#include "sl_map.h"
#include "sl_text.h"
#include "tasks.h"

/* What is known of a symbol: asked once each. */
enum { ASKED = 1, WANTED = 2, ROOT = 4 };
#define OUTSIDE UINT32_MAX

/* Where a stack stands to the root. */
struct inside {
	uint32_t depth;	    /* of the call of root that is open; OUTSIDE: none */
	uint32_t interrupt; /* of the level above it that the program did not ask for; OUTSIDE: none */
};

struct sl_sieve {
	struct sl_filter filter;
	const struct sl_image *image;
	const struct sl_capture *capture;
	uint64_t timestamp_hz;
	bool all; /* there is nothing to sift */
	bool failed;
	uint8_t *symbols;
	struct tasks tasks;
	struct sl_map wanted_tasks; /* by id + 1: 1 no, 2 yes */
	uint64_t roots;
	struct inside *stacks;
	size_t stack_count, stack_cap;
};

static int refuse(struct sl_diag *diag, const char *option, const char *text, const char *why)
{
	return sl_fail(diag, SL_ERR_FORMAT, "%s: '%s' %s", option, text, why);
}

/* A number at *text, which moves behind it; false where there is none, or it is beyond 64 bits. */
static bool take_number(const char **text, uint64_t *ret)
{
	bool hex = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
	size_t len = hex ? 2 + strspn(*text + 2, "0123456789abcdefABCDEF") : strspn(*text, "0123456789");
	char digits[32];

	if (len == (hex ? 2u : 0u) || len >= sizeof(digits))
		return false;
	/* sl_parse_u64 takes a leading 0 for octal */
	while (!hex && len > 1 && **text == '0') {
		(*text)++;
		len--;
	}
	memcpy(digits, *text, len);
	digits[len] = '\0';
	*text += len;
	return sl_parse_u64(digits, ret) == SL_OK;
}

static bool take_cpus(const char **text, struct sl_filter *filter)
{
	uint64_t first, last;

	if (!take_number(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!take_number(text, &last))
			return false;
	}
	if (first > last || last >= SL_FILTER_CPUS)
		return false;
	for (uint64_t cpu = first; cpu <= last; cpu++)
		filter->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return true;
}

int sl_filter_set_cpus(struct sl_filter *filter, const char *text, struct sl_diag *diag)
{
	struct sl_filter out = *filter;
	const char *at = text;

	out.by_cpu = true;
	memset(out.cpus, 0, sizeof(out.cpus));
	do {
		if (!take_cpus(&at, &out))
			return refuse(diag, "--cpu", text, "is no list of CPUs such as 0,2-3");
	} while (*at++ == ',');
	if (at[-1])
		return refuse(diag, "--cpu", text, "is no list of CPUs such as 0,2-3");
	*filter = out;
	return SL_OK;
}

static unsigned level_named(const char *name, size_t len)
{
	for (unsigned level = 0; level < SL_LEVELS; level++) {
		if (strlen(sl_level_name(level)) == len && memcmp(sl_level_name(level), name, len) == 0)
			return 1u << level;
	}
	return 0;
}

static int no_level(struct sl_diag *diag, const char *text)
{
	char all[160] = "";
	size_t len = 0;

	for (unsigned level = 0; level < SL_LEVELS; level++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", level ? ", " : "", sl_level_name(level));
	return sl_fail(diag, SL_ERR_FORMAT, "--level: '%s' is no list of %s", text, all);
}

int sl_filter_set_levels(struct sl_filter *filter, const char *text, struct sl_diag *diag)
{
	unsigned levels = 0;

	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		unsigned level = level_named(at, len);

		if (!level)
			return no_level(diag, text);
		levels |= level;
		at += len;
		if (!*at)
			break;
	}
	filter->levels = levels;
	return SL_OK;
}

/* "10us" and the like: the unit has to be there, since no axis is the obvious one. */
static bool take_limit(const char **text, bool offsets, struct sl_limit *ret)
{
	static const struct {
		const char *suffix;
		enum sl_filter_unit unit;
		uint64_t factor;
	} units[] = {
		{ "ns", SL_UNIT_NS, 1 }, { "us", SL_UNIT_NS, 1000 }, { "ms", SL_UNIT_NS, 1000000 },
		{ "s", SL_UNIT_NS, 1000000000 }, { "cycles", SL_UNIT_CYCLES, 1 }, { "insns", SL_UNIT_INSNS, 1 },
	};
	uint64_t value;
	size_t len;

	if (offsets && **text == '@') {
		(*text)++;
		ret->unit = SL_UNIT_OFFSET;
		return take_number(text, &ret->value);
	}
	if (!take_number(text, &value))
		return false;
	len = strspn(*text, "abcdefghijklmnopqrstuvwxyz");
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strlen(units[i].suffix) != len || memcmp(units[i].suffix, *text, len) != 0)
			continue;
		*text += len;
		*ret = (struct sl_limit){ units[i].unit, value * units[i].factor };
		return value <= UINT64_MAX / units[i].factor;
	}
	return false;
}

int sl_filter_set_window(struct sl_filter *filter, const char *text, struct sl_diag *diag)
{
	static const char form[] = "is no window such as 1ms..2500us, 2s.., ..90000cycles or @0x1000..@0x2000 (offsets)";
	struct sl_limit from = { SL_UNIT_NONE, 0 }, to = from;
	const char *at = text;

	if (*at != '.' && !take_limit(&at, true, &from))
		return refuse(diag, "--window", text, form);
	if (strncmp(at, "..", 2) != 0)
		return refuse(diag, "--window", text, form);
	at += 2;
	if (*at && (!take_limit(&at, true, &to) || *at))
		return refuse(diag, "--window", text, form);
	if (!from.unit && !to.unit)
		return refuse(diag, "--window", text, form);
	if (from.unit == to.unit && from.value >= to.value)
		return refuse(diag, "--window", text, "is empty: its end must lie behind its beginning");
	filter->from = from;
	filter->to = to;
	return SL_OK;
}

int sl_filter_set_min_duration(struct sl_filter *filter, const char *text, struct sl_diag *diag)
{
	struct sl_limit limit;
	const char *at = text;

	if (!take_limit(&at, false, &limit) || *at)
		return refuse(diag, "--min-duration", text, "is no duration such as 500ns, 10us, 1ms, 800cycles or 5000insns");
	filter->min_duration = limit;
	return SL_OK;
}

static enum sl_axis axis_of(enum sl_filter_unit unit)
{
	if (unit == SL_UNIT_NS)
		return SL_AXIS_TICKS;
	return unit == SL_UNIT_CYCLES ? SL_AXIS_CYCLES : SL_AXIS_INSNS;
}

unsigned sl_filter_axes(const struct sl_filter *filter)
{
	const struct sl_limit limits[] = { filter->from, filter->to, filter->min_duration };
	unsigned axes = 0;

	for (int i = 0; i < 3; i++) {
		if (limits[i].unit && limits[i].unit != SL_UNIT_OFFSET)
			axes |= 1u << axis_of(limits[i].unit);
	}
	return axes;
}

static bool is_limited(const struct sl_filter *f)
{
	return f->function || f->module || f->task || f->root || f->depth || f->levels || f->by_cpu || f->from.unit ||
	       f->to.unit || f->min_duration.unit;
}

int sl_sieve_new(const struct sl_filter *filter, const struct sl_image *image, const struct sl_capture *capture,
		 uint64_t timestamp_hz, struct sl_sieve **ret, struct sl_diag *diag)
{
	struct sl_sieve *sieve;

	if (!timestamp_hz && (sl_filter_axes(filter) & 1u << SL_AXIS_TICKS))
		return sl_fail(diag, SL_ERR_CONFIG, "a limit in time: the timestamp counter's frequency is not known; give it "
						    "with --freq HZ");
	sieve = calloc(1, sizeof(*sieve));
	if (!sieve)
		return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	sieve->filter = *filter;
	sieve->image = image;
	sieve->capture = capture;
	sieve->timestamp_hz = timestamp_hz;
	sieve->all = !is_limited(filter);
	sieve->symbols = calloc((size_t)sl_image_symbol_count(image) + 1, sizeof(*sieve->symbols));
	if (!sieve->symbols) {
		sl_sieve_free(sieve);
		return sl_fail(diag, SL_ERR_NOMEM, "%s", sl_strerror(SL_ERR_NOMEM));
	}
	*ret = sieve;
	return SL_OK;
}

void sl_sieve_free(struct sl_sieve *sieve)
{
	if (!sieve)
		return;
	free(sieve->symbols);
	free(sieve->stacks);
	tasks_release(&sieve->tasks);
	sl_map_release(&sieve->wanted_tasks);
	free(sieve);
}

bool sl_sieve_is_open(const struct sl_sieve *sieve)
{
	return sieve->all;
}

unsigned sl_sieve_needs(const struct sl_sieve *sieve)
{
	unsigned kinds = 0;

	if (sieve->filter.task)
		kinds |= TASKS_NEED;
	if (sieve->filter.root)
		kinds |= 1u << SL_CALL_ENTER | 1u << SL_CALL_LEAVE | 1u << SL_CALL_LEVEL | 1u << SL_CALL_RESUME;
	return kinds;
}

uint64_t sl_sieve_roots(const struct sl_sieve *sieve)
{
	return sieve->roots;
}

bool sl_sieve_failed(const struct sl_sieve *sieve)
{
	return sieve->failed;
}

static bool matches(const char *glob, const char *name)
{
	return !glob || fnmatch(glob, name, 0) == 0;
}

static uint8_t ask_symbol(struct sl_sieve *s, uint32_t symbol)
{
	const struct sl_symbol *named = sl_image_symbol(s->image, symbol);
	const char *module = symbol ? sl_image_module(s->image, named->module)->name : "";
	uint8_t known = ASKED;

	if (matches(s->filter.function, named->name) && matches(s->filter.module, module))
		known |= WANTED;
	if (s->filter.root && matches(s->filter.root, named->name))
		known |= ROOT;
	return s->symbols[symbol] = known;
}

static uint8_t of_symbol(struct sl_sieve *s, uint32_t symbol)
{
	return s->symbols[symbol] ? s->symbols[symbol] : ask_symbol(s, symbol);
}

/* By number, as people write it, or by name. */
static bool task_matches(const struct sl_sieve *s, uint64_t task)
{
	const char *name = task_name_of(s->capture, task);
	char decimal[24], hex[24];

	if (task == NO_TASK)
		return matches(s->filter.task, "unknown");
	snprintf(decimal, sizeof(decimal), "%" PRIu64, task);
	snprintf(hex, sizeof(hex), "0x%" PRIx64, task);
	return strcmp(s->filter.task, decimal) == 0 || strcmp(s->filter.task, hex) == 0 || (name && matches(s->filter.task, name));
}

static bool task_counts(struct sl_sieve *s, uint32_t stack)
{
	uint64_t task = tasks_of(&s->tasks, stack), *known = sl_map_put(&s->wanted_tasks, task + 1);

	if (!known) {
		s->failed = true;
		return false;
	}
	if (!*known)
		*known = task_matches(s, task) ? 2 : 1;
	return *known == 2;
}

static bool cpu_counts(const struct sl_sieve *s, const struct sl_lane *lane)
{
	int64_t cpu = lane ? sl_lane_cpu(lane) : -1;

	return cpu >= 0 && cpu < SL_FILTER_CPUS && s->filter.cpus[cpu / 64] >> cpu % 64 & 1;
}

static uint64_t on_axis(const struct sl_sieve *s, enum sl_filter_unit unit, const struct sl_axes *axes)
{
	return axis_value(axis_of(unit), axes->v[axis_of(unit)], s->timestamp_hz);
}

static bool is_before(const struct sl_sieve *s, const struct sl_limit *limit, const struct sl_axes *at, uint64_t offset)
{
	return (limit->unit == SL_UNIT_OFFSET ? offset : on_axis(s, limit->unit, at)) < limit->value;
}

static bool in_window(const struct sl_sieve *s, const struct sl_axes *from, uint64_t from_offset, const struct sl_axes *to,
		      uint64_t to_offset)
{
	if (s->filter.from.unit && is_before(s, &s->filter.from, from, from_offset))
		return false;
	return !s->filter.to.unit || is_before(s, &s->filter.to, to, to_offset);
}

/* NULL: no memory. */
static struct inside *inside_of(struct sl_sieve *s, uint32_t stack)
{
	static const struct inside outside = { OUTSIDE, OUTSIDE };

	while (s->stack_count <= stack) {
		if (SL_ARRAY_PUSH(&s->stacks, &s->stack_count, &s->stack_cap, outside) < 0) {
			s->failed = true;
			return NULL;
		}
	}
	return &s->stacks[stack];
}

static void arrive(struct sl_sieve *s, struct inside *in, const struct sl_call *call)
{
	if (call->kind == SL_CALL_ENTER && in->depth == OUTSIDE && (of_symbol(s, call->symbol) & ROOT))
		in->depth = call->depth;
	if (call->kind == SL_CALL_LEVEL && in->depth != OUTSIDE && in->interrupt == OUTSIDE && level_interrupts(call->level))
		in->interrupt = call->depth;
}

static void depart(struct inside *in, const struct sl_call *call)
{
	if (call->kind == SL_CALL_RESUME && call->depth <= in->interrupt)
		in->interrupt = OUTSIDE;
	if (call->kind == SL_CALL_LEAVE && call->depth <= in->depth)
		in->depth = in->interrupt = OUTSIDE;
}

/* Whether it is inside of root; base is what depth is counted from. */
static bool in_root(const struct inside *in, uint32_t depth, uint32_t *base)
{
	*base = in->depth;
	return in->depth != OUTSIDE && depth >= in->depth && in->interrupt == OUTSIDE;
}

static bool runs(struct sl_sieve *s, uint32_t stack, const struct sl_lane *lane)
{
	if (s->filter.by_cpu && !cpu_counts(s, lane))
		return false;
	return !s->filter.task || task_counts(s, stack);
}

/* The same for everything that a call and a piece have. */
static bool counts(struct sl_sieve *s, uint32_t depth, uint32_t base, enum sl_level level, uint32_t stack,
		   const struct sl_lane *lane)
{
	if (s->filter.depth && depth - base >= s->filter.depth)
		return false;
	if (s->filter.levels && !(s->filter.levels & 1u << level))
		return false;
	return runs(s, stack, lane);
}

static bool lasts(const struct sl_sieve *s, const struct sl_call *call)
{
	const struct sl_limit *least = &s->filter.min_duration;

	return !least->unit || on_axis(s, least->unit, call->total) >= least->value;
}

static bool call_counts(struct sl_sieve *s, const struct sl_call *call, uint32_t base)
{
	bool ended = call->kind == SL_CALL_LEAVE || call->kind == SL_CALL_RESUME;

	if (!counts(s, call->depth, base, call->level, call->stack, call->lane))
		return false;
	if (!in_window(s, call->enter, call->offset, ended ? call->leave : call->enter, ended ? call->leave_offset : call->offset))
		return false;
	return !ended || lasts(s, call);
}

bool sl_sieve_runs(struct sl_sieve *s, const struct sl_call *call)
{
	return runs(s, call->stack, call->lane);
}

bool sl_sieve_stay(struct sl_sieve *s, const struct sl_call *stay)
{
	return in_window(s, stay->enter, stay->offset, stay->leave, stay->leave_offset) && lasts(s, stay);
}

bool sl_sieve_symbol(struct sl_sieve *s, uint32_t symbol)
{
	return !(s->filter.function || s->filter.module) || of_symbol(s, symbol) & WANTED;
}

bool sl_sieve_call(struct sl_sieve *s, const struct sl_call *call)
{
	bool named = call->kind == SL_CALL_ENTER || call->kind == SL_CALL_LEAVE;
	struct inside *in = NULL;
	uint32_t base = 0;
	bool ret;

	if (s->all)
		return true;
	if (s->filter.task && tasks_see(&s->tasks, call) < 0)
		s->failed = true;
	if (call->kind > SL_CALL_RESUME)
		return true;
	if (s->filter.root) {
		in = inside_of(s, call->stack);
		if (!in)
			return false;
		arrive(s, in, call);
	}
	ret = (!in || in_root(in, call->depth, &base)) && call_counts(s, call, base);
	if (in) {
		s->roots += ret && call->kind == SL_CALL_LEAVE && call->depth == in->depth;
		depart(in, call);
	}
	return ret && (!named || sl_sieve_symbol(s, call->symbol));
}

static bool piece_in_window(const struct sl_sieve *s, const struct sl_piece *piece)
{
	struct sl_axes at;

	if (!s->filter.from.unit && !s->filter.to.unit)
		return true;
	at = piece->at(piece->ctx, 0).at;
	return in_window(s, &at, piece->range->offset, &at, piece->range->offset);
}

bool sl_sieve_piece(struct sl_sieve *s, const struct sl_piece *piece)
{
	uint32_t depth = piece->depth ? piece->depth - 1 : 0, base = 0;
	struct inside *in;

	if (s->all)
		return true;
	if (s->filter.root) {
		in = inside_of(s, piece->stack);
		if (!in || !in_root(in, depth, &base))
			return false;
	}
	return sl_sieve_symbol(s, piece->symbol) && counts(s, depth, base, piece->level, piece->stack, piece->lane) &&
	       piece_in_window(s, piece);
}

int64_t sl_lane_cpu(const struct sl_lane *lane)
{
	if (lane->stream->cpu >= 0)
		return lane->stream->cpu;
	return lane->stream->core == SL_CORE_ANY ? -1 : (int64_t)lane->stream->core;
}
