// SPDX-License-Identifier: Apache-2.0
// The two types everything turns on: an algorithm plans for one set of coords, a plan runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/claim.h"
#include "core/choice.h"
#include "core/expected.h"
#include "core/plan_description.h"
#include "core/problem.h"
#include "core/tensors.h"
#include "gpu/allocator.h"
#include "maps/map_store.h"

namespace spb {

/// Device pointers of one run. core/tensors.h says which of them a direction reads and writes, and
/// their shapes; bias and gbias may be null.
struct Operands {
  const void* in = nullptr;
  const void* weights = nullptr;
  const float* bias = nullptr;
  const void* gout = nullptr;
  const void* residual = nullptr;
  const float* scale = nullptr;
  const float* residual_scale = nullptr;
  void* out = nullptr;
  void* gin = nullptr;
  void* gw = nullptr;
  float* gbias = nullptr;

  /// The features that fprop and dgrad read, and those that they write.
  const void* source(const GemmView& view) const { return view.transposed ? gout : in; }
  void* target(const GemmView& view) const { return view.transposed ? gin : out; }
};

/// Made by an algorithm for one set of coords; shares its maps and owns its workspace. Destroyed
/// before the allocator that made it.
class Plan {
 public:
  virtual ~Plan() = default;
  /// Only computes: allocates nothing, never synchronizes.
  virtual void run(const Operands& operands, const gpu::Stream& stream) = 0;
  virtual const PlanDescription& description() const = 0;
  /// Rows of inputs and outputs.
  virtual MapSize size() const = 0;
  /// Whether map() can be asked: a foreign plan need not show what it works with.
  virtual bool shows_map() const { return true; }
  /// The map the plan works with, downloaded, for comparison with the reference as a set: its
  /// coords and every (offset, out, in) in any order (repeats kept).
  virtual MapSet map(const gpu::Stream& stream) const = 0;
};

/// What a plan is made for: a problem on coords of known size, and what it was told to take.
struct Case {
  Problem problem;
  int64_t n_in = 0, n_out = 0;
  Choice choice = {};
  Box box = {};  ///< of the voxels
};

/// Problem and the size of its map: what a choice goes by.
struct SizedProblem {
  Problem problem;
  int64_t n_in = 0, n_out = 0, n_pairs = 0;
};

/// How many choices are worth a look: those expected to be fast, the same and those whose plans
/// take long, too, or all that can do the problem.
enum class ChoiceRange { likely, likely_for_many_runs, all };

/// One row of the algorithm table.
struct Algorithm {
  const char* name;     ///< "implicit_gemm"
  const char* summary;  ///< one line for `list algorithms`
  int version;          ///< raised with any change of behavior
  Claim claim;          ///< what is in none of its sets is refused before anything else is asked
  /// What unsupported() calls, of problems that are claimed and choices that `knobs` take.
  std::function<std::optional<std::string>(const Problem& problem, const Choice& choice)>
      unsupported_with;
  /// The maps that plan_with() takes. Looks at no coords.
  std::function<maps::MapNeeds(const Case& of)> needs_of;
  std::function<std::unique_ptr<Plan>(const Case& of, const maps::Maps& maps,
                                      maps::BuildContext context)>
      plan_with;
  std::span<const Knob> knobs = {};  ///< a choice of anything else is refused
  /// Choices worth timing, each different and one that plans can take, the likeliest first; empty
  /// when there is nothing to choose. Null: there never is.
  std::vector<Choice> (*choices)(const SizedProblem& sized, ChoiceRange range) = nullptr;
  /// Whose wgrad a training step of these voxels takes, given what was chosen for its own: nobody
  /// who can choose leaves lists whole. Null, or an answer of null: its own.
  const char* (*step_wgrad)(const Problem& wgrad, const maps::RowCoords& voxels,
                            const Choice& own) = nullptr;
  /// In which its plans are given weights, and leave their gradient.
  WeightLayout weights = WeightLayout::c_out_first;
  /// plan_with() may be given another stream than run(): it waits for nothing, and run() neither
  /// allocates nor releases.
  bool plans_apart = true;
  /// It is one of the others: asked for by its name, it is not among "all".
  bool by_name_only = false;
  /// Made for all plans of this copy of the row.
  Choice choice = {};
  /// Of the maps that plans of this copy of the row make for themselves.
  maps::HashOptions hash = {};

  /// Nothing, or why this problem cannot run ("c_in = 3, needs a multiple of 8").
  std::optional<std::string> unsupported(const Problem& problem) const {
    return unsupported(problem, choice);
  }
  /// The same of another choice.
  std::optional<std::string> unsupported(const Problem& problem, const Choice& made) const;
  /// What a plan for the problem needs of the store's maps; waits where the store must know the
  /// number of outputs first.
  maps::MapNeeds needs(const Problem& problem, maps::MapStore& store,
                       const gpu::Stream& stream) const;
  /// A plan on maps of the store, which builds what it lacks. Throws Error for duplicate or
  /// out-of-range coords, a full table, exhausted memory, or what is not claimed.
  std::unique_ptr<Plan> plan(const Problem& problem, maps::MapStore& store,
                             gpu::Allocator& allocator, const gpu::Stream& stream) const;
  /// The same with maps of its own.
  std::unique_ptr<Plan> plan(const Problem& problem, const maps::DeviceCoords& coords,
                             gpu::Allocator& allocator, const gpu::Stream& stream) const;
};

/// All algorithms, in the order in which they are listed and run.
std::span<const Algorithm> algorithms();

/// Everything that any of them lets choose, each knob once, in the order of the table.
std::span<const Knob> all_knobs();

}  // namespace spb
