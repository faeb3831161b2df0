// SPDX-License-Identifier: Apache-2.0
// Masks of one word make one key, sorted within the windows of each segment; those of several are
// sorted word by word, the least significant first.
#include "maps/orders/order.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/orders/cluster.h"
#include "maps/orders/z_order.h"
#include "maps/table/build_error.h"

namespace spb::maps {
namespace {

constexpr std::string_view kNames[] = {"none", "plain", "gray", "window", "greedy", "z"};

}  // namespace

const char* name(RowOrder order) { return kNames[static_cast<int>(order)].data(); }

std::vector<std::string> row_order_names() { return {std::begin(kNames), std::end(kNames)}; }

std::optional<RowOrder> find_row_order(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<RowOrder>(found - std::begin(kNames));
}

namespace {

GPU_KERNEL void keys_kernel(const uint32_t* masks, int64_t n, KeyRule rule, uint32_t* keys) {
  gpu::wait_for_earlier_kernels();
  const int64_t row = gpu::global_index();
  if (row < n) rule.write(row, masks[row], keys);
}

/// Puts the number of an item's group above its key, which may stand where it is written to.
template <class Key>
GPU_KERNEL void group_keys_kernel(const uint32_t* keys, gpu::RowGroups groups, int32_t key_bits,
                                  Key* group_keys, int32_t* rows) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  if (item >= groups.rows * groups.segments) return;
  const int64_t segment = item / groups.rows, row = item - segment * groups.rows;
  const int64_t group = segment * groups.windows() + row / groups.window;
  // In two steps: of a key of 32 bits nothing is left to shift into, and by 32 cannot be shifted.
  group_keys[item] = static_cast<Key>(group) << (key_bits - 1) << 1 | keys[item];
  rows[item] = static_cast<int32_t>(row);
}

/// ranks[item, word] = the item's mask as a place in the sequence it is sorted by. An item is a row
/// with the offsets of one segment.
GPU_KERNEL void ranks_kernel(const uint32_t* masks, int64_t n, int32_t words, int32_t kernel_volume,
                             int32_t segments, bool gray, uint32_t* ranks, int32_t* items) {
  const int64_t item = gpu::global_index();
  if (item >= n * segments) return;
  const auto segment = static_cast<int32_t>(item / n);
  const int32_t first = segment_begin(segment, segments, kernel_volume);
  const int32_t end = segment_begin(segment + 1, segments, kernel_volume);
  const uint32_t* mask = masks + (item - segment * n) * words;
  GrayWords sequence;
  for (int32_t word = words - 1; word >= 0; --word) {
    const uint32_t bits = mask[word] & low_bits(end - 32 * word) & ~low_bits(first - 32 * word);
    ranks[item * words + word] = gray ? sequence.next(bits) : bits;
  }
  items[item] = static_cast<int32_t>(item);
}

GPU_KERNEL void word_keys_kernel(const uint32_t* ranks, int64_t count, int32_t words, int32_t word,
                                 const int32_t* items, uint32_t* keys) {
  const int64_t position = gpu::global_index();
  if (position < count) keys[position] = ranks[int64_t{items[position]} * words + word];
}

/// The high digit of an item: its segment and window.
GPU_KERNEL void window_keys_kernel(gpu::RowGroups groups, const int32_t* items, uint32_t* keys) {
  const int64_t position = gpu::global_index();
  if (position >= groups.rows * groups.segments) return;
  const int64_t segment = items[position] / groups.rows;
  const int64_t row = items[position] - segment * groups.rows;
  keys[position] = static_cast<uint32_t>(segment * groups.windows() + row / groups.window);
}

GPU_KERNEL void rows_of_items_kernel(int64_t n, int64_t count, int32_t* items) {
  const int64_t position = gpu::global_index();
  if (position < count) items[position] = static_cast<int32_t>(items[position] % n);
}

/// Takes keys [segments, n] whose scratch is clear.
gpu::Buffer<int32_t> sort_groups(KeyedRows keyed, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t count = keyed.keys.size();
  gpu::Buffer<uint32_t> other_keys(allocator, count, gpu::Tag::workspace);
  gpu::Buffer<int32_t> rows(allocator, count, gpu::Tag::plan);
  gpu::Buffer<int32_t> other_rows(allocator, count, gpu::Tag::plan);
  const int last =
      gpu::sort_groups({keyed.keys.data(), other_keys.data()}, {rows.data(), other_rows.data()},
                       keyed.rule.groups, keyed.rule.key_bits, keyed.zeros.data(), stream);
  return last ? std::move(other_rows) : std::move(rows);
}

/// The same by one sort of all, with the groups in the keys.
template <class Key>
gpu::Buffer<int32_t> sort_together(gpu::Buffer<uint32_t> ranks, gpu::Buffer<Key> keys,
                                   const KeyRule& rule, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t count = ranks.size();
  gpu::Buffer<Key> other_keys(allocator, count, gpu::Tag::workspace);
  gpu::Buffer<int32_t> rows(allocator, count, gpu::Tag::plan);
  gpu::Buffer<int32_t> other_rows(allocator, count, gpu::Tag::plan);
  Key* group_keys = keys.data();
  if constexpr (std::is_same_v<Key, uint32_t>)
    if (!group_keys) group_keys = ranks.data();
  gpu::launch_flat_few_early(group_keys_kernel<Key>, count, stream, ranks.data(), rule.groups,
                             rule.key_bits, group_keys, rows.data());
  const int last =
      gpu::sort_pairs({group_keys, other_keys.data()}, {rows.data(), other_rows.data()}, count,
                      rule.key_bits + rule.group_bits(), allocator, stream);
  return last ? std::move(other_rows) : std::move(rows);
}

gpu::Buffer<int32_t> sort_words(const RowMasks& masks, const KeyRule& rule, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n = masks.n_rows, count = n * rule.groups.segments;
  const int words = masks.words_per_row;
  gpu::Buffer<uint32_t> ranks(allocator, count * words, gpu::Tag::workspace);
  gpu::Buffer<uint32_t> keys(allocator, count, gpu::Tag::workspace);
  gpu::Buffer<int32_t> items(allocator, count, gpu::Tag::plan);
  gpu::launch_flat(ranks_kernel, count, stream, masks.words.data(), n, words, masks.kernel_volume,
                   rule.groups.segments, rule.gray, ranks.data(), items.data());
  for (int word = 0; word < words; ++word) {
    const int bits = std::min(32, masks.kernel_volume - 32 * word);
    gpu::launch_flat(word_keys_kernel, count, stream, ranks.data(), count, words, word,
                     items.data(), keys.data());
    gpu::sort_pairs(keys.data(), items.data(), count, bits, allocator, stream);
  }
  if (rule.group_bits() > 0) {
    gpu::launch_flat(window_keys_kernel, count, stream, rule.groups, items.data(), keys.data());
    gpu::sort_pairs(keys.data(), items.data(), count, rule.group_bits(), allocator, stream);
  }
  if (rule.groups.segments > 1)
    gpu::launch_flat(rows_of_items_kernel, count, stream, n, count, items.data());
  return items;
}

}  // namespace

KeyRule key_rule(const RowMasks& masks, const OrderNeeds& needs) {
  if (has_windows(needs.order) && needs.window < 1)
    throw usage_error("window", std::to_string(needs.window) + " rows", "use 1 or more");
  check_row_count("rows of all segments", masks.n_rows * needs.segments);
  KeyRule rule;
  rule.gray = needs.order != RowOrder::plain;
  rule.groups.rows = masks.n_rows;
  rule.groups.segments = needs.segments;
  // One window holds all rows where there are none.
  const int64_t n = std::max<int64_t>(masks.n_rows, 1);
  rule.groups.window = has_windows(needs.order) ? std::min(needs.window, n) : n;
  if (masks.words_per_row != 1) return rule;
  for (int segment = 0; segment < needs.segments; ++segment) {
    const int first = segment_begin(segment, needs.segments, masks.kernel_volume);
    const int end = segment_begin(segment + 1, needs.segments, masks.kernel_volume);
    PackedBits& bits = rule.bits[segment];
    bits = nearest_first(rule.gray ? masks.kernel_size : Int3{}, masks.common_offset, first, end);
    rule.key_bits = std::max(rule.key_bits, bits.count);
  }
  return rule;
}

KeyedRows empty_keys(const RowMasks& masks, const OrderNeeds& needs, BuildContext context) {
  KeyedRows keyed;
  if (needs.order == RowOrder::none) return keyed;
  keyed.rule = key_rule(masks, needs);
  if (masks.words_per_row != 1) return keyed;
  const gpu::RowGroups& groups = keyed.rule.groups;
  keyed.keys =
      gpu::Buffer<uint32_t>(context.allocator, groups.rows * groups.segments, gpu::Tag::workspace);
  int64_t zeros = 0;
  if (needs.order != RowOrder::z && gpu::sorts_groups(groups))
    zeros = gpu::sort_groups_zeros(groups, keyed.rule.key_bits);
  keyed.zeros = gpu::Buffer<uint32_t>(context.allocator, zeros, gpu::Tag::workspace);
  return keyed;
}

namespace {

/// By segment, window and mask.
gpu::Buffer<int32_t> sort_rows(const RowMasks& masks, const OrderNeeds& needs, KeyedRows keyed,
                               BuildContext context) {
  auto& [allocator, stream] = context;
  const bool along_z = needs.order == RowOrder::z;
  gpu::Buffer<int32_t> along;
  if (along_z) along = rows_along_z(needs.coords, std::move(keyed.along_z), context);
  if (masks.words_per_row > 1 && !along_z)
    return sort_words(masks, key_rule(masks, needs), context);
  if (keyed.keys.size() == 0) {
    keyed = empty_keys(masks, needs, context);
    if (masks.words_per_row > 1)  // windows then stay as they are along the curve
      return order_along_z(along, {}, 0, needs.segments, context);
    gpu::launch_flat_few_early(keys_kernel, masks.n_rows, stream, masks.words.data(), masks.n_rows,
                               keyed.rule, keyed.keys.data());
    gpu::fill_bytes(keyed.zeros.data(), 0, keyed.zeros.bytes(), stream);
  }
  const KeyRule& rule = keyed.rule;
  if (along_z) return order_along_z(along, keyed.keys, rule.key_bits, needs.segments, context);
  if (gpu::sorts_groups(rule.groups)) return sort_groups(std::move(keyed), context);
  if (rule.key_bits + rule.group_bits() <= 32)
    return sort_together<uint32_t>(std::move(keyed.keys), {}, rule, context);
  gpu::Buffer<uint64_t> keys(allocator, keyed.keys.size(), gpu::Tag::workspace);
  return sort_together<uint64_t>(std::move(keyed.keys), std::move(keys), rule, context);
}

}  // namespace

gpu::Buffer<int32_t> build_order(const RowMasks& masks, const OrderNeeds& needs, KeyedRows keyed,
                                 BuildContext context) {
  if (needs.order == RowOrder::none) return {};
  if (masks.n_rows == 0) return gpu::Buffer<int32_t>(context.allocator, 0, gpu::Tag::plan);
  gpu::Buffer<int32_t> order = sort_rows(masks, needs, std::move(keyed), context);
  if (needs.order != RowOrder::greedy) return order;
  return cluster_rows(masks, needs.segments, needs.tile_rows, std::move(order), context);
}

}  // namespace spb::maps
