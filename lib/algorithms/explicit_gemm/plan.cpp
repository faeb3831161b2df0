// SPDX-License-Identifier: Apache-2.0
// explicit_gemm: the gathered rows of all offsets stand side by side in a matrix (im2col), and one
// dense product does the arithmetic. A matrix beyond the budget is built in chunks of rows.
// Workspace: rows * kernel volume * gathered channels; dgrad, the weights permuted; where products
// take tf32 only as rounded copies, fprop the weights and wgrad a chunk's gout besides.
#include <algorithm>

#include "algorithms/common/gemm_plan.h"
#include "algorithms/explicit_gemm/budget.h"
#include "algorithms/explicit_gemm/explicit_gemm.h"

namespace spb::plans {
namespace {

class ExplicitPlan final : public GemmPlan {
 public:
  ExplicitPlan(const Case& of, const maps::Maps& maps, maps::BuildContext context)
      : GemmPlan(of, maps, context), map_(gather_map(maps)) {
    const Problem& problem = of.problem;
    const auto bytes = [&](int64_t elements, gpu::Buffer<std::byte>& buffer) {
      buffer = gpu::Buffer<std::byte>(context.allocator, elements * element_bytes(),
                                      gpu::Tag::workspace);
    };
    chunk_rows_ =
        std::min(map_.table->n_rows, im2col_chunk_rows(matrix_columns() * element_bytes()));
    bytes(chunk_rows_ * matrix_columns(), matrix_);
    if (problem.direction == Direction::fprop) allocate_weights(context);
    if (problem.direction == Direction::dgrad) bytes(weight_count(problem), permuted_weights_);
    if (problem.direction == Direction::wgrad && multiplies_copies())
      bytes(chunk_rows_ * problem.c_out, gout_copy_);
    allocate_sums(main_output(problem, size()).shape.count(), context);
    description_.params_json = "{\"chunk_rows\":" + std::to_string(chunk_rows_) + "}";
    description_.executed_macs =
        executed_macs(problem, map_.table->n_rows * problem.kernel_volume());
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    switch (problem_.direction) {
      case Direction::fprop:
        run_rows(operands, fprop_weights(operands, stream), stream);
        break;
      case Direction::dgrad:
        permute_weights(copy(), operands.weights, problem_.c_out, problem_.kernel_volume(),
                        problem_.c_in, map_.mirrored, permuted_weights_.data(), stream);
        run_rows(operands, {permuted_weights_.data(), problem_.c_in, false}, stream);
        break;
      case Direction::wgrad:
        run_wgrad(operands, stream);
        run_bias_gradient(problem_.dtype, operands, stream);
        break;
    }
  }

  MapSet map(const gpu::Stream& stream) const override { return download(map_, stream); }

 private:
  /// Of the rows that stand side by side: wgrad's are those of the inputs.
  int gathered_channels() const {
    return problem_.direction == Direction::wgrad ? problem_.c_in : gemm_view(problem_).k;
  }
  int64_t matrix_columns() const { return int64_t{problem_.kernel_volume()} * gathered_channels(); }
  /// The weights seen as [c_out, kernel_volume * c_in], transposed.
  gpu::GemmOperand fprop_weights(const Operands& operands, const gpu::Stream& stream) {
    return {weights_for_products(operands.weights, stream), matrix_columns(), true};
  }
  /// Rows [first, first + count) of gout.
  const void* gout_rows(const void* gout, int64_t first, int64_t count, const gpu::Stream& stream) {
    const int64_t row_bytes = int64_t{problem_.c_out} * element_bytes();
    const void* rows = static_cast<const std::byte*>(gout) + first * row_bytes;
    if (!multiplies_copies()) return rows;
    round_tf32(rows, count * problem_.c_out, gout_copy_.data(), stream);
    return gout_copy_.data();
  }

  /// Builds the rows [first, first + count) of the matrix.
  void build_matrix(const void* from, int64_t first, int64_t count, const gpu::Stream& stream) {
    const int64_t kv = problem_.kernel_volume();
    gather_rows(copy(), from, map_.table->rows.data() + first * kv, count * kv, gathered_channels(),
                matrix_.data(), stream);
  }

  void run_rows(const Operands& operands, const gpu::GemmOperand& weights,
                const gpu::Stream& stream) {
    const GemmView view = gemm_view(problem_, size());
    float* sums = sums_or(operands.target(view));
    for (int64_t first = 0; first < view.m; first += chunk_rows_) {
      const int64_t count = std::min(chunk_rows_, view.m - first);
      build_matrix(operands.source(view), first, count, stream);
      multiply(count, view.n, matrix_columns(), {matrix_.data(), matrix_columns(), false}, weights,
               sums + first * view.n, view.n, false, stream);
    }
    finish(sums, view.m * view.n, view.n, epilogue_of(operands), operands.target(view), stream);
  }

  void run_wgrad(const Operands& operands, const gpu::Stream& stream) {
    float* sums = sums_or(operands.gw);
    int64_t first = 0;
    do {  // once even without rows: the gradient is then zero
      const int64_t count = std::min(chunk_rows_, n_out() - first);
      build_matrix(operands.in, first, count, stream);
      multiply(problem_.c_out, matrix_columns(), count,
               {gout_rows(operands.gout, first, count, stream), problem_.c_out, true},
               {matrix_.data(), matrix_columns(), false}, sums, matrix_columns(), first > 0,
               stream);
      first += count;
    } while (first < n_out());
    finish(sums, weight_count(problem_), problem_.c_in, {}, operands.gw, stream);
  }

  GatherMap map_;
  int64_t chunk_rows_ = 0;
  gpu::Buffer<std::byte> matrix_, permuted_weights_, gout_copy_;
};

}  // namespace

maps::MapNeeds needs_of_explicit_gemm(const Case& of) { return table_needs(of.problem); }

std::unique_ptr<Plan> plan_explicit_gemm(const Case& of, const maps::Maps& maps,
                                         maps::BuildContext context) {
  return std::make_unique<ExplicitPlan>(of, maps, context);
}

}  // namespace spb::plans
