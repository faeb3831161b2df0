// Row orders: a stable sort by words of the key, the least significant first.
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

}  // namespace

gpu::Buffer<int32_t> build_order(const RowMasks& masks, RowOrder order, int64_t window,
                                 BuildContext context) {
  auto& [allocator, stream] = context;
  if (order == RowOrder::none) return {};
  if (order == RowOrder::window && window < 1)
    throw usage_error("window", std::to_string(window) + " rows", "use 1 or more");
  const int64_t n = masks.n_rows;
  gpu::Buffer<int32_t> rows(allocator, n, gpu::Tag::plan);
  if (n == 0) return rows;

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
  if (const auto last = static_cast<uint64_t>((n - 1) / std::max(window, int64_t{1}));
      order == RowOrder::window && last > 0) {
    gpu::launch_flat(window_keys_kernel, n, stream, n, window, rows.data(), keys.data());
    const auto bits = static_cast<int>(std::bit_width(last));
    gpu::sort_pairs(keys.data(), rows.data(), n, bits, allocator, stream);
  }
  stream.synchronize();  // keys and ranks are freed on return
  return rows;
}

}  // namespace spb::maps
