// SPDX-License-Identifier: Apache-2.0
// Choices that were tuned on this machine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "tuning/entry.h"

namespace spb::tuning {

class Tuned {
 public:
  Tuned(std::vector<Entry> entries, Machine machine);

  /// The entry of the problem's class that holds on this machine and names a choice, which takes no
  /// other value than `asked` has; else null.
  const Entry* find(const Algorithm& algorithm, const SizedProblem& sized,
                    const Choice& asked = {}) const;

  /// Why an entry is not used on this machine by a program of these algorithms; empty when it is.
  std::string obstacle(const Entry& entry, std::span<const Algorithm> algorithms) const;
  /// How many entries are not used, and why the first of them is not; empty when all are.
  std::string ignored(std::span<const Algorithm> algorithms) const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  /// Of the machine and the winner alone.
  std::string obstacle(const Entry& entry) const;

  std::vector<Entry> entries_;
  Machine machine_;
};

}  // namespace spb::tuning
