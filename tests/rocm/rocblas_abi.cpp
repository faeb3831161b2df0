// SPDX-License-Identifier: Apache-2.0
// Compiles where gpu/rocblas.h declares what the header of rocBLAS declares (.ci/rocblas-abi).
#include <rocblas/rocblas.h>
#include <type_traits>

#include "gpu/rocblas.h"

namespace {

namespace ours = spb::gpu::rocblas;

/// A type of the header as ours are: numbers for enumerations, which are as wide, and untyped
/// pointers for what is never looked into.
template <class T>
struct Plain {
  using Type = T;
};
template <class T>
requires std::is_enum_v<T>
struct Plain<T> {
  static_assert(sizeof(T) == sizeof(int));
  using Type = int;
};
template <>
struct Plain<rocblas_handle> {
  using Type = void*;
};
template <>
struct Plain<rocblas_handle*> {
  using Type = void**;
};
template <>
struct Plain<hipStream_t> {
  using Type = void*;
};
template <class Result, class... Arguments>
struct Plain<Result (*)(Arguments...)> {
  using Type = typename Plain<Result>::Type (*)(typename Plain<Arguments>::Type...);
};

template <class Theirs, class Ours>
constexpr bool is_same() {
  return std::is_same_v<typename Plain<Theirs>::Type, Ours>;
}

static_assert(is_same<decltype(&rocblas_create_handle), decltype(ours::Functions::create)>());
static_assert(
    is_same<decltype(&rocblas_set_atomics_mode), decltype(ours::Functions::set_atomics)>());
static_assert(is_same<decltype(&rocblas_set_stream), decltype(ours::Functions::set_stream)>());
static_assert(
    is_same<decltype(&rocblas_set_workspace), decltype(ours::Functions::set_workspace)>());
static_assert(is_same<decltype(&rocblas_gemm_ex), decltype(ours::Functions::gemm_ex)>());
static_assert(
    is_same<decltype(&rocblas_status_to_string), decltype(ours::Functions::status_string)>());
static_assert(is_same<decltype(&rocblas_get_version_string), decltype(ours::Functions::version)>());

template <auto kTheirs, auto kOurs>
constexpr bool is_equal() {
  return static_cast<long long>(kTheirs) == static_cast<long long>(kOurs);
}

static_assert(is_equal<rocblas_status_success, 0>());
static_assert(is_equal<rocblas_operation_none, ours::kPlain>());
static_assert(is_equal<rocblas_operation_transpose, ours::kTransposed>());
static_assert(is_equal<rocblas_datatype_f16_r, ours::kF16>());
static_assert(is_equal<rocblas_datatype_f32_r, ours::kF32>());
static_assert(is_equal<rocblas_datatype_bf16_r, ours::kBf16>());
static_assert(is_equal<rocblas_datatype_i8_r, ours::kI8>());
static_assert(is_equal<rocblas_datatype_i32_r, ours::kI32>());
static_assert(is_equal<rocblas_atomics_not_allowed, ours::kNoAtomics>());
static_assert(is_equal<rocblas_gemm_algo_standard, ours::kStandardAlgorithm>());
static_assert(is_equal<rocblas_gemm_flags_none, 0>());
// The default, in which alpha and beta are read when the call is made.
static_assert(is_equal<rocblas_pointer_mode_host, 0>());

}  // namespace
