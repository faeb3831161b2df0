// SPDX-License-Identifier: Apache-2.0
// All maps of a convolution in one chain of kernels. Where the host must know lengths to allocate,
// it waits once, for all of them together.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "maps/halo/halo_parts.h"
#include "maps/lists/fill_parts.h"
#include "maps/lists/list_parts.h"
#include "maps/maps.h"
#include "maps/pairs/chunk.h"
#include "maps/pairs/offset_groups.h"
#include "maps/pairs/scan_counts.h"
#include "maps/table/cells.h"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

template <class Part>
std::shared_ptr<const Part> share(Part&& part) {
  return std::make_shared<const Part>(std::forward<Part>(part));
}

/// Lists on their way: counted, not yet filled.
struct PendingLists {
  const ListNeeds& needs;
  RowCoords rows;
  bool reverse;                ///< of the reverse map
  Counts counts, halo_counts;  ///< of listed offsets; of HaloLists::more
  std::shared_ptr<TileLists> lists;
  gpu::Buffer<uint32_t> tile_masks;
  std::optional<RowsAlongZ> along_z;  ///< sorted beside the map
  // What blocks that build halos sort by the way, else empty.
  gpu::Buffer<int32_t> along;
  KeyedRows unsorted;

  WindowSort windows() const { return window_sort(along, unsorted.keys, unsorted.rule.key_bits); }

  OrderNeeds order_needs() const {
    const int64_t window =
        rows.n <= needs.gray_up_to_rows ? std::max<int64_t>(rows.n, 1) : needs.window;
    return {needs.order, window, needs.segments, needs.tile_rows, rows};
  }
};

void check_needs(const MapNeeds& needs, int kernel_volume, int64_t most_rows) {
  if (needs.lists.size() > kMostLists)
    throw usage_error("maps", std::to_string(needs.lists.size()) + " kinds of tile lists",
                      "use up to " + std::to_string(kMostLists));
  for (const ListNeeds& lists : needs.lists) {
    if (lists.tile_rows < 1)
      throw usage_error("tile height", std::to_string(lists.tile_rows) + " rows", "use 1 or more");
    if (lists.segments < 1 || lists.segments > kMostSegments)
      throw usage_error("segments", std::to_string(lists.segments),
                        "use 1 to " + std::to_string(kMostSegments));
    if (lists.halos) check_halo_needs(lists, kernel_volume, most_rows);
  }
}

/// One build: what its steps share.
class Chain {
 public:
  Chain(const Sides& sides, const ConvGeometry& geometry, const MapNeeds& needs,
        BuildContext context, const HashOptions& hash)
      : sides_(sides),
        geometry_(geometry),
        needs_(needs),
        context_(context),
        hash_(with_table(hash, geometry, sides.fine.n)),
        forward_(empty_pending_map(sides, geometry, context, hash_)) {
    check_needs(needs, volume(), std::max(sides.fine.n, sides.coarse.n));
    lay_out_counts();
  }

  /// All that the device does before the host knows lengths. Does not wait.
  void start() {
    begin_ = gpu::Buffer<int64_t>(context_.allocator, layout_.size, gpu::Tag::workspace);
    const int64_t zeros = scan_zeros(layout_);
    scratch_ = gpu::Buffer<uint32_t>(context_.allocator, zeros + 2, gpu::Tag::workspace);
    auto* members = reinterpret_cast<uint64_t*>(scratch_.data() + zeros);
    fork_for_orders();
    start_forward_lists_and_pairs();
    build_halos(/*reverse=*/false);
    start_reverse_lists();
    build_halos(/*reverse=*/true);
    if (needs_.groups > 1) count_members(forward_.masks, needs_.groups, members, context_);
    report_.emplace(report_bytes(layout_));
    start_scan(layout_, begin_.data(), forward_.status.data(), pairs_.offset_begin.data(), members,
               scratch_.data(), report_->data(), context_.stream);
    context_.stream.mark();
    for (PendingLists& pending : lists_)
      if (pending.needs.longest_first)
        pending.lists->longest_first =
            sort_by_length(*pending.lists, counts_of(pending.counts), volume(), context_);
  }

  /// Of halos alone: lists as they will be shared, without further rounds.
  Maps ahead() const {
    Maps maps;
    for (const PendingLists& pending : lists_) maps.lists.push_back({pending.needs, pending.lists});
    return maps;
  }

  /// Waits for the lengths.
  Maps finish() {
    context_.stream.wait_for_mark();
    const CountReport report = read_report(layout_, report_->data());
    check(report.status, sides_.fine, forward_.capacity, context_.stream);
    has_rounds_ = std::ranges::any_of(report.halos, [](int64_t more) { return more > 0; });
    return finish(report);
  }
  /// Whether halos have further rounds, known once it is finished.
  bool has_rounds() const { return has_rounds_; }

 private:
  bool is_subm() const { return geometry_.kind == ConvKind::subm; }
  int volume() const { return forward_.map.kernel_volume; }
  /// Sparse groups become pair lists, and others tell how many pairs they hold.
  bool counts_pairs() const { return needs_.pairs || needs_.groups > 1; }
  int64_t* counts_of(const Counts& counts) {
    return counts.wanted() ? begin_.data() + counts.begin : nullptr;
  }
  const NeighborMap& map_of(const PendingLists& lists) const {
    return lists.reverse ? reverse_ : forward_.map;
  }
  HaloSource halo_source(const PendingLists& lists) const {
    return {map_of(lists), lists.rows.rows, halo_geometry(geometry_, sides_.origin, lists.reverse)};
  }

  void lay_out_counts() {
    if (counts_pairs()) {
      columns_ = empty_columns(forward_.masks, context_);
      layout_.pairs = layout_.append(columns_.counts());
      layout_.chunks = columns_.chunks;
      pairs_.offset_begin = gpu::Buffer<int64_t>(context_.allocator, volume() + 1, gpu::Tag::plan);
    }
    layout_.kernel_volume = volume();
    for (size_t i = 0; i < needs_.lists.size(); ++i) {
      const ListNeeds& needs = needs_.lists[i];
      const bool reverse = needs.reverse && !is_subm();
      const RowCoords& rows = reverse ? sides_.fine : sides_.coarse;
      const int tile_rows = needs.halos ? kHaloRows : needs.tile_rows;
      const Counts counts = layout_.append(tiles_of(rows.n, tile_rows) * needs.segments + 1);
      lists_.push_back({needs, rows, reverse, counts, {}, {}, {}, {}, {}, {}});
      layout_.lists[i] = counts;
    }
    for (size_t i = 0; i < lists_.size(); ++i)
      if (lists_[i].needs.halos)
        layout_.halos[i] = lists_[i].halo_counts =
            layout_.append(tiles_of(lists_[i].rows.n, kHaloRows) + 1);
  }

  /// Places along the z curve need coords alone: they are sorted beside what finds neighbors.
  void fork_for_orders() {
    for (PendingLists& pending : lists_)
      if (pending.needs.order == RowOrder::z && sorts_along_z(pending.rows))
        pending.along_z = empty_along_z(pending.rows, context_.allocator);
    if (std::ranges::any_of(lists_,
                            [](const auto& pending) { return pending.along_z.has_value(); }))
      beside_.emplace(context_.stream);
  }
  /// `half`: of the sort along the z curve, beside the stream.
  template <class Half>
  void sort_beside(Half half) {
    for (PendingLists& pending : lists_)
      if (pending.along_z) half(pending.rows, *pending.along_z, beside_->stream());
  }

  void start(PendingLists& pending, const RowMasks& masks, KeyedRows keyed) {
    if (beside_) beside_->join();
    beside_.reset();
    keyed.along_z = std::exchange(pending.along_z, {});
    gpu::Buffer<int32_t> order;
    if (pending.needs.halos && pending.needs.order == RowOrder::z && keyed.keys.size() > 0) {
      pending.along = rows_along_z(pending.rows, std::move(keyed.along_z), context_);
      order = gpu::Buffer<int32_t>(context_.allocator, pending.rows.n, gpu::Tag::plan);
      pending.unsorted = std::move(keyed);
    } else {
      order = build_order(masks, pending.order_needs(), std::move(keyed), context_);
    }
    pending.lists = std::make_shared<TileLists>(
        empty_lists(masks, std::move(order), pending.needs.tile_rows, pending.needs.segments));
    if (!pending.needs.halos)  // they count what they list
      pending.tile_masks = count_listed(masks, *pending.lists, counts_of(pending.counts), context_);
  }

  void build_halos(bool reverse) {
    for (PendingLists& pending : lists_) {
      if (!pending.needs.halos || pending.reverse != reverse) continue;
      start_halos(halo_source(pending), pending.windows(),
                  {counts_of(pending.counts), counts_of(pending.halo_counts)}, *pending.lists,
                  context_);
      pending.along = {};
      pending.unsorted = {};
    }
  }

  /// The first lists' rows get their sort keys while they are looked up.
  void start_forward_lists_and_pairs() {
    const auto first = std::ranges::find(lists_, false, &PendingLists::reverse);
    KeyedRows keyed;
    // Half of the lookups know no row's whole mask.
    if (first != lists_.end() && !hash_.half)
      keyed = empty_keys(forward_.masks, first->order_needs(), context_);
    // Of scans the host's launches last as long as the device's work: the count goes on while it
    // launches what finds neighbors, which is done when the passes are.
    sort_beside(count_along_z);
    start_neighbor_map(sides_, geometry_, forward_, keyed,
                       {columns_.words.data(), counts_of(layout_.pairs), columns_.chunks}, scratch_,
                       context_, hash_);
    sort_beside(sort_along_z);
    for (auto pending = first; pending != lists_.end(); ++pending)
      if (!pending->reverse)  // the keys are the first one's
        start(*pending, forward_.masks, std::exchange(keyed, {}));
  }

  void start_reverse_lists() {
    const bool any = std::ranges::any_of(lists_, &PendingLists::reverse);
    if (is_subm() || !(any || needs_.reverse_table)) return;
    reverse_ = reverse_neighbor_map(forward_.map, sides_.fine.n, context_);
    if (!any) return;
    const RowMasks masks = build_masks(reverse_, context_);
    for (PendingLists& pending : lists_)
      if (pending.reverse) start(pending, masks, {});
  }

  Maps finish(const CountReport& report) {
    Maps maps;
    std::optional<IndexFill> index;  // of the last lists, to be written with the pairs
    for (size_t i = 0; i < lists_.size(); ++i) {
      PendingLists& pending = lists_[i];
      pending.lists->listed = report.lists[i];
      if (pending.needs.halos) {
        finish_halos(halo_source(pending), counts_of(pending.halo_counts), report.halos[i],
                     *pending.lists, context_);
      } else {
        if (index) launch_fill(*index, context_.stream);
        index = fill_lists(map_of(pending), pending.tile_masks, counts_of(pending.counts),
                           pending.needs.tile_index, *pending.lists, context_);
      }
      maps.lists.push_back({pending.needs, std::move(pending.lists)});
    }
    const bool grouped =
        needs_.groups > 1 && (needs_.sparse_groups || !are_sparse(report.members, needs_.groups,
                                                                  volume(), forward_.map.n_rows));
    std::optional<PairFill> pairs;
    const bool listed = needs_.pairs || (needs_.groups > 1 && !grouped);
    if (listed) {
      pairs_.offset_begin_host = report.offset_begin;
      pairs = pairs_to_fill(forward_.map, columns_, counts_of(layout_.pairs), pairs_, context_);
    }
    launch_fill(index, pairs, context_.stream);
    if (listed) maps.pairs = share(std::move(pairs_));
    if (grouped)
      maps.groups =
          share(build_offset_groups(forward_.map, needs_.groups, report.offset_begin, context_));
    if (needs_.table) maps.forward = share(std::move(forward_.map));
    if (needs_.reverse_table && !is_subm()) maps.reverse = share(std::move(reverse_));
    return maps;
  }

  const Sides sides_;
  const ConvGeometry geometry_;
  const MapNeeds needs_;
  BuildContext context_;
  const HashOptions hash_;
  PendingMap forward_;
  NeighborMap reverse_;
  CountLayout layout_;
  PairColumns columns_;
  KernelMap pairs_;
  std::vector<PendingLists> lists_;
  std::optional<gpu::Fork> beside_;  // gone before what it uses
  gpu::Buffer<int64_t> begin_;
  gpu::Buffer<uint32_t> scratch_;
  std::optional<gpu::LandingPlace> report_;
  bool has_rounds_ = false;
};

Sides sides_of(const RowCoords& given, const MadeCoords& made, const ConvGeometry& geometry) {
  const bool generative = geometry.kind == ConvKind::generative;
  const RowCoords other = made.view();
  return {generative ? other : given, generative ? given : other, made.origin};
}

bool are_halos_alone(const MapNeeds& needs) {
  return !needs.table && !needs.reverse_table && !needs.pairs && needs.groups == 1 &&
         !needs.lists.empty() && std::ranges::all_of(needs.lists, &ListNeeds::halos);
}

}  // namespace

void MapNeeds::add(const MapNeeds& other) {
  table |= other.table;
  reverse_table |= other.reverse_table;
  pairs |= other.pairs;
  groups = std::max(groups, other.groups);
  sparse_groups |= other.sparse_groups;
  for (const ListNeeds& needs : other.lists) {
    const auto covers = [&](const ListNeeds& known) { return known.cover(needs); };
    if (std::ranges::any_of(lists, covers)) continue;
    std::erase_if(lists, [&](const ListNeeds& known) { return needs.cover(known); });
    lists.push_back(needs);
  }
}

std::shared_ptr<const TileLists> Maps::find(const ListNeeds& needs) const {
  for (const auto& [made_for, part] : lists)
    if (made_for.cover(needs)) return part;
  return nullptr;
}

Maps build_maps(const DeviceCoords& voxels, std::shared_ptr<const MadeCoords> made,
                const ConvGeometry& geometry, const MapNeeds& needs, BuildContext context,
                const HashOptions& hash) {
  Chain chain(sides_of(voxels.view(), *made, geometry), geometry, needs, context, hash);
  chain.start();
  Maps maps = chain.finish();
  maps.voxels = voxels.view();
  maps.made = std::move(made);
  return maps;
}

std::optional<MapsAhead> build_maps_ahead(const DeviceCoords& voxels,
                                          std::shared_ptr<const MadeCoords> made,
                                          const ConvGeometry& geometry, const MapNeeds& needs,
                                          BuildContext context, const HashOptions& hash) {
  const Sides sides = sides_of(voxels.view(), *made, geometry);
  if (!are_halos_alone(needs) || std::max(sides.fine.n, sides.coarse.n) > kMostRowsAhead)
    return std::nullopt;
  const auto chain = std::make_shared<Chain>(sides, geometry, needs, context, hash);
  chain->start();
  MapsAhead ahead{chain->ahead(), [chain] {
                    chain->finish();
                    return chain->has_rounds();
                  }};
  ahead.maps.voxels = voxels.view();
  ahead.maps.made = std::move(made);
  return ahead;
}

}  // namespace spb::maps
