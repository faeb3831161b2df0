// SPDX-License-Identifier: Apache-2.0
// What must be equal for two times to be comparable.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/record.h"

namespace spb::report {

/// Two rows cannot be compared when one of its columns differs.
struct Condition {
  const char* name;  ///< for --allow-mismatch
  std::vector<ColumnName> columns;
  const char* text;
};
std::span<const Condition> conditions();

struct Difference {
  const char* condition;
  std::string values;  ///< "NVIDIA H100 / NVIDIA H200"
};

/// The conditions that differ and are not among the names in `allowed`. With `gpu`, what comes with
/// a device is allowed too.
std::vector<Difference> differences(const Record& base, const Record& next,
                                    const std::set<std::string>& allowed);

}  // namespace spb::report
