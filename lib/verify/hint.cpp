// SPDX-License-Identifier: Apache-2.0
// What a set of wrong elements has in common. The tests run from the most telling to the least.
#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "core/tensors.h"
#include "verify/rounding.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr size_t kEnough = 8;  // fewer wrong elements share too much by chance

struct Evidence {
  const Comparison& comparison;
  const Expected& expected;
  std::span<const float> got;
  const Problem& problem;
  const TileSum& tile_sum;
  std::span<const int64_t> rows;  // that were compared; empty: all

  int64_t whole_row(int64_t row) const {
    return rows.empty() ? row : rows[static_cast<size_t>(row)];
  }
  const std::vector<int64_t>& wrong() const { return comparison.mismatched; }
  float bits(int64_t flat) const { return got[static_cast<size_t>(flat)]; }
  double have(int64_t flat) const { return stored_value(bits(flat), info(problem.dtype).out); }
  double want(int64_t flat) const { return expected.value[static_cast<size_t>(flat)]; }
  template <typename Predicate>
  bool all_wrong(Predicate predicate) const {
    return std::ranges::all_of(wrong(), predicate);
  }
};

using Test = std::string (*)(const Evidence&);

/// The bytes written around buffers and into outputs, as they read in any output type.
std::string marker(const Evidence& e) {
  struct Marker {
    uint32_t bits;
    const char* name;
  };
  constexpr Marker kMarkers[] = {{0x7fe57fe5, "the canary"}, {0x7fe50000, "the canary"},
                                 {0x7ffca000, "the canary"}, {0xffffffff, "the poison"},
                                 {0xffff0000, "the poison"}, {0xffffe000, "the poison"}};
  // -1 is an integer like any other.
  const bool may_be_poison = !info(e.problem.dtype).stores_sums();
  for (const int64_t flat : e.wrong())
    for (const Marker& m : kMarkers)
      if (std::bit_cast<uint32_t>(e.bits(flat)) == m.bits && (may_be_poison || m.bits >> 31 == 0))
        return fmt::format("value of {} at row {}: {}", m.name, e.whole_row(flat / e.expected.cols),
                           m.bits >> 31 ? "never written" : "read outside a buffer");
  if (e.all_wrong([&](int64_t flat) { return e.have(flat) == 0; }))
    return "every wrong element is zero: never written, or its terms skipped";
  if (e.all_wrong([&](int64_t flat) { return std::isnan(e.have(flat)); }))
    return "every wrong element is NaN";
  return {};
}

std::string another_row(const Evidence& e) {
  if (e.comparison.worst.empty() || e.expected.cols < 4) return {};
  const int64_t row = e.comparison.worst[0].row, cols = e.expected.cols;
  const auto holds = [&](int64_t other) {
    for (int64_t j = 0; j < cols; ++j) {
      const double want = e.want(other * cols + j);
      const double have = e.have(row * cols + j);
      if (!(std::abs(have - want) <= 0x1p-6 * std::abs(want) + 1e-6)) return false;
    }
    return true;
  };
  for (int64_t other = 0; other < e.expected.rows; ++other)
    if (other != row && holds(other))
      return fmt::format("row {} holds row {}", e.whole_row(row), e.whole_row(other));
  return {};
}

std::string kernel_offset(const Evidence& e) {
  if (!e.tile_sum || e.comparison.worst.empty()) return {};
  const int64_t row = e.comparison.worst[0].row;
  const auto explained = [&](int offset, double sign) {
    return std::ranges::all_of(e.comparison.worst, [&](const Mismatch& m) {
      if (m.row != row) return true;
      const double d = sign * e.tile_sum(m.row, m.col, offset);
      const Math& math = info(e.problem.dtype);
      const double slack =
          math.stores_sums() ? 0 : m.bound + ulp(std::abs(m.expected), math.output());
      return std::abs(d) > slack && std::abs(m.got - m.expected - d) <= slack;
    });
  };
  for (int offset = 0; offset < e.problem.kernel_volume(); ++offset) {
    if (explained(offset, -1))
      return fmt::format("row {}: kernel offset {} missed", e.whole_row(row), offset);
    if (explained(offset, 1))
      return fmt::format("row {}: kernel offset {} repeated", e.whole_row(row), offset);
  }
  return {};
}

std::string constant_ratio(const Evidence& e) {
  if (e.wrong().size() < kEnough) return {};
  double cross = 0, squares = 0, errors = 0;
  for (const int64_t flat : e.wrong()) {
    const double want = e.want(flat), have = e.have(flat);
    cross += have * want;
    squares += want * want;
    errors += (have - want) * (have - want);
  }
  const double ratio = cross / squares;
  double rest = 0;
  for (const int64_t flat : e.wrong()) {
    const double residual = e.have(flat) - ratio * e.want(flat);
    rest += residual * residual;
  }
  return rest < 0.2 * errors ? fmt::format("constant ratio {:.6g} to the reference", ratio)
                             : std::string();
}

std::string coarse_grid(const Evidence& e) {
  struct Grid {
    const char* name;
    float (*round)(float);
    int bits;
  };
  constexpr Grid kGrids[] = {{"bf16", [](float v) { return round_operand(v, Dtype::bf16); }, 8},
                             {"TF32", [](float v) { return round_operand(v, Dtype::tf32); }, 11}};
  if (e.wrong().size() < kEnough) return {};
  for (const Grid& grid : kGrids) {
    if (grid.bits >= info(e.problem.dtype).output().bits) continue;
    const auto on_grid = [&](float value) { return grid.round(value) == value; };
    const auto by_chance = std::ranges::count_if(
        e.wrong(), [&](int64_t flat) { return on_grid(static_cast<float>(e.want(flat))); });
    if (2 * static_cast<size_t>(by_chance) < e.wrong().size() &&
        e.all_wrong([&](int64_t flat) { return on_grid(static_cast<float>(e.have(flat))); }))
      return fmt::format("values on the {} grid", grid.name);
  }
  return {};
}

std::string partial_tile(const Evidence& e) {
  const int64_t cols = e.expected.cols;
  for (const int64_t tile : {256, 128, 64, 32, 16}) {
    const int64_t full_rows = e.expected.rows / tile * tile, full_cols = cols / tile * tile;
    if (e.rows.empty() && full_rows > 0 &&
        e.all_wrong([&](int64_t flat) { return flat / cols >= full_rows; }))
      return fmt::format("all in rows past the last full tile of {} (row {} on)", tile, full_rows);
    if (full_cols > 0 && e.all_wrong([&](int64_t flat) { return flat % cols >= full_cols; }))
      return fmt::format("all in channels past the last full tile of {} (channel {} on)", tile,
                         full_cols);
  }
  return {};
}

std::string whole_rows(const Evidence& e) {
  std::map<int64_t, int64_t> wrong_in_row;
  for (const int64_t flat : e.wrong()) ++wrong_in_row[flat / e.expected.cols];
  // Small values agree by chance here and there, so nearly all of a row is a whole row.
  const bool whole = std::ranges::all_of(
      wrong_in_row, [&](const auto& row) { return 10 * row.second >= 8 * e.expected.cols; });
  if (!whole || e.expected.cols < 2) return {};
  const int64_t first = e.whole_row(wrong_in_row.begin()->first);
  return wrong_in_row.size() == 1
             ? fmt::format("whole row {}", first)
             : fmt::format("{} whole rows, the first {}", wrong_in_row.size(), first);
}

std::string whole_channel(const Evidence& e) {
  if (!e.rows.empty()) return {};
  const int64_t channel = e.wrong()[0] % e.expected.cols;
  const bool one = e.all_wrong([&](int64_t flat) { return flat % e.expected.cols == channel; });
  if (!one || 10 * e.comparison.mismatches < 8 * e.expected.rows || e.expected.rows < 2) return {};
  return fmt::format("whole channel {}", channel);
}

constexpr Test kTests[] = {marker,      another_row,  kernel_offset, constant_ratio,
                           coarse_grid, partial_tile, whole_rows,    whole_channel};

}  // namespace

std::string hint(const Comparison& comparison, const Expected& expected, std::span<const float> got,
                 const Problem& problem, const TileSum& tile_sum, std::span<const int64_t> rows) {
  if (comparison.mismatched.empty()) return {};
  const Evidence evidence{comparison, expected, got, problem, tile_sum, rows};
  for (const Test test : kTests)
    if (std::string found = test(evidence); !found.empty()) return found;
  return {};
}

TileSum tile_sums(const Problem& problem, const MapSet& map, const HostOperands& operands,
                  std::span<const int64_t> rows) {
  if (problem.direction == Direction::wgrad) return {};
  return [&map, &operands, rows, view = gemm_view(problem)](int64_t row, int64_t col, int offset) {
    if (!rows.empty()) row = rows[static_cast<size_t>(row)];
    double sum = 0;
    for (const Triple& t : std::ranges::equal_range(map.triples, offset, {}, &Triple::offset)) {
      if ((view.transposed ? t.in : t.out) != row) continue;
      const int64_t group = col / view.n, columns = view.source_columns();
      const float* a = (view.transposed ? operands.gout.data() + t.out * columns
                                        : operands.in.data() + t.in * columns) +
                       group * view.k;
      const float* w = operands.weights.data() + group * view.group_pitch +
                       offset * view.offset_pitch + col % view.n * view.n_pitch;
      for (int64_t k = 0; k < view.k; ++k)
        sum += static_cast<double>(a[k]) * static_cast<double>(w[k * view.k_pitch]);
    }
    return sum;
  };
}

}  // namespace spb::verify
