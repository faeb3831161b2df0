// SPDX-License-Identifier: Apache-2.0
// How often which algorithm was the fastest, by direction and size: the form in which WarpConvNet's
// documents show it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/record.h"

namespace spb::report {

/// Who was the fastest of a competition.
struct Win {
  std::string algorithm, direction;
  int64_t n_out = 0;
  int64_t channels = 0;  ///< the wider side
};

/// The fastest of every competition of kernel times that two algorithms or more took part in; hot
/// times where there are any. Rows have their rank.
std::vector<Win> wins(std::span<const Record> ranked);

/// Lines of direction, outputs, channels, number of wins, shares; the first is the header.
std::vector<std::vector<std::string>> win_rates(std::span<const Win> wins);

}  // namespace spb::report
