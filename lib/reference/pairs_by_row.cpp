// SPDX-License-Identifier: Apache-2.0
#include "reference/pairs_by_row.h"

#include <numeric>

namespace spb::reference {

PairsByRow pairs_by_row(std::span<const Triple> triples, bool by_output, int64_t n_rows,
                        std::span<const int64_t> rows) {
  std::vector<int64_t> slot_of_row(static_cast<size_t>(n_rows), -1);
  if (rows.empty())
    std::iota(slot_of_row.begin(), slot_of_row.end(), 0);
  else
    for (size_t slot = 0; slot < rows.size(); ++slot)
      slot_of_row.at(static_cast<size_t>(rows[slot])) = static_cast<int64_t>(slot);

  const auto slot_of = [&](const Triple& t) {
    return slot_of_row[static_cast<size_t>(by_output ? t.out : t.in)];
  };
  PairsByRow result;
  const size_t slots = rows.empty() ? static_cast<size_t>(n_rows) : rows.size();
  result.begin.assign(slots + 1, 0);
  for (const Triple& t : triples)
    if (const int64_t slot = slot_of(t); slot >= 0) ++result.begin[static_cast<size_t>(slot) + 1];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());

  result.pairs.resize(static_cast<size_t>(result.begin.back()));
  std::vector<int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (const Triple& t : triples)
    if (const int64_t slot = slot_of(t); slot >= 0)
      result.pairs[static_cast<size_t>(next[static_cast<size_t>(slot)]++)] = {
          t.offset, by_output ? t.in : t.out};
  return result;
}

}  // namespace spb::reference
