// SPDX-License-Identifier: Apache-2.0
#include "verify/row_sums.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "core/parallel.h"
#include "core/tensors.h"
#include "verify/dot.h"
#include "verify/pairs_per_row.h"

namespace spb::verify {
namespace {

constexpr int64_t kRowChunk = 1 << 14;  // rows or pairs of one piece of work

int64_t chunks(int64_t count) { return (count + kRowChunk - 1) / kRowChunk; }

template <typename T>
T dot_of(const float* row, const T* vector, int64_t n, bool square) {
  return square ? dot<T, true>(row, vector, n) : dot<T>(row, vector, n);
}

/// W_o^T r (fprop) or W_o r (dgrad) of every lane: [kernel_volume][lanes, columns of the source].
template <typename T>
Lanes<T> fold(const Problem& p, std::span<const float> weights, const Lanes<T>& vectors,
              size_t squared_lane) {
  const GemmView view = gemm_view(p);
  const int64_t depth = view.source_columns(), kv = p.kernel_volume(), pitch = weight_row_pitch(p);
  const int64_t group_in = p.group_c_in(), group_out = p.group_c_out();
  Lanes<T> folded(static_cast<size_t>(kv));
  parallel_for(kv, [&](int64_t o) {
    std::vector<T>& own = folded[static_cast<size_t>(o)];
    own.resize(vectors.size() * static_cast<size_t>(depth));
    for (size_t lane = 0; lane < vectors.size(); ++lane) {
      T* sums = own.data() + lane * static_cast<size_t>(depth);
      const T* r = vectors[lane].data();
      for (int64_t j = 0; j < p.c_out; ++j) {
        const float* row = weights.data() + j * pitch + o * view.offset_pitch;
        const int64_t first = j / group_out * group_in;  // input channel of the group
        if (view.transposed) {
          sums[j] = dot_of(row, r + first, group_in, lane == squared_lane);
          continue;
        }
        for (int64_t i = 0; i < group_in; ++i) {
          const T w = number<T>(row[i]);
          sums[first + i] += (lane == squared_lane ? w * w : w) * r[j];
        }
      }
    }
  });
  return folded;
}

/// Vectors over sums instead of outputs, which are `scale` times them; empty: 1.
Lanes<double> scaled(Lanes<double> vectors, std::span<const float> scale, size_t squared_lane) {
  for (size_t lane = 0; lane < vectors.size(); ++lane)
    for (size_t j = 0; j < scale.size(); ++j) {
      const auto factor = static_cast<double>(scale[j]);
      vectors[lane][j] *= lane == squared_lane ? factor * factor : factor;
    }
  return vectors;
}

/// fprop and dgrad: every pair adds source[from] . folded[offset] to row `to`.
template <typename T>
void add_pairs(const Problem& p, const MapSet& map, const HostOperands& operands,
               const Lanes<T>& vectors, size_t squared_lane, std::vector<T>& sums) {
  const GemmView view = gemm_view(p);
  const bool forward = !view.transposed;
  const std::span<const float> source = forward ? operands.in : operands.gout;
  const int64_t depth = view.source_columns();
  const size_t lanes = vectors.size();
  const Lanes<T> folded = fold(p, operands.weights, vectors, squared_lane);
  for (int o = 0; o < p.kernel_volume(); ++o) {
    const T* vector = folded[static_cast<size_t>(o)].data();
    for_pairs_of(map, o, [&](const Triple& t) {
      const float* row = source.data() + (forward ? t.in : t.out) * depth;
      T* to = sums.data() + static_cast<size_t>(forward ? t.out : t.in) * lanes;
      for (size_t lane = 0; lane < lanes; ++lane)
        to[lane] +=
            dot_of(row, vector + static_cast<int64_t>(lane) * depth, depth, lane == squared_lane);
    });
  }
}

/// in[p] . r of every group and lane, [groups, lanes].
template <typename T>
void project(const Problem& p, const float* row, const Lanes<T>& vectors, size_t squared_lane,
             T* to) {
  const int64_t depth = p.group_c_in();
  for (int group = 0; group < p.groups; ++group, row += depth)
    for (size_t lane = 0; lane < vectors.size(); ++lane)
      *to++ = dot_of(row, vectors[lane].data(), depth, lane == squared_lane);
}

/// wgrad: every pair adds gout[u, j] * (in[p] . r) to row (j, offset), with in[p] of j's group.
template <typename T>
void add_outer(const Problem& p, const MapSet& map, int64_t n_in, const HostOperands& operands,
               const Lanes<T>& vectors, size_t squared_lane, std::vector<T>& sums) {
  const size_t lanes = vectors.size(), c_out = static_cast<size_t>(p.c_out);
  // Of one group once for each row; of many it is as large as the inputs, and made for each pair.
  const bool kept = p.groups == 1;
  const auto project_row = [&](int64_t row, T* to) {
    project(p, operands.in.data() + row * p.c_in, vectors, squared_lane, to);
  };
  UninitializedVector<T> projected(kept ? static_cast<size_t>(n_in) * lanes : 0);
  parallel_for(kept ? chunks(n_in) : 0, [&](int64_t chunk) {
    for (int64_t row = chunk * kRowChunk; row < std::min((chunk + 1) * kRowChunk, n_in); ++row)
      project_row(row, projected.data() + static_cast<size_t>(row) * lanes);
  });
  struct Work {
    int offset;
    std::span<const Triple> pairs;
  };
  std::vector<Work> work;
  for (int o = 0; o < p.kernel_volume(); ++o)
    for (std::span<const Triple> rest = pairs_of(map, o); !rest.empty();) {
      const size_t count = std::min<size_t>(kRowChunk, rest.size());
      work.push_back({o, rest.first(count)});
      rest = rest.subspan(count);
    }
  Lanes<T> parts(work.size());
  parallel_for(static_cast<int64_t>(work.size()), [&](int64_t item) {
    std::vector<T>& own = parts[static_cast<size_t>(item)];
    own.resize(lanes * c_out);
    const size_t per_group = c_out / static_cast<size_t>(p.groups);
    std::vector<T> of_pair(kept ? 0 : static_cast<size_t>(p.groups) * lanes);
    for (const Triple& t : work[static_cast<size_t>(item)].pairs) {
      const float* gout = operands.gout.data() + static_cast<size_t>(t.out) * c_out;
      if (!kept) project_row(t.in, of_pair.data());
      const T* products =
          kept ? projected.data() + static_cast<size_t>(t.in) * lanes : of_pair.data();
      for (size_t lane = 0; lane < lanes; ++lane) {
        T* to = own.data() + lane * c_out;
        for (size_t first = 0; first < c_out; first += per_group) {
          const T product = products[first / per_group * lanes + lane];
          for (size_t j = first; j < first + per_group; ++j) {
            const T g = number<T>(gout[j]);
            to[j] += (lane == squared_lane ? g * g : g) * product;
          }
        }
      }
    }
  });
  for (size_t item = 0; item < work.size(); ++item)
    for (size_t lane = 0; lane < lanes; ++lane)
      for (size_t j = 0; j < c_out; ++j) {
        const size_t row =
            j * static_cast<size_t>(p.kernel_volume()) + static_cast<size_t>(work[item].offset);
        sums[row * lanes + lane] += parts[item][lane * c_out + j];
      }
}

}  // namespace

int64_t output_rows(const Problem& p, const MapSet& map, int64_t n_in) {
  return main_output(p, {n_in, static_cast<int64_t>(map.out_coords.size())}).shape.rows();
}

int64_t output_cols(const Problem& p) { return main_output(p, {}).shape.columns(); }

template <typename T>
std::vector<T> row_sums(const Problem& p, const MapSet& map, int64_t n_in,
                        const HostOperands& operands, const Lanes<T>& vectors,
                        size_t squared_lane) {
  const size_t lanes = vectors.size();
  std::vector<T> sums(static_cast<size_t>(output_rows(p, map, n_in)) * lanes);
  if (p.direction == Direction::wgrad) {
    add_outer(p, map, n_in, operands, vectors, squared_lane, sums);
    return sums;
  }
  if constexpr (std::is_same_v<T, double>)
    add_pairs(p, map, operands, scaled(vectors, operands.scale, squared_lane), squared_lane, sums);
  else
    add_pairs(p, map, operands, vectors, squared_lane, sums);
  if (p.direction != Direction::fprop) return sums;
  const double residual_scale =
      operands.residual_scale.empty() ? 1 : static_cast<double>(operands.residual_scale[0]);
  const auto residual_factor = [&](size_t lane) {
    return static_cast<T>(lane == squared_lane ? residual_scale * residual_scale : residual_scale);
  };
  if (p.epilogue.residual)
    parallel_for(chunks(output_rows(p, map, n_in)), [&](int64_t chunk) {
      const auto end = std::min((chunk + 1) * kRowChunk, output_rows(p, map, n_in));
      for (int64_t row = chunk * kRowChunk; row < end; ++row)
        for (size_t lane = 0; lane < lanes; ++lane)
          sums[static_cast<size_t>(row) * lanes + lane] +=
              residual_factor(lane) * dot_of(operands.residual.data() + row * p.c_out,
                                             vectors[lane].data(), p.c_out, lane == squared_lane);
    });
  if (!p.bias || operands.bias.empty()) return sums;
  for (size_t lane = 0; lane < lanes; ++lane) {
    const T bias =
        dot_of(operands.bias.data(), vectors[lane].data(), p.c_out, lane == squared_lane);
    for (size_t i = lane; i < sums.size(); i += lanes) sums[i] += bias;
  }
  return sums;
}

template std::vector<uint64_t> row_sums(const Problem&, const MapSet&, int64_t, const HostOperands&,
                                        const Lanes<uint64_t>&, size_t);
template std::vector<double> row_sums(const Problem&, const MapSet&, int64_t, const HostOperands&,
                                      const Lanes<double>&, size_t);

std::vector<double> terms_per_row(const Problem& p, const MapSet& map, int64_t n_in) {
  std::vector<double> terms(static_cast<size_t>(output_rows(p, map, n_in)));
  if (p.direction == Direction::wgrad) {
    for (size_t row = 0; row < terms.size(); ++row)
      terms[row] = static_cast<double>(
          pairs_of(map, static_cast<int>(row % static_cast<size_t>(p.kernel_volume()))).size());
    return terms;
  }
  const GemmView view = gemm_view(p);
  const std::vector<int32_t> pairs =
      pairs_per_row(map, p.kernel_volume(), !view.transposed, static_cast<int64_t>(terms.size()));
  for (size_t row = 0; row < terms.size(); ++row)
    terms[row] = static_cast<double>(pairs[row]) * view.k;
  return terms;
}

}  // namespace spb::verify
