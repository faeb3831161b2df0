// SPDX-License-Identifier: Apache-2.0
// What the plans share that run tile kernels over pair tiles: fprop and dgrad.
#pragma once

#include "algorithms/common/pair_kernels.h"
#include "algorithms/common/plan_base.h"
#include "kernels/schedule/work_tile.h"
#include "maps/pairs/pair_tiles.h"

namespace spb::plans {

class PairPlan : public PlanBase {
 public:
  MapSet map(const gpu::Stream& stream) const override;

 protected:
  PairPlan(PairPass pass, const Case& of, const maps::Maps& maps, maps::BuildContext context);

  /// What every launch takes; where sums go is left to the plan.
  GatherGemmParams params(const Operands& operands) const;
  /// All tiles.
  void launch(GatherGemmParams params, const gpu::Stream& stream) const;
  /// Those of one offset, if there are any.
  void launch_offset(GatherGemmParams params, int offset, const gpu::Stream& stream) const;

  int64_t positions() const { return tiles_.lists.n_rows; }
  int64_t written_rows() const { return view_.m; }
  int64_t output_count() const { return view_.m * view_.n; }

  GemmView view_;
  maps::PairTiles tiles_;

 private:
  void launch_tiles(GatherGemmParams params, int64_t first, int64_t count,
                    const gpu::Stream& stream) const;

  RowKernel kernel_;
  gpu::Buffer<float> prepared_;
  gpu::Buffer<WorkTile> work_tiles_;
  gpu::Buffer<uint32_t> work_tile_counters_;
  int column_tiles_ = 1;
};

/// Pair lists; of wgrad what masked_implicit_gemm takes, whose plans these are: all lists cut into
/// equal shares, or, fused, offset by offset.
maps::MapNeeds needs_of_pairs(PairPass pass, const Case& of);
std::unique_ptr<Plan> plan_pair_wgrad(PairPass pass, const Case& of, const maps::Maps& maps,
                                      maps::BuildContext context);

}  // namespace spb::plans
