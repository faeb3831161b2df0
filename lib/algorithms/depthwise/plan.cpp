// SPDX-License-Identifier: Apache-2.0
// depthwise: threads own channels of rows and walk the offsets that their tile lists. Tiles are
// runs of rows along the z curve, whose neighbors share what they gather, through the first cache
// or as a halo in shared memory.
// Workspace: wgrad's partial sums, [runs of tiles, channels, kernel volume].
#include <optional>

#include "algorithms/common/plan_base.h"
#include "algorithms/depthwise/depthwise.h"
#include "algorithms/depthwise/gather.h"
#include "kernels/depthwise/depthwise.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

bool by_halos(const Case& of) { return depthwise_gather(of) == DepthwiseGather::halo; }

maps::ListNeeds lists_of(const Case& of) {
  const bool reverse = gathers_by_reverse(of.problem);
  if (by_halos(of)) return maps::halo_lists(reverse);
  return {.reverse = reverse, .tile_rows = kDepthwiseTile, .order = maps::RowOrder::z};
}

class DepthwisePlan final : public PlanBase {
 public:
  DepthwisePlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PlanBase(of, maps, context), map_(of.problem), lists_(maps.find(lists_of(of))) {
    const Problem& problem = of.problem;
    const int kv = problem.kernel_volume(), channels = problem.c_out;
    const bool halos = by_halos(of);
    if (halos)
      halos_.emplace(*lists_, kv, channels, problem.dtype, problem.direction);
    else
      rows_.emplace(*lists_, kv, channels, problem.dtype, problem.direction);
    if (is_wgrad())
      partials_ = gpu::Buffer<float>(
          context.allocator, (halos ? halos_->runs : rows_->chunks()) * weight_count(problem),
          gpu::Tag::workspace);
    description_.kernel =
        std::string(halos ? "depthwise_halo" : "depthwise_gather") + (is_wgrad() ? "_wgrad" : "");
    description_.params_json =
        "{\"tile_m\":" + std::to_string(halos ? maps::kHaloRows : kDepthwiseTile) +
        ",\"run\":" + std::to_string(halos ? halos_->run : rows_->tiles_each) +
        ",\"order\":\"z\",\"gather\":\"" + (halos ? "halo" : "rows") + "\"}";
    description_.executed_macs = executed_macs(problem, lists_->listed * lists_->tile_rows);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    if (halos_) halos_->more = lists_->halos.more.data();  // may have come since (maps::MapsAhead)
    if (is_wgrad()) {
      const auto pass_by = [&](auto kernel, const auto& pass) {
        kernel(problem_.dtype, pass, operands.in, operands.gout, partials_.data(), operands.gw,
               stream);
      };
      halos_ ? pass_by(depthwise_halo_wgrad, *halos_) : pass_by(depthwise_wgrad, *rows_);
      run_bias_gradient(problem_.dtype, operands, stream);
      return;
    }
    const GemmView view = gemm_view(problem_);
    const auto pass_by = [&](auto kernel, const auto& pass) {
      kernel(problem_.dtype, pass, operands.source(view), operands.weights, map_.mirrored,
             epilogue_of(operands), operands.target(view), stream);
    };
    halos_ ? pass_by(depthwise_halo_rows, *halos_) : pass_by(depthwise_rows, *rows_);
  }

  MapSet map(const gpu::Stream& stream) const override {
    return map_set(maps::download_pairs(*lists_, stream), map_, stream);
  }

 private:
  bool is_wgrad() const { return problem_.direction == Direction::wgrad; }

  GatherMap map_;  // how lists lead to pairs; they take the table's place
  std::shared_ptr<const maps::TileLists> lists_;
  std::optional<DepthwisePass> rows_;  // one of the two
  std::optional<DepthwiseHaloPass> halos_;
  gpu::Buffer<float> partials_;
};

}  // namespace

maps::MapNeeds needs_of_depthwise(const Case& of) {
  maps::MapNeeds needs;
  needs.lists = {lists_of(of)};
  return needs;
}

std::unique_ptr<Plan> plan_depthwise(const Case& of, const maps::Maps& maps,
                                     maps::BuildContext context) {
  return std::make_unique<DepthwisePlan>(of, maps, context);
}

}  // namespace spb::plans
