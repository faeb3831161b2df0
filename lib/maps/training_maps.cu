// All maps of a convolution in one chain of kernels. Where the host must know lengths to allocate,
// it waits once, for all of them together.
#include <algorithm>
#include <string>

#include "core/error.h"
#include "maps/halo/halo_parts.h"
#include "maps/lists/list_parts.h"
#include "maps/pairs/scan_counts.h"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

/// Lists on their way: counted, not yet filled.
struct PendingLists {
  TileLists lists;
  gpu::Buffer<uint32_t> tile_masks;
};

OrderNeeds order_needs(const MapNeeds& needs, const RowCoords& rows) {
  const int64_t window =
      rows.n <= needs.gray_up_to_rows ? std::max<int64_t>(rows.n, 1) : needs.window;
  return {needs.order, window, needs.segments, needs.tile_rows, rows};
}

PendingLists start_lists(const RowMasks& masks, const MapNeeds& needs, const RowCoords& rows,
                         KeyedRows keyed, int64_t* counts, BuildContext context) {
  PendingLists pending;
  pending.lists =
      empty_lists(masks, build_order(masks, order_needs(needs, rows), std::move(keyed), context),
                  needs.tile_rows, needs.segments);
  pending.tile_masks = count_listed(masks, pending.lists, counts, context);
  return pending;
}

}  // namespace

TrainingMaps build_training_maps(const DeviceCoords& in, const OutputCoords& out,
                                 const ConvGeometry& geometry, const MapNeeds& needs,
                                 BuildContext context, const HashOptions& hash) {
  auto& [allocator, stream] = context;
  if (needs.tile_rows < 1)
    throw usage_error("tile height", std::to_string(needs.tile_rows) + " rows", "use 1 or more");
  if (needs.segments < 1 || needs.segments > kMostSegments)
    throw usage_error("segments", std::to_string(needs.segments),
                      "use 1 to " + std::to_string(kMostSegments));
  const bool subm = geometry.kind == ConvKind::subm;
  PendingMap forward = empty_pending_map(in, out, geometry, context, hash);
  const int kv = forward.map.kernel_volume;
  if (needs.halos) check_halo_needs(needs, kv, std::max(in.size(), out.n));
  const RowCoords out_rows{out.rows, out.n, out.box}, in_rows{in.rows.data(), in.size(), in.box};
  TrainingMaps maps;

  const auto tile_counts = [&](int64_t rows) {
    return tiles_of(rows, needs.tile_rows) * needs.segments + 1;
  };
  CountLayout layout;
  PairColumns columns;
  if (needs.pairs) {
    columns = empty_columns(forward.masks, context);
    layout.pairs = layout.append(columns.counts());
    layout.chunks = columns.chunks;
    maps.pairs.offset_begin = gpu::Buffer<int64_t>(allocator, kv + 1, gpu::Tag::plan);
  }
  layout.kernel_volume = kv;
  if (needs.fprop_lists || (subm && needs.dgrad_lists))
    layout.fprop = layout.append(tile_counts(out.n));
  if (!subm && needs.dgrad_lists) layout.dgrad = layout.append(tile_counts(in.size()));
  if (needs.halos && layout.fprop.wanted())
    layout.fprop_halos = layout.append(tiles_of(out.n, kHaloRows) + 1);
  if (needs.halos && layout.dgrad.wanted())
    layout.dgrad_halos = layout.append(tiles_of(in.size(), kHaloRows) + 1);
  gpu::Buffer<int64_t> begin(allocator, layout.size, gpu::Tag::workspace);
  gpu::Buffer<uint32_t> scan_scratch(allocator, scan_zeros(layout), gpu::Tag::workspace);
  const auto counts_of = [&](const Counts& counts) {
    return counts.wanted() ? begin.data() + counts.begin : nullptr;
  };
  KeyedRows keyed;
  if (layout.fprop.wanted())
    keyed = empty_keys(forward.masks, order_needs(needs, out_rows), context);
  start_neighbor_map(in, out, geometry, forward, keyed,
                     {columns.words.data(), counts_of(layout.pairs), columns.chunks}, scan_scratch,
                     context, hash);
  PendingLists fprop, dgrad;
  if (layout.fprop.wanted())
    fprop = start_lists(forward.masks, needs, out_rows, std::move(keyed), counts_of(layout.fprop),
                        context);
  if (!subm && (needs.reverse_table || needs.dgrad_lists))
    maps.reverse = reverse_neighbor_map(forward.map, in.size(), context);
  if (layout.dgrad.wanted())
    dgrad = start_lists(build_masks(maps.reverse, context), needs, in_rows, {},
                        counts_of(layout.dgrad), context);
  const HaloSource of_forward{forward.map, out.rows, halo_geometry(geometry, false)};
  const HaloSource of_reverse{maps.reverse, in.rows.data(), halo_geometry(geometry, true)};
  if (layout.fprop_halos.wanted())
    start_halos(of_forward, counts_of(layout.fprop_halos), fprop.lists, context);
  if (layout.dgrad_halos.wanted())
    start_halos(of_reverse, counts_of(layout.dgrad_halos), dgrad.lists, context);
  CountReport report = scan_counts(layout, begin.data(), forward.status.data(),
                                   maps.pairs.offset_begin.data(), scan_scratch.data(), stream);
  check(report.status, in, forward.capacity, stream);

  const auto fill = [&](PendingLists& pending, const NeighborMap& map, const Counts& counts,
                        int64_t listed) {
    pending.lists.listed = listed;
    fill_lists(map, pending.tile_masks, counts_of(counts), needs.tile_index, pending.lists,
               context);
    return std::move(pending.lists);
  };
  // Halos first: rows of a group may change places once more.
  if (layout.fprop_halos.wanted())
    finish_halos(of_forward, counts_of(layout.fprop_halos), report.fprop_halos, fprop.lists,
                 context);
  if (layout.dgrad_halos.wanted())
    finish_halos(of_reverse, counts_of(layout.dgrad_halos), report.dgrad_halos, dgrad.lists,
                 context);
  if (layout.fprop.wanted()) maps.fprop = fill(fprop, forward.map, layout.fprop, report.fprop);
  if (layout.dgrad.wanted()) maps.dgrad = fill(dgrad, maps.reverse, layout.dgrad, report.dgrad);
  if (needs.pairs) {
    maps.pairs.offset_begin_host = std::move(report.offset_begin);
    fill_pairs(forward.map, columns, counts_of(layout.pairs), maps.pairs, context);
  }
  if (needs.table) maps.forward = std::move(forward.map);
  if (!needs.reverse_table) maps.reverse = {};
  return maps;
}

NeighborMap build_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                               const ConvGeometry& geometry, BuildContext context,
                               const HashOptions& hash) {
  return build_training_maps(in, out, geometry, {.table = true}, context, hash).forward;
}

}  // namespace spb::maps
