#include <algorithm>

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/row_pass.h"
#include "algorithms/implicit/row_tiles.h"
#include "algorithms/implicit/slice.h"
#include "algorithms/implicit/tiling.h"

namespace spb {

std::span<const KernelVariant> row_variants() { return plans::kRowTiles; }

namespace plans {

namespace {

/// Beyond this many rows a global order scatters reads over more memory than a cache holds.
constexpr int64_t kWindowRows = 1 << 20;

class RowsPlan final : public PlanBase {
 public:
  RowsPlan(const ImplicitOptions& options, const Problem& problem, const maps::DeviceCoords& coords,
           maps::BuildContext context)
      : PlanBase(problem, coords, context), options_(options) {
    map_ = build_gather_map(coords, context);
    tile_ = choose_row_tile(columns());
    const KernelVariant& shape = kRowTiles[tile_];
    const int kv = problem_.kernel_volume();
    const int64_t rows = map_.table.n_out, row_tiles = tiles_of(rows, shape.tile_m);
    int64_t listed = row_tiles * kv;
    maps::RowOrder order = maps::RowOrder::none;
    if (options_.masked) {
      order = rows > kWindowRows ? maps::RowOrder::window : maps::RowOrder::gray;
      const maps::RowMasks masks = maps::build_masks(map_.table, context);
      lists_ = maps::build_tile_lists(
          masks, maps::build_order(masks, order, maps::kDefaultWindow, context), shape.tile_m,
          context);
      listed = lists_.listed;
    }
    // Lists differ in length: slices are chosen for the mean, and a short list leaves some empty.
    const int64_t offsets =
        std::clamp<int64_t>(tiles_of(listed, std::max<int64_t>(row_tiles, 1)), std::min(kv, 2), kv);
    choose_split(row_tiles * tiles_of(columns(), shape.tile_n),
                 offsets * tiles_of(depth(), shape.tile_k), rows * columns(), context);
    describe(shape, order, listed * shape.tile_m);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    const int64_t kv = problem_.kernel_volume();
    RowPass pass;
    pass.tile = tile_;
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
    }
    pass.rows = map_.table.n_out;
    pass.kernel_volume = problem_.kernel_volume();
    pass.depth = depth();
    pass.columns = columns();
    pass.bias = is_fprop() ? operands.bias : nullptr;
    pass.out = is_fprop() ? operands.out : operands.gin;
    pass.split = split_;
    if (options_.split_k) pass.slices = slices_.data();
    launch_row_pass(problem_.dtype, pass, stream);
    if (options_.split_k)
      reduce_slices(problem_.dtype, pass.slices, split_, pass.rows * pass.columns, pass.columns,
                    pass.bias, pass.out, stream);
  }

  MapSet map(const gpu::Stream& stream) const override { return download(map_, stream); }

 private:
  bool is_fprop() const { return problem_.direction == Direction::fprop; }
  int depth() const { return is_fprop() ? problem_.c_in : problem_.c_out; }
  int columns() const { return is_fprop() ? problem_.c_out : problem_.c_in; }

  void choose_split(int64_t tiles, int64_t steps, int64_t outputs, maps::BuildContext context) {
    if (!options_.split_k) return;
    split_ = split_factor(tiles, steps, multiprocessors());
    slices_ = gpu::Buffer<float>(context.allocator, split_ * outputs, gpu::Tag::workspace);
  }

  void describe(const KernelVariant& variant, maps::RowOrder order, int64_t executed_rows) {
    description_.kernel = variant.name;
    description_.params_json = tile_params(variant, split_, order);
    description_.executed_macs = executed_macs(problem_, executed_rows);
  }

  ImplicitOptions options_;
  GatherMap map_;
  maps::TileLists lists_;  // masked
  int tile_ = 0;           // index into kRowTiles
  int split_ = 1;
  gpu::Buffer<float> slices_;
};

}  // namespace

std::unique_ptr<Plan> plan_rows(const ImplicitOptions& options, const Problem& problem,
                                const maps::DeviceCoords& coords, maps::BuildContext context) {
  return std::make_unique<RowsPlan>(options, problem, coords, context);
}

}  // namespace plans
}  // namespace spb
