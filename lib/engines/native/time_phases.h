// SPDX-License-Identifier: Apache-2.0
// How long a plan and its runs take (measurement.md, sections 2 to 7 and 14).
#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "engines/contender.h"
#include "engines/native/session.h"

namespace spb::engines {

/// As Contender::time(), of a session whose operands are uploaded.
PhaseTimes time_phases(Session& session, const Algorithm& algorithm, const Problem& problem,
                       std::span<const TimedPhase> phases, const bench::Protocol& protocol);

}  // namespace spb::engines
