// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/parallel.h"
#include "reference/pairs_by_row.h"
#include "reference/products.h"
#include "reference/tile_product.h"

namespace spb::reference {
namespace {

constexpr int64_t kGroupBlockRows = 64,
                  kGroupBlockCols = 256;  // of running sums that a cache holds

/// The sums of one tile of one element.
struct ElementTile {
  double sum = 0, squares = 0, abs = 0;
  void add(float a, float b) {
    const double product = static_cast<double>(a) * static_cast<double>(b);
    sum += product;
    squares += product * product;
    abs += std::abs(product);
  }
};

/// Channels of one group: g has inputs [g * in, (g + 1) * in) and outputs [g * out, (g + 1) * out).
struct GroupSizes {
  int64_t in, out, kernel_volume;
  explicit GroupSizes(const Problem& problem)
      : in(problem.c_in / problem.groups),
        out(problem.c_out / problem.groups),
        kernel_volume(problem.kernel_volume()) {}

  /// Where the weight of output channel j, offset o and input i of its group stands.
  int64_t weight(int64_t j, int64_t o, int64_t i) const { return (j * kernel_volume + o) * in + i; }
};

/// out[u, j]: the products of one pair.
ElementTile forward_tile(const GroupSizes& sizes, const float* in_row, const float* weights,
                         int64_t j, int64_t offset) {
  ElementTile tile;
  const float* inputs = in_row + j / sizes.out * sizes.in;
  for (int64_t i = 0; i < sizes.in; ++i) tile.add(inputs[i], weights[sizes.weight(j, offset, i)]);
  return tile;
}

/// gin[p, i]: the products of one pair.
ElementTile backward_tile(const GroupSizes& sizes, const float* gout_row, const float* weights,
                          int64_t i, int64_t offset) {
  ElementTile tile;
  const int64_t first = i / sizes.in * sizes.out;
  for (int64_t j = first; j < first + sizes.out; ++j)
    tile.add(gout_row[j], weights[sizes.weight(j, offset, i % sizes.in)]);
  return tile;
}

int64_t blocks(int64_t count, int64_t size) { return (count + size - 1) / size; }

}  // namespace

template <bool kScales>
Expected grouped_row_products(const Problem& problem, const MapSet& map, int64_t n_in,
                              const Inputs& inputs, std::span<const int64_t> rows,
                              std::span<const Triple> pairs) {
  const bool forward = problem.direction == Direction::fprop;
  const auto n_out = static_cast<int64_t>(map.out_coords.size());
  const PairsByRow lists = pairs_by_row(pairs, forward, forward ? n_out : n_in, rows);
  const GroupSizes sizes(problem);
  const int64_t cols = forward ? problem.c_out : problem.c_in;
  const int64_t source_cols = forward ? problem.c_in : problem.c_out;
  const float* source = (forward ? inputs.in : inputs.gout).data();
  const auto length = static_cast<double>(forward ? sizes.in : sizes.out);
  const auto tile_of = forward ? forward_tile : backward_tile;
  const bool has_bias = forward && problem.bias && !inputs.bias.empty();
  Expected expected = make_expected<kScales>(lists.size(), cols);

  parallel_for(blocks(lists.size(), kGroupBlockRows), [&](int64_t block) {
    const int64_t first = block * kGroupBlockRows,
                  last = std::min(first + kGroupBlockRows, lists.size());
    RunningSums<kScales> sums(static_cast<size_t>(cols));
    for (int64_t row = first; row < last; ++row) {
      sums.resize(static_cast<size_t>(cols));
      const auto add = [&](int64_t col, const ElementTile& tile, double products) {
        sums.add(static_cast<size_t>(col), tile.sum, tile.squares, tile.abs, products);
      };
      for (int64_t col = 0; has_bias && col < cols; ++col) {
        ElementTile bias;
        bias.add(1, inputs.bias[static_cast<size_t>(col)]);
        add(col, bias, 1);
      }
      const auto end = static_cast<size_t>(lists.begin[static_cast<size_t>(row) + 1]);
      for (auto at = static_cast<size_t>(lists.begin[static_cast<size_t>(row)]); at < end; ++at) {
        const RowPair& pair = lists.pairs[at];
        const float* source_row = source + pair.other * source_cols;
        for (int64_t col = 0; col < cols; ++col)
          add(col, tile_of(sizes, source_row, inputs.weights.data(), col, pair.offset), length);
      }
      if (forward && problem.epilogue.residual) {
        const auto whole_row = rows.empty() ? row : rows[static_cast<size_t>(row)];
        add_terms(inputs.residual.subspan(static_cast<size_t>(whole_row * cols),
                                          static_cast<size_t>(cols)),
                  sums, 0);
      }
      sums.finish(0, static_cast<size_t>(cols), expected, static_cast<size_t>(row * cols));
    }
  });
  return expected;
}

template <bool kScales>
Expected grouped_weight_products(const Problem& problem, const MapSet& map, const Inputs& inputs) {
  const GroupSizes sizes(problem);
  Expected expected = make_expected<kScales>(problem.c_out * sizes.kernel_volume, sizes.in);
  const int64_t channel_blocks = blocks(problem.c_out, kGroupBlockCols);
  parallel_for(sizes.kernel_volume * channel_blocks, [&](int64_t item) {
    const int64_t offset = item / channel_blocks, channel = item % channel_blocks * kGroupBlockCols;
    const int64_t channels = std::min(kGroupBlockCols, problem.c_out - channel);
    const auto found =
        std::ranges::equal_range(map.triples, static_cast<int32_t>(offset), {}, &Triple::offset);
    const std::span<const Triple> pairs(found);
    const auto length = static_cast<size_t>(tile_length(static_cast<int64_t>(pairs.size())));

    RunningSums<kScales> sums(static_cast<size_t>(channels * sizes.in));
    std::vector<ElementTile> tiles;
    for (size_t begin = 0; begin < pairs.size(); begin += length) {
      const auto part = pairs.subspan(begin, std::min(length, pairs.size() - begin));
      tiles.assign(static_cast<size_t>(channels * sizes.in), {});
      for (const Triple& pair : part) {
        const float* gout = inputs.gout.data() + int64_t{pair.out} * problem.c_out;
        const float* in = inputs.in.data() + int64_t{pair.in} * problem.c_in;
        ElementTile* tile = tiles.data();
        for (int64_t j = channel; j < channel + channels; ++j)
          for (int64_t i = 0; i < sizes.in; ++i)
            (tile++)->add(gout[j], in[j / sizes.out * sizes.in + i]);
      }
      for (size_t i = 0; i < tiles.size(); ++i)
        sums.add(i, tiles[i].sum, tiles[i].squares, tiles[i].abs, static_cast<double>(part.size()));
    }
    for (int64_t j = 0; j < channels; ++j)
      sums.finish(static_cast<size_t>(j * sizes.in), static_cast<size_t>(sizes.in), expected,
                  static_cast<size_t>(sizes.weight(channel + j, offset, 0)));
  });
  return expected;
}

template Expected grouped_row_products<true>(const Problem&, const MapSet&, int64_t, const Inputs&,
                                             std::span<const int64_t>, std::span<const Triple>);
template Expected grouped_row_products<false>(const Problem&, const MapSet&, int64_t, const Inputs&,
                                              std::span<const int64_t>, std::span<const Triple>);
template Expected grouped_weight_products<true>(const Problem&, const MapSet&, const Inputs&);
template Expected grouped_weight_products<false>(const Problem&, const MapSet&, const Inputs&);

}  // namespace spb::reference
