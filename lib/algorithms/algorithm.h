// The two types everything turns on: an algorithm plans for one set of coords, a plan runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/plan_choice.h"
#include "core/expected.h"
#include "core/problem.h"
#include "gpu/allocator.h"
#include "maps/device_coords.h"

namespace spb {

/// Device pointers of one run. Which are read and written depends on the direction:
///   fprop  reads in, weights, bias (may be null)   writes out  [n_out, c_out]
///   dgrad  reads gout, weights                     writes gin  [n_in, c_in]
///   wgrad  reads in, gout                          writes gw   [c_out, kernel_volume, c_in] and,
///                                                  if not null, gbias [c_out] fp32
/// Features and weights have the problem's dtype; bias and gbias are fp32.
struct Operands {
  const void* in = nullptr;
  const void* weights = nullptr;
  const float* bias = nullptr;
  const void* gout = nullptr;
  void* out = nullptr;
  void* gin = nullptr;
  void* gw = nullptr;
  float* gbias = nullptr;
};

/// What verification may assume of a plan's arithmetic (verification.md, sections 4 and 5).
struct Arithmetic {
  std::string arithmetic_class;  ///< "f32", "3xtf32" ..., with suffixes when weaker
  int mma_depth = 0;             ///< d: products summed by one instruction; 0 for scalar FMA
  double mma_rounding = 0;       ///< m: 0 SIMT, 4 MMA, 12 MMA without guard bits
  bool deterministic = true;     ///< claims bitwise equal repeats
};

struct PlanDescription {
  std::string kernel;       ///< the chosen variant
  std::string params_json;  ///< tile, split, order
  Arithmetic arithmetic;
  double executed_macs = 0;  ///< c_in * c_out * executed rows, tails counted whole
};

/// Made by an algorithm for one set of coords; owns its maps and workspace. Destroyed before the
/// allocator that made it.
class Plan {
 public:
  virtual ~Plan() = default;
  /// Only computes: allocates nothing, never synchronizes.
  virtual void run(const Operands& operands, const gpu::Stream& stream) = 0;
  virtual const PlanDescription& description() const = 0;
  /// Rows of the outputs (n_in for submanifold).
  virtual int64_t n_out() const = 0;
  /// The map the plan works with, downloaded, for comparison with the reference as a set: its
  /// output coords and every (offset, out, in) in any order (repeats kept).
  virtual MapSet map(const gpu::Stream& stream) const = 0;
};

/// Keeps maps alive.
struct MapHold {
  virtual ~MapHold() = default;
};

/// The maps that a training step, all three directions, of an algorithm needs: the timed phase
/// `map_build`. Errors as Algorithm::plan.
using BuildMaps = std::unique_ptr<MapHold>(const Problem& problem, const maps::DeviceCoords& coords,
                                           gpu::Allocator& allocator, const gpu::Stream& stream);

/// Of algorithms that read nothing but the NeighborMap, forward and reverse; pair lists; or tile
/// lists for fprop and dgrad, pair lists for wgrad.
BuildMaps build_table_maps, build_pair_maps, build_list_maps;

/// One row of the algorithm table.
struct Algorithm {
  const char* name;     ///< "implicit_gemm"
  const char* summary;  ///< one line for `list algorithms`
  int version;          ///< raised with any change of behavior
  /// What unsupported() and plan() call.
  std::optional<std::string> (*unsupported_with)(const Problem& problem, const PlanChoice& choice);
  std::unique_ptr<Plan> (*plan_with)(const Problem& problem, const maps::DeviceCoords& coords,
                                     gpu::Allocator& allocator, const gpu::Stream& stream,
                                     const PlanChoice& choice);
  /// The maps alone, as one chain of kernels. Tile lists are those of 128 rows and one segment,
  /// wgrad's are pair lists: a plan may build the same of other tiles, segments or groups.
  BuildMaps* build_maps = build_table_maps;
  /// Choices worth timing, each different and one that plans can take, the likeliest first; empty
  /// when there is nothing to choose. Null: there never is.
  std::vector<PlanChoice> (*choices)(const SizedProblem& sized, ChoiceRange range) = nullptr;
  bool sorts_rows = false;  ///< whether plans of fprop and dgrad take PlanChoice::order
  /// Made for all plans of this copy of the row.
  PlanChoice choice = {};

  /// Nothing, or why this problem cannot run ("c_in = 3, needs a multiple of 8").
  std::optional<std::string> unsupported(const Problem& problem) const {
    return unsupported_with(problem, choice);
  }
  /// Builds maps, orders, tiles and workspace with `allocator` (tags plan and workspace).
  /// Throws Error for duplicate or out-of-range coords, a full table, or exhausted memory.
  std::unique_ptr<Plan> plan(const Problem& problem, const maps::DeviceCoords& coords,
                             gpu::Allocator& allocator, const gpu::Stream& stream) const {
    return plan_with(problem, coords, allocator, stream, choice);
  }
};

/// All algorithms, in the order in which they are listed and run.
std::span<const Algorithm> algorithms();

}  // namespace spb
