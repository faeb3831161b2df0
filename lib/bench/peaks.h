// SPDX-License-Identifier: Apache-2.0
// The limits of a device, measured (measurement.md, section 11).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/dtype.h"
#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

/// The highest rate of multiply-adds on one dtype.
struct ComputePeak {
  double gflops = 0;
  std::string source;  ///< "probe:cublas", "probe:fma": what reached it
};

/// Rates in decimal GB/s and GFLOP/s.
struct Peaks {
  double copy_gbps = 0;  ///< read and written bytes
  double read_gbps = 0;
  double l2_read_gbps = 0;                     ///< of data that fit into the last cache
  std::map<int, double> gather_gbps;           ///< of random rows, by bytes of a row
  std::map<std::string, ComputePeak> compute;  ///< by name of the dtype
  double launch_us = 0;                        ///< one empty kernel after another
  double launch_wait_us = 0;  ///< one, and waiting for it, by the clock of the host
};

/// Measures all of them, in 5 to 30 s. Takes up to a quarter of the device's memory.
Peaks measure_peaks(gpu::Allocator& allocator, const gpu::Stream& stream);

/// Median of timed calls of `queue`, after three others, by events around each.
double median_us(const gpu::Stream& stream, const std::function<void()>& queue, int samples = 20);

}  // namespace spb::bench
