// SPDX-License-Identifier: Apache-2.0
#include "core/plan_description.h"

namespace spb {

std::string class_of(const Arithmetic& arithmetic) {
  std::string text = info(arithmetic.dtype).name;
  const auto add = [&](const char* suffix, Dtype type) {
    if (type != Dtype::f32) text += suffix + std::string(info(type).name);
  };
  add("+partials=", arithmetic.partials);
  add("+atomics=", arithmetic.atomics);
  add("+acc=", arithmetic.accumulator);
  if (arithmetic.sum_bits < Arithmetic().sum_bits)
    text += (arithmetic.promoted_products > 0 ? "+partials=" : "+acc=") +
            std::to_string(arithmetic.sum_bits) + "bit";
  if (arithmetic.flushes_subnormals) text += "+ftz";
  return text;
}

}  // namespace spb
