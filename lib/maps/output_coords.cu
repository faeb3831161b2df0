// Output voxels of a strided convolution: propose, deduplicate in a hash set, sort.
#include <algorithm>

#include "gpu/primitives.h"
#include "maps/build_error.h"
#include "maps/device_value.h"
#include "maps/hash_table.cuh"
#include "maps/key_width.h"
#include "maps/maps.h"

namespace spb::maps {
namespace {

struct CandidateStatus {
  uint32_t out_of_range_row = InsertStatus::kNone;  ///< the smallest
  uint64_t candidates = 0;                          ///< (input, offset) with an output voxel
};

__device__ inline int64_t reached(const DeviceAxis& axis, int64_t p, int32_t output_extent) {
  int64_t count = 0;
  for (int32_t o = 0; o < axis.kernel_size; ++o) count += axis.output(p, o, output_extent) >= 0;
  return count;
}

GPU_KERNEL void count_candidates_kernel(const Coord* in, int64_t n, DeviceBox in_box,
                                        DeviceBox out_box, DeviceGeometry geometry,
                                        CandidateStatus* status) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  const Coord p = in[row];
  if (!in_box.holds(p)) {
    gpu::atomic_min(&status->out_of_range_row, static_cast<uint32_t>(row));
    return;
  }
  // The axes are independent, so the offsets that reach an output are a product of three counts.
  const int64_t candidates = reached(geometry.x, p.x, out_box.x) *
                             reached(geometry.y, p.y, out_box.y) *
                             reached(geometry.z, p.z, out_box.z);
  gpu::atomic_add(&status->candidates, static_cast<uint64_t>(candidates));
}

template <class Key>
GPU_KERNEL void insert_candidates_kernel(const Coord* in, int64_t n, DeviceBox out_box,
                                         DeviceGeometry geometry, HashTableRef<Key> table,
                                         InsertStatus* status) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  const Coord p = in[row];
  uint64_t inserted = 0;
  for (int32_t ox = 0; ox < geometry.x.kernel_size; ++ox) {
    const int64_t x = geometry.x.output(p.x, ox, out_box.x);
    if (x < 0) continue;
    for (int32_t oy = 0; oy < geometry.y.kernel_size; ++oy) {
      const int64_t y = geometry.y.output(p.y, oy, out_box.y);
      if (y < 0) continue;
      for (int32_t oz = 0; oz < geometry.z.kernel_size; ++oz) {
        const int64_t z = geometry.z.output(p.z, oz, out_box.z);
        if (z < 0) continue;
        const auto claim = table.claim(out_box.key<Key>(p.batch, x, y, z));
        if (claim.slot < 0) {
          gpu::atomic_or(&status->table_full, 1u);
          return;
        }
        inserted += claim.fresh;
      }
    }
  }
  if (inserted > 0) gpu::atomic_add(&status->inserted, inserted);
}

/// Keys in the order in which threads arrive; the sort that follows makes them repeatable.
template <class Key>
GPU_KERNEL void compact_kernel(HashTableRef<Key> table, uint64_t* keys, uint64_t* count) {
  const int64_t slot = gpu::global_index();
  if (slot >= table.capacity) return;
  const Key key = table.keys[slot];
  if (key != HashTableRef<Key>::kEmpty) keys[gpu::atomic_add(count, uint64_t{1})] = key;
}

GPU_KERNEL void decode_kernel(const uint64_t* keys, int64_t n, DeviceBox box, Coord* coords) {
  const int64_t row = gpu::global_index();
  if (row < n) coords[row] = box.coord(keys[row]);
}

/// The distinct candidate keys, unsorted.
template <class Key>
gpu::Buffer<uint64_t> distinct_keys(const DeviceCoords& in, const DeviceBox& out_box,
                                    const DeviceGeometry& geometry, int64_t most,
                                    const HashOptions& hash, BuildContext context) {
  auto& [allocator, stream] = context;
  using Table = HashTable<Key>;
  Table table(Table::Holds::keys, most, hash, allocator, stream);
  DeviceValue<InsertStatus> device_status({}, allocator, stream);
  gpu::launch_flat(insert_candidates_kernel<Key>, in.size(), stream, in.rows.data(), in.size(),
                   out_box, geometry, table.ref(), device_status.data());
  const InsertStatus status = device_status.read(stream);
  if (status.table_full) throw table_full_error(table.capacity());
  const auto n_out = static_cast<int64_t>(status.inserted);
  check_row_count("output coords", n_out);

  gpu::Buffer<uint64_t> keys(allocator, n_out, gpu::Tag::workspace);
  DeviceValue<uint64_t> count(0, allocator, stream);
  gpu::launch_flat(compact_kernel<Key>, table.capacity(), stream, table.ref(), keys.data(),
                   count.data());
  stream.synchronize();  // the table is freed on return
  return keys;
}

/// Upper bound of the distinct candidates. Counting them costs one cheap pass and never exceeds
/// n_in times fact 6 of algorithms.md, section 2, so that bound need not be formed.
int64_t most_outputs(const DeviceCoords& in, const DeviceBox& out_box,
                     const DeviceGeometry& geometry, uint64_t out_cells, BuildContext context) {
  auto& [allocator, stream] = context;
  DeviceValue<CandidateStatus> device_status({}, allocator, stream);
  gpu::launch_flat(count_candidates_kernel, in.size(), stream, in.rows.data(), in.size(),
                   DeviceBox(in.box), out_box, geometry, device_status.data());
  const CandidateStatus status = device_status.read(stream);
  if (const uint32_t row = status.out_of_range_row; row != InsertStatus::kNone) {
    Coord coord;
    gpu::copy_to_host(&coord, in.rows.data() + row, sizeof(Coord), stream);
    throw out_of_range_error(row, coord, in.box);
  }
  return static_cast<int64_t>(std::min(status.candidates, out_cells));
}

}  // namespace

OutputCoords build_output_coords(const DeviceCoords& in, const ConvGeometry& geometry,
                                 BuildContext context, const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  check_row_count("coords", in.size());
  OutputCoords out;
  out.box = output_box(in.box, geometry);
  if (geometry.kind == ConvKind::subm) {
    out.rows = in.rows.data();
    out.n = in.size();
    return out;
  }
  if (in.size() == 0) return out;

  auto& [allocator, stream] = context;
  const uint64_t cells = cell_count(out.box);
  const DeviceBox out_box(out.box);
  const DeviceGeometry device_geometry(geometry);
  const int64_t most = most_outputs(in, out_box, device_geometry, cells, context);
  gpu::Buffer<uint64_t> keys =
      key_width(cells, hash.key_bits) == 32
          ? distinct_keys<uint32_t>(in, out_box, device_geometry, most, hash, context)
          : distinct_keys<uint64_t>(in, out_box, device_geometry, most, hash, context);

  out.n = keys.size();
  out.own = gpu::Buffer<Coord>(allocator, out.n, gpu::Tag::plan);
  out.rows = out.own.data();
  if (out.n == 0) return out;
  gpu::sort_keys(keys.data(), out.n, used_key_bits(cells), allocator, stream);
  gpu::launch_flat(decode_kernel, out.n, stream, keys.data(), out.n, out_box, out.own.data());
  stream.synchronize();  // the keys are freed on return
  return out;
}

}  // namespace spb::maps
