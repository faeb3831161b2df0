// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/pieces.h"

#include "gpu/launch.cuh"
#include "gpu/qualifiers.h"

namespace spb::plans {
namespace {

constexpr int kPiecesBlock = 256;

struct alignas(16) RunWord {
  uint32_t of[4];
};
constexpr int kRunWords = sizeof(WgradPieceRun) / sizeof(RunWord);
static_assert(sizeof(WgradPieceRun) % sizeof(RunWord) == 0);

/// Brings runs [first, first + kRunsTogether) to shared memory, empty ones behind the last: all
/// loads of a block before the first store, as the bus takes a microsecond to answer.
__device__ void bring(const WgradPieceLists& lists, int32_t first, WgradPieceRun* shared) {
  constexpr int kWords = kRunsTogether * kRunWords,
                kEach = (kWords + kPiecesBlock - 1) / kPiecesBlock;
  const auto* from = reinterpret_cast<const RunWord*>(lists.runs + first);
  auto* to = reinterpret_cast<RunWord*>(shared);
  const int32_t words = (lists.run_count - first) * kRunWords;
  RunWord own[kEach] = {};
  GPU_UNROLL_AMD
  for (int k = 0; k < kEach; ++k) {
    const int at = k * kPiecesBlock + static_cast<int>(threadIdx.x);
    if (at < words && at < kWords) {
      // By member: of whole words AMD's compiler keeps the array in memory.
      const RunWord& word = from[at];
      own[k] = {{word.of[0], word.of[1], word.of[2], word.of[3]}};
    }
  }
  gpu::sync_threads();  // all have read what was there
  GPU_UNROLL_AMD
  for (int k = 0; k < kEach; ++k) {
    const int at = k * kPiecesBlock + static_cast<int>(threadIdx.x);
    if (at < kWords) to[at] = own[k];
  }
  gpu::sync_threads();
}

/// The run that a piece is of: the last that begins at or before it.
__device__ int32_t run_of(const WgradPieceRun* runs, int32_t count, int64_t piece) {
  int32_t low = 0, high = count;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    if (runs[middle].blocks.first_piece <= piece)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Where the block's piece of run `own` stands, as far as these runs tell; its first, if own is 0.
/// Without a branch, some at a time, so that their loads do not wait for one another.
__device__ int32_t place_of(const WgradPieceRun* runs, int32_t count, int32_t block, int32_t own) {
  constexpr int32_t kAtATime = 8;
  static_assert(kRunsTogether % kAtATime == 0);
  int32_t place = 0;
  for (int32_t first = 0; first < count; first += kAtATime)
    for (int32_t k = 0; k < kAtATime; ++k) {
      const WgradRunBlocks of = runs[first + k].blocks;
      const int32_t before = block - (of.last - of.count + 1);  // of its blocks, before this one
      const int32_t most = before < of.count ? before : of.count;
      place += most < 0 ? 0 : most;
      place +=
          static_cast<int32_t>(static_cast<uint32_t>(before) < static_cast<uint32_t>(of.count)) &
          static_cast<int32_t>(first + k < own);
    }
  return place;
}

/// Item = piece, in the order of runs; behind them a block's first piece; behind those a sum.
GPU_KERNEL void write_pieces_kernel(WgradPieceLists lists) {
  gpu::wait_for_earlier_kernels();
  auto* shared = gpu::dynamic_shared<WgradPieceRun>();  // [kRunsTogether]
  const int64_t item = gpu::global_index(), boundary = item - lists.piece_count;
  const int64_t sum = boundary - lists.blocks - 1;
  const bool is_sum = sum >= 0 && sum < lists.sum_count;
  WgradSum copied;
  if (is_sum) copied = lists.sums[sum];
  bring(lists, 0, shared);
  if (is_sum) lists.sums_copy[sum] = copied;
  const bool is_piece = boundary < 0;
  const WgradPieceRun* runs = lists.run_count <= kRunsTogether ? shared : lists.runs;
  int32_t own = 0, block = static_cast<int32_t>(boundary);
  WgradPiece piece;
  if (is_piece) {
    own = run_of(runs, lists.run_count, item);
    const WgradPieceRun run = runs[own];
    const int32_t i = static_cast<int32_t>(item) - run.blocks.first_piece;
    block = run.blocks.last - i;
    piece = piece_of(run, i, lists.tile_k);
  }
  int32_t place = 0;
  for (int32_t first = 0; first < lists.run_count; first += kRunsTogether) {
    if (first > 0) bring(lists, first, shared);
    const int32_t left = lists.run_count - first;
    place += place_of(shared, left < kRunsTogether ? left : kRunsTogether, block, own - first);
  }
  if (is_piece)
    lists.pieces[place] = piece;
  else if (boundary <= lists.blocks)
    lists.block_pieces[boundary] = place;
}

}  // namespace

void write_pieces(const WgradPieceLists& lists, const gpu::Stream& stream) {
  const int64_t items = int64_t{lists.piece_count} + lists.blocks + 1 + lists.sum_count;
  gpu::launch_few_early(write_pieces_kernel,
                        dim3(gpu::grid_of((items + kPiecesBlock - 1) / kPiecesBlock)),
                        dim3(kPiecesBlock), kRunsTogether * sizeof(WgradPieceRun), stream, lists);
}

}  // namespace spb::plans
