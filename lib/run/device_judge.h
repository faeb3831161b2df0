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

/// Of one problem on one map, whose algorithms it judges one after the other.
class DeviceJudge {
 public:
  /// Throws gpu::OutOfMemory, as all below may.
  DeviceJudge(const Problem& problem, const MapSet& map, int64_t n_in);

  const Problem& problem() const { return problem_; }
  /// Whether three quarters of the device's memory, but for what others have, are left to those
  /// that it judges, and eight times what their operands take.
  bool leaves_room() const { return leaves_room_for(0); }

  /// Takes the operands of `e`, and where the reference on the host has computed something of them,
  /// says where the two references differ; empty: nowhere.
  std::string write(const Expectation& e);
  /// The same where judge() needs them.
  std::string prepare(const Expectation& e) {
    return found_of(e.request) ? std::string() : write(e);
  }
  /// Of `e`, which is prepared, by an algorithm of that arithmetic.
  device_reference::Tally judge(const Expectation& e, const device_reference::StoredOutput& stored,
                                const verify::ArithmeticModel& model, bool flushes);
  /// What it found of outputs made of such operands, or null.
  device_reference::FoundSums* found_of(const ExpectationRequest& request);
  /// The row of a tally's worst element and the first others, from the whole output, made of what
  /// was written last.
  WrongRows wrong_rows(const device_reference::Tally& tally, std::span<const float> whole) const;

 private:
  struct Found {
    ExpectationRequest request;
    device_reference::FoundSums sums;
  };
  bool leaves_room_for(int64_t more_bytes) const;
  std::string difference(const Expectation& e) const;

  Problem problem_;
  int64_t operand_bytes_;  // as fp32, and of the map
  device_reference::DeviceReference reference_;
  std::optional<ExpectationRequest> written_;
  std::vector<Found> found_;  // of bounded sums, as long as there is room
};

}  // namespace spb::run
