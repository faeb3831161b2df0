// SPDX-License-Identifier: Apache-2.0
// What kernels on matrix cores do with a stage of LDS: chunks for it, and its products.
#pragma once

#include "gpu/mma/matrix_cores.cuh"
#include "kernels/matrix_cores/places.h"

namespace spb::plans {

using gpu::MatrixChunk;

__device__ __forceinline__ uint32_t word_of(float value) {
  return gpu::vendor::bit_cast<uint32_t>(value);
}
__device__ __forceinline__ uint32_t word_of(uint16_t value) { return value; }
__device__ __forceinline__ uint32_t word_of(int8_t value) { return static_cast<uint8_t>(value); }

/// A chunk of the first `present` elements, `step` apart, and zeros. Whole: present is 0 or all of
/// them, which begin at a multiple of 16 bytes.
template <bool Whole, class Storage>
__device__ __forceinline__ MatrixChunk load_chunk(const Storage* from, int64_t step, int present) {
  MatrixChunk chunk = {};
  if constexpr (Whole) {
    if (present > 0) chunk = *reinterpret_cast<const MatrixChunk*>(from);
  } else {
    constexpr int kPerChunk = 16 / static_cast<int>(sizeof(Storage)), kPerWord = kPerChunk / 4;
    GPU_UNROLL
    for (int i = 0; i < kPerChunk; ++i)
      if (i < present)
        chunk[i / kPerWord] |= word_of(from[i * step]) << (i % kPerWord * (32 / kPerWord));
  }
  return chunk;
}

/// As instructions are to see it: xf32 would cut off what tf32 rounds to nearest.
template <class E>
__device__ __forceinline__ MatrixChunk rounded_chunk(MatrixChunk chunk) {
  if constexpr (E::dtype == Dtype::tf32) {
    GPU_UNROLL
    for (int w = 0; w < 4; ++w) chunk[w] = word_of(E::load(gpu::vendor::bit_cast<float>(chunk[w])));
  }
  return chunk;
}

template <class Parts>
__device__ __forceinline__ void clear_sums(typename Parts::Accumulators& accumulators) {
  GPU_UNROLL
  for (int i = 0; i < Parts::kTilesM; ++i) {
    GPU_UNROLL
    for (int j = 0; j < Parts::kTilesN; ++j) {
      GPU_UNROLL
      for (int r = 0; r < Parts::Atom::kSums; ++r) accumulators.sum[i][j][r] = 0;
    }
  }
}

/// sums += what the fragments feed the Part-th instruction, and those behind it.
template <class Parts, int Part, int Reads>
__device__ __forceinline__ void multiply_fragments(typename Parts::Accumulators& accumulators,
                                                   const MatrixChunk (&a)[Parts::kTilesM][Reads],
                                                   const MatrixChunk (&b)[Parts::kTilesN][Reads]) {
  using Atom = typename Parts::Atom;
  if constexpr (Part < Parts::kPlaces.parts()) {
    GPU_UNROLL
    for (int i = 0; i < Parts::kTilesM; ++i) {
      GPU_UNROLL
      for (int j = 0; j < Parts::kTilesN; ++j)
        Atom::multiply(accumulators.sum[i][j], Atom::template operand<Part>(a[i]),
                       Atom::template operand<Part>(b[j]));
    }
    multiply_fragments<Parts, Part + 1>(accumulators, a, b);
  }
}

/// sums += the stage's A * B.
template <class Parts>
__device__ __forceinline__ void multiply_stage(typename Parts::Accumulators& accumulators,
                                               const MatrixChunk* stage, int thread) {
  constexpr MatrixPlaces kPlaces = Parts::kPlaces;
  constexpr int kReads = kPlaces.reads();
  GPU_UNROLL
  for (int slice = 0; slice < kPlaces.slices(); ++slice) {
    MatrixChunk a[Parts::kTilesM][kReads], b[Parts::kTilesN][kReads];
    GPU_UNROLL
    for (int read = 0; read < kReads; ++read) {
      GPU_UNROLL
      for (int i = 0; i < Parts::kTilesM; ++i)
        a[i][read] = stage[kPlaces.read_a(thread, i, slice, read)];
      GPU_UNROLL
      for (int j = 0; j < Parts::kTilesN; ++j)
        b[j][read] = stage[kPlaces.read_b(thread, j, slice, read)];
    }
    multiply_fragments<Parts, 0>(accumulators, a, b);
  }
}

}  // namespace spb::plans
