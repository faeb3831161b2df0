// SPDX-License-Identifier: Apache-2.0
#include "report/compare/gate.h"

namespace spb::report {
namespace {

/// In the order in which they are told.
constexpr Change kGated[] = {Change::incorrect, Change::error,          Change::slower,
                             Change::missing,   Change::not_comparable, Change::inconclusive};

}  // namespace

std::vector<std::string> gate_names() {
  std::vector<std::string> names{"memory"};
  for (const Change change : kGated) names.emplace_back(name(change));
  return names;
}

bool Gate::fails(Change change) const {
  return change == Change::incorrect || fail_on.contains(name(change));
}

std::string failures(const Comparison& comparison, const Gate& gate) {
  std::string text;
  const auto add = [&](int64_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  for (const Change change : kGated)
    if (gate.fails(change)) add(comparison.count(change), name(change));
  if (gate.fails_on_memory()) add(comparison.count_worse_memory(), "memory");
  return text;
}

std::string gate_text(const Comparison& comparison, const Gate& gate) {
  const std::string failed = failures(comparison, gate);
  if (failed.empty()) return "the gate passes";
  const bool undecided = exit_code(comparison, gate) == ExitCode::inconclusive;
  return (undecided ? "the gate is undecided: " : "the gate fails: ") + failed;
}

ExitCode exit_code(const Comparison& comparison, const Gate& gate) {
  if (gate.fails(Change::error) && comparison.count(Change::error) > 0) return ExitCode::runtime;
  if (comparison.count(Change::incorrect) > 0) return ExitCode::incorrect;
  if (comparison.compared() == 0) return ExitCode::nothing;
  if (failures(comparison, gate).empty()) return ExitCode::ok;
  Gate decided = gate;
  decided.fail_on.erase(name(Change::inconclusive));
  return failures(comparison, decided).empty() ? ExitCode::inconclusive : ExitCode::gate;
}

}  // namespace spb::report
