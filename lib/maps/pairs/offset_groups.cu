// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/offset_groups.h"

#include <algorithm>
#include <cmath>

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "gpu/warp.cuh"
#include "maps/pairs/chunk.h"
#include "maps/pairs/row_jumps.h"

namespace spb::maps {
namespace {

/// rows[position, group] = row where it has any offset of the group, else -1.
GPU_KERNEL void members_kernel(const int32_t* map, RowJumps jumps, int groups, int slots,
                               int kernel_volume, int32_t* rows) {
  gpu::wait_for_earlier_kernels();
  const int64_t entry = gpu::global_index();
  if (entry >= jumps.rows * groups) return;
  const int64_t row = jumps.row(entry / groups);
  const int first = static_cast<int>(entry % groups) * slots;
  int32_t member = -1;
  for (int o = first; o < first + slots && o < kernel_volume; ++o)
    if (map[row * kernel_volume + o] >= 0) member = static_cast<int32_t>(row);
  rows[entry] = member;
}

GPU_KERNEL void inputs_kernel(const int32_t* map, const int32_t* out_index, const int64_t* begin,
                              int64_t entries, int groups, int slots, int kernel_volume,
                              int32_t* in_index) {
  gpu::wait_for_earlier_kernels();
  const int64_t entry = gpu::global_index();
  if (entry >= entries) return;
  int group = 0;
  while (group + 1 < groups && entry >= begin[group + 1]) ++group;
  const int32_t* from = map + int64_t{out_index[entry]} * kernel_volume;
  for (int s = 0; s < slots; ++s) {
    const int o = group * slots + s;
    in_index[s * entries + entry] = o < kernel_volume ? from[o] : -1;
  }
}

constexpr int kMembersBlock = 256;

/// Few blocks go through all rows, and each adds once, because all atomics meet in one word.
/// `firsts`: of masks of one word, the bits of the groups' first offsets; else 0.
GPU_KERNEL void __launch_bounds__(kMembersBlock)
    count_members_kernel(const uint32_t* masks, int64_t n, int32_t words_per_row,
                         int32_t kernel_volume, int32_t slots, uint32_t firsts, uint64_t* members) {
  gpu::wait_for_earlier_kernels();
  const int64_t threads = int64_t{gridDim.x} * blockDim.x;
  uint64_t count = 0;
  for (int64_t row = gpu::global_index(); row < n; row += threads) {
    const uint32_t* mask = masks + row * words_per_row;
    if (firsts != 0) {
      uint32_t any = mask[0];
      for (int32_t slot = 1; slot < slots; ++slot) any |= mask[0] >> slot;
      count += static_cast<uint64_t>(gpu::popcount(any & firsts));
      continue;
    }
    for (int32_t first = 0; first < kernel_volume; first += slots) {
      uint32_t any = 0;
      for (int32_t o = first; o < first + slots && o < kernel_volume; ++o)
        any |= mask[o / 32] >> o % 32;
      count += any & 1;
    }
  }
  __shared__ uint64_t of_warps[kMembersBlock / gpu::warp_size()];
  count = gpu::reduce_warp(count, [](uint64_t a, uint64_t b) { return a + b; });
  if (gpu::lane() == 0) of_warps[gpu::warp_index()] = count;
  gpu::sync_threads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kMembersBlock / gpu::warp_size(); ++warp) count += of_warps[warp];
  gpu::atomic_add(members, count);
}

}  // namespace

void count_members(const RowMasks& masks, int slots, uint64_t* members, BuildContext context) {
  constexpr int kMostBlocks = gpu::kFewBlocks;  // so that they begin early
  const auto grid = static_cast<unsigned>(
      std::clamp<int64_t>((masks.n_rows + kMembersBlock - 1) / kMembersBlock, 1, kMostBlocks));
  uint32_t firsts = 0;
  if (masks.words_per_row == 1)
    for (int o = 0; o < masks.kernel_volume; o += slots) firsts |= uint32_t{1} << o;
  gpu::launch_few_early(count_members_kernel, dim3(grid), dim3(kMembersBlock), 0, context.stream,
                        masks.words.data(), masks.n_rows, masks.words_per_row, masks.kernel_volume,
                        slots, firsts, members);
}

bool are_sparse(int64_t entries, int slots, int kernel_volume, int64_t rows) {
  const double share = 1 - std::pow(2. / 3, slots);
  const int lists = (kernel_volume + slots - 1) / slots;
  return static_cast<double>(entries) < share * lists * static_cast<double>(rows);
}

OffsetGroups build_offset_groups(const NeighborMap& map, int slots, BuildContext context) {
  auto& [allocator, stream] = context;
  const int kv = map.kernel_volume, groups = static_cast<int>(tiles_of(kv, slots));
  // A map from positions whose offsets are the groups and whose neighbors are the rows: its pair
  // lists have the rows of each group.
  NeighborMap members;
  members.n_rows = map.n_rows;
  members.kernel_volume = groups;
  members.rows = gpu::Buffer<int32_t>(allocator, map.n_rows * groups, gpu::Tag::workspace);
  gpu::launch_flat_few_early(members_kernel, map.n_rows * groups, stream, map.rows.data(),
                             RowJumps(map.n_rows), groups, slots, kv, members.rows.data());
  KernelMap lists = build_kernel_map(members, context);

  OffsetGroups result;
  result.slots = slots;
  result.kernel_volume = kv;
  result.out_index = std::move(lists.fine_index);
  result.begin = std::move(lists.offset_begin);
  result.begin_host = std::move(lists.offset_begin_host);
  const int64_t entries = result.entries();
  result.in_index = gpu::Buffer<int32_t>(allocator, slots * entries, gpu::Tag::plan);
  gpu::launch_flat_few_early(inputs_kernel, entries, stream, map.rows.data(),
                             result.out_index.data(), result.begin.data(), entries, groups, slots,
                             kv, result.in_index.data());
  return result;
}

}  // namespace spb::maps
