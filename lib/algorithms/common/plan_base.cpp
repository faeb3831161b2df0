#include "algorithms/common/plan_base.h"

#include "core/parallel.h"
#include "kernels/common/column_sum.h"

namespace spb::plans {

std::optional<std::string> unsupported_geometry(const Problem& problem) {
  if (problem.c_in < 1 || problem.c_out < 1)
    return "c_in = " + std::to_string(problem.c_in) + ", c_out = " + std::to_string(problem.c_out) +
           ", each needs at least 1";
  return invalid(problem.geometry);
}

PlanBase::PlanBase(const Problem& problem, const maps::DeviceCoords& coords,
                   maps::BuildContext context)
    : problem_(problem),
      out_coords_(maps::build_output_coords(coords, problem.geometry, context)),
      n_in_(coords.size()) {
  description_.arithmetic = fp32_sums(problem.dtype, 0);
  if (problem.direction == Direction::wgrad && problem.bias)
    bias_partials_ = gpu::Buffer<float>(context.allocator, partials_of(n_out()) * problem.c_out,
                                        gpu::Tag::workspace);
}

bool PlanBase::gathers_by_reverse() const {
  return problem_.direction == Direction::dgrad && !is_subm();
}

GatherMap PlanBase::gather_map(maps::TrainingMaps& maps) const {
  GatherMap map;
  map.table = std::move(gathers_by_reverse() ? maps.reverse : maps.forward);
  map.writes_inputs = problem_.direction == Direction::dgrad;
  map.mirrored = map.writes_inputs && is_subm();
  return map;
}

GatherMap PlanBase::build_gather_map(const maps::DeviceCoords& coords,
                                     maps::BuildContext context) const {
  maps::MapNeeds needs;
  (gathers_by_reverse() ? needs.reverse_table : needs.table) = true;
  maps::TrainingMaps maps =
      maps::build_training_maps(coords, out_coords_, problem_.geometry, needs, context);
  return gather_map(maps);
}

void PlanBase::run_bias_gradient(const Operands& operands, const gpu::Stream& stream) {
  if (problem_.bias && operands.gbias)
    column_sum(problem_.dtype, operands.gout, n_out(), problem_.c_out, bias_partials_.data(),
               operands.gbias, stream);
}

std::vector<Coord> PlanBase::download_out_coords(const gpu::Stream& stream) const {
  std::vector<Coord> coords(static_cast<size_t>(n_out()));
  gpu::copy_to_host(coords.data(), out_coords_.rows, n_out() * int64_t{sizeof(Coord)}, stream);
  return coords;
}

MapSet PlanBase::download(const GatherMap& map, const gpu::Stream& stream) const {
  MapSet set{download_out_coords(stream), {}};
  const std::vector<int32_t> table = map.table.rows.download(stream);
  const int kv = map.table.kernel_volume;
  std::vector<std::vector<Triple>> of_offset(static_cast<size_t>(kv));
  parallel_for(kv, [&](int64_t o) {
    std::vector<Triple>& own = of_offset[static_cast<size_t>(o)];
    own.reserve(static_cast<size_t>(map.table.n_out));
    const auto offset = static_cast<int32_t>(map.mirrored ? kv - 1 - o : o);
    for (int32_t row = 0; row < map.table.n_out; ++row) {
      const int32_t found = table[static_cast<size_t>(int64_t{row} * kv + o)];
      if (found < 0) continue;
      own.push_back(map.writes_inputs ? Triple{offset, found, row} : Triple{offset, row, found});
    }
  });
  size_t pairs = 0;
  for (const auto& own : of_offset) pairs += own.size();
  set.triples.reserve(pairs);
  for (const auto& own : of_offset) set.triples.insert(set.triples.end(), own.begin(), own.end());
  return set;
}

MapSet PlanBase::download(const maps::KernelMap& map, const gpu::Stream& stream) const {
  MapSet set{download_out_coords(stream), {}};
  const std::vector<int32_t> in = map.in_index.download(stream);
  const std::vector<int32_t> out = map.out_index.download(stream);
  const std::vector<int64_t> begin = map.offset_begin.download(stream);
  set.triples.reserve(in.size());
  for (size_t o = 0; o + 1 < begin.size(); ++o)
    for (auto i = static_cast<size_t>(begin[o]); i < static_cast<size_t>(begin[o + 1]); ++i)
      set.triples.push_back({static_cast<int32_t>(o), out[i], in[i]});
  return set;
}

Arithmetic fp32_sums(Dtype dtype, int mma_depth) {
  constexpr double kMmaRounding = 4;  // m of tensor cores, verification.md, section 4
  // 3xtf32 adds to a sum three times where the others add once: it may drift three times as far.
  const int additions = dtype == Dtype::tf32x3 ? 3 : 1;
  return {.arithmetic_class = info(dtype).name,
          .mma_depth = mma_depth,
          .mma_rounding = mma_depth > 0 ? additions * kMmaRounding : 0};
}

double executed_macs(const Problem& problem, int64_t rows) {
  return static_cast<double>(rows) * problem.c_in * problem.c_out;
}

}  // namespace spb::plans
