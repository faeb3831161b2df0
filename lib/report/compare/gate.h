// SPDX-License-Identifier: Apache-2.0
// Which changes fail a comparison, and with which exit code.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "report/compare/compare.h"

namespace spb::report {

/// Names that a gate knows: slower, incorrect, error, memory, missing, not_comparable,
/// inconclusive.
std::vector<std::string> gate_names();

struct Gate {
  std::set<std::string> fail_on;

  /// A row that is newly incorrect always fails.
  bool fails(Change change) const;
  bool fails_on_memory() const { return fail_on.contains("memory"); }
};

/// "3 slower, 1 memory": what fails; empty when nothing does.
std::string failures(const Comparison& comparison, const Gate& gate);

/// "the gate passes", "the gate fails: 3 slower", "the gate is undecided: 3 inconclusive".
std::string gate_text(const Comparison& comparison, const Gate& gate);

/// Error before incorrect before the other changes before inconclusive; nothing compared is a
/// failure of its own.
ExitCode exit_code(const Comparison& comparison, const Gate& gate);

}  // namespace spb::report
