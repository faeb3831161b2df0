// SPDX-License-Identifier: Apache-2.0
// Outputs of a layer, judged on the device and on the host.
#pragma once

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "gpu/buffer.h"
#include "layer.h"

namespace spb::test {

using device_reference::Judged;
using device_reference::Tally;
using device_reference::Tolerance;

/// As arithmetic_model() of tensor cores has it.
inline const verify::ArithmeticModel kMma{.mma_depth = 16, .mma_rounding = 4};
inline constexpr Tolerance kMmaTolerance{.unit = 0x1p-24, .mma_growth = 4.0 / 16};
inline constexpr Tolerance kExact{.exact = true, .most_abs_sum = 0x1p24};
inline constexpr Tolerance kExactInAllSums{.exact = true,
                                           .most_abs_sum = std::numeric_limits<double>::infinity()};

inline Tally judge(const Layer& layer, const std::vector<float>& got, const Tolerance& tolerance,
                   WeightLayout layout = WeightLayout::c_out_first,
                   int64_t partial_sums = device_reference::DeviceReference::kPartialSums,
                   Judged exact = Judged::exact) {
  device_reference::DeviceReference reference(layer.problem, layer.map, layer.n_in(), partial_sums);
  reference.write(layer.operands, tolerance.exact ? exact : Judged::bounded);
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const Storage type = info(layer.problem.dtype).out;
  std::vector<std::byte> bytes(got.size() * static_cast<size_t>(info(type).bytes));
  encode(got, type, bytes.data());
  gpu::Buffer<std::byte> stored(allocator, static_cast<int64_t>(bytes.size()), gpu::Tag::output);
  stored.upload(bytes, stream);
  return reference.judge({stored.data(), type, layout}, tolerance);
}

inline Expected expected(const Layer& layer, bool exact) {
  const auto compute = exact ? reference::compute_exact : reference::compute;
  return compute(layer.problem, layer.map, layer.n_in(), layer.inputs(), {}, {}).main;
}

inline verify::Comparison on_host(const Layer& layer, const std::vector<float>& got, bool exact,
                                  const verify::ArithmeticModel& model = kMma) {
  const Expected want = expected(layer, exact);
  return exact ? verify::compare_exact(want, got, layer.problem.dtype)
               : verify::compare_bounded(want, got, layer.problem.dtype, model);
}

inline std::vector<float> stored(const Layer& layer, bool exact) {
  std::vector<float> values;
  for (const double value : expected(layer, exact).value)
    values.push_back(round_output(value, layer.problem.dtype));
  return values;
}

inline void expect_near(double device, double host) {
  if (std::isfinite(host))
    EXPECT_NEAR(device, host, 1e-6 * host);
  else
    EXPECT_EQ(device, host);
}

inline void expect_same_verdict(const Tally& device, const verify::Comparison& host) {
  EXPECT_EQ(device.compared, host.compared);
  EXPECT_EQ(device.mismatches, host.mismatches);
  // Each thread names its first.
  EXPECT_TRUE(std::ranges::includes(host.mismatched, device.mismatched));
  EXPECT_EQ(device.mismatched.empty(), host.mismatched.empty());
  expect_near(device.max_tolerance_ratio, host.max_tolerance_ratio);
  expect_near(device.max_ulp, host.max_ulp);
  expect_near(device.max_abs, host.max_abs);
  expect_near(device.rel_l2, host.rel_l2);
}

}  // namespace spb::test
