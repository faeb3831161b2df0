// SPDX-License-Identifier: Apache-2.0
// An algorithm whose plans take one kernel variant.
#pragma once

#include <string>

#include "algorithms/device_run.h"

namespace spb {

inline Algorithm forced(const std::string& algorithm, const std::string& variant) {
  Algorithm row = algorithm_named(algorithm);
  row.choice = {.values = {{"kernel", variant}}, .source = ChoiceSource::forced};
  return row;
}

}  // namespace spb
