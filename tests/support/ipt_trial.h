/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IPT_TRIAL_H
#define IPT_TRIAL_H
/* The same property as encoder_trial.h, for Intel PT: libipt decodes. */
#include "encoder_trial.h"

struct ipt_trial {
	const struct program *program;
	struct gen_encoder_options options;
	struct walk_options walk;
	unsigned overflow_every;
	size_t skip_bytes; /* the decoder sees only what comes behind them */
	const char *name;
	uint64_t lost[2];		    /* events, by enum gen_lost */
	uint64_t cycles_told, cycles_found; /* the latter as CYC packets have them */
	struct packet_names *packets;	    /* "PSB", "TIP.PGE" and so on: adds to these */
	uint64_t insns; /* found */
	unsigned long times, pagings;
};
/* False where the tests were built without libipt: then nothing can be run. */
bool ipt_trial_possible(void);
bool ipt_trial_run(struct ipt_trial *trial);
#endif
