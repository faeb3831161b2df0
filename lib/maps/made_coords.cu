// SPDX-License-Identifier: Apache-2.0
// Output voxels of a strided convolution: propose by its output rule, deduplicate in a hash set,
// sort.
#include <algorithm>
#include <limits>
#include <numeric>

#include "gpu/primitives.h"
#include "maps/maps.h"
#include "maps/table/build_error.h"
#include "maps/table/hash_table.cuh"
#include "maps/table/insert_status.h"
#include "maps/table/key_width.h"

namespace spb::maps {
namespace {

constexpr int64_t kChunkSlots = 32;  // of one thread that counts or collects keys

/// Fact 6 of algorithms.md, section 2: most outputs that one input reaches along an axis.
int64_t most_reached(const ConvGeometry& geometry, size_t axis) {
  const int64_t step =
      geometry.stride[axis] / std::gcd(geometry.stride[axis], geometry.dilation[axis]);
  return (geometry.kernel_size[axis] + step - 1) / step;
}

/// Upper bound of the distinct outputs, known without looking at a single coord.
int64_t most_outputs(int64_t n_in, const ConvGeometry& geometry, uint64_t out_cells) {
  uint64_t most = static_cast<uint64_t>(n_in);
  if (geometry.output_rule == OutputRule::floor)
    return static_cast<int64_t>(std::min(most, out_cells));
  for (size_t axis = 0; axis < 3; ++axis)
    if (__builtin_mul_overflow(most, static_cast<uint64_t>(most_reached(geometry, axis)), &most))
      most = out_cells;
  return static_cast<int64_t>(
      std::min({most, out_cells, uint64_t{std::numeric_limits<int64_t>::max()}}));
}

GPU_KERNEL void clear_status_kernel(InsertStatus* status) { *status = InsertStatus(); }

template <class Key>
struct Proposals {
  const Coord* in;
  int64_t n;
  DeviceBox in_box, out_box;
  DeviceGeometry geometry;
  KeySetRef<Key> set;
  InsertStatus* status;

  /// Whether the row exists and lies in its box; one that does not is told.
  __device__ bool may_propose(int64_t row) const {
    if (row >= n) return false;
    if (in_box.holds(in[row])) return true;
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

/// OutputRule::floor: one output per input, whether or not an offset joins them.
template <class Key>
GPU_KERNEL void propose_floors_kernel(Proposals<Key> to) {
  const int64_t row = gpu::global_index();
  if (!to.may_propose(row)) return;
  const Coord p = to.in[row];
  const Coord u{p.batch, p.x / to.geometry.x.stride, p.y / to.geometry.y.stride,
                p.z / to.geometry.z.stride};
  if (to.out_box.holds(u)) to.insert(row, to.out_box.template key<Key>(u));
}

template <class Key>
GPU_KERNEL void propose_reached_kernel(Proposals<Key> to) {
  const int64_t row = gpu::global_index();
  if (!to.may_propose(row)) return;
  const DeviceGeometry& geometry = to.geometry;
  const DeviceBox& out_box = to.out_box;
  const Coord p = to.in[row];
  for (int32_t ox = 0; ox < geometry.x.kernel_size; ++ox) {
    const int64_t x = geometry.x.output(p.x, ox, out_box.x);
    if (x < 0) continue;
    for (int32_t oy = 0; oy < geometry.y.kernel_size; ++oy) {
      const int64_t y = geometry.y.output(p.y, oy, out_box.y);
      if (y < 0) continue;
      for (int32_t oz = 0; oz < geometry.z.kernel_size; ++oz) {
        const int64_t z = geometry.z.output(p.z, oz, out_box.z);
        if (z < 0) continue;
        if (!to.insert(row, out_box.template key<Key>(p.batch, x, y, z))) return;
      }
    }
  }
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

/// The distinct candidate keys, unsorted. Waits for their number.
template <class Key>
gpu::Buffer<uint64_t> distinct_keys(const DeviceCoords& in, const DeviceBox& out_box,
                                    const ConvGeometry& geometry,
                                    const std::array<int64_t, 3>& origin, int64_t most,
                                    const HashOptions& hash, BuildContext context) {
  auto& [allocator, stream] = context;
  // Fewer slots than for rows: the bound is rarely reached by half, and nothing is looked up.
  HashOptions options = hash;
  options.load_factor = std::min(1., 4 * hash.load_factor);
  const int64_t capacity = table_capacity(most, options, 8 * int{sizeof(Key)});
  gpu::Buffer<Key> slots(allocator, capacity, gpu::Tag::plan);
  gpu::fill_bytes(slots.data(), 0xFF, slots.bytes(), stream);
  const KeySetRef<Key> set{slots.data(), static_cast<Key>(capacity - 1)};

  // The status stands behind the last count, so that one copy brings both.
  struct Report {
    int64_t n_out = 0;
    InsertStatus status;
  } report;
  const int64_t chunks = (capacity + kChunkSlots - 1) / kChunkSlots;
  constexpr int64_t kStatusWords = sizeof(InsertStatus) / sizeof(int64_t);
  gpu::Buffer<int64_t> begin(allocator, chunks + 1 + kStatusWords, gpu::Tag::workspace);
  auto* status = reinterpret_cast<InsertStatus*>(begin.data() + chunks + 1);
  gpu::launch_flat(clear_status_kernel, 1, stream, status);
  const auto propose = geometry.output_rule == OutputRule::floor ? propose_floors_kernel<Key>
                                                                 : propose_reached_kernel<Key>;
  gpu::launch_flat(propose, in.size(), stream,
                   Proposals<Key>{in.rows.data(), in.size(), DeviceBox(in.box), out_box,
                                  DeviceGeometry(geometry, origin), set, status});
  gpu::launch_flat(count_keys_kernel<Key>, chunks + 1, stream, set, chunks, begin.data());
  gpu::exclusive_scan(begin.data(), begin.data(), chunks + 1, allocator, stream);
  gpu::copy_to_host(&report, begin.data() + chunks, sizeof(report), stream);
  check(report.status, in, capacity, stream);
  check_row_count("output coords", report.n_out);
  gpu::Buffer<uint64_t> keys(allocator, report.n_out, gpu::Tag::workspace);
  gpu::launch_flat(collect_keys_kernel<Key>, chunks, stream, set, chunks, begin.data(),
                   keys.data());
  return keys;
}

}  // namespace

MadeCoords build_made_coords(const DeviceCoords& in, const ConvGeometry& geometry,
                             BuildContext context, const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  check_row_count("coords", in.size());
  MadeCoords out;
  const MadeGrid grid = made_grid(in.box, geometry);
  out.box = grid.box;
  out.origin = grid.origin;
  if (geometry.kind == ConvKind::subm) {
    out.rows = in.rows.data();
    out.n = in.size();
    return out;
  }
  if (in.size() == 0) return out;

  auto& [allocator, stream] = context;
  const uint64_t cells = cell_count(out.box);
  const DeviceBox out_box(out.box);
  const int64_t most = most_outputs(in.size(), geometry, cells);
  gpu::Buffer<uint64_t> keys =
      key_width(cells, hash.key_bits) == 32
          ? distinct_keys<uint32_t>(in, out_box, geometry, out.origin, most, hash, context)
          : distinct_keys<uint64_t>(in, out_box, geometry, out.origin, most, hash, context);

  out.n = keys.size();
  out.own = gpu::Buffer<Coord>(allocator, out.n, gpu::Tag::plan);
  out.rows = out.own.data();
  if (out.n == 0) return out;
  gpu::sort_keys(keys.data(), out.n, used_key_bits(cells), allocator, stream);
  gpu::launch_flat(decode_kernel, out.n, stream, keys.data(), out.n, out_box, out.own.data());
  return out;
}

}  // namespace spb::maps
