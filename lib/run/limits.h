// SPDX-License-Identifier: Apache-2.0
// How far a time is from what the device could do (measurement.md, section 11).
#pragma once

#include <cstdint>

#include "bench/peaks.h"
#include "core/problem.h"
#include "core/record.h"
#include "run/case_data.h"

namespace spb::run {

/// Sizes of a case's map.
struct MapSizes {
  int64_t n_in = 0, n_out = 0, n_pairs = 0;
};

/// Time of the dense product of the same work and dtype: [n_out, c_in * n_pairs / n_out] by c_out.
/// Measured once per problem and dtype and kept in `data`; 0 without pairs, of several
/// groups, or where no library multiplies the dtype (3xtf32).
double dense_gemm_us(const Problem& problem, const MapSizes& map, CaseData& data);

/// What the problem's epilogue takes as a pass of its own, measured once per size and kept in
/// `data`; 0 without one, or without memory for it.
double epilogue_pass_us(const Problem& problem, const MapSizes& map, CaseData& data);

/// Columns peak_*, roofline_*, dense_gemm_* and, of cold rows, cold_suspect of a row whose time
/// stands in it. The compute peak of 3xtf32 is a third of that of tf32, without dense_gemm_*.
void add_limits(Record& record, const bench::Peaks& peaks, const Problem& problem,
                const MapSizes& map, double dense_us);

}  // namespace spb::run
