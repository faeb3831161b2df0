// The dense table of neighbors: insert the inputs, look every (output, offset) up.
//
// Submanifold maps are symmetric, and half of the lookups would do. But then a row's entries are
// written by many threads to scattered places, must be cleared before and read again for the
// masks. Here a row is looked up by one thread and all of it leaves in one piece, masks included,
// which moves less.
#include <algorithm>

#include "maps/build_error.h"
#include "maps/hash_table.cuh"
#include "maps/key_width.h"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

struct alignas(16) TwoWords {
  uint64_t first, second;
};

/// Item = two words of the table. The status is cleared with it.
GPU_KERNEL void clear_kernel(TwoWords* table, int64_t items, InsertStatus* status) {
  const int64_t item = gpu::global_index();
  if (item == 0) *status = InsertStatus();
  if (item < items) table[item] = {~uint64_t{0}, ~uint64_t{0}};
}

template <class Key>
GPU_KERNEL void insert_rows_kernel(const Coord* in, int64_t n, DeviceBox box,
                                   RowTableRef<Key> table, InsertStatus* status) {
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  const Coord p = in[row];
  const auto value = static_cast<uint32_t>(row);
  if (!box.holds(p)) {
    gpu::atomic_min(&status->out_of_range_row, value);
    return;
  }
  const Inserted inserted = insert(table, box.key<Key>(p), value);
  if (inserted == Inserted::repeated) gpu::atomic_min(&status->repeated_row, value);
  if (inserted == Inserted::full) gpu::atomic_min(&status->full_row, value);
}

/// A thread looks up one output row, a block stages its rows and writes them as one piece.
template <class Key>
GPU_KERNEL void __launch_bounds__(256)
    look_up_kernel(const Coord* out, int64_t n, DeviceBox box, DeviceGeometry geometry,
                   RowTableRef<Key> table, int32_t* map, uint32_t* masks, int32_t words_per_row) {
  constexpr int kTogether = 3;  // lookups of a thread under way at once
  int32_t* staged = gpu::dynamic_shared<int32_t>();
  const int32_t volume = geometry.kernel_volume;
  const int64_t first = int64_t{blockIdx.x} * blockDim.x;
  const int64_t row = first + threadIdx.x;
  if (row < n) {
    const Coord u = out[row];
    int32_t* neighbors = staged + static_cast<int32_t>(threadIdx.x) * volume;
    uint32_t* words = masks + row * words_per_row;
    uint32_t mask = 0;
    int32_t o = 0;
    for (int32_t ox = 0; ox < geometry.x.kernel_size; ++ox) {
      const int64_t x = geometry.x.input(u.x, ox);
      for (int32_t oy = 0; oy < geometry.y.kernel_size; ++oy) {
        const int64_t y = geometry.y.input(u.y, oy);
        const bool inside = box.holds_column(u.batch, x, y);
        const Key column = box.key<Key>(u.batch, x, y, 0);
        for (int32_t begin = 0; begin < geometry.z.kernel_size; begin += kTogether) {
          Key keys[kTogether];
          int32_t rows[kTogether];
          uint32_t asked = 0;
          for (int i = 0; i < kTogether; ++i) {
            const int64_t z = geometry.z.input(u.z, begin + i);
            keys[i] = column + static_cast<Key>(z);
            const bool ask = inside && begin + i < geometry.z.kernel_size && box.holds_z(z);
            asked |= static_cast<uint32_t>(ask) << i;
          }
          find(table, keys, asked, rows);
          for (int i = 0; i < kTogether && begin + i < geometry.z.kernel_size; ++i) {
            neighbors[o] = rows[i];
            mask |= static_cast<uint32_t>(rows[i] >= 0) << o % 32;
            if (++o % 32 == 0) {
              *words++ = mask;
              mask = 0;
            }
          }
        }
      }
    }
    if (o % 32 != 0) *words = mask;
  }
  gpu::sync_threads();
  const int64_t rows = n - first < blockDim.x ? n - first : blockDim.x;
  const auto entries = static_cast<int32_t>(rows) * volume;
  int32_t* to = map + first * volume;
  for (auto i = static_cast<int32_t>(threadIdx.x); i < entries;
       i += static_cast<int32_t>(blockDim.x))
    to[i] = staged[i];
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
void enqueue(const DeviceCoords& in, const OutputCoords& out, const ConvGeometry& geometry,
             BuildContext context, PendingMap& pending) {
  auto& [allocator, stream] = context;
  const int64_t pairs = (RowTableRef<Key>::words(pending.capacity) + 1) / 2;
  gpu::Buffer<uint64_t> memory(allocator, 2 * pairs, gpu::Tag::plan);
  const RowTableRef<Key> table(memory.data(), pending.capacity);
  const DeviceBox box(in.box);
  gpu::launch_flat(clear_kernel, pairs, stream, reinterpret_cast<TwoWords*>(memory.data()), pairs,
                   pending.status.data());
  gpu::launch_flat(insert_rows_kernel<Key>, in.size(), stream, in.rows.data(), in.size(), box,
                   table, pending.status.data());
  const int volume = pending.map.kernel_volume;
  const unsigned block = staged_rows(volume, 256);
  const auto grid = static_cast<unsigned>((out.n + block - 1) / block);
  gpu::launch(look_up_kernel<Key>, dim3(grid), dim3(block), staged_bytes(block, volume), stream,
              out.rows, out.n, box, DeviceGeometry(geometry), table, pending.map.rows.data(),
              pending.masks.words.data(), pending.masks.words_per_row);
}

}  // namespace

NeighborMap empty_map(int64_t n_out, int kernel_volume, BuildContext context) {
  NeighborMap map;
  map.n_out = n_out;
  map.kernel_volume = kernel_volume;
  map.rows = gpu::Buffer<int32_t>(context.allocator, n_out * kernel_volume, gpu::Tag::plan);
  return map;
}

PendingMap start_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                              const ConvGeometry& geometry, BuildContext context,
                              const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  check_row_count("coords", in.size());
  check_row_count("output coords", out.n);
  const int width = key_width(cell_count(in.box), hash.key_bits);
  PendingMap pending;
  pending.capacity = table_capacity(in.size(), hash, width);
  pending.status = gpu::Buffer<InsertStatus>(context.allocator, 1, gpu::Tag::workspace);
  pending.map = empty_map(out.n, geometry.kernel_volume(), context);
  // Every row of a submanifold map is its own neighbor at the center.
  if (geometry.kind == ConvKind::subm) pending.map.common_offset = pending.map.kernel_volume / 2;
  pending.masks = empty_masks(pending.map, context);
  if (width == 32)
    enqueue<uint32_t>(in, out, geometry, context, pending);
  else
    enqueue<uint64_t>(in, out, geometry, context, pending);
  return pending;
}

NeighborMap build_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                               const ConvGeometry& geometry, BuildContext context,
                               const HashOptions& hash) {
  PendingMap pending = start_neighbor_map(in, out, geometry, context, hash);
  check(pending.status.download(context.stream)[0], in, pending.capacity, context.stream);
  return std::move(pending.map);
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
