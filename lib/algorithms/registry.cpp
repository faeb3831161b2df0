// SPDX-License-Identifier: Apache-2.0
#include "algorithms/common/plan_base.h"
#include "algorithms/explicit_gemm/explicit_gemm.h"
#include "algorithms/gather_scatter/gather_scatter.h"
#include "algorithms/implicit/choices.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/kernel_support.h"
#include "gpu/device_info.h"
#include "gpu/gemm.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/wgrad/tiles.h"

namespace spb {

namespace {

using namespace plans;

constexpr const char* kNoAtomicReduction =
    "has no atomic reduction; fprop and dgrad of masked_implicit_gemm_splitk have one";

/// Of the algorithms that leave products to gpu::gemm() and have no tiles to choose.
std::optional<std::string> unsupported_gemm(const Problem&, const PlanChoice& choice) {
  if (choice.atomic) return kNoAtomicReduction;
  if (choice.variant)
    return std::string("kernel ") + choice.variant->name +
           " is no part of this algorithm, which runs " + gpu::gemm_name();
  return {};
}

std::optional<std::string> unsupported_variant(const Problem& problem, bool masked, bool split_k,
                                               std::optional<maps::RowOrder> order,
                                               const KernelVariant& variant) {
  return problem.direction == Direction::wgrad
             ? unsupported_wgrad_variant(problem, variant)
             : unsupported_row_variant(problem, masked, split_k, order, variant);
}

/// Nothing, or why no kernel at all can do the problem.
std::optional<std::string> unsupported_by_all(const Problem& problem, bool masked, bool split_k) {
  const unsigned bit = dtype_bit(problem.dtype);
  if (kPortableDtypes & bit) return {};
  const std::string reason = std::string(info(problem.dtype).name) +
                             " needs an NVIDIA GPU of sm_80 or newer; " + gpu::backend_name() +
                             " has no kernel for it";
  std::string first;  // of the variants' reasons
  const bool wgrad = problem.direction == Direction::wgrad;
  for (const KernelVariant& variant : wgrad ? wgrad_variants() : row_variants()) {
    if (!(variant.dtypes & bit)) continue;
    const auto of_variant = unsupported_variant(problem, masked, split_k, {}, variant);
    if (!of_variant) return {};
    if (first.empty()) first = *of_variant;
  }
  return first.empty() ? reason : first;
}

template <bool Masked, bool SplitK>
std::optional<std::string> unsupported_implicit(const Problem& problem, const PlanChoice& choice) {
  if (choice.split.value_or(1) > kMostRowSlices ||
      choice.segments.value_or(1) > maps::kMostSegments)
    return "takes " + std::to_string(kMostRowSlices) + " slices or " +
           std::to_string(maps::kMostSegments) + " segments at most";
  if (choice.atomic && !(Masked && SplitK && problem.direction != Direction::wgrad))
    return kNoAtomicReduction;
  if (choice.atomic && !has_adding_row_kernel(problem, choice.variant))
    return "adds atomically by wgmma kernels of 128 and more columns alone, which need sm_90, f16, "
           "bf16 or tf32, and channels in eights or fours";
  return choice.variant
             ? unsupported_variant(problem, Masked, SplitK, choice.order, *choice.variant)
             : unsupported_by_all(problem, Masked, SplitK);
}

template <bool Masked, bool SplitK>
std::vector<PlanChoice> choices(const SizedProblem& sized, ChoiceRange range) {
  return implicit_choices({.masked = Masked, .split_k = SplitK}, sized, range);
}

/// Of the algorithms that leave products to gpu::gemm().
constexpr Claim kOfGemm = [] {
  Claim claim = kEverything;
  claim.dtypes = 0;
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::tf32x3})
    if (gpu::gemm_takes(dtype)) claim.dtypes |= claim_of(dtype);
  return claim;
}();

constexpr Algorithm kAlgorithms[] = {
    {"explicit_gemm", "im2col matrix, then one dense product", 3, kOfGemm, unsupported_gemm,
     needs_of_explicit_gemm, plan_explicit_gemm},
    {"gather_scatter", "per kernel offset: gather, dense product, scatter-add", 3, kOfGemm,
     unsupported_gemm, needs_of_gather_scatter, plan_gather_scatter},
    {"implicit_gemm", "tiles gather their rows while multiplying; all kernel offsets", 2,
     kEverything, unsupported_implicit<false, false>, needs_of_implicit<false, false>,
     plan_implicit<false, false>, choices<false, false>, false, "implicit_gemm_splitk"},
    {"implicit_gemm_splitk", "implicit_gemm with each tile's sum cut into slices", 3, kEverything,
     unsupported_implicit<false, true>, needs_of_implicit<false, true>, plan_implicit<false, true>,
     choices<false, true>},
    {"masked_implicit_gemm", "rows sorted by neighborhood; tiles skip offsets no row has", 5,
     kEverything, unsupported_implicit<true, false>, needs_of_implicit<true, false>,
     plan_implicit<true, false>, choices<true, false>, true, "masked_implicit_gemm_splitk"},
    {"masked_implicit_gemm_splitk",
     "masked_implicit_gemm in slices: of the offsets with own tiles, or of each list", 5,
     kEverything, unsupported_implicit<true, true>, needs_of_implicit<true, true>,
     plan_implicit<true, true>, choices<true, true>, true},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

}  // namespace spb
