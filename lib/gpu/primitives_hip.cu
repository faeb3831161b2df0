// SPDX-License-Identifier: Apache-2.0
// rocPRIM. Its headers cost seconds of compilation and stand in this file only.
#include <hip/hip_runtime.h>
// That of ROCm 5 sends values by broadcasts among lanes which gfx10 and newer chips have no more,
// and knows no chip beyond gfx10.
#if defined(__GFX11__) || defined(__GFX12__)
#define ROCPRIM_DISABLE_DPP
#define ROCPRIM_DETAIL_USE_DPP false  // which it then forgets
#endif
#include <rocprim/device/device_radix_sort.hpp>
#include <rocprim/device/device_scan.hpp>

#include "gpu/primitives_device.cuh"

namespace spb::gpu {
namespace {

struct RocPrim {
  template <class T>
  using DoubleBuffer = rocprim::double_buffer<T>;
  template <class T>
  static T* current(DoubleBuffer<T>& both) {
    return both.current();
  }
  template <class Key>
  static gpuError_t sort_pairs(void* scratch, size_t& bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<int32_t>& values, int64_t n, int key_bits,
                               gpuStream_t stream) {
    return rocprim::radix_sort_pairs(scratch, bytes, keys, values, static_cast<size_t>(n), 0u,
                                     static_cast<unsigned>(key_bits), stream);
  }
  static gpuError_t sort_keys(void* scratch, size_t& bytes, DoubleBuffer<uint64_t>& keys, int64_t n,
                              int key_bits, gpuStream_t stream) {
    return rocprim::radix_sort_keys(scratch, bytes, keys, static_cast<size_t>(n), 0u,
                                    static_cast<unsigned>(key_bits), stream);
  }
  static gpuError_t exclusive_scan(void* scratch, size_t& bytes, const int64_t* in, int64_t* out,
                                   int64_t n, gpuStream_t stream) {
    return rocprim::exclusive_scan(scratch, bytes, in, out, int64_t{0}, static_cast<size_t>(n),
                                   rocprim::plus<int64_t>(), stream);
  }
};

}  // namespace

void sort_pairs(uint32_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream) {
  sort_pairs_with<RocPrim>(keys, values, n, key_bits, allocator, stream);
}

void sort_pairs(uint64_t* keys, int32_t* values, int64_t n, int key_bits, Allocator& allocator,
                const Stream& stream) {
  sort_pairs_with<RocPrim>(keys, values, n, key_bits, allocator, stream);
}

int sort_pairs(uint32_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream) {
  return sort_pairs_with<RocPrim>(keys, values, n, key_bits, allocator, stream);
}

int sort_pairs(uint64_t* const (&keys)[2], int32_t* const (&values)[2], int64_t n, int key_bits,
               Allocator& allocator, const Stream& stream) {
  return sort_pairs_with<RocPrim>(keys, values, n, key_bits, allocator, stream);
}

void sort_keys(uint64_t* keys, int64_t n, int key_bits, Allocator& allocator,
               const Stream& stream) {
  sort_keys_with<RocPrim>(keys, n, key_bits, allocator, stream);
}

void exclusive_scan(const int64_t* in, int64_t* out, int64_t n, Allocator& allocator,
                    const Stream& stream) {
  exclusive_scan_with<RocPrim>(in, out, n, allocator, stream);
}

}  // namespace spb::gpu
