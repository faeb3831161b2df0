// Masks of one word make one key with the segment and the window; those of several are sorted word
// by word, the least significant first.
#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/build_error.h"
#include "maps/order.h"

namespace spb::maps {

const char* name(RowOrder order) {
  constexpr const char* kNames[] = {"none", "plain", "gray", "window"};
  return kNames[static_cast<int>(order)];
}

namespace {

template <class Key>
GPU_KERNEL void one_word_keys_kernel(const uint32_t* masks, int64_t n, KeyRule rule, Key* keys,
                                     int32_t* rows) {
  const int64_t row = gpu::global_index();
  if (row < n) rule.write(row, n, masks[row], keys, rows);
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
GPU_KERNEL void window_keys_kernel(int64_t n, int64_t count, uint32_t window, uint32_t windows,
                                   const int32_t* items, uint32_t* keys) {
  const int64_t position = gpu::global_index();
  if (position >= count) return;
  const int64_t segment = items[position] / n, row = items[position] - segment * n;
  keys[position] = static_cast<uint32_t>(segment) * windows + static_cast<uint32_t>(row) / window;
}

GPU_KERNEL void rows_of_items_kernel(int64_t n, int64_t count, int32_t* items) {
  const int64_t position = gpu::global_index();
  if (position < count) items[position] = static_cast<int32_t>(items[position] % n);
}

template <class Key>
gpu::Buffer<int32_t> sort(gpu::Buffer<Key> keys, gpu::Buffer<int32_t> rows, int key_bits,
                          BuildContext context) {
  auto& [allocator, stream] = context;
  gpu::Buffer<Key> other_keys(allocator, keys.size(), gpu::Tag::workspace);
  gpu::Buffer<int32_t> other_rows(allocator, rows.size(), gpu::Tag::plan);
  const int last =
      gpu::sort_pairs({keys.data(), other_keys.data()}, {rows.data(), other_rows.data()},
                      rows.size(), key_bits, allocator, stream);
  return last ? std::move(other_rows) : std::move(rows);
}

template <class Key>
gpu::Buffer<int32_t> sort_one_word(const RowMasks& masks, const KeyRule& rule,
                                   BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t count = masks.n_rows * rule.segments;
  gpu::Buffer<Key> keys(allocator, count, gpu::Tag::workspace);
  gpu::Buffer<int32_t> rows(allocator, count, gpu::Tag::plan);
  gpu::launch_flat(one_word_keys_kernel<Key>, masks.n_rows, stream, masks.words.data(),
                   masks.n_rows, rule, keys.data(), rows.data());
  return sort(std::move(keys), std::move(rows), rule.key_bits, context);
}

gpu::Buffer<int32_t> sort_words(const RowMasks& masks, const KeyRule& rule, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n = masks.n_rows, count = n * rule.segments;
  const int words = masks.words_per_row;
  gpu::Buffer<uint32_t> ranks(allocator, count * words, gpu::Tag::workspace);
  gpu::Buffer<uint32_t> keys(allocator, count, gpu::Tag::workspace);
  gpu::Buffer<int32_t> items(allocator, count, gpu::Tag::plan);
  gpu::launch_flat(ranks_kernel, count, stream, masks.words.data(), n, words, masks.kernel_volume,
                   rule.segments, rule.gray, ranks.data(), items.data());
  for (int word = 0; word < words; ++word) {
    const int bits = std::min(32, masks.kernel_volume - 32 * word);
    gpu::launch_flat(word_keys_kernel, count, stream, ranks.data(), count, words, word,
                     items.data(), keys.data());
    gpu::sort_pairs(keys.data(), items.data(), count, bits, allocator, stream);
  }
  if (const uint32_t digits = static_cast<uint32_t>(rule.segments) * rule.windows; digits > 1) {
    gpu::launch_flat(window_keys_kernel, count, stream, n, count, rule.window, rule.windows,
                     items.data(), keys.data());
    gpu::sort_pairs(keys.data(), items.data(), count, std::bit_width(digits - 1), allocator,
                    stream);
  }
  if (rule.segments > 1)
    gpu::launch_flat(rows_of_items_kernel, count, stream, n, count, items.data());
  return items;
}

}  // namespace

KeyRule key_rule(const RowMasks& masks, const OrderNeeds& needs) {
  if (needs.order == RowOrder::window && needs.window < 1)
    throw usage_error("window", std::to_string(needs.window) + " rows", "use 1 or more");
  check_row_count("rows of all segments", masks.n_rows * needs.segments);
  KeyRule rule;
  rule.gray = needs.order != RowOrder::plain;
  rule.segments = needs.segments;
  // One window holds all rows where there are none; n itself fits 32 bits.
  const int64_t n = std::max<int64_t>(masks.n_rows, 1);
  rule.window =
      static_cast<uint32_t>(needs.order == RowOrder::window ? std::min(needs.window, n) : n);
  rule.windows = static_cast<uint32_t>(n - 1) / rule.window + 1;
  if (masks.words_per_row != 1) return rule;
  for (int segment = 0; segment < needs.segments; ++segment) {
    const int first = segment_begin(segment, needs.segments, masks.kernel_volume);
    const int end = segment_begin(segment + 1, needs.segments, masks.kernel_volume);
    PackedBits& bits = rule.bits[segment];
    bits = nearest_first(rule.gray ? masks.kernel_size : Int3{}, masks.common_offset, first, end);
    rule.rank_bits = std::max(rule.rank_bits, bits.count);
  }
  const uint64_t digits = uint64_t{rule.windows} * static_cast<uint64_t>(rule.segments);
  rule.key_bits = std::max(1, rule.rank_bits + static_cast<int>(std::bit_width(digits - 1)));
  return rule;
}

KeyedRows empty_keys(const RowMasks& masks, const OrderNeeds& needs, BuildContext context) {
  KeyedRows keyed;
  if (needs.order == RowOrder::none) return keyed;
  keyed.rule = key_rule(masks, needs);
  if (masks.words_per_row != 1 || !keyed.rule.fits_32_bits()) return keyed;
  const int64_t count = masks.n_rows * needs.segments;
  keyed.keys = gpu::Buffer<uint32_t>(context.allocator, count, gpu::Tag::workspace);
  keyed.rows = gpu::Buffer<int32_t>(context.allocator, count, gpu::Tag::plan);
  return keyed;
}

gpu::Buffer<int32_t> build_order(const RowMasks& masks, const OrderNeeds& needs, KeyedRows keyed,
                                 BuildContext context) {
  if (needs.order == RowOrder::none) return {};
  const KeyRule rule = key_rule(masks, needs);
  if (masks.n_rows == 0) return gpu::Buffer<int32_t>(context.allocator, 0, gpu::Tag::plan);
  if (keyed.keys.size() > 0)
    return sort(std::move(keyed.keys), std::move(keyed.rows), rule.key_bits, context);
  if (masks.words_per_row > 1) return sort_words(masks, rule, context);
  return rule.fits_32_bits() ? sort_one_word<uint32_t>(masks, rule, context)
                             : sort_one_word<uint64_t>(masks, rule, context);
}

}  // namespace spb::maps
