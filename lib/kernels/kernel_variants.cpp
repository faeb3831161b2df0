// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_variants.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {

const KernelVariant* find_variant(std::string_view name) {
  for (const auto variants : {row_variants(), wgrad_variants()})
    for (const KernelVariant& variant : variants)
      if (name == variant.name) return &variant;
  return nullptr;
}

const KernelVariant& known_variant(const std::string& name, std::string_view where) {
  if (const KernelVariant* variant = find_variant(name)) return *variant;
  std::vector<std::string> known;
  for (const auto variants : {row_variants(), wgrad_variants()})
    for (const KernelVariant& variant : variants) known.emplace_back(variant.name);
  throw usage_error(where, unknown_name(name, known), "`spconv-bench list kernels` lists all");
}

namespace {
int highest_architecture = std::numeric_limits<int>::max();
}
void limit_architecture(int architecture) { highest_architecture = architecture; }
int architecture_limit() { return highest_architecture; }

}  // namespace spb
