// SPDX-License-Identifier: Apache-2.0
#include "reference/products.h"

#include <limits>

#include "core/parallel.h"
#include "reference/pairs_by_row.h"
#include "reference/tile_product.h"

namespace spb::reference {
namespace {

// Running sums of one block fit a second-level cache. Few rows of many channels still make work for
// all processors.
constexpr int64_t kBlockRows = 512, kBlockCols = 64;

/// Columns [first, first + cols) of B of kernel offset o: of W_o transposed for fprop, of W_o for
/// dgrad.
template <bool kScales>
Factor<kScales> weight_factor(const Problem& problem, std::span<const float> weights, int64_t o,
                              int64_t first, int64_t cols) {
  const int64_t row_stride = int64_t{problem.kernel_volume()} * problem.c_in;
  const Eigen::Map<const Matrix<float>, 0, Eigen::OuterStride<>> w(
      weights.data() + o * problem.c_in, problem.c_out, problem.c_in,
      Eigen::OuterStride<>(row_stride));
  if (problem.direction == Direction::fprop)
    return Factor<kScales>(w.middleRows(first, cols).transpose());
  return Factor<kScales>(w.middleCols(first, cols));
}

/// The bias as the first tile, of one product per element.
template <bool kScales>
TileProduct<kScales> bias_tile(std::span<const float> bias) {
  const Eigen::Map<const Matrix<float>> row(bias.data(), 1, static_cast<int64_t>(bias.size()));
  TileProduct<kScales> tile;
  tile.clear(1, row.cols());
  tile.add(Factor<kScales>(Matrix<float>::Ones(1, 1)), Factor<kScales>(row));
  return tile;
}

}  // namespace

template <bool kScales>
Expected row_products(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                      std::span<const int64_t> rows, std::span<const Triple> pairs) {
  const bool forward = problem.direction == Direction::fprop;
  const auto n_out = static_cast<int64_t>(map.out_coords.size());
  const PairsByRow lists = pairs_by_row(pairs, forward, forward ? n_out : n_in, rows);
  const std::span<const float> source = forward ? inputs.in : inputs.gout;
  const int64_t depth = forward ? problem.c_in : problem.c_out;
  const int64_t cols = forward ? problem.c_out : problem.c_in;
  const bool has_bias = forward && problem.bias && !inputs.bias.empty();
  const bool has_residual = forward && problem.epilogue.residual;
  Expected expected = make_expected<kScales>(lists.size(), cols);

  const int64_t col_blocks = (cols + kBlockCols - 1) / kBlockCols;
  parallel_for((lists.size() + kBlockRows - 1) / kBlockRows * col_blocks, [&](int64_t block) {
    const int64_t first = block / col_blocks * kBlockRows,
                  last = std::min(first + kBlockRows, lists.size());
    const int64_t col = block % col_blocks * kBlockCols, width = std::min(kBlockCols, cols - col);
    RunningSums<kScales> sums(static_cast<size_t>((last - first) * width));
    const auto begin_of = [&](int64_t row) { return static_cast<size_t>((row - first) * width); };
    if (has_bias) {
      const auto own = inputs.bias.subspan(static_cast<size_t>(col), static_cast<size_t>(width));
      const TileProduct<kScales> bias = bias_tile<kScales>(own);
      for (int64_t row = first; row < last; ++row) sums.add(begin_of(row), bias, 0, 1);
    }

    std::vector<int64_t> next(lists.begin.begin() + first, lists.begin.begin() + last);
    std::vector<int64_t> tile_rows;
    Matrix<float> gathered;
    Factor<kScales> a;
    TileProduct<kScales> tile;
    for (;;) {
      // The rows whose next pair has the smallest offset make a tile.
      int32_t offset = std::numeric_limits<int32_t>::max();
      for (int64_t row = first; row < last; ++row) {
        const int64_t pair = next[static_cast<size_t>(row - first)];
        if (pair >= lists.begin[static_cast<size_t>(row) + 1]) continue;
        const int32_t candidate = lists.pairs[static_cast<size_t>(pair)].offset;
        if (candidate < offset) {
          offset = candidate;
          tile_rows.clear();
        }
        if (candidate == offset) tile_rows.push_back(row);
      }
      if (offset == std::numeric_limits<int32_t>::max()) break;

      const auto tile_height = static_cast<int64_t>(tile_rows.size());
      gathered.resize(tile_height, depth);
      for (int64_t i = 0; i < tile_height; ++i) {
        int64_t& pair = next[static_cast<size_t>(tile_rows[static_cast<size_t>(i)] - first)];
        const float* row = source.data() + lists.pairs[static_cast<size_t>(pair)].other * depth;
        std::copy_n(row, depth, gathered.row(i).data());
        ++pair;
      }
      a.assign(gathered);
      tile.clear(tile_height, width);
      tile.add(a, weight_factor<kScales>(problem, inputs.weights, offset, col, width));
      for (int64_t i = 0; i < tile_height; ++i)
        sums.add(begin_of(tile_rows[static_cast<size_t>(i)]), tile, i, static_cast<double>(depth));
      tile_rows.clear();
    }
    for (int64_t row = first; has_residual && row < last; ++row) {
      const auto whole_row = rows.empty() ? row : rows[static_cast<size_t>(row)];
      add_terms(inputs.residual.subspan(static_cast<size_t>(whole_row * cols + col),
                                        static_cast<size_t>(width)),
                sums, begin_of(row));
    }
    for (int64_t row = first; row < last; ++row)
      sums.finish(begin_of(row), static_cast<size_t>(width), expected,
                  static_cast<size_t>(row * cols + col));
  });
  return expected;
}

template Expected row_products<true>(const Problem&, const MapSet&, int64_t, const Inputs&,
                                     std::span<const int64_t>, std::span<const Triple>);
template Expected row_products<false>(const Problem&, const MapSet&, int64_t, const Inputs&,
                                      std::span<const int64_t>, std::span<const Triple>);

}  // namespace spb::reference
