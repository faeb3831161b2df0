// SPDX-License-Identifier: Apache-2.0
#include "data/memory_need.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/coords.h"
#include "core/error.h"

namespace spb::data {

void require_memory(int64_t rows, std::string_view where) {
  // Once as they are read, once among those that are told apart.
  constexpr double kRowBytes = 2 * sizeof(Coord), kGB = 1e9;
  const double needed = static_cast<double>(rows) * kRowBytes;
  const double memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed > memory)
    throw input_error(where,
                      fmt::format("holds {} rows, which take {:.0f} GB; this host has {:.0f}", rows,
                                  needed / kGB, memory / kGB),
                      "use a machine with more memory; a damaged file claims anything");
}

}  // namespace spb::data
