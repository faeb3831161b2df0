// SPDX-License-Identifier: Apache-2.0
// gather_scatter: per kernel offset, the paired rows are gathered, multiplied by a dense product
// and added to the rows they belong to, in a fixed order of offsets. No pair is computed twice and
// no absent one at all.
// Workspace: the longest list's rows of each gathered side, and their products in fp32 or int32.
// Where products take tf32 only as rounded copies, fprop and dgrad keep the weights besides, and
// the center of a submanifold convolution, which has all rows, is gathered, too.
#include <algorithm>

#include "algorithms/common/gemm_plan.h"
#include "algorithms/gather_scatter/gather_scatter.h"
#include "algorithms/gather_scatter/grouped_plan.h"
#include "algorithms/implicit/plan_choice.h"
#include "kernels/product_variants.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

class GatherScatterPlan final : public GemmPlan {
 public:
  GatherScatterPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : GemmPlan(of, maps, context), pairs_(maps.pairs), rows_(pair_rows(*pairs_, of.problem)) {
    const Problem& problem = of.problem;
    int64_t longest = 0, most_gathered = 0;
    for (int o = 0; o < problem.kernel_volume(); ++o) {
      if (!is_center(o)) longest = std::max(longest, pair_count(o));
      if (is_gathered(o)) most_gathered = std::max(most_gathered, pair_count(o));
    }
    const auto rows_of = [&](int64_t rows, int channels) {
      return gpu::Buffer<std::byte>(context.allocator, rows * channels * element_bytes(),
                                    gpu::Tag::workspace);
    };
    if (reads(Tensor::in)) gathered_in_ = rows_of(most_gathered, problem.c_in);
    if (reads(Tensor::gout)) gathered_gout_ = rows_of(most_gathered, problem.c_out);
    if (!is_wgrad()) {
      products_ = gpu::Buffer<float>(context.allocator, longest * view().n, gpu::Tag::workspace);
      allocate_weights(context);
    }
    allocate_sums(output_count(), context);
    description_.params_json = "{\"longest_list\":" + std::to_string(longest) + "}";
    description_.executed_macs = executed_macs(problem, pairs_->n_pairs());
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    switch (problem_.direction) {
      case Direction::fprop:
      case Direction::dgrad:
        run_rows(operands, stream);
        break;
      case Direction::wgrad:
        run_wgrad(operands, stream);
        run_bias_gradient(problem_.dtype, operands, stream);
        break;
    }
  }

  MapSet map(const gpu::Stream& stream) const override {
    return map_set_of_pairs(maps::download_pairs(*pairs_, stream), stream);
  }

 private:
  bool is_wgrad() const { return problem_.direction == Direction::wgrad; }
  GemmView view() const { return gemm_view(problem_, size()); }
  bool reads(Tensor tensor) const {
    return std::ranges::any_of(tensors(problem_, size()),
                               [&](const TensorSpec& spec) { return spec.tensor == tensor; });
  }
  int64_t output_count() const { return main_output(problem_, size()).shape.count(); }
  int64_t first_pair(int o) const { return pairs_->offset_begin_host[static_cast<size_t>(o)]; }
  int64_t pair_count(int o) const { return first_pair(o + 1) - first_pair(o); }
  /// The center of a submanifold convolution pairs every row with itself.
  bool is_center(int o) const { return is_subm() && o == problem_.kernel_volume() / 2; }
  bool is_gathered(int o) const { return !is_center(o) || multiplies_copies(); }

  /// The rows of offset o in list order: gathered, or for the center the matrix itself.
  const void* paired_rows(const void* from, const int32_t* index, int channels, int o,
                          gpu::Buffer<std::byte>& gathered, const gpu::Stream& stream) {
    if (!is_gathered(o)) return from;
    gather_rows(copy(), from, index + first_pair(o), pair_count(o), channels, gathered.data(),
                stream);
    return gathered.data();
  }
  gpu::GemmOperand paired_in(const Operands& operands, int o, const gpu::Stream& stream) {
    return {paired_rows(operands.in, rows_.in, problem_.c_in, o, gathered_in_, stream),
            problem_.c_in, false};
  }
  gpu::GemmOperand paired_gout(const Operands& operands, int o, const gpu::Stream& stream) {
    return {paired_rows(operands.gout, rows_.out, problem_.c_out, o, gathered_gout_, stream),
            problem_.c_out, false};
  }

  /// C = rows of offset o times W_o (fprop: transposed).
  void multiply_offset(const Operands& operands, const void* weights, int o, float* c,
                       const gpu::Stream& stream) {
    const GemmView of = view();
    const gpu::GemmOperand rows =
        of.transposed ? paired_gout(operands, o, stream) : paired_in(operands, o, stream);
    const void* of_offset =
        static_cast<const std::byte*>(weights) + o * of.offset_pitch * element_bytes();
    multiply(pair_count(o), of.n, of.k, rows,
             {of_offset, weight_row_pitch(problem_), !of.transposed}, c, of.n, false, stream);
  }

  void run_rows(const Operands& operands, const gpu::Stream& stream) {
    const GemmView of = view();
    float* sums = sums_or(operands.target(of));
    const void* weights = weights_for_products(operands.weights, stream);
    if (is_subm())
      multiply_offset(operands, weights, problem_.kernel_volume() / 2, sums, stream);
    else
      gpu::fill_bytes(sums, 0, output_count() * int64_t{sizeof(float)}, stream);
    const int32_t* target = of.transposed ? rows_.in : rows_.out;
    for (int o = 0; o < problem_.kernel_volume(); ++o) {
      if (is_center(o) || pair_count(o) == 0) continue;
      multiply_offset(operands, weights, o, products_.data(), stream);
      scatter_add_rows(info(problem_.dtype).is_integer(), products_.data(), target + first_pair(o),
                       pair_count(o), of.n, sums, stream);
    }
    finish(sums, output_count(), of.n, epilogue_of(operands), operands.target(of), stream);
  }

  void run_wgrad(const Operands& operands, const gpu::Stream& stream) {
    float* sums = sums_or(operands.gw);
    for (int o = 0; o < problem_.kernel_volume(); ++o) {
      gpu::GemmOperand gout = paired_gout(operands, o, stream);
      gout.transposed = true;
      // An offset without pairs is a product of depth zero, which writes its zeros.
      multiply(problem_.c_out, problem_.c_in, pair_count(o), gout, paired_in(operands, o, stream),
               sums + int64_t{o} * problem_.c_in, weight_row_pitch(problem_), false, stream);
    }
    finish(sums, output_count(), problem_.c_in, {}, operands.gw, stream);
  }

  std::shared_ptr<const maps::KernelMap> pairs_;
  PairRows rows_;
  gpu::Buffer<std::byte> gathered_in_, gathered_gout_;  // rows of one offset
  gpu::Buffer<float> products_;                         // of one offset
};

}  // namespace

std::optional<std::string> unsupported_gather_scatter(const Problem& problem, const Choice& made) {
  const KernelVariant* variant = read(made).variant;
  if (!variant) return {};
  if (is_product(*variant)) return unsupported_grouped_products(problem, *variant);
  return std::string("kernel ") + variant->name +
         " multiplies tiles; this algorithm leaves products to a library";
}

maps::MapNeeds needs_of_gather_scatter(const Case&) { return pair_needs(); }

std::unique_ptr<Plan> plan_gather_scatter(const Case& of, const maps::Maps& maps,
                                          maps::BuildContext context) {
  if (const KernelVariant* variant = read(of.choice).variant)
    return plan_grouped_products(of, *variant, maps, context);
  return std::make_unique<GatherScatterPlan>(of, maps, context);
}

}  // namespace spb::plans
