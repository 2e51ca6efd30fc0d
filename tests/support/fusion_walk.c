/* SPDX-License-Identifier: Apache-2.0 */
#include "fusion_walk.h"

#include "sl_fusion.h"
#include "sl_map.h"

struct state {
	struct sl_fusion fusion;
	struct sl_fused last;
	uint64_t hash;
	const char *wrong;
};

static void check(struct state *s, bool good, const char *text)
{
	if (!good && !s->wrong)
		s->wrong = text;
}

static void ask(struct state *s)
{
	struct sl_fused now = sl_fusion_now(&s->fusion);
	const uint64_t said[] = { now.at.v[0], now.at.v[1], now.at.v[2], now.cycles_off, now.ticks_off, now.source };

	check(s, now.at.v[SL_AXIS_TICKS] >= s->last.at.v[SL_AXIS_TICKS], "time runs backwards");
	check(s, now.at.v[SL_AXIS_CYCLES] >= s->last.at.v[SL_AXIS_CYCLES], "cycles run backwards");
	check(s, now.ticks_off >= SL_TICK_PARTS, "a time is more exact than a tick");
	check(s, now.source > SL_TIME_UNKNOWN || now.ticks_off == SL_FUSION_UNKNOWN, "nothing told is taken for something");
	s->hash = sl_hash(s->hash, said, sizeof(said));
	s->last = now;
}

static void consume(struct state *s, const struct sl_elem *elem)
{
	ask(s);
	if (elem->kind <= SL_ELEM_RANGE_NO_PATH) {
		sl_fusion_run(&s->fusion, elem->count / 2);
		ask(s);
		sl_fusion_run(&s->fusion, elem->count - elem->count / 2);
	} else if (sl_fusion_moves(elem)) {
		sl_fusion_elem(&s->fusion, elem);
	}
}

/* A batch more; how many elements are settled, or have to go. */
static uint64_t look(struct state *s, const struct sl_elem *elems, uint64_t seen, uint64_t n,
		     uint64_t before)
{
	uint64_t settled = sl_fusion_look(&s->fusion, elems + seen, (size_t)n);

	check(s, settled >= before, "what was settled is so no more");
	check(s, settled <= seen + n, "what was not seen is settled");
	return settled;
}

const char *fusion_walk(const struct sl_trace_config *config, const struct fusion_walk *walk, const struct sl_elem *elems,
			size_t len, uint64_t *ret_hash)
{
	struct state s = { .hash = SL_HASH_SEED };
	uint64_t done = 0, settled = 0, limit;

	sl_fusion_init(&s.fusion, config);
	for (uint64_t seen = 0, n; seen < len && !s.wrong; seen += n) {
		n = len - seen < walk->batch ? len - seen : walk->batch;
		settled = look(&s, elems, seen, n, settled);
		limit = walk->window && seen + n > walk->window ? seen + n - walk->window : 0;
		for (; walk->window && done < (limit > settled ? limit : settled); done++)
			consume(&s, &elems[done]);
	}
	for (; done < len && !s.wrong; done++)
		consume(&s, &elems[done]);
	ask(&s);
	*ret_hash = s.hash;
	sl_fusion_release(&s.fusion);
	return s.wrong;
}
