// SPDX-License-Identifier: Apache-2.0
// Operands that are to be drawn, held where the reference reads them.
#include <algorithm>
#include <iterator>
#include <vector>

#include "core/parallel.h"
#include "core/tensors.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr Tensor kDrawn[] = {Tensor::in, Tensor::weights, Tensor::gout, Tensor::residual};

/// Rows of the other side, ascending.
std::vector<int64_t> partners(std::span<const Triple> pairs, bool by_output) {
  std::vector<int64_t> found;
  for (const Triple& pair : pairs) found.push_back(by_output ? pair.in : pair.out);
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

/// In their places, so that the reference finds them by their numbers.
Floats drawn_rows(const OperandDraw& operand, int64_t columns, std::span<const int64_t> rows) {
  Floats values(static_cast<size_t>(operand.count));
  parallel_for(static_cast<int64_t>(rows.size()), [&](int64_t i) {
    const int64_t begin = rows[static_cast<size_t>(i)] * columns;
    draw(operand, begin,
         std::span(values).subspan(static_cast<size_t>(begin), static_cast<size_t>(columns)));
  });
  put_patches(operand, 0, values);
  return values;
}

}  // namespace

HostOperands held(const HostOperands& operands) {
  HostOperands all = operands;
  for (const Tensor tensor : kDrawn)
    if (const OperandDraw* operand = operands.find_draw(tensor))
      *all.find(tensor) = drawn_whole(*operand);
  all.draws = nullptr;
  return all;
}

Triples pairs_of_rows(const MapSet& map, bool by_output, std::span<const int64_t> rows) {
  if (rows.empty()) return {};
  std::vector<bool> listed(static_cast<size_t>(rows.back()) + 1);
  for (const int64_t row : rows) listed[static_cast<size_t>(row)] = true;
  const auto is_listed = [&](const Triple& pair) {
    const auto row = static_cast<size_t>(by_output ? pair.out : pair.in);
    return row < listed.size() && listed[row];
  };
  constexpr size_t kChunk = 1 << 20;
  std::vector<Triples> parts((map.triples.size() + kChunk - 1) / kChunk);
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const size_t begin = static_cast<size_t>(i) * kChunk;
    const auto chunk =
        std::span(map.triples).subspan(begin, std::min(kChunk, map.triples.size() - begin));
    std::ranges::copy_if(chunk, std::back_inserter(parts[static_cast<size_t>(i)]), is_listed);
  });
  Triples pairs;
  for (const Triples& part : parts) pairs.insert(pairs.end(), part.begin(), part.end());
  return pairs;
}

HostOperands held_for_rows(const HostOperands& operands, const Problem& problem,
                           std::span<const int64_t> rows, std::span<const Triple> pairs) {
  if (!operands.draws || rows.empty()) return held(operands);
  const bool forward = problem.direction == Direction::fprop;
  HostOperands some = operands;
  some.draws = nullptr;
  const auto hold = [&](Tensor tensor, int64_t columns, std::span<const int64_t> wanted) {
    if (const OperandDraw* operand = operands.find_draw(tensor))
      *some.find(tensor) = drawn_rows(*operand, columns, wanted);
  };
  hold(forward ? Tensor::in : Tensor::gout, forward ? problem.c_in : problem.c_out,
       partners(pairs, forward));
  hold(Tensor::residual, problem.c_out, rows);
  some.weights = drawn_whole(*operands.find_draw(Tensor::weights));
  return some;
}

}  // namespace spb::verify
