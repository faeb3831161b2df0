#include <bit>

#include "algorithms/implicit/tile_order.h"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"

namespace spb::plans {
namespace {

GPU_KERNEL void lengths_kernel(const int64_t* begin, int64_t tiles, int kernel_volume,
                               uint32_t* missing, int32_t* tile) {
  const int64_t t = gpu::global_index();
  if (t >= tiles) return;
  missing[t] = static_cast<uint32_t>(kernel_volume - (begin[t + 1] - begin[t]));
  tile[t] = static_cast<int32_t>(t);
}

}  // namespace

gpu::Buffer<int32_t> longest_first(const maps::TileLists& lists, int kernel_volume,
                                   maps::BuildContext context) {
  auto& [allocator, stream] = context;
  gpu::Buffer<int32_t> order(allocator, lists.tiles, gpu::Tag::plan);
  gpu::Buffer<uint32_t> missing(allocator, lists.tiles, gpu::Tag::workspace);
  gpu::launch_flat(lengths_kernel, lists.tiles, stream, lists.valid_kernel_seg.data(), lists.tiles,
                   kernel_volume, missing.data(), order.data());
  gpu::sort_pairs(missing.data(), order.data(), lists.tiles,
                  std::bit_width(static_cast<unsigned>(kernel_volume)), allocator, stream);
  return order;
}

}  // namespace spb::plans
