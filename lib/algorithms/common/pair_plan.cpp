// SPDX-License-Identifier: Apache-2.0
#include "algorithms/common/pair_plan.h"

#include "algorithms/implicit/implicit_plan.h"
#include "algorithms/implicit/plan_choice.h"
#include "kernels/schedule/lists.h"
#include "kernels/tiling.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

ImplicitOptions wgrad_options(PairPass pass) {
  return {.masked = true, .split_k = pass != PairPass::fused, .pairs = true};
}

}  // namespace

PairPlan::PairPlan(PairPass pass, const Case& of, const maps::Maps& maps,
                   maps::BuildContext context)
    : PlanBase(of, maps, context),
      view_(gemm_view(of.problem, size())),
      kernel_(
          choose_pair_kernel(of.problem, pass, maps.pairs->n_pairs(), read(of.choice).variant)) {
  const KernelVariant& tile = kernel_.variant();
  const bool writes_fine =
      is_transposed(of.problem.geometry.kind) != (of.problem.direction == Direction::dgrad);
  tiles_ = maps::build_pair_tiles(*maps.pairs, writes_fine, tile.tile_m, context);
  column_tiles_ = static_cast<int>(tiles_of(view_.n, tile.tile_n));
  if (kernel_.family->takes_work_tiles) {
    const WorkTileShape shape{column_tiles_, static_cast<int>(tiles_of(view_.k, tile.tile_k))};
    work_tiles_ = gpu::Buffer<WorkTile>(context.allocator, work_tiles_of(tiles_.lists, shape),
                                        gpu::Tag::plan);
    work_tile_counters_ =
        gpu::Buffer<uint32_t>(context.allocator, kWorkTileCounters, gpu::Tag::plan);
    write_work_tiles(tiles_.lists, nullptr, shape, {}, work_tile_counters_.data(),
                     work_tiles_.data(), context.stream);
  }
  if (const int floats = kernel_.family->prepares(of.problem.dtype))
    prepared_ = gpu::Buffer<float>(context.allocator, floats * weight_count(of.problem),
                                   gpu::Tag::workspace);
  description_.kernel = tile.name;
  description_.params_json = tile_params(tile, 1, maps::RowOrder::none);
  description_.executed_macs = executed_macs(of.problem, positions());
  description_.arithmetic = arithmetic_of(kernel_, of.problem.dtype);
}

GatherGemmParams PairPlan::params(const Operands& operands) const {
  GatherGemmParams params;
  static_cast<RowLists&>(params) = row_lists(tiles_.lists, nullptr, 0);
  params.source = operands.source(view_);
  params.weights = operands.weights;
  params.weight_offset_pitch = view_.offset_pitch;
  params.weight_k_pitch = view_.k_pitch;
  params.weight_n_pitch = view_.n_pitch;
  params.prepared = const_cast<float*>(prepared_.data());
  params.kernel_volume = problem_.kernel_volume();
  params.k = view_.k;
  params.n = view_.n;
  params.work_tile_counters = const_cast<uint32_t*>(work_tile_counters_.data());
  return params;
}

void PairPlan::launch(GatherGemmParams params, const gpu::Stream& stream) const {
  launch_tiles(params, 0, tiles_.lists.tiles, stream);
}

void PairPlan::launch_offset(GatherGemmParams params, int offset, const gpu::Stream& stream) const {
  const int64_t first = tiles_.tile_begin[static_cast<size_t>(offset)];
  launch_tiles(params, first, tiles_.tile_begin[static_cast<size_t>(offset) + 1] - first, stream);
}

void PairPlan::launch_tiles(GatherGemmParams params, int64_t first, int64_t count,
                            const gpu::Stream& stream) const {
  if (count == 0) return;
  if (kernel_.family->takes_work_tiles) {  // which name tiles by their place among all
    params.rows = positions();
    params.work_tiles = work_tiles_.data() + first * column_tiles_;
    params.work_tile_count = static_cast<uint32_t>(count * column_tiles_);
  } else {
    const int64_t position = first * tiles_.lists.tile_rows;
    params.rows = count * tiles_.lists.tile_rows;
    if (params.order) params.order += position;
    params.tile_index += position;
    params.listed += first;  // listed_begin of any tile is its number
  }
  kernel_.family->launch(kernel_.index, problem_.dtype, params, stream);
}

MapSet PairPlan::map(const gpu::Stream& stream) const {
  GatherMap sides(problem_);
  sides.mirrored = false;  // pairs are stored by the offset of their weights
  return map_set(maps::download_pairs(tiles_.lists, stream), sides, stream);
}

maps::MapNeeds needs_of_pairs(PairPass pass, const Case& of) {
  return of.problem.direction == Direction::wgrad ? needs_of_wgrad(wgrad_options(pass), of)
                                                  : pair_needs();
}

std::unique_ptr<Plan> plan_pair_wgrad(PairPass pass, const Case& of, const maps::Maps& maps,
                                      maps::BuildContext context) {
  return plan_wgrad(wgrad_options(pass), of, maps, context);
}

}  // namespace spb::plans
