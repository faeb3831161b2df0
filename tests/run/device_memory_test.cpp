// SPDX-License-Identifier: Apache-2.0
// What a device that runs out of memory while it judges leaves undecided.
#include <algorithm>
#include <exception>
#include <gtest/gtest.h>
#include <set>

#include "gpu/runtime.h"
#include "judged_case.h"

namespace spb::run {
namespace {

class DeviceMemory : public JudgedCase {
 protected:
  DeviceMemory() {
    data_ = CaseData("sphere:8", data::generate("sphere:8"));
    options_.references = References::both;
    options_.verify_macs = 0;
    options_.verify_fp = false;
    problem_.c_in = problem_.c_out = 20;
  }
  ~DeviceMemory() override { set_allocations_left(-1); }

  /// Adds to rows that the host leaves to the device, so many that a list of them takes memory.
  Defect adds_to_unseen_rows() {
    const auto e = data_.expectation({.problem = problem_,
                                      .exact = true,
                                      .sampled = true,
                                      .sample_size = {.least_rows = 64, .channels = 8},
                                      .seed = options_.seed});
    return {
        .after_run = [this, seen = e->rows](const Operands& operands, const gpu::Stream& stream) {
          for (int64_t row = 0; row < data_.voxels().size(); ++row) {
            if (std::ranges::binary_search(seen, row)) continue;
            const int64_t index = row * problem_.c_out;
            const float old = read_element(operands, problem_, index, stream);
            write_element(operands, problem_, index, old + 1, stream);
          }
        }};
  }
  /// The same, with so many large allocations between a run and the next one.
  Verdict verify_with(int allocations, Defect defect) {
    data_.judged_outputs.clear();
    data_.drop_device_judge();
    defect.before_run = [](const Operands&, const gpu::Stream&) { set_allocations_left(-1); };
    defect.after_run = [=, spoil = defect.after_run](const Operands& operands,
                                                     const gpu::Stream& stream) {
      if (spoil) spoil(operands, stream);
      set_allocations_left(allocations);
    };
    try {
      const Verdict verdict = verify(std::move(defect));
      set_allocations_left(-1);
      return verdict;
    } catch (const std::exception&) {  // of what is not the judge's: the case is an error
      set_allocations_left(-1);
      return {};
    }
  }
};

TEST_F(DeviceMemory, IsMissedWithoutAWrongVerdict) {
  constexpr int kEnough = 11;
  std::set<bool> judged_by_device;
  int listed = 0, unlisted = 0;
  for (int allocations = 0; allocations <= kEnough; ++allocations) {
    const Verdict right = verify_with(allocations, {});
    EXPECT_FALSE(right.failed()) << allocations << ": " << right.detail;
    if (right.status == VerifyStatus::pass) {
      judged_by_device.insert(right.device_judged);
      EXPECT_EQ(right.device_judged, !has_line("warning: the device does not judge every element"));
    }
    const Verdict wrong = verify_with(allocations, adds_to_unseen_rows());
    EXPECT_NE(wrong.status, VerifyStatus::pass) << allocations;
    if (!wrong.failed()) continue;
    EXPECT_GT(wrong.mismatches, 0) << wrong.detail;
    ++(wrong.detail.find("no memory to list them") == std::string::npos ? listed : unlisted);
  }
  EXPECT_EQ(judged_by_device.size(), 2u) << "with and without it";
  EXPECT_GT(listed, 0);
  EXPECT_GT(unlisted, 0) << "the device had found it";
}

TEST_F(DeviceMemory, LostLeavesTheHostItsWholeSample) {
  options_.references = References::host;
  const double whole = verify({}).verified_fraction;
  options_.references = References::both;
  for (int allocations = 0; allocations < 11; ++allocations) {
    const Verdict verdict = verify_with(allocations, {});
    if (verdict.status != VerifyStatus::pass || verdict.device_judged) continue;
    EXPECT_EQ(verdict.verified_fraction, whole);
    return;
  }
  FAIL() << "the device never ran out of memory";
}

}  // namespace
}  // namespace spb::run
