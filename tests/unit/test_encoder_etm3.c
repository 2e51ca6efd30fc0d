/* SPDX-License-Identifier: Apache-2.0 */
/* Random A32 and T32 programs through the ETMv3 encoder and back through sl_decoder, over the encoder's
 * options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "encoder_aarch32_fixture.h"

int group_setup(void **state)
{
	return aarch32_group_setup();
}

int group_teardown(void **state)
{
	return aarch32_group_teardown();
}

static struct trial check(uint64_t seed, const struct gen_encoder_options *options, const char *name,
			  unsigned how)
{
	return check_protocol(GEN_ETMV3, seed, options, name, how);
}

/* Every combination of the options that change packets, without and with cycle counts, both encodings of
 * branches. */
void test_encoder_etm3__all_options(void **state)
{
	for (unsigned i = 0; i < 256; i++) {
		struct gen_encoder_options options = {
			.cycle_counts = i & 1,
			.timestamps = i & 2,
			.timestamp_ns = i & 4 ? 500 : 0,
			.context_id = i & 8,
			.vmid_bytes = i & 16 ? 1 : 0,
			.branch_broadcast = i & 32,
			.broadcast = { 0x10000, i & 64 ? 0x10100 : 0 },
			.alternative_branches = i & 128,
			.sync_bytes = i % 3 ? 100 * (i % 7 + 1) : 0,
		};
		struct trial trial = check(i + 1, &options, "options", 0);

		assert_int_equal(trial.lost[GEN_LOST_FILTER] + trial.lost[GEN_LOST_OVERFLOW], 0);
		assert_true(!options.timestamps || trial.times > 0);
		if (options.cycle_counts)
			assert_int_equal(trial.cycles_told, trial.cycles_found);
	}
}

void test_encoder_etm3__filters(void **state)
{
	struct gen_encoder_options user = { .hidden_levels = 1 << 1, .context_id = true };
	struct gen_encoder_options kernel = { .hidden_levels = 1 << 0,
					      .timestamps = true,
					      .cycle_counts = true };
	struct gen_encoder_options range = { .only = { 0x10100, 0x10200 } };
	const struct gen_encoder_options *options[] = { &user, &kernel, &range };

	for (unsigned i = 0; i < 6; i++)
		assert_true(check(i + 40, options[i / 2], "filter", 0).lost[GEN_LOST_FILTER] > 100);
}

void test_encoder_etm3__holes_in_the_log(void **state)
{
	struct gen_encoder_options options = { .context_id = true, .timestamps = true };

	for (unsigned i = 0; i < 4; i++) {
		options.cycle_counts = i & 1;
		check(i + 80, &options, "gaps", GAPS | SECURE);
	}
}

/* A reader that begins in the middle, as of a ring buffer, finds its way at the next sync point. */
void test_encoder_etm3__late_readers(void **state)
{
	struct gen_encoder_options options = { .context_id = true, .sync_bytes = 500 };

	for (unsigned i = 0; i < 12; i++) {
		options.cycle_counts = i & 1;
		options.return_stack = i & 2 ? 4 : 0;
		check(i + 100, &options, "late", LATE);
	}
}

void test_encoder_etm3__overflow(void **state)
{
	struct gen_encoder_options options = { .timestamps = true, .timestamp_ns = 500 };

	for (unsigned i = 0; i < 6; i++) {
		options.cycle_counts = i & 1;
		assert_true(check(i + 60, &options, "overflow", FAULTS).lost[GEN_LOST_OVERFLOW] > 50);
	}
}

void test_encoder_etm3__zz_each_packet_was_made(void **state)
{
	static const char *const names[] = {
		"A_SYNC",	  "I_SYNC",	    "I_SYNC_CYCLE",   "P_HDR 1",	"P_HDR 2",
		"P_HDR cycles 1", "P_HDR cycles 2", "P_HDR cycles 3", "P_HDR cycles 4", "BRANCH_ADDRESS",
		"EXCEPTION_EXIT", "CYCLE_COUNT",    "TIMESTAMP",      "TRIGGER",	"CONTEXT_ID",
		"VMID",		  "IGNORE",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (packet_count(&packets, names[i]) == 0)
			fail_msg("no %s was made", names[i]);
	assert_int_equal(packets.len, sizeof(names) / sizeof(names[0])); /* and none else: no bad one */
}
