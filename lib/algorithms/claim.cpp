// SPDX-License-Identifier: Apache-2.0
#include "algorithms/claim.h"

#include "core/tensors.h"

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

/// Nothing, or why bytes cannot be multiplied so.
std::optional<std::string> unsupported_scaled(const Problem& problem) {
  const Math& math = info(problem.dtype);
  const std::string dtype = math.name;
  if (math.is_integer() && problem.direction != Direction::fprop)
    return dtype + " is inference alone: it has no backward";
  if (math.stores_sums() && (problem.bias || !problem.epilogue.is_none()))
    return dtype + " stores sums as they are: it takes no bias (--bias false) and no epilogue";
  // Gradients of weights are sums of all rows, which bf16 alone holds without a scale.
  if (problem.direction == Direction::wgrad && math.out != Storage::bf16)
    return dtype + " stores no gradient of weights: e4m3_bf16 does";
  if (problem.groups > 1) return dtype + " takes one group of channels";
  // Rows are read in words of 4 bytes at least.
  constexpr int kChannels = 4;
  if (problem.c_in % kChannels != 0 || problem.c_out % kChannels != 0)
    return dtype + " needs channels in multiples of 4";
  if (!math.is_integer()) return std::nullopt;
  // So many products of -128 by -128 stay below 2^31.
  constexpr int64_t kMostTerms = 131071;
  if (most_products(problem) > kMostTerms)
    return dtype + " sums up to " + std::to_string(kMostTerms) +
           " products, kernel volume times c_in, in 32 bits";
  return std::nullopt;
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
  if (info(dtype).is_scaled())
    if (auto reason = unsupported_scaled(problem)) return reason;
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
