// SPDX-License-Identifier: Apache-2.0
// Rows of all phases of one case, for what is said of totals.
#pragma once

#include <string>
#include <vector>

#include "report/known.h"
#include "report/samples.h"
#include "report/summary/cases.h"
#include "report/summary/rows.h"

namespace spb::report {

/// Times of an algorithm in microseconds, each ± 1 %.
struct Measured {
  std::string algorithm;
  double cold_us, hot_us, plan_us, end_to_end_us;
  std::string dataset = "sphere:8";
  std::string gpu = "GPU A";
};

/// Soon ready, and soon done.
inline const Measured kShortPlan{"gather_scatter", 100, 90, 50, 155};
inline const Measured kFastRun{"implicit_gemm", 40, 30, 300, 345};

inline void add_rows(std::vector<Record>& rows, const Measured& measured) {
  const auto add = [&](Phase phase, std::optional<CacheState> cache, double time_us) {
    Record row = sample_row(measured.algorithm, time_us);
    row[columns::backend] = "cuda";
    row[columns::gpu_name] = measured.gpu;
    row[columns::dataset] = measured.dataset;
    row[columns::phase] = phase;
    if (cache) row[columns::cache] = *cache;
    row[columns::kernel] = "kernel_of_" + measured.algorithm;
    row[columns::algorithm_params] = "{\"split\":1}";
    row[columns::repro] = "spconv-bench run of " + measured.algorithm;
    row[columns::time_ci95_lo_us] = 0.99 * time_us;
    row[columns::time_ci95_hi_us] = 1.01 * time_us;
    rows.push_back(row);
  };
  add(Phase::kernel, CacheState::cold, measured.cold_us);
  add(Phase::kernel, CacheState::hot, measured.hot_us);
  if (measured.plan_us > 0) add(Phase::plan, std::nullopt, measured.plan_us);
  if (measured.end_to_end_us > 0) add(Phase::end_to_end, std::nullopt, measured.end_to_end_us);
}

/// Owns what a CaseSet points into.
struct MeasuredSet {
  explicit MeasuredSet(const std::vector<Measured>& all) {
    for (const Measured& measured : all) add_rows(rows, measured);
    sort_rows(rows);
    set = collect_cases(rows, kKnown);
  }
  const DeviceCases& device() const { return set.devices.at(0); }

  std::vector<Record> rows;
  CaseSet set;
};

}  // namespace spb::report
