// SPDX-License-Identifier: Apache-2.0
#include "tuning/entry.h"

#include <fmt/format.h>

namespace spb::tuning {

const char* name(TrialStatus status) {
  constexpr const char* kNames[] = {"ok",          "slower", "incorrect", "mistrusted",
                                    "unsupported", "oom",    "error"};
  return kNames[static_cast<int>(status)];
}

std::string text(const Trial& trial) {
  std::string text = trial.kernel.empty() ? trial.variant : trial.kernel;
  const PlanChoice& choice = trial.choice;
  if (choice.segments.value_or(1) > 1) text += ", segments " + std::to_string(*choice.segments);
  if (choice.split) text += ", split " + std::to_string(*choice.split);
  if (choice.order) text += std::string(", order ") + maps::name(*choice.order);
  return text.empty() ? "own choice" : text;
}

double Entry::gain() const {
  const Trial* best = winning();
  const bool is_comparable =
      best && best->median_us > 0 && trials.front().status == TrialStatus::ok;
  return is_comparable ? trials.front().cost_us(runs) / best->cost_us(runs) : 0;
}

std::string gain_text(const Entry& entry) {
  return entry.gain() > 0 ? fmt::format("{:.2f}", entry.gain()) : "-";
}

std::optional<PlanChoice> Entry::choice() const {
  const Trial* best = winning();
  if (!best || (!best->variant.empty() && !best->choice.variant)) return std::nullopt;
  PlanChoice choice = best->choice;
  choice.source = ChoiceSource::tuned;
  return choice;
}

}  // namespace spb::tuning
