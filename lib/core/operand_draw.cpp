// SPDX-License-Identifier: Apache-2.0
#include "core/operand_draw.h"

#include <algorithm>
#include <cmath>

#include "core/dtype.h"
#include "core/parallel.h"

namespace spb {
namespace {

void see(const OperandDraw& operand, std::span<float> values) {
  if (operand.rounds_to_tf32) round_operands(values, Dtype::tf32);
  if (operand.least > 0)
    std::ranges::replace_if(
        values, [&](float value) { return std::abs(value) < operand.least; }, 0.f);
}

}  // namespace

float OperandDraw::seen(float value) const {
  see(*this, {&value, 1});
  return value;
}

void OperandDraw::finish(std::span<float> values) const {
  round_trip(values, storage);
  see(*this, values);
}

void draw(const OperandDraw& operand, int64_t first, std::span<float> values) {
  const Draw& how = operand.draw;
  const auto count = static_cast<int64_t>(values.size());
  with_kind(how.kind, [&]<Draw::Kind kKind>() {
    for (int64_t at = 0; at < count;) {
      const int64_t end = std::min(count, at + Draw::kRun - (first + at) % Draw::kRun);
      SplitMix random = how.random_at(first + at);
      for (; at < end; ++at) values[static_cast<size_t>(at)] = drawn_as<kKind>(how, random);
    }
  });
  operand.finish(values);
}

float drawn(const OperandDraw& operand, int64_t element) {
  float value = 0;
  draw(operand, element, {&value, 1});
  return value;
}

Floats drawn_whole(const OperandDraw& operand) {
  Floats values(static_cast<size_t>(operand.count));
  parallel_for((operand.count + Draw::kRun - 1) / Draw::kRun, [&](int64_t run) {
    const int64_t begin = run * Draw::kRun;
    const int64_t count = std::min(Draw::kRun, operand.count - begin);
    draw(operand, begin,
         std::span(values).subspan(static_cast<size_t>(begin), static_cast<size_t>(count)));
  });
  put_patches(operand, 0, values);
  return values;
}

void put_patches(const OperandDraw& operand, int64_t first, std::span<float> values) {
  for (const Patch& patch : operand.patches) {
    const auto at = static_cast<size_t>(patch.element - first);
    if (patch.element >= first && at < values.size()) values[at] = patch.value;
  }
}

const OperandDraw* OperandDraws::find(Tensor tensor) const {
  const auto pointer = [](const std::optional<OperandDraw>& operand) {
    return operand ? &*operand : nullptr;
  };
  switch (tensor) {
    case Tensor::in:
      return pointer(in);
    case Tensor::weights:
      return pointer(weights);
    case Tensor::gout:
      return pointer(gout);
    case Tensor::residual:
      return pointer(residual);
    case Tensor::bias:
    case Tensor::scale:
    case Tensor::residual_scale:
    case Tensor::out:
    case Tensor::gin:
    case Tensor::gw:
    case Tensor::gbias:
      break;
  }
  return nullptr;
}

}  // namespace spb
