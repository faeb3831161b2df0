// SPDX-License-Identifier: Apache-2.0
// Which instruction of the tensor cores multiplies elements of a type. CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm80.cuh"
#include "gpu/mma/tf32x3_sm80.cuh"

namespace spb::gpu::sm80 {

template <class E>
struct AtomOf;
template <>
struct AtomOf<F16> {
  using Type = AtomF16;
};
template <>
struct AtomOf<BF16> {
  using Type = AtomBF16;
};
template <>
struct AtomOf<TF32> {
  using Type = AtomTF32;
};
template <>
struct AtomOf<TF32x3> {
  using Type = AtomTF32x3;
};
template <>
struct AtomOf<I8> {
  using Type = AtomS8;
};
template <>
struct AtomOf<I8ToF32> : AtomOf<I8> {};
template <>
struct AtomOf<E4M3> {
  using Type = AtomE4M3;
};
template <>
struct AtomOf<E4M3ToF16> : AtomOf<E4M3> {};
template <>
struct AtomOf<E4M3ToBF16> : AtomOf<E4M3> {};

}  // namespace spb::gpu::sm80
