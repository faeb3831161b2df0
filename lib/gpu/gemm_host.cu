// SPDX-License-Identifier: Apache-2.0
// Eigen products of row blocks of C, shared out among the threads that run kernels.
#include <Eigen/Core>
#include <algorithm>
#include <thread>

#include "gpu/element.cuh"
#include "gpu/gemm.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

constexpr int64_t kMaxRows = 256;     // of C per block
constexpr int64_t kPanelDepth = 256;  // operands are converted this many k at a time

/// Rows [row, row + rows) and columns [column, column + columns) of an operand, as fp32.
template <class E>
void convert(const GemmOperand& operand, int64_t row, int64_t rows, int64_t column, int64_t columns,
             Matrix& out) {
  const auto* data = static_cast<const typename E::Storage*>(operand.data);
  if (operand.transposed) {
    std::swap(row, column);
    std::swap(rows, columns);
  }
  Matrix stored(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      stored(i, j) = E::load(data[(row + i) * operand.row_pitch + column + j]);
  if (operand.transposed)
    out = stored.transpose();
  else
    out.swap(stored);
}

template <class E>
void rows_kernel(int64_t m, int64_t n, int64_t k, int64_t block_rows, GemmOperand a, GemmOperand b,
                 float* c, int64_t c_row_pitch, bool accumulate) {
  const int64_t row = int64_t{blockIdx.x} * block_rows;
  const int64_t rows = std::min(block_rows, m - row);
  View sum(c + row * c_row_pitch, rows, n, Eigen::OuterStride<>(c_row_pitch));
  if (!accumulate) sum.setZero();
  Matrix a_panel, b_panel;
  for (int64_t begin = 0; begin < k; begin += kPanelDepth) {
    const int64_t depth = std::min(kPanelDepth, k - begin);
    convert<E>(a, row, rows, begin, depth, a_panel);
    convert<E>(b, begin, depth, 0, n, b_panel);
    sum.noalias() += a_panel * b_panel;
  }
}

}  // namespace

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          float* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace&) {
  if (m == 0 || n == 0) return;
  const int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  const int64_t block_rows = std::min(kMaxRows, (m + threads - 1) / threads);
  const dim3 grid(static_cast<unsigned>((m + block_rows - 1) / block_rows));
  // One thread per block and no barriers: a plain call on an OS thread's own stack.
  dispatch_factors(dtype, [&](auto element) {
    vendor::launch(rows_kernel<decltype(element)>, grid, dim3(1), 0, stream.handle(), false, m, n,
                   k, block_rows, a, b, c, c_row_pitch, accumulate);
  });
}

bool gemm_rounds_tf32() { return true; }

int64_t gemm_workspace_bytes() { return 0; }

GemmArithmetic gemm_arithmetic(Dtype) { return {}; }

const char* gemm_name() { return "eigen"; }

}  // namespace spb::gpu
