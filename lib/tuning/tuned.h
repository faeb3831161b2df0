// Choices that were tuned on this machine.
#pragma once

#include <string>
#include <vector>

#include "tuning/entry.h"

namespace spb::tuning {

class Tuned {
 public:
  Tuned(std::vector<Entry> entries, Machine machine);

  /// The entry of the problem's class that holds on this machine and names a choice; else null.
  const Entry* find(const Algorithm& algorithm, const SizedProblem& sized) const;

  /// Why an entry is not used on this machine; empty when it is.
  std::string obstacle(const Entry& entry) const;
  /// How many entries are not used, and why the first of them is not; empty when all are.
  std::string ignored() const;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
  Machine machine_;
};

}  // namespace spb::tuning
