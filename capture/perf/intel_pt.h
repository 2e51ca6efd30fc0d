/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTEL_PT_H
#define INTEL_PT_H
/* What a perf.data says of Intel PT where cs_etm.h says it of CoreSight; pieces, buffers and times are shared. Inside of
 * capture/perf/ only. */
#include "cs_etm.h"

/* AUXTRACE_INFO of type 1, the event's options and the CPU's model: one unit a CPU that has trace. SL_OK or SL_ERR_NOMEM. */
int intel_pt_read_metadata(const struct perf_file *file, const struct perf_record *info,
			   const struct cs_etm_index *index, struct sl_notes *notes, struct cs_etm *etm);
/* Where TIME_CONV did not tell it: the TSC in perf's time, as AUXTRACE_INFO has it. */
void intel_pt_read_time(const struct perf_file *file, const struct perf_record *info, struct cs_etm *etm);
/* Pieces that go on from the one before: see cs_etm_piece.joined. */
void intel_pt_join_pieces(struct cs_etm *etm);
/* "6/78/3" of perf's CPUID text ("GenuineIntel,6,78,3"), as CPUID.1:EAX has it; 0 where it is none of Intel's. */
uint32_t intel_pt_cpuid_eax(const char *cpuid);
#endif
