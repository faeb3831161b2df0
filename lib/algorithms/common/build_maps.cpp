#include <utility>

#include "algorithms/algorithm.h"
#include "algorithms/implicit/row_lists.h"
#include "maps/maps.h"

namespace spb {
namespace {

struct Hold final : MapHold {
  explicit Hold(maps::TrainingMaps built) : maps(std::move(built)) {}
  maps::TrainingMaps maps;
};

std::unique_ptr<MapHold> build(const Problem& problem, const maps::DeviceCoords& coords,
                               const maps::MapNeeds& needs, maps::BuildContext context) {
  return std::make_unique<Hold>(
      maps::build_training_maps(coords, problem.geometry, needs, context));
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
                .window = plans::kWindow,
                .gray_up_to_rows = plans::kGlobalOrderRows},
               {allocator, stream});
}

}  // namespace spb
