// SPDX-License-Identifier: Apache-2.0
// What an algorithm lets others choose, and what was chosen. Both are text, read once, inside the
// algorithm: the command line, suites, tuning files and records walk over names and values.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/columns.h"
#include "core/problem.h"

namespace spb {

/// One thing to choose: a row of an algorithm's table. Algorithms that let the same be chosen have
/// the same row.
struct Knob {
  const char* name;     ///< "tile_order"; on the command line --tile-order
  const char* help;     ///< one sentence for --help
  ColumnName column;    ///< of a record, which tells what a plan took
  unsigned directions;  ///< that it is for: bits 1 << Direction
  const std::vector<std::string>& (*words)() = nullptr;  ///< values; null: whole numbers from 1
  int most = 0;                                          ///< of those numbers
  const char* usual = nullptr;  ///< the value that says no more than no choice does
};

/// Whoever made a choice.
enum class ChoiceSource { heuristic, tuned, forced };
const char* name(ChoiceSource source);  ///< as in the column variant_source

/// Values of some knobs; the others are left to the plan.
struct Choice {
  std::map<std::string, std::string, std::less<>> values = {};  ///< by the knob's name
  ChoiceSource source = ChoiceSource::heuristic;

  /// Null where it is left to the plan.
  const std::string* find(std::string_view knob) const;
  /// Of a knob whose values are numbers. Throws Error (usage) for what is none.
  std::optional<int> number(std::string_view knob) const;

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// What is wrong with a value, or empty.
std::string fault(const Knob& knob, const std::string& value);

bool is_for(const Knob& knob, Direction direction);

/// Nothing, or which choice these knobs do not take for this direction, and why.
std::optional<std::string> refused(std::span<const Knob> knobs, const Choice& choice,
                                   Direction direction);

/// Without the values of knobs that are not for this direction.
Choice of_direction(std::span<const Knob> knobs, const Choice& choice, Direction direction);

}  // namespace spb
