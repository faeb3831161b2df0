// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "core/parallel.h"
#include "core/split_mix.h"
#include "core/tensors.h"
#include "verify/pairs_per_row.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

/// Parts of the sampled rows: at each end, of each extreme.
constexpr int64_t kEndsPart = 32, kExtremesPart = 8;

bool at_edge(const Coord& c, const Box& box) {
  return c.x == 0 || c.y == 0 || c.z == 0 || c.x == box.shape[0] - 1 || c.y == box.shape[1] - 1 ||
         c.z == box.shape[2] - 1;
}

/// As many of the most as `max_macs` pays for, at least the least; all of fewer.
int64_t rows_of_sample(const Problem& problem, int64_t n, size_t n_pairs, double max_macs,
                       const SampleSize& size) {
  const double macs_per_row = static_cast<double>(n_pairs) * problem.c_out * problem.group_c_in() /
                              static_cast<double>(std::max<int64_t>(n, 1));
  const double rows = max_macs / std::max(macs_per_row, 1.0);
  return std::min(n, static_cast<int64_t>(std::clamp(rows, static_cast<double>(size.least_rows),
                                                     static_cast<double>(size.most_rows))));
}

/// Rows by their number of pairs, at most `most`; equal ones ascend. By counting: rows are many.
std::vector<int64_t> rows_by_count(std::span<const int32_t> pairs, int most) {
  std::vector<int64_t> next(static_cast<size_t>(most) + 2);
  for (const int32_t count : pairs) ++next[static_cast<size_t>(count) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<int64_t> rows(pairs.size());
  for (size_t row = 0; row < pairs.size(); ++row)
    rows[static_cast<size_t>(next[static_cast<size_t>(pairs[row])]++)] = static_cast<int64_t>(row);
  return rows;
}

/// Groups of a sample, and the most channels of a side of each.
struct ChannelCount {
  int groups, channels;
};

/// As many groups as have so many `channels` of a side together, and of each all channels, but so
/// many at most. More where kernels have so few offsets that this were no verdict: groups, then
/// channels.
ChannelCount channels_of_sample(const Problem& problem, int channels) {
  const int in = problem.group_c_in(), out = problem.group_c_out(), all = std::max(in, out);
  ChannelCount size{1, channels};
  const auto elements = [&] {
    return int64_t{problem.kernel_volume()} * size.groups * std::min(size.channels, in) *
           std::min(size.channels, out);
  };
  while (size.groups < problem.groups &&
         (size.groups * all < channels || elements() < kMinCompared))
    ++size.groups;
  while (size.channels < all && elements() < kMinCompared) ++size.channels;
  return size;
}

/// The first and last of `count` numbers and random ones between, ascending, at most `most`.
std::vector<int> choose(int count, int most, SplitMix& random) {
  std::vector<int> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  if (count <= most) return all;
  std::swap(all[1], all.back());  // positions 0 and 1 stay: the first and last channel
  for (size_t i = 2; i < static_cast<size_t>(most); ++i)
    std::swap(all[i], all[i + random.below(static_cast<uint32_t>(all.size() - i))]);
  all.resize(static_cast<size_t>(most));
  std::ranges::sort(all);
  return all;
}

Floats pick_columns(std::span<const float> rows, int cols, std::span<const int> chosen) {
  constexpr int64_t kChunk = 1 << 14;
  const int64_t n = static_cast<int64_t>(rows.size()) / cols;
  Floats picked(static_cast<size_t>(n) * chosen.size());
  parallel_for((n + kChunk - 1) / kChunk, [&](int64_t chunk) {
    for (int64_t row = chunk * kChunk; row < std::min((chunk + 1) * kChunk, n); ++row) {
      float* to = picked.data() + static_cast<size_t>(row) * chosen.size();
      for (const int col : chosen) *to++ = rows[static_cast<size_t>(row * cols + col)];
    }
  });
  return picked;
}

/// The same of an operand that is to be drawn.
Floats draw_columns(const OperandDraw& operand, int cols, std::span<const int> chosen) {
  constexpr int64_t kChunk = 1 << 14;
  const int64_t n = operand.count / cols;
  const auto width = static_cast<int64_t>(chosen.size());
  Floats picked(static_cast<size_t>(n * width));
  parallel_for((n + kChunk - 1) / kChunk, [&](int64_t chunk) {
    const int64_t begin = chunk * kChunk, end = std::min(begin + kChunk, n);
    float* to = picked.data() + begin * width;
    with_kind(operand.draw.kind, [&]<Draw::Kind kKind>() {
      for (int64_t row = begin; row < end; ++row)
        for (const int col : chosen) {
          SplitMix random = operand.draw.random_at(row * cols + col);
          *to++ = drawn_as<kKind>(operand.draw, random);
        }
    });
    operand.finish(std::span(picked).subspan(static_cast<size_t>(begin * width),
                                             static_cast<size_t>((end - begin) * width)));
  });
  for (const Patch& patch : operand.patches) {
    const auto found = std::ranges::lower_bound(chosen, patch.element % cols);
    if (found != chosen.end() && *found == patch.element % cols)
      picked[static_cast<size_t>(patch.element / cols * width + (found - chosen.begin()))] =
          patch.value;
  }
  return picked;
}

Floats columns_of(const HostOperands& operands, Tensor tensor, int cols,
                  std::span<const int> chosen) {
  if (const OperandDraw* operand = operands.find_draw(tensor))
    return draw_columns(*operand, cols, chosen);
  return pick_columns(*operands.find(tensor), cols, chosen);
}

}  // namespace

std::vector<int64_t> sample_rows(const Problem& problem, const VoxelSet& voxels, const MapSet& map,
                                 double max_macs, uint64_t seed, const SampleSize& size) {
  if (problem.direction == Direction::wgrad) return {};
  const bool forward = problem.direction == Direction::fprop;
  const std::span<const Coord> coords = forward ? map.out_coords : input_coords(map, voxels);
  const bool makes_inputs = problem.geometry.kind == ConvKind::inverse;
  const Box box =
      forward != makes_inputs ? made_grid(voxels.box, problem.geometry).box : voxels.box;
  const auto n = static_cast<int64_t>(coords.size());
  std::vector<int64_t> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  const int64_t wanted = rows_of_sample(problem, n, map.triples.size(), max_macs, size);
  if (wanted == n) return rows;
  const int64_t ends = wanted / kEndsPart, extremes = wanted / kExtremesPart;

  const std::vector<int32_t> pairs = pairs_per_row(map, problem.kernel_volume(), forward, n);
  std::vector<bool> chosen(static_cast<size_t>(n));
  int64_t count = 0;
  const auto choose = [&](int64_t row) {
    if (!chosen[static_cast<size_t>(row)]) ++count;
    chosen[static_cast<size_t>(row)] = true;
  };
  for (int64_t i = 0; i < ends; ++i) {
    choose(i);
    choose(n - 1 - i);
  }
  const std::vector<int64_t> sorted = rows_by_count(pairs, problem.kernel_volume());
  for (int64_t i = 0; i < extremes; ++i) {
    choose(sorted[static_cast<size_t>(i)]);
    choose(sorted[static_cast<size_t>(n - 1 - i)]);
  }
  int64_t at_box_edge = 0;
  for (int64_t row = 0; row < n && at_box_edge < extremes; ++row)
    if (at_edge(coords[static_cast<size_t>(row)], box)) {
      choose(row);
      ++at_box_edge;
    }
  SplitMix random(seed, 7);
  while (count < wanted) choose(static_cast<int64_t>(random.uniform() * static_cast<double>(n)));

  std::erase_if(rows, [&](int64_t row) { return !chosen[static_cast<size_t>(row)]; });
  return rows;
}

ChannelSample sample_channels(const Problem& problem, const HostOperands& operands, uint64_t seed,
                              const SampleSize& asked) {
  ChannelSample sample;
  SplitMix random(seed, 8);
  const ChannelCount size = channels_of_sample(problem, asked.channels);
  const auto add = [&](std::vector<int>& to, int group, int channels) {
    for (const int channel : choose(channels, size.channels, random))
      to.push_back(group * channels + channel);
  };
  for (const int group : choose(problem.groups, size.groups, random)) {
    add(sample.in, group, problem.group_c_in());
    add(sample.out, group, problem.group_c_out());
  }
  sample.problem = problem;
  sample.problem.groups = size.groups;
  sample.problem.c_in = static_cast<int>(sample.in.size());
  sample.problem.c_out = static_cast<int>(sample.out.size());
  sample.operands.in = columns_of(operands, Tensor::in, problem.c_in, sample.in);
  sample.operands.gout = columns_of(operands, Tensor::gout, problem.c_out, sample.out);
  return sample;
}

std::vector<float> ChannelSample::pick(std::span<const float> gw, const Problem& whole) const {
  const auto pitch = static_cast<size_t>(weight_row_pitch(whole));  // of one output channel
  const auto of_group = static_cast<size_t>(problem.group_c_in());
  std::vector<float> picked;
  for (size_t j = 0; j < out.size(); ++j) {
    const size_t group = j / static_cast<size_t>(problem.group_c_out());
    std::vector<int> columns(in.begin() + static_cast<std::ptrdiff_t>(group * of_group),
                             in.begin() + static_cast<std::ptrdiff_t>((group + 1) * of_group));
    for (int& column : columns) column %= whole.group_c_in();
    const auto part = pick_columns(gw.subspan(static_cast<size_t>(out[j]) * pitch, pitch),
                                   whole.group_c_in(), columns);
    picked.insert(picked.end(), part.begin(), part.end());
  }
  return picked;
}

}  // namespace spb::verify
