// SPDX-License-Identifier: Apache-2.0
// What is wrong with the mutants: hooks of a naive plan.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "gpu/buffer.h"
#include "naive_plan.h"

namespace spb::mutants {

inline void zero_a_row(State& s, std::vector<float>& out) {
  std::fill_n(out.begin() + s.cols() * (s.rows() / 2), s.cols(), 0.f);
}

inline void swap_two_rows(State& s, std::vector<float>& out) {
  const auto row = out.begin() + s.cols() * (s.rows() / 3);
  std::swap_ranges(row, row + s.cols(), row + s.cols());
}

inline bool misses_one_neighbor(const State& s, const Triple& t) {
  return t != s.map.triples[s.map.triples.size() / 3];
}

inline float scale(float sum) { return sum * 1.001f; }
inline float to_bf16(float sum) { return round_operand(sum, Dtype::bf16); }
inline float to_f16(float sum) { return round_operand(sum, Dtype::f16); }

inline void round_operands_to_tf32(State& s) {
  for (auto* values : {&s.in, &s.weights, &s.gout})
    for (float& value : *values) value = round_operand(value, Dtype::tf32);
}

inline float truncate_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1FFFu);
}

inline void swap_corner_offsets(State& s) {
  const int kv = s.problem.kernel_volume(), c_in = s.problem.c_in;
  for (int co = 0; co < s.problem.c_out; ++co) {
    const auto first = s.weights.begin() + int64_t{co} * kv * c_in;
    std::swap_ranges(first, first + c_in, first + int64_t{kv - 1} * c_in);
  }
}

inline void one_nan(State&, std::vector<float>& out) {
  out[out.size() / 2] = std::numeric_limits<float>::quiet_NaN();
}

inline void remember_first_output(State& s, std::vector<float>& out) {
  if (s.remembered.empty()) s.remembered = out;
  out = s.remembered;
}

inline void leave_last_tile_unwritten(State&, const Operands&, std::span<const std::byte> bytes,
                                      void* output, const gpu::Stream& stream) {
  const auto written = static_cast<int64_t>(bytes.size() - bytes.size() / 8);
  gpu::copy_to_device(output, bytes.data(), written, stream);
}

// Where there are no guards, as in a tuner's timing, the test's own memory would be damaged.
template <int64_t kBehind>
void write_behind_the_end(State& s, const Operands&, std::span<const std::byte> bytes, void* output,
                          const gpu::Stream& stream) {
  constexpr int64_t kStray = 2;
  const auto size = static_cast<int64_t>(bytes.size());
  gpu::copy_to_device(output, bytes.data(), size, stream);
  if (kBehind + kStray <= s.guards.bytes)
    gpu::copy_to_device(static_cast<std::byte*>(output) + size + kBehind, bytes.data(), kStray,
                        stream);
}
inline constexpr auto write_past_the_end = write_behind_the_end<0>;
// As a tile of rows that no mask cuts off: in front of it lies what is left untouched.
inline constexpr auto write_far_past_the_end = write_behind_the_end<8192>;

inline void overwrite_input(State&, const Operands& operands, std::span<const std::byte> bytes,
                            void* output, const gpu::Stream& stream) {
  gpu::copy_to_device(output, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
  gpu::copy_to_device(const_cast<void*>(operands.in), bytes.data(), 2, stream);
}

// What no later run does: low bytes of small integers are the same everywhere, these are no bytes
// of one.
inline void overwrite_input_at_first(State& s, const Operands& operands,
                                     std::span<const std::byte> bytes, void* output,
                                     const gpu::Stream& stream) {
  constexpr uint16_t kStray = 0x5A5A;
  gpu::copy_to_device(output, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
  if (s.remembered.empty())
    gpu::copy_to_device(const_cast<void*>(operands.in), &kStray, sizeof kStray, stream);
  s.remembered = {1};
}

inline void read_past_the_input(State& s, const Operands& operands,
                                std::span<const std::byte> bytes, void* output,
                                const gpu::Stream& stream) {
  gpu::copy_to_device(output, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
  const int64_t element = info(s.problem.dtype).input().bytes;
  const int64_t end = s.n_in * s.problem.c_in * element;
  std::array<std::byte, 4> beyond{};
  gpu::copy_to_host(beyond.data(), static_cast<const std::byte*>(operands.in) + end, element,
                    stream);
  gpu::copy_to_device(output, beyond.data(), element, stream);
}

inline void accumulate_into_output(State& s, const Operands&, std::span<const std::byte> bytes,
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

inline void vary_between_runs(State& s, std::vector<float>& out) {
  if (s.runs % 3 == 1) out.front() = std::nextafter(out.front(), 1e30f);
}

// What goes wrong only in some runs, with all that a run may depend on the same.
inline void fail_first(State& s, std::vector<float>& out) {
  if (s.runs == 0) zero_a_row(s, out);
}
inline void fail_every_16th(State& s, std::vector<float>& out) {
  if (s.runs % 16 == 15) zero_a_row(s, out);
}
inline bool is_one_in_20(const State& s) {
  const auto drawn = static_cast<uint32_t>(s.runs + 1) * 2654435761u;
  return (drawn >> 16) % 20 == 0;
}
inline void fail_one_in_20(State& s, std::vector<float>& out) {
  if (is_one_in_20(s)) zero_a_row(s, out);
}

inline void drop_a_triple(State&, MapSet& map) { map.triples.erase(map.triples.begin() + 7); }
inline void repeat_a_triple(State&, MapSet& map) { map.triples.push_back(map.triples[7]); }
inline void swap_output_coords(State&, MapSet& map) {
  std::swap(map.out_coords[0], map.out_coords[1]);
}

inline constexpr int kTileRows = 64;

// A strided dgrad that skips by the tile lists of the forward direction: its rows are input voxels,
// but the lists were made for tiles of output voxels.
inline bool listed_for_forward_tile(const State& s, const Triple& t) {
  return std::ranges::any_of(s.map.triples, [&](const Triple& other) {
    return other.offset == t.offset && other.out / kTileRows == t.in / kTileRows;
  });
}

// An inverse layer that skips by its partner's forward lists, made for tiles of coarse rows.
inline bool listed_for_coarse_tile(const State& s, const Triple& t) {
  return std::ranges::any_of(s.map.triples, [&](const Triple& other) {
    return other.offset == t.offset && other.in / kTileRows == t.out / kTileRows;
  });
}

// Engines differ in which way a transposed kernel points: weights are not flipped here.
inline void flip_offsets(State& s) {
  const auto kv = static_cast<size_t>(s.problem.kernel_volume()),
             c_in = static_cast<size_t>(s.problem.c_in);
  const std::vector<float> given = s.weights;
  for (size_t i = 0; i < given.size(); ++i) {
    const size_t row = i / c_in, o = row % kv;
    s.weights[(row - o + kv - 1 - o) * c_in + i % c_in] = given[i];
  }
}

// The coarse rows of another run of the partner, sorted otherwise.
inline void renumber_inputs(State& s) {
  const auto columns = static_cast<std::ptrdiff_t>(s.problem.c_in);
  std::rotate(s.in.begin(), s.in.begin() + columns, s.in.end());
}

inline void swap_input_coords(State&, MapSet& map) {
  std::swap(map.in_coords->front(), map.in_coords->back());
}

/// The pairs of an offset.
inline std::span<const Triple> pairs_of(const State& s, int offset) {
  const auto pairs = std::ranges::equal_range(s.map.triples, offset, {}, &Triple::offset);
  return {pairs.begin(), pairs.end()};
}

// Tiles of pairs whose last one of an offset is taken for the first of the next.
inline int next_offset_in_last_tile(const State& s, const Triple& t) {
  const std::span<const Triple> pairs = pairs_of(s, t.offset);
  const int64_t place = &t - pairs.data(), last = static_cast<int64_t>(pairs.size()) - 1;
  const bool next = place / kTileRows == last / kTileRows;
  return std::min(t.offset + next, s.problem.kernel_volume() - 1);
}

// Positions that fill up an offset's last tile gather and write row 0 instead of none.
inline void add_padding(State& s, std::vector<float>& out) {
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
inline void shift_first_channels_of_slabs(State& s) {
  constexpr int kSlab = 16;
  for (size_t i = 0; i < s.in.size(); ++i)
    if (const size_t c = i % static_cast<size_t>(s.problem.c_in); c > 0 && c % kSlab == 0)
      s.in[i] = s.in[i - 1];
}

inline void add_bias_for_each_pair(State& s, std::vector<float>& out) {
  std::vector<bool> has_any(static_cast<size_t>(s.n_out));
  const auto c_out = static_cast<size_t>(s.problem.c_out);
  for (const Triple& t : s.map.triples) {
    const auto row = static_cast<size_t>(t.out);
    for (size_t c = 0; has_any[row] && c < c_out; ++c) out[row * c_out + c] += s.bias[c];
    has_any[row] = true;
  }
}

}  // namespace spb::mutants
