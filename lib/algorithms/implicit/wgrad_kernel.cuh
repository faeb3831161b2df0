// The tile of wgrad: output channels by input channels of one offset, summed over its pairs.
#pragma once

#include "algorithms/implicit/slice.h"
#include "algorithms/implicit/wgrad_pass.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::plans {

struct PairRows {
  int64_t in, out;  // in < 0: absent
};

/// Every output row, paired or not.
struct AllRows {
  const int32_t* map;
  int64_t n_out;
  int kernel_volume;
  __device__ int64_t begin(int) const { return 0; }
  __device__ int64_t size(int) const { return n_out; }
  __device__ PairRows operator()(int offset, int64_t i) const {
    return {map[i * kernel_volume + offset], i};
  }
};

/// The pairs a kernel map lists.
struct ListedPairs {
  const int32_t* in_index;
  const int32_t* out_index;
  const int64_t* offset_begin;
  __device__ int64_t begin(int offset) const { return offset_begin[offset]; }
  __device__ int64_t size(int offset) const {
    return offset_begin[offset + 1] - offset_begin[offset];
  }
  __device__ PairRows operator()(int, int64_t i) const { return {in_index[i], out_index[i]}; }
};

/// Channels [c0, c0 + count) of `row` as set(0), set(1), ...; zeros past the row's end and for an
/// absent (null) row.
template <class E, class Set>
__device__ void load_channels(const typename E::Storage* row, int c0, int channels, int count,
                              Set set) {
  const int left = channels - c0;
  const int present = !row || left < 0 ? 0 : left < count ? left : count;
  for (int i = 0; i < present; ++i) set(i, E::load(row[c0 + i]));
  for (int i = present; i < count; ++i) set(i, 0.f);
}

/// Grid: x = (offset, c_out tile, c_in tile), c_in fastest; y = slices of the offset's pairs.
template <class E, class Mma, class Pairs>
GPU_KERNEL void wgrad_kernel(WgradPass pass, Pairs pairs) {
  constexpr int kParts = Mma::kThreads / Mma::kTileK;  // threads that share one pair's channels
  static_assert(Mma::kThreads % Mma::kTileK == 0);
  constexpr int kPartM = Mma::kTileM / kParts, kPartN = Mma::kTileN / kParts;
  using Storage = typename E::Storage;
  __shared__ typename Mma::Stage stages[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int tiles_m = (pass.c_out + Mma::kTileM - 1) / Mma::kTileM;
  const int tiles_n = (pass.c_in + Mma::kTileN - 1) / Mma::kTileN;
  const int block = static_cast<int>(blockIdx.x);
  const int offset = block / tiles_n / tiles_m;
  const int co0 = block / tiles_n % tiles_m * Mma::kTileM, ci0 = block % tiles_n * Mma::kTileN;
  const int slice = static_cast<int>(blockIdx.y);

  const int64_t first = pairs.begin(offset), size = pairs.size(offset);
  const int64_t end = first + slice_begin(slice + 1, pass.split, size);
  const int k = thread % Mma::kTileK, part = thread / Mma::kTileK;
  const int m0 = part * kPartM, n0 = part * kPartN;

  typename Mma::Sums sums;
  Mma::clear(sums);
  int turn = 0;
  for (int64_t i = first + slice_begin(slice, pass.split, size); i < end; i += Mma::kTileK) {
    const int depth = end - i < Mma::kTileK ? static_cast<int>(end - i) : Mma::kTileK;
    const int filled = (depth + Mma::kDepthStep - 1) / Mma::kDepthStep * Mma::kDepthStep;
    typename Mma::Stage& stage = stages[turn];
    turn ^= 1;
    if (k < filled) {
      const PairRows pair = k < depth ? pairs(offset, i + k) : PairRows{-1, -1};
      const Storage* in = nullptr;
      const Storage* gout = nullptr;
      if (pair.in >= 0) {
        in = static_cast<const Storage*>(pass.in) + pair.in * pass.c_in;
        gout = static_cast<const Storage*>(pass.gout) + pair.out * pass.c_out;
      }
      load_channels<E>(gout, co0 + m0, pass.c_out, kPartM,
                       [&](int m, float value) { stage.set_a(m0 + m, k, value); });
      load_channels<E>(in, ci0 + n0, pass.c_in, kPartN,
                       [&](int n, float value) { stage.set_b(k, n0 + n, value); });
    }
    gpu::sync_threads();
    Mma::multiply(sums, stage, thread, filled);
  }

  const int64_t slice_pitch = int64_t{pass.c_out} * pass.kernel_volume * pass.c_in;
  for (int r = 0; r < Mma::kRows; ++r) {
    const int co = co0 + Mma::row(thread, r);
    if (co >= pass.c_out) continue;
    for (int c = 0; c < Mma::kColumns; ++c) {
      const int ci = ci0 + Mma::column(thread, c);
      if (ci >= pass.c_in) continue;
      const int64_t at = (int64_t{co} * pass.kernel_volume + offset) * pass.c_in + ci;
      if (pass.slices)
        pass.slices[slice * slice_pitch + at] = sums.sum[r][c];
      else
        static_cast<Storage*>(pass.gw)[at] = E::store(sums.sum[r][c]);
    }
  }
}

}  // namespace spb::plans
