// SPDX-License-Identifier: Apache-2.0
// fused_gather_scatter: one launch for each kernel offset, in their order. A tile gathers the input
// rows of its pairs, multiplies them by the offset's weights and adds the products to fp32 sums of
// their output rows. A row occurs once in an offset, so that no two tiles add to the same and
// results repeat. The center of a submanifold convolution has all rows: it comes first, and stores.
// Workspace: the sums, where outputs are stored as 16 bits.
#include "algorithms/common/pair_plan.h"
#include "algorithms/fused_gather_scatter/fused_gather_scatter.h"
#include "kernels/common/reduce.h"

namespace spb::plans {
namespace {

constexpr PairPass kPass = PairPass::fused;

class FusedPlan final : public PairPlan {
 public:
  FusedPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PairPlan(kPass, of, maps, context) {
    if (info(of.problem.dtype).input().bytes != sizeof(float))
      sums_ = gpu::Buffer<float>(context.allocator, output_count(), gpu::Tag::workspace);
    description_.arithmetic.adds_to_memory = true;
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    void* target = operands.target(view_);
    GatherGemmParams pass = params(operands);
    pass.partials = sums_.size() > 0 ? sums_.data() : static_cast<float*>(target);
    const int center = is_subm() ? problem_.kernel_volume() / 2 : -1;
    if (is_subm())
      launch_offset(pass, center, stream);
    else
      gpu::fill_bytes(pass.partials, 0, output_count() * int64_t{sizeof(float)}, stream);
    pass.atomic = true;
    for (int o = 0; o < problem_.kernel_volume(); ++o)
      if (o != center) launch_offset(pass, o, stream);
    const OutputEpilogue epilogue = epilogue_of(operands);
    if (epilogue.has_any() || pass.partials != target)
      reduce_partials(problem_.dtype, pass.partials, 1, output_count(), view_.n, epilogue, target,
                      stream);
  }

 private:
  gpu::Buffer<float> sums_;  // empty when outputs are stored as fp32
};

}  // namespace

maps::MapNeeds needs_of_fused_gather_scatter(const Case& of) { return needs_of_pairs(kPass, of); }

std::unique_ptr<Plan> plan_fused_gather_scatter(const Case& of, const maps::Maps& maps,
                                                maps::BuildContext context) {
  if (of.problem.direction == Direction::wgrad) return plan_pair_wgrad(kPass, of, maps, context);
  return std::make_unique<FusedPlan>(of, maps, context);
}

}  // namespace spb::plans
