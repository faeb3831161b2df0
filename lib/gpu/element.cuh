// SPDX-License-Identifier: Apache-2.0
// The dtypes as types, for kernels that are templates over the element.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/dtype.h"
#include "gpu/runtime.h"
#include "gpu/vendor/e4m3_bits.h"

namespace spb::gpu {

/// Each has: Storage, what memory holds of operands, and Out, of outputs; Sum, what products are
/// added up in; dtype; load(), the operand value a multiply sees; store(), the stored output
/// nearest to an fp32 (nearest even).
struct F32 {
  using Storage = float;
  using Out = float;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::f32;
  __device__ static float load(Storage stored) { return stored; }
  __device__ static Storage store(float value) { return value; }
};

/// Stored as fp32; operands are rounded to 11 significant bits, ties away from zero.
struct TF32 {
  using Storage = float;
  using Out = float;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::tf32;
  __device__ static float load(Storage stored) { return vendor::round_tf32(stored); }
  __device__ static Storage store(float value) { return value; }
};

/// Stored as fp32; each product is three of TF32 values (core/dtype.cpp), which load() leaves to
/// the kernel.
struct TF32x3 {
  using Storage = float;
  using Out = float;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::tf32x3;
  __device__ static float load(Storage stored) { return stored; }
  __device__ static Storage store(float value) { return value; }
};

struct F16 {
  using Storage = uint16_t;
  using Out = uint16_t;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::f16;
  __device__ static float load(Storage stored) { return vendor::decode_f16(stored); }
  __device__ static Storage store(float value) { return vendor::encode_f16(value); }
};

struct BF16 {
  using Storage = uint16_t;
  using Out = uint16_t;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::bf16;
  __device__ static float load(Storage stored) { return vendor::decode_bf16(stored); }
  __device__ static Storage store(float value) { return vendor::encode_bf16(value); }
};

/// Integers, whose sums an epilogue scales (core/epilogue.h); beyond the ends of i8 they saturate.
struct I8 {
  using Storage = int8_t;
  using Out = int8_t;
  using Sum = int32_t;
  static constexpr Dtype dtype = Dtype::i8;
  __device__ static int32_t load(Storage stored) { return stored; }
  __device__ static Out store(float value) { return vendor::encode_i8(value); }
};

/// The same with outputs in fp32.
struct I8ToF32 : I8 {
  using Out = float;
  static constexpr Dtype dtype = Dtype::i8_f32;
  __device__ static Out store(float value) { return value; }
};

/// The same with the sums themselves for outputs, which their kernels leave as slices.
struct I8ToI32 : I8 {
  using Out = int32_t;
  static constexpr Dtype dtype = Dtype::i8_i32;
};

/// Floats of a byte, whose sums an epilogue scales, too; beyond the ends of e4m3 they saturate.
struct E4M3 {
  using Storage = uint8_t;
  using Out = uint8_t;
  using Sum = float;
  static constexpr Dtype dtype = Dtype::e4m3;
  __device__ static float load(Storage stored) { return vendor::decode_e4m3(stored); }
  __device__ static Out store(float value) { return vendor::encode_e4m3(value); }
};

/// The same with outputs in fp16.
struct E4M3ToF16 : E4M3 {
  using Out = F16::Out;
  static constexpr Dtype dtype = Dtype::e4m3_f16;
  __device__ static Out store(float value) { return F16::store(value); }
};
/// The same with outputs in bf16.
struct E4M3ToBF16 : E4M3 {
  using Out = BF16::Out;
  static constexpr Dtype dtype = Dtype::e4m3_bf16;
  __device__ static Out store(float value) { return BF16::store(value); }
};

/// As outputs of E are stored.
template <class E>
struct StoredOf {
  using Type = std::conditional_t<std::is_same_v<typename E::Out, float>, F32, E>;
};
template <>
struct StoredOf<E4M3ToF16> {
  using Type = F16;
};
template <>
struct StoredOf<E4M3ToBF16> {
  using Type = BF16;
};

template <class E>
inline constexpr bool is_integer = std::is_same_v<typename E::Sum, int32_t>;
/// Math::is_scaled() of its dtype.
template <class E>
inline constexpr bool is_scaled = sizeof(typename E::Storage) == 1;

/// Of fp32 operands that tensor cores multiply as tf32.
template <class E>
inline constexpr bool is_tf32 = tf32_parts(E::dtype) > 0;

/// f(F32{}), f(TF32{}), f(F16{}) or f(BF16{}): for code that multiplies what load() returns. Throws
/// Error (runtime) for others: none must become another arithmetic.
template <class F>
decltype(auto) dispatch_factors(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::f32:
      return f(F32{});
    case Dtype::tf32:
      return f(TF32{});
    case Dtype::f16:
      return f(F16{});
    case Dtype::bf16:
      return f(BF16{});
    case Dtype::tf32x3:
    case Dtype::i8:
    case Dtype::i8_f32:
    case Dtype::i8_i32:
    case Dtype::e4m3:
    case Dtype::e4m3_f16:
    case Dtype::e4m3_bf16:
      break;
  }
  no_instance("this kernel", dtype);
}

/// The same for dense products: of integer dtypes f(I8{}), whatever their outputs are.
template <class F>
decltype(auto) dispatch_product(Dtype dtype, F&& f) {
  if (info(dtype).is_integer()) return f(I8{});
  return dispatch_factors(dtype, f);
}

/// f(F16{}) or f(BF16{}). Throws Error (runtime) for others, in the name of `who`.
template <class F>
decltype(auto) dispatch_halves(std::string_view who, Dtype dtype, F&& f) {
  if (dtype == Dtype::f16) return f(F16{});
  if (dtype == Dtype::bf16) return f(BF16{});
  no_instance(who, dtype);
}

/// The same as dispatch_factors(), or f(TF32x3{}).
template <class F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  if (dtype == Dtype::tf32x3) return f(TF32x3{});
  return dispatch_factors(dtype, f);
}

/// f(I8{}), f(I8ToF32{}), f(E4M3{}), f(E4M3ToF16{}) or f(E4M3ToBF16{}). Throws Error (runtime) for
/// others, in the name of `who`.
template <class F>
decltype(auto) dispatch_scaled(std::string_view who, Dtype dtype, F&& f) {
  if (dtype == Dtype::i8) return f(I8{});
  if (dtype == Dtype::i8_f32) return f(I8ToF32{});
  if (dtype == Dtype::e4m3) return f(E4M3{});
  if (dtype == Dtype::e4m3_f16) return f(E4M3ToF16{});
  if (dtype == Dtype::e4m3_bf16) return f(E4M3ToBF16{});
  no_instance(who, dtype);
}

}  // namespace spb::gpu
