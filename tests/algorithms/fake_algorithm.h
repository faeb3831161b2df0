// SPDX-License-Identifier: Apache-2.0
// An algorithm whose plan is a correct one with a defect on top.
#pragma once

#include <functional>

#include "algorithms/algorithm.h"
#include "core/problem.h"

namespace spb {

struct Defect {
  std::function<void(const Operands&, const gpu::Stream&)> before_run = nullptr;
  std::function<void(const Operands&, const gpu::Stream&)> after_run = nullptr;
  std::function<void(gpu::Allocator&)> in_run = nullptr;
  std::function<void()> in_plan = nullptr;
  bool deterministic = true;
  /// What its plans say of how they compute, beyond what they do.
  std::function<void(Arithmetic&)> declare = nullptr;
};

/// The algorithm "fake"; `defect` stays in force until the next call.
const Algorithm& fake_algorithm(Defect defect);

/// One element of the output, read and written.
float read_element(const Operands& operands, const Problem& problem, int64_t index,
                   const gpu::Stream& stream);
void write_element(const Operands& operands, const Problem& problem, int64_t index, float value,
                   const gpu::Stream& stream);

}  // namespace spb
