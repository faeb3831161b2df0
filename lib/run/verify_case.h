// SPDX-License-Identifier: Apache-2.0
// Is this plan right? (verification.md, sections 1 to 9)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "engines/contender.h"
#include "run/case_data.h"
#include "run/judged_outputs.h"
#include "run/run_options.h"
#include "verify/verify.h"

namespace spb::run {

/// The evidence of one case.
struct Verdict : Evidence {
  VerifyStatus status = VerifyStatus::not_run;
  std::string detail;  ///< the first failure or reason, one line
  VerifyStatus map_status = VerifyStatus::not_run;
  std::string modes;        ///< that ran: "exact,fp"
  int64_t judged_runs = 0;  ///< whose outputs were compared, or have the bits of some that were
  int64_t mismatches = 0;
  bool deterministic = true;

  bool failed() const { return status == VerifyStatus::fail; }
};

using Report = std::function<void(const std::string&)>;

/// Checks that a forced choice was taken, the map, then exact and fp mode on a contender with
/// guards. `algorithm`: its name. The first failure ends it. `report` receives the lines of a
/// mismatch report.
Verdict verify_case(engines::Contender& contender, const std::string& algorithm,
                    const Problem& problem, CaseData& data, const RunOptions& options,
                    const Report& report);

/// After timing: the checksum of what the timed runs on the operands of `timed` stored, then a run
/// of the same contender on other operands, which were judged before. Adds to `verdict`.
void verify_again(engines::Contender& contender, const Expectation& timed, const Problem& problem,
                  CaseData& data, const RunOptions& options, const Report& report,
                  Verdict& verdict);

/// What the comparison may assume of a plan's arithmetic.
verify::ArithmeticModel arithmetic_model(const Arithmetic& arithmetic);

}  // namespace spb::run
