// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>

#include "algorithms/common/plan_base.h"
#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/kernel_support.h"
#include "algorithms/implicit/plan_choice.h"
#include "kernels/common/reduce.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/weights.h"
#include "kernels/schedule/lists.h"
#include "kernels/schedule/static_schedule.h"
#include "kernels/tiling.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

/// Up to this many blocks per place on the device the longest are begun first; with more, the last
/// ones matter little, and tiles as numbered share more of what they gather.
constexpr int64_t kFewRounds = 16;
/// Up to this many row tiles of all segments get a static schedule. Of more it costs a plan more
/// than it saves: turns.txt of the H200 record scans-steps-halos, block 5.
constexpr int64_t kMostScheduled = 2048;

/// Whether the pass has a static schedule. Without, blocks that take turns by segments would differ
/// much in length.
bool is_scheduled(const RowKernel& kernel, int64_t rows, int segments) {
  return kernel.family->takes_work_tiles && segments > 1 &&
         tiles_of(rows, kernel.variant().tile_m) * segments <= kMostScheduled;
}

/// Whether tiles are begun by falling length. `slices`: of each row tile, segments included.
bool begins_longest_first(const RowKernel& kernel, const RowWork& work, int segments, int slices) {
  const KernelVariant& tile = kernel.variant();
  const int64_t blocks =
      tiles_of(work.rows, tile.tile_m) * tiles_of(work.columns, tile.tile_n) * work.groups * slices;
  const bool few = blocks <= kFewRounds * multiprocessors() * kernel.blocks;
  return kernel.family->takes_segments && (few || is_scheduled(kernel, work.rows, segments));
}

/// What a plan takes, chosen from sizes alone.
struct RowsChoice {
  RowWork work;
  RowKernel kernel;
  maps::RowOrder order = maps::RowOrder::none;
  maps::MapNeeds needs;

  RowsChoice(const ImplicitOptions& options, const Case& of);

 private:
  void need_lists(const Problem& problem, std::optional<maps::RowOrder> chosen, bool segmented);
};

RowsChoice::RowsChoice(const ImplicitOptions& options, const Case& of) {
  const Problem& problem = of.problem;
  const PlanChoice choice = read(of.choice);
  work = row_work(problem, options.masked, options.split_k, {of.n_in, of.n_out});
  work.adds = choice.atomic;
  work.along_z = may_be_along_z(choice.order) && halos_name(of.n_in, of.n_out);
  work.suits_halos = suits_halos(problem);
  work.segments = usual_segments(work);
  if (options.split_k && options.masked)
    work.segments = choice.segments.value_or(choice.split ? 1 : work.segments);
  if (options.segmented) work.segments = choice.segments.value_or(kUsualSegments);
  kernel = choose_row_kernel(work, choice.variant);
  if (of.choice.source == ChoiceSource::forced && choice.variant &&
      std::string_view(kernel.variant().name) != choice.variant->name)
    throw usage_error("kernel", choice.variant->name,
                      "it has no room for so many rows; leave the choice to the plan");
  if (options.masked) need_lists(problem, choice.order, options.segmented);
  // Kernels that read rows by lists have no use for the table, the largest part of all.
  const RowFamily& family = *kernel.family;
  if (!options.masked || !(family.reads_tile_index || family.takes_halos))
    needs.add(table_needs(problem));
}

void RowsChoice::need_lists(const Problem& problem, std::optional<maps::RowOrder> chosen,
                            bool segmented) {
  const RowFamily& family = *kernel.family;
  const bool reverse = gathers_by_reverse(problem);
  if (family.takes_halos) {  // along_z: no other order was chosen
    order = maps::RowOrder::z;
    needs.lists = {maps::halo_lists(reverse)};
    return;
  }
  maps::ListNeeds lists;
  lists.reverse = reverse;
  order = chosen.value_or(usual_order(work.rows));
  lists.order = order;
  if (order == maps::RowOrder::greedy) lists.gray_up_to_rows = maps::kGlobalOrderRows;
  lists.tile_rows = kernel.variant().tile_m;
  lists.tile_index = family.reads_tile_index;
  if (family.takes_segments || segmented) lists.segments = work.segments;
  lists.longest_first = begins_longest_first(kernel, work, lists.segments, lists.segments);
  needs.lists = {lists};
}

GemmView kernel_view(const Problem& problem, const MapSize& size) {
  GemmView view = gemm_view(problem, size);
  if (!turns_weights(problem)) return view;
  view.k_pitch = 1;
  view.offset_pitch = view.k;
  view.n_pitch = int64_t{problem.kernel_volume()} * view.k;
  return view;
}

class GatherGemmPlan final : public PlanBase {
 public:
  GatherGemmPlan(const ImplicitOptions& options, const Case& of, const maps::Maps& maps,
                 maps::BuildContext context)
      : PlanBase(of, maps, context),
        view_(kernel_view(of.problem, size())),
        options_(options),
        choice_(read(of.choice)),
        map_(gather_map(maps)) {
    const Problem& problem = of.problem;
    RowsChoice chosen(options, of);
    RowWork& work = chosen.work;
    rows_ = work.rows;
    kernel_ = chosen.kernel;
    order_ = chosen.order;
    // The store may have built one for another plan, which shall not live as long as this one.
    if (reads_lists()) map_.table = nullptr;
    lists_ = options.masked ? maps.find(chosen.needs.lists.front())
                            : std::make_shared<const maps::TileLists>();
    const int kv = problem.kernel_volume();
    const int64_t rows = rows_;
    const KernelVariant& shape = kernel_.variant();
    const int64_t row_tiles = tiles_of(rows, shape.tile_m);
    const int64_t listed = options_.masked ? lists_->listed : row_tiles * kv;
    if (options_.split_k) {
      if (lists_->segments > 1) {
        split_ = lists_->segments;
      } else if (!adds_atomically()) {
        work.segments = 1;
        // Lists differ in length: slices are chosen for the mean, and a short list leaves some
        // empty.
        if (row_tiles > 0)
          work.offsets = std::max<double>(std::min(kv, 2), double(listed) / double(row_tiles));
        split_ = choice_.split.value_or(choose_row_split(kernel_, work));
      }
      if (adds_in_order())
        semaphores_ = gpu::Buffer<uint32_t>(
            context.allocator, split_ * tiles_of(view_.n, shape.tile_n), gpu::Tag::workspace);
      const int64_t copies = adds_in_order() || adds_atomically() ? 1 : split_;
      slices_ = gpu::Buffer<float>(context.allocator, copies * rows * columns(),
                                   adds_atomically() ? gpu::Tag::plan : gpu::Tag::workspace);
      if (adds_atomically())  // runs leave zeros
        gpu::fill_bytes(slices_.data(), 0, slices_.size() * int64_t{sizeof(float)}, context.stream);
    }
    // With more slices than segments, tiles may be too many for an order that the lists have.
    if (options_.masked && begins_longest_first(kernel_, work, lists_->segments, split_))
      tile_order_ = lists_->longest_first.data();
    if (kernel_.family->takes_work_tiles) build_work_tiles(context);
    if (const int floats = kernel_.family->prepares(problem.dtype))
      prepared_ = gpu::Buffer<float>(context.allocator, floats * weight_count(problem),
                                     gpu::Tag::workspace);
    if (turns_weights(problem))
      turned_ =
          gpu::Buffer<std::byte>(context.allocator, weight_count(problem), gpu::Tag::workspace);
    describe(listed * (options_.masked ? lists_->tile_rows : shape.tile_m));
  }

  void run(const Operands& operands, const gpu::Stream& stream) override {
    GatherGemmParams pass;
    pass.source = operands.source(view_);
    pass.weights = operands.weights;
    if (turns_weights(problem_)) {
      turn_byte_weights(operands.weights, {view_.k, problem_.kernel_volume(), view_.n},
                        turned_.data(), stream);
      pass.weights = turned_.data();
    }
    pass.weight_offset_pitch = view_.offset_pitch;
    pass.weight_k_pitch = view_.k_pitch;
    pass.weight_n_pitch = view_.n_pitch;
    pass.weight_group_pitch = view_.group_pitch;
    pass.prepared = prepared_.data();
    pass.mirrored = map_.mirrored;
    pass.map = map_.table ? map_.table->rows.data() : nullptr;
    if (options_.masked) static_cast<RowLists&>(pass) = row_lists(*lists_, tile_order_, 0);
    if (lists_->segments > 1) {
      pass.segment_count = lists_->segments;
      for (int s = 0; s < lists_->segments; ++s)
        pass.segments[s] = row_lists(*lists_, tile_order_, s);
    }
    pass.halos = row_halos(lists_->halos);
    pass.work_tiles = work_tiles_.data();
    pass.work_tile_count = static_cast<uint32_t>(work_tiles_.size());
    pass.scheduled_blocks = schedule_.blocks;
    if (schedule_.blocks > 0) pass.block_begin = schedule_.begin.data();
    pass.work_tile_counters = work_tile_counters_.data();
    pass.rows = rows_;
    pass.kernel_volume = problem_.kernel_volume();
    pass.k = view_.k;
    pass.n = view_.n;
    pass.groups = view_.groups;
    pass.epilogue = epilogue_of(operands);
    pass.out = operands.target(view_);
    pass.split = split_;
    if (options_.split_k)
      pass.partials = slices_.data();
    else if (info(problem_.dtype).stores_sums())
      pass.partials = static_cast<float*>(pass.out);  // the only slice
    pass.atomic = adds_atomically();
    if (adds_in_order()) {
      pass.semaphores = semaphores_.data();
      gpu::fill_bytes(semaphores_.data(), 0, semaphores_.size() * int64_t{sizeof(uint32_t)},
                      stream);
    }
    kernel_.family->launch(kernel_.index, kernel_dtype(problem_.dtype), pass, stream);
    if (adds_atomically())
      round_sums(problem_.dtype, pass.partials, pass.rows * columns(), columns(), pass.epilogue,
                 pass.out, stream);
    else if (options_.split_k && !adds_in_order())
      reduce_partials(problem_.dtype, pass.partials, split_, pass.rows * columns(), columns(),
                      pass.epilogue, pass.out, stream, /*lets_begin=*/kernel_.blocks == 1);
  }

  MapSet map(const gpu::Stream& stream) const override {
    if (map_.table) return download(map_, stream);
    return map_set(maps::download_pairs(*lists_, stream), map_, stream);
  }

 private:
  int columns() const { return view_.groups * view_.n; }
  /// Instead of the table.
  bool reads_lists() const {
    return options_.masked && (kernel_.family->reads_tile_index || kernel_.family->takes_halos);
  }
  bool adds_atomically() const { return choice_.atomic; }
  bool adds_in_order() const {
    // The last segment writes outputs, which sums themselves are none of to a kernel.
    return kernel_.adds_to_memory() && lists_->segments > 1 && !adds_atomically() &&
           !info(problem_.dtype).stores_sums();
  }

  void build_work_tiles(maps::BuildContext context) {
    const KernelVariant& tile = kernel_.variant();
    const WorkTileShape shape{static_cast<int>(tiles_of(view_.n, tile.tile_n)),
                              static_cast<int>(tiles_of(view_.k, tile.tile_k)),
                              lists_->segments > 1 ? 1 : split_};
    work_tiles_ =
        gpu::Buffer<WorkTile>(context.allocator, work_tiles_of(*lists_, shape), gpu::Tag::plan);
    if (is_scheduled(kernel_, rows_, lists_->segments))
      schedule_ = build_static_schedule(*lists_, tile_order_, shape.column_tiles, shape.depth_steps,
                                        multiprocessors() * kernel_.blocks, context);
    if (schedule_.blocks == 0)
      work_tile_counters_ =
          gpu::Buffer<uint32_t>(context.allocator, kWorkTileCounters, gpu::Tag::plan);
    write_work_tiles(*lists_, tile_order_, shape, schedule_, work_tile_counters_.data(),
                     work_tiles_.data(), context.stream);
  }

  void describe(int64_t executed_rows) {
    description_.kernel = kernel_.variant().name;
    description_.params_json = tile_params(kernel_.variant(), split_, order_);
    if (lists_->segments > 1)
      description_.params_json.insert(1, "\"segments\":" + std::to_string(lists_->segments) + ",");
    if (adds_atomically()) description_.params_json.insert(1, "\"reduction\":\"atomic\",");
    description_.executed_macs = executed_macs(problem_, executed_rows);
    description_.arithmetic = arithmetic_of(kernel_, problem_.dtype);
    description_.arithmetic.deterministic = !adds_atomically();
    // The first segment stores and the last one loads: of two none adds to memory.
    description_.arithmetic.adds_to_memory =
        adds_atomically() || (adds_in_order() && lists_->segments > 2);
  }

  GemmView view_;
  ImplicitOptions options_;
  PlanChoice choice_;
  GatherMap map_;
  int64_t rows_ = 0;                              // written
  std::shared_ptr<const maps::TileLists> lists_;  // masked; else empty
  const int32_t* tile_order_ = nullptr;           // of lists_; null: as numbered
  maps::RowOrder order_ = maps::RowOrder::none;
  gpu::Buffer<WorkTile> work_tiles_;
  StaticSchedule schedule_;
  gpu::Buffer<uint32_t> work_tile_counters_;
  RowKernel kernel_;
  int split_ = 1;
  gpu::Buffer<float> slices_, prepared_;
  gpu::Buffer<std::byte> turned_;  // weights
  gpu::Buffer<uint32_t> semaphores_;
};

}  // namespace

maps::MapNeeds needs_of_rows(const ImplicitOptions& options, const Case& of) {
  return RowsChoice(options, of).needs;
}

std::unique_ptr<Plan> plan_gather_gemm(const ImplicitOptions& options, const Case& of,
                                       const maps::Maps& maps, maps::BuildContext context) {
  return std::make_unique<GatherGemmPlan>(options, of, maps, context);
}

}  // namespace spb::plans
