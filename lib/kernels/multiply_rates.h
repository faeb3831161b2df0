// SPDX-License-Identifier: Apache-2.0
// What the choice of kernels assumes of each kind of multiply; a new one is a row.
#pragma once

#include <cstddef>
#include <iterator>

#include "core/dtype.h"

namespace spb::plans {

/// Multiply-adds that a multiprocessor reaches per microsecond, in millions; 0: has no kernel.
struct MultiplyRates {
  double sm80;   ///< fractions of what an H200 was measured at
  double wgmma;  ///< more than the units reach (3.2): loads overlap, where the cost model adds them
  int product_time;  ///< in f16's: of the rates, rounded
};

/// By Multiply. wgmma is fitted to 0.72 ms at 256, 0.83 at 128 and 1.35 at 64 channels of the
/// sphere grid, event times on an H200 before the first record.
inline constexpr MultiplyRates kMultiplyRates[] = {
    {0.17, 0, 16},  // fma
    {1.5, 3.0, 2},  // tf32
    {3.3, 6.0, 1},  // f16
    {3.3, 6.0, 1},  // bf16
    {0.5, 1, 6},    // 3xtf32: thirds of tf32's, not fitted; sm80 0.25 with loads at 256,256
    // i8: twice f16's, not fitted; sm80 so that scans at 64 channels go to wgmma, where segments of
    // offsets take 58 us and not 67
    {4.5, 12.0, 1},
    // e4m3: half of i8's, for promoted sums are added up; so that HDL-32 at 64 channels goes to
    // rows of 64 bytes, 13 us and not 16; sm80 so that wgmma goes before: a Hopper has no mma.sync
    // of e4m3 and converts to f16, at 32 channels of OS1 43 us and not 41, at 128 225 and not 73
    {0.8, 6.0, 1},
};
/// The same of i8 on sm_75, never measured: half of what a T4's tensor cores make at 1.59 GHz.
inline constexpr double kTuringI8Rate = 0.8;
static_assert(std::size(kMultiplyRates) == static_cast<size_t>(Multiply::e4m3) + 1);

inline const MultiplyRates& multiply_rates(Dtype dtype) {
  return kMultiplyRates[static_cast<size_t>(info(dtype).multiply)];
}

}  // namespace spb::plans
