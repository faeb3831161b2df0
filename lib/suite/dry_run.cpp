// SPDX-License-Identifier: Apache-2.0
#include "suite/dry_run.h"

#include <memory>
#include <utility>

#include "engines/native/device_operands.h"
#include "gpu/device_info.h"
#include "maps/maps.h"
#include "run/work.h"
#include "suite/case_cost.h"

namespace spb::suite {
namespace {

/// Operands, coords and a NeighborMap: what every algorithm holds, whatever it adds.
int64_t least_bytes(const Problem& problem, const MapSize& size) {
  return engines::operand_bytes(problem, size) + size.n_in * int64_t{sizeof(Coord)} +
         size.n_out * problem.kernel_volume() * int64_t{sizeof(int32_t)};
}

}  // namespace

void estimate(std::span<const config::CaseSpec> cases, const ReadSettings& reading,
              const run::RunOptions& run, Observer& observer) {
  std::string data_id;
  std::unique_ptr<run::CaseData> data;
  for (const config::CaseSpec& spec : cases) {
    if (config::data_id(spec) != data_id) {
      data_id = config::data_id(spec);
      LoadedVoxels loaded = load_voxels(spec, reading, observer);
      data = std::make_unique<run::CaseData>(loaded.name, std::move(loaded.voxels));
    }
    maps::MadeBound bound;
    if (spec.problem.geometry.kind == ConvKind::generative) {
      bound = maps::made_bound(data->voxels().size(), data->voxels().box, spec.problem.geometry);
      if (bound.bytes > gpu::free_memory_bytes()) {
        observer.planned({.case_id = config::case_id(spec),
                          .most_made = bound.rows,
                          .most_made_bytes = bound.bytes});
        continue;
      }
    }
    const MapSet& map = data->reference_map(spec.problem.geometry);
    const MapSize size{input_rows(map, data->voxels()),
                       static_cast<int64_t>(map.out_coords.size())};
    const auto n_pairs = static_cast<int64_t>(map.triples.size());
    observer.planned(
        {config::case_id(spec), size.n_in, size.n_out, n_pairs, least_bytes(spec.problem, size),
         case_cost_s(run::useful_macs(spec.problem, n_pairs), run), bound.rows, bound.bytes});
  }
}

}  // namespace spb::suite
