// SPDX-License-Identifier: Apache-2.0
#include "algorithms/automatic/automatic.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "algorithms/implicit/kernel_support.h"
#include "core/error.h"
#include "kernels/tiling.h"

namespace spb::plans {
namespace {

constexpr const char* kKnobName = "auto_algorithm";

bool is_another(const Algorithm& algorithm) { return !algorithm.by_name_only; }

const std::vector<std::string>& other_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms())
      if (is_another(algorithm)) names.emplace_back(algorithm.name);
    return names;
  }();
  return kNames;
}

constexpr Knob kAlgorithm{.name = kKnobName,
                          .help = "which of the others auto takes, instead of its rule",
                          .column = columns::algorithm_params,
                          .directions = kEveryDirection,
                          .words = other_names};

bool can(const Algorithm& algorithm, const Problem& problem, const Choice& choice) {
  return is_another(algorithm) && !algorithm.unsupported(problem, choice);
}

const Algorithm& named(std::string_view name) {
  return *std::ranges::find(algorithms(), name, &Algorithm::name);
}

/// What the algorithm that is taken is told.
Choice passed_on(const Choice& made) {
  Choice choice = made;
  choice.values.erase(kKnobName);
  return choice;
}

/// Whether slices of offsets pay, which cost a pass over fp32 sums and fill a device that whole
/// tiles leave idle. Right in 60 of 62 f16 cells of the H200 records flexgemm, scans, room and
/// strided; the two others lose 12 %.
bool splits(const Case& of) {
  const Problem& problem = of.problem;
  if (problem.direction == Direction::wgrad) return !wgrad_pays_by_halos(problem, of.n_out, of.box);
  const GemmView view = gemm_view(problem, {of.n_in, of.n_out});
  constexpr int64_t kTileRows = 128, kTileColumns = 256;
  const int64_t tiles = tiles_of(view.m, kTileRows) * tiles_of(view.n, kTileColumns) * view.groups;
  // Fine rows have the offsets of their residue alone.
  double offsets = problem.kernel_volume();
  const bool writes_fine_rows =
      is_transposed(problem.geometry.kind) != (problem.direction == Direction::dgrad);
  if (writes_fine_rows)
    for (const int32_t stride : problem.geometry.stride) offsets /= stride;
  const double depth = offsets * view.k;
  constexpr double kDeep = 27 * 64, kVeryDeep = 27 * 512;
  return (tiles < 2 * multiprocessors() && depth >= kDeep) ||
         (tiles < 4 * multiprocessors() && depth >= kVeryDeep);
}

/// Whether rows are so few that tiles of any order waste most of their work, and channels so many
/// that the products of pairs are worth storing: spheres of up to 848 rows in the H200 record
/// pairs, where grouped_gemm is the fastest of all; at 3,840 rows it is not.
bool groups_pairs(const Case& of) {
  if (of.problem.direction == Direction::wgrad) return false;
  const GemmView view = gemm_view(of.problem, {of.n_in, of.n_out});
  constexpr int64_t kFewRows = 1000;
  constexpr int kWide = 256;
  return view.m > 0 && view.m <= kFewRows && view.k >= kWide && view.n >= kWide;
}

/// The first that can do the problem as it is told to.
const Algorithm* taken(const Case& of) {
  const Problem& problem = of.problem;
  if (const std::string* name = of.choice.find(kKnobName)) return &named(*name);
  const Choice choice = passed_on(of.choice);
  const bool split = splits(of);
  const std::array first{split ? "masked_implicit_gemm_splitk" : "masked_implicit_gemm",
                         split ? "masked_implicit_gemm" : "masked_implicit_gemm_splitk"};
  if (groups_pairs(of) && can(named("grouped_gemm"), problem, choice))
    return &named("grouped_gemm");
  for (const char* name : first)
    if (can(named(name), problem, choice)) return &named(name);
  for (const Algorithm& algorithm : algorithms())
    if (can(algorithm, problem, choice)) return &algorithm;
  return nullptr;
}

const Algorithm& taken_of(const Case& of) {
  const Algorithm* algorithm = taken(of);
  if (!algorithm) throw Error(ExitCode::runtime, "auto: no algorithm can do the problem");
  return *algorithm;
}

Case passed_on(const Case& of) {
  Case passed = of;
  passed.choice = passed_on(of.choice);
  return passed;
}

/// Says besides who runs.
class AutomaticPlan final : public Plan {
 public:
  AutomaticPlan(std::unique_ptr<Plan> plan, const char* algorithm)
      : plan_(std::move(plan)), description_(plan_->description()) {
    std::string& params = description_.params_json;
    params.insert(1, std::string("\"") + kKnobName + "\":\"" + algorithm + '"' +
                         (params.size() > 2 ? "," : ""));
  }
  void run(const Operands& operands, const gpu::Stream& stream) override {
    plan_->run(operands, stream);
  }
  const PlanDescription& description() const override { return description_; }
  MapSize size() const override { return plan_->size(); }
  MapSet map(const gpu::Stream& stream) const override { return plan_->map(stream); }

 private:
  std::unique_ptr<Plan> plan_;
  PlanDescription description_;
};

}  // namespace

std::vector<Knob> automatic_knobs(std::span<const Algorithm> others) {
  std::vector<Knob> knobs{kAlgorithm};
  for (const Algorithm& algorithm : others)
    for (const Knob& knob : algorithm.knobs)
      if (std::ranges::find(knobs, std::string_view(knob.name), &Knob::name) == knobs.end())
        knobs.push_back(knob);
  return knobs;
}

std::optional<std::string> unsupported_automatic(const Problem& problem, const Choice& made) {
  // Sizes decide which of those that can do it, not whether there is one.
  const Algorithm* algorithm = taken({.problem = problem, .choice = made});
  if (algorithm && !made.find(kKnobName)) return {};
  if (algorithm) return algorithm->unsupported(problem, passed_on(made));
  return named("masked_implicit_gemm_splitk").unsupported(problem, passed_on(made));
}

maps::MapNeeds needs_of_automatic(const Case& of) { return taken_of(of).needs_of(passed_on(of)); }

std::unique_ptr<Plan> plan_automatic(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context) {
  const Algorithm& algorithm = taken_of(of);
  return std::make_unique<AutomaticPlan>(algorithm.plan_with(passed_on(of), maps, context),
                                         algorithm.name);
}

std::vector<Choice> automatic_choices(const SizedProblem& sized, ChoiceRange range) {
  std::vector<Choice> all;
  const auto add = [&](const Algorithm& algorithm, Choice choice) {
    choice.values[kKnobName] = algorithm.name;
    all.push_back(std::move(choice));
  };
  for (const Algorithm& algorithm : algorithms())
    if (can(algorithm, sized.problem, {})) add(algorithm, {});
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.choices && can(algorithm, sized.problem, {}))
      for (const Choice& choice : algorithm.choices(sized, range)) add(algorithm, choice);
  return all;
}

}  // namespace spb::plans
