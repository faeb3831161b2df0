// Pair lists per offset: count, scan, stable scatter. No atomics, so the lists never vary.
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/maps.h"

namespace spb::maps {
namespace {

// Rows that one thread walks, per offset. The neighboring thread walks the next offset of the same
// rows, so reads stay contiguous; fewer rows mean more threads and a longer scan.
constexpr int64_t kChunkRows = 64;

struct Chunks {
  const int32_t* map;  // [n_out, kernel_volume]
  int64_t n_out, chunks;
  int32_t kernel_volume;

  /// Calls visit(row, neighbor) for the pairs of one offset in one chunk, rows ascending.
  template <class Visit>
  __device__ void pairs(int64_t chunk, int32_t o, Visit visit) const {
    const int64_t end = (chunk + 1) * kChunkRows < n_out ? (chunk + 1) * kChunkRows : n_out;
    for (int64_t row = chunk * kChunkRows; row < end; ++row) {
      const int32_t neighbor = map[row * kernel_volume + o];
      if (neighbor >= 0) visit(row, neighbor);
    }
  }
};

/// begin[o * chunks + chunk] = pairs of offset o in the chunk, plus one closing zero for the scan.
GPU_KERNEL void count_pairs_kernel(Chunks chunks, int64_t* begin) {
  const int64_t item = gpu::global_index();
  const int64_t items = chunks.chunks * chunks.kernel_volume;
  if (item == items) begin[item] = 0;
  if (item >= items) return;
  const auto o = static_cast<int32_t>(item % chunks.kernel_volume);
  const int64_t chunk = item / chunks.kernel_volume;
  int64_t count = 0;
  chunks.pairs(chunk, o, [&](int64_t, int32_t) { ++count; });
  begin[o * chunks.chunks + chunk] = count;
}

GPU_KERNEL void offset_begin_kernel(const int64_t* begin, int64_t chunks, int32_t kernel_volume,
                                    int64_t* offset_begin) {
  const int64_t o = gpu::global_index();
  if (o <= kernel_volume) offset_begin[o] = begin[o * chunks];
}

GPU_KERNEL void scatter_pairs_kernel(Chunks chunks, const int64_t* begin, int32_t* in_index,
                                     int32_t* out_index) {
  const int64_t item = gpu::global_index();
  if (item >= chunks.chunks * chunks.kernel_volume) return;
  const auto o = static_cast<int32_t>(item % chunks.kernel_volume);
  const int64_t chunk = item / chunks.kernel_volume;
  int64_t pair = begin[o * chunks.chunks + chunk];
  chunks.pairs(chunk, o, [&](int64_t row, int32_t neighbor) {
    in_index[pair] = neighbor;
    out_index[pair] = static_cast<int32_t>(row);
    ++pair;
  });
}

}  // namespace

KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context) {
  auto& [allocator, stream] = context;
  const Chunks chunks{forward.rows.data(), forward.n_out,
                      (forward.n_out + kChunkRows - 1) / kChunkRows, forward.kernel_volume};
  const int64_t items = chunks.chunks * chunks.kernel_volume;
  gpu::Buffer<int64_t> begin(allocator, items + 1, gpu::Tag::workspace);
  gpu::launch_flat(count_pairs_kernel, items + 1, stream, chunks, begin.data());
  gpu::exclusive_scan(begin.data(), begin.data(), items + 1, allocator, stream);

  KernelMap map;
  map.offset_begin = gpu::Buffer<int64_t>(allocator, chunks.kernel_volume + 1, gpu::Tag::plan);
  gpu::launch_flat(offset_begin_kernel, chunks.kernel_volume + 1, stream, begin.data(),
                   chunks.chunks, chunks.kernel_volume, map.offset_begin.data());
  map.offset_begin_host = map.offset_begin.download(stream);
  const int64_t n_pairs = map.offset_begin_host.back();
  map.in_index = gpu::Buffer<int32_t>(allocator, n_pairs, gpu::Tag::plan);
  map.out_index = gpu::Buffer<int32_t>(allocator, n_pairs, gpu::Tag::plan);
  gpu::launch_flat(scatter_pairs_kernel, items, stream, chunks, begin.data(), map.in_index.data(),
                   map.out_index.data());
  stream.synchronize();  // the starts are freed on return
  return map;
}

}  // namespace spb::maps
