// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "run/verify_case.h"

namespace spb::run {

verify::ArithmeticModel arithmetic_model(const Arithmetic& arithmetic) {
  verify::ArithmeticModel model{.mma_depth = arithmetic.mma_depth,
                                .mma_rounding = arithmetic.mma_rounding};
  struct Suffix {
    std::string_view name;
    Dtype verify::ArithmeticModel::*type;
  };
  constexpr Suffix kSuffixes[] = {{"+partials=", &verify::ArithmeticModel::partials},
                                  {"+atomics=", &verify::ArithmeticModel::atomics},
                                  {"+acc=", &verify::ArithmeticModel::accumulator}};
  const std::string_view text = arithmetic.arithmetic_class;
  for (const Suffix& suffix : kSuffixes)
    if (const size_t found = text.find(suffix.name); found != std::string_view::npos) {
      const std::string_view rest = text.substr(found + suffix.name.size());
      model.*suffix.type = parse_dtype(rest.substr(0, rest.find('+')), "arithmetic class");
    }
  return model;
}

}  // namespace spb::run
