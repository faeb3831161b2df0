// SPDX-License-Identifier: Apache-2.0
// The pairs of a kernel map, listed per row of one side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/expected.h"

namespace spb::reference {

struct RowPair {
  int32_t offset, other;  ///< kernel offset, row of the other side
};

/// Row r has pairs[begin[r]] ... pairs[begin[r + 1] - 1], offsets ascending.
struct PairsByRow {
  std::vector<int64_t> begin;
  std::vector<RowPair> pairs;
  int64_t size() const { return static_cast<int64_t>(begin.size()) - 1; }
};

/// `by_output`: rows are output rows, else input rows. Only the listed `rows` (unique), in their
/// order, or all `n_rows` if the list is empty.
PairsByRow pairs_by_row(std::span<const Triple> triples, bool by_output, int64_t n_rows,
                        std::span<const int64_t> rows);

}  // namespace spb::reference
