// SPDX-License-Identifier: Apache-2.0
// Products of one tile and the running sums they enter (verification.md, section 4).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/expected.h"

namespace spb::reference {

template <typename Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// One side of a product, with what the scales need. Without scales (exact mode) fp32 suffices.
template <bool kScales>
struct Factor {
  using Scalar = std::conditional_t<kScales, double, float>;
  Matrix<Scalar> value;
  Matrix<double> square;  ///< empty without scales
  Matrix<float> abs;

  Factor() = default;
  explicit Factor(const Matrix<float>& operand) { assign(operand); }
  void assign(const Matrix<float>& operand) {
    value = operand.template cast<Scalar>();
    abs = operand.cwiseAbs();
    if constexpr (kScales) square = value.cwiseAbs2();
  }
  void resize(int64_t rows, int64_t cols) {
    value.resize(rows, cols);
    abs.resize(rows, cols);
    if constexpr (kScales) square.resize(rows, cols);
  }
  void assign_row(int64_t row, const float* from) {
    const int64_t cols = value.cols();
    for (int64_t col = 0; col < cols; ++col) {
      value(row, col) = static_cast<Scalar>(from[col]);
      abs(row, col) = std::abs(from[col]);
      if constexpr (kScales) square(row, col) = value(row, col) * value(row, col);
    }
  }
};

/// D, E and the sum of |a b| of one tile: sums over its products.
template <bool kScales>
struct TileProduct {
  Matrix<typename Factor<kScales>::Scalar> sum;
  Matrix<double> squares;
  Matrix<float> abs;

  void clear(int64_t rows, int64_t cols) {
    sum.setZero(rows, cols);
    abs.setZero(rows, cols);
    if constexpr (kScales) squares.setZero(rows, cols);
  }
  void add(const Factor<kScales>& a, const Factor<kScales>& b) {
    sum.noalias() += a.value * b.value;
    abs.noalias() += a.abs * b.abs;
    if constexpr (kScales) squares.noalias() += a.square * b.square;
  }
  /// The same with rows of A that are products' columns.
  void add_transposed(const Factor<kScales>& a, const Factor<kScales>& b) {
    sum.noalias() += a.value.transpose() * b.value;
    abs.noalias() += a.abs.transpose() * b.abs;
    if constexpr (kScales) squares.noalias() += a.square.transpose() * b.square;
  }
};

/// Running sums of a block of elements, one tile added at a time.
template <bool kScales>
class RunningSums {
 public:
  explicit RunningSums(size_t elements) { resize(elements); }
  void resize(size_t elements) {
    for (std::vector<double>* sums : {&y_, &abs_, &terms_}) sums->assign(elements, 0);
    if constexpr (kScales)
      for (std::vector<double>* sums : {&v_, &h_, &p_, &f1_, &f2_}) sums->assign(elements, 0);
  }

  /// Adds one tile of `length` products to element i: the sums of its products, of their squares
  /// (without scales unread) and of their magnitudes.
  void add(size_t i, double sum, double squares, double abs, double length) {
    const double before = y_[i], after = before + sum;
    y_[i] = after;
    abs_[i] += abs;
    terms_[i] += length;
    if constexpr (kScales) {
      v_[i] += squares;
      h_[i] += length * squares;
      p_[i] += sum * sum;
      f1_[i] += length * (before + after) / 2;
      f2_[i] += length * (before * before + after * after) / 2;
    }
  }

  /// Adds row `tile_row` of a tile of `length` products per element to the elements from `begin`.
  void add(size_t begin, const TileProduct<kScales>& tile, int64_t tile_row, double length) {
    const auto* d = tile.sum.row(tile_row).data();
    const float* a = tile.abs.row(tile_row).data();
    const double* e = nullptr;
    if constexpr (kScales) e = tile.squares.row(tile_row).data();
    const auto cols = static_cast<size_t>(tile.sum.cols());
    for (size_t j = 0; j < cols; ++j)
      add(begin + j, static_cast<double>(d[j]), e ? e[j] : 0, static_cast<double>(a[j]), length);
  }

  /// Writes `cols` elements from `begin` to `expected` from flat index `to`.
  void finish(size_t begin, size_t cols, Expected& expected, size_t to) const {
    for (size_t j = 0; j < cols; ++j) {
      const size_t i = begin + j;
      const double y = y_[i], r = terms_[i];
      expected.value[to + j] = y;
      expected.abs_sum[to + j] = abs_[i];
      expected.terms[to + j] = r;
      if constexpr (kScales) {
        const double forward = f2_[i] + h_[i];
        const double backward = r * y * y - 2 * y * f1_[i] + forward;
        const double random = r * v_[i] / 4;
        expected.error_scale[to + j] = std::sqrt(std::max({forward, backward, random}));
        expected.partial_scale[to + j] = std::sqrt(p_[i]);
      }
    }
  }

 private:
  std::vector<double> y_, abs_, terms_;      // s, sum |a b|, R
  std::vector<double> v_, h_, p_, f1_, f2_;  // V, H, P, F1, F2
};

/// Adds one term to each of the elements from `begin`.
template <bool kScales>
void add_terms(std::span<const float> terms, RunningSums<kScales>& sums, size_t begin) {
  for (const float term : terms) {
    const auto value = static_cast<double>(term);
    sums.add(begin++, value, value * value, std::abs(value), 1);
  }
}

template <bool kScales>
Expected make_expected(int64_t rows, int64_t cols) {
  Expected expected;
  expected.rows = rows;
  expected.cols = cols;
  const auto elements = static_cast<size_t>(rows * cols);
  expected.value.resize(elements);
  expected.abs_sum.resize(elements);
  expected.terms.resize(elements);
  if constexpr (kScales) {
    expected.error_scale.resize(elements);
    expected.partial_scale.resize(elements);
  }
  return expected;
}

}  // namespace spb::reference
