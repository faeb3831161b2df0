// SPDX-License-Identifier: Apache-2.0
// Operands that are to be drawn, held where the reference reads them.
#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "core/tensors.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr Tensor kDrawn[] = {Tensor::in, Tensor::weights, Tensor::gout, Tensor::residual};

/// Rows of the other side that those of an ascending list have pairs with, ascending.
std::vector<int64_t> partners(const MapSet& map, bool by_output, std::span<const int64_t> rows) {
  std::vector<bool> listed(static_cast<size_t>(rows.back()) + 1);
  for (const int64_t row : rows) listed[static_cast<size_t>(row)] = true;
  const auto is_listed = [&](int32_t row) {
    return static_cast<size_t>(row) < listed.size() && listed[static_cast<size_t>(row)];
  };
  constexpr int64_t kChunk = 1 << 20;
  const auto pairs = static_cast<int64_t>(map.triples.size());
  std::vector<std::vector<int64_t>> parts(static_cast<size_t>((pairs + kChunk - 1) / kChunk));
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t chunk) {
    for (int64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, pairs); ++i) {
      const Triple& pair = map.triples[static_cast<size_t>(i)];
      if (is_listed(by_output ? pair.out : pair.in))
        parts[static_cast<size_t>(chunk)].push_back(by_output ? pair.in : pair.out);
    }
  });
  std::vector<int64_t> found;
  for (const auto& part : parts) found.insert(found.end(), part.begin(), part.end());
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

HostOperands held_for_rows(const HostOperands& operands, const Problem& problem, const MapSet& map,
                           std::span<const int64_t> rows) {
  if (!operands.draws || rows.empty()) return held(operands);
  const bool forward = problem.direction == Direction::fprop;
  HostOperands some = operands;
  some.draws = nullptr;
  const auto hold = [&](Tensor tensor, int64_t columns, std::span<const int64_t> wanted) {
    if (const OperandDraw* operand = operands.find_draw(tensor))
      *some.find(tensor) = drawn_rows(*operand, columns, wanted);
  };
  hold(forward ? Tensor::in : Tensor::gout, forward ? problem.c_in : problem.c_out,
       partners(map, forward, rows));
  hold(Tensor::residual, problem.c_out, rows);
  some.weights = drawn_whole(*operands.find_draw(Tensor::weights));
  return some;
}

}  // namespace spb::verify
