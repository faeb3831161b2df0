// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "algorithms/automatic/automatic.h"
#include "algorithms/common/pair_kernels.h"
#include "algorithms/common/plan_base.h"
#include "algorithms/depthwise/depthwise.h"
#include "algorithms/explicit_gemm/explicit_gemm.h"
#include "algorithms/fused_gather_scatter/fused_gather_scatter.h"
#include "algorithms/gather_scatter/gather_scatter.h"
#include "algorithms/grouped_gemm/grouped_gemm.h"
#include "algorithms/implicit/choices.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/kernel_support.h"
#include "algorithms/implicit/plan_choice.h"
#include "gpu/device_info.h"
#include "gpu/gemm.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/product_variants.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/tiles.h"

namespace spb {

namespace {

using namespace plans;

/// Of the algorithms that leave products to gpu::gemm() and do whatever they claim.
std::optional<std::string> unsupported_gemm(const Problem&, const Choice&) { return {}; }

/// Nothing, or that a kernel multiplies no tiles.
std::optional<std::string> unsupported_product(const KernelVariant* variant) {
  if (!variant || !is_product(*variant)) return {};
  return std::string("kernel ") + variant->name +
         " is of dense products; this algorithm multiplies tiles";
}

std::optional<std::string> unsupported_variant(const Problem& problem, bool masked, bool split_k,
                                               std::optional<maps::RowOrder> order,
                                               const KernelVariant& variant) {
  return problem.direction == Direction::wgrad
             ? unsupported_wgrad_variant(problem, masked, !split_k, variant)
             : unsupported_row_variant(problem, masked, split_k, order, variant);
}

/// Nothing, or why no kernel at all can do the problem.
std::optional<std::string> unsupported_by_all(const Problem& problem, bool masked, bool split_k) {
  const bool wgrad = problem.direction == Direction::wgrad;
  const unsigned bit = dtype_bit(wgrad ? multiplied_in_wgrad(problem.dtype) : problem.dtype);
  if ((wgrad ? kPortableDtypes : kPortableRowDtypes) & bit) return {};
  const std::string reason = std::string(info(problem.dtype).name) +
                             " needs an NVIDIA GPU of sm_80 or newer; " + gpu::backend_name() +
                             " has no kernel for it";
  std::string first;  // of the variants' reasons
  for (const KernelVariant& variant : wgrad ? wgrad_variants() : row_variants()) {
    if (!(variant.dtypes & bit)) continue;
    const auto of_variant = unsupported_variant(problem, masked, split_k, {}, variant);
    if (!of_variant) return {};
    if (first.empty()) first = *of_variant;
  }
  return first.empty() ? reason : first;
}

/// Nothing, or why offsets are not cut into so many segments.
std::optional<std::string> unsupported_segments(const Problem& problem, int segments) {
  if (problem.direction == Direction::wgrad) return {};
  if (segments == 1) return "of 1 segment is masked_implicit_gemm";
  if (segments <= problem.kernel_volume()) return {};
  return "cuts offsets into " + std::to_string(segments) + " segments; the kernel has " +
         std::to_string(problem.kernel_volume());
}

template <bool Masked, bool SplitK, bool Segmented>
std::optional<std::string> unsupported_implicit(const Problem& problem, const Choice& made) {
  const PlanChoice choice = read(made);
  if (auto reason = unsupported_here(problem.dtype)) return reason;
  if (auto reason = unsupported_product(choice.variant)) return reason;
  if (problem.groups > kMostGroups)
    return "takes up to " + std::to_string(kMostGroups) + " groups of channels";
  if constexpr (Segmented)
    if (auto reason = unsupported_segments(problem, choice.segments.value_or(kUsualSegments)))
      return reason;
  const bool has_segments = choice.segments.value_or(1) > 1;
  if (choice.split && (has_segments || choice.atomic))
    return "adds up slices (split) or segments, not both";
  if (has_segments && !Segmented && !has_segmented_row_kernel(problem, choice.variant))
    return "takes segments by kernels of sm_80 and newer alone: others take slices (split)";
  if (choice.atomic && !has_adding_row_kernel(problem, choice.variant))
    return "has an atomic reduction in wgmma kernels of 128 and more columns alone, which need "
           "sm_90, f16, bf16, tf32 or 3xtf32, and channels in eights or fours";
  return choice.variant
             ? unsupported_variant(problem, Masked, SplitK, choice.order, *choice.variant)
             : unsupported_by_all(problem, Masked, SplitK);
}

template <bool Masked, bool SplitK, bool Segmented>
std::vector<Choice> choices(const SizedProblem& sized, ChoiceRange range) {
  return implicit_choices({.masked = Masked, .split_k = SplitK, .segmented = Segmented}, sized,
                          range);
}

/// Of the algorithms that run tile kernels over pair tiles.
template <PairPass Pass>
std::optional<std::string> unsupported_of_pairs(const Problem& problem, const Choice& made) {
  const PlanChoice choice = read(made);
  if (auto reason = unsupported_product(choice.variant)) return reason;
  const bool wgrad = problem.direction == Direction::wgrad;
  // Which gather pair by pair: no halos.
  if (wgrad && choice.variant)
    return unsupported_wgrad_variant(problem, true, false, *choice.variant);
  if (auto reason = choice.variant ? unsupported_variant(problem, true, false, {}, *choice.variant)
                                   : unsupported_by_all(problem, true, false))
    return reason;
  if (wgrad) return {};
  return unsupported_pairs(problem, choice.atomic ? PairPass::atomic : Pass, choice.variant);
}
template <PairPass Pass>
std::vector<Choice> choices_of_pairs(const SizedProblem& sized, ChoiceRange range) {
  return pair_choices(Pass, sized, range);
}

/// Of the algorithms that leave products to gpu::gemm().
constexpr Claim kOfGemm = [] {
  Claim claim = kEverything;
  claim.dtypes = 0;
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::tf32x3,
                            Dtype::i8, Dtype::i8_f32, Dtype::i8_i32})
    if (gpu::gemm_takes(dtype)) claim.dtypes |= claim_of(dtype);
  return claim;
}();

/// tf32 is rounding for tensor cores, which depthwise kernels have no use for: they multiply f32.
constexpr Claim kDepthwise{.dtypes = claim_of(Dtype::f32, Dtype::f16, Dtype::bf16),
                           .directions = kEveryDirection,
                           .kinds = kEveryKind,
                           .bias = true,
                           .epilogue = true,
                           .groups = claim_of(GroupKind::depthwise)};

/// Of the algorithms that take groups as further tiles. One for each channel would leave them next
/// to nothing to multiply.
constexpr Claim kImplicit = [] {
  Claim claim = kEverything;
  claim.dtypes |= kScaled;
  claim.groups |= claim_of(GroupKind::several);
  return claim;
}();

/// What any of the others takes.
constexpr Claim kAutomatic = [] {
  Claim claim = kImplicit;
  claim.groups |= kDepthwise.groups;
  return claim;
}();

template <bool Masked, bool SplitK, bool Segmented = false>
Algorithm implicit(const char* name, const char* summary, int version,
                   const char* (*step_wgrad)(const Problem&, const maps::RowCoords&,
                                             const Choice&)) {
  return {.name = name,
          .summary = summary,
          .version = version,
          .claim = kImplicit,
          .unsupported_with = unsupported_implicit<Masked, SplitK, Segmented>,
          .needs_of = needs_of_implicit<Masked, SplitK, Segmented>,
          .plan_with = plan_implicit<Masked, SplitK, Segmented>,
          .knobs = implicit_knobs({.masked = Masked, .split_k = SplitK, .segmented = Segmented}),
          .choices = choices<Masked, SplitK, Segmented>,
          .step_wgrad = step_wgrad};
}

/// By halos where fprop and dgrad read them, too, where they pay alone, or where one that reads
/// them was asked for; else by one that cuts its lists. A kernel that was chosen for the other
/// directions is none of wgrad's.
const char* step_wgrad_of_masked(const Problem& wgrad, const maps::RowCoords& voxels,
                                 const Choice& own) {
  const KernelVariant* chosen = read(own).variant;
  const bool halos =
      chosen ? is_halo_wgrad(*chosen)
             : layer_reads_halos(wgrad) || wgrad_pays_by_halos(wgrad, voxels.n, voxels.box);
  return halos ? nullptr : "masked_implicit_gemm_splitk";
}

}  // namespace

std::span<const Algorithm> algorithms() {
  static const std::vector<Algorithm> kOthers = {
      {"explicit_gemm", "im2col matrix, then one dense product", 3, kOfGemm, unsupported_gemm,
       needs_of_explicit_gemm, plan_explicit_gemm},
      {"gather_scatter", "per offset: gather, dense product, scatter-add", 3, kOfGemm,
       unsupported_gather_scatter, needs_of_gather_scatter, plan_gather_scatter, pair_knobs(false)},
      implicit<false, false>("implicit_gemm", "tiles gather rows while multiplying; all offsets", 3,
                             [](const Problem&, const maps::RowCoords&, const Choice&) {
                               return "implicit_gemm_splitk";
                             }),
      implicit<false, true>("implicit_gemm_splitk",
                            "implicit_gemm with each tile's sum cut into slices", 5, nullptr),
      implicit<true, false>("masked_implicit_gemm",
                            "rows sorted; tiles skip offsets that no row has", 11,
                            step_wgrad_of_masked),
      implicit<true, true>("masked_implicit_gemm_splitk",
                           "masked_implicit_gemm in slices of offsets or lists", 7, nullptr),
      implicit<true, true, true>("split_masked_implicit_gemm",
                                 "masked; segments of the offsets, each sorted alone", 1, nullptr),
      {"fused_gather_scatter", "per offset: one launch gathers, multiplies and adds", 2,
       kEverything, unsupported_of_pairs<PairPass::fused>, needs_of_fused_gather_scatter,
       plan_fused_gather_scatter, pair_knobs(false), choices_of_pairs<PairPass::fused>,
       [](const Problem&, const maps::RowCoords&, const Choice&) {
         return "masked_implicit_gemm_splitk";
       }},
      {"grouped_gemm", "pairs of all offsets in one launch, then added up", 1, kEverything,
       unsupported_of_pairs<PairPass::ordered>, needs_of_grouped_gemm, plan_grouped_gemm,
       pair_knobs(true), choices_of_pairs<PairPass::ordered>},
      {"depthwise", "one group per channel: gather, scale and add", 3, kDepthwise,
       unsupported_depthwise, needs_of_depthwise, plan_depthwise, depthwise_knobs(),
       depthwise_choices},
  };
  static const std::vector<Knob> kKnobs = automatic_knobs(kOthers);
  static const std::vector<Algorithm> kAlgorithms = [] {
    std::vector<Algorithm> all = kOthers;
    all.push_back({.name = "auto",
                   .summary = "what tune found, else by a rule",
                   .version = 5,
                   .claim = kAutomatic,
                   .unsupported_with = unsupported_automatic,
                   .needs_of = needs_of_automatic,
                   .plan_with = plan_automatic,
                   .knobs = kKnobs,
                   .choices = automatic_choices,
                   .by_name_only = true});
    return all;
  }();
  return kAlgorithms;
}

std::span<const Knob> all_knobs() {
  static const std::vector<Knob> kKnobs = [] {
    std::vector<Knob> knobs;
    for (const Algorithm& algorithm : algorithms())
      for (const Knob& knob : algorithm.knobs)
        if (std::ranges::none_of(knobs, [&](const Knob& known) {
              return std::string_view(known.name) == knob.name;
            }))
          knobs.push_back(knob);
    return knobs;
  }();
  return kKnobs;
}

}  // namespace spb
