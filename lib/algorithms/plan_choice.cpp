// SPDX-License-Identifier: Apache-2.0
#include "algorithms/plan_choice.h"

namespace spb {

const char* name(ChoiceSource source) {
  constexpr const char* kNames[] = {"heuristic", "tuned", "forced"};
  return kNames[static_cast<int>(source)];
}

}  // namespace spb
