// SPDX-License-Identifier: Apache-2.0
// Algorithms that are wrong on purpose, one defect each (verification.md, section 12).
#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "mutant_layers.h"
#include "naive_plan.h"

namespace spb::mutants {

struct Mutant {
  const char* name;
  const char* summary;  ///< the defect; those of one defect have the same
  Direction direction;
  Dtype dtype;  ///< for which the defect is meant to be seen
  Layer layer;
  const char* seen_by;  ///< the check that must see it, as caught_by() says it; empty: none may
  Hooks hooks;
  const char* forced = "";  ///< options of `run` without which it is right
};

/// Of what goes wrong only now and then: a matter of which runs come when.
inline constexpr const char* kAnyExact = "exact, whichever run it is";

/// The first row is the control: correct, and never to be flagged.
std::span<const Mutant> mutants();

/// The same as an algorithm table for the program's main function.
std::span<const Algorithm> mutant_algorithms();

}  // namespace spb::mutants
