#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>

#include "report/text/table_layout.h"
#include "run/device_operands.h"
#include "suite_run.h"

namespace spb::app {
namespace {

/// Operands, coords and a NeighborMap: what every algorithm holds, whatever it adds.
int64_t least_bytes(const Problem& problem, int64_t n_in, int64_t n_out) {
  return run::operand_bytes(problem, n_in, n_out) + n_in * int64_t{sizeof(Coord)} +
         n_out * problem.kernel_volume() * int64_t{sizeof(int32_t)};
}

}  // namespace

void print_plan(std::span<const config::CaseSpec> cases, const ReadSettings& reading) {
  std::string data_id;
  std::unique_ptr<run::CaseData> data;
  int64_t largest = 0;
  for (const config::CaseSpec& spec : cases) {
    if (config::data_id(spec) != data_id) {
      data_id = config::data_id(spec);
      LoadedVoxels loaded = load_voxels(spec, reading);
      data = std::make_unique<run::CaseData>(loaded.name, std::move(loaded.voxels));
    }
    const MapSet& map = data->reference_map(spec.problem.geometry);
    const int64_t bytes = least_bytes(spec.problem, data->voxels().size(),
                                      static_cast<int64_t>(map.out_coords.size()));
    largest = std::max(largest, bytes);
    fmt::print("{}  n_in {}  n_out {}  n_pairs {}  at least {}\n", config::case_id(spec),
               data->voxels().size(), map.out_coords.size(), map.triples.size(),
               report::bytes_text(bytes));
  }
  fmt::print(
      "{} cases, device memory at least {} (operands, coords and map; workspace comes on "
      "top)\n",
      cases.size(), report::bytes_text(largest));
}

}  // namespace spb::app
