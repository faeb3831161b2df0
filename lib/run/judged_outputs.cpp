// SPDX-License-Identifier: Apache-2.0
#include "run/judged_outputs.h"

#include <algorithm>

namespace spb::run {
namespace {

/// Whether what passed by one passes by the other: where zeros may stand for subnormals, outputs
/// pass that had to store them as well.
bool covers(const JudgedBy& passed, JudgedBy by) {
  by.flushes = by.flushes && passed.flushes;
  return passed == by;
}

}  // namespace

void Evidence::add(const Evidence& later) {
  if (later.checksum_status != VerifyStatus::not_run) checksum_status = later.checksum_status;
  verified_fraction = std::max(verified_fraction, later.verified_fraction);
  has_errors |= later.has_errors;
  max_tolerance_ratio = std::max(max_tolerance_ratio, later.max_tolerance_ratio);
  max_abs = std::max(max_abs, later.max_abs);
  max_ulp = std::max(max_ulp, later.max_ulp);
  rel_l2 = std::max(rel_l2, later.rel_l2);
  if (later.checksum_rms) checksum_rms = std::max(checksum_rms.value_or(0), *later.checksum_rms);
  device_judged |= later.device_judged;
}

const Judgement* JudgedOutputs::find(const JudgedBy& by, uint64_t hash) const {
  const auto found = std::ranges::find_if(
      passed_, [&](const Passed& passed) { return passed.hash == hash && covers(passed.by, by); });
  return found == passed_.end() ? nullptr : &found->judgement;
}

void JudgedOutputs::add(const JudgedBy& by, uint64_t hash, const Judgement& judgement) {
  passed_.push_back({by, hash, judgement});
}

}  // namespace spb::run
