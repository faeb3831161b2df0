#include "algorithms/implicit/implicit_plan.h"

#include <algorithm>
#include <string_view>

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
#include "algorithms/implicit/launch.h"
#include "algorithms/implicit/slice.h"
#include "algorithms/implicit/tiles.h"
#include "gpu/device_info.h"

namespace spb::plans {
namespace {

/// Beyond this many rows a global order scatters reads over more memory than a cache holds.
constexpr int64_t kWindowRows = 1 << 20;

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// A constant on host, so that the summation order does not depend on the machine.
int multiprocessors() {
  constexpr int kHost = 8;
  static const int count = std::string_view(gpu::backend_name()) == "host"
                               ? kHost
                               : gpu::list_devices().at(0).multiprocessors;
  return count;
}

class ImplicitPlan final : public PlanBase {
 public:
  ImplicitPlan(const ImplicitOptions& options, const Problem& problem,
               const maps::DeviceCoords& coords, maps::BuildContext context)
      : PlanBase(problem, coords, context), options_(options) {
    map_ = build_gather_map(coords, context);
    if (problem.direction == Direction::wgrad)
      plan_wgrad(context);
    else
      plan_rows(context);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    if (problem_.direction == Direction::wgrad)
      run_wgrad(operands, stream);
    else
      run_rows(operands, stream);
  }

  MapSet map(const gpu::Stream& stream) const override {
    return uses_pairs() ? download(pairs_, stream) : download(map_, stream);
  }

 private:
  bool is_fprop() const { return problem_.direction == Direction::fprop; }
  bool uses_pairs() const { return options_.masked && problem_.direction == Direction::wgrad; }
  int depth() const { return is_fprop() ? problem_.c_in : problem_.c_out; }
  int columns() const { return is_fprop() ? problem_.c_out : problem_.c_in; }

  void plan_rows(maps::BuildContext context) {
    tile_ = choose_row_tile(columns());
    const TileShape& shape = kRowTiles[tile_];
    const int kv = problem_.kernel_volume();
    const int64_t rows = map_.table.n_out, row_tiles = ceil_div(rows, shape.tile_m);
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
        std::clamp<int64_t>(ceil_div(listed, std::max<int64_t>(row_tiles, 1)), std::min(kv, 2), kv);
    choose_split(row_tiles * ceil_div(columns(), shape.tile_n),
                 offsets * ceil_div(depth(), shape.tile_k), rows * columns(), context);
    describe(shape, order, listed * shape.tile_m);
  }

  void plan_wgrad(maps::BuildContext context) {
    tile_ = choose_wgrad_tile(problem_.c_out, problem_.c_in);
    const TileShape& shape = kWgradTiles[tile_];
    const int kv = problem_.kernel_volume();
    int64_t executed = n_out() * kv;
    if (uses_pairs()) {
      pairs_ = maps::build_kernel_map(map_.table, context);
      map_ = {};
      executed = pairs_.n_pairs();
    }
    const int64_t rows = uses_pairs() ? longest_pair_list() : n_out();
    choose_split(
        kv * ceil_div(problem_.c_out, shape.tile_m) * ceil_div(problem_.c_in, shape.tile_n), rows,
        problem_.weight_count(), context);
    describe(shape, maps::RowOrder::none, executed);
  }

  int64_t longest_pair_list() const {
    const std::vector<int64_t>& begin = pairs_.offset_begin_host;
    int64_t longest = 0;
    for (size_t o = 0; o + 1 < begin.size(); ++o)
      longest = std::max(longest, begin[o + 1] - begin[o]);
    return longest;
  }

  void choose_split(int64_t tiles, int64_t steps, int64_t outputs, maps::BuildContext context) {
    if (!options_.split_k) return;
    split_ = split_factor(tiles, steps, multiprocessors());
    slices_ = gpu::Buffer<float>(context.allocator, split_ * outputs, gpu::Tag::workspace);
  }

  void describe(const TileShape& shape, maps::RowOrder order, int64_t executed_rows) {
    description_.kernel = shape.kernel;
    description_.params_json = "{\"tile_m\":" + std::to_string(shape.tile_m) +
                               ",\"tile_n\":" + std::to_string(shape.tile_n) +
                               ",\"tile_k\":" + std::to_string(shape.tile_k) +
                               ",\"split\":" + std::to_string(split_) + ",\"order\":\"" +
                               maps::name(order) + "\"}";
    description_.executed_macs = executed_macs(problem_, executed_rows);
  }

  void run_rows(const Operands& operands, const gpu::Stream& stream) {
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

  void run_wgrad(const Operands& operands, const gpu::Stream& stream) {
    WgradPass pass;
    pass.tile = tile_;
    pass.in = operands.in;
    pass.gout = operands.gout;
    if (options_.masked) {
      pass.in_index = pairs_.in_index.data();
      pass.out_index = pairs_.out_index.data();
      pass.offset_begin = pairs_.offset_begin.data();
    } else {
      pass.map = map_.table.rows.data();
    }
    pass.n_out = n_out();
    pass.kernel_volume = problem_.kernel_volume();
    pass.c_in = problem_.c_in;
    pass.c_out = problem_.c_out;
    pass.gw = operands.gw;
    pass.split = split_;
    if (options_.split_k) pass.slices = slices_.data();
    launch_wgrad_pass(problem_.dtype, pass, stream);
    if (options_.split_k)
      reduce_slices(problem_.dtype, pass.slices, split_, problem_.weight_count(), problem_.c_in,
                    nullptr, pass.gw, stream);
    run_bias_gradient(operands, stream);
  }

  ImplicitOptions options_;
  GatherMap map_;          // empty when wgrad uses pairs
  maps::TileLists lists_;  // masked fprop and dgrad
  maps::KernelMap pairs_;  // masked wgrad
  int tile_ = 0;           // index into the table of the direction
  int split_ = 1;
  gpu::Buffer<float> slices_;
};

}  // namespace

std::unique_ptr<Plan> plan_implicit(const ImplicitOptions& options, const Problem& problem,
                                    const maps::DeviceCoords& coords, gpu::Allocator& allocator,
                                    const gpu::Stream& stream) {
  return std::make_unique<ImplicitPlan>(options, problem, coords,
                                        maps::BuildContext{allocator, stream});
}

}  // namespace spb::plans
