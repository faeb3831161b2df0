// SPDX-License-Identifier: Apache-2.0
// Counts the banks of shared memory that the threads of a block touch together. What is added to
// the addresses of all lanes alike, or xored to them, changes no count: a step's stage, a slice of
// the depth, the next rows of a thread. So one access stands for all of its kind.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "kernels/wgrad/tiles.h"

namespace spb {

inline void PrintTo(const BankWays& ways, std::ostream* out) {
  *out << ways.loads << "-way loads, " << ways.stores << "-way stores";
}

namespace plans {

/// Most wavefronts that a phase takes: 32 lanes of 4 bytes, 16 of 8, 8 of 16, or 8 rows of ldmatrix
/// and stmatrix. A bank gives one of its words at a time, to all who ask for it.
template <class Address>
int ways(int threads, int bytes, Address address) {
  constexpr uint64_t kBanks = 32, kWordBytes = 4;
  const int lanes = std::min(32, 128 / bytes);
  size_t most = 0;
  for (int first = 0; first < threads; first += lanes) {
    std::map<uint64_t, std::set<uint64_t>> words_of_bank;
    for (int thread = first; thread < std::min(first + lanes, threads); ++thread) {
      const auto begin = static_cast<uint64_t>(address(thread));
      EXPECT_EQ(begin % static_cast<uint64_t>(bytes), 0u) << "thread " << thread;
      for (uint64_t byte = begin; byte < begin + static_cast<uint64_t>(bytes); byte += kWordBytes)
        words_of_bank[byte / kWordBytes % kBanks].insert(byte / kWordBytes);
    }
    for (const auto& [bank, words] : words_of_bank) most = std::max(most, words.size());
  }
  return static_cast<int>(most);
}

/// The worst of each kernel, by name.
using Counted = std::map<std::string, BankWays>;
inline void count_load(Counted& counted, const char* kernel, int ways) {
  counted[kernel].loads = std::max(counted[kernel].loads, ways);
}
inline void count_store(Counted& counted, const char* kernel, int ways) {
  counted[kernel].stores = std::max(counted[kernel].stores, ways);
}

inline void expect_listed(const KernelVariant& variant, const BankWays& counted) {
  EXPECT_EQ(counted, bank_ways(variant)) << variant.name;
}
inline void expect_listed(const KernelVariant& variant, const Counted& counted) {
  expect_listed(variant, counted.at(variant.name));
}
/// Tiles of wgrad that need this architecture; of 0 the portable ones.
template <class Ways>
inline void expect_wgrad_listed(int architecture, const Ways& counted) {
  for (const WgradTile& tile : kWgradTiles)
    if (tile.variant.min_arch == architecture && !tile.matrix && !tile.halos)
      expect_listed(tile.variant, counted);
}

}  // namespace plans
}  // namespace spb
