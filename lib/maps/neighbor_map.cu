// The dense table of neighbors: insert the inputs, look every (output, offset) up.
#include "maps/build_error.h"
#include "maps/device_value.h"
#include "maps/hash_table.cuh"
#include "maps/key_width.h"
#include "maps/maps.h"

namespace spb::maps {
namespace {

template <class Key>
GPU_KERNEL void insert_rows_kernel(const Coord* in, int64_t n, DeviceBox box,
                                   HashTableRef<Key> table, InsertStatus* status) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  const Coord p = in[row];
  const auto value = static_cast<uint32_t>(row);
  if (!box.holds(p)) {
    gpu::atomic_min(&status->out_of_range_row, value);
    return;
  }
  const auto claim = table.claim(box.key<Key>(p));
  if (claim.slot < 0) {
    gpu::atomic_or(&status->table_full, 1u);
    return;
  }
  gpu::atomic_min(&table.values[claim.slot], value);
  if (!claim.fresh) gpu::atomic_add(&status->repeats, uint64_t{1});
}

/// The smallest row that an earlier row already holds.
template <class Key>
GPU_KERNEL void first_repeat_kernel(const Coord* in, int64_t n, DeviceBox box,
                                    HashTableRef<Key> table, uint32_t* first) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  if (table.find(box.key<Key>(in[row])) != row) gpu::atomic_min(first, static_cast<uint32_t>(row));
}

/// Item = (output u, offset o).
template <class Key>
GPU_KERNEL void look_up_kernel(const Coord* out, int64_t items, DeviceBox in_box,
                               DeviceGeometry geometry, HashTableRef<Key> table, int32_t* map) {
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  const auto o = static_cast<int32_t>(item % geometry.kernel_volume);
  const Coord u = out[item / geometry.kernel_volume];
  const int64_t x = geometry.x.input(u.x, geometry.component_x(o));
  const int64_t y = geometry.y.input(u.y, geometry.component_y(o));
  const int64_t z = geometry.z.input(u.z, geometry.component_z(o));
  map[item] = in_box.holds(u.batch, x, y, z) ? table.find(in_box.key<Key>(u.batch, x, y, z)) : -1;
}

/// Item = (row i, offset o <= center). A hit j at (i, o) also is the pair (j, mirrored o) = i, so
/// half of the lookups do; every entry has one writer, the rest stays -1.
template <class Key>
GPU_KERNEL void look_up_half_kernel(const Coord* rows, int64_t items, DeviceBox box,
                                    DeviceGeometry geometry, HashTableRef<Key> table,
                                    int32_t* map) {
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  const int32_t volume = geometry.kernel_volume, center = volume / 2;
  const auto o = static_cast<int32_t>(item % (center + 1));
  const int64_t i = item / (center + 1);
  if (o == center) {
    map[i * volume + center] = static_cast<int32_t>(i);
    return;
  }
  const Coord u = rows[i];
  const int64_t x = geometry.x.input(u.x, geometry.component_x(o));
  const int64_t y = geometry.y.input(u.y, geometry.component_y(o));
  const int64_t z = geometry.z.input(u.z, geometry.component_z(o));
  if (!box.holds(u.batch, x, y, z)) return;
  const int32_t j = table.find(box.key<Key>(u.batch, x, y, z));
  if (j < 0) return;
  map[i * volume + o] = j;
  map[int64_t{j} * volume + (volume - 1 - o)] = static_cast<int32_t>(i);
}

/// Item = (output u, offset o) of the forward map. By fact 1 of algorithms.md, section 2, every
/// entry of the reverse map has at most one writer.
GPU_KERNEL void reverse_kernel(const int32_t* forward, int64_t items, int32_t kernel_volume,
                               int32_t* reverse) {
  const int64_t item = gpu::global_index();
  if (item >= items || forward[item] < 0) return;
  reverse[int64_t{forward[item]} * kernel_volume + item % kernel_volume] =
      static_cast<int32_t>(item / kernel_volume);
}

template <class Key>
Error repeated_coords(const DeviceCoords& in, HashTableRef<Key> table, uint64_t repeats,
                      BuildContext context) {
  auto& [allocator, stream] = context;
  DeviceValue<uint32_t> first(InsertStatus::kNone, allocator, stream);
  gpu::launch_flat(first_repeat_kernel<Key>, in.size(), stream, in.rows.data(), in.size(),
                   DeviceBox(in.box), table, first.data());
  const std::vector<Coord> rows = in.rows.download(stream);
  return repeated_coords_error(static_cast<int64_t>(repeats), first.read(stream), rows);
}

/// Inserts and validates the input rows.
template <class Key>
HashTable<Key> build_table(const DeviceCoords& in, const HashOptions& hash, BuildContext context) {
  auto& [allocator, stream] = context;
  using Table = HashTable<Key>;
  Table table(Table::Holds::rows, in.size(), hash, allocator, stream);
  DeviceValue<InsertStatus> device_status({}, allocator, stream);
  gpu::launch_flat(insert_rows_kernel<Key>, in.size(), stream, in.rows.data(), in.size(),
                   DeviceBox(in.box), table.ref(), device_status.data());
  const InsertStatus status = device_status.read(stream);
  if (const uint32_t row = status.out_of_range_row; row != InsertStatus::kNone) {
    Coord coord;
    gpu::copy_to_host(&coord, in.rows.data() + row, sizeof(Coord), stream);
    throw out_of_range_error(row, coord, in.box);
  }
  if (status.table_full) throw table_full_error(table.capacity());
  if (status.repeats > 0) throw repeated_coords(in, table.ref(), status.repeats, context);
  return table;
}

template <class Key>
void fill_map(const DeviceCoords& in, const OutputCoords& out, const ConvGeometry& geometry,
              const HashOptions& hash, BuildContext context, NeighborMap& map) {
  const gpu::Stream& stream = context.stream;
  HashTable<Key> table = build_table<Key>(in, hash, context);
  const DeviceGeometry device_geometry(geometry);
  // Valid only while both sides are the same unique rows; build_table proved them unique.
  const bool mirrored = geometry.kind == ConvKind::subm && out.rows == in.rows.data();
  if (mirrored) {
    const int64_t items = map.n_out * (map.kernel_volume / 2 + 1);
    gpu::fill_bytes(map.rows.data(), 0xFF, map.rows.bytes(), stream);
    gpu::launch_flat(look_up_half_kernel<Key>, items, stream, out.rows, items, DeviceBox(in.box),
                     device_geometry, table.ref(), map.rows.data());
  } else {
    const int64_t items = map.n_out * map.kernel_volume;
    gpu::launch_flat(look_up_kernel<Key>, items, stream, out.rows, items, DeviceBox(in.box),
                     device_geometry, table.ref(), map.rows.data());
  }
  stream.synchronize();  // the table is freed on return
}

NeighborMap empty_map(int64_t n_out, int kernel_volume, BuildContext context) {
  NeighborMap map;
  map.n_out = n_out;
  map.kernel_volume = kernel_volume;
  map.rows = gpu::Buffer<int32_t>(context.allocator, n_out * kernel_volume, gpu::Tag::plan);
  return map;
}

}  // namespace

NeighborMap build_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                               const ConvGeometry& geometry, BuildContext context,
                               const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  check_row_count("coords", in.size());
  check_row_count("output coords", out.n);
  NeighborMap map = empty_map(out.n, geometry.kernel_volume(), context);
  if (in.size() == 0 && out.n == 0) return map;
  const int width = key_width(cell_count(in.box), hash.key_bits);
  if (width == 32)
    fill_map<uint32_t>(in, out, geometry, hash, context, map);
  else
    fill_map<uint64_t>(in, out, geometry, hash, context, map);
  return map;
}

NeighborMap reverse_neighbor_map(const NeighborMap& forward, int64_t n_in, BuildContext context) {
  check_row_count("coords", n_in);
  NeighborMap reverse = empty_map(n_in, forward.kernel_volume, context);
  if (n_in == 0) return reverse;
  const gpu::Stream& stream = context.stream;
  gpu::fill_bytes(reverse.rows.data(), 0xFF, reverse.rows.bytes(), stream);
  gpu::launch_flat(reverse_kernel, forward.rows.size(), stream, forward.rows.data(),
                   forward.rows.size(), forward.kernel_volume, reverse.rows.data());
  return reverse;
}

}  // namespace spb::maps
