// What the plans of all algorithms share: the problem, the output coords, the bias gradient, and
// the maps as sets.
#pragma once

#include <optional>
#include <string>

#include "algorithms/algorithm.h"
#include "maps/maps.h"

namespace spb::plans {

/// The reason why a problem is no convolution at all, or nothing: every algorithm here runs the
/// rest.
std::optional<std::string> unsupported_geometry(const Problem& problem);

/// The table a pass reads to gather what each row it writes is made of.
struct GatherMap {
  maps::NeighborMap table;  ///< [rows written, kernel_volume] of gathered rows, -1 = absent
  /// Submanifold dgrad reads the forward map; its entry (p, o) belongs to weight offset
  /// kernel_volume - 1 - o.
  bool mirrored = false;
  bool writes_inputs = false;  ///< dgrad: rows are input voxels, entries output voxels
};

class PlanBase : public Plan {
 public:
  const PlanDescription& description() const override { return description_; }
  int64_t n_out() const override { return out_coords_.n; }

 protected:
  PlanBase(const Problem& problem, const maps::DeviceCoords& coords, maps::BuildContext context);

  /// The map this direction gathers by, alone; wgrad gathers inputs by the forward map.
  GatherMap build_gather_map(const maps::DeviceCoords& coords, maps::BuildContext context) const;
  /// dgrad of other than submanifold gathers by the reverse map.
  bool gathers_by_reverse() const;
  GatherMap gather_map(maps::TrainingMaps& maps) const;

  int64_t n_in() const { return n_in_; }
  bool is_subm() const { return problem_.geometry.kind == ConvKind::subm; }
  /// Writes gbias if the problem has a bias and the operands take its gradient.
  void run_bias_gradient(const Operands& operands, const gpu::Stream& stream);

  MapSet download(const GatherMap& map, const gpu::Stream& stream) const;
  MapSet download(const maps::KernelMap& map, const gpu::Stream& stream) const;
  std::vector<Coord> download_out_coords(const gpu::Stream& stream) const;

  Problem problem_;
  maps::OutputCoords out_coords_;
  PlanDescription description_;

 private:
  int64_t n_in_;
  gpu::Buffer<float> bias_partials_;  // wgrad with bias
};

/// Arithmetic of fp32 sums over operands of `dtype`, by instructions that sum `mma_depth` products
/// (0: scalar multiply-adds).
Arithmetic fp32_sums(Dtype dtype, int mma_depth);

/// executed rows times c_in times c_out.
double executed_macs(const Problem& problem, int64_t rows);

}  // namespace spb::plans
