/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_H
#define SESSION_H
/* A capture from the options to the end of the run: what all commands have in common. */
#include "options.h"
#include "output.h"
#include "sl_calls.h"
#include "sl_capture.h"
#include "sl_filter.h"
#include "sl_run.h"
#include "sl_sinks.h"
#include "tally.h"

struct session {
	const struct options *options;
	struct sl_notes notes;
	struct sl_capture *capture;
	struct sl_image *image;
	struct sl_run_result result;
	bool says_notes; /* at the end; info has them in its table */
};

/* Opens the capture that the options name. An exit code; what went wrong has been said. */
int session_open(struct session *s, const struct options *options);
/* Loads its image. */
int session_load_image(struct session *s);
/* What --engine or --against names, which the parser has checked; NULL: SL_ENGINE_AUTO. */
enum sl_engine session_engine(const char *name);
/* Runs the sinks over what the options select. out: where they write while they run, or NULL; where that
 * failed it is left to output_close to say why. */
int session_run(struct session *s, struct sl_run_options *run, const struct sl_sink *sinks, size_t count,
		const struct output *out);
/* The same for calls, and a tally beside them. */
int session_run_calls(struct session *s, struct sl_calls *calls, struct tally *tally);
/* As session_run, over what has been run over: notes, which would be the same, are kept once. */
int session_run_again(struct session *s, struct sl_run_options *run, const struct sl_sink *sinks, size_t count,
		      const struct output *out);
/* Says the warnings, and frees. */
void session_close(struct session *s);

/* What --function, --root and the like ask for. Strings are those of the options. An exit code; what is wrong has been said. */
int session_filter(const struct options *options, struct sl_filter *ret);

/* Ticks a second of the time that is told: --cpu-freq, which are cycles, --freq, or what the capture says; 0: not known. */
uint64_t session_hz(const struct session *s);
/* Says that calls of several tasks may have met on one stack, where they may; and what the lanes' clocks did. */
void session_note_calls(const struct session *s, const struct sl_calls *calls);
/* Why a limit of filter cannot be held, as a lane that ran has no such numbers; NULL: it can. */
const char *session_limits_lack(const struct session *s, const struct sl_calls *calls, const struct sl_filter *filter);
/* What --clock names. */
enum sl_axis_choice session_axis_choice(const struct session *s);
/* The axis that the calls of a run are shown on. An exit code; what went wrong has been said. */
int session_axis(const struct session *s, const struct sl_calls *calls, enum sl_axis *ret);

/*
 * After a run: says what is missing from the answer, by cause, and where it is empty why. EXIT_DONE, or
 * EXIT_NO where there is no answer; found says whether there is one.
 */
int session_verdict(const struct session *s, const struct tally *tally, bool found);
#endif
