// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_variants.h"

#include <array>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/nearest.h"
#include "kernels/product_variants.h"

namespace spb {
namespace {

constexpr KernelVariant kProducts[] = {{"cublas_grouped", 0, 0, 0, 0, 0, 0, kPortableDtypes}};

std::array<std::span<const KernelVariant>, 3> all_variants() {
  return {row_variants(), wgrad_variants(), product_variants()};
}

}  // namespace

std::span<const KernelVariant> product_variants() { return kProducts; }

bool is_product(const KernelVariant& variant) { return variant.tile_m == 0; }

const std::vector<std::string>& kernel_names() {
  static const std::vector<std::string> kNames = [] {
    std::set<std::string> names;
    for (const auto variants : all_variants())
      for (const KernelVariant& variant : variants) names.emplace(variant.name);
    return std::vector<std::string>(names.begin(), names.end());
  }();
  return kNames;
}

const KernelVariant* find_variant(std::string_view name) {
  for (const auto variants : all_variants())
    for (const KernelVariant& variant : variants)
      if (name == variant.name) return &variant;
  return nullptr;
}

const KernelVariant& known_variant(const std::string& name, std::string_view where) {
  if (const KernelVariant* variant = find_variant(name)) return *variant;
  throw usage_error(where, unknown_name(name, kernel_names()),
                    "`spconv-bench list kernels` lists all");
}

namespace {
int highest_architecture = std::numeric_limits<int>::max();
}
void limit_architecture(int architecture) { highest_architecture = architecture; }
int architecture_limit() { return highest_architecture; }

}  // namespace spb
