// SPDX-License-Identifier: Apache-2.0
#include "suite/dry_run.h"

#include <memory>
#include <utility>

#include "engines/native/device_operands.h"
#include "run/work.h"
#include "suite/case_cost.h"

namespace spb::suite {
namespace {

/// Operands, coords and a NeighborMap: what every algorithm holds, whatever it adds.
int64_t least_bytes(const Problem& problem, int64_t n_in, int64_t n_out) {
  return engines::operand_bytes(problem, n_in, n_out) + n_in * int64_t{sizeof(Coord)} +
         n_out * problem.kernel_volume() * int64_t{sizeof(int32_t)};
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
    const MapSet& map = data->reference_map(spec.problem.geometry);
    const auto n_out = static_cast<int64_t>(map.out_coords.size());
    const auto n_pairs = static_cast<int64_t>(map.triples.size());
    observer.planned({config::case_id(spec), data->voxels().size(), n_out, n_pairs,
                      least_bytes(spec.problem, data->voxels().size(), n_out),
                      case_cost_s(run::useful_macs(spec.problem, n_pairs), run)});
  }
}

}  // namespace spb::suite
