// SPDX-License-Identifier: Apache-2.0
// The pairs of a kernel map, kernel offset by kernel offset, by all processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/expected.h"
#include "core/parallel.h"

namespace spb::verify {

inline std::span<const Triple> pairs_of(const MapSet& map, int offset) {
  const auto range = std::ranges::equal_range(map.triples, offset, {}, &Triple::offset);
  return {range.begin(), range.end()};
}

/// Calls visit(triple) for the pairs of one offset. It joins a row with at most one other: threads
/// never meet in a row.
template <typename Visit>
void for_pairs_of(const MapSet& map, int offset, const Visit& visit) {
  constexpr size_t kChunk = 1 << 14;
  const std::span<const Triple> pairs = pairs_of(map, offset);
  parallel_for(static_cast<int64_t>((pairs.size() + kChunk - 1) / kChunk), [&](int64_t chunk) {
    const size_t begin = static_cast<size_t>(chunk) * kChunk;
    for (const Triple& t : pairs.subspan(begin, std::min(kChunk, pairs.size() - begin))) visit(t);
  });
}

/// Pairs of each of `n` output rows, or input rows.
inline std::vector<int32_t> pairs_per_row(const MapSet& map, int kernel_volume, bool by_output,
                                          int64_t n) {
  std::vector<int32_t> pairs(static_cast<size_t>(n));
  for (int offset = 0; offset < kernel_volume; ++offset)
    for_pairs_of(map, offset,
                 [&](const Triple& t) { ++pairs[static_cast<size_t>(by_output ? t.out : t.in)]; });
  return pairs;
}

}  // namespace spb::verify
