// SPDX-License-Identifier: Apache-2.0
// A library with the functions of rocBLAS that gpu/rocblas.cpp looks for. It multiplies in memory
// of the host, column by column, and takes nothing that rocBLAS's documentation does not allow, nor
// atomics.
#include "gpu/fake_rocblas.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace {

enum Status {
  kSuccess = 0,
  kInvalidHandle = 1,
  kNotImplemented = 2,
  kInvalidPointer = 3,
  kInvalidSize = 4,
  kInvalidValue = 11
};
enum Operation { kNone = 111, kTranspose = 112 };
enum Type { kF16 = 150, kF32 = 151, kI8 = 160, kI32 = 162, kBf16 = 168 };

spb::gpu::FakeRocblas state;

float float_of(uint16_t bits, Type type) {
  if (type == kBf16) {
    const uint32_t word = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                          : exponent == 31
                              ? (fraction ? NAN : INFINITY)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/// A column-major matrix.
struct Matrix {
  const void* data;
  Type type;
  int64_t pitch;
  bool transposed;

  template <class Sum>
  Sum at(int64_t row, int64_t column) const {
    const int64_t place = transposed ? row * pitch + column : column * pitch + row;
    if (type == kI8) return static_cast<Sum>(static_cast<const int8_t*>(data)[place]);
    if (type == kF32) return static_cast<Sum>(static_cast<const float*>(data)[place]);
    return static_cast<Sum>(float_of(static_cast<const uint16_t*>(data)[place], type));
  }
};

template <class Sum>
void multiply(int m, int n, int k, const Matrix& a, const Matrix& b, Sum alpha, Sum beta, Sum* c,
              int64_t c_pitch) {
  for (int64_t column = 0; column < n; ++column)
    for (int64_t row = 0; row < m; ++row) {
      Sum sum = 0;
      for (int64_t i = 0; i < k; ++i) sum += a.at<Sum>(row, i) * b.at<Sum>(i, column);
      Sum& out = c[column * c_pitch + row];
      out = beta == 0 ? alpha * sum : alpha * sum + beta * out;  // of beta 0 C is not read
    }
}

bool types_are_supported(Type in, Type out, Type compute) {
  if (in == kI8) return out == kI32 && compute == kI32;
  return (in == kF16 || in == kBf16 || in == kF32) && out == kF32 && compute == kF32;
}

}  // namespace

extern "C" {

void* fake_rocblas_state() { return &state; }

int rocblas_create_handle(void** handle) {
  const int handles = state.handles + 1;
  state = {};
  state.handles = handles;
  *handle = &state;
  return kSuccess;
}

int rocblas_set_atomics_mode(void* handle, int mode) {
  if (handle != &state) return kInvalidHandle;
  state.atomics = mode;
  return kSuccess;
}

int rocblas_set_stream(void* handle, void* stream) {
  if (handle != &state) return kInvalidHandle;
  state.stream = stream;
  ++state.streams;
  return kSuccess;
}

int rocblas_set_workspace(void* handle, void* data, size_t bytes) {
  if (handle != &state) return kInvalidHandle;
  state.workspace = data;
  state.workspace_bytes = bytes;
  ++state.workspaces;
  return kSuccess;
}

int rocblas_gemm_ex(void* handle, Operation a_operation, Operation b_operation, int32_t m,
                    int32_t n, int32_t k, const void* alpha, const void* a, Type a_type,
                    int32_t a_pitch, const void* b, Type b_type, int32_t b_pitch, const void* beta,
                    const void* c, Type c_type, int32_t c_pitch, void* d, Type d_type,
                    int32_t d_pitch, Type compute_type, int algorithm, int32_t kernel,
                    uint32_t flags) {
  if (handle != &state) return kInvalidHandle;
  if (n == spb::gpu::kFakeRocblasFails) return kNotImplemented;  // rows of the row-major product
  if (state.atomics != 0 || algorithm != 0 || kernel != 0 || flags != 0) return kInvalidValue;
  for (const Operation operation : {a_operation, b_operation})
    if (operation != kNone && operation != kTranspose) return kInvalidValue;
  if (a_type != b_type || c_type != d_type || !types_are_supported(a_type, c_type, compute_type))
    return kNotImplemented;
  if (!alpha || !a || !b || !beta || !c || c != d) return kInvalidPointer;
  if (m <= 0 || n <= 0 || k <= 0 || a_pitch < (a_operation == kNone ? m : k) ||
      b_pitch < (b_operation == kNone ? k : n) || c_pitch < m || c_pitch != d_pitch)
    return kInvalidSize;
  ++state.products;
  const Matrix left{a, a_type, a_pitch, a_operation == kTranspose};
  const Matrix right{b, b_type, b_pitch, b_operation == kTranspose};
  if (compute_type == kI32)
    multiply(m, n, k, left, right, *static_cast<const int32_t*>(alpha),
             *static_cast<const int32_t*>(beta), static_cast<int32_t*>(d), d_pitch);
  else
    multiply(m, n, k, left, right, *static_cast<const float*>(alpha),
             *static_cast<const float*>(beta), static_cast<float*>(d), d_pitch);
  return kSuccess;
}

const char* rocblas_status_to_string(int status) {
  return status == kNotImplemented ? "rocblas_status_not_implemented" : "rocblas_status_other";
}

int rocblas_get_version_string(char* text, size_t bytes) {
  constexpr char kVersion[] = "4.4.0.made-up";
  if (bytes < sizeof kVersion) return kInvalidSize;
  std::memcpy(text, kVersion, sizeof kVersion);
  return kSuccess;
}

}  // extern "C"
