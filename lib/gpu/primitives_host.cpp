// SPDX-License-Identifier: Apache-2.0
// A least-significant-digit radix sort, and the standard library.
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "gpu/buffer.h"
#include "gpu/primitives.h"

namespace spb::gpu {
namespace {

constexpr int kDigitBits = 11;  // counters fit in the first cache
constexpr size_t kDigits = size_t{1} << kDigitBits;

struct NoValue {};

/// Returns the index of the buffers that hold the result.
template <class Key, class Value>
int sort(Key* const (&keys)[2], Value* const (&values)[2], int64_t n, int key_bits) {
  if (n <= 1) return 0;
  constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  Key *from = keys[0], *to = keys[1];
  Value *from_values = values[0], *to_values = values[1];
  for (int shift = 0; shift < key_bits; shift += kDigitBits) {
    const int bits = std::min(kDigitBits, key_bits - shift);
    const Key mask = static_cast<Key>((Key{1} << bits) - 1);
    std::array<int64_t, kDigits> begin{};
    for (int64_t i = 0; i < n; ++i) ++begin[from[i] >> shift & mask];
    if (begin[from[0] >> shift & mask] == n) continue;  // all alike: nothing moves
    std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), int64_t{0});
    for (int64_t i = 0; i < n; ++i) {
      const int64_t target = begin[from[i] >> shift & mask]++;
      to[target] = from[i];
      if constexpr (has_values) to_values[target] = from_values[i];
    }
    std::swap(from, to);
    std::swap(from_values, to_values);
  }
  return from == keys[1];
}

template <class Key, class Value>
void sort_in_place(Key* keys, Value* values, int64_t n, int key_bits, Allocator& allocator) {
  constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  Buffer<Key> other_keys(allocator, n, Tag::workspace);
  Buffer<Value> other_values(allocator, has_values ? n : 0, Tag::workspace);
  if (!sort<Key, Value>({keys, other_keys.data()}, {values, other_values.data()}, n, key_bits))
    return;
  std::copy_n(other_keys.data(), n, keys);
  if constexpr (has_values) std::copy_n(other_values.data(), n, values);
}

}  // namespace

void sort_pairs(uint32_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream&) {
  sort_in_place(keys, values, n, key_bits, allocator);
}

void sort_pairs(uint64_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream&) {
  sort_in_place(keys, values, n, key_bits, allocator);
}

int sort_pairs(uint32_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator&, const Stream&) {
  return sort(keys, values, n, key_bits);
}

int sort_pairs(uint64_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator&, const Stream&) {
  return sort(keys, values, n, key_bits);
}

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator, const Stream&) {
  sort_in_place<uint64_t, NoValue>(keys, nullptr, n, key_bits, allocator);
}

void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator&, const Stream&) {
  std::exclusive_scan(in, in + n, out, int64_t{0});
}

}  // namespace spb::gpu
