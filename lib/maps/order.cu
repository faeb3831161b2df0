// Row orders: a stable sort by window and mask. Masks of one word make one key with the window;
// those of several are sorted word by word, the least significant first.
#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/gray.h"
#include "maps/maps.h"

namespace spb::maps {

const char* name(RowOrder order) {
  constexpr const char* kNames[] = {"none", "plain", "gray", "window"};
  return kNames[static_cast<int>(order)];
}

namespace {

GPU_KERNEL void identity_kernel(int64_t n, int32_t* order) {
  const int64_t row = gpu::global_index();
  if (row < n) order[row] = static_cast<int32_t>(row);
}

/// ranks[row, word] = the row's mask as a place in the sequence it is sorted by.
GPU_KERNEL void gray_kernel(const uint32_t* masks, int64_t n, int32_t words, uint32_t* ranks) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  GrayWords gray;
  for (int32_t word = words - 1; word >= 0; --word)
    ranks[row * words + word] = gray.next(masks[row * words + word]);
}

GPU_KERNEL void word_keys_kernel(const uint32_t* ranks, int64_t n, int32_t words, int32_t word,
                                 const int32_t* order, uint32_t* keys) {
  const int64_t position = gpu::global_index();
  if (position < n) keys[position] = ranks[int64_t{order[position]} * words + word];
}

GPU_KERNEL void window_keys_kernel(int64_t n, int64_t window, const int32_t* order,
                                   uint32_t* keys) {
  const int64_t position = gpu::global_index();
  if (position < n) keys[position] = static_cast<uint32_t>(order[position] / window);
}

/// How masks of one word become sort keys.
struct OneWord {
  bool gray;
  int32_t common;     // an offset that all masks have, or 32
  int32_t rank_bits;  // of what is left of a mask
  uint32_t window;    // rows

  __device__ uint32_t rank(uint32_t mask) const {
    const uint32_t position = gray ? gray_position(mask) : mask;
    if (common >= 32) return position;
    // With the bit above it, this one is decided for Gray; for plain it is always set.
    const uint32_t below = (uint32_t{1} << common) - 1;
    return (position >> 1 & ~below) | (position & below);
  }
};

template <class Key>
GPU_KERNEL void one_word_keys_kernel(const uint32_t* masks, int64_t n, OneWord rule, Key* keys,
                                     int32_t* order) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  order[row] = static_cast<int32_t>(row);
  keys[row] = static_cast<Key>(static_cast<uint32_t>(row) / rule.window) << rule.rank_bits |
              rule.rank(masks[row]);
}

template <class Key>
gpu::Buffer<int32_t> sort_one_word(const RowMasks& masks, const OneWord& rule, int key_bits,
                                   BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n = masks.n_rows;
  gpu::Buffer<Key> keys[] = {{allocator, n, gpu::Tag::workspace},
                             {allocator, n, gpu::Tag::workspace}};
  gpu::Buffer<int32_t> rows[] = {{allocator, n, gpu::Tag::plan}, {allocator, n, gpu::Tag::plan}};
  gpu::launch_flat(one_word_keys_kernel<Key>, n, stream, masks.words.data(), n, rule,
                   keys[0].data(), rows[0].data());
  return std::move(
      rows[gpu::sort_pairs({keys[0].data(), keys[1].data()}, {rows[0].data(), rows[1].data()}, n,
                           key_bits, allocator, stream)]);
}

gpu::Buffer<int32_t> sort_words(const RowMasks& masks, RowOrder order, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n = masks.n_rows;
  gpu::Buffer<int32_t> rows(allocator, n, gpu::Tag::plan);
  gpu::Buffer<uint32_t> gray;
  const uint32_t* ranks = masks.words.data();
  if (order != RowOrder::plain) {
    gray = gpu::Buffer<uint32_t>(allocator, masks.words.size(), gpu::Tag::workspace);
    gpu::launch_flat(gray_kernel, n, stream, masks.words.data(), n, masks.words_per_row,
                     gray.data());
    ranks = gray.data();
  }
  gpu::Buffer<uint32_t> keys(allocator, n, gpu::Tag::workspace);
  gpu::launch_flat(identity_kernel, n, stream, n, rows.data());
  for (int word = 0; word < masks.words_per_row; ++word) {
    const int bits = std::min(32, masks.kernel_volume - 32 * word);
    gpu::launch_flat(word_keys_kernel, n, stream, ranks, n, masks.words_per_row, word, rows.data(),
                     keys.data());
    gpu::sort_pairs(keys.data(), rows.data(), n, bits, allocator, stream);
  }
  return rows;
}

void sort_windows(int64_t n, uint32_t window, int window_bits, gpu::Buffer<int32_t>& rows,
                  BuildContext context) {
  auto& [allocator, stream] = context;
  gpu::Buffer<uint32_t> keys(allocator, n, gpu::Tag::workspace);
  gpu::launch_flat(window_keys_kernel, n, stream, n, int64_t{window}, rows.data(), keys.data());
  gpu::sort_pairs(keys.data(), rows.data(), n, window_bits, allocator, stream);
}

}  // namespace

gpu::Buffer<int32_t> build_order(const RowMasks& masks, RowOrder order, int64_t window,
                                 BuildContext context) {
  if (order == RowOrder::none) return {};
  if (order == RowOrder::window && window < 1)
    throw usage_error("window", std::to_string(window) + " rows", "use 1 or more");
  const int64_t n = masks.n_rows;
  if (n == 0) return gpu::Buffer<int32_t>(context.allocator, 0, gpu::Tag::plan);
  // One window holds all rows where there are none; n itself fits 32 bits.
  const auto rows_per_window =
      static_cast<uint32_t>(order == RowOrder::window ? std::min(window, n) : n);
  const int window_bits = std::bit_width(static_cast<uint32_t>(n - 1) / rows_per_window);
  if (masks.words_per_row == 1) {
    const bool drops_common = masks.common_offset >= 0;
    const OneWord rule{order != RowOrder::plain, drops_common ? masks.common_offset : 32,
                       masks.kernel_volume - drops_common, rows_per_window};
    const int key_bits = std::max(1, rule.rank_bits + window_bits);
    // A rank of 32 bits leaves a 32-bit key nothing to shift the window into, not even by 32.
    return key_bits <= 32 && rule.rank_bits < 32
               ? sort_one_word<uint32_t>(masks, rule, key_bits, context)
               : sort_one_word<uint64_t>(masks, rule, key_bits, context);
  }
  gpu::Buffer<int32_t> rows = sort_words(masks, order, context);
  if (window_bits > 0) sort_windows(n, rows_per_window, window_bits, rows, context);
  return rows;
}

}  // namespace spb::maps
