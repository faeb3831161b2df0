// SPDX-License-Identifier: Apache-2.0
// Instructions of NVIDIA GPUs from sm_80 on: asynchronous copies into shared memory, matrix loads
// from it, and the tensor cores. CUDA only.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"
#include "gpu/runtime.h"

namespace spb::gpu::sm80 {

/// Whether the code being compiled may use these instructions. Kernels that need them trap where
/// not: no such device is given them, but code for an older one also runs on newer ones.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr bool kPresent = false;
#else
inline constexpr bool kPresent = true;
#endif

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Copies 16 bytes, or writes 16 zeros: `from` is then not read. Both addresses are aligned.
__device__ inline void copy_16_or_zero(uint32_t to, const void* from, bool present) {
  const int bytes = present ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(bytes)
               : "memory");
}
/// Keeps in registers what the compiler would rather work out anew for each use.
__device__ inline void keep(const char*& address) { asm volatile("" : "+l"(address)); }
__device__ inline void keep(uint32_t& word) { asm volatile("" : "+r"(word)); }

/// The value of the lane whose number has the bits `Kept` of this one's and the others of `from`:
/// with a constant `from`, no register holds lanes' numbers.
template <uint32_t Kept>
__device__ inline uint32_t shuffle_within(uint32_t value, uint32_t from) {
  uint32_t other;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, %3, -1;"
               : "=r"(other)
               : "r"(value), "r"(from), "n"(Kept << 8 | 0x1F));
  return other;
}
/// first + row * pitch. As an expression it cost two moves more for each row that is copied under a
/// condition (wgrad/halo/wgmma).
__device__ inline const char* row_at(const char* first, uint32_t row, uint32_t pitch) {
  const char* at;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(at) : "r"(row), "r"(pitch), "l"(first));
  return at;
}

__device__ inline void copy_16(uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
/// Nothing where not `present`.
__device__ inline void copy_4_if(uint32_t to, const void* from, bool present) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4; }" ::"r"(
          to),
      "l"(from), "r"(int{present})
      : "memory");
}
/// Closes the group of the thread's copies since the last commit; it may be empty.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most the thread's last `Pending` groups are under way.
template <int Pending>
__device__ inline void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ inline void store_shared_16(uint32_t to, const uint32_t (&words)[4]) {
  asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}
__device__ inline uint32_t load_shared_2(uint32_t from) {
  uint16_t half;
  asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(from) : "memory");
  return half;
}
__device__ inline uint32_t load_shared_4(uint32_t from) {
  uint32_t word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(from) : "memory");
  return word;
}
__device__ inline void load_shared_8(uint32_t (&words)[2], uint32_t from) {
  asm volatile("ld.shared.v2.b32 {%0,%1}, [%2];"
               : "=r"(words[0]), "=r"(words[1])
               : "r"(from)
               : "memory");
}
__device__ inline void load_shared_16(uint32_t (&words)[4], uint32_t from) {
  asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(from)
               : "memory");
}

/// Two floats as f16 or bf16, to nearest even, `low` in the low half.
template <bool Bf16>
__device__ uint32_t packed_halves(float low, float high) {
  uint32_t both;
  if constexpr (Bf16)
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  else
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

/// Four matrices of 8 rows of 16 bytes. Lane l gives the address of row l % 8 of matrix l / 8 and
/// receives, of each matrix, bytes 4 (l % 4) to 4 (l % 4) + 3 of row l / 4.
__device__ inline void load_matrices(uint32_t (&words)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}
/// The same for transposed matrices of 16-bit elements.
__device__ inline void load_transposed_matrices(uint32_t (&words)[4], uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(address)
               : "memory");
}

// The tensor-core instructions: sums += A * B over 32 bytes of depth. With group = lane / 4 and
// pair = lane % 4, word r of A holds the 4 bytes at 4 pair + 16 (r / 2) of row group + 8 (r % 2);
// word r of B those at 4 pair + 16 r of column group; sum r belongs to row group + 8 (r / 2) and
// column 2 pair + r % 2.
#define SPB_MMA(SHAPE, TYPES, SUM, REGISTER)                                          \
  using Sum = SUM;                                                                    \
  static __device__ void multiply(Sum(&accumulators)[4], const uint32_t(&a)[4],       \
                                  const uint32_t(&b)[2]) {                            \
    asm volatile("mma.sync.aligned." SHAPE ".row.col" TYPES                           \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"             \
                 : REGISTER(accumulators[0]), REGISTER(accumulators[1]),              \
                   REGISTER(accumulators[2]), REGISTER(accumulators[3])               \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
  }

/// Each has: kDepth, products per sum and instruction; Sum; convert(), which makes of loaded words
/// what the instruction takes; multiply().
struct AtomF16 {
  static constexpr int kDepth = 16;
  template <int Words>
  static __device__ void convert(uint32_t (&)[Words]) {}
  SPB_MMA("m16n8k16", ".f32.f16.f16.f32", float, "+f")
};
struct AtomBF16 {
  static constexpr int kDepth = 16;
  template <int Words>
  static __device__ void convert(uint32_t (&)[Words]) {}
  SPB_MMA("m16n8k16", ".f32.bf16.bf16.f32", float, "+f")
};
/// Half of the last place that tf32 keeps of a word.
inline constexpr uint32_t kHalfOfTf32 = 1u << 12;

/// To tf32, ties away from zero, in three instructions: the tensor cores drop the low 13 bits.
/// (cvt.rna.tf32 is six on sm_90.) NaNs must not carry into their sign, nor lose their payload.
__device__ inline uint32_t rounded_to_tf32(uint32_t word) {
  constexpr uint32_t kNan = 0x7FFFE000u;
  const float value = __uint_as_float(word);
  return value != value ? kNan : word + kHalfOfTf32;
}

struct AtomTF32 {
  static constexpr int kDepth = 8;
  /// To nearest, ties away from zero: the tensor cores alone truncate the 13 bits that they ignore.
  /// Half of what they drop is added in integers, because the conversion instruction runs at an
  /// eighth of the rate; a NaN stays as it is.
  template <int Words>
  static __device__ void convert(uint32_t (&words)[Words]) {
#pragma unroll
    for (uint32_t& word : words) {
      const float value = __uint_as_float(word);
      if (value == value) word += 0x1000;
    }
  }
  SPB_MMA("m16n8k8", ".f32.tf32.tf32.f32", float, "+f")
};
/// Exact but for sums beyond 32 bits, which wrap.
struct AtomS8 {
  static constexpr int kDepth = 32;
  template <int Words>
  static __device__ void convert(uint32_t (&)[Words]) {}
  SPB_MMA("m16n8k32", ".s32.s8.s8.s32", int32_t, "+r")
};
#undef SPB_MMA

/// From sm_89 on. The tensor core adds up the products of one instruction alone, whose sum has
/// kE4m3SumBits (sum_bits.h); these are added in fp32.
struct AtomE4M3 {
  static constexpr int kDepth = 32;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 890
  static constexpr bool kPresent = false;
#else
  static constexpr bool kPresent = true;
#endif
  using Sum = float;
  template <int Words>
  static __device__ void convert(uint32_t (&)[Words]) {}
  static __device__ void multiply(Sum (&accumulators)[4], const uint32_t (&a)[4],
                                  const uint32_t (&b)[2]) {
    float sums[4];
    multiply_alone(sums, a, b);
#pragma unroll
    for (int i = 0; i < 4; ++i) accumulators[i] += sums[i];
  }
  static __device__ void multiply_alone(Sum (&sums)[4], const uint32_t (&a)[4],
                                        const uint32_t (&b)[2]) {
    if constexpr (kPresent)
      asm volatile(
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"
          " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
          : "=f"(sums[0]), "=f"(sums[1]), "=f"(sums[2]), "=f"(sums[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(0.f));
    else
      __trap();
  }
};

}  // namespace spb::gpu::sm80
