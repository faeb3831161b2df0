// SPDX-License-Identifier: Apache-2.0
// Outputs that passed, so that the same bits of another algorithm need not be judged again
// (verification.md, section 7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/tensors.h"
#include "run/expectation.h"
#include "run/run_options.h"
#include "verify/verify.h"

namespace spb::run {

/// What judgements of outputs found beside yes or no.
struct Evidence {
  VerifyStatus checksum_status = VerifyStatus::not_run;
  double verified_fraction = 0;
  bool has_errors = false;  ///< fp mode came as far as a comparison: the next four hold
  double max_tolerance_ratio = 0, max_abs = 0, max_ulp = 0, rel_l2 = 0;
  std::optional<double> checksum_rms{};  ///< where there were checksums
  bool device_judged = false;  ///< every element of some outputs, by the reference on the device

  /// The worst of both; the later status.
  void add(const Evidence& later);
};

/// What of an output is looked at.
enum class Checks {
  elements,           ///< one by one, all or a sample
  elements_and_sums,  ///< of a sample's output the checksums, too
  whole,              ///< by nothing that was computed before: every element, or the checksums
};

/// By what an output is judged.
struct JudgedBy {
  ExpectationRequest request;  ///< whose operands it was made of
  Checks checks = Checks::elements;
  References references = References::automatic;
  bool device = false;  ///< whether it had a say
  verify::ArithmeticModel model = {};
  bool flushes = false;
  WeightLayout layout = WeightLayout::c_out_first;  ///< of gradients of weights
  friend bool operator==(const JudgedBy&, const JudgedBy&) = default;
};

struct Judgement {
  Evidence evidence;
  std::string mistrust;  ///< why it is weak evidence; empty: it is not
};

/// Of one map.
class JudgedOutputs {
 public:
  /// `hash`: Contender::output_hash(). Nothing unless such an output passed, by the same or by what
  /// asks for more.
  const Judgement* find(const JudgedBy& by, uint64_t hash) const;
  void add(const JudgedBy& by, uint64_t hash, const Judgement& judgement);
  void clear() { passed_.clear(); }

 private:
  struct Passed {
    JudgedBy by;
    uint64_t hash;
    Judgement judgement;
  };
  std::vector<Passed> passed_;  // some for each fill
};

}  // namespace spb::run
