#include <algorithm>

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/row_kernels.h"
#include "algorithms/implicit/tile_order.h"
#include "algorithms/implicit/tiling.h"

namespace spb::plans {
namespace {

/// Beyond this many rows a global order scatters reads over more memory than a cache holds.
constexpr int64_t kWindowRows = 1 << 20;
/// Up to this many blocks per place on the device the longest are begun first; with more, the last
/// ones matter little, and tiles as numbered share more of what they gather.
constexpr int64_t kFewRounds = 16;

class RowsPlan final : public PlanBase {
 public:
  RowsPlan(const ImplicitOptions& options, const Problem& problem, const maps::DeviceCoords& coords,
           maps::BuildContext context)
      : PlanBase(problem, coords, context), options_(options) {
    map_ = build_gather_map(coords, context);
    const int kv = problem_.kernel_volume();
    const int64_t rows = map_.table.n_out;
    RowWork work{problem.dtype,           !is_fprop(),    rows, depth(), columns(),
                 static_cast<double>(kv), options.split_k};
    kernel_ = choose_row_kernel(work);
    const KernelVariant& shape = kernel_.variant();
    const int64_t row_tiles = tiles_of(rows, shape.tile_m);
    int64_t listed = row_tiles * kv;
    maps::RowOrder order = maps::RowOrder::none;
    if (options_.masked) {
      order = rows > kWindowRows ? maps::RowOrder::window : maps::RowOrder::gray;
      const maps::RowMasks masks = maps::build_masks(map_.table, context);
      lists_ = maps::build_tile_lists(
          masks, maps::build_order(masks, order, maps::kDefaultWindow, context), shape.tile_m,
          context);
      if (kernel_.family->reads_tile_index) maps::build_tile_index(map_.table, lists_, context);
      listed = lists_.listed;
    }
    if (options_.split_k) {
      // Lists differ in length: slices are chosen for the mean, and a short list leaves some empty.
      if (row_tiles > 0)
        work.offsets = std::max<double>(std::min(kv, 2), double(listed) / double(row_tiles));
      split_ = choose_row_split(kernel_, work);
      slices_ =
          gpu::Buffer<float>(context.allocator, split_ * rows * columns(), gpu::Tag::workspace);
    }
    const int64_t blocks = row_tiles * tiles_of(columns(), shape.tile_n) * split_;
    if (options_.masked && kernel_.family->reads_tile_index &&
        blocks <= kFewRounds * multiprocessors() * kernel_.blocks)
      tile_order_ = longest_first(lists_, kv, context);
    describe(order, listed * shape.tile_m);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    const int64_t kv = problem_.kernel_volume();
    RowPass pass;
    pass.source = is_fprop() ? operands.in : operands.gout;
    pass.weights = operands.weights;
    pass.weight_offset_pitch = problem_.c_in;
    pass.weight_k_pitch = is_fprop() ? 1 : kv * problem_.c_in;
    pass.weight_n_pitch = is_fprop() ? kv * problem_.c_in : 1;
    pass.mirrored = map_.mirrored;
    pass.map = map_.table.rows.data();
    if (options_.masked) {
      pass.order = lists_.order.data();
      pass.listed = lists_.valid_kernel.data();
      pass.listed_begin = lists_.valid_kernel_seg.data();
      if (lists_.tile_index.size() > 0) pass.tile_index = lists_.tile_index.data();
      if (tile_order_.size() > 0) pass.tile_order = tile_order_.data();
    }
    pass.rows = map_.table.n_out;
    pass.kernel_volume = problem_.kernel_volume();
    pass.depth = depth();
    pass.columns = columns();
    pass.bias = is_fprop() ? operands.bias : nullptr;
    pass.out = is_fprop() ? operands.out : operands.gin;
    pass.split = split_;
    if (options_.split_k) pass.slices = slices_.data();
    kernel_.family->launch(kernel_.index, problem_.dtype, pass, stream);
    if (options_.split_k)
      reduce_slices(problem_.dtype, pass.slices, split_, pass.rows * pass.columns, pass.columns,
                    pass.bias, pass.out, stream);
  }

  MapSet map(const gpu::Stream& stream) const override { return download(map_, stream); }

 private:
  bool is_fprop() const { return problem_.direction == Direction::fprop; }
  int depth() const { return is_fprop() ? problem_.c_in : problem_.c_out; }
  int columns() const { return is_fprop() ? problem_.c_out : problem_.c_in; }

  void describe(maps::RowOrder order, int64_t executed_rows) {
    description_.kernel = kernel_.variant().name;
    description_.params_json = tile_params(kernel_.variant(), split_, order);
    description_.executed_macs = executed_macs(problem_, executed_rows);
    description_.arithmetic.mma_depth = kernel_.family->mma_depth(problem_.dtype);
    description_.arithmetic.mma_rounding = description_.arithmetic.mma_depth > 0 ? 4 : 0;
  }

  ImplicitOptions options_;
  GatherMap map_;
  maps::TileLists lists_;            // masked
  gpu::Buffer<int32_t> tile_order_;  // masked, few tiles
  RowKernel kernel_;
  int split_ = 1;
  gpu::Buffer<float> slices_;
};

}  // namespace

std::unique_ptr<Plan> plan_rows(const ImplicitOptions& options, const Problem& problem,
                                const maps::DeviceCoords& coords, maps::BuildContext context) {
  return std::make_unique<RowsPlan>(options, problem, coords, context);
}

}  // namespace spb::plans
