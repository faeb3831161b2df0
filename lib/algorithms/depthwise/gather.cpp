// SPDX-License-Identifier: Apache-2.0
#include "algorithms/depthwise/gather.h"

#include <algorithm>
#include <string>

#include "algorithms/depthwise/depthwise.h"
#include "core/error.h"
#include "kernels/depthwise/depthwise.h"

namespace spb::plans {
namespace {

const std::vector<std::string>& gather_names() {
  static const std::vector<std::string> kNames{"halo", "rows"};
  return kNames;
}
constexpr Knob kGather{
    .name = "gather",
    .help =
        "where depthwise kernels find rows: in memory, one by one (rows), or all that a tile "
        "reaches in shared memory (halo)",
    .column = columns::algorithm_params,
    .directions = kEveryDirection,
    .words = gather_names};
constexpr Knob kKnobs[] = {kGather};

bool names_halo(const Choice& choice) {
  const std::string* gather = choice.find(kGather.name);
  return gather && *gather == "halo";
}

/// `rows`: of the side that has more.
bool takes_halos(const Problem& problem, int64_t rows) {
  return depthwise_takes_halos(problem.dtype, problem.kernel_volume(), problem.c_out, rows);
}

/// By reports/nvidia-h200/depthwise and depthwise-rows: halos win in submanifold layers, those of
/// fprop and dgrad from 15,000 rows on (1.1 to 2.2 times as fast; 0.86 to 1.09 up to 3,300).
/// Strided layers share fewer rows, and lose up to 1.7 times.
bool pays_by_halos(const Problem& problem, int64_t rows) {
  constexpr int64_t kLeastRows = 8192;
  return problem.geometry.kind == ConvKind::subm &&
         (problem.direction == Direction::wgrad || rows >= kLeastRows);
}

/// What a plan takes that is left the choice.
DepthwiseGather usual_gather(const Problem& problem, int64_t rows) {
  return takes_halos(problem, rows) && pays_by_halos(problem, rows) ? DepthwiseGather::halo
                                                                    : DepthwiseGather::rows;
}

}  // namespace

std::span<const Knob> depthwise_knobs() { return kKnobs; }

std::optional<std::string> unsupported_depthwise(const Problem& problem, const Choice& choice) {
  if (!names_halo(choice) || takes_halos(problem, 0)) return {};
  return "gather halo takes up to " + std::to_string(maps::kMostHaloOffsets) +
         " kernel offsets and rows of whole 16 bytes";
}

std::vector<Choice> depthwise_choices(const SizedProblem& sized, ChoiceRange) {
  const Problem& problem = sized.problem;
  const int64_t rows = std::max(sized.n_in, sized.n_out);
  if (!takes_halos(problem, rows)) return {};
  std::vector<Choice> choices;
  for (const std::string& name : gather_names())
    choices.push_back({.values = {{kGather.name, name}}});
  if (usual_gather(problem, rows) == DepthwiseGather::rows) std::ranges::reverse(choices);
  return choices;
}

DepthwiseGather depthwise_gather(const Case& of) {
  const int64_t rows = std::max(of.n_in, of.n_out);
  if (!of.choice.find(kGather.name)) return usual_gather(of.problem, rows);
  if (!names_halo(of.choice)) return DepthwiseGather::rows;
  if (!takes_halos(of.problem, rows))
    throw usage_error("gather", "halo",
                      "it cannot name so many rows; leave the choice to the plan");
  return DepthwiseGather::halo;
}

}  // namespace spb::plans
