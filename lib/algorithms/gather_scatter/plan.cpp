// gather_scatter: per kernel offset, the paired rows are gathered, multiplied by a dense product
// and added to the rows they belong to, in a fixed order of offsets. No pair is computed twice and
// no absent one at all.
// Workspace: the longest list's rows of each gathered side, and their products in fp32. Where
// products take tf32 only as rounded copies, fprop and dgrad keep the weights besides, and the
// center of a submanifold convolution, which has all rows, is gathered, too.
#include <algorithm>

#include "algorithms/common/gemm_plan.h"
#include "algorithms/plans.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

class GatherScatterPlan final : public GemmPlan {
 public:
  GatherScatterPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : GemmPlan(of, maps, context), pairs_(maps.pairs) {
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
    if (reads_in()) gathered_in_ = rows_of(most_gathered, problem.c_in);
    if (reads_gout()) gathered_gout_ = rows_of(most_gathered, problem.c_out);
    if (!is_wgrad()) {
      products_ =
          gpu::Buffer<float>(context.allocator, longest * output_columns(), gpu::Tag::workspace);
      allocate_weights(context);
    }
    allocate_sums(output_count(), context);
    description_.params_json = "{\"longest_list\":" + std::to_string(longest) + "}";
    description_.executed_macs = executed_macs(problem, pairs_->n_pairs());
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    switch (problem_.direction) {
      case Direction::fprop:
        run_rows(operands, operands.bias, operands.out, stream);
        break;
      case Direction::dgrad:
        run_rows(operands, nullptr, operands.gin, stream);
        break;
      case Direction::wgrad:
        run_wgrad(operands, stream);
        run_bias_gradient(operands, stream);
        break;
    }
  }

  MapSet map(const gpu::Stream& stream) const override {
    return map_set(maps::download_pairs(*pairs_, stream), stream);
  }

 private:
  bool is_wgrad() const { return problem_.direction == Direction::wgrad; }
  bool reads_in() const { return problem_.direction != Direction::dgrad; }
  bool reads_gout() const { return problem_.direction != Direction::fprop; }
  int output_columns() const {
    return problem_.direction == Direction::fprop ? problem_.c_out : problem_.c_in;
  }
  int64_t output_count() const {
    if (is_wgrad()) return problem_.weight_count();
    return (problem_.direction == Direction::fprop ? n_out() : n_in()) * output_columns();
  }
  int64_t weight_pitch() const { return int64_t{problem_.kernel_volume()} * problem_.c_in; }
  int64_t first_pair(int o) const { return pairs_->offset_begin_host[static_cast<size_t>(o)]; }
  int64_t pair_count(int o) const { return first_pair(o + 1) - first_pair(o); }
  /// The center of a submanifold convolution pairs every row with itself.
  bool is_center(int o) const { return is_subm() && o == problem_.kernel_volume() / 2; }
  bool is_gathered(int o) const { return !is_center(o) || multiplies_copies(); }

  /// The rows of offset o in list order: gathered, or for the center the matrix itself.
  const void* paired_rows(const void* from, const gpu::Buffer<int32_t>& index, int channels, int o,
                          gpu::Buffer<std::byte>& gathered, const gpu::Stream& stream) {
    if (!is_gathered(o)) return from;
    gather_rows(copy(), from, index.data() + first_pair(o), pair_count(o), channels,
                gathered.data(), stream);
    return gathered.data();
  }
  gpu::GemmOperand paired_in(const Operands& operands, int o, const gpu::Stream& stream) {
    return {paired_rows(operands.in, pairs_->in_index, problem_.c_in, o, gathered_in_, stream),
            problem_.c_in, false};
  }
  gpu::GemmOperand paired_gout(const Operands& operands, int o, const gpu::Stream& stream) {
    return {
        paired_rows(operands.gout, pairs_->out_index, problem_.c_out, o, gathered_gout_, stream),
        problem_.c_out, false};
  }

  /// C = rows of offset o times W_o (fprop: transposed).
  void multiply_offset(const Operands& operands, const void* weights, int o, float* c,
                       const gpu::Stream& stream) {
    const bool fprop = problem_.direction == Direction::fprop;
    const gpu::GemmOperand rows =
        fprop ? paired_in(operands, o, stream) : paired_gout(operands, o, stream);
    const void* of_offset =
        static_cast<const std::byte*>(weights) + int64_t{o} * problem_.c_in * element_bytes();
    multiply(pair_count(o), output_columns(), rows.row_pitch, rows,
             {of_offset, weight_pitch(), fprop}, c, output_columns(), false, stream);
  }

  void run_rows(const Operands& operands, const float* bias, void* out, const gpu::Stream& stream) {
    float* sums = sums_or(out);
    const void* weights = weights_for_products(operands.weights, stream);
    if (is_subm())
      multiply_offset(operands, weights, problem_.kernel_volume() / 2, sums, stream);
    else
      gpu::fill_bytes(sums, 0, output_count() * int64_t{sizeof(float)}, stream);
    const gpu::Buffer<int32_t>& target =
        problem_.direction == Direction::fprop ? pairs_->out_index : pairs_->in_index;
    for (int o = 0; o < problem_.kernel_volume(); ++o) {
      if (is_center(o) || pair_count(o) == 0) continue;
      multiply_offset(operands, weights, o, products_.data(), stream);
      scatter_add_rows(products_.data(), target.data() + first_pair(o), pair_count(o),
                       output_columns(), sums, stream);
    }
    finish(sums, output_count(), output_columns(), bias, out, stream);
  }

  void run_wgrad(const Operands& operands, const gpu::Stream& stream) {
    float* sums = sums_or(operands.gw);
    for (int o = 0; o < problem_.kernel_volume(); ++o) {
      gpu::GemmOperand gout = paired_gout(operands, o, stream);
      gout.transposed = true;
      // An offset without pairs is a product of depth zero, which writes its zeros.
      multiply(problem_.c_out, problem_.c_in, pair_count(o), gout, paired_in(operands, o, stream),
               sums + int64_t{o} * problem_.c_in, weight_pitch(), false, stream);
    }
    finish(sums, output_count(), output_columns(), nullptr, operands.gw, stream);
  }

  std::shared_ptr<const maps::KernelMap> pairs_;
  gpu::Buffer<std::byte> gathered_in_, gathered_gout_;  // rows of one offset
  gpu::Buffer<float> products_;                         // of one offset, fp32
};

}  // namespace

maps::MapNeeds needs_of_gather_scatter(const Case&) { return pair_needs(); }

std::unique_ptr<Plan> plan_gather_scatter(const Case& of, const maps::Maps& maps,
                                          maps::BuildContext context) {
  return std::make_unique<GatherScatterPlan>(of, maps, context);
}

}  // namespace spb::plans
