// SPDX-License-Identifier: Apache-2.0
// The options that say how a file is read.
#include "suite/checks.h"
#include "suite/options.h"

namespace spb::suite {

std::span<const ReadingOption> reading_options() {
  static const ReadingOption kRows[] = {
      {"--columns",
       [](ReadSettings& r) { return Value(&r.columns); },
       Changes::rows,
       "columns",
       {},
       "Data",
       "N",
       "float32 per row of a .bin file"},
      {"--axes",
       [](ReadSettings& r) { return Value(&r.axes); },
       Changes::rows,
       "axes",
       {},
       "Data",
       "ORDER",
       "column order of integer coords: bxyz, bzyx [bxyz]",
       one_of({"bxyz", "bzyx"})},
      {"--merge",
       [](ReadSettings& r) { return Value(&r.merge); },
       Changes::rows,
       "merge",
       {},
       "Data",
       "",
       "drop repeated coords instead of refusing them"},
  };

  return kRows;
}

}  // namespace spb::suite
