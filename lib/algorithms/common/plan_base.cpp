// SPDX-License-Identifier: Apache-2.0
#include "algorithms/common/plan_base.h"

#include "kernels/common/column_sum.h"
#include "maps/download.h"

namespace spb::plans {

bool gathers_by_reverse(const Problem& problem) {
  return problem.direction == Direction::dgrad && problem.geometry.kind != ConvKind::subm;
}

maps::MapNeeds table_needs(const Problem& problem) {
  maps::MapNeeds needs;
  (gathers_by_reverse(problem) ? needs.reverse_table : needs.table) = true;
  return needs;
}

maps::MapNeeds pair_needs() {
  maps::MapNeeds needs;
  needs.pairs = true;
  return needs;
}

GatherMap::GatherMap(const Problem& problem)
    : mirrored(problem.direction == Direction::dgrad && !gathers_by_reverse(problem)),
      writes_inputs(problem.direction == Direction::dgrad) {}

PlanBase::PlanBase(const Case& of, const maps::Maps& maps, maps::BuildContext context)
    : problem_(of.problem), out_coords_(maps.made), n_in_(of.n_in) {
  description_.arithmetic = fp32_sums(problem_.dtype, 0);
  if (problem_.direction == Direction::wgrad && problem_.bias)
    bias_partials_ = gpu::Buffer<float>(context.allocator, partials_of(n_out()) * problem_.c_out,
                                        gpu::Tag::workspace);
}

GatherMap PlanBase::gather_map(const maps::Maps& maps) const {
  GatherMap map(problem_);
  map.table = gathers_by_reverse(problem_) ? maps.reverse : maps.forward;
  return map;
}

void PlanBase::run_bias_gradient(const Operands& operands, const gpu::Stream& stream) {
  if (problem_.bias && operands.gbias)
    column_sum(problem_.dtype, operands.gout, n_out(), problem_.c_out, bias_partials_.data(),
               operands.gbias, stream);
}

MapSet PlanBase::download(const GatherMap& map, const gpu::Stream& stream) const {
  return map_set(maps::download_pairs(*map.table, stream), map, stream);
}

MapSet PlanBase::map_set(std::vector<Triple> pairs, const gpu::Stream& stream) const {
  return {maps::download(*out_coords_, stream), std::move(pairs)};
}

MapSet PlanBase::map_set(std::vector<Triple> pairs, const GatherMap& map,
                         const gpu::Stream& stream) const {
  for (Triple& pair : pairs) {
    if (map.mirrored) pair.offset = problem_.kernel_volume() - 1 - pair.offset;
    if (map.writes_inputs) std::swap(pair.out, pair.in);
  }
  return map_set(std::move(pairs), stream);
}

Arithmetic fp32_sums(Dtype dtype, int mma_depth) {
  constexpr double kMmaRounding = 4;  // m of tensor cores, verification.md, section 4
  return {.arithmetic_class = info(dtype).name,
          .mma_depth = mma_depth,
          // A sum that is added to three times as often may drift three times as far.
          .mma_rounding = mma_depth > 0 ? info(dtype).additions * kMmaRounding : 0};
}

double executed_macs(const Problem& problem, int64_t rows) {
  return static_cast<double>(rows) * problem.c_in * problem.c_out;
}

}  // namespace spb::plans
