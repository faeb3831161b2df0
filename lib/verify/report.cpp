// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "verify/verify.h"

namespace spb::verify {
namespace {

int64_t whole_row(int64_t row, std::span<const int64_t> rows) {
  return rows.empty() ? row : rows[static_cast<size_t>(row)];
}

/// "row 17 (batch 0; 3, 4, 5), channel 7", or kernel offset and channels for weights.
std::string place(const Mismatch& m, const Problem& problem, const ReportNames& names) {
  if (names.bias_gradient) return fmt::format("bias channel {}", m.col);
  const int64_t row = whole_row(m.row, names.rows);
  if (problem.direction == Direction::wgrad) {
    const int64_t kv = problem.kernel_volume();
    const int64_t j = row / kv, group = j / problem.group_c_out();
    return fmt::format("kernel offset {}, output channel {}, input channel {}", row % kv, j,
                       group * problem.group_c_in() + m.col);
  }
  std::string voxel;
  if (static_cast<size_t>(row) < names.coords.size()) {
    const Coord& c = names.coords[static_cast<size_t>(row)];
    voxel = fmt::format(" (batch {}; {}, {}, {})", c.batch, c.x, c.y, c.z);
  }
  return fmt::format("row {}{}, channel {}", row, voxel, m.col);
}

}  // namespace

std::string mismatch_line(const Comparison& comparison, std::span<const int64_t> rows) {
  std::string line =
      fmt::format("{} of {} elements wrong", comparison.mismatches, comparison.compared);
  if (comparison.worst.empty()) return line;
  const Mismatch& worst = comparison.worst.front();
  return line + fmt::format(", worst row {} column {}: expected {:.9g}, got {:.9g}",
                            whole_row(worst.row, rows), worst.col, worst.expected, worst.got);
}

std::vector<std::string> report_lines(const Comparison& comparison, const Expected& expected,
                                      std::span<const float> got, const Problem& problem,
                                      const ReportNames& names) {
  std::vector<std::string> lines;
  if (comparison.mismatches > 0) {
    lines.push_back(fmt::format(
        "{}: {} of {} elements wrong; worst error/bound {:.4g}, err_max_abs {:.4g}, "
        "err_max_ulp {:.4g}, rel_l2 {:.3g}",
        names.title, comparison.mismatches, comparison.compared, comparison.max_tolerance_ratio,
        comparison.max_abs, comparison.max_ulp, comparison.rel_l2));
    for (const Mismatch& m : comparison.worst)
      lines.push_back(fmt::format("  {}: expected {:.9g}, got {:.9g}, error {:.3g}, bound {:.3g}{}",
                                  place(m, problem, names), m.expected, m.got, m.error, m.bound,
                                  m.certain ? ", certain" : ""));
    const std::string found = hint(comparison, expected, got, problem, names.tile_sum, names.rows);
    if (!found.empty()) lines.push_back("  hint: " + found);
  }
  if (comparison.mistrusted)
    lines.push_back(fmt::format("{}: mistrusted: {}", names.title, comparison.mistrust_reason));
  return lines;
}

}  // namespace spb::verify
