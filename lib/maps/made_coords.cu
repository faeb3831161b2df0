// SPDX-License-Identifier: Apache-2.0
// The coords that a layer makes of its voxels: propose by kind and output rule, deduplicate in a
// hash set, sort.
#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/maps.h"
#include "maps/table/build_error.h"
#include "maps/table/hash_table.cuh"
#include "maps/table/insert_status.h"
#include "maps/table/key_width.h"

namespace spb::maps {
namespace {

constexpr int64_t kChunkSlots = 32;  // of one thread that counts or collects keys

/// Fact 6 of algorithms.md, section 2: most cells that one voxel reaches along an axis.
int64_t most_reached(const ConvGeometry& geometry, size_t axis) {
  if (geometry.kind == ConvKind::generative) return geometry.kernel_size[axis];
  const int64_t step =
      geometry.stride[axis] / std::gcd(geometry.stride[axis], geometry.dilation[axis]);
  return (geometry.kernel_size[axis] + step - 1) / step;
}

/// Upper bound of the distinct cells, known without looking at a single coord.
int64_t most_made(int64_t voxels, const ConvGeometry& geometry, uint64_t cells) {
  uint64_t most = static_cast<uint64_t>(voxels);
  if (geometry.output_rule == OutputRule::floor) return static_cast<int64_t>(std::min(most, cells));
  for (size_t axis = 0; axis < 3; ++axis)
    if (__builtin_mul_overflow(most, static_cast<uint64_t>(most_reached(geometry, axis)), &most))
      most = cells;
  return static_cast<int64_t>(
      std::min({most, cells, uint64_t{std::numeric_limits<int64_t>::max()}}));
}

GPU_KERNEL void clear_status_kernel(InsertStatus* status) { *status = InsertStatus(); }

template <class Key>
struct Proposals {
  RowCoords voxels;
  DeviceBox box, made_box;
  DeviceGeometry geometry;
  KeySetRef<Key> set;
  InsertStatus* status;

  /// Whether the row exists and lies in its box; one that does not is told.
  __device__ bool may_propose(int64_t row) const {
    if (row >= voxels.n) return false;
    if (box.holds(voxels.rows[row])) return true;
    gpu::atomic_min(&status->out_of_range_row, static_cast<uint32_t>(row));
    return false;
  }
  /// False where the set is full, which is told.
  __device__ bool insert(int64_t row, Key key) const {
    if (set.insert(key) != Inserted::full) return true;
    gpu::atomic_min(&status->full_row, static_cast<uint32_t>(row));
    return false;
  }
};

/// OutputRule::floor: one cell per voxel, whether or not an offset joins them.
template <class Key>
GPU_KERNEL void propose_floors_kernel(Proposals<Key> to) {
  const int64_t row = gpu::global_index();
  if (!to.may_propose(row)) return;
  const Coord p = to.voxels.rows[row];
  const Coord u{p.batch, p.x / to.geometry.x.stride, p.y / to.geometry.y.stride,
                p.z / to.geometry.z.stride};
  if (to.made_box.holds(u)) to.insert(row, to.made_box.template key<Key>(u));
}

/// Every cell that the voxel reaches: coarse ones or, kGenerates, fine ones.
template <bool kGenerates, class Key>
GPU_KERNEL void propose_reached_kernel(Proposals<Key> to) {
  const int64_t row = gpu::global_index();
  if (!to.may_propose(row)) return;
  const DeviceGeometry& geometry = to.geometry;
  const DeviceBox& box = to.made_box;
  const Coord voxel = to.voxels.rows[row];
  const auto cell = [](const DeviceAxis& axis, int32_t at, int32_t component, int32_t extent) {
    return kGenerates ? axis.fine_within(at, component, extent)
                      : axis.coarse_within(at, component, extent);
  };
  for (int32_t ox = 0; ox < geometry.x.kernel_size; ++ox) {
    const int64_t x = cell(geometry.x, voxel.x, ox, box.x);
    if (x < 0) continue;
    for (int32_t oy = 0; oy < geometry.y.kernel_size; ++oy) {
      const int64_t y = cell(geometry.y, voxel.y, oy, box.y);
      if (y < 0) continue;
      for (int32_t oz = 0; oz < geometry.z.kernel_size; ++oz) {
        const int64_t z = cell(geometry.z, voxel.z, oz, box.z);
        if (z < 0) continue;
        if (!to.insert(row, box.template key<Key>(voxel.batch, x, y, z))) return;
      }
    }
  }
}

/// A generative layer looks its voxels up nowhere: what repeats among them shows here alone.
template <class Key>
GPU_KERNEL void find_repeats_kernel(RowCoords voxels, DeviceBox box, KeySetRef<Key> set,
                                    InsertStatus* status) {
  const int64_t row = gpu::global_index();
  if (row >= voxels.n || !box.holds(voxels.rows[row])) return;
  if (set.insert(box.template key<Key>(voxels.rows[row])) == Inserted::repeated)
    gpu::atomic_min(&status->repeated_row, static_cast<uint32_t>(row));
}

/// Calls visit(key) for the keys of one chunk of slots.
template <class Key, class Visit>
__device__ void keys_of(const KeySetRef<Key>& set, int64_t chunk, Visit visit) {
  const int64_t capacity = int64_t{1} + static_cast<int64_t>(set.last);
  const int64_t begin = chunk * kChunkSlots;
  const int64_t end = begin + kChunkSlots < capacity ? begin + kChunkSlots : capacity;
  for (int64_t slot = begin; slot < end; ++slot)
    if (set.keys[slot] != kEmptyKey<Key>) visit(set.keys[slot]);
}

/// Item = chunk, and one more for the closing zero.
template <class Key>
GPU_KERNEL void count_keys_kernel(KeySetRef<Key> set, int64_t chunks, int64_t* counts) {
  const int64_t chunk = gpu::global_index();
  if (chunk > chunks) return;
  int64_t count = 0;
  if (chunk < chunks) keys_of(set, chunk, [&](Key) { ++count; });
  counts[chunk] = count;
}

template <class Key>
GPU_KERNEL void collect_keys_kernel(KeySetRef<Key> set, int64_t chunks, const int64_t* begin,
                                    uint64_t* keys) {
  const int64_t chunk = gpu::global_index();
  if (chunk >= chunks) return;
  int64_t next = begin[chunk];
  keys_of(set, chunk, [&](Key key) { keys[next++] = key; });
}

GPU_KERNEL void decode_kernel(const uint64_t* keys, int64_t n, DeviceBox box, Coord* coords) {
  const int64_t row = gpu::global_index();
  if (row < n) coords[row] = box.coord(keys[row]);
}

template <class Key>
struct KeySet {
  gpu::Buffer<Key> slots;

  KeySet(int64_t capacity, BuildContext context)
      : slots(context.allocator, capacity, gpu::Tag::plan) {
    gpu::fill_bytes(slots.data(), 0xFF, slots.bytes(), context.stream);
  }
  KeySetRef<Key> ref() { return {slots.data(), static_cast<Key>(slots.size() - 1)}; }
};

void find_repeats(const RowCoords& voxels, const HashOptions& hash, InsertStatus* status,
                  BuildContext context) {
  const auto find = [&]<class Key>(Key) {
    KeySet<Key> set(set_capacity(voxels.n, hash, 8 * int{sizeof(Key)}), context);
    gpu::launch_flat(find_repeats_kernel<Key>, voxels.n, context.stream, voxels,
                     DeviceBox(voxels.box), set.ref(), status);
  };
  if (key_width(cell_count(voxels.box), hash.key_bits) == 32)
    find(uint32_t{});
  else
    find(uint64_t{});
}

template <class Key>
void propose(const Proposals<Key>& to, const ConvGeometry& geometry, const gpu::Stream& stream) {
  auto kernel = propose_reached_kernel<false, Key>;
  if (geometry.kind == ConvKind::generative) kernel = propose_reached_kernel<true, Key>;
  if (geometry.output_rule == OutputRule::floor) kernel = propose_floors_kernel<Key>;
  gpu::launch_flat(kernel, to.voxels.n, stream, to);
}

/// The distinct candidate keys, unsorted. Waits for their number.
template <class Key>
gpu::Buffer<uint64_t> distinct_keys(const RowCoords& voxels, const MadeCoords& made,
                                    const ConvGeometry& geometry, int64_t most,
                                    const HashOptions& hash, BuildContext context) {
  auto& [allocator, stream] = context;
  KeySet<Key> set(set_capacity(most, hash, 8 * int{sizeof(Key)}), context);
  const int64_t capacity = set.slots.size();

  // The status stands behind the last count, so that one copy brings both.
  struct Report {
    int64_t keys = 0;
    InsertStatus status;
  } report;
  const int64_t chunks = (capacity + kChunkSlots - 1) / kChunkSlots;
  constexpr int64_t kStatusWords = sizeof(InsertStatus) / sizeof(int64_t);
  gpu::Buffer<int64_t> begin(allocator, chunks + 1 + kStatusWords, gpu::Tag::workspace);
  auto* status = reinterpret_cast<InsertStatus*>(begin.data() + chunks + 1);
  gpu::launch_flat(clear_status_kernel, 1, stream, status);
  if (geometry.kind == ConvKind::generative) find_repeats(voxels, hash, status, context);
  propose<Key>({voxels, DeviceBox(voxels.box), DeviceBox(made.box),
                DeviceGeometry(geometry, made.origin), set.ref(), status},
               geometry, stream);
  gpu::launch_flat(count_keys_kernel<Key>, chunks + 1, stream, set.ref(), chunks, begin.data());
  gpu::exclusive_scan(begin.data(), begin.data(), chunks + 1, allocator, stream);
  gpu::copy_to_host(&report, begin.data() + chunks, sizeof(report), stream);
  check(report.status, voxels, capacity, stream);
  check_row_count("made coords", report.keys);
  gpu::Buffer<uint64_t> keys(allocator, report.keys, gpu::Tag::workspace);
  gpu::launch_flat(collect_keys_kernel<Key>, chunks, stream, set.ref(), chunks, begin.data(),
                   keys.data());
  return keys;
}

}  // namespace

MadeBound made_bound(int64_t voxels, const Box& box, const ConvGeometry& geometry,
                     const HashOptions& hash) {
  if (geometry.kind == ConvKind::subm || voxels == 0) return {voxels, 0};
  const uint64_t cells = cell_count(made_grid(box, geometry).box);
  const int64_t most = most_made(voxels, geometry, cells);
  const int bits = key_width(cells, hash.key_bits);
  return {most, set_capacity(most, hash, bits) * (bits / 8)};
}

MadeCoords build_made_coords(const DeviceCoords& voxels, const ConvGeometry& geometry,
                             BuildContext context, const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  check_row_count("coords", voxels.size());
  MadeCoords made;
  const MadeGrid grid = made_grid(voxels.box, geometry);
  made.box = grid.box;
  made.origin = grid.origin;
  if (geometry.kind == ConvKind::subm) {
    made.rows = voxels.rows.data();
    made.n = voxels.size();
    return made;
  }
  if (voxels.size() == 0) return made;

  auto& [allocator, stream] = context;
  const uint64_t cells = cell_count(made.box);
  const int64_t most = most_made(voxels.size(), geometry, cells);
  const auto keys_of =
      key_width(cells, hash.key_bits) == 32 ? distinct_keys<uint32_t> : distinct_keys<uint64_t>;
  gpu::Buffer<uint64_t> keys = keys_of(voxels.view(), made, geometry, most, hash, context);

  made.n = keys.size();
  made.own = gpu::Buffer<Coord>(allocator, made.n, gpu::Tag::plan);
  made.rows = made.own.data();
  if (made.n == 0) return made;
  gpu::sort_keys(keys.data(), made.n, used_key_bits(cells), allocator, stream);
  gpu::launch_flat(decode_kernel, made.n, stream, keys.data(), made.n, DeviceBox(made.box),
                   made.own.data());
  return made;
}

}  // namespace spb::maps
