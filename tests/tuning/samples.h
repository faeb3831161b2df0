// SPDX-License-Identifier: Apache-2.0
// Entries to store and to look up.
#pragma once

#include "algorithms/named.h"
#include "tuning/entry.h"

namespace spb::tuning {

inline Machine this_machine() { return {"Some GPU", "570.1", "1.2"}; }

inline SizedProblem sized_problem(int c_in = 16, int64_t n_out = 1000) {
  SizedProblem sized;
  sized.problem.c_in = c_in;
  sized.n_in = sized.n_out = n_out;
  sized.n_pairs = 8 * n_out;
  return sized;
}

inline const Algorithm& some_algorithm() {
  static const Algorithm& kSome = algorithm_named("masked_implicit_gemm_splitk");
  return kSome;
}
inline const Algorithm& other_algorithm() { return algorithm_named("implicit_gemm_splitk"); }

/// Won by its second candidate.
inline Entry sample_entry(const SizedProblem& sized = sized_problem()) {
  Entry entry;
  entry.machine = this_machine();
  entry.problem_class = class_of(some_algorithm(), sized);
  entry.problem = to_text(sized.problem);
  entry.dataset = "sphere:16";
  entry.n_out = sized.n_out;
  entry.n_pairs = sized.n_pairs;
  entry.mode = "auto";
  entry.runs = 1000;
  entry.tuned_utc = "2026-11-21T22:00:00Z";
  entry.tune_ms = 12.5;
  Trial own;
  own.kernel = "fma_64x32x32";
  own.params = "{\"split\":1}";
  own.median_us = 30;
  own.samples_us = {29, 30, 31.25};
  own.plan_us = 150;
  Trial best = own;
  best.choice.values = {
      {"kernel", "fma_64x64x32"}, {"split", "3"}, {"segments", "2"}, {"tile_order", "window"}};
  best.kernel = "fma_64x64x32";
  best.median_us = 20;
  Trial wrong;
  wrong.kernel = wrong.choice.values["kernel"] = "fma_32x32x32";
  wrong.status = TrialStatus::incorrect;
  wrong.detail = "exact small: 3 of 4 elements wrong";
  entry.trials = {own, best, wrong};
  entry.winner = 1;
  return entry;
}

}  // namespace spb::tuning
