#include <algorithm>
#include <vector>

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/row_kernels.h"
#include "algorithms/implicit/row_lists.h"
#include "algorithms/implicit/slice.h"
#include "algorithms/implicit/tiling.h"

namespace spb::plans {
namespace {

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
    RowWork work{problem.dtype,           !is_fprop(),     rows,          depth(), columns(),
                 static_cast<double>(kv), options.split_k, options.masked};
    kernel_ = choose_row_kernel(work);
    const KernelVariant& shape = kernel_.variant();
    const int64_t row_tiles = tiles_of(rows, shape.tile_m);
    int64_t listed = row_tiles * kv;
    if (options_.masked) listed = build_lists(context);
    if (options_.split_k) {
      if (lists_.size() > 1) {
        split_ = static_cast<int>(lists_.size());
      } else {
        // Lists differ in length: slices are chosen for the mean, and a short list leaves some
        // empty.
        if (row_tiles > 0)
          work.offsets = std::max<double>(std::min(kv, 2), double(listed) / double(row_tiles));
        split_ = choose_row_split(kernel_, work);
      }
      slices_ =
          gpu::Buffer<float>(context.allocator, split_ * rows * columns(), gpu::Tag::workspace);
    }
    if (options_.masked) order_tiles(context);
    if (kernel_.family->takes_items) build_items(context);
    describe(listed * shape.tile_m);
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
    if (options_.masked) static_cast<RowLists&>(pass) = lists_[0].view();
    if (lists_.size() > 1) {
      pass.segment_count = static_cast<int>(lists_.size());
      for (size_t i = 0; i < lists_.size(); ++i) pass.segments[i] = lists_[i].view();
    }
    pass.items = items_.data();
    pass.item_count = static_cast<uint32_t>(items_.size());
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

  /// The lists of every segment; the sum of their lengths.
  int64_t build_lists(maps::BuildContext context) {
    const maps::RowMasks masks = maps::build_masks(map_.table, context);
    const int64_t rows = map_.table.n_out;
    const int kv = problem_.kernel_volume();
    const int segments =
        options_.split_k && kernel_.family->takes_segments ? row_segments(rows, kv) : 1;
    order_ = rows > kGlobalOrderRows ? maps::RowOrder::window : maps::RowOrder::gray;
    if (segments == 1) return append_lists(masks, context);
    int64_t listed = 0;
    for (int s = 0; s < segments; ++s) {
      const auto first = static_cast<int>(slice_begin(s, segments, kv));
      const auto end = static_cast<int>(slice_begin(s + 1, segments, kv));
      listed += append_lists(segment_masks(masks, first, end, context), context);
    }
    return listed;
  }

  int64_t append_lists(const maps::RowMasks& masks, maps::BuildContext context) {
    maps::TileLists& lists = lists_.emplace_back().lists;
    lists = maps::build_tile_lists(masks, maps::build_order(masks, order_, kWindow, context),
                                   kernel_.variant().tile_m, context);
    if (kernel_.family->reads_tile_index) maps::build_tile_index(map_.table, lists, context);
    return lists.listed;
  }

  void order_tiles(maps::BuildContext context) {
    const int64_t blocks = tiles_of(map_.table.n_out, kernel_.variant().tile_m) *
                           tiles_of(columns(), kernel_.variant().tile_n) * split_;
    if (!kernel_.family->takes_segments || blocks > kFewRounds * multiprocessors() * kernel_.blocks)
      return;
    for (OwnedRowLists& owned : lists_)
      owned.tile_order = longest_first(owned.lists, problem_.kernel_volume(), context);
  }

  void build_items(maps::BuildContext context) {
    const KernelVariant& tile = kernel_.variant();
    RowItemShape shape{static_cast<int>(tiles_of(columns(), tile.tile_n)),
                       static_cast<int>(tiles_of(depth(), tile.tile_k)),
                       lists_.size() > 1 ? 1 : split_};
    int64_t count = 0;
    for (const OwnedRowLists& owned : lists_) count += row_items_of(owned.lists.tiles, shape);
    items_ = gpu::Buffer<RowItem>(context.allocator, count, gpu::Tag::plan);
    RowItem* out = items_.data();
    for (const OwnedRowLists& owned : lists_) {
      write_row_items(owned.lists, owned.view().tile_order, shape, out, context.stream);
      out += row_items_of(owned.lists.tiles, shape);
      ++shape.first_slice;
    }
  }

  void describe(int64_t executed_rows) {
    description_.kernel = kernel_.variant().name;
    description_.params_json = tile_params(kernel_.variant(), split_, order_);
    if (lists_.size() > 1)
      description_.params_json.insert(1, "\"segments\":" + std::to_string(lists_.size()) + ",");
    description_.executed_macs = executed_macs(problem_, executed_rows);
    description_.arithmetic = fp32_sums(problem_.dtype, kernel_.family->mma_depth(problem_.dtype));
  }

  ImplicitOptions options_;
  GatherMap map_;
  std::vector<OwnedRowLists> lists_;  // masked: one, or one per segment
  maps::RowOrder order_ = maps::RowOrder::none;
  gpu::Buffer<RowItem> items_;
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
