// SPDX-License-Identifier: Apache-2.0
// The option of an algorithm's knob: what a plan may choose.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

#include "algorithms/algorithm.h"
#include "suite/options.h"

namespace spb::suite {

RunOption option_of(const Knob& knob) {
  static std::map<std::string, std::string> flags;  // "tile_order" to "--tile-order"
  RunOption row;
  row.flags = (flags[knob.name] = flag_of(knob)).c_str();
  row.value = [&knob](SuiteRunOptions& s) { return Value(&s.knobs[knob.name]); };
  row.changes = Changes::rows;
  row.key = knob.name;
  row.columns = {knob.column};
  row.group = "Choices (an algorithm without one is unsupported)";
  row.metavar = knob.words ? "NAME" : "N";
  row.help = knob.help;
  row.check = [&knob](const std::string& value) { return fault(knob, value); };
  constexpr std::string_view kHashedUnset[] = {"kernel", "tile_order", "reduction"};
  row.hashed_set = std::ranges::find(kHashedUnset, knob.name) == std::end(kHashedUnset);
  return row;
}

}  // namespace spb::suite
