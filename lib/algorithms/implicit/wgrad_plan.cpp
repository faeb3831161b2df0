#include <algorithm>

#include "algorithms/common/plan_base.h"
#include "algorithms/common/reduce.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/slice.h"
#include "algorithms/implicit/tiling.h"
#include "algorithms/implicit/wgrad_pass.h"
#include "algorithms/implicit/wgrad_tiles.h"

namespace spb {

std::span<const KernelVariant> wgrad_variants() { return plans::kWgradTiles; }

namespace plans {

namespace {

class WgradPlan final : public PlanBase {
 public:
  WgradPlan(const ImplicitOptions& options, const Problem& problem,
            const maps::DeviceCoords& coords, maps::BuildContext context)
      : PlanBase(problem, coords, context), options_(options) {
    map_ = build_gather_map(coords, context);
    tile_ = choose_wgrad_tile(problem_.c_out, problem_.c_in);
    const KernelVariant& shape = kWgradTiles[tile_];
    const int kv = problem_.kernel_volume();
    int64_t executed = n_out() * kv;
    if (options_.masked) {
      pairs_ = maps::build_kernel_map(map_.table, context);
      map_ = {};
      executed = pairs_.n_pairs();
    }
    const int64_t rows = options_.masked ? longest_pair_list() : n_out();
    choose_split(
        kv * tiles_of(problem_.c_out, shape.tile_m) * tiles_of(problem_.c_in, shape.tile_n), rows,
        problem_.weight_count(), context);
    describe(shape, maps::RowOrder::none, executed);
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
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

  MapSet map(const gpu::Stream& stream) const override {
    return options_.masked ? download(pairs_, stream) : download(map_, stream);
  }

 private:
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

  void describe(const KernelVariant& variant, maps::RowOrder order, int64_t executed_rows) {
    description_.kernel = variant.name;
    description_.params_json = tile_params(variant, split_, order);
    description_.executed_macs = executed_macs(problem_, executed_rows);
  }

  ImplicitOptions options_;
  GatherMap map_;          // empty when masked
  maps::KernelMap pairs_;  // masked
  int tile_ = 0;           // index into kWgradTiles
  int split_ = 1;
  gpu::Buffer<float> slices_;
};

}  // namespace

std::unique_ptr<Plan> plan_wgrad(const ImplicitOptions& options, const Problem& problem,
                                 const maps::DeviceCoords& coords, maps::BuildContext context) {
  return std::make_unique<WgradPlan>(options, problem, coords, context);
}

}  // namespace plans
}  // namespace spb
