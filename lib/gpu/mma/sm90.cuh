// SPDX-License-Identifier: Apache-2.0
// Instructions of sm_90a (PTX ISA 8.0): barriers in shared memory, TMA, and the
// matrix multiply of a warpgroup (128 threads). CUDA only.
#pragma once

#include <cuda.h>

#include "gpu/mma/sm80.cuh"

namespace spb::gpu::sm90 {

/// An mbarrier, 64 bits in shared memory, by its address. A phase ends when all arrivals and all
/// announced bytes have come in.
__device__ inline void init_barrier(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes initialized barriers visible to TMA; a block barrier must follow.
__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// Waits until the phase of this parity has ended. The phase before the first counts as ended with
/// parity 1.
__device__ inline void wait_barrier(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ inline void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives and announces bytes of TMA (expect_tx).
__device__ inline void arrive_expecting(uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Arrives once the thread's asynchronous copies so far have landed.
__device__ inline void arrive_after_copies(uint32_t barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/// A barrier of the block besides __syncthreads(), which is 0: whole warps, `threads` in all.
__device__ inline void meet(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/// What other blocks have added to a counter; what they wrote before it can then be read.
__device__ inline uint32_t load_acquire(const uint32_t* counter) {
  uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}
/// Brings the 128 bytes round an address to L2, which nobody waits for.
__device__ inline void prefetch_to_l2(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}
/// 16 bytes of memory that no kernel writes meanwhile. Loads stay in the order they are written in,
/// among stores to shared memory too.
__device__ inline void load_16(uint32_t (&words)[4], const void* from) {
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(from)
               : "memory");
}
/// Adds to a counter after all writes so far, the warp's before its last barrier included.
__device__ inline void add_release(uint32_t* counter, uint32_t value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}
/// Adds 1 and returns what was before; beyond `limit` it would wrap to 0, where no caller comes. By
/// inc, whose limit the compiler does not know: a plain sum would be aggregated over the warp, and
/// the answer passed on by a shuffle, which waits for it.
__device__ inline uint32_t count_up(uint32_t* counter, uint32_t limit) {
  uint32_t before;
  asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(limit)
               : "memory");
  return before;
}
/// Adds to four neighboring floats in memory; `to` is a multiple of 16 bytes.
__device__ inline void add_four(float* to, const float4& four) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(four.x),
               "f"(four.y), "f"(four.z), "f"(four.w)
               : "memory");
}

/// The same to integers, one by one: no instruction takes four.
__device__ inline void add_four(int32_t* to, const int4& four) {
  const int32_t values[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("red.relaxed.gpu.global.add.s32 [%0], %1;" ::"l"(to + i), "r"(values[i])
                 : "memory");
}

/// As sm80::load_matrices, the other way.
__device__ inline void store_matrices(uint32_t address, const uint32_t (&words)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

/// TMA load: copies the box of a three-dimensional tensor that begins at (x, y, z); zeros where it
/// sticks out. `map` lies in the kernel's parameters.
__device__ inline void copy_box(uint32_t to, const CUtensorMap* map, uint32_t barrier, int x, int y,
                                int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
      "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z)
      : "memory");
}

/// fence.proxy.async: the thread's own writes of shared memory so far, copies that have landed
/// included, are visible to multiplies, which read it by another path. Where other warps multiply,
/// a block barrier follows.
__device__ inline void fence_for_multiply() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// setmaxnreg: all warps of a warpgroup call it, and take what others gave.
template <int Registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}

/// Descriptor of a matrix in shared memory with 128-byte swizzled rows, eight of which make a group
/// of 1024 bytes. K-major: a row is 128 bytes of k. MN-major: a row is 64 values of m or n at one
/// k; `block_bytes` lie between blocks of 64 of them.
__device__ inline uint64_t matrix_descriptor(uint32_t address, uint32_t block_bytes = 16) {
  constexpr uint64_t kGroupBytes = 1024, kSwizzle128 = 1;
  return (address & 0x3FFFF) >> 4 | uint64_t{block_bytes >> 4} << 16 | kGroupBytes >> 4 << 32 |
         kSwizzle128 << 62;
}

/// The same with 64-byte swizzled rows, eight of which make a group of 512 bytes. MN-major: a row
/// is all 32 values of n at one k.
__device__ inline uint64_t narrow_matrix_descriptor(uint32_t address) {
  constexpr uint64_t kGroupBytes = 512, kSwizzle64 = 2;
  return (address & 0x3FFFF) >> 4 | uint64_t{1} << 16 | kGroupBytes >> 4 << 32 | kSwizzle64 << 62;
}

/// Before the first multiply after registers or shared memory were touched by other instructions.
__device__ inline void begin_multiplies() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void commit_multiplies() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Waits until at most the last `Pending` groups of multiplies are under way.
template <int Pending>
__device__ inline void wait_multiplies() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}
/// Two e4m3 in the low half of a word, nearest even, beyond 448 saturated.
__device__ inline uint32_t packed_e4m3(float low, float high) {
  uint16_t both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
}
/// Of two e4m3, the low one first; every value is one of fp16, too.
__device__ inline float2 unpacked_e4m3(uint16_t both) {
  uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(both));
  return {vendor::decode_f16(static_cast<uint16_t>(halves & 0xFFFF)),
          vendor::decode_f16(static_cast<uint16_t>(halves >> 16))};
}

/// Keeps the compiler from moving the sums' other uses across the multiplies in flight.
template <int N>
__device__ inline void pin(float (&accumulators)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+f"(accumulators[i])::"memory");
}
template <int N>
__device__ inline void pin(int32_t (&accumulators)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+r"(accumulators[i])::"memory");
}
/// The same for operands in registers, which have to be complete before begin_multiplies().
template <int N>
__device__ inline void pin(uint32_t (&words)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) asm volatile("" : "+r"(words[i])::"memory");
}

// The register lists of the instruction, 32 at a time.
#define SPB_SUMS_8_OF(TYPE, i)                                                                \
  TYPE(d[i]), TYPE(d[i + 1]), TYPE(d[i + 2]), TYPE(d[i + 3]), TYPE(d[i + 4]), TYPE(d[i + 5]), \
      TYPE(d[i + 6]), TYPE(d[i + 7])
#define SPB_SUMS_32_OF(TYPE, i)                                                    \
  SPB_SUMS_8_OF(TYPE, i), SPB_SUMS_8_OF(TYPE, i + 8), SPB_SUMS_8_OF(TYPE, i + 16), \
      SPB_SUMS_8_OF(TYPE, i + 24)
#define SPB_SUMS_8(i) SPB_SUMS_8_OF("+f", i)
#define SPB_SUMS_32(i) SPB_SUMS_32_OF("+f", i)
#define SPB_NAMES_16 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15"
#define SPB_NAMES_0                                                                        \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23," \
  "%24,%25,%26,%27,%28,%29,%30,%31"
#define SPB_NAMES_32                                                                          \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53," \
  "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SPB_NAMES_64                                                                          \
  ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85," \
  "%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,"    \
  "%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,"     \
  "%123,%124,%125,%126,%127"

/// d += A * B over 16 values of k; A is 64 x 16, B is 16 x N, from shared memory. Thread t of the
/// warpgroup owns d[4 i + 2 h + j], row 16 (t / 32) + 8 h + t % 32 / 4, column 8 i + 2 (t % 4) + j.
/// MajorA, MajorB: 0 K-major, 1 MN-major.
template <bool Bf16, int N, int MajorA, int MajorB>
struct Multiply;

#define SPB_MULTIPLY(IS_BF16, TYPE, N, NAMES, A, B, TA, TB, ...)                              \
  template <int MajorA, int MajorB>                                                           \
  struct Multiply<IS_BF16, N, MajorA, MajorB> {                                               \
    static __device__ __forceinline__ void step(float (&d)[N / 2], uint64_t a, uint64_t b) {  \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" NAMES \
                   "}," A "," B ",1,1,1," TA "," TB ";"                                       \
                   : __VA_ARGS__                                                              \
                   : "l"(a), "l"(b), "n"(MajorA), "n"(MajorB));                               \
    }                                                                                         \
  };
#define SPB_MULTIPLIES(IS_BF16, TYPE)                                                             \
  SPB_MULTIPLY(IS_BF16, TYPE, 64, SPB_NAMES_0, "%32", "%33", "%34", "%35", SPB_SUMS_32(0))        \
  SPB_MULTIPLY(IS_BF16, TYPE, 128, SPB_NAMES_0 SPB_NAMES_32, "%64", "%65", "%66", "%67",          \
               SPB_SUMS_32(0), SPB_SUMS_32(32))                                                   \
  SPB_MULTIPLY(IS_BF16, TYPE, 256, SPB_NAMES_0 SPB_NAMES_32 SPB_NAMES_64, "%128", "%129", "%130", \
               "%131", SPB_SUMS_32(0), SPB_SUMS_32(32), SPB_SUMS_32(64), SPB_SUMS_32(96))
SPB_MULTIPLIES(false, "f16")
SPB_MULTIPLIES(true, "bf16")

/// The same with A from registers, as the words of mma_sm80.cuh's instruction (warp w of the
/// warpgroup has rows 16 w and following). They may not change until the multiply has been waited
/// for.
template <bool Bf16, int N, int MajorB>
struct MultiplyRegisters;

#define SPB_MULTIPLY_REGISTERS(IS_BF16, TYPE, N, NAMES, A, B, TB, ...)                        \
  template <int MajorB>                                                                       \
  struct MultiplyRegisters<IS_BF16, N, MajorB> {                                              \
    static __device__ __forceinline__ void step(float (&d)[N / 2], const uint32_t (&a)[4],    \
                                                uint64_t b) {                                 \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." TYPE "." TYPE " {" NAMES \
                   "}, {" A "}, " B ", 1, 1, 1, " TB ";"                                      \
                   : __VA_ARGS__                                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(MajorB));        \
    }                                                                                         \
  };
SPB_MULTIPLY_REGISTERS(false, "f16", 32, SPB_NAMES_16, "%16,%17,%18,%19", "%20", "%21",
                       SPB_SUMS_8(0), SPB_SUMS_8(8))
SPB_MULTIPLY_REGISTERS(true, "bf16", 32, SPB_NAMES_16, "%16,%17,%18,%19", "%20", "%21",
                       SPB_SUMS_8(0), SPB_SUMS_8(8))
SPB_MULTIPLY_REGISTERS(false, "f16", 64, SPB_NAMES_0, "%32,%33,%34,%35", "%36", "%37",
                       SPB_SUMS_32(0))
SPB_MULTIPLY_REGISTERS(true, "bf16", 64, SPB_NAMES_0, "%32,%33,%34,%35", "%36", "%37",
                       SPB_SUMS_32(0))

/// d += A * B over 8 values of k: A, 64 x 8 tf32 values, from registers as the words of
/// mma_sm80.cuh's instruction (warp w of the warpgroup has rows 16 w and following), B K-major.
/// Both lose their low 13 bits. The words may not change until the multiply has been waited for.
template <int N>
struct MultiplyTf32;

#define SPB_MULTIPLY_TF32(N, NAMES, A, B, ...)                                                \
  template <>                                                                                 \
  struct MultiplyTf32<N> {                                                                    \
    static __device__ __forceinline__ void step(float (&d)[N / 2], const uint32_t (&a)[4],    \
                                                uint64_t b) {                                 \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" NAMES "}, {" A \
                   "}, " B ", 1, 1, 1;"                                                       \
                   : __VA_ARGS__                                                              \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                     \
    }                                                                                         \
  };
SPB_MULTIPLY_TF32(64, SPB_NAMES_0, "%32,%33,%34,%35", "%36", SPB_SUMS_32(0))
SPB_MULTIPLY_TF32(128, SPB_NAMES_0 SPB_NAMES_32, "%64,%65,%66,%67", "%68", SPB_SUMS_32(0),
                  SPB_SUMS_32(32))
SPB_MULTIPLY_TF32(256, SPB_NAMES_0 SPB_NAMES_32 SPB_NAMES_64, "%128,%129,%130,%131", "%132",
                  SPB_SUMS_32(0), SPB_SUMS_32(32), SPB_SUMS_32(64), SPB_SUMS_32(96))

/// d += A * B over 32 values of k, of bytes with a sign; both K-major, from shared memory. Sums are
/// exact.
template <int N>
struct MultiplyI8;

#define SPB_MULTIPLY_I8(N, NAMES, A, B, ...)                                                   \
  template <>                                                                                  \
  struct MultiplyI8<N> {                                                                       \
    static __device__ __forceinline__ void step(int32_t (&d)[N / 2], uint64_t a, uint64_t b) { \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k32.s32.s8.s8 {" NAMES "}," A "," B \
                   ",1;"                                                                       \
                   : __VA_ARGS__                                                               \
                   : "l"(a), "l"(b));                                                          \
    }                                                                                          \
  };
#define SPB_INT_SUMS_32(i) SPB_SUMS_32_OF("+r", i)
SPB_MULTIPLY_I8(64, SPB_NAMES_0, "%32", "%33", SPB_INT_SUMS_32(0))
SPB_MULTIPLY_I8(128, SPB_NAMES_0 SPB_NAMES_32, "%64", "%65", SPB_INT_SUMS_32(0),
                SPB_INT_SUMS_32(32))
SPB_MULTIPLY_I8(256, SPB_NAMES_0 SPB_NAMES_32 SPB_NAMES_64, "%128", "%129", SPB_INT_SUMS_32(0),
                SPB_INT_SUMS_32(32), SPB_INT_SUMS_32(64), SPB_INT_SUMS_32(96))
#undef SPB_INT_SUMS_32
#undef SPB_MULTIPLY_I8

/// d = A * B over 32 values of k of e4m3, with Adds to what d is; both K-major, from shared memory.
/// Sums have kE4m3SumBits (sum_bits.h).
template <int N, bool Adds>
struct MultiplyE4M3;

#define SPB_MULTIPLY_E4M3(N, NAMES, A, B, ADDS, ...)                                               \
  template <bool Adds>                                                                             \
  struct MultiplyE4M3<N, Adds> {                                                                   \
    static __device__ __forceinline__ void step(float (&d)[N / 2], uint64_t a, uint64_t b) {       \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k32.f32.e4m3.e4m3 {" NAMES "}," A "," B \
                   "," ADDS ",1,1;"                                                                \
                   : __VA_ARGS__                                                                   \
                   : "l"(a), "l"(b), "n"(int{Adds}));                                              \
    }                                                                                              \
  };
SPB_MULTIPLY_E4M3(32, SPB_NAMES_16, "%16", "%17", "%18", SPB_SUMS_8(0), SPB_SUMS_8(8))
SPB_MULTIPLY_E4M3(64, SPB_NAMES_0, "%32", "%33", "%34", SPB_SUMS_32(0))
SPB_MULTIPLY_E4M3(128, SPB_NAMES_0 SPB_NAMES_32, "%64", "%65", "%66", SPB_SUMS_32(0),
                  SPB_SUMS_32(32))
SPB_MULTIPLY_E4M3(256, SPB_NAMES_0 SPB_NAMES_32 SPB_NAMES_64, "%128", "%129", "%130",
                  SPB_SUMS_32(0), SPB_SUMS_32(32), SPB_SUMS_32(64), SPB_SUMS_32(96))
#undef SPB_MULTIPLY_E4M3
#undef SPB_MULTIPLY_TF32
#undef SPB_MULTIPLY_REGISTERS
#undef SPB_MULTIPLIES
#undef SPB_MULTIPLY
#undef SPB_NAMES_64
#undef SPB_NAMES_32
#undef SPB_NAMES_0
#undef SPB_NAMES_16
#undef SPB_SUMS_32
#undef SPB_SUMS_8
#undef SPB_SUMS_32_OF
#undef SPB_SUMS_8_OF

}  // namespace spb::gpu::sm90
