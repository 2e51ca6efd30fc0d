/* SPDX-License-Identifier: Apache-2.0 */
/* Places by name, and whether a call is at one. */
#include "latency.h"

#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "sl_span.h"
#include "sl_text.h"

static int level_named(const char *name)
{
	for (int level = SL_LEVEL_IRQ; level < SL_LEVELS; level++) {
		if (strcmp(sl_level_name((unsigned)level), name) == 0)
			return level;
	}
	return -1;
}

static int no_place(struct sl_diag *diag, const char *text, const char *why)
{
	return sl_fail(diag, SL_ERR_FORMAT, "'%s': %s; a place is NAME, enter:NAME, leave:NAME, addr:0x8000, exception:NUMBER, "
					    "irq, return:NUMBER, return:irq or task:ID", text, why);
}

static int parse_function(const char *text, const char *name, enum sl_latency_place_kind kind, struct sl_latency_place *ret, struct sl_diag *diag)
{
	if (!*name)
		return no_place(diag, text, "the function has no name");
	*ret = (struct sl_latency_place){ .kind = kind, .function = name, .level = -1 };
	return SL_OK;
}

static int parse_value(const char *text, const char *value, enum sl_latency_place_kind kind, struct sl_latency_place *ret, struct sl_diag *diag)
{
	struct sl_latency_place place = { .kind = kind, .level = -1 };

	/* Digits only: neither blanks nor octal, which sl_parse_u64 takes. */
	if (!strchr("0123456789", *value) || !*value || (value[0] == '0' && value[1] && value[1] != 'x' && value[1] != 'X') ||
	    sl_parse_u64(value, &place.value) < 0)
		return no_place(diag, text, "that is no number");
	*ret = place;
	return SL_OK;
}

static int parse_exception(const char *text, const char *value, enum sl_latency_place_kind kind, struct sl_latency_place *ret,
			   struct sl_diag *diag)
{
	int level = level_named(value);

	if (level < 0)
		return parse_value(text, value, kind, ret, diag);
	*ret = (struct sl_latency_place){ .kind = kind, .level = level };
	return SL_OK;
}

int sl_latency_place_parse(const char *text, struct sl_latency_place *ret, struct sl_diag *diag)
{
	static const struct {
		const char *prefix;
		enum sl_latency_place_kind kind;
		int (*parse)(const char *text, const char *value, enum sl_latency_place_kind kind, struct sl_latency_place *ret,
			     struct sl_diag *diag);
	} kinds[] = {
		{ "enter:", SL_PLACE_ENTER, parse_function },	  { "leave:", SL_PLACE_LEAVE, parse_function },
		{ "addr:", SL_PLACE_ADDRESS, parse_value },	  { "task:", SL_PLACE_TASK, parse_value },
		{ "exception:", SL_PLACE_EXCEPTION, parse_exception }, { "return:", SL_PLACE_RESUME, parse_exception },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, len) == 0)
			return kinds[i].parse(text, text + len, kinds[i].kind, ret, diag);
	}
	if (strncmp(text, "0x", 2) == 0)
		return parse_value(text, text, SL_PLACE_ADDRESS, ret, diag);
	if (level_named(text) >= 0)
		return parse_exception(text, text, SL_PLACE_EXCEPTION, ret, diag);
	return parse_function(text, text, SL_PLACE_ENTER, ret, diag);
}

static unsigned of_symbol(const struct sl_latency_place *place, const char *name, unsigned at)
{
	if ((place->kind != SL_PLACE_ENTER && place->kind != SL_PLACE_LEAVE) || !graph_names(place->function, name))
		return 0;
	return place->kind == SL_PLACE_ENTER ? at : at << 2;
}

uint8_t *latency_symbols(const struct sl_latency_options *options)
{
	uint32_t count = sl_image_symbol_count(options->image);
	uint8_t *ret = calloc((size_t)count + 1, sizeof(*ret));

	for (uint32_t i = 0; ret && i <= count; i++) {
		const char *name = sl_image_symbol(options->image, i)->name;

		ret[i] = (uint8_t)of_symbol(&options->a, name, AT_A);
		if (options->of == SL_LATENCY_PAIRS)
			ret[i] |= (uint8_t)of_symbol(&options->b, name, AT_B);
	}
	return ret;
}

static bool is_exception(const struct sl_latency_place *place, const struct sl_call *call)
{
	if (place->kind != (call->kind == SL_CALL_LEVEL ? SL_PLACE_EXCEPTION : SL_PLACE_RESUME))
		return false;
	return place->level >= 0 ? (unsigned)place->level == call->level : place->value == call->number;
}

static bool is_task(const struct sl_latency_place *place, const struct sl_call *call)
{
	return place->kind == SL_PLACE_TASK && place->value == task_of_context(call->context, call->lane);
}

unsigned latency_places_of_call(const struct sl_latency *latency, const struct sl_call *call)
{
	const struct sl_latency_place *a = &latency->options.a, *b = &latency->options.b;
	bool pairs = latency->options.of == SL_LATENCY_PAIRS;

	switch (call->kind) {
	case SL_CALL_ENTER:
		return call->flags & SL_SPAN_NO_ENTRY ? 0 : latency->symbols[call->symbol] & 3u;
	case SL_CALL_LEAVE:
		return call->flags & SL_SPAN_NO_EXIT ? 0 : latency->symbols[call->symbol] >> 2;
	case SL_CALL_LEVEL:
	case SL_CALL_RESUME:
		if (call->flags & SL_SPAN_NO_EXIT)
			return 0;
		return (is_exception(a, call) ? AT_A : 0u) | (pairs && is_exception(b, call) ? AT_B : 0u);
	case SL_CALL_CONTEXT:
		return (is_task(a, call) ? AT_A : 0u) | (pairs && is_task(b, call) ? AT_B : 0u);
	default:
		return 0;
	}
}

static bool is_in(const struct sl_latency_place *place, const struct sl_elem *range)
{
	return place->kind == SL_PLACE_ADDRESS && place->value >= range->range.start && place->value < range->range.end;
}

unsigned latency_places_of_piece(const struct sl_latency *latency, const struct sl_piece *piece, uint64_t *ret_address)
{
	const struct sl_latency_place *a = &latency->options.a, *b = &latency->options.b;
	bool at_a = is_in(a, piece->range), at_b = latency->options.of == SL_LATENCY_PAIRS && is_in(b, piece->range);

	if (at_a || at_b)
		*ret_address = at_a ? a->value : b->value;
	return (at_a ? AT_A : 0u) | (at_b ? AT_B : 0u);
}

bool latency_wants_pieces(const struct sl_latency_options *options)
{
	return options->a.kind == SL_PLACE_ADDRESS || (options->of == SL_LATENCY_PAIRS && options->b.kind == SL_PLACE_ADDRESS);
}
