// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/offset_groups.h"

#include <algorithm>
#include <cmath>

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "gpu/warp.cuh"
#include "maps/orders/gray.h"
#include "maps/pairs/chunk.h"
#include "maps/pairs/lane_sum.cuh"
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

constexpr int kSortBlock = 256, kSortEntries = kGroupChunk / kSortBlock;
constexpr int kMostClasses = 1 << kMostSlots;

/// The sum of the counts of the threads before.
__device__ int32_t sum_before(int32_t count) {
  __shared__ int32_t of_warps[kSortBlock / gpu::warp_size()];
  const int32_t upto = sum_lanes(count);
  if (gpu::lane() == gpu::warp_size() - 1) of_warps[gpu::warp_index()] = upto;
  gpu::sync_threads();
  int32_t before = upto - count;
  for (int warp = 0; warp < gpu::warp_index(); ++warp) before += of_warps[warp];
  return before;
}

/// A block sorts a chunk of a group's rows by the place of their slots in the Gray sequence, rows
/// of the same slots as they were. Blocks side by side have the same part of all groups, which
/// share rows of the map.
GPU_KERNEL void __launch_bounds__(kSortBlock)
    sort_entries_kernel(const int32_t* map, const int32_t* rows, const int64_t* begin,
                        int64_t entries, int groups, int slots, int kernel_volume,
                        int32_t* out_index, int32_t* in_index, uint8_t* step_slots) {
  gpu::wait_for_earlier_kernels();
  constexpr int kParts = kGroupChunk / gpu::warp_size();  // that a warp counts at once
  __shared__ uint16_t counts[kMostClasses * kParts];      // [classes, parts]
  __shared__ uint16_t class_begin[kMostClasses + 1];
  const int thread = static_cast<int>(threadIdx.x), classes = 1 << slots;
  const int64_t chunk = blockIdx.x / groups, group = blockIdx.x % groups;
  const int64_t first = begin[group] + chunk * kGroupChunk;
  if (first >= begin[group + 1]) return;
  const auto count = static_cast<int32_t>(
      begin[group + 1] - first < kGroupChunk ? begin[group + 1] - first : kGroupChunk);

  int32_t row[kSortEntries], in[kSortEntries][kMostSlots];
  GPU_UNROLL
  for (int i = 0; i < kSortEntries; ++i) {
    const int32_t entry = i * kSortBlock + thread;
    row[i] = entry < count ? rows[first + entry] : -1;
  }
  uint32_t place[kSortEntries];  // in the sequence; above it, of the lanes before in the same place
  GPU_UNROLL
  for (int i = 0; i < kSortEntries; ++i) {
    const int32_t* from = map + int64_t{row[i]} * kernel_volume + group * slots;
    uint32_t has = 0;
    GPU_UNROLL
    for (int s = 0; s < kMostSlots; ++s) {
      const bool exists = s < slots && group * slots + s < kernel_volume && row[i] >= 0;
      in[i][s] = exists ? from[s] : -1;
      has |= static_cast<uint32_t>(in[i][s] >= 0) << s;
    }
    place[i] = row[i] >= 0 ? gray_position(has) : kMostClasses;
  }
  GPU_UNROLL
  for (int i = 0; i < kSortEntries; ++i) {
    const int part = i * (kSortBlock / gpu::warp_size()) + gpu::warp_index();
    const uint32_t mine = place[i];
    for (int c = 0; c < classes; ++c) {
      const uint64_t same = gpu::ballot(mine == static_cast<uint32_t>(c));
      if (gpu::lane() == 0) counts[c * kParts + part] = static_cast<uint16_t>(gpu::popcount(same));
      if (mine == static_cast<uint32_t>(c))
        place[i] |= static_cast<uint32_t>(gpu::popcount(same & ((uint64_t{1} << gpu::lane()) - 1)))
                    << 8;
    }
  }
  gpu::sync_threads();
  // Place by place the counts of all parts: a thread scans some that follow one another.
  const int scanned = (classes * kParts + kSortBlock - 1) / kSortBlock;
  const int scan_from = thread * scanned;
  const int scan_to =
      scan_from + scanned < classes * kParts ? scan_from + scanned : classes * kParts;
  int32_t own = 0;
  for (int c = scan_from; c < scan_to; ++c) own += counts[c];
  int32_t before = sum_before(own);
  for (int c = scan_from; c < scan_to; ++c) {
    const int32_t here = counts[c];
    counts[c] = static_cast<uint16_t>(before);
    before += here;
  }
  gpu::sync_threads();
  if (thread < classes) class_begin[thread] = counts[thread * kParts];
  if (thread == 0) class_begin[classes] = static_cast<uint16_t>(count);
  gpu::sync_threads();

  if (thread < kGroupChunk / kGroupStep) {
    const int32_t from = thread * kGroupStep, to = from + kGroupStep;
    uint32_t any = 0;
    for (int c = 0; c < classes; ++c)
      if (class_begin[c] < to && class_begin[c + 1] > from && class_begin[c] < class_begin[c + 1])
        any |= static_cast<uint32_t>(c ^ c >> 1);
    // An odd step's neighbor has a byte, too.
    if (from / (2 * kGroupStep) * (2 * kGroupStep) < count)
      step_slots[group_step(begin[group], group) + chunk * (kGroupChunk / kGroupStep) + thread] =
          static_cast<uint8_t>(any);
  }
  GPU_UNROLL
  for (int i = 0; i < kSortEntries; ++i) {
    if (row[i] < 0) continue;
    const int part = i * (kSortBlock / gpu::warp_size()) + gpu::warp_index();
    const int64_t to = first + counts[(place[i] & 0xFF) * kParts + part] + (place[i] >> 8);
    out_index[to] = row[i];
    GPU_UNROLL
    for (int s = 0; s < kMostSlots; ++s)
      if (s < slots) in_index[s * entries + to] = in[i][s];
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

OffsetGroups build_offset_groups(const NeighborMap& map, int slots,
                                 std::span<const int64_t> offset_begin, BuildContext context) {
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
  result.begin = std::move(lists.offset_begin);
  result.begin_host = std::move(lists.offset_begin_host);
  for (int first = 0; first < kv; first += slots)
    result.pairs.push_back(offset_begin[std::min(first + slots, kv)] - offset_begin[first]);
  const int64_t entries = lists.n_pairs();
  result.out_index = gpu::Buffer<int32_t>(allocator, entries, gpu::Tag::plan);
  result.in_index = gpu::Buffer<int32_t>(allocator, slots * entries, gpu::Tag::plan);
  result.step_slots =
      gpu::Buffer<uint8_t>(allocator, group_step(entries, groups) + 2, gpu::Tag::plan);
  int64_t most = 0;
  for (int g = 0; g < groups; ++g)
    most = std::max(most, result.begin_host[g + 1] - result.begin_host[g]);
  if (most > 0)
    gpu::launch_few_early(sort_entries_kernel,
                          dim3(gpu::grid_of(tiles_of(most, kGroupChunk) * groups)),
                          dim3(kSortBlock), 0, stream, map.rows.data(), lists.fine_index.data(),
                          result.begin.data(), entries, groups, slots, kv, result.out_index.data(),
                          result.in_index.data(), result.step_slots.data());
  return result;
}

}  // namespace spb::maps
