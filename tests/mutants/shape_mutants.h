// SPDX-License-Identifier: Apache-2.0
// Mutants that are wrong only on shapes that data may happen not to have: right on sphere:16.
#pragma once

#include <map>

#include "mutant_layers.h"
#include "mutants.h"
#include "number_mutants.h"

namespace spb::mutants {

/// The last row or offset, where the number of input rows leaves `Rest` of a tile.
template <int TileRows, int Rest>
void lose_the_tail(State& s, std::vector<float>& out) {
  if (s.n_in % TileRows == Rest) std::fill(out.end() - s.cols(), out.end(), 0.f);
}

inline void lose_the_last_odd_channel(State& s, std::vector<float>& out) {
  if (s.cols() % 2 == 0) return;
  for (auto last = out.begin() + s.cols() - 1; last < out.end(); last += s.cols()) *last = 0;
}

// The first batch alone.
inline bool is_of_first_batch(const State& s, const Triple& t) {
  return s.map.out_coords[static_cast<size_t>(t.out)].batch == 0;
}

// The map of the first plan that had as many rows.
template <int Mutant>
void take_the_first_map(State& s) {
  static std::map<int64_t, MapSet> kept;
  s.map = kept.try_emplace(s.n_in, s.map).first->second;
}

constexpr Mutant shape_row(const char* name, const char* summary, Direction direction, Dtype dtype,
                           Layer layer, const char* seen_by, const Hooks& hooks) {
  return {name, summary, direction, dtype, layer, seen_by, hooks, "--shapes on"};
}

inline constexpr Mutant kShapeMutants[] = {
    shape_row("shapes_control", "correct on every shape", kFprop, Dtype::f16, kSubm, kNothing, {}),
    shape_row("shapes_control_of_depthwise", "correct on every shape", kDgrad, Dtype::f32,
              kDepthwise, kNothing, {}),
    shape_row("shapes_control_of_strided", "correct on every shape", kWgrad, Dtype::bf16, kStrided,
              kNothing, {}),
    shape_row("shapes_control_of_inverse", "correct on every shape", kFprop, Dtype::f32, kInverse,
              kNothing, {}),
    shape_row("row_behind_192", "a row behind whole tiles of 192 is lost", kFprop, Dtype::f16,
              kSubm, "769 rows: exact small", {.result = lose_the_tail<192, 1>}),
    shape_row("row_behind_128_dgrad", "a row behind whole tiles of 128 is lost", kDgrad,
              Dtype::bf16, kSubm, "769 rows: exact small", {.result = lose_the_tail<128, 1>}),
    shape_row("row_before_256", "the last row of a tile of 256 but one is lost", kFprop, Dtype::f32,
              kStrided, "767 rows: exact small", {.result = lose_the_tail<256, 255>}),
    shape_row("row_before_64_wgrad", "the last row of a tile of 64 but one is lost", kWgrad,
              Dtype::f16, kSubm, "767 rows: exact small", {.result = lose_the_tail<64, 63>}),
    shape_row("whole_tiles_dgrad", "the last of whole tiles is lost", kDgrad, Dtype::f32,
              kDepthwise, "768 rows: exact small", {.result = lose_the_tail<256, 0>}),
    shape_row("odd_channels", "the last of odd channels is lost", kFprop, Dtype::f16, kSubm,
              "769 rows: exact small", {.result = lose_the_last_odd_channel}),
    shape_row("odd_channels_wgrad", "the last of odd channels is lost", kWgrad, Dtype::f32, kSubm,
              "769 rows: exact small", {.result = lose_the_last_odd_channel}),
    shape_row("second_batch_dgrad", "pairs of the second batch are lost", kDgrad, Dtype::f16, kSubm,
              "768 rows: exact small", {.keeps = is_of_first_batch}),
    shape_row("second_batch_wgrad", "pairs of the second batch are lost", kWgrad, Dtype::bf16,
              kStrided, "768 rows: exact small", {.keeps = is_of_first_batch}),
    shape_row("map_by_rows", "a map is kept by its number of rows", kFprop, Dtype::f16, kSubm,
              "768 rows: exact small", {.operands = take_the_first_map<0>}),
    shape_row("map_by_rows_dgrad", "a map is kept by its number of rows", kDgrad, Dtype::f32, kSubm,
              "768 rows: exact small", {.operands = take_the_first_map<1>}),
    shape_row("map_by_rows_wgrad", "a map is kept by its number of rows", kWgrad, Dtype::f16,
              kStrided, "768 rows: exact small", {.operands = take_the_first_map<2>}),
};

}  // namespace spb::mutants
