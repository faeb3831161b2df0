// SPDX-License-Identifier: Apache-2.0
// Four lanes hold a row's columns in pairs, as wgmma leaves them: lane l columns 2 l and 2 l + 1 of
// each 8. To load and store 16 bytes each they trade. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::plans {

/// The thread's among the four lanes of a row.
__device__ inline int lane_of_row() { return static_cast<int>(threadIdx.x) % 4; }

/// Word j of lane i goes to word i of lane j.
__device__ inline uint4 traded_words(const uint4& own) {
  const bool odd = lane_of_row() & 1, high = lane_of_row() & 2;
  const uint32_t from0 = __shfl_xor_sync(~0u, odd ? own.x : own.y, 1);
  const uint32_t from1 = __shfl_xor_sync(~0u, odd ? own.z : own.w, 1);
  const uint32_t a0 = odd ? from0 : own.x, a1 = odd ? own.y : from0;
  const uint32_t a2 = odd ? from1 : own.z, a3 = odd ? own.w : from1;
  const uint32_t b0 = __shfl_xor_sync(~0u, high ? a0 : a2, 2);
  const uint32_t b1 = __shfl_xor_sync(~0u, high ? a1 : a3, 2);
  return high ? make_uint4(b0, b1, a2, a3) : make_uint4(a0, a1, b0, b1);
}

__device__ inline uint32_t low_halves(uint32_t a, uint32_t b) { return __byte_perm(a, b, 0x5410); }
__device__ inline uint32_t high_halves(uint32_t a, uint32_t b) { return __byte_perm(a, b, 0x7632); }

/// The thread's pairs of two times 8 columns of 4 bytes. `inside`: whether there is a row.
template <class Four, class T>
__device__ Four load_traded(const T* row, int columns, bool inside, int column0) {
  const bool odd = lane_of_row() & 1;
  const int at = column0 + odd * 8 + lane_of_row() / 2 * 4;
  Four four{};
  if (inside && at < columns) four = __ldcg(reinterpret_cast<const Four*>(row + at));
  const T x = __shfl_xor_sync(~0u, odd ? four.x : four.z, 1);
  const T y = __shfl_xor_sync(~0u, odd ? four.y : four.w, 1);
  return odd ? Four{x, y, four.z, four.w} : Four{four.x, four.y, x, y};
}

/// Columns that four lanes trade at a time, of bytes.
inline constexpr int kTradedBytes = 64;

/// The thread's pairs of kTradedBytes columns: pair i is of the i-th 8. E: as they are stored.
template <class E>
struct TradedPairs;

template <>
struct TradedPairs<gpu::F32> {
  float4 four[kTradedBytes / 16];
  __device__ void load(const float* row, int columns, bool inside, int column0) {
#pragma unroll
    for (int i = 0; i < kTradedBytes / 16; ++i)
      four[i] = load_traded<float4>(row, columns, inside, column0 + i * 16);
  }
  __device__ float2 pair(int i) const {
    return i % 2 ? float2{four[i / 2].z, four[i / 2].w} : float2{four[i / 2].x, four[i / 2].y};
  }
};

/// Of bytes, two pairs in a word.
struct TradedBytes {
  uint4 words;
  template <class Byte>
  __device__ void load(const Byte* row, int columns, bool inside, int column0) {
    const int at = column0 + lane_of_row() * 16;
    uint4 bytes{};
    if (inside && at < columns) bytes = __ldcg(reinterpret_cast<const uint4*>(row + at));
    words = traded_words({low_halves(bytes.x, bytes.z), high_halves(bytes.x, bytes.z),
                          low_halves(bytes.y, bytes.w), high_halves(bytes.y, bytes.w)});
  }
  /// In the low half.
  __device__ uint32_t two(int i) const {
    const uint32_t word = i < 2 ? words.x : i < 4 ? words.y : i < 6 ? words.z : words.w;
    return word >> i % 2 * 16;
  }
};

template <>
struct TradedPairs<gpu::I8> : TradedBytes {
  __device__ float2 pair(int i) const {
    const uint32_t two = this->two(i);
    return {static_cast<float>(static_cast<int8_t>(two & 0xFF)),
            static_cast<float>(static_cast<int8_t>(two >> 8 & 0xFF))};
  }
};

template <>
struct TradedPairs<gpu::E4M3> : TradedBytes {
  __device__ float2 pair(int i) const {
    return gpu::sm90::unpacked_e4m3(static_cast<uint16_t>(two(i)));
  }
};

/// Of 16 bits, a pair in a word.
template <class E>
struct TradedHalves {
  uint4 words[kTradedBytes / 32];
  __device__ void load(const uint16_t* row, int columns, bool inside, int column0) {
#pragma unroll
    for (int i = 0; i < kTradedBytes / 32; ++i) {
      const int at = column0 + i * 32 + lane_of_row() * 8;
      uint4 halves{};
      if (inside && at < columns) halves = __ldcg(reinterpret_cast<const uint4*>(row + at));
      words[i] = traded_words(halves);
    }
  }
  __device__ float2 pair(int i) const {
    const uint4& four = words[i / 4];
    const uint32_t word = i % 4 == 0 ? four.x : i % 4 == 1 ? four.y : i % 4 == 2 ? four.z : four.w;
    return {E::load(static_cast<uint16_t>(word & 0xFFFF)),
            E::load(static_cast<uint16_t>(word >> 16))};
  }
};
template <>
struct TradedPairs<gpu::F16> : TradedHalves<gpu::F16> {};
template <>
struct TradedPairs<gpu::BF16> : TradedHalves<gpu::BF16> {};

}  // namespace spb::plans
