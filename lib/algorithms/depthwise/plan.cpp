// SPDX-License-Identifier: Apache-2.0
// depthwise: threads own channels of rows and walk the offsets that their tile lists. Tiles are
// runs of rows along the z curve, whose neighbors are gathered from the first cache; all directions
// go by the same kind of lists.
// Workspace: wgrad's partial sums, [runs of tiles, channels, kernel volume].
#include "algorithms/common/plan_base.h"
#include "algorithms/depthwise/depthwise.h"
#include "kernels/depthwise/depthwise.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

maps::ListNeeds lists_of(const Problem& problem) {
  maps::ListNeeds lists;
  lists.reverse = gathers_by_reverse(problem);
  lists.tile_rows = kDepthwiseTile;
  lists.order = maps::RowOrder::z;
  return lists;
}

class DepthwisePlan final : public PlanBase {
 public:
  DepthwisePlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PlanBase(of, maps, context),
        map_(of.problem),
        lists_(maps.find(lists_of(of.problem))),
        pass_(*lists_, of.problem.kernel_volume(), of.problem.c_out, of.problem.dtype,
              of.problem.direction) {
    if (is_wgrad())
      partials_ = gpu::Buffer<float>(context.allocator, pass_.chunks() * weight_count(of.problem),
                                     gpu::Tag::workspace);
    description_.kernel = is_wgrad() ? "depthwise_wgrad" : "depthwise_gather";
    description_.params_json = "{\"tile_m\":" + std::to_string(kDepthwiseTile) +
                               ",\"tiles_each\":" + std::to_string(pass_.tiles_each) +
                               ",\"order\":\"z\"}";
    description_.executed_macs = executed_macs(of.problem, lists_->listed * kDepthwiseTile);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    if (is_wgrad()) {
      depthwise_wgrad(problem_.dtype, pass_, operands.in, operands.gout, partials_.data(),
                      operands.gw, stream);
      run_bias_gradient(operands, stream);
      return;
    }
    const GemmView view = gemm_view(problem_);
    depthwise_rows(problem_.dtype, pass_, operands.source(view), operands.weights, map_.mirrored,
                   operands.bias_of(view), operands.target(view), stream);
  }

  MapSet map(const gpu::Stream& stream) const override {
    return map_set(maps::download_pairs(*lists_, stream), map_, stream);
  }

 private:
  bool is_wgrad() const { return problem_.direction == Direction::wgrad; }

  GatherMap map_;  // how lists lead to pairs; they take the table's place
  std::shared_ptr<const maps::TileLists> lists_;
  DepthwisePass pass_;
  gpu::Buffer<float> partials_;
};

}  // namespace

maps::MapNeeds needs_of_depthwise(const Case& of) {
  maps::MapNeeds needs;
  needs.lists = {lists_of(of.problem)};
  return needs;
}

std::unique_ptr<Plan> plan_depthwise(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context) {
  return std::make_unique<DepthwisePlan>(of, maps, context);
}

}  // namespace spb::plans
