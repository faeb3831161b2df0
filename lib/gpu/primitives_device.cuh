// SPDX-License-Identifier: Apache-2.0
// The functions of primitives.h over a vendor's library, which primitives_<vendor>.cu names.
// Each call is made twice: without memory it tells the bytes it needs, with them it works.
#pragma once

#include <utility>

#include "gpu/buffer.h"
#include "gpu/check.h"
#include "gpu/primitives.h"
#include "gpu/stream_handle.h"

namespace spb::gpu {

/// `call(scratch, bytes)` is a library function with the rest of its arguments bound. The scratch
/// is released while it runs: what takes it next stands behind it in the stream.
template <class Call>
void with_scratch(const char* what, Allocator& allocator, Call call) {
  size_t bytes = 0;
  check(call(nullptr, bytes), what);
  Buffer<char> scratch(allocator, static_cast<int64_t>(bytes), Tag::workspace);
  check(call(scratch.data(), bytes), what);
}

template <class T>
void copy_on_device(T* to, const T* from, int64_t n, const Stream& stream) {
  if (to == from) return;
  check(gpuMemcpyAsync(to, from, static_cast<size_t>(n) * sizeof(T), gpuMemcpyDeviceToDevice,
                       handle_of(stream)),
        "copy on the device");
}

/// `Library` has the static functions sort_pairs, sort_keys and exclusive_scan, and the template
/// DoubleBuffer<T>(current, other) with current().
template <class Library, class Key>
int sort_pairs_with(Key* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
                    Allocator& allocator, const Stream& stream) {
  if (n == 0) return 0;
  typename Library::template DoubleBuffer<Key> both_keys(keys[0], keys[1]);
  typename Library::template DoubleBuffer<int32_t> both_values(values[0], values[1]);
  with_scratch("sort pairs", allocator, [&](void* scratch, size_t& bytes) {
    return Library::sort_pairs(scratch, bytes, both_keys, both_values, n, key_bits,
                               handle_of(stream));
  });
  return Library::current(both_keys) == keys[1];
}

template <class Library, class Key>
void sort_pairs_with(Key* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                     const Stream& stream) {
  Buffer<Key> other_keys(allocator, n, Tag::workspace);
  Buffer<int32_t> other_values(allocator, n, Tag::workspace);
  if (sort_pairs_with<Library, Key>({keys, other_keys.data()}, {values, other_values.data()}, n,
                                    key_bits, allocator, stream)) {
    copy_on_device(keys, other_keys.data(), n, stream);
    copy_on_device(values, other_values.data(), n, stream);
  }
}

template <class Library>
void sort_keys_with(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator,
                    const Stream& stream) {
  if (n == 0) return;
  Buffer<uint64_t> other(allocator, n, Tag::workspace);
  typename Library::template DoubleBuffer<uint64_t> both(keys, other.data());
  with_scratch("sort keys", allocator, [&](void* scratch, size_t& bytes) {
    return Library::sort_keys(scratch, bytes, both, n, key_bits, handle_of(stream));
  });
  copy_on_device(keys, Library::current(both), n, stream);
}

template <class Library>
void exclusive_scan_with(const int64_t* in, int64_t* out, int64_t n, Allocator& allocator,
                         const Stream& stream) {
  if (n == 0) return;
  with_scratch("scan", allocator, [&](void* scratch, size_t& bytes) {
    return Library::exclusive_scan(scratch, bytes, in, out, n, handle_of(stream));
  });
}

}  // namespace spb::gpu
