// SPDX-License-Identifier: Apache-2.0
#include "algorithms/claim.h"

namespace spb {
namespace {

template <class Enum>
bool has(unsigned set, Enum value) {
  const auto bit = static_cast<unsigned>(value);
  return bit < 32 && (set >> bit & 1) != 0;
}

/// "takes no direction dgrad"; what has no name, by its number.
template <class Enum>
std::string refusal(const std::string& what, const std::string& known, Enum value) {
  const auto number = static_cast<unsigned>(value);
  return "takes no " + what + " " +
         (known == "unknown" ? "number " + std::to_string(number) : known);
}

const char* name(Dtype dtype) {
  for (const Math& row : dtypes())
    if (row.dtype == dtype) return row.name;
  return "unknown";
}

std::string known_groups(const Claim& claim) {
  if (claim.groups == claim_of(GroupKind::one)) return "one group";
  if (claim.groups == claim_of(GroupKind::depthwise)) return "one for each channel";
  return "no depthwise layers";
}

}  // namespace

std::optional<std::string> unclaimed(const Claim& claim, const Problem& problem) {
  // By all fields there are: one more does not compile until it is claimed or refused here.
  const auto& [geometry, c_in, c_out, dtype, direction, bias, groups, epilogue] = problem;
  // What is left of a geometry is the maps' business: every kind takes it.
  const auto& [kind, kernel_size, stride, dilation, padding, output_rule, output_extent] = geometry;
  if (!has(claim.dtypes, dtype)) return refusal("dtype", name(dtype), dtype);
  if (!has(claim.directions, direction))
    return refusal("direction", spb::name(direction), direction);
  if (!has(claim.kinds, kind)) return refusal("convolution kind", spb::name(kind), kind);
  if (bias && !claim.bias) return "takes no bias";
  if (auto reason = invalid(problem)) return reason;
  if (!epilogue.is_none() && direction != Direction::fprop)
    return "epilogue " + to_text(epilogue) + ": epilogues are fprop's";
  if (!epilogue.is_none() && !claim.epilogue) return "takes no epilogue";
  if (!has(claim.groups, group_kind(problem)))
    return "groups = " + std::to_string(groups) + ", this algorithm has " + known_groups(claim);
  return std::nullopt;
}

}  // namespace spb
