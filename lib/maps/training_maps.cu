// All maps of a convolution in one chain of kernels. Where the host must know lengths to allocate,
// it waits once, for all of them together.
#include <array>
#include <bit>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/list_parts.h"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

/// Tile lists on their way: counted, not yet filled.
struct PendingLists {
  TileLists lists;
  gpu::Buffer<uint32_t> tile_masks;
  int64_t first_count = 0;  // where their counts stand among all
};

PendingLists start_lists(const RowMasks& masks, const MapNeeds& needs, BuildContext context) {
  RowOrder order = needs.order;
  if (order == RowOrder::window && masks.n_rows <= needs.gray_up_to_rows) order = RowOrder::gray;
  PendingLists pending;
  pending.lists =
      empty_lists(masks, build_order(masks, order, needs.window, context), needs.tile_rows);
  return pending;
}

/// What the host waits for: [0] and [1] the status, [2] and [3] lengths of the lists, then
/// offset_begin.
struct Report {
  static constexpr int64_t kStatusWords = sizeof(InsertStatus) / sizeof(int64_t);
  static constexpr int64_t kOffsetBegin = kStatusWords + 2;
};

/// Where the counts of one product begin and end; `begin` = -1 for none.
struct Counts {
  int64_t begin = -1, end = 0;
};

GPU_KERNEL void report_kernel(const InsertStatus* status, const int64_t* begin, Counts fprop,
                              Counts dgrad, int64_t pairs, int64_t chunks, int32_t kernel_volume,
                              int64_t* offset_begin, int64_t* report) {
  const int64_t o = gpu::global_index();
  if (o == 0) {
    *reinterpret_cast<InsertStatus*>(report) = *status;
    report[Report::kStatusWords] = fprop.begin < 0 ? 0 : begin[fprop.end] - begin[fprop.begin];
    report[Report::kStatusWords + 1] = dgrad.begin < 0 ? 0 : begin[dgrad.end] - begin[dgrad.begin];
  }
  if (pairs < 0 || o > kernel_volume) return;
  const int64_t value = begin[pairs + o * chunks] - begin[pairs];
  offset_begin[o] = value;
  report[Report::kOffsetBegin + o] = value;
}

}  // namespace

TrainingMaps build_training_maps(const DeviceCoords& in, const ConvGeometry& geometry,
                                 const MapNeeds& needs, BuildContext context,
                                 const HashOptions& hash) {
  auto& [allocator, stream] = context;
  TrainingMaps maps;
  maps.out = build_output_coords(in, geometry, context, hash);
  PendingMap forward = start_neighbor_map(in, maps.out, geometry, context, hash);
  const bool subm = geometry.kind == ConvKind::subm;
  const int kv = forward.map.kernel_volume;

  PendingLists fprop, dgrad;
  PairColumns columns;
  RowMasks reverse_masks;
  const bool lists_by_fprop = needs.fprop_lists || (subm && needs.dgrad_lists);
  const bool lists_by_dgrad = !subm && needs.dgrad_lists;
  if (!subm && (needs.reverse_table || needs.dgrad_lists))
    maps.reverse = reverse_neighbor_map(forward.map, in.size(), context);
  int64_t counts = 0;
  if (lists_by_fprop) {
    fprop = start_lists(forward.masks, needs, context);
    counts += fprop.lists.tiles + 1;
  }
  if (lists_by_dgrad) {
    reverse_masks = build_masks(maps.reverse, context);
    dgrad = start_lists(reverse_masks, needs, context);
    dgrad.first_count = counts;
    counts += dgrad.lists.tiles + 1;
  }
  const int64_t first_pair_count = counts;
  if (needs.pairs) {
    columns = empty_columns(forward.masks, context);
    counts += columns.counts();
  }

  gpu::Buffer<int64_t> begin(allocator, counts, gpu::Tag::workspace);
  const auto count_lists = [&](PendingLists& pending, const RowMasks& masks) {
    pending.tile_masks =
        count_listed(masks, pending.lists, begin.data() + pending.first_count, context);
    return Counts{pending.first_count, pending.first_count + pending.lists.tiles};
  };
  Counts fprop_counts, dgrad_counts;
  if (lists_by_fprop) fprop_counts = count_lists(fprop, forward.masks);
  if (lists_by_dgrad) dgrad_counts = count_lists(dgrad, reverse_masks);
  if (needs.pairs) {
    count_pairs(forward.masks, columns, begin.data() + first_pair_count, context);
    maps.pairs.offset_begin = gpu::Buffer<int64_t>(allocator, kv + 1, gpu::Tag::plan);
  }
  gpu::exclusive_scan(begin.data(), begin.data(), counts, allocator, stream);

  const int64_t report_words = Report::kOffsetBegin + kv + 1;
  auto* landed = static_cast<int64_t*>(gpu::landing(report_words * int64_t{sizeof(int64_t)}));
  gpu::launch_flat(report_kernel, kv + 1, stream, forward.status.data(), begin.data(), fprop_counts,
                   dgrad_counts, needs.pairs ? first_pair_count : -1, columns.chunks, kv,
                   maps.pairs.offset_begin.data(), landed);
  stream.synchronize();
  const std::vector<int64_t> report(landed, landed + report_words);
  check(std::bit_cast<InsertStatus>(std::array{report[0], report[1]}), in, forward.capacity,
        stream);

  const auto fill = [&](PendingLists& pending, const NeighborMap& map, int64_t listed) {
    pending.lists.listed = listed;
    fill_lists_and_index(map, pending.tile_masks, begin.data() + pending.first_count, pending.lists,
                         context);
    return std::move(pending.lists);
  };
  if (lists_by_fprop) maps.fprop = fill(fprop, forward.map, report[Report::kStatusWords]);
  if (lists_by_dgrad) maps.dgrad = fill(dgrad, maps.reverse, report[Report::kStatusWords + 1]);
  if (needs.pairs) {
    maps.pairs.offset_begin_host.assign(report.begin() + Report::kOffsetBegin, report.end());
    fill_pairs(forward.map, columns, begin.data() + first_pair_count, maps.pairs, context);
  }
  if (needs.table) maps.forward = std::move(forward.map);
  if (!needs.reverse_table) maps.reverse = {};
  return maps;
}

}  // namespace spb::maps
