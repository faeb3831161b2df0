// SPDX-License-Identifier: Apache-2.0
#include "bench/dense_gemm.h"

#include <algorithm>

#include "bench/hot_timer.h"
#include "bench/random_fill.h"
#include "gpu/buffer.h"
#include "gpu/gemm.h"

namespace spb::bench {

int64_t dense_gemm_rows(Dtype dtype, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMostBytes = int64_t{1} << 30, kLeastRows = 128;
  const int64_t row_bytes = k * info(dtype).input().bytes + n * int64_t{sizeof(float)};
  return std::min(m, std::max(kLeastRows, kMostBytes / row_bytes));
}

double dense_gemm_us(Dtype dtype, int64_t m, int64_t n, int64_t k, gpu::Allocator& allocator,
                     const gpu::Stream& stream) {
  if (m <= 0 || n <= 0 || k <= 0) return 0;
  const int64_t element = info(dtype).input().bytes, rows = dense_gemm_rows(dtype, m, n, k);
  const auto matrix = [&](int64_t count, gpu::Tag tag, uint64_t seed) {
    gpu::Buffer<std::byte> data(allocator, count * element, tag);
    random_fill(dtype, data.data(), count, seed, stream);
    return data;
  };
  const gpu::Buffer<std::byte> a = matrix(rows * k, gpu::Tag::input, 1);
  const gpu::Buffer<std::byte> b = matrix(k * n, gpu::Tag::weight, 2);
  gpu::Buffer<float> c(allocator, rows * n, gpu::Tag::output);
  gpu::Buffer<std::byte> scratch(allocator, gpu::gemm_workspace_bytes(dtype), gpu::Tag::workspace);
  const gpu::GemmOperand right = info(dtype).is_integer()  // as cuBLAS takes them
                                     ? gpu::GemmOperand{b.data(), k, true}
                                     : gpu::GemmOperand{b.data(), n, false};
  const double time_us = hot_us(stream, [&] {
    gpu::gemm(dtype, rows, n, k, {a.data(), k, false}, right, c.data(), n, false, stream,
              {scratch.data(), scratch.bytes()});
  });
  return time_us * static_cast<double>(m) / static_cast<double>(rows);
}

}  // namespace spb::bench
