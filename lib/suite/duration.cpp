// SPDX-License-Identifier: Apache-2.0
#include "suite/duration.h"

#include "config/lists.h"

namespace spb::suite {

double parse_duration_s(std::string_view text, std::string_view where) {
  struct Unit {
    char letter;
    double seconds;
  };
  constexpr Unit kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
  for (const Unit& unit : kUnits)
    if (text.ends_with(unit.letter))
      return config::parse_positive(text.substr(0, text.size() - 1), where) * unit.seconds;
  return config::parse_positive(text, where);
}

}  // namespace spb::suite
