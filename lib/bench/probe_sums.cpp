// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_sums.h"

#include <algorithm>

namespace spb::bench {

int SumTable::most_places() const { return std::min(columns - 1, kSmallestE4M3) + kSmallestE4M3; }

float SumTable::at(int places) const {
  const int row = std::min(places, kSmallestE4M3);
  return sums[static_cast<size_t>(row * columns + places - row)];
}

std::vector<SumBits> e4m3_sum_bits(gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr float kAlmostTwo = 1.75f;  // cut off or rounded at its leading bit it is 1 or 2
  std::vector<SumBits> all;
  const auto add = [&](const char* instruction, auto sums_of) {
    const SumTable plain = sums_of(1.f, allocator, stream);
    if (plain.sums.empty()) return;
    SumBits found{.instruction = instruction};
    for (int places = 1; places <= plain.most_places() && plain.at(places) > 1; ++places)
      found.bits = places + 1;  // the leading one is the first
    const int last = found.bits - 1;
    found.or_more = last == plain.most_places();
    found.cut_off = sums_of(kAlmostTwo, allocator, stream).at(last) == plain.at(last);
    all.push_back(found);
  };
  add("wgmma", wgmma_sums);
  add("mma.sync", mma_sync_sums);
  return all;
}

}  // namespace spb::bench
