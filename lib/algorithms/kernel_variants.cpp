#include "algorithms/kernel_variants.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

std::string& forced() {
  static std::string name;
  return name;
}

}  // namespace

void force_variant(const std::string& name) {
  std::vector<std::string> known = {""};
  for (const auto variants : {row_variants(), wgrad_variants()})
    for (const KernelVariant& variant : variants) known.emplace_back(variant.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw usage_error("--kernel", unknown_name(name, known),
                      "`spconv-bench list kernels` lists all");
  forced() = name;
}

const std::string& forced_variant() { return forced(); }

}  // namespace spb
