// SPDX-License-Identifier: Apache-2.0
#include "run/limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <new>

#include "bench/dense_gemm.h"
#include "bench/epilogue_pass.h"
#include "gpu/gemm.h"
#include "run/work.h"

namespace spb::run {
namespace {

/// A cold run may find some of its own data again; more speed than this is no cold run's.
constexpr double kSuspect = 1.05;

/// No gflops where the peaks say nothing of the dtype. 3xtf32 multiplies in tf32, three times; of
/// scaled ones outputs make no difference.
bench::ComputePeak compute_peak(const bench::Peaks& peaks, const Problem& problem) {
  const Dtype dtype = problem.dtype;
  const bool thrice = dtype == Dtype::tf32x3;
  const Dtype multiplied = thrice                     ? Dtype::tf32
                           : info(dtype).is_integer() ? Dtype::i8
                           : has_scales(problem)      ? Dtype::e4m3
                           : info(dtype).is_scaled()  ? Dtype::bf16  // wgrad
                                                      : dtype;
  const auto found = peaks.compute.find(info(multiplied).name);
  if (found == peaks.compute.end()) return {};
  if (!thrice) return found->second;
  return {found->second.gflops / 3, "a third of tf32: " + found->second.source};
}

}  // namespace

double dense_gemm_us(const Problem& problem, const MapSizes& map, CaseData& data) {
  if (map.n_out == 0 || map.n_pairs == 0 || !gpu::gemm_takes(problem.dtype)) return 0;
  if (problem.groups > 1) return 0;  // one dense product would do other work
  const std::string key = fmt::format("{} {} {} {} {}", map.n_out, map.n_pairs, problem.c_in,
                                      problem.c_out, info(problem.dtype).name);
  if (const auto found = data.dense_gemm_us.find(key); found != data.dense_gemm_us.end())
    return found->second;
  const double depth = static_cast<double>(problem.c_in) * static_cast<double>(map.n_pairs) /
                       static_cast<double>(map.n_out);
  // Products of depths that are no multiple of eight take slower kernels.
  const int64_t k = std::max<int64_t>(8, 8 * std::llround(depth / 8));
  const gpu::Stream stream;
  gpu::Allocator allocator;
  double time_us = 0;
  try {
    time_us = bench::dense_gemm_us(problem.dtype, map.n_out, problem.c_out, k, allocator, stream);
  } catch (const gpu::OutOfMemory&) {  // without the comparison the case is as good
    if (data.drop_device_judge()) return dense_gemm_us(problem, map, data);
  } catch (const std::bad_alloc&) {  // the same of the host's memory
  }
  return data.dense_gemm_us[key] = time_us * depth / static_cast<double>(k);
}

double epilogue_pass_us(const Problem& problem, const MapSizes& map, CaseData& data) {
  // Sums that are scaled never leave the kernel without theirs.
  if (problem.epilogue.is_none() || info(problem.dtype).is_scaled()) return 0;
  const int64_t count = map.n_out * problem.c_out;
  const std::string key =
      fmt::format("{} {} {}", count, info(problem.dtype).name, problem.epilogue.residual);
  if (const auto found = data.epilogue_pass_us.find(key); found != data.epilogue_pass_us.end())
    return found->second;
  const gpu::Stream stream;
  gpu::Allocator allocator;
  double time_us = 0;
  try {
    time_us =
        bench::epilogue_pass_us(problem.dtype, count, problem.epilogue.residual, allocator, stream);
  } catch (const gpu::OutOfMemory&) {  // as of the dense product
    if (data.drop_device_judge()) return epilogue_pass_us(problem, map, data);
  } catch (const std::bad_alloc&) {
  }
  return data.epilogue_pass_us[key] = time_us;
}

void add_limits(Record& record, const bench::Peaks& peaks, const Problem& problem,
                const MapSizes& map, double dense_us) {
  const auto median = record.number(columns::time_median_us),
             bandwidth = record.number(columns::bandwidth_gbps);
  if (!median || !bandwidth || *median <= 0) return;
  const double time_us = *median;
  if (record.get(columns::cache) == CacheState::cold)
    record[columns::cold_suspect] = *bandwidth > kSuspect * peaks.read_gbps;
  const bench::ComputePeak compute = compute_peak(peaks, problem);
  if (compute.gflops <= 0) return;
  const double compute_us = 2 * useful_macs(problem, map.n_pairs) / compute.gflops / 1e3;
  const double memory_us =
      compulsory_bytes(problem, map.n_in, map.n_out, map.n_pairs) / peaks.copy_gbps / 1e3;
  const double roofline_us = std::max(compute_us, memory_us);
  record[columns::peak_gflops] = compute.gflops;
  record[columns::peak_bw_gbps] = peaks.copy_gbps;
  record[columns::peak_source] = compute.source;
  record[columns::roofline_time_us] = roofline_us;
  record[columns::roofline_pct] = 100 * roofline_us / time_us;
  record[columns::roofline_bound] = compute_us >= memory_us ? "compute" : "memory";
  if (dense_us <= 0) return;
  record[columns::dense_gemm_us] = dense_us;
  record[columns::dense_gemm_pct] = 100 * dense_us / time_us;
}

}  // namespace spb::run
