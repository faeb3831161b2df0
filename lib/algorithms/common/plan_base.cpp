// SPDX-License-Identifier: Apache-2.0
#include "algorithms/common/plan_base.h"

#include <algorithm>
#include <span>

#include "core/parallel.h"
#include "kernels/common/column_sum.h"
#include "maps/download.h"

namespace spb::plans {
namespace {

/// each(pair) of all, by all processors.
template <class Each>
void change(Triples& pairs, const Each& each) {
  constexpr size_t kAtOnce = 1 << 18;
  parallel_for(static_cast<int64_t>((pairs.size() + kAtOnce - 1) / kAtOnce), [&](int64_t i) {
    const size_t first = static_cast<size_t>(i) * kAtOnce;
    std::ranges::for_each(std::span(pairs).subspan(first, std::min(kAtOnce, pairs.size() - first)),
                          each);
  });
}

}  // namespace

bool gathers_by_reverse(const Problem& problem) {
  const ConvKind kind = problem.geometry.kind;
  if (kind == ConvKind::subm) return false;
  return is_transposed(kind) != (problem.direction == Direction::dgrad);
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

PairRows pair_rows(const maps::KernelMap& pairs, const Problem& problem) {
  const int32_t *fine = pairs.fine_index.data(), *coarse = pairs.coarse_index.data();
  return is_transposed(problem.geometry.kind) ? PairRows{coarse, fine} : PairRows{fine, coarse};
}

GatherMap::GatherMap(const Problem& problem)
    : mirrored(problem.direction == Direction::dgrad && problem.geometry.kind == ConvKind::subm),
      writes_inputs(problem.direction == Direction::dgrad) {}

PlanBase::PlanBase(const Case& of, const maps::Maps& maps, maps::BuildContext context)
    : problem_(of.problem), size_{of.n_in, of.n_out}, voxels_(maps.voxels), made_(maps.made) {
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

OutputEpilogue PlanBase::epilogue_of(const Operands& operands) const {
  if (problem_.direction != Direction::fprop) return {.scale = operands.scale};
  const Epilogue& epilogue = problem_.epilogue;
  return {.bias = operands.bias,
          .residual = epilogue.residual ? operands.residual : nullptr,
          .activation = epilogue.activation,
          .slope = epilogue.slope,
          .scale = operands.scale,
          .residual_scale = operands.residual_scale};
}

void PlanBase::run_bias_gradient(Dtype dtype, const Operands& operands, const gpu::Stream& stream) {
  if (problem_.bias && operands.gbias)
    column_sum(dtype, operands.gout, n_out(), problem_.c_out, bias_partials_.data(), operands.gbias,
               stream);
}

MapSet PlanBase::download(const GatherMap& map, const gpu::Stream& stream) const {
  return map_set(maps::download_pairs(*map.table, stream), map, stream);
}

MapSet PlanBase::map_set(Triples pairs, const gpu::Stream& stream) const {
  const bool makes_inputs = problem_.geometry.kind == ConvKind::inverse;
  MapSet set{maps::download(makes_inputs ? voxels_ : made_->view(), stream), std::move(pairs)};
  if (makes_inputs) set.in_coords = maps::download(made_->view(), stream);
  return set;
}

MapSet PlanBase::map_set_of_pairs(Triples pairs, const gpu::Stream& stream) const {
  if (is_transposed(problem_.geometry.kind))
    change(pairs, [](Triple& pair) { std::swap(pair.out, pair.in); });
  return map_set(std::move(pairs), stream);
}

MapSet PlanBase::map_set(Triples pairs, const GatherMap& map, const gpu::Stream& stream) const {
  if (map.mirrored || map.writes_inputs)
    change(pairs, [&](Triple& pair) {
      if (map.mirrored) pair.offset = problem_.kernel_volume() - 1 - pair.offset;
      if (map.writes_inputs) std::swap(pair.out, pair.in);
    });
  return map_set(std::move(pairs), stream);
}

Arithmetic fp32_sums(Dtype dtype, int mma_depth) {
  constexpr double kMmaRounding = 4;  // m of tensor cores, verification.md, section 4
  Arithmetic arithmetic;
  arithmetic.dtype = dtype;
  arithmetic.mma_depth = mma_depth;
  // A sum that is added to three times as often may drift three times as far.
  if (mma_depth > 0) arithmetic.mma_rounding = info(dtype).additions * kMmaRounding;
  return arithmetic;
}

Arithmetic arithmetic_of(const RowKernel& kernel, Dtype dtype) {
  // Addends are cut off, not rounded, so that sums of one sign shrink, the more the longer they
  // are: of 64 to 27,648 positive products by up to 64 times 2^-14 Q (docs/verification.md, section
  // 15).
  constexpr double kCutOff = 16;
  Arithmetic arithmetic = fp32_sums(dtype, kernel.family->mma_depth(dtype));
  const KernelVariant& variant = kernel.variant();
  arithmetic.sum_bits = variant.sum_bits;
  arithmetic.promoted_products = variant.promoted_products;
  if (variant.cuts_sums()) arithmetic.mma_rounding = kCutOff;
  const RowFamily& family = *kernel.family;
  arithmetic.flushes_subnormals =
      family.flushes_subnormals && family.flushes_subnormals(kernel.index, dtype);
  return arithmetic;
}

double executed_macs(const Problem& problem, int64_t rows) {
  return static_cast<double>(rows) * problem.c_out * problem.group_c_in();
}

}  // namespace spb::plans
