// SPDX-License-Identifier: Apache-2.0
// How long training steps of a layer take (measurement.md, section 2).
#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "engines/contender.h"
#include "engines/native/session.h"

namespace spb::engines {

/// As Contender::time_steps(), on the session's coords and stream.
StepTimes time_steps(Session& session, const Algorithm& algorithm, const Problem& problem,
                     std::span<const int> layers, const DrawOperands& draw,
                     const bench::Protocol& protocol);

}  // namespace spb::engines
