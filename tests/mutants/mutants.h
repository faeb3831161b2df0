// SPDX-License-Identifier: Apache-2.0
// Algorithms that are wrong on purpose, one defect each (verification.md, section 12).
#pragma once

#include <span>

#include "algorithms/algorithm.h"
#include "naive_plan.h"

namespace spb::mutants {

struct Mutant {
  const char* name;
  const char* summary;
  Direction direction;
  Dtype dtype;          ///< for which the defect is meant to be seen
  const char* options;  ///< of the command line: the layer
  const char*
      seen_by;  ///< part of the status_detail of the check that must see it; empty: none may
  Hooks hooks;
  const char* forced = "";  ///< options of `run` without which it is right
};

/// The first row is the control: correct, and never to be flagged.
std::span<const Mutant> mutants();

/// The same as an algorithm table for the program's main function.
std::span<const Algorithm> mutant_algorithms();

}  // namespace spb::mutants
