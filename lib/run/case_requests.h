// SPDX-License-Identifier: Apache-2.0
// The data that a case is judged on.
#pragma once

#include <cstdint>
#include <vector>

#include "core/coords.h"
#include "core/problem.h"
#include "run/expectation.h"
#include "run/run_options.h"
#include "verify/verify.h"

namespace spb::run {

struct ExactFill {
  verify::Fill fill;
  const char* title;
};

/// Of the operands that are timed.
verify::Fill timed_fill(const Problem& problem);

class CaseRequests {
 public:
  /// `beside_device`: the device judges every element of what the host samples.
  CaseRequests(const Problem& problem, const MapSet& map, const RunOptions& options,
               const verify::ArithmeticModel& model, bool beside_device);

  /// Whether the reference on the host samples its outputs.
  bool is_large() const { return is_large_; }
  /// Those that the sums of the model hold exactly, in the order in which they run.
  std::vector<ExactFill> exact_fills() const;
  ExpectationRequest exact(verify::Fill fill) const;
  ExpectationRequest fp(verify::Fill fill) const;
  /// The one that is judged first.
  ExpectationRequest first() const;
  /// Those of a run after timing, on other data than were timed: judged before, so that the bits
  /// which passed then will do, in every element.
  ExpectationRequest after_timing() const;
  /// Operands alone, unlike those of every other request.
  ExpectationRequest other_data() const;

 private:
  ExpectationRequest whole_or_sampled(verify::Fill fill) const;

  const Problem& problem_;
  const RunOptions& options_;
  bool is_beside_device_, flushes_;
  double sample_macs_;
  bool is_large_;
  double exact_limit_;
};

}  // namespace spb::run
