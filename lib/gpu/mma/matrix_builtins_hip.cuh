// SPDX-License-Identifier: Apache-2.0
// Instructions of AMD's matrix cores as clang names them (its BuiltinsAMDGPU.def). HIP only; each
// exists where the chip does, which is known to the compilation for a device alone.
#pragma once

#include <cstdint>
#include <cstring>

#include "gpu/mma/lane_tables.h"
#include "gpu/runtime.h"

namespace spb::gpu::vendor {

#if defined(__gfx90a__) || defined(__gfx942__)
#define SPB_HAS_MFMA 1
#else
#define SPB_HAS_MFMA 0
#endif
#if defined(__GFX11__)
#define SPB_HAS_WMMA_GFX11 1
#else
#define SPB_HAS_WMMA_GFX11 0
#endif
#if defined(__GFX12__)
#define SPB_HAS_WMMA_GFX12 1
#else
#define SPB_HAS_WMMA_GFX12 0
#endif

template <class T, int Count>
using Vector = T __attribute__((ext_vector_type(Count)));

/// Arrays of kernels as the vectors that builtins take, and back: no instruction.
template <class V, class T>
__device__ __forceinline__ V as_vector(const T& array) {
  static_assert(sizeof(V) == sizeof(T));
  V vector;
  memcpy(&vector, &array, sizeof vector);
  return vector;
}

/// sums += a * b; builtin(a, b, sums) of vectors of Element, and of floats.
template <class Element, int Elements, int Sums, class Storage, class Builtin>
__device__ __forceinline__ void call_builtin(float (&sums)[Sums], const Storage (&a)[Elements],
                                             const Storage (&b)[Elements], Builtin builtin) {
  using Operand = Vector<Element, Elements>;
  const Vector<float, Sums> d = builtin(as_vector<Operand>(a), as_vector<Operand>(b),
                                        as_vector<Vector<float, Sums>>(sums));
  memcpy(&sums, &d, sizeof d);
}

/// Whether code for the chip that is compiled has these cores.
template <MatrixCores Cores>
inline constexpr bool kHasMatrixCores = Cores == MatrixCores::cdna    ? SPB_HAS_MFMA
                                        : Cores == MatrixCores::gfx11 ? SPB_HAS_WMMA_GFX11
                                                                      : SPB_HAS_WMMA_GFX12;

// The builtin that adds a product of these cores, dtype and size.
template <MatrixCores Cores, Dtype D, int Size, int Sums, class Storage, int Elements>
__device__ __forceinline__ void multiply_by_builtin([[maybe_unused]] float (&sums)[Sums],
                                                    [[maybe_unused]] const Storage (&a)[Elements],
                                                    [[maybe_unused]] const Storage (&b)[Elements]) {
#if SPB_HAS_MFMA
  if constexpr (Cores == MatrixCores::cdna) {
    if constexpr (D == Dtype::f16)
      call_builtin<_Float16>(sums, a, b, [](auto x, auto y, auto c) {
        if constexpr (Size == 16)
          return __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, c, 0, 0, 0);
        else
          return __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, c, 0, 0, 0);
      });
    else if constexpr (D == Dtype::bf16)
      call_builtin<short>(sums, a, b, [](auto x, auto y, auto c) {
        if constexpr (Size == 16)
          return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, c, 0, 0, 0);
        else
          return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, c, 0, 0, 0);
      });
    else
      call_builtin<float>(sums, a, b, [](auto x, auto y, auto c) {
        if constexpr (Size == 16)
          return __builtin_amdgcn_mfma_f32_16x16x4f32(x.x, y.x, c, 0, 0, 0);
        else
          return __builtin_amdgcn_mfma_f32_32x32x2f32(x.x, y.x, c, 0, 0, 0);
      });
  }
#elif SPB_HAS_WMMA_GFX11
  if constexpr (Cores == MatrixCores::gfx11) {
    if constexpr (D == Dtype::f16)
      call_builtin<_Float16>(sums, a, b, [](auto x, auto y, auto c) {
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, c);
      });
    else
      call_builtin<short>(sums, a, b, [](auto x, auto y, auto c) {
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x, y, c);
      });
  }
#elif SPB_HAS_WMMA_GFX12
  if constexpr (Cores == MatrixCores::gfx12) {
    if constexpr (D == Dtype::f16)
      call_builtin<_Float16>(sums, a, b, [](auto x, auto y, auto c) {
        return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x, y, c);
      });
    else
      call_builtin<short>(sums, a, b, [](auto x, auto y, auto c) {
        return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(x, y, c);
      });
  }
#endif
}

}  // namespace spb::gpu::vendor
