// SPDX-License-Identifier: Apache-2.0
// grouped_gemm: one launch over the tiles of all offsets' pairs. Ordered, each product is stored at
// its position, and a second kernel adds those of a row in the order of offsets. Atomic, tiles add
// to fp32 sums of the output rows as they end, and a second kernel rounds; runs leave zeros.
// Workspace: ordered the products of all positions in fp32; atomic the sums, which the plan keeps.
#include "algorithms/common/pair_plan.h"
#include "algorithms/grouped_gemm/grouped_gemm.h"
#include "algorithms/implicit/plan_choice.h"
#include "kernels/common/reduce.h"
#include "kernels/common/sum_positions.h"

namespace spb::plans {
namespace {

PairPass pass_of(const Case& of) {
  return read(of.choice).atomic ? PairPass::atomic : PairPass::ordered;
}

class GroupedPlan final : public PairPlan {
 public:
  GroupedPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : PairPlan(pass_of(of), of, maps, context), atomic_(pass_of(of) == PairPass::atomic) {
    description_.arithmetic.deterministic = !atomic_;
    description_.arithmetic.adds_to_memory = atomic_;
    description_.params_json.insert(
        1, std::string("\"reduction\":\"") + (atomic_ ? "atomic" : "ordered") + "\",");
    if (atomic_) {
      sums_ = gpu::Buffer<float>(context.allocator, output_count(), gpu::Tag::plan);
      gpu::fill_bytes(sums_.data(), 0, sums_.bytes(), context.stream);
    } else {
      sums_ = gpu::Buffer<float>(context.allocator, positions() * view_.n, gpu::Tag::workspace);
      table_ = maps::position_table(tiles_, written_rows(), context);
    }
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    GatherGemmParams pass = params(operands);
    pass.partials = sums_.data();
    pass.atomic = atomic_;
    if (!atomic_) pass.order = nullptr;  // positions are the rows that are written
    launch(pass, stream);
    const OutputEpilogue epilogue = epilogue_of(operands);
    void* target = operands.target(view_);
    if (atomic_)
      round_sums(problem_.dtype, sums_.data(), output_count(), view_.n, epilogue, target, stream);
    else
      sum_positions(problem_.dtype, sums_.data(), false, table_.data(), written_rows(),
                    problem_.kernel_volume(), view_.n, epilogue, target, stream);
  }

 private:
  const bool atomic_;
  gpu::Buffer<float> sums_;     // ordered: products [positions, columns]
  gpu::Buffer<int32_t> table_;  // ordered: [rows, kernel_volume] positions
};

}  // namespace

maps::MapNeeds needs_of_grouped_gemm(const Case& of) { return needs_of_pairs(pass_of(of), of); }

std::unique_ptr<Plan> plan_grouped_gemm(const Case& of, const maps::Maps& maps,
                                        maps::BuildContext context) {
  if (of.problem.direction == Direction::wgrad)
    return plan_pair_wgrad(pass_of(of), of, maps, context);
  return std::make_unique<GroupedPlan>(of, maps, context);
}

}  // namespace spb::plans
