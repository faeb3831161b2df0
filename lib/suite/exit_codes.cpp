// SPDX-License-Identifier: Apache-2.0
#include "suite/exit_codes.h"

#include <utility>

namespace spb::suite {
namespace {

/// What a row's status makes of the exit code; anything else is fine.
constexpr std::pair<Status, ExitCode> kStatusCodes[] = {{Status::incorrect, ExitCode::incorrect},
                                                        {Status::mistrusted, ExitCode::incorrect},
                                                        {Status::oom, ExitCode::runtime},
                                                        {Status::error, ExitCode::runtime},
                                                        {Status::timeout, ExitCode::runtime}};

/// If several apply, the first of these.
constexpr ExitCode kPrecedence[] = {
    ExitCode::usage, ExitCode::interrupted,  ExitCode::runtime, ExitCode::incorrect,
    ExitCode::gate,  ExitCode::inconclusive, ExitCode::nothing};

}  // namespace

ExitCode worse(ExitCode a, ExitCode b) {
  for (const ExitCode code : kPrecedence)
    if (a == code || b == code) return code;
  return ExitCode::ok;
}

ExitCode code_of(const Record& row) {
  for (const auto& [status, code] : kStatusCodes)
    if (row.get(columns::status) == status) return code;
  return ExitCode::ok;
}

}  // namespace spb::suite
