// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/common/plan_base.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/kernel_support.h"
#include "algorithms/implicit/plan_choice.h"
#include "gpu/mma/matrix_cores_in_use.h"
#include "kernels/common/widen.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/params.h"
#include "kernels/wgrad/pieces.h"
#include "kernels/wgrad/tiles.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

WgradTask task_of(const ImplicitOptions& options, const Case& of) {
  WgradTask task = wgrad_task(of.problem, options.masked, options.split_k, !options.pairs);
  task.rows = of.n_out;
  task.halos = task.halos && halos_name(of.n_in, of.n_out);
  return task;
}

class WgradPlan final : public PlanBase {
 public:
  WgradPlan(const ImplicitOptions& options, const Case& of, const maps::Maps& maps,
            maps::BuildContext context)
      : PlanBase(of, maps, context),
        options_(options),
        dtype_(multiplied_in_wgrad(of.problem.dtype)),
        map_(gather_map(maps)) {
    WgradTask task = task_of(options, of);
    tile_ = choose_wgrad_tile(task, read(of.choice).variant);
    // The store was asked for groups. Where it found them sparse it made pair lists instead: then a
    // tile that shares no rows. A kernel that was asked for by name always gets its groups.
    if (options.masked && slots() > 1) {
      groups_ = maps.groups;
      task.shares_rows = groups_ != nullptr;
      if (!groups_) tile_ = choose_wgrad_tile(task, read(of.choice).variant);
    }
    if (options.masked && slots() == 1) pairs_ = maps.pairs;
    const WgradTile& tile = kWgradTiles[tile_];
    WgradWork work{.pairs = entry_counts(),
                   .tiles = wgrad_tiles_of(tile, task.c_out, task.c_in) * task.groups,
                   .tile_k = tile.variant.tile_k,
                   .groups = task.groups,
                   .list_begins = options.masked ? std::span<const int64_t>(list_begins())
                                                 : std::span<const int64_t>()};
    if (groups_ && leaves_out_slots(tile)) weigh_slots(work, slots(), groups_->pairs);
    const WgradSchedule schedule =
        options.split_k ? split_units(work, multiprocessors() * tile.blocks) : whole_units(work);
    upload(schedule, context);
    if (widens()) {
      wide_in_ = wide(n_in() * problem_.c_in, context);
      wide_gout_ = wide(n_out() * problem_.c_out, context);
    }
    describe(schedule.split());
  }

  void run(const Operands& given, const gpu::Stream& stream) override {
    Operands operands = given;
    if (widens()) {
      widen_e4m3(given.in, n_in() * problem_.c_in, wide_in_.data(), stream);
      widen_e4m3(given.gout, n_out() * problem_.c_out, wide_gout_.data(), stream);
      operands.in = wide_in_.data();
      operands.gout = wide_gout_.data();
    }
    WgradParams pass;
    pass.tile = tile_;
    pass.in = operands.in;
    pass.gout = operands.gout;
    if (!options_.masked) {
      pass.map = map_.table->rows.data();
    } else if (slots() > 1) {
      pass.in_index = groups_->in_index.data();
      pass.out_index = groups_->out_index.data();
      pass.offset_begin = groups_->begin.data();
      pass.step_slots = groups_->step_slots.data();
      pass.list_entries = groups_->entries();
    } else {
      const PairRows rows = pair_rows(*pairs_, problem_);
      pass.in_index = rows.in;
      pass.out_index = rows.out;
      pass.offset_begin = pairs_->offset_begin.data();
    }
    pass.kernel_volume = problem_.kernel_volume();
    pass.c_in = problem_.group_c_in();
    pass.c_out = problem_.group_c_out();
    pass.in_pitch = problem_.c_in;
    pass.gout_pitch = problem_.c_out;
    pass.gw = operands.gw;
    pass.pieces = pieces_;
    pass.block_pieces = block_pieces_;
    pass.blocks = blocks_;
    pass.sums = sums_;
    pass.sum_count = sum_count_;
    const KernelVariant& variant = kWgradTiles[tile_].variant;
    pass.slice_count = slices_.size() / (int64_t{variant.tile_m} * variant.tile_n);
    pass.partials = slices_.data();
    launch_wgrad(dtype_, pass, stream);
    run_bias_gradient(dtype_, operands, stream);
  }

  MapSet map(const gpu::Stream& stream) const override {
    if (!options_.masked) return download(map_, stream);
    return map_set_of_pairs(slots() == 1 ? maps::download_pairs(*pairs_, stream)
                                         : maps::download_pairs(*groups_, stream),
                            stream);
  }

 private:
  bool widens() const { return dtype_ != problem_.dtype; }
  gpu::Buffer<std::byte> wide(int64_t count, maps::BuildContext context) const {
    return {context.allocator, count * info(dtype_).input().bytes, gpu::Tag::workspace};
  }
  int slots() const { return kWgradTiles[tile_].slots; }

  /// Where the list of each offset, or group of them, begins; one more at the end.
  const std::vector<int64_t>& list_begins() const {
    return slots() > 1 ? groups_->begin_host : pairs_->offset_begin_host;
  }

  /// Of the list of each offset, or group of them; n_out for each where all rows are taken.
  std::vector<int64_t> entry_counts() const {
    const int64_t units = tiles_of(problem_.kernel_volume(), slots());
    std::vector<int64_t> counts(static_cast<size_t>(units), n_out());
    if (options_.masked)
      for (size_t o = 0; o < counts.size(); ++o)
        counts[o] = list_begins()[o + 1] - list_begins()[o];
    return counts;
  }

  void upload(const WgradSchedule& schedule, maps::BuildContext context) {
    // One allocation; what needs the largest alignment comes first.
    const size_t pieces_bytes = static_cast<size_t>(schedule.pieces) * sizeof(WgradPiece);
    const size_t sums_bytes = schedule.sums.size() * sizeof(WgradSum);
    const size_t blocks_bytes = static_cast<size_t>(schedule.blocks + 1) * sizeof(int32_t);
    schedule_ = gpu::Buffer<std::byte>(
        context.allocator, static_cast<int64_t>(pieces_bytes + sums_bytes + blocks_bytes),
        gpu::Tag::plan);
    const auto at = [&](size_t offset) -> void* { return schedule_.data() + offset; };

    const auto runs = std::as_bytes(std::span(schedule.runs));
    const auto sums = std::as_bytes(std::span(schedule.sums));
    std::vector<std::byte> bytes(runs.begin(), runs.end());
    bytes.insert(bytes.end(), sums.begin(), sums.end());
    gpu::Buffer<std::byte> large;
    const auto size = static_cast<int64_t>(bytes.size());
    const void* from = nullptr;
    if (schedule.runs.size() <= kRunsTogether) {
      from = context.stream.post(bytes.data(), size);
    } else {
      large = gpu::Buffer<std::byte>(context.allocator, size, gpu::Tag::workspace);
      large.send(bytes, context.stream);
      from = large.data();
    }
    const WgradPieceLists lists{
        .runs = static_cast<const WgradPieceRun*>(from),
        .sums =
            reinterpret_cast<const WgradSum*>(static_cast<const std::byte*>(from) + runs.size()),
        .run_count = static_cast<int32_t>(schedule.runs.size()),
        .piece_count = schedule.pieces,
        .blocks = schedule.blocks,
        .sum_count = static_cast<int32_t>(schedule.sums.size()),
        .tile_k = kWgradTiles[tile_].variant.tile_k,
        .pieces = static_cast<WgradPiece*>(at(0)),
        .block_pieces = static_cast<int32_t*>(at(pieces_bytes + sums_bytes)),
        .sums_copy = static_cast<WgradSum*>(at(pieces_bytes))};
    write_pieces(lists, context.stream);
    pieces_ = lists.pieces;
    block_pieces_ = lists.block_pieces;
    blocks_ = lists.blocks;
    sums_ = lists.sums_copy;
    sum_count_ = lists.sum_count;
    const KernelVariant& variant = kWgradTiles[tile_].variant;
    if (schedule.slices > 0)
      slices_ =
          gpu::Buffer<float>(context.allocator, schedule.slices * variant.tile_m * variant.tile_n,
                             gpu::Tag::workspace);
  }

  void describe(int split) {
    const KernelVariant& variant = kWgradTiles[tile_].variant;
    int64_t rows = 0;
    if (groups_ && leaves_out_slots(kWgradTiles[tile_]))
      for (const int64_t pairs : groups_->pairs) rows += pairs;
    else
      for (const int64_t count : entry_counts()) rows += count * slots();
    description_.kernel = variant.name;
    description_.params_json = tile_params(variant, split, maps::RowOrder::none);
    description_.executed_macs = executed_macs(problem_, rows);
    description_.arithmetic = fp32_sums(problem_.dtype, wgrad_mma_depth(tile_, dtype_));
    if (const MatrixTile* matrix = kWgradTiles[tile_].matrix)
      // What is widened has no subnormal, nor has a product of two.
      description_.arithmetic.flushes_subnormals =
          !widens() && gpu::flush_subnormals(matrix->cores, dtype_);
  }

  ImplicitOptions options_;
  Dtype dtype_;                                       // that multiplies
  GatherMap map_;                                     // empty when masked
  std::shared_ptr<const maps::KernelMap> pairs_;      // masked
  std::shared_ptr<const maps::OffsetGroups> groups_;  // masked, for tiles of several offsets
  int tile_ = 0;                                      // index into kWgradTiles
  gpu::Buffer<std::byte> schedule_;                   // pieces, sums, first pieces of blocks
  const WgradPiece* pieces_ = nullptr;
  const WgradSum* sums_ = nullptr;
  const int32_t* block_pieces_ = nullptr;
  int blocks_ = 0, sum_count_ = 0;
  gpu::Buffer<float> slices_;
  gpu::Buffer<std::byte> wide_in_, wide_gout_;
};

}  // namespace

maps::MapNeeds needs_of_wgrad(const ImplicitOptions& options, const Case& of) {
  if (!options.masked) return table_needs(of.problem);
  const KernelVariant* chosen = read(of.choice).variant;
  const int tile = choose_wgrad_tile(task_of(options, of), chosen);
  if (of.choice.source == ChoiceSource::forced && chosen && is_halo_wgrad(*chosen) &&
      !kWgradTiles[tile].halos)
    throw usage_error("kernel", chosen->name,
                      "it has no room for so many rows; leave the choice to the plan");
  if (kWgradTiles[tile].halos) return needs_of_halo_wgrad(of);
  if (kWgradTiles[tile].slots == 1) return pair_needs();
  maps::MapNeeds needs;
  needs.groups = kWgradTiles[tile].slots;
  // Who asked for a kernel gets it.
  needs.sparse_groups = read(of.choice).variant != nullptr;
  return needs;
}

std::unique_ptr<Plan> plan_wgrad(const ImplicitOptions& options, const Case& of,
                                 const maps::Maps& maps, maps::BuildContext context) {
  const int tile = choose_wgrad_tile(task_of(options, of), read(of.choice).variant);
  if (kWgradTiles[tile].halos) return plan_halo_wgrad(tile, of, maps, context);
  return std::make_unique<WgradPlan>(options, of, maps, context);
}

}  // namespace spb::plans
