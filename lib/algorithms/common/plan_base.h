// SPDX-License-Identifier: Apache-2.0
// What the plans of all algorithms share: the problem, the output coords, the bias gradient, and
// the maps as sets.
#pragma once

#include <memory>
#include <vector>

#include "algorithms/algorithm.h"
#include "kernels/common/epilogue.h"
#include "kernels/gather_gemm/kernels.h"
#include "maps/maps.h"

namespace spb::plans {

/// The map that a pass over rows goes by, and how it leads to pairs.
struct GatherMap {
  /// [rows written, kernel_volume] of gathered rows, -1 = absent
  std::shared_ptr<const maps::NeighborMap> table;
  /// Submanifold dgrad reads the forward map; its entry (p, o) belongs to weight offset
  /// kernel_volume - 1 - o.
  bool mirrored = false;
  bool writes_inputs = false;  ///< dgrad: rows are input voxels, entries output voxels

  explicit GatherMap(const Problem& problem);
};

/// Whether the rows that a direction writes are fine ones, and not those of a submanifold; of wgrad
/// those of gout, by which it gathers inputs.
bool gathers_by_reverse(const Problem& problem);
/// The table that a direction gathers by.
maps::MapNeeds table_needs(const Problem& problem);
/// Pair lists alone.
maps::MapNeeds pair_needs();

/// [n_pairs] rows of inputs and of outputs, offset by offset: the sides of pair lists, as the
/// layer has them.
struct PairRows {
  const int32_t* in;
  const int32_t* out;
};
PairRows pair_rows(const maps::KernelMap& pairs, const Problem& problem);

class PlanBase : public Plan {
 public:
  const PlanDescription& description() const override { return description_; }
  MapSize size() const override { return size_; }

 protected:
  PlanBase(const Case& of, const maps::Maps& maps, maps::BuildContext context);

  /// With the table that table_needs() asked for.
  GatherMap gather_map(const maps::Maps& maps) const;

  int64_t n_in() const { return size_.n_in; }
  int64_t n_out() const { return size_.n_out; }
  bool is_subm() const { return problem_.geometry.kind == ConvKind::subm; }
  /// What whoever writes outputs has to do.
  OutputEpilogue epilogue_of(const Operands& operands) const;
  /// Writes gbias if the problem has a bias and the operands take its gradient. `dtype`: of gout.
  void run_bias_gradient(Dtype dtype, const Operands& operands, const gpu::Stream& stream);

  MapSet download(const GatherMap& map, const gpu::Stream& stream) const;
  /// Pairs of (offset, coarse row, fine row).
  MapSet map_set_of_pairs(Triples pairs, const gpu::Stream& stream) const;
  /// Pairs as a pass over rows finds them.
  MapSet map_set(Triples pairs, const GatherMap& map, const gpu::Stream& stream) const;

  Problem problem_;
  PlanDescription description_;

 private:
  /// Pairs of (offset, output row, input row).
  MapSet map_set(Triples pairs, const gpu::Stream& stream) const;

  MapSize size_;
  maps::RowCoords voxels_;
  std::shared_ptr<const maps::MadeCoords> made_;
  gpu::Buffer<float> bias_partials_;  // wgrad with bias
};

/// Arithmetic of fp32 sums over operands of `dtype`, by instructions that sum `mma_depth` products
/// (0: scalar multiply-adds).
Arithmetic fp32_sums(Dtype dtype, int mma_depth);
/// Of a kernel of fprop or dgrad.
Arithmetic arithmetic_of(const RowKernel& kernel, Dtype dtype);

/// executed rows times c_in times c_out / groups.
double executed_macs(const Problem& problem, int64_t rows);

}  // namespace spb::plans
