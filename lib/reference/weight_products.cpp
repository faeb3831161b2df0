// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"
#include "reference/products.h"
#include "reference/tile_product.h"

namespace spb::reference {
namespace {

constexpr int64_t kBlockPairs = 1024;   // gathered at a time: bounds the memory of a thread
constexpr int64_t kBlockChannels = 64;  // output channels of one piece of work
// Tiles of few channels are many at a time, for all processors, as there may be few pieces, and one
// with far more pairs than others: as many as have so many sums and so many gathered values.
constexpr int64_t kMostTiles = 64, kMostSums = 1 << 14, kMostValues = 1 << 20;
// Rows of pairs lie anywhere: a read that begins so many pairs early has arrived when its turn
// comes. Measured with 64 channels; fewer wait longer, more push out what was fetched.
constexpr int64_t kPairsAhead = 24;

/// Begins to read a row.
void prefetch(const float* row, int64_t values) {
  constexpr int64_t kLine = 64 / sizeof(float);
  for (int64_t i = 0; i < values; i += kLine) __builtin_prefetch(row + i);
}

/// One tile: sums over pairs of gout (its channels from `channel`, transposed) times in.
template <bool kScales>
class PairTile {
 public:
  PairTile(const Problem& problem, const Inputs& inputs, int64_t channel, int64_t channels)
      : problem_(problem), inputs_(inputs), channel_(channel), channels_(channels) {}

  void multiply(std::span<const Triple> pairs) {
    product_.clear(channels_, problem_.c_in);
    for (size_t begin = 0; begin < pairs.size(); begin += kBlockPairs) {
      gather(pairs.subspan(begin, std::min<size_t>(kBlockPairs, pairs.size() - begin)));
      product_.add_transposed(a_, b_);
    }
    length_ = static_cast<double>(pairs.size());
  }
  /// To the sums [channels, c_in].
  void add_to(RunningSums<kScales>& sums) const {
    for (int64_t j = 0; j < channels_; ++j)
      sums.add(static_cast<size_t>(j * problem_.c_in), product_, j, length_);
  }

 private:
  void gather(std::span<const Triple> pairs) {
    const auto count = static_cast<int64_t>(pairs.size());
    a_.resize(count, channels_);
    b_.resize(count, problem_.c_in);
    for (int64_t i = 0; i < count; ++i) {
      if (i + kPairsAhead < count) {
        const Triple& later = pairs[static_cast<size_t>(i + kPairsAhead)];
        prefetch(gout_row(later), channels_);
        prefetch(in_row(later), problem_.c_in);
      }
      const Triple& pair = pairs[static_cast<size_t>(i)];
      a_.assign_row(i, gout_row(pair));
      b_.assign_row(i, in_row(pair));
    }
  }
  const float* gout_row(const Triple& pair) const {
    return inputs_.gout.data() + int64_t{pair.out} * problem_.c_out + channel_;
  }
  const float* in_row(const Triple& pair) const {
    return inputs_.in.data() + int64_t{pair.in} * problem_.c_in;
  }

  const Problem& problem_;
  const Inputs& inputs_;
  int64_t channel_, channels_;
  Factor<kScales> a_, b_;  // [pairs, channels]
  TileProduct<kScales> product_;
  double length_ = 0;
};

}  // namespace

template <bool kScales>
Expected weight_products(const Problem& problem, const MapSet& map, const Inputs& inputs) {
  const int64_t kernel_volume = problem.kernel_volume(), c_in = problem.c_in;
  Expected expected = make_expected<kScales>(problem.c_out * kernel_volume, c_in);
  const int64_t channel_blocks = (problem.c_out + kBlockChannels - 1) / kBlockChannels;
  parallel_for(kernel_volume * channel_blocks, [&](int64_t item) {
    const int64_t offset = item / channel_blocks, channel = item % channel_blocks * kBlockChannels;
    const int64_t channels = std::min(kBlockChannels, problem.c_out - channel);
    const auto found =
        std::ranges::equal_range(map.triples, static_cast<int32_t>(offset), {}, &Triple::offset);
    const std::span<const Triple> pairs(found);
    const auto length = static_cast<size_t>(tile_length(static_cast<int64_t>(pairs.size())));

    RunningSums<kScales> sums(static_cast<size_t>(channels * c_in));
    const int64_t at_once = std::clamp<int64_t>(
        std::min(kMostSums / (channels * c_in), kMostValues / (kBlockPairs * (channels + c_in))), 1,
        kMostTiles);
    std::vector<PairTile<kScales>> tiles(static_cast<size_t>(at_once),
                                         {problem, inputs, channel, channels});
    const size_t step = tiles.size() * length;
    for (size_t first = 0; first < pairs.size(); first += step) {
      const auto some = pairs.subspan(first, std::min(step, pairs.size() - first));
      const size_t count = (some.size() + length - 1) / length;
      parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
        const size_t begin = static_cast<size_t>(i) * length;
        tiles[static_cast<size_t>(i)].multiply(
            some.subspan(begin, std::min(length, some.size() - begin)));
      });
      for (size_t i = 0; i < count; ++i) tiles[i].add_to(sums);
    }
    for (int64_t j = 0; j < channels; ++j)
      sums.finish(static_cast<size_t>(j * c_in), static_cast<size_t>(c_in), expected,
                  static_cast<size_t>(((channel + j) * kernel_volume + offset) * c_in));
  });
  return expected;
}

template <bool kScales>
Expected bias_gradient(const Problem& problem, int64_t n_out, std::span<const float> gout) {
  const int64_t c_out = problem.c_out, length = tile_length(n_out);
  std::vector<TileProduct<kScales>> tiles(static_cast<size_t>((n_out + length - 1) / length));
  parallel_for(static_cast<int64_t>(tiles.size()), [&](int64_t at) {
    const int64_t begin = at * length, end = std::min(begin + length, n_out);
    TileProduct<kScales>& tile = tiles[static_cast<size_t>(at)];
    tile.clear(1, c_out);
    for (int64_t row = begin; row < end; row += kBlockPairs) {
      const int64_t rows = std::min(kBlockPairs, end - row);
      const Eigen::Map<const Matrix<float>> part(gout.data() + row * c_out, rows, c_out);
      tile.add(Factor<kScales>(Matrix<float>::Ones(1, rows)), Factor<kScales>(part));
    }
  });
  RunningSums<kScales> sums(static_cast<size_t>(c_out));
  int64_t left = n_out;
  for (const TileProduct<kScales>& tile : tiles) {
    sums.add(0, tile, 0, static_cast<double>(std::min(length, left)));
    left -= length;
  }
  Expected expected = make_expected<kScales>(1, c_out);
  sums.finish(0, static_cast<size_t>(c_out), expected, 0);
  return expected;
}

template Expected weight_products<true>(const Problem&, const MapSet&, const Inputs&);
template Expected weight_products<false>(const Problem&, const MapSet&, const Inputs&);
template Expected bias_gradient<true>(const Problem&, int64_t, std::span<const float>);
template Expected bias_gradient<false>(const Problem&, int64_t, std::span<const float>);

}  // namespace spb::reference
