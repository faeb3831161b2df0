// SPDX-License-Identifier: Apache-2.0
// The clusters of cluster.h again, one choice after the other: what inspect tells, and what the
// kernels are tested against.
#include <algorithm>
#include <bit>

#include "core/parallel.h"
#include "maps/lists/work_statistics.h"
#include "maps/orders/cluster.h"

namespace spb::maps {
namespace {

/// Places [begin, end) of the order, with equal masks.
struct Group {
  int64_t begin = 0, end = 0;
  int64_t rows() const { return end - begin; }
};

std::vector<Group> find_groups(const HostMasks& masks, std::span<const int32_t> order) {
  std::vector<Group> groups;
  for (int64_t at = 0; at < masks.n_rows; ++at) {
    const auto mask = [&](int64_t place) { return masks.row(order[static_cast<size_t>(place)]); };
    if (at == 0 || !std::ranges::equal(mask(at), mask(at - 1))) groups.push_back({at, at});
    groups.back().end = at + 1;
  }
  return groups;
}

/// Fills the tiles of one window.
class Filler {
 public:
  Filler(const HostMasks& masks, std::span<const int32_t> order, std::vector<Group> groups,
         int tile_rows)
      : masks_(masks),
        order_(order),
        groups_(std::move(groups)),
        tile_rows_(tile_rows),
        tile_(static_cast<size_t>(masks.words_per_row)) {}

  void append_to(std::vector<int32_t>& rows) {
    for (;;) {
      const auto most = std::ranges::max_element(
          groups_, {}, [this](const Group& g) { return std::min<int64_t>(g.rows(), tile_rows_); });
      if (most->rows() == 0) return;
      const int64_t full = most->rows() / tile_rows_ * tile_rows_;
      std::ranges::fill(tile_, 0);
      filled_ = 0;
      take(*most, full > 0 ? full : most->rows(), rows);
      while (full == 0 && filled_ < tile_rows_) {
        Group* next = cheapest();
        if (!next) return;
        take(*next, joining(*next), rows);
      }
    }
  }

 private:
  int joining(const Group& group) const {
    return static_cast<int>(std::min<int64_t>(group.rows(), tile_rows_ - filled_));
  }
  std::span<const uint32_t> mask(const Group& group) const {
    return masks_.row(order_[static_cast<size_t>(group.begin)]);
  }
  void take(Group& group, int64_t count, std::vector<int32_t>& rows) {
    const auto of_group = mask(group);
    for (size_t word = 0; word < tile_.size(); ++word) tile_[word] |= of_group[word];
    const auto first = order_.begin() + group.begin;
    rows.insert(rows.end(), first, first + count);
    group.begin += count;
    filled_ += static_cast<int>(std::min<int64_t>(count, tile_rows_));
  }
  uint32_t cost(const Group& group) const {
    int added = 0, missing = 0;
    const auto of_group = mask(group);
    for (size_t word = 0; word < tile_.size(); ++word) {
      added += std::popcount(of_group[word] & ~tile_[word]);
      missing += std::popcount(tile_[word] & ~of_group[word]);
    }
    return join_cost(added, missing, filled_, join_share(joining(group)));
  }
  Group* cheapest() {
    Group* best = nullptr;
    uint32_t least = ~uint32_t{0};
    for (Group& group : groups_)
      if (group.rows() > 0 && cost(group) < least) best = &group, least = cost(group);
    return best;
  }

  const HostMasks& masks_;
  std::span<const int32_t> order_;
  std::vector<Group> groups_;
  int tile_rows_, filled_ = 0;
  std::vector<uint32_t> tile_;  // offsets of the tile
};

}  // namespace

std::vector<int32_t> host_clusters(const HostMasks& masks, std::span<const int32_t> order,
                                   int tile_rows) {
  const int most_groups = window_groups(masks.words_per_row, tile_rows);
  if (most_groups == 0) return {order.begin(), order.end()};
  const std::vector<Group> groups = find_groups(masks, order);
  const auto count = static_cast<int64_t>(groups.size());
  const int64_t windows = (count + most_groups - 1) / most_groups;
  // Up to where the tile reaches that the groups before end in.
  const auto window_end = [&](int64_t window) {
    if (window == windows) return masks.n_rows;
    const int64_t begin = groups[static_cast<size_t>(count * window / windows)].begin;
    return std::min((begin + tile_rows - 1) / tile_rows * tile_rows, masks.n_rows);
  };
  std::vector<int32_t> rows(order.size());
  parallel_for(windows, [&](int64_t window) {
    const Group within{window_end(window), window_end(window + 1)};
    if (within.rows() == 0) return;
    std::vector<Group> inside;
    const auto first =
        std::ranges::upper_bound(groups, within.begin, {}, [](const Group& g) { return g.end; });
    for (auto group = first; group != groups.end() && group->begin < within.end; ++group)
      inside.push_back({std::max(group->begin, within.begin), std::min(group->end, within.end)});
    std::vector<int32_t> filled;
    Filler(masks, order, std::move(inside), tile_rows).append_to(filled);
    std::ranges::copy(filled, rows.begin() + within.begin);
  });
  return rows;
}

}  // namespace spb::maps
