// SPDX-License-Identifier: Apache-2.0
#include "algorithms/depthwise/gather.h"

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

/// Rows that the pass reads.
int64_t source_rows(const Problem& problem, int64_t n_in, int64_t n_out) {
  return problem.direction == Direction::dgrad ? n_out : n_in;
}

bool takes_halos(const Problem& problem, int64_t rows) {
  return depthwise_takes_halos(problem.dtype, problem.kernel_volume(), problem.c_out, rows);
}

}  // namespace

std::span<const Knob> depthwise_knobs() { return kKnobs; }

std::optional<std::string> unsupported_depthwise(const Problem& problem, const Choice& choice) {
  if (!names_halo(choice) || takes_halos(problem, 0)) return {};
  return "gathers by halos up to " + std::to_string(maps::kMostHaloOffsets) +
         " kernel offsets, and rows of whole 16 bytes";
}

std::vector<Choice> depthwise_choices(const SizedProblem& sized, ChoiceRange) {
  const Problem& problem = sized.problem;
  if (!takes_halos(problem, source_rows(problem, sized.n_in, sized.n_out))) return {};
  std::vector<Choice> choices(gather_names().size());
  for (size_t i = 0; i < choices.size(); ++i) choices[i].values[kGather.name] = gather_names()[i];
  return choices;
}

DepthwiseGather depthwise_gather(const Case& of) {
  const bool can = takes_halos(of.problem, source_rows(of.problem, of.n_in, of.n_out));
  if (!of.choice.find(kGather.name)) return can ? DepthwiseGather::halo : DepthwiseGather::rows;
  if (!names_halo(of.choice)) return DepthwiseGather::rows;
  if (!can)
    throw usage_error("gather", "halo",
                      "it cannot name so many rows; leave the choice to the plan");
  return DepthwiseGather::halo;
}

}  // namespace spb::plans
