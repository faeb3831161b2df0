// SPDX-License-Identifier: Apache-2.0
// Every element of an output, judged on the device by a reference there (verification.md, section
// 8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"
#include "device_reference/device_reference.h"
#include "run/expectation.h"
#include "run/run_options.h"
#include "verify/verify.h"

namespace spb::run {

/// "host", "both", "device"; empty: automatic. Throws Error (usage) naming `where`.
References parse_references(std::string_view word, std::string_view where);

/// Whether `references` have the device judge outputs.
bool has_device_judge(References references);

/// Nothing, or that the device has no memory for it now.
std::optional<std::string> lacks_memory(const Problem& problem, const MapSet& map, int64_t n_in);

/// Rows of an output in which elements are wrong, as Expected and compare_*() take them.
struct WrongRows {
  std::vector<int64_t> rows;  ///< of the whole output
  Expected expected;          ///< of these rows
  std::vector<float> got;
};

class DeviceJudge {
 public:
  /// Throws gpu::OutOfMemory.
  DeviceJudge(const Problem& problem, const MapSet& map, int64_t n_in,
              const verify::ArithmeticModel& model, bool flushes);

  /// Takes the operands of `e`, and where the reference on the host has computed something of them,
  /// says where the two references differ; empty: nowhere.
  std::string write(const Expectation& e);
  device_reference::Tally judge(const device_reference::StoredOutput& stored) const;
  /// The row of a tally's worst element and the first others, from the whole output.
  WrongRows wrong_rows(const device_reference::Tally& tally, std::span<const float> whole) const;

 private:
  device_reference::Tolerance tolerance_of(const Expectation& e) const;
  std::string difference(const Expectation& e) const;

  Problem problem_;
  verify::ArithmeticModel model_;
  bool flushes_;
  device_reference::DeviceReference reference_;
  std::optional<ExpectationRequest> written_;
  device_reference::Tolerance tolerance_;  // of what was written
};

}  // namespace spb::run
