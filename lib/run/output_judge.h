// SPDX-License-Identifier: Apache-2.0
// Is what a run stored what its operands demand? By the references and rules of verification.md,
// sections 3, 4 and 8; verify_case.h says which runs, on which operands.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "engines/contender.h"
#include "run/case_data.h"
#include "run/device_judge.h"
#include "run/judged_outputs.h"
#include "run/run_options.h"
#include "run/verify_case.h"
#include "verify/verify.h"

namespace spb::run {

/// The device has no memory left to judge outputs that it was to judge: nobody has judged them.
struct DeviceJudgeLost : std::runtime_error {
  using runtime_error::runtime_error;
};

class OutputJudge {
 public:
  /// `is_large`: too large for the reference on the host to compute whole. `has_device_judge`: the
  /// device can judge it, and is to.
  OutputJudge(const engines::Contender& contender, const Problem& problem, CaseData& data,
              const RunOptions& options, bool is_large, bool has_device_judge, const Report& report,
              Verdict& verdict);

  /// Judges what the contender holds, unless the same bits have passed. `sums`: a sampled output
  /// that nobody judges whole by its checksums, too. `hash`: Contender::output_hash(). A failure is
  /// in the verdict. Throws DeviceJudgeLost where the host may judge in the device's place.
  bool passes(const Expectation& e, const std::string& title, bool sums, uint64_t hash) {
    return passes(e, title, sums ? Checks::elements_and_sums : Checks::elements, hash);
  }
  /// The same of outputs that were timed, of whose operands nothing was computed.
  bool passes_timed(const Expectation& timed);

  /// Of large problems, too.
  bool judges_every_element() const { return has_device_judge_; }
  /// Why the last comparison is weak evidence; empty: it is not.
  const std::string& mistrust() const { return judgement_.mistrust; }

 private:
  bool fail(const std::string& detail);
  bool passes(const Expectation& e, const std::string& title, Checks checks, uint64_t hash);
  JudgedBy judged_by(const Expectation& e, Checks checks) const;
  bool judge(const Expectation& e, const std::string& title, Checks checks);
  bool judge_whole(const Expectation& e, const std::string& title);
  bool compare(const Expectation& e, const std::string& title);
  verify::Comparison compare_main(const Expectation& e, const Expected& expected,
                                  std::span<const float> got) const;
  bool passes_on_device(const Expectation& e, const std::string& title);
  bool report_wrong_rows(const Expectation& e, const device_reference::Tally& tally,
                         const std::string& title);
  bool accept(const verify::Comparison& comparison, const Expectation& e, const Expected& expected,
              std::span<const float> got, std::span<const int64_t> rows, const std::string& title,
              bool is_bias);
  template <typename Errors>
  void note_errors(const Expectation& e, const Errors& errors);
  void note_fraction(int64_t compared);
  bool check_sums(const Expectation& e, const std::string& title);
  bool check_fp_sums(const Expectation& e, const std::string& title);
  bool accept(const verify::Checksum& sum, const std::string& title);

  bool has_activation() const { return problem_.epilogue.activation != Activation::none; }
  bool has_checksums(const Expectation& e) const;
  bool flushes() const {
    const Arithmetic& arithmetic = contender_.description().arithmetic;
    return arithmetic.adds_to_memory || arithmetic.flushes_subnormals;
  }
  int64_t total_elements() const;
  /// What the contender holds: brought to the host when it is first asked for.
  const OutputBits& whole_outputs();

  const engines::Contender& contender_;
  const Problem& problem_;
  CaseData& data_;
  const Report& report_;
  Verdict& verdict_;
  const MapSet& map_;
  int64_t n_in_;
  verify::ArithmeticModel model_;
  References references_;
  bool is_large_, has_device_judge_;
  bool has_whole_outputs_ = false;  // in data_.outputs
  Judgement judgement_;             // the last one
};

}  // namespace spb::run
