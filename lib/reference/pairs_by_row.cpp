// SPDX-License-Identifier: Apache-2.0
#include "reference/pairs_by_row.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/parallel.h"

namespace spb::reference {
namespace {

/// The triples that `keep` accepts, in their order.
template <typename Keep>
Triples filtered(std::span<const Triple> triples, const Keep& keep) {
  constexpr size_t kChunk = 1 << 20;
  std::vector<Triples> parts((triples.size() + kChunk - 1) / kChunk);
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const size_t begin = static_cast<size_t>(i) * kChunk;
    const auto part = triples.subspan(begin, std::min(kChunk, triples.size() - begin));
    std::ranges::copy_if(part, std::back_inserter(parts[static_cast<size_t>(i)]), keep);
  });
  Triples kept;
  for (const Triples& part : parts) kept.insert(kept.end(), part.begin(), part.end());
  return kept;
}

}  // namespace

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
  // A sample has few of many: they are found by all threads before one walks over them twice.
  Triples kept;
  if (!rows.empty()) {
    kept = filtered(triples, [&](const Triple& t) { return slot_of(t) >= 0; });
    triples = kept;
  }
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
