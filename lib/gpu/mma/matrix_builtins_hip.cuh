// SPDX-License-Identifier: Apache-2.0
// Instructions of AMD's matrix cores as clang names them (its BuiltinsAMDGPU.def). HIP only; each
// exists where the chip does, which is known to the compilation for a device alone.
#pragma once

#include <cstdint>

#include "gpu/mma/lane_tables.h"
#include "gpu/runtime.h"

namespace spb::gpu::vendor {

#if defined(__gfx90a__)
#define SPB_HAS_MFMA_CDNA2 1
#else
#define SPB_HAS_MFMA_CDNA2 0
#endif
#if defined(__gfx942__)
#define SPB_HAS_MFMA_CDNA3 1
#else
#define SPB_HAS_MFMA_CDNA3 0
#endif
#define SPB_HAS_MFMA (SPB_HAS_MFMA_CDNA2 || SPB_HAS_MFMA_CDNA3)
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

/// Whether code for the chip that is compiled has these cores.
template <MatrixCores Cores>
inline constexpr bool kHasMatrixCores = Cores == MatrixCores::cdna    ? SPB_HAS_MFMA
                                        : Cores == MatrixCores::cdna2 ? SPB_HAS_MFMA_CDNA2
                                        : Cores == MatrixCores::cdna3 ? SPB_HAS_MFMA_CDNA3
                                        : Cores == MatrixCores::gfx11 ? SPB_HAS_WMMA_GFX11
                                        : Cores == MatrixCores::gfx12 ? SPB_HAS_WMMA_GFX12
                                                                      : 0;

/// As vectors of another element: no instruction, and no memory, which copies would be for
/// clang 15.
template <class Element, class Operand>
__device__ __forceinline__ auto as_elements(const Operand& operand) {
  constexpr int kCount = sizeof(Operand) / sizeof(Element);
  return __builtin_bit_cast(Vector<Element, kCount>, operand);
}

/// The words First to First + Count - 1 of chunks, four words each.
template <int First, int Count, int Chunks>
__device__ __forceinline__ auto words_of(const Vector<uint32_t, 4> (&chunks)[Chunks]) {
  constexpr int kIn = First / 4, kAt = First % 4;
  if constexpr (Count == 1)
    return Vector<uint32_t, 1>{chunks[kIn][kAt]};
  else if constexpr (Count == 2)
    return __builtin_shufflevector(chunks[kIn], chunks[kIn], kAt, kAt + 1);
  else if constexpr (Count == 4)
    return chunks[kIn];
  else
    return __builtin_shufflevector(chunks[kIn], chunks[kIn + 1], 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Bytes as the four of a word.
template <class Operand>
__device__ __forceinline__ auto as_words(const Operand& operand) {
  return as_elements<int>(operand);
}

/// sums += a * b by the builtin of these cores, dtype and size.
template <MatrixCores Cores, Dtype D, int Size, class Sums, class Operand>
__device__ __forceinline__ void multiply_by_builtin([[maybe_unused]] Sums& sums,
                                                    [[maybe_unused]] const Operand& a,
                                                    [[maybe_unused]] const Operand& b) {
  // Of WMMA's integers: both operands have signs, and sums are not clamped.
  [[maybe_unused]] constexpr bool kSigned = true, kWraps = false;
#if SPB_HAS_MFMA
  if constexpr (Cores == MatrixCores::cdna && D == Dtype::f16) {
    const auto x = as_elements<_Float16>(a), y = as_elements<_Float16>(b);
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sums, 0, 0, 0);
  } else if constexpr (Cores == MatrixCores::cdna && D == Dtype::bf16) {
    const auto x = as_elements<short>(a), y = as_elements<short>(b);
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, sums, 0, 0, 0);
  } else if constexpr (Cores == MatrixCores::cdna) {
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_f32_16x16x4f32(a[0], b[0], sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_f32_32x32x2f32(a[0], b[0], sums, 0, 0, 0);
  }
#endif
#if SPB_HAS_MFMA_CDNA2
  if constexpr (Cores == MatrixCores::cdna2) {
    const int x = as_words(a)[0], y = as_words(b)[0];
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_i32_16x16x16i8(x, y, sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_i32_32x32x8i8(x, y, sums, 0, 0, 0);
  }
#elif SPB_HAS_MFMA_CDNA3
  if constexpr (Cores == MatrixCores::cdna3 && D == Dtype::tf32) {
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_f32_16x16x8_xf32(a, b, sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_f32_32x32x4_xf32(a, b, sums, 0, 0, 0);
  } else if constexpr (Cores == MatrixCores::cdna3) {
    const long x = __builtin_bit_cast(long, a), y = __builtin_bit_cast(long, b);
    if constexpr (Size == 16)
      sums = __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, sums, 0, 0, 0);
    else
      sums = __builtin_amdgcn_mfma_i32_32x32x16_i8(x, y, sums, 0, 0, 0);
  }
#elif SPB_HAS_WMMA_GFX11
  if constexpr (Cores == MatrixCores::gfx11 && D == Dtype::f16)
    sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(as_elements<_Float16>(a),
                                                      as_elements<_Float16>(b), sums);
  else if constexpr (Cores == MatrixCores::gfx11 && D == Dtype::bf16)
    sums = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(as_elements<short>(a), as_elements<short>(b),
                                                       sums);
  else if constexpr (Cores == MatrixCores::gfx11)
    sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(kSigned, as_words(a), kSigned, as_words(b),
                                                      sums, kWraps);
#elif SPB_HAS_WMMA_GFX12
  if constexpr (Cores == MatrixCores::gfx12 && D == Dtype::f16)
    sums = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(as_elements<_Float16>(a),
                                                            as_elements<_Float16>(b), sums);
  else if constexpr (Cores == MatrixCores::gfx12 && D == Dtype::bf16)
    sums = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(as_elements<short>(a),
                                                             as_elements<short>(b), sums);
  else if constexpr (Cores == MatrixCores::gfx12)
    sums = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(kSigned, as_words(a), kSigned,
                                                            as_words(b), sums, kWraps);
#endif
}

}  // namespace spb::gpu::vendor
