// The dtypes as types, for kernels that are templates over the element.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/runtime.h"

namespace spb::gpu {

/// Each has: Storage, what memory holds; dtype; load(), the operand value a multiply sees; store(),
/// the stored output nearest to an fp32 (nearest even).
struct F32 {
  using Storage = float;
  static constexpr Dtype dtype = Dtype::f32;
  __device__ static float load(Storage stored) { return stored; }
  __device__ static Storage store(float value) { return value; }
};

/// Stored as fp32; operands are rounded to 11 significant bits, ties away from zero.
struct TF32 {
  using Storage = float;
  static constexpr Dtype dtype = Dtype::tf32;
  __device__ static float load(Storage stored) { return vendor::round_tf32(stored); }
  __device__ static Storage store(float value) { return value; }
};

struct F16 {
  using Storage = uint16_t;
  static constexpr Dtype dtype = Dtype::f16;
  __device__ static float load(Storage stored) { return vendor::decode_f16(stored); }
  __device__ static Storage store(float value) { return vendor::encode_f16(value); }
};

struct BF16 {
  using Storage = uint16_t;
  static constexpr Dtype dtype = Dtype::bf16;
  __device__ static float load(Storage stored) { return vendor::decode_bf16(stored); }
  __device__ static Storage store(float value) { return vendor::encode_bf16(value); }
};

/// f(F32{}), f(TF32{}), f(F16{}) or f(BF16{}).
template <class F>
decltype(auto) dispatch(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::f32:
      return f(F32{});
    case Dtype::tf32:
      return f(TF32{});
    case Dtype::f16:
      return f(F16{});
    case Dtype::bf16:
      break;
  }
  return f(BF16{});
}

}  // namespace spb::gpu
