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
  std::string text = trial.kernel;
  for (const auto& [knob, value] : trial.choice.values)
    if (value != trial.kernel) text += (text.empty() ? "" : ", ") + knob + ' ' + value;
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

std::optional<Choice> Entry::choice() const {
  const Trial* best = winning();
  if (!best) return std::nullopt;
  Choice choice = best->choice;
  choice.source = ChoiceSource::tuned;
  return choice;
}

}  // namespace spb::tuning
