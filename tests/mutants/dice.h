// SPDX-License-Identifier: Apache-2.0
// Draws that are the same with every standard library, whose distributions are not.
#pragma once

#include <cstdint>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

namespace spb::mutants {

class Dice {
 public:
  Dice(uint64_t seed, std::string_view purpose) {
    std::vector<uint32_t> words(purpose.begin(), purpose.end());
    words.push_back(static_cast<uint32_t>(seed));
    words.push_back(static_cast<uint32_t>(seed >> 32));
    std::seed_seq sequence(words.begin(), words.end());
    engine_.seed(sequence);
  }

  int between(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  template <typename Items>
  const auto& pick(const Items& items) {
    return items[static_cast<size_t>(between(0, static_cast<int>(std::size(items)) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace spb::mutants
