// SPDX-License-Identifier: Apache-2.0
// The warps of wgrad by wgmma and halos that gather (kernel.cuh). CUDA only.
#pragma once

#include "kernels/wgrad/halo/wgmma/block.cuh"

namespace spb::plans {

/// What a thread of the warps that gather knows. It issues a tile's copies about as fast as a
/// multiprocessor multiplies: so what they depend on is loaded a tile before, and what does not
/// change stays in registers.
class HaloWgmmaGather {
  using Places = HaloWgmmaWgradPlaces;
  using Block = HaloWgmmaBlock;

 public:
  explicit __device__ HaloWgmmaGather(const Block& block)
      : block_(block),
        params_(block.params),
        lane_(static_cast<int>(threadIdx.x) % 32),
        warp_(__shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0)),
        pitch_in_(static_cast<uint32_t>(params_.in_pitch) * 2),
        pitch_gout_(static_cast<uint32_t>(params_.gout_pitch) * 2),
        has_in_(Places::copied_chunk(lane_) * 8 < params_.c_in),
        has_gout_(lane_ % Places::kChunks * 8 < params_.c_out),
        in_(static_cast<const char*>(params_.in) +
            (has_in_ ? Places::copied_chunk(lane_) * 16 : 0)),
        gout_(static_cast<const char*>(params_.gout) +
              (has_gout_ ? lane_ % Places::kChunks * 16 : 0)) {
    gpu::sm80::keep(in_);
    gpu::sm80::keep(gout_);
    gpu::sm80::keep(pitch_in_);
    gpu::sm80::keep(pitch_gout_);
    const auto& offsets = block.shared.offsets;
    for (int j = 0; j < Places::kOffsetsOfPart; ++j) part_offsets_ |= 1u << offsets[j];
    const int entry = static_cast<int>(threadIdx.x) / kEntryChunks;
    if (warp_ == kMaskWarp)
      offset_ = lane_ < Places::kOffsetsOfPart ? offsets[lane_] : Places::kNone;
    else
      offset_ = entry < Places::kOffsetsOfPart ? offsets[entry] : Places::kNone;
    load_header(block.slice);
    load_list();
  }

  __device__ void run() {
    for (int64_t tile = block_.slice; tile < params_.halos.count; tile += params_.blocks)
      gather_tile(tile);
  }

 private:
  static constexpr int kGroups = Block::kGroups, kGroupRows = Block::kGroupRows;
  static constexpr int kWarps = Block::kGatherThreads / 32;
  // Of a header, in words.
  static constexpr int kSlotsBegin = 0, kMoreBegin = 2, kLocalBegin = 4, kSlotCount = 6,
                       kOffsetEnd = 7, kMasks = 8, kHeaderWords = 16;
  static_assert(sizeof(maps::HaloTile) == kHeaderWords * 4);
  static constexpr int kTurns = 8, kGoutTurns = 4;  // of four rows each
  static constexpr int kRowsOfWarp = kGroupRows / kWarps;
  static_assert(kRowsOfWarp == 4 * kGoutTurns);
  static constexpr int kEntryChunks = HaloPlaces::kEntryBytes / 16, kMaskWarp = kWarps - 1;
  static_assert(Places::kOffsetsOfPart * kEntryChunks <= kMaskWarp * 32);
  static constexpr int kBatches = maps::kHaloSlots / Block::kGatherThreads;
  static_assert(kBatches * Block::kGatherThreads == maps::kHaloSlots);

  static __device__ uint32_t below(int offset) { return (1u << offset) - 1; }

  /// Its numbers are known since the tile before.
  __device__ void gather_tile(int64_t tile) {
    const uint32_t header = header_;
    const int32_t rows[2] = {rows_[0], rows_[1]};
    const auto word = [&](int i) { return __shfl_sync(~0u, header, i); };
    const auto* local = reinterpret_cast<const char*>(params_.halos.local) +
                        number(header, kLocalBegin) * HaloPlaces::kEntryBytes;
    auto slot_count = static_cast<int>(word(kSlotCount)),
         offset_end = static_cast<int>(word(kOffsetEnd));
    uint32_t masks[kGroups];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) masks[g] = word(kMasks + g);
    const uint32_t* more = params_.halos.more + number(header, kMoreBegin);
    load_header(tile + params_.blocks);

    uint32_t done = 0;
    while (true) {
      const bool is_last = offset_end >= params_.kernel_volume;
      const uint32_t offsets = below(offset_end) & ~done;
      gather_round(slot_count, local, masks, offsets, is_last);
      if (is_last) load_list();
#pragma unroll
      for (int g = 0; g < kGroups; ++g)
        gather_gout(masks[g] & offsets & part_offsets_, rows[g / 2], g % 2 * kGoutTurns);
      if (is_last) return;
      done = below(offset_end);
      slot_count = static_cast<int>(__ldg(more));
      offset_end = static_cast<int>(__ldg(more + 1));
      more += maps::kHaloRoundHeader;
      load_list(more, slot_count);
      more += slot_count;
    }
  }

  /// Of 64 bits.
  static __device__ int64_t number(uint32_t header, int word) {
    return static_cast<int64_t>(uint64_t{__shfl_sync(~0u, header, word + 1)} << 32 |
                                __shfl_sync(~0u, header, word));
  }

  /// A tile's header, a word for each of 16 lanes, and the numbers of the warp's rows, -1: none.
  /// Eight lanes copy a row of gout; of those of two groups they know one each, in whose turn
  /// they copy it.
  __device__ void load_header(int64_t tile) {
    const bool exists = tile < params_.halos.count;
    const auto* words = reinterpret_cast<const uint32_t*>(params_.halos.tiles + tile);
    header_ = exists ? __ldg(words + lane_ % kHeaderWords) : 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int64_t position = tile * maps::kHaloRows +
                               (2 * i + lane_ / kGoutTurns % 2) * kGroupRows + warp_ * kRowsOfWarp +
                               lane_ % kGoutTurns * 4 + lane_ / 8;
      rows_[i] = exists && position < params_.rows ? __ldg(params_.order + position) : -1;
    }
  }
  /// Of the first round of the tile whose header was loaded.
  __device__ void load_list() {
    load_list(params_.halos.slots + number(header_, kSlotsBegin),
              static_cast<int>(__shfl_sync(~0u, header_, kSlotCount)));
  }
  /// A warp has 32 slots of each batch, four to be copied at a time; a lane loads one of its row,
  /// the one copied in the turn that is the number of its chunk.
  __device__ void load_list(const uint32_t* list, int slot_count) {
#pragma unroll
    for (int k = 0; k < kBatches; ++k) {
      const int slot = k * Block::kGatherThreads + warp_ * 32 + Places::copied_chunk(lane_) * 4 +
                       Places::copied_row(lane_);
      entries_[k] = slot < slot_count ? __ldg(list + slot) : maps::HaloLists::kNoRow;
    }
  }

  __device__ void gather_round(int slot_count, const char* local, const uint32_t (&masks)[kGroups],
                               uint32_t offsets, bool is_last) {
    const uint32_t stage = block_.stage(halo_.stage);
    const uint32_t full = Block::at(block_.shared.full_halo[halo_.stage]);
    gpu::sm90::wait_barrier(Block::at(block_.shared.empty_halo[halo_.stage]), halo_.parity ^ 1);
    const int chunk = Places::copied_chunk(lane_);
    uint32_t to = stage + (warp_ * 32 + Places::copied_row(lane_)) * HaloPlaces::kRowBytes;
    gpu::sm80::keep(to);
#pragma unroll
    for (int k = 0; k < kBatches; ++k) {
      if (k * Block::kGatherThreads + warp_ * 32 >= slot_count) break;
      uint32_t entries[kTurns];  // known before the first is used: a shuffle takes its time
#pragma unroll
      for (int i = 0; i < kTurns; ++i)
        entries[i] = gpu::sm80::shuffle_within<Places::kRowBits>(entries_[k], Places::copying(i));
#pragma unroll
      for (int i = 0; i < kTurns; ++i)
        if (entries[i] != maps::HaloLists::kNoRow)
          gpu::sm80::copy_16_or_zero(
              Places::slot(to, k * Block::kGatherThreads + 4 * i, chunk, entries[i]),
              gpu::sm80::row_at(in_, entries[i] >> 2, pitch_in_), has_in_);
    }
    if (warp_ == kMaskWarp) {
      uint32_t own = is_last ? Block::kLastRound : 0;
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const uint32_t of_group = __ballot_sync(~0u, (masks[g] & offsets) >> offset_ & 1);
        own = lane_ == g ? of_group | (g == 0 ? own : 0) : own;
      }
      if (lane_ < kGroups) {
        block_.shared.masks[halo_.stage][lane_] = own;
        gpu::sm90::arrive(full);
      }
    } else {
      gather_locals(stage + Places::kLocal, local, masks, offsets);
    }
    gpu::sm90::arrive_after_copies(full);
    halo_.advance();
  }

  /// A thread copies a chunk of its offset's entry of each group.
  __device__ void gather_locals(uint32_t to, const char* local, const uint32_t (&masks)[kGroups],
                                uint32_t offsets) const {
    const auto thread = static_cast<int>(threadIdx.x);
    int begin = 0;
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const int entry = begin + __popc(masks[g] & below(offset_));
      if ((masks[g] & offsets) >> offset_ & 1)
        gpu::sm80::copy_16(to + g * Places::kOffsetsOfPart * HaloPlaces::kEntryBytes + thread * 16,
                           local + entry * HaloPlaces::kEntryBytes + thread % kEntryChunks * 16);
      begin += __popc(masks[g]);
    }
  }

  /// A group's rows of gout, of which the warp has 16; `first`: of eight lanes the one that knows
  /// the first.
  __device__ void gather_gout(uint32_t wanted, int32_t rows, int first) {
    gpu::sm90::wait_barrier(Block::at(block_.shared.empty_gout[gout_stage_.stage]),
                            gout_stage_.parity ^ 1);
    if (wanted != 0) {
      const uint32_t to = block_.gout_stage(gout_stage_.stage);
      int32_t numbers[kGoutTurns];
#pragma unroll
      for (int i = 0; i < kGoutTurns; ++i)
        numbers[i] = static_cast<int32_t>(gpu::sm80::shuffle_within<Places::kGoutRowBits>(
            static_cast<uint32_t>(rows), first + i));
#pragma unroll
      for (int i = 0; i < kGoutTurns; ++i)
        gpu::sm80::copy_16_or_zero(
            Places::gout(to, warp_ * kRowsOfWarp + 4 * i + lane_ / Places::kChunks,
                         lane_ % Places::kChunks),
            gpu::sm80::row_at(gout_, static_cast<uint32_t>(max(numbers[i], 0)), pitch_gout_),
            numbers[i] >= 0 && has_gout_);
    }
    gpu::sm90::arrive_after_copies(Block::at(block_.shared.full_gout[gout_stage_.stage]));
    gout_stage_.advance();
  }

  const Block& block_;
  const WgradParams& params_;
  int lane_, warp_;
  uint32_t pitch_in_, pitch_gout_;  // bytes
  bool has_in_, has_gout_;          // the lane's chunk is one of the channels
  const char *in_, *gout_;          // of the lane's chunk
  uint32_t part_offsets_ = 0;
  int offset_ = Places::kNone;  // whose local indices the thread copies or whose bit it gives
  RingState<Block::kStages> halo_;
  RingState<Block::kGoutStages> gout_stage_;
  uint32_t header_ = 0, entries_[kBatches];  // of the next tile
  int32_t rows_[2];
};

}  // namespace spb::plans
