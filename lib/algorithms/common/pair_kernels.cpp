// SPDX-License-Identifier: Apache-2.0
#include "algorithms/common/pair_kernels.h"

#include <algorithm>

#include "algorithms/implicit/choices.h"
#include "algorithms/implicit/kernel_support.h"
#include "algorithms/implicit/plan_choice.h"

namespace spb::plans {
namespace {

constexpr size_t kLikelyKernels = 4;

/// What a tile does, an offset; `pairs` of a launch.
RowWork tile_work(const Problem& problem, PairPass pass, int64_t pairs) {
  RowWork work = row_work(problem, true, false);
  work.offsets = 1;
  work.along_z = false;
  work.rows = pass == PairPass::fused ? pairs / problem.kernel_volume() : pairs;
  return work;
}

bool takes(const RowKernel& kernel, const Problem& problem, PairPass pass, int64_t pairs) {
  const RowFamily& family = *kernel.family;
  if (!family.adds_pairs) return false;
  RowWork work = row_work(problem, true, false);
  work.rows = pairs;
  work.along_z = false;
  if (unsupported(work, kernel.variant())) return false;  // of the weights of all offsets
  if (pass == PairPass::ordered) return true;
  // Whose launches prepare all weights first would do so for each offset.
  if (pass == PairPass::fused && family.prepares(problem.dtype) > 0) return false;
  const Adds adds = family.adds_pairs(kernel.index, work);
  return adds == Adds::freely || (adds == Adds::once && pass == PairPass::fused);
}

/// Known by name, or none.
std::optional<RowKernel> find(const Problem& problem, PairPass pass, int64_t pairs,
                              const KernelVariant& variant) {
  const RowKernel kernel = choose_row_kernel(tile_work(problem, pass, pairs), &variant);
  if (std::string_view(kernel.variant().name) != variant.name) return {};
  if (!takes(kernel, problem, pass, pairs)) return {};
  return kernel;
}

std::string lacking(PairPass pass) {
  switch (pass) {
    case PairPass::ordered:
      break;
    case PairPass::fused:
      return "has no kernel here that adds to output rows";
    case PairPass::atomic:
      return "has an atomic reduction in portable kernels and in wgmma kernels of 128 and more "
             "columns alone, which need sm_90, f16, bf16, tf32 or 3xtf32, and channels in eights "
             "or fours";
  }
  return "has no kernel here that reads tiles of pairs";
}

}  // namespace

std::vector<RowKernel> rank_pair_kernels(const Problem& problem, PairPass pass, int64_t pairs) {
  std::vector<RowKernel> kernels = rank_row_kernels(tile_work(problem, pass, pairs));
  std::erase_if(kernels,
                [&](const RowKernel& kernel) { return !takes(kernel, problem, pass, pairs); });
  return kernels;
}

RowKernel choose_pair_kernel(const Problem& problem, PairPass pass, int64_t pairs,
                             const KernelVariant* chosen) {
  if (chosen)
    if (const auto kernel = find(problem, pass, pairs, *chosen)) return *kernel;
  const std::vector<RowKernel> kernels = rank_pair_kernels(problem, pass, pairs);
  if (chosen || kernels.empty())
    throw Error(ExitCode::runtime,
                chosen ? std::string("kernel ") + chosen->name + " has no room for so many pairs"
                       : lacking(pass));
  return kernels.front();
}

std::optional<std::string> unsupported_pairs(const Problem& problem, PairPass pass,
                                             const KernelVariant* chosen) {
  if (!chosen) {
    if (rank_pair_kernels(problem, pass, 0).empty()) return lacking(pass);
    return {};
  }
  if (find(problem, pass, 0, *chosen)) return {};
  return std::string("kernel ") + chosen->name + " takes no part: the algorithm " + lacking(pass);
}

std::vector<Choice> pair_choices(PairPass pass, const SizedProblem& sized, ChoiceRange range) {
  if (sized.problem.direction == Direction::wgrad)
    return implicit_choices({.masked = true, .split_k = pass != PairPass::fused, .pairs = true},
                            sized, range);
  std::vector<RowKernel> kernels = rank_pair_kernels(sized.problem, pass, sized.n_pairs);
  if (range != ChoiceRange::all) kernels.resize(std::min(kernels.size(), kLikelyKernels));
  std::vector<Choice> choices;
  for (const RowKernel& kernel : kernels)
    choices.push_back(to_choice({.variant = find_variant(kernel.variant().name)}));
  return choices;
}

}  // namespace spb::plans
