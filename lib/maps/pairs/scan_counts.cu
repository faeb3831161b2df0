// SPDX-License-Identifier: Apache-2.0
// An exclusive scan in one pass: a tile of counts learns from those before it where it begins
// (D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). Own
// code, because what the host wants to know then leaves with the sums: a library's scan is two
// kernels, and a third would follow to report.
#include "maps/pairs/scan_counts.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/atomic.cuh"
#include "gpu/launch.cuh"
#include "maps/pairs/chunk.h"
#include "maps/pairs/lane_sum.cuh"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {
namespace {

constexpr int kThreads = 256;
constexpr int kItems = 8;  // of a thread
constexpr int64_t kTile = kThreads * kItems;

// A tile's state is a sum below what says of which tiles: 0 = not known yet.
constexpr int kStateShift = 62;
constexpr uint64_t kOfTile = 1, kOfAllBefore = 2;
constexpr uint64_t kSum = (uint64_t{1} << kStateShift) - 1;

int64_t tiles_of_counts(const CountLayout& layout) {
  return std::max<int64_t>(1, tiles_of(layout.size, kTile));
}

/// Words as the device writes them, in 64 bits.
enum ReportWord : int32_t {
  kStatus = 0,
  kMembers = sizeof(InsertStatus) / sizeof(int64_t),
  kLengths,  // first and last of each product but pairs: lists, then halos
  kOffsetBegin = kLengths + 4 * kMostLists
};

int64_t report_words(const CountLayout& layout) { return kOffsetBegin + layout.kernel_volume + 1; }

struct Reporter {
  CountLayout layout;
  const InsertStatus* status;
  int64_t* offset_begin;  // [kernel_volume + 1]
  const uint64_t* members;
  int64_t* report;

  /// What does not hang on the counts. Read when the kernel begins, written when it ends.
  struct Alone {
    InsertStatus status;
    uint64_t members = 0;
  };
  __device__ Alone alone() const { return {*status, members ? *members : 0}; }
  __device__ void write(const Alone& alone) const {
    *reinterpret_cast<InsertStatus*>(report + kStatus) = alone.status;
    report[kMembers] = static_cast<int64_t>(alone.members);
    if (layout.pairs.begin >= 0 && layout.chunks == 0)
      for (int32_t o = 0; o <= layout.kernel_volume; ++o) write_offset(o, 0);
  }
  /// What a thread of the block reports of sums [first, first + kTile). A report is written over a
  /// bus: no thread waits for more than one read between two of its words.
  __device__ void sums(const int64_t* sums, int64_t first, int32_t thread) const {
    const int64_t end = first + kTile < layout.size ? first + kTile : layout.size;
    if (layout.pairs.begin >= 0 && layout.chunks > 0)
      for (int64_t o = (first + layout.chunks - 1) / layout.chunks + thread;
           o <= layout.kernel_volume && o * layout.chunks < end; o += kThreads)
        write_offset(o, sums[o * layout.chunks - first]);
    unrolled<kMostLists>([&](auto i) {
      if (thread == i.value) length(layout.lists[i.value], i.value, sums, first, end);
      if (thread == kMostLists + i.value)
        length(layout.halos[i.value], kMostLists + i.value, sums, first, end);
    });
  }

 private:
  __device__ void length(const Counts& product, int i, const int64_t* sums, int64_t first,
                         int64_t end) const {
    int64_t* ends = report + kLengths + 2 * i;
    if (product.begin >= first && product.begin < end) ends[0] = sums[product.begin - first];
    if (product.end > first && product.end <= end) ends[1] = sums[product.end - 1 - first];
  }
  __device__ void write_offset(int64_t o, int64_t sum) const {
    offset_begin[o] = sum;
    report[kOffsetBegin + o] = sum;
  }
};

/// Sum of the values of the warps before, and of all; every lane has its warp's value. `sums` has
/// room for one of each, and is free for others after the next barrier.
struct BlockSum {
  int64_t before = 0, all = 0;

  __device__ BlockSum(int64_t of_warp, int64_t* sums) {
    if (gpu::lane() == 0) sums[gpu::warp_index()] = of_warp;
    gpu::sync_threads();
    for (int warp = 0; warp < kThreads / gpu::warp_size(); ++warp) {
      if (warp < gpu::warp_index()) before += sums[warp];
      all += sums[warp];
    }
  }
};

/// Sum of the tiles before, of which each thread reads one at a time. `nearest` is the block's.
__device__ int64_t sum_before(const volatile uint64_t* states, int64_t tile, int64_t* sums,
                              int32_t* nearest) {
  const auto thread = static_cast<int32_t>(threadIdx.x);
  int64_t sum = 0;
  for (int64_t last = tile - 1; last >= 0; last -= kThreads) {
    gpu::sync_threads();  // what is in `sums` has been read
    if (thread == 0) *nearest = kThreads;
    uint64_t state = kOfAllBefore << kStateShift;
    if (last >= thread) do {
        state = states[last - thread];
      } while (state == 0);
    gpu::sync_threads();
    if (state >> kStateShift == kOfAllBefore) gpu::atomic_min(nearest, thread);
    gpu::sync_threads();
    const auto value = static_cast<int64_t>(thread <= *nearest ? state & kSum : 0);
    sum += BlockSum(gpu::reduce_warp(value, [](int64_t a, int64_t b) { return a + b; }), sums).all;
    if (*nearest < kThreads) break;
  }
  return sum;
}

GPU_KERNEL void __launch_bounds__(kThreads)
    scan_kernel(int64_t* counts, uint64_t* states, uint64_t* next, Reporter reporter) {
  gpu::wait_for_earlier_kernels();
  __shared__ int64_t warp_sums[kThreads / 32];
  __shared__ int64_t tile_sums[kTile];
  __shared__ uint64_t taken;
  __shared__ int32_t nearest;
  const auto thread = static_cast<int32_t>(threadIdx.x);
  // Tiles are numbered as they begin: whom one waits for has begun before.
  if (thread == 0) taken = gridDim.x > 1 ? gpu::atomic_add(next, uint64_t{1}) : 0;
  gpu::sync_threads();
  const auto tile = static_cast<int64_t>(taken);
  const int64_t tile_first = tile * kTile, size = reporter.layout.size;
  Reporter::Alone alone;
  if (tile == 0 && thread == 0) alone = reporter.alone();
  // A warp's items follow one another, its lanes in turn.
  const int64_t first = tile_first + gpu::warp_index() * kItems * gpu::warp_size() + gpu::lane();
  int64_t sums[kItems], sum = 0;  // of the warp
  unrolled<kItems>([&](auto i) {
    const int64_t at = first + i.value * gpu::warp_size();
    sums[i.value] = at < size ? counts[at] : 0;
  });
  unrolled<kItems>([&](auto i) {
    const int64_t count = sums[i.value], up_to = sum_lanes(count);
    sums[i.value] = sum + up_to - count;
    sum += gpu::shuffle(up_to, gpu::warp_size() - 1);
  });
  const BlockSum of_tile(sum, warp_sums);
  volatile uint64_t* state = states + tile;
  if (thread == 0)
    *state =
        (tile > 0 ? kOfTile : kOfAllBefore) << kStateShift | static_cast<uint64_t>(of_tile.all);
  const int64_t begin = sum_before(states, tile, warp_sums, &nearest);
  if (thread == 0)
    *state = kOfAllBefore << kStateShift | static_cast<uint64_t>(begin + of_tile.all);
  unrolled<kItems>([&](auto i) {
    const int64_t at = first + i.value * gpu::warp_size();
    sums[i.value] += begin + of_tile.before;
    tile_sums[at - tile_first] = sums[i.value];
    if (at < size) counts[at] = sums[i.value];
  });
  gpu::sync_threads();
  if (tile == 0 && thread == 0) reporter.write(alone);
  reporter.sums(tile_sums, tile_first, thread);
}

}  // namespace

int64_t scan_zeros(const CountLayout& layout) { return 2 * (tiles_of_counts(layout) + 1); }

int64_t report_bytes(const CountLayout& layout) {
  return report_words(layout) * int64_t{sizeof(int64_t)};
}

void start_scan(const CountLayout& layout, int64_t* counts, const InsertStatus* status,
                int64_t* offset_begin, const uint64_t* members, uint32_t* zeros, void* landing,
                const gpu::Stream& stream) {
  auto* states = reinterpret_cast<uint64_t*>(zeros);
  const int64_t tiles = tiles_of_counts(layout);
  gpu::launch_few_early(
      scan_kernel, dim3(gpu::grid_of(tiles)), dim3(kThreads), 0, stream, counts, states,
      states + tiles,
      Reporter{layout, status, offset_begin, members, static_cast<int64_t*>(landing)});
}

CountReport read_report(const CountLayout& layout, const void* landing) {
  const auto* landed = static_cast<const int64_t*>(landing);
  CountReport report;
  report.status = std::bit_cast<InsertStatus>(std::array{landed[kStatus], landed[kStatus + 1]});
  const auto length = [&](const Counts& product, int i) {
    const int64_t* ends = landed + kLengths + 2 * i;
    return product.wanted() ? ends[1] - ends[0] : 0;
  };
  report.members = landed[kMembers];
  for (int i = 0; i < kMostLists; ++i) {
    report.lists[i] = length(layout.lists[i], i);
    report.halos[i] = length(layout.halos[i], kMostLists + i);
  }
  if (layout.pairs.wanted())
    report.offset_begin.assign(landed + kOffsetBegin, landed + report_words(layout));
  return report;
}

}  // namespace spb::maps
