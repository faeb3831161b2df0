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

/// Of what E is multiplied and summed in.
template <class E>
using Matrix = Eigen::Matrix<typename E::Sum, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class E>
using View = Eigen::Map<Matrix<E>, 0, Eigen::OuterStride<>>;

constexpr int64_t kMaxRows = 256;     // of C per block
constexpr int64_t kPanelDepth = 256;  // operands are converted this many k at a time

/// Rows [row, row + rows) and columns [column, column + columns) of an operand, as it is
/// multiplied.
template <class E>
void convert(const GemmOperand& operand, int64_t row, int64_t rows, int64_t column, int64_t columns,
             Matrix<E>& out) {
  const auto* data = static_cast<const typename E::Storage*>(operand.data);
  if (operand.transposed) {
    std::swap(row, column);
    std::swap(rows, columns);
  }
  Matrix<E> stored(rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      stored(i, j) = E::load(data[(row + i) * operand.row_pitch + column + j]);
  if (operand.transposed)
    out = stored.transpose();
  else
    out.swap(stored);
}

/// Adds rows from `row` on of A * B to as many of C.
template <class E, class Sum>
void add_products(int64_t row, int64_t k, const GemmOperand& a, const GemmOperand& b, Sum& sum) {
  Matrix<E> a_panel, b_panel;
  for (int64_t begin = 0; begin < k; begin += kPanelDepth) {
    const int64_t depth = std::min(kPanelDepth, k - begin);
    convert<E>(a, row, sum.rows(), begin, depth, a_panel);
    convert<E>(b, begin, depth, 0, sum.cols(), b_panel);
    sum.noalias() += a_panel * b_panel;
  }
}

template <class E>
void rows_kernel(int64_t m, int64_t n, int64_t k, int64_t block_rows, GemmOperand a, GemmOperand b,
                 typename E::Sum* c, int64_t c_row_pitch, bool accumulate) {
  const int64_t row = int64_t{blockIdx.x} * block_rows;
  const int64_t rows = std::min(block_rows, m - row);
  View<E> sum(c + row * c_row_pitch, rows, n, Eigen::OuterStride<>(c_row_pitch));
  if (!accumulate) sum.setZero();
  add_products<E>(row, k, a, b, sum);
}

/// The same of product `i` of several, whose sums are rounded.
template <class E>
void grouped_rows_kernel(size_t i, GemmSize size, int64_t block_rows, GroupedOperand a,
                         GroupedOperand b, void* const* c, int64_t c_row_pitch) {
  const int64_t row = int64_t{blockIdx.x} * block_rows;
  Matrix<E> sum = Matrix<E>::Zero(std::min(block_rows, size.m - row), size.n);
  add_products<E>(row, size.k, {a.data[i], a.row_pitch, a.transposed},
                  {b.data[i], b.row_pitch, b.transposed}, sum);
  auto* stored = static_cast<typename E::Storage*>(c[i]) + row * c_row_pitch;
  for (int64_t r = 0; r < sum.rows(); ++r)
    for (int64_t column = 0; column < size.n; ++column)
      stored[r * c_row_pitch + column] = E::store(sum(r, column));
}

/// Of C per block.
int64_t rows_of_block(int64_t m) {
  const int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  return std::min(kMaxRows, (m + threads - 1) / threads);
}

dim3 blocks(int64_t m) {
  const int64_t block_rows = rows_of_block(m);
  return dim3(static_cast<unsigned>((m + block_rows - 1) / block_rows));
}

}  // namespace

void gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a, const GemmOperand& b,
          void* c, int64_t c_row_pitch, bool accumulate, const Stream& stream,
          const GemmWorkspace&) {
  if (m == 0 || n == 0) return;
  // One thread per block and no barriers: a plain call on an OS thread's own stack.
  dispatch_product(dtype, [&]<class E>(E) {
    vendor::launch(rows_kernel<E>, blocks(m), dim3(1), 0, handle_of(stream), false, m, n, k,
                   rows_of_block(m), a, b, static_cast<typename E::Sum*>(c), c_row_pitch,
                   accumulate);
  });
}

std::optional<std::string> gemm_grouped_unsupported() { return {}; }

int gemm_grouped_alignment(Dtype dtype) { return info(dtype).input().bytes; }

void gemm_grouped(Dtype dtype, std::span<const GemmSize> sizes, const GroupedOperand& a,
                  const GroupedOperand& b, void* const* c, int64_t c_row_pitch,
                  const Stream& stream, const GemmWorkspace&) {
  dispatch_factors(dtype, [&](auto element) {
    for (size_t i = 0; i < sizes.size(); ++i)
      vendor::launch(grouped_rows_kernel<decltype(element)>, blocks(sizes[i].m), dim3(1), 0,
                     handle_of(stream), false, i, sizes[i], rows_of_block(sizes[i].m), a, b, c,
                     c_row_pitch);
  });
}

bool gemm_rounds_tf32() { return true; }

int64_t gemm_workspace_bytes(Dtype) { return 0; }

GemmArithmetic gemm_arithmetic(Dtype) { return {}; }

const char* gemm_name(Dtype) { return "eigen"; }

}  // namespace spb::gpu
