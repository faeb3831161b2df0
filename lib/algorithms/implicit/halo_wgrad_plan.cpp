// SPDX-License-Identifier: Apache-2.0
// wgrad of few channels by halos, up to 32 those that fprop reads (docs/algorithms.md,
// section 7.5).
#include <algorithm>

#include "algorithms/common/plan_base.h"
#include "algorithms/implicit/implicit_plan.h"
#include "kernels/schedule/lists.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/params.h"
#include "kernels/wgrad/tiles.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

maps::ListNeeds lists_of(const Problem& problem) {
  return maps::halo_lists(gathers_by_reverse(problem));
}

class HaloWgradPlan final : public PlanBase {
 public:
  HaloWgradPlan(int tile, const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PlanBase(of, maps, context),
        tile_(tile),
        lists_(maps.find(lists_of(of.problem))),
        blocks_(halo_wgrad_blocks(kWgradTiles[tile], of.problem.kernel_volume(),
                                  lists_->halos.tiles.size(), multiprocessors())),
        partials_(context.allocator, blocks_ * weight_count(of.problem), gpu::Tag::workspace) {
    const KernelVariant& variant = kWgradTiles[tile].variant;
    description_.kernel = variant.name;
    description_.params_json = tile_params(variant, std::max(blocks_, 1), maps::RowOrder::z);
    description_.executed_macs = executed_macs(problem_, lists_->listed * lists_->tile_rows);
    description_.arithmetic = fp32_sums(problem_.dtype, wgrad_mma_depth(tile, problem_.dtype));
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    WgradParams pass;
    pass.tile = tile_;
    pass.in = operands.in;
    pass.gout = operands.gout;
    pass.halos = row_halos(lists_->halos);
    pass.order = row_lists(*lists_, nullptr, 0).order;
    pass.rows = n_out();
    pass.kernel_volume = problem_.kernel_volume();
    pass.c_in = pass.in_pitch = problem_.c_in;
    pass.c_out = pass.gout_pitch = problem_.c_out;
    pass.gw = operands.gw;
    pass.blocks = blocks_;
    pass.partials = partials_.data();
    launch_wgrad(problem_.dtype, pass, stream);
    run_bias_gradient(problem_.dtype, operands, stream);
  }

  MapSet map(const gpu::Stream& stream) const override {
    return map_set(maps::download_pairs(*lists_, stream), GatherMap(problem_), stream);
  }

 private:
  int tile_;  // index into kWgradTiles
  std::shared_ptr<const maps::TileLists> lists_;
  int blocks_;
  gpu::Buffer<float> partials_;
};

}  // namespace

maps::MapNeeds needs_of_halo_wgrad(const Case& of) {
  maps::MapNeeds needs;
  needs.lists = {lists_of(of.problem)};
  return needs;
}

std::unique_ptr<Plan> plan_halo_wgrad(int tile, const Case& of, const maps::Maps& maps,
                                      maps::BuildContext context) {
  return std::make_unique<HaloWgradPlan>(tile, of, maps, context);
}

}  // namespace spb::plans
