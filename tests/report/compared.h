// SPDX-License-Identifier: Apache-2.0
// Two sides to compare, made by hand.
#pragma once

#include <string>
#include <utility>

#include "report/compare/compare.h"
#include "report/records/read_samples.h"
#include "report/samples.h"

namespace spb::report {

/// A verified kernel row of a GPU, its interval 0.2 % to both sides.
inline Record kernel_row(const std::string& algorithm, double time_us,
                         const std::string& dataset = "sphere:8") {
  Record row = sample_row(algorithm, time_us);
  row[columns::dataset] = dataset;
  row[columns::case_id] = dataset + "/" + algorithm + "/kernel/cold";
  row[columns::cache] = CacheState::cold;
  row[columns::backend] = "cuda";
  row[columns::gpu_name] = "NVIDIA H200";
  row[columns::driver_version] = "580";
  row[columns::timing_method] = "event";
  row[columns::fill] = "relu";
  row[columns::map_hash] = "c0ffee";
  row[columns::time_ci95_lo_us] = time_us * 0.998;
  row[columns::time_ci95_hi_us] = time_us * 1.002;
  row[columns::peak_total_bytes] = 1000;
  row[columns::rounds] = 1;
  return row;
}

/// The row of a case that ended without a time: not all of its keys are known.
inline Record failed_row(const std::string& algorithm, const std::string& status) {
  Record row = kernel_row(algorithm, 1);
  for (const char* column : {"phase", "cache", "arithmetic_class", "time_median_us",
                             "time_ci95_lo_us", "time_ci95_hi_us", "map_hash"})
    row.named(column) = Value();
  row[columns::case_id] = "sphere:8/" + algorithm;
  row.named("status") = status;
  row[columns::status_detail] = "because";
  return row;
}

inline Side side_of(std::vector<Record> rows) {
  Side side;
  side.records.rows = std::move(rows);
  return side;
}

/// The only row of a comparison.
inline ComparedRow compare_rows(const Record& base, const Record& next,
                                const CompareOptions& options = {}) {
  const Side before = side_of({base}), after = side_of({next});
  const Comparison comparison = compare(before, after, options);
  EXPECT_EQ(comparison.devices.size(), 1u);
  EXPECT_EQ(comparison.devices.front().rows.size(), 1u);
  ComparedRow row = comparison.devices.front().rows.front();
  row.base = row.next = nullptr;  // they end with this function
  return row;
}

}  // namespace spb::report
