// SPDX-License-Identifier: Apache-2.0
// A case of an algorithm that is right but for a defect, as verify_case() judges it.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/fake_algorithm.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "run/verify_case.h"

namespace spb::run {

/// But for what threads add up in another order.
inline void expect_same(const Verdict& found, const Verdict& expected) {
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.detail, expected.detail);
  EXPECT_EQ(found.modes, expected.modes);
  EXPECT_EQ(found.mismatches, expected.mismatches);
  EXPECT_EQ(found.checksum_status, expected.checksum_status);
  EXPECT_EQ(found.verified_fraction, expected.verified_fraction);
  EXPECT_EQ(found.has_errors, expected.has_errors);
  EXPECT_EQ(found.max_tolerance_ratio, expected.max_tolerance_ratio);
  EXPECT_EQ(found.max_abs, expected.max_abs);
  EXPECT_EQ(found.max_ulp, expected.max_ulp);
  EXPECT_EQ(found.checksum_rms, expected.checksum_rms);
  EXPECT_EQ(found.device_judged, expected.device_judged);
}

class JudgedCase : public testing::Test {
 protected:
  Verdict verify(Defect defect) { return verify_algorithm(fake_algorithm(std::move(defect))); }
  Verdict verify_algorithm(const Algorithm& algorithm) {
    const engines::Native native(algorithm);
    const auto contender = native.prepare(problem_, data_.voxels(), true);
    lines_.clear();
    return verify_case(*contender, native.name(), problem_, data_, options_,
                       [&](const std::string& line) { lines_.push_back(line); });
  }
  /// Adds to one element after every run.
  Defect adds(int64_t index, float value) {
    return {.after_run = [=, this](const Operands& operands, const gpu::Stream& stream) {
      const float old = read_element(operands, problem_, index, stream);
      write_element(operands, problem_, index, old + value, stream);
    }};
  }
  bool has_line(const std::string& part) const {
    return std::ranges::any_of(
        lines_, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  Problem problem_{.geometry = {}, .c_in = 8, .c_out = 8};
  CaseData data_{"sphere:16", data::generate("sphere:16")};
  RunOptions options_;
  std::vector<std::string> lines_;
};

}  // namespace spb::run
