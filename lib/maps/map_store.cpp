// SPDX-License-Identifier: Apache-2.0
#include "maps/map_store.h"

#include <algorithm>
#include <utility>

namespace spb::maps {

MapStore::MapStore(const Relation& relation, gpu::Allocator& allocator, const HashOptions& hash)
    : relation_(relation), allocator_(allocator), hash_(hash) {
  maps_.voxels = relation.voxels.view();
}

const std::shared_ptr<const MadeCoords>& MapStore::made(const gpu::Stream& stream) {
  if (!maps_.made)
    maps_.made = std::make_shared<const MadeCoords>(
        build_made_coords(relation_.voxels, relation_.geometry, {allocator_, stream}, hash_));
  return maps_.made;
}

MapSize MapStore::size(const gpu::Stream& stream) {
  const int64_t voxels = relation_.voxels.size(), others = made(stream)->n;
  return relation_.geometry.kind == ConvKind::inverse ? MapSize{others, voxels}
                                                      : MapSize{voxels, others};
}

MapNeeds MapStore::missing(const MapNeeds& needs) const {
  const bool known_sparse = std::ranges::find(sparse_, needs.groups) != sparse_.end();
  MapNeeds left = needs;
  if (left.groups > 1 && maps_.groups && maps_.groups->slots == left.groups) left.groups = 1;
  if (left.groups > 1 && known_sparse && !left.sparse_groups) {
    left.groups = 1;
    left.pairs = true;
  }
  left.table &= !maps_.forward;
  left.reverse_table &= !maps_.reverse && relation_.geometry.kind != ConvKind::subm;
  left.pairs &= !maps_.pairs;
  std::erase_if(left.lists, [&](const ListNeeds& lists) { return maps_.find(lists) != nullptr; });
  return left;
}

void MapStore::keep(Maps&& built) {
  ++builds_;
  if (built.forward) maps_.forward = std::move(built.forward);
  if (built.reverse) maps_.reverse = std::move(built.reverse);
  if (built.pairs) maps_.pairs = std::move(built.pairs);
  if (built.groups) maps_.groups = std::move(built.groups);
  for (auto& lists : built.lists) maps_.lists.push_back(std::move(lists));
}

const Maps& MapStore::get(const MapNeeds& needs, const gpu::Stream& stream) {
  made(stream);
  const MapNeeds left = missing(needs);
  const bool nothing =
      !left.table && !left.reverse_table && !left.pairs && left.groups == 1 && left.lists.empty();
  if (nothing && builds_ > 0) return maps_;
  finish_open();
  Maps built = build_maps(relation_.voxels, maps_.made, relation_.geometry, left,
                          {allocator_, stream}, hash_);
  if (left.groups > 1 && !built.groups) sparse_.push_back(left.groups);
  keep(std::move(built));
  return maps_;
}

void MapStore::get_ahead(const MapNeeds& needs, const gpu::Stream& stream) {
  made(stream);
  finish_open();
  auto ahead = build_maps_ahead(relation_.voxels, maps_.made, relation_.geometry, missing(needs),
                                {allocator_, stream}, hash_);
  if (!ahead) {
    get(needs, stream);
    return;
  }
  open_ = std::move(ahead->finish);
  open_from_ = maps_.lists.size();
  keep(std::move(ahead->maps));
}

void MapStore::finish_open() {
  if (!open_) return;
  const auto finish = std::exchange(open_, {});
  try {
    has_rounds_ |= finish();
  } catch (...) {  // of invalid voxels nobody is given lists
    maps_.lists.resize(open_from_);
    --builds_;
    throw;
  }
}

bool MapStore::settle() {
  finish_open();
  return std::exchange(has_rounds_, false);
}

}  // namespace spb::maps
