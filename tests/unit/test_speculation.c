/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences that OpenCSD 1.3.3 crashes on must be refused, and those that real trace units send let through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "speculation.h"

/* One packet a letter: s an A-Sync, i a Trace Info, e an E atom, b two of them, a an address, c an address with context, k a
 * context, t a timestamp, x an exception, q a Q element, both without address, Q with one, r a source address, o overflow;
 * C commits 1, M mispredicts, X cancels 1, F cancels 1 and mispredicts, G adds an atom before it does so. False: the last one
 * is refused. */
static bool passes(const char *packets, uint32_t max_depth)
{
	struct speculation spec = { .max_depth = max_depth };
	bool safe = true;

	speculation_reset(&spec);
	for (; *packets; packets++) {
		struct speculation_packet p = { .count = 1 };

		switch (*packets) {
		case 's': p.step = SPEC_SYNC; break;
		case 'i': p.step = SPEC_DEPTH; p.count = 0; break;
		case 'e': p.step = SPEC_ATOMS; break;
		case 'b': p.step = SPEC_ATOMS; p.count = 2; break;
		case 'a': p.step = SPEC_ADDRESS; break;
		case 'c': p.step = SPEC_CONTEXT_ADDRESS; break;
		case 'k': p.step = SPEC_CONTEXT; break;
		case 't': p.step = SPEC_KEPT; p.count = 0; break;
		case 'x': p.step = SPEC_EXCEPTION; break;
		case 'q': p.step = SPEC_Q; break;
		case 'Q': p.step = SPEC_Q_ADDRESS; break;
		case 'r': p.step = SPEC_SOURCE; break;
		case 'o': p.step = SPEC_LOST; break;
		case 'C': p.step = SPEC_COMMIT; break;
		case 'M': p.step = SPEC_MISPREDICT; p.count = 0; break;
		case 'X': p.step = SPEC_CANCEL; break;
		case 'F': p.step = SPEC_MISPREDICT; break;
		case 'G': p.step = SPEC_MISPREDICT; p.atoms = 1; break;
		default: fail();
		}
		safe = speculation_take(&spec, &p);
	}
	return safe;
}

void test_speculation__what_trace_units_send(void **state)
{
	(void)state;
	assert_true(passes("siceeF", 8));    /* the second atom was wrong: cancelled, the first one mispredicted */
	assert_true(passes("siceM", 8));
	assert_true(passes("siceaM", 8));    /* an address after the atom: skipped */
	assert_true(passes("sicetM", 8));    /* a timestamp after the atom */
	assert_true(passes("siceeXeC", 8));
	assert_true(passes("sicexaC", 8));   /* an exception with its address, committed */
	assert_true(passes("sicexC", 8));    /* ... the atom before it is, the exception waits */
	assert_false(passes("sicexCC", 8));
	assert_true(passes("siceG", 8));     /* the new atom is cancelled, the one before was wrong */
	assert_true(passes("siqcC", 8));
}

void test_speculation__what_makes_opencsd_crash(void **state)
{
	(void)state;
	assert_false(passes("siM", 8));	     /* nothing to take back */
	assert_false(passes("siaM", 8));     /* an address, and no atom behind it */
	assert_false(passes("siceCaG", 8));  /* the atom before is committed, the new one cancelled */
	assert_false(passes("siceatM", 8));  /* an address below a timestamp: erased in the middle */
	assert_false(passes("siceosiM", 8)); /* lost with the overflow */
	assert_false(passes("siX", 8));	     /* cancels more than there is */
	assert_false(passes("siqC", 8));     /* commits what has no address yet */
	assert_false(passes("sixC", 8));
	assert_false(passes("sixkC", 8));    /* ... nor behind a context */
}

void test_speculation__a_mispredict_takes_addresses_away(void **state)
{
	(void)state;
	assert_true(passes("siceaM", 8));
	assert_false(passes("siceqaMCC", 8)); /* that of the Q element */
	assert_true(passes("siceqaMaCC", 8));
}

void test_speculation__atoms_of_the_packet_come_before_what_it_cancels(void **state)
{
	(void)state;
	/* it is the atom that goes, not the exception, whose address is then in the way */
	assert_false(passes("sicexacG", 8));
	assert_true(passes("sicexaG", 8));
}

void test_speculation__depth_commits_the_oldest(void **state)
{
	(void)state;
	assert_true(passes("siceeeM", 2));
	assert_false(passes("siceeeXXX", 2)); /* the first of the three is committed: nothing left for the third cancel */
	assert_false(passes("siceaM", 0));
	assert_true(passes("sicexeX", 2));    /* an exception counts when its address comes */
	assert_false(passes("siceerrX", 2));  /* a source address counts, and pushes both atoms out */
}

void test_speculation__a_q_element_takes_along_what_is_behind_it(void **state)
{
	(void)state;
	assert_false(passes("siQbCX", 8));
	assert_true(passes("siQbbCXX", 8));
	assert_false(passes("siQbbCXXX", 8));
}

void test_speculation__nothing_is_held_before_a_sync_point(void **state)
{
	(void)state;
	assert_true(passes("eeX", 8));        /* not even refused: it is skipped */
	assert_true(passes("seeX", 8));
	assert_false(passes("eesiX", 8));
	assert_false(passes("siceeosieXX", 8));
	assert_true(passes("siceesiX", 8));   /* a later one changes nothing */
	assert_false(passes("siceCCeesiX", 8)); /* commits more than there is: lost from there on */
}
