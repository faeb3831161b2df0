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

template <class Key, class Value>
void sort(Key* keys, Value* values, int64_t n, int key_bits, Allocator& allocator) {
  if (n <= 1) return;
  constexpr bool has_values = !std::is_same_v<Value, NoValue>;
  Buffer<Key> other_keys(allocator, n, Tag::workspace);
  Buffer<Value> other_values(allocator, has_values ? n : 0, Tag::workspace);
  Key *from = keys, *to = other_keys.data();
  Value *from_values = values, *to_values = other_values.data();
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
  if (from == keys) return;
  std::copy(from, from + n, keys);
  if constexpr (has_values) std::copy(from_values, from_values + n, values);
}

}  // namespace

void sort_pairs(uint32_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream&) {
  sort(keys, values, n, key_bits, allocator);
}

void sort_pairs(uint64_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream&) {
  sort(keys, values, n, key_bits, allocator);
}

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator, const Stream&) {
  sort<uint64_t, NoValue>(keys, nullptr, n, key_bits, allocator);
}

void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator&, const Stream&) {
  std::exclusive_scan(in, in + n, out, int64_t{0});
}

int64_t reduce_sum(const int64_t* in, int64_t n, Allocator&, const Stream&) {
  return std::accumulate(in, in + n, int64_t{0});
}

}  // namespace spb::gpu
