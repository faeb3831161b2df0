// SPDX-License-Identifier: Apache-2.0
#include "maps/lists/work_statistics.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <numeric>
#include <string>

#include "core/error.h"
#include "maps/orders/gray.h"

namespace spb::maps {
namespace {

std::vector<int32_t> input_order(size_t n) {
  std::vector<int32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Lexicographic from the highest word: the rank of a mask in its sequence.
std::strong_ordering compare_ranks(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

HostMasks gray_ranks(HostMasks masks) {
  if (masks.words_per_row == 1) {
    const PackedBits bits = nearest_first(masks.kernel_size, -1, 0, masks.kernel_volume);
    for (uint32_t& mask : masks.words) mask = gray_position(bits.pack(mask));
    return masks;
  }
  for (int64_t row = 0; row < masks.n_rows; ++row) {
    GrayWords gray;
    for (int word = masks.words_per_row - 1; word >= 0; --word) {
      uint32_t& mask = masks.words[static_cast<size_t>(row * masks.words_per_row + word)];
      mask = gray.next(mask);
    }
  }
  return masks;
}

int popcount(std::span<const uint32_t> words) {
  return std::accumulate(words.begin(), words.end(), 0,
                         [](int sum, uint32_t word) { return sum + std::popcount(word); });
}

}  // namespace

HostMasks host_masks(const MapSet& map, const Int3& kernel_size) {
  HostMasks masks;
  masks.n_rows = static_cast<int64_t>(map.out_coords.size());
  masks.kernel_size = kernel_size;
  masks.kernel_volume = kernel_size[0] * kernel_size[1] * kernel_size[2];
  masks.words_per_row = mask_words(masks.kernel_volume);
  masks.words.assign(static_cast<size_t>(masks.n_rows * masks.words_per_row), 0);
  for (const Triple& pair : map.triples)
    masks.words[static_cast<size_t>(int64_t{pair.out} * masks.words_per_row + pair.offset / 32)] |=
        uint32_t{1} << pair.offset % 32;
  return masks;
}

HostMasks of_segment(HostMasks masks, int segment, int segments) {
  const int first = segment_begin(segment, segments, masks.kernel_volume);
  const int end = segment_begin(segment + 1, segments, masks.kernel_volume);
  std::vector<uint32_t> kept(static_cast<size_t>(masks.words_per_row));
  for (int o = first; o < end; ++o) kept[static_cast<size_t>(o / 32)] |= uint32_t{1} << o % 32;
  for (size_t i = 0; i < masks.words.size(); ++i) masks.words[i] &= kept[i % kept.size()];
  return masks;
}

int64_t count_mirrored(const HostMasks& masks) {
  HostMasks mirrored = masks;
  std::ranges::fill(mirrored.words, 0);
  for (int64_t row = 0; row < masks.n_rows; ++row)
    for (int o = 0; o < masks.kernel_volume; ++o) {
      const int to = masks.kernel_volume - 1 - o;
      const uint32_t bit = masks.row(row)[static_cast<size_t>(o / 32)] >> o % 32 & 1;
      mirrored.words[static_cast<size_t>(row * masks.words_per_row + to / 32)] |= bit << to % 32;
    }
  const auto less = [](std::span<const uint32_t> a, std::span<const uint32_t> b) {
    return compare_ranks(a, b) < 0;
  };
  const std::vector<int32_t> sorted = host_order(masks, RowOrder::plain, 1);
  const auto mask_at = [&](int32_t row) { return masks.row(row); };
  int64_t count = 0;
  for (int64_t row = 0; row < masks.n_rows; ++row)
    count += std::ranges::binary_search(sorted, mirrored.row(row), less, mask_at);
  return count;
}

int64_t count_distinct(const HostMasks& masks) {
  const std::vector<int32_t> rows = host_order(masks, RowOrder::plain, 1);
  int64_t distinct = rows.empty() ? 0 : 1;
  for (size_t i = 1; i < rows.size(); ++i)
    distinct += compare_ranks(masks.row(rows[i]), masks.row(rows[i - 1])) != 0;
  return distinct;
}

std::vector<int64_t> popcount_histogram(const HostMasks& masks) {
  std::vector<int64_t> rows(static_cast<size_t>(masks.kernel_volume) + 1);
  for (int64_t row = 0; row < masks.n_rows; ++row)
    ++rows[static_cast<size_t>(popcount(masks.row(row)))];
  return rows;
}

std::vector<int64_t> pairs_per_offset(const MapSet& map, int kernel_volume) {
  std::vector<int64_t> pairs(static_cast<size_t>(kernel_volume));
  for (const Triple& pair : map.triples) ++pairs[static_cast<size_t>(pair.offset)];
  return pairs;
}

std::vector<int32_t> z_order(std::span<const Coord> coords) {
  std::vector<int32_t> rows = input_order(coords.size());
  const auto coord = [&](int32_t row) -> const Coord& { return coords[static_cast<size_t>(row)]; };
  std::ranges::stable_sort(rows, {}, [&](int32_t row) { return coord(row).batch; });

  for (auto begin = rows.begin(); begin != rows.end();) {
    const int32_t batch = coord(*begin).batch;
    Coord low = coord(*begin);
    auto end = begin;
    for (; end != rows.end() && coord(*end).batch == batch; ++end) {
      low.x = std::min(low.x, coord(*end).x);
      low.y = std::min(low.y, coord(*end).y);
      low.z = std::min(low.z, coord(*end).z);
    }
    // Unsigned differences are exact for any two int32.
    const auto above = [](int32_t value, int32_t minimum) {
      return static_cast<uint32_t>(value) - static_cast<uint32_t>(minimum);
    };
    std::stable_sort(begin, end, [&](int32_t left, int32_t right) {
      const Coord &l = coord(left), &r = coord(right);
      const uint32_t a[3] = {above(l.x, low.x), above(l.y, low.y), above(l.z, low.z)};
      const uint32_t b[3] = {above(r.x, low.x), above(r.y, low.y), above(r.z, low.z)};
      size_t decisive = 2;
      for (const size_t axis : {1, 0})
        if (std::bit_width(a[axis] ^ b[axis]) > std::bit_width(a[decisive] ^ b[decisive]))
          decisive = axis;
      return a[decisive] < b[decisive];
    });
    begin = end;
  }
  return rows;
}

std::vector<int32_t> host_order(const HostMasks& masks, RowOrder order, int64_t window,
                                std::span<const int32_t> positions, int tile_rows) {
  const auto n = static_cast<size_t>(masks.n_rows);
  std::vector<int32_t> rows =
      positions.empty() ? input_order(n) : std::vector<int32_t>(positions.begin(), positions.end());
  if (order == RowOrder::none) return rows;
  if (has_windows(order) && window < 1)
    throw usage_error("window", std::to_string(window) + " rows", "use 1 or more");

  const HostMasks ranks = order == RowOrder::plain ? masks : gray_ranks(masks);
  const size_t step = has_windows(order) ? std::min(n, static_cast<size_t>(window)) : n;
  for (size_t begin = 0; begin < n; begin += step) {
    const auto first = rows.begin() + static_cast<ptrdiff_t>(begin);
    const auto last = rows.begin() + static_cast<ptrdiff_t>(std::min(n, begin + step));
    std::stable_sort(first, last, [&](int32_t a, int32_t b) {
      return compare_ranks(ranks.row(a), ranks.row(b)) < 0;
    });
  }
  if (order == RowOrder::greedy) return host_clusters(masks, rows, tile_rows);
  return rows;
}

int64_t listed_offsets(const HostMasks& masks, std::span<const int32_t> order, int tile_rows) {
  int64_t listed = 0;
  std::vector<uint32_t> tile(static_cast<size_t>(masks.words_per_row));
  for (int64_t begin = 0; begin < masks.n_rows; begin += tile_rows) {
    std::ranges::fill(tile, 0);
    for (int64_t at = begin; at < std::min(masks.n_rows, begin + tile_rows); ++at) {
      const auto row = masks.row(order.empty() ? at : order[static_cast<size_t>(at)]);
      for (size_t word = 0; word < tile.size(); ++word) tile[word] |= row[word];
    }
    listed += popcount(tile);
  }
  return listed;
}

double redundancy(int64_t listed, int tile_rows, int64_t n_pairs) {
  if (n_pairs == 0) return 0;
  return static_cast<double>(tile_rows) * static_cast<double>(listed) /
         static_cast<double>(n_pairs);
}

}  // namespace spb::maps
