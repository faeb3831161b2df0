// SPDX-License-Identifier: Apache-2.0
// What is known of a case as columns of its record.
#pragma once

#include <cstdint>

#include "core/record.h"
#include "engines/contender.h"
#include "run/case_data.h"
#include "run/verify_case.h"

namespace spb::run {

/// The columns that stand before anything is loaded: problem, algorithm, backend, seed.
Record describe(const engines::Implementation& algorithm, const Problem& problem, uint64_t seed);

void add_data(Record& record, const CaseData& data);
void add_map(Record& record, const Problem& problem, CaseData& data);
void add_plan(Record& record, const PlanDescription& plan, const Problem& problem, int64_t n_pairs);
void add_verdict(Record& record, const Verdict& verdict, const RunOptions& options);
void add_memory(Record& record, const engines::MemoryUse& use);

/// Whether a cold time is so short that its timer shows in it: the hot number is the better one.
bool is_near_floor(double median_us, double timer_floor_us);

/// What the device did while a phase was timed, and the floor of its timer.
void add_conditions(Record& record, const engines::PhaseTime& time);

/// Statistics of one phase; rates for phases that compute.
void add_time(Record& record, const engines::PhaseTime& time, const Problem& problem, int64_t n_in,
              int64_t n_out, int64_t n_pairs);

}  // namespace spb::run
