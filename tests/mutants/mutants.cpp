// SPDX-License-Identifier: Apache-2.0
#include "mutants.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "gpu/buffer.h"

namespace spb::mutants {
namespace {

void zero_a_row(State& s, std::vector<float>& out) {
  std::fill_n(out.begin() + s.cols() * (s.rows() / 2), s.cols(), 0.f);
}

void swap_two_rows(State& s, std::vector<float>& out) {
  const auto row = out.begin() + s.cols() * (s.rows() / 3);
  std::swap_ranges(row, row + s.cols(), row + s.cols());
}

bool misses_one_neighbor(const State& s, const Triple& t) {
  return t != s.map.triples[s.map.triples.size() / 3];
}

float scale(float sum) { return sum * 1.001f; }
float to_bf16(float sum) { return round_operand(sum, Dtype::bf16); }
float to_f16(float sum) { return round_operand(sum, Dtype::f16); }

void round_operands_to_tf32(State& s) {
  for (auto* values : {&s.in, &s.weights, &s.gout})
    for (float& value : *values) value = round_operand(value, Dtype::tf32);
}

float truncate_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1FFFu);
}

void swap_corner_offsets(State& s) {
  const int kv = s.problem.kernel_volume(), c_in = s.problem.c_in;
  for (int co = 0; co < s.problem.c_out; ++co) {
    const auto first = s.weights.begin() + int64_t{co} * kv * c_in;
    std::swap_ranges(first, first + c_in, first + int64_t{kv - 1} * c_in);
  }
}

void one_nan(State&, std::vector<float>& out) {
  out[out.size() / 2] = std::numeric_limits<float>::quiet_NaN();
}

void remember_first_output(State& s, std::vector<float>& out) {
  if (s.remembered.empty()) s.remembered = out;
  out = s.remembered;
}

void leave_last_tile_unwritten(State&, const Operands&, std::span<const std::byte> bytes,
                               void* output, const gpu::Stream& stream) {
  const auto written = static_cast<int64_t>(bytes.size() - bytes.size() / 8);
  gpu::copy_to_device(output, bytes.data(), written, stream);
}

void write_past_the_end(State&, const Operands&, std::span<const std::byte> bytes, void* output,
                        const gpu::Stream& stream) {
  const auto size = static_cast<int64_t>(bytes.size());
  gpu::copy_to_device(output, bytes.data(), size, stream);
  gpu::copy_to_device(static_cast<std::byte*>(output) + size, bytes.data(), 2, stream);
}

void overwrite_input(State&, const Operands& operands, std::span<const std::byte> bytes,
                     void* output, const gpu::Stream& stream) {
  gpu::copy_to_device(output, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
  gpu::copy_to_device(const_cast<void*>(operands.in), bytes.data(), 2, stream);
}

void read_past_the_input(State& s, const Operands& operands, std::span<const std::byte> bytes,
                         void* output, const gpu::Stream& stream) {
  gpu::copy_to_device(output, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
  const int64_t element = info(s.problem.dtype).input().bytes;
  const int64_t end = s.n_in * s.problem.c_in * element;
  std::array<std::byte, 4> beyond{};
  gpu::copy_to_host(beyond.data(), static_cast<const std::byte*>(operands.in) + end, element,
                    stream);
  gpu::copy_to_device(output, beyond.data(), element, stream);
}

void accumulate_into_output(State& s, const Operands&, std::span<const std::byte> bytes,
                            void* output, const gpu::Stream& stream) {
  // Assumes that the output starts as zeros.
  std::vector<std::byte> old(bytes.size());
  gpu::copy_to_host(old.data(), output, static_cast<int64_t>(old.size()), stream);
  const size_t count = bytes.size() / static_cast<size_t>(info(s.problem.dtype).input().bytes);
  std::vector<float> sum(count), addend(count);
  decode(old.data(), info(s.problem.dtype).in, sum);
  decode(bytes.data(), info(s.problem.dtype).in, addend);
  for (size_t i = 0; i < count; ++i) sum[i] += addend[i];
  encode(sum, info(s.problem.dtype).in, old.data());
  gpu::copy_to_device(output, old.data(), static_cast<int64_t>(old.size()), stream);
}

void vary_between_runs(State& s, std::vector<float>& out) {
  if (s.runs % 3 == 1) out.front() = std::nextafter(out.front(), 1e30f);
}

void drop_a_triple(State&, MapSet& map) { map.triples.erase(map.triples.begin() + 7); }
void repeat_a_triple(State&, MapSet& map) { map.triples.push_back(map.triples[7]); }
void swap_output_coords(State&, MapSet& map) { std::swap(map.out_coords[0], map.out_coords[1]); }

constexpr int kTileRows = 64;

// A strided dgrad that skips by the tile lists of the forward direction: its rows are input voxels,
// but the lists were made for tiles of output voxels.
bool listed_for_forward_tile(const State& s, const Triple& t) {
  return std::ranges::any_of(s.map.triples, [&](const Triple& other) {
    return other.offset == t.offset && other.out / kTileRows == t.in / kTileRows;
  });
}

// An inverse layer that skips by its partner's forward lists, made for tiles of coarse rows.
bool listed_for_coarse_tile(const State& s, const Triple& t) {
  return std::ranges::any_of(s.map.triples, [&](const Triple& other) {
    return other.offset == t.offset && other.in / kTileRows == t.out / kTileRows;
  });
}

// Engines differ in which way a transposed kernel points: weights are not flipped here.
void flip_offsets(State& s) {
  const auto kv = static_cast<size_t>(s.problem.kernel_volume()),
             c_in = static_cast<size_t>(s.problem.c_in);
  const std::vector<float> given = s.weights;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t row = i / c_in, o = row % kv;
    s.weights[(row - o + kv - 1 - o) * c_in + i % c_in] = given[i];
  }
}

// The coarse rows of another run of the partner, sorted otherwise.
void renumber_inputs(State& s) {
  const auto columns = static_cast<std::ptrdiff_t>(s.problem.c_in);
  std::rotate(s.in.begin(), s.in.begin() + columns, s.in.end());
}

void swap_input_coords(State&, MapSet& map) {
  std::swap(map.in_coords->front(), map.in_coords->back());
}

/// The pairs of an offset.
std::span<const Triple> pairs_of(const State& s, int offset) {
  const auto pairs = std::ranges::equal_range(s.map.triples, offset, {}, &Triple::offset);
  return {pairs.begin(), pairs.end()};
}

// Tiles of pairs whose last one of an offset is taken for the first of the next.
int next_offset_in_last_tile(const State& s, const Triple& t) {
  const std::span<const Triple> pairs = pairs_of(s, t.offset);
  const int64_t place = &t - pairs.data(), last = static_cast<int64_t>(pairs.size()) - 1;
  const bool next = place / kTileRows == last / kTileRows;
  return std::min(t.offset + next, s.problem.kernel_volume() - 1);
}

// Positions that fill up an offset's last tile gather and write row 0 instead of none.
void add_padding(State& s, std::vector<float>& out) {
  const int c_in = s.problem.c_in, kv = s.problem.kernel_volume();
  for (int o = 0; o < kv; ++o) {
    const auto left = static_cast<int64_t>(pairs_of(s, o).size()) % kTileRows;
    for (int64_t position = left; left > 0 && position < kTileRows; ++position)
      for (int co = 0; co < s.problem.c_out; ++co)
        for (int ci = 0; ci < c_in; ++ci)
          out[static_cast<size_t>(co)] +=
              s.weights[static_cast<size_t>((co * kv + o) * c_in + ci)] *
              s.in[static_cast<size_t>(ci)];
  }
}

// A depthwise kernel whose threads read past the slab of their block.
void shift_first_channels_of_slabs(State& s) {
  constexpr int kSlab = 16;
  for (size_t i = 0; i < s.in.size(); ++i)
    if (const size_t c = i % static_cast<size_t>(s.problem.c_in); c > 0 && c % kSlab == 0)
      s.in[i] = s.in[i - 1];
}

void add_bias_for_each_pair(State& s, std::vector<float>& out) {
  std::vector<bool> has_any(static_cast<size_t>(s.n_out));
  const auto c_out = static_cast<size_t>(s.problem.c_out);
  for (const Triple& t : s.map.triples) {
    const auto row = static_cast<size_t>(t.out);
    for (size_t c = 0; has_any[row] && c < c_out; ++c) out[row * c_out + c] += s.bias[c];
    has_any[row] = true;
  }
}

constexpr const char* kSubm = "--channels 32:64 --kernel-size 3";
constexpr const char* kStrided = "--channels 32:64 --kernel-size 2 --stride 2";
constexpr const char* kDepthwise = "--channels 48 --groups depthwise --kernel-size 3";
constexpr const char* kInverse = "--channels 32:64 --conv-kind inverse --kernel-size 2 --stride 2";
constexpr const char* kGenerative =
    "--channels 32:64 --conv-kind generative --kernel-size 2 --stride 2";
constexpr auto kFprop = Direction::fprop;
constexpr auto kDgrad = Direction::dgrad;
constexpr auto kWgrad = Direction::wgrad;

constexpr Mutant kMutants[] = {
    {"control", "correct", kFprop, Dtype::f16, kSubm, "", {}},
    {"depthwise_control", "correct", kWgrad, Dtype::f16, kDepthwise, "", {}},
    {"depthwise_f16_sums",
     "depthwise sums kept in fp16",
     kFprop,
     Dtype::f16,
     kDepthwise,
     "exact wide",
     {.accumulate = to_f16}},
    {"depthwise_f16_sums_of_dgrad",
     "depthwise sums of dgrad kept in fp16",
     kDgrad,
     Dtype::f16,
     kDepthwise,
     "exact wide",
     {.accumulate = to_f16}},
    {"depthwise_slab_boundary",
     "the first channel of a slab is read from the slab before",
     kFprop,
     Dtype::f16,
     kDepthwise,
     "exact small",
     {.operands = shift_first_channels_of_slabs}},
    {"depthwise_slab_boundary_of_wgrad",
     "the same in wgrad",
     kWgrad,
     Dtype::f16,
     kDepthwise,
     "exact small",
     {.operands = shift_first_channels_of_slabs}},
    {"depthwise_bias_per_offset",
     "the bias is added for each offset",
     kFprop,
     Dtype::f16,
     kDepthwise,
     "exact small",
     {.result = add_bias_for_each_pair}},
    {"row_zero", "one row zero", kFprop, Dtype::f16, kSubm, "exact small", {.result = zero_a_row}},
    {"rows_swapped",
     "two rows swapped",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact small",
     {.result = swap_two_rows}},
    {"neighbor_missed",
     "one neighbor missed",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact small",
     {.keeps = misses_one_neighbor}},
    {"pair_missed",
     "one pair missed in wgrad",
     kWgrad,
     Dtype::f32,
     kSubm,
     "exact small",
     {.keeps = misses_one_neighbor}},
    {"scaled",
     "times 1.001 before the store",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact",
     {.store = scale}},
    {"rounded_to_bf16",
     "rounded to bf16 before the store",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact",
     {.store = to_bf16}},
    {"tf32_for_f32",
     "operands rounded to TF32",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact wide",
     {.operands = round_operands_to_tf32}},
    {"tf32_for_3xtf32",
     "one TF32 product for three",
     kFprop,
     Dtype::tf32x3,
     kSubm,
     "exact wide",
     {.operands = round_operands_to_tf32}},
    {"tf32_truncated",
     "TF32 operands truncated",
     kFprop,
     Dtype::tf32,
     kSubm,
     "exact wide",
     {.load = truncate_to_tf32}},
    {"offsets_swapped",
     "weights of the first and last offset swapped",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact small",
     {.operands = swap_corner_offsets}},
    {"bf16_partials",
     "partial sums stored as bf16",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact",
     {.accumulate = to_bf16}},
    {"f16_atomics",
     "sums kept in fp16",
     kFprop,
     Dtype::f16,
     kSubm,
     "exact wide",
     {.accumulate = to_f16}},
    {"one_nan", "one NaN", kFprop, Dtype::f32, kSubm, "exact small", {.result = one_nan}},
    {"unwritten_tile",
     "the last tile is never written",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.write = leave_last_tile_unwritten}},
    {"stray_write",
     "writes past the end of the output",
     kFprop,
     Dtype::f32,
     kSubm,
     "guard",
     {.write = write_past_the_end}},
    {"read_past_end",
     "uses the element after the input",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.write = read_past_the_input}},
    {"input_overwritten",
     "writes to its input",
     kFprop,
     Dtype::f32,
     kSubm,
     "input",
     {.write = overwrite_input}},
    {"output_assumed_zero",
     "adds into the output",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.write = accumulate_into_output}},
    {"output_cached",
     "returns the first output for ever",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact",
     {.result = remember_first_output}},
    {"not_repeatable",
     "differs between runs",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.result = vary_between_runs}},
    {"triple_dropped",
     "the map lacks a triple",
     kFprop,
     Dtype::f32,
     kSubm,
     "map",
     {.exposed_map = drop_a_triple}},
    {"triple_repeated",
     "the map has a triple twice",
     kFprop,
     Dtype::f32,
     kSubm,
     "map",
     {.exposed_map = repeat_a_triple}},
    {"coords_swapped",
     "two output voxels swapped",
     kFprop,
     Dtype::f32,
     kSubm,
     "map",
     {.exposed_map = swap_output_coords}},
    {"forward_lists_in_dgrad",
     "strided dgrad with the tile lists of fprop",
     kDgrad,
     Dtype::f32,
     kStrided,
     "exact small",
     {.keeps = listed_for_forward_tile}},
    {"inverse_by_forward_lists",
     "inverse fprop with the partner's forward tile lists",
     kFprop,
     Dtype::f32,
     kInverse,
     "exact small",
     {.keeps = listed_for_coarse_tile}},
    {"inverse_flipped",
     "inverse with flipped offsets",
     kFprop,
     Dtype::f16,
     kInverse,
     "exact small",
     {.operands = flip_offsets}},
    {"inverse_flipped_in_dgrad",
     "inverse dgrad with flipped offsets",
     kDgrad,
     Dtype::bf16,
     kInverse,
     "exact small",
     {.operands = flip_offsets}},
    {"inverse_renumbered",
     "inverse wgrad with coarse rows in another order",
     kWgrad,
     Dtype::f32,
     kInverse,
     "exact small",
     {.operands = renumber_inputs}},
    {"inverse_coords_swapped",
     "two input voxels of an inverse layer swapped",
     kFprop,
     Dtype::f32,
     kInverse,
     "map",
     {.exposed_map = swap_input_coords}},
    {"generative_flipped",
     "generative with flipped offsets",
     kFprop,
     Dtype::f32,
     kGenerative,
     "exact small",
     {.operands = flip_offsets}},
    {"generative_coords_swapped",
     "two generated voxels swapped",
     kWgrad,
     Dtype::f16,
     kGenerative,
     "map",
     {.exposed_map = swap_output_coords}},
    {"next_offsets_weights",
     "the last tile of an offset's pairs with the next one's weights",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.weights_of = next_offset_in_last_tile}},
    {"padding_adds",
     "positions of no pair add the product of row 0",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.result = add_padding}},
    {"split_ignored",
     "right, but in one slice whatever is forced",
     kFprop,
     Dtype::f32,
     kSubm,
     "choice: split 3 was forced, the plan took 1",
     {.params = "{\"split\":1}"},
     "--split 3"},
};

constexpr Knob kSplit{.name = "split",
                      .help = "slices, which are ignored",
                      .column = columns::algorithm_params,
                      .directions = kEveryDirection,
                      .most = 8};

constexpr Claim kEveryGroup = [] {
  Claim claim = kEverything;
  claim.groups = claim_of(GroupKind::one, GroupKind::several, GroupKind::depthwise);
  return claim;
}();

template <size_t... I>
auto make_algorithms(std::index_sequence<I...>) {
  return std::array<Algorithm, sizeof...(I)>{Algorithm{
      kMutants[I].name, kMutants[I].summary, 1, kEveryGroup,
      [](const Problem&, const Choice&) { return std::optional<std::string>(); }, naive_needs,
      [](const Case& of, const maps::Maps& maps, maps::BuildContext context) {
        return naive_plan(of, maps, context, kMutants[I].hooks);
      },
      std::span(&kSplit, *kMutants[I].forced ? 1 : 0)}...};
}

const auto kAlgorithms = make_algorithms(std::make_index_sequence<std::size(kMutants)>());

}  // namespace

std::span<const Mutant> mutants() { return kMutants; }
std::span<const Algorithm> mutant_algorithms() { return kAlgorithms; }

}  // namespace spb::mutants
