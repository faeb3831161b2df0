// SPDX-License-Identifier: Apache-2.0
#include "tuning/tuned.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace spb::tuning {

Tuned::Tuned(std::vector<Entry> entries, Machine machine)
    : entries_(std::move(entries)), machine_(std::move(machine)) {}

namespace {

bool differs(const Choice& choice, const Choice& asked) {
  return std::ranges::any_of(asked.values, [&](const auto& wanted) {
    const std::string* value = choice.find(wanted.first);
    return value && *value != wanted.second;
  });
}

}  // namespace

const Entry* Tuned::find(const Algorithm& algorithm, const SizedProblem& sized,
                         const Choice& asked) const {
  const ProblemClass wanted = class_of(algorithm, sized);
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.problem_class == wanted && obstacle(entry).empty() &&
           !refused(algorithm.knobs, *entry.choice(), wanted.direction) &&
           !differs(*entry.choice(), asked);
  });
  return found == entries_.end() ? nullptr : &*found;
}

std::string Tuned::obstacle(const Entry& entry) const {
  const auto differs = [](const char* what, const std::string& there, const std::string& here) {
    return there == here ? "" : fmt::format("{} {}, here {}", what, there, here);
  };
  std::string reason = differs("device", entry.machine.device, machine_.device);
  if (reason.empty()) reason = differs("driver", entry.machine.driver, machine_.driver);
  if (reason.empty())
    reason = differs("version", entry.machine.tool_version, machine_.tool_version);
  if (reason.empty() && !entry.winning()) reason = "no candidate was right";
  return reason;
}

std::string Tuned::obstacle(const Entry& entry, std::span<const Algorithm> algorithms) const {
  if (std::string reason = obstacle(entry); !reason.empty()) return reason;
  const ProblemClass& tuned = entry.problem_class;
  const auto known =
      std::ranges::find(algorithms, std::string_view(tuned.algorithm), &Algorithm::name);
  if (known == algorithms.end()) return "algorithm " + tuned.algorithm + " is gone";
  if (known->version != tuned.algorithm_version)
    return fmt::format("{} version {}, here {}", tuned.algorithm, tuned.algorithm_version,
                       known->version);
  return refused(known->knobs, *entry.choice(), tuned.direction).value_or("");
}

std::string Tuned::ignored(std::span<const Algorithm> algorithms) const {
  std::string first;
  size_t count = 0;
  for (const Entry& entry : entries_)
    if (const std::string reason = obstacle(entry, algorithms); !reason.empty()) {
      if (count++ == 0) first = reason;
    }
  return count == 0 ? ""
                    : fmt::format("{} of {} entries ignored: {}", count, entries_.size(), first);
}

}  // namespace spb::tuning
