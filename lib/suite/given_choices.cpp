// SPDX-License-Identifier: Apache-2.0
#include "suite/given_choices.h"

#include "algorithms/algorithm.h"

namespace spb::suite {

GivenChoices given_choices(const std::map<std::string, std::string>& values) {
  GivenChoices given;
  for (const Knob& knob : all_knobs()) {
    const auto found = values.find(knob.name);
    if (found == values.end() || found->second.empty()) continue;
    const bool is_usual = knob.usual && found->second == knob.usual;
    (is_usual ? given.usual : given.forced).values.insert(*found);
  }
  if (!given.forced.values.empty()) given.forced.source = ChoiceSource::forced;
  return given;
}

}  // namespace spb::suite
