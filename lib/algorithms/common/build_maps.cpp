#include "algorithms/algorithm.h"
#include "maps/maps.h"

namespace spb {
namespace {

struct Hold final : MapHold {
  maps::OutputCoords out;
  maps::TrainingMaps maps;
};

std::unique_ptr<MapHold> build(const Problem& problem, const maps::DeviceCoords& coords,
                               const maps::MapNeeds& needs, maps::BuildContext context) {
  auto hold = std::make_unique<Hold>();
  hold->out = maps::build_output_coords(coords, problem.geometry, context);
  hold->maps = maps::build_training_maps(coords, hold->out, problem.geometry, needs, context);
  return hold;
}

}  // namespace

std::unique_ptr<MapHold> build_table_maps(const Problem& problem, const maps::DeviceCoords& coords,
                                          gpu::Allocator& allocator, const gpu::Stream& stream) {
  return build(problem, coords, {.table = true, .reverse_table = true}, {allocator, stream});
}

std::unique_ptr<MapHold> build_pair_maps(const Problem& problem, const maps::DeviceCoords& coords,
                                         gpu::Allocator& allocator, const gpu::Stream& stream) {
  return build(problem, coords, {.pairs = true}, {allocator, stream});
}

std::unique_ptr<MapHold> build_list_maps(const Problem& problem, const maps::DeviceCoords& coords,
                                         gpu::Allocator& allocator, const gpu::Stream& stream) {
  return build(problem, coords,
               {.fprop_lists = true,
                .dgrad_lists = true,
                .pairs = true,
                .order = maps::RowOrder::window,
                .gray_up_to_rows = maps::kGlobalOrderRows},
               {allocator, stream});
}

}  // namespace spb
