// The tile of fprop and dgrad for sm_90a: persistent blocks whose warpgroups have different work.
//
// A producer warpgroup gathers rows of A into a ring of stages, the copy engine brings the weights,
// two consumer warpgroups multiply. The ring runs on over offsets and over tiles, so that the next
// tile's loads overlap the epilogue. Follows the warp-specialized scheme of CUTLASS and
// FlashAttention-3 (Shah et al., 2024), with a gather in the place of the copy engine's boxes.
#pragma once

#include "algorithms/implicit/row_pass.h"
#include "algorithms/implicit/row_wgmma.h"
#include "algorithms/implicit/wgmma_ring.cuh"
#include "gpu/element.cuh"

namespace spb::plans {

/// One block's share of the work, in order: the hand that it was dealt, else one item of every
/// gridDim.x. The next one is on its way while the present one is worked on. With Turning, odd
/// rounds go through the blocks backwards: where items are sorted by length, no block then gets the
/// longest of every round (-5 % at R128, -1 % at R256 and R512; +3 % with 64 columns and where
/// segments follow each other).
template <bool Turning>
class Items {
 public:
  __device__ explicit Items(const RowPass& pass) : pass_(pass) {
    ahead_ = pass.hand_begin ? pass.hand_begin[blockIdx.x] : blockIdx.x;
    end_ = pass.hand_begin ? pass.hand_begin[blockIdx.x + 1] : pass.item_count;
    fetch();
    next();
  }
  __device__ bool valid() const { return valid_; }
  __device__ void next() {
    item_ = fetched_;
    valid_ = ahead_ < end_;
    uint32_t step = pass_.hand_begin ? 1 : gridDim.x;
    if (Turning && pass_.segment_count == 0) {
      step = 2 * (backwards_ ? blockIdx.x : gridDim.x - 1 - blockIdx.x) + 1;
      backwards_ = !backwards_;
    }
    ahead_ += step;
    fetch();
  }
  __device__ const RowItem& operator*() const { return item_; }
  __device__ const RowItem* operator->() const { return &item_; }

 private:
  __device__ void fetch() {
    if (ahead_ >= end_) return;
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(pass_.items) + ahead_);
    fetched_ = {words.x, words.y, words.z, words.w};
  }
  const RowPass& pass_;
  uint32_t ahead_, end_;
  RowItem item_{}, fetched_{};
  bool valid_ = false, backwards_ = false;
};

/// The lists that an item's entry counts in.
__device__ inline const RowLists& lists_of(const RowPass& pass, const RowItem& item) {
  return pass.segment_count > 0 ? pass.segments[item.slice()] : pass;
}

/// E: gpu::F16, gpu::BF16 or, not Transposed, gpu::TF32, whose multiplies take weights in order of
/// depth alone and drop the bits that they ignore: weights come prepared (row_weights.h), rows are
/// rounded on their way through the consumers' registers.
template <class E, bool Transposed, int TileN, int Stages>
struct WgmmaRows {
  static constexpr bool kTf32 = E::dtype == Dtype::tf32;
  static constexpr int kElementBytes = sizeof(typename E::Storage), kRowBytes = 128;
  static constexpr int kTileM = 128, kTileK = kRowBytes / kElementBytes;
  static constexpr int kConsumers = 2, kGroup = 128;
  static constexpr int kBytesA = kTileM * kRowBytes, kBytesB = TileN * kRowBytes;
  static_assert(!(kTf32 && Transposed));
  // 13 warps may have 152 registers each, too few for the sums of 256 columns.
  static constexpr bool kWeightWarp = TileN < 256;
  static constexpr int kThreads = kGroup * (1 + kConsumers) + (kWeightWarp ? 32 : 0);
  using Ring = WgmmaRing<Stages, kBytesA + kBytesB, kTf32 ? 1 : 128>;
  using OwnItems = Items<(TileN > 64)>;
  static constexpr int kRowsPerThread = kTileM / (kGroup / 8);  // eight threads copy a row

  static __device__ void copy_weights(const Ring& ring, int stage, const CUtensorMap* weights,
                                      int k, int offset, int column0) {
    const uint32_t barrier = ring.full(stage), to = ring.stage(stage) + kBytesA;
    gpu::sm90::arrive_expecting(barrier, kBytesB);
    if constexpr (Transposed) {
      constexpr int kBlock = 64;
#pragma unroll
      for (int block = 0; block < TileN / kBlock; ++block)
        gpu::sm90::copy_box(to + block * kBlock * kRowBytes, weights, barrier,
                            column0 + block * kBlock, offset, k);
    } else {
      gpu::sm90::copy_box(to, weights, barrier, k, offset, column0);
    }
  }

  static __device__ int weight_offset(const RowPass& pass, const int32_t* listed, uint32_t entry) {
    const int offset = listed[entry];
    return pass.mirrored ? pass.kernel_volume - 1 - offset : offset;
  }

  /// Eight consecutive rows of one 16-byte chunk a thread.
  struct RowIndices {
    int row[kRowsPerThread];
    /// `index`: the thread's first row of entry 0.
    __device__ void load(const int32_t* index, uint32_t entry) {
      const auto* from = reinterpret_cast<const int4*>(index) + uint64_t{entry} * (kTileM / 4);
#pragma unroll
      for (int i = 0; i < kRowsPerThread / 4; ++i) {
        const int4 four = __ldg(from + i);
        row[4 * i] = four.x;
        row[4 * i + 1] = four.y;
        row[4 * i + 2] = four.z;
        row[4 * i + 3] = four.w;
      }
    }
  };

  static __device__ void produce(const RowPass& pass, const CUtensorMap* weights,
                                 const Ring& ring) {
    const int thread = static_cast<int>(threadIdx.x);
    const int chunk = thread % 8, first_row = thread / 8 * kRowsPerThread;
    const char* source = static_cast<const char*>(pass.source) + chunk * 16;
    const int64_t pitch = int64_t{pass.depth} * kElementBytes;
    const int depth_steps = (pass.depth + kTileK - 1) / kTileK;
    typename Ring::Position at;
    RowIndices indices, ahead;
    OwnItems items(pass);
    const auto load_first = [&] {
      if (items.valid() && items->steps() > 0)
        ahead.load(lists_of(pass, *items).tile_index + first_row, items->entry);
    };
    load_first();
    while (items.valid()) {
      uint32_t entry = items->entry;
      int left = items->steps(), depth_step = items->first_depth_step();
      const int column0 = items->column_tile() * TileN;
      const int32_t* index = lists_of(pass, *items).tile_index + first_row;
      const int32_t* listed = kWeightWarp ? nullptr : lists_of(pass, *items).listed;
      items.next();
      if (left == 0) load_first();
      while (left > 0) {
        indices = ahead;
        if (left > depth_steps - depth_step)
          ahead.load(index, entry + 1);
        else
          load_first();
        const int offset = kWeightWarp ? 0 : weight_offset(pass, listed, entry);
        for (; depth_step < depth_steps && left > 0; ++depth_step, --left) {
          const int k = depth_step * kTileK;
          ring.wait_empty(at);
          if (!kWeightWarp && thread == 0)
            copy_weights(ring, at.stage, weights, k, offset, column0);
          const bool inside = k + chunk * (16 / kElementBytes) < pass.depth;
          const uint32_t to = ring.stage(at.stage) + first_row * kRowBytes;
#pragma unroll
          for (int i = 0; i < kRowsPerThread; ++i) {
            const int row = indices.row[i];
            const bool present = row >= 0 && inside;
            gpu::sm80::copy_16_or_zero(to + i * kRowBytes + ((chunk ^ (i & 7)) << 4),
                                       source + (present ? row * pitch + k * kElementBytes : 0),
                                       present);
          }
          ring.filled_by_copies(at);
          at.advance();
        }
        depth_step = 0;
        ++entry;
      }
    }
  }

  /// The weight warp: one thread of it.
  static __device__ void produce_weights(const RowPass& pass, const CUtensorMap* weights,
                                         const Ring& ring) {
    const int depth_steps = (pass.depth + kTileK - 1) / kTileK;
    typename Ring::Position at;
    for (OwnItems items(pass); items.valid(); items.next()) {
      uint32_t entry = items->entry;
      int left = items->steps(), depth_step = items->first_depth_step();
      const int column0 = items->column_tile() * TileN;
      const int32_t* listed = lists_of(pass, *items).listed;
      int ahead = left > 0 ? weight_offset(pass, listed, entry) : 0;
      while (left > 0) {
        const int offset = ahead;
        if (left > depth_steps - depth_step) ahead = weight_offset(pass, listed, entry + 1);
        for (; depth_step < depth_steps && left > 0; ++depth_step, --left) {
          ring.wait_empty(at);
          copy_weights(ring, at.stage, weights, depth_step * kTileK, offset, column0);
          at.advance();
        }
        depth_step = 0;
        ++entry;
      }
    }
  }

  /// Adds the next `steps` stages.
  static __device__ void sum(float (&sums)[TileN / 2], const Ring& ring,
                             typename Ring::Position& at, int steps, int consumer) {
    constexpr int kConsumerBytesA = kBytesA / kConsumers;
    if constexpr (kTf32) {
      const int lane = static_cast<int>(threadIdx.x) % 32;
      const int row = static_cast<int>(threadIdx.x) % kGroup / 32 * 16 + lane % 16;
      const uint32_t own = consumer * kConsumerBytesA + row * kRowBytes;
      sum_stages_of_registers(
          sums, ring, at, steps,
          [&](uint32_t stage, int k, uint32_t(&words)[4]) {
            gpu::sm80::load_matrices(words, stage + own + ((2 * k + lane / 16) ^ (row & 7)) * 16);
            gpu::sm80::AtomTF32::convert(words);
          },
          [&](uint32_t stage, int k, const uint32_t(&words)[4]) {
            gpu::sm90::MultiplyTf32<TileN>::step(
                sums, words, gpu::sm90::matrix_descriptor(stage + kBytesA + k * 32));
          });
    } else {
      sum_stages(sums, ring, at, steps, [&](uint32_t stage) {
        const uint32_t a = stage + consumer * kConsumerBytesA, b = stage + kBytesA;
#pragma unroll
        for (int k = 0; k < kTileK / 16; ++k)
          gpu::sm90::Multiply<E::dtype == Dtype::bf16, TileN, 0, Transposed>::step(
              sums, gpu::sm90::matrix_descriptor(a + k * 32),
              Transposed ? gpu::sm90::matrix_descriptor(b + k * 16 * kRowBytes, 64 * kRowBytes)
                         : gpu::sm90::matrix_descriptor(b + k * 32));
      });
    }
  }

  static __device__ void consume(const RowPass& pass, const Ring& ring, int consumer) {
    const int thread = static_cast<int>(threadIdx.x) % kGroup;
    typename Ring::Position at;
    for (OwnItems items(pass); items.valid(); items.next()) {
      float sums[TileN / 2];
      sum(sums, ring, at, items->steps(), consumer);
      const int column0 = items->column_tile() * TileN;
      const bool adds = adds_up(pass, *items), is_out = is_complete(pass, *items);
      if (pass.bias && is_out) add_bias(pass, column0, sums);
      if (adds) wait_for_turn(pass, *items);
      const int64_t position =
          int64_t{items->tile} * kTileM + consumer * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int64_t place = position + half * 8;
        const bool inside = place < pass.rows;
        const int32_t* order = lists_of(pass, *items).order;
        const int64_t row = !inside ? 0 : order ? order[place] : place;
        if (!is_out) {
          if (adds && items->steps() == 0) continue;  // nothing to add
          if (adds)
            add_floats(partial(pass, *items, row), pass.columns, inside, column0, half, sums);
          else
            write_floats(partial(pass, *items, row), pass.columns, inside, column0, half, sums);
          continue;
        }
        if (adds)
          read_floats(partial(pass, *items, row), pass.columns, inside, column0, half, sums);
        if constexpr (kTf32)
          write_floats(static_cast<float*>(pass.out) + row * pass.columns, pass.columns, inside,
                       column0, half, sums);
        else
          write_row(pass, row, inside, column0, half, sums);
      }
      if (takes_turns(pass) && !is_out) end_turn(pass, *items);
    }
  }

  /// Narrow tiles, two blocks of which share a multiprocessor, have no registers left for it.
  static constexpr bool kTakesTurns = TileN >= kLeastColumnsOfTurns;
  static __device__ bool takes_turns(const RowPass& pass) { return kTakesTurns && pass.turns; }
  /// To what earlier segments left.
  static __device__ bool adds_up(const RowPass& pass, const RowItem& item) {
    return takes_turns(pass) && item.slice() > 0;
  }
  /// Whether the item's sums are the result, once it has added up.
  static __device__ bool is_complete(const RowPass& pass, const RowItem& item) {
    return takes_turns(pass) ? item.slice() + 1 == pass.segment_count : !pass.slices;
  }
  /// The row's incomplete sums: of the item's slice, or of the segments so far.
  static __device__ float* partial(const RowPass& pass, const RowItem& item, int64_t row) {
    const int64_t slice = takes_turns(pass) ? 0 : item.slice();
    return pass.slices + (slice * pass.rows + row) * pass.columns;
  }

  /// Segments add up in their order, tile columns apart: the arrivals of a segment's warps are
  /// counted, and the next segment's writers wait for all. All blocks run at the same time and
  /// take the items in order, so that those waited for are under way or done.
  static __device__ uint32_t* turn_of(const RowPass& pass, int segment, int column_tile) {
    const int column_tiles = (pass.columns + TileN - 1) / TileN;
    return pass.turns + segment * column_tiles + column_tile;
  }
  static __device__ void wait_for_turn(const RowPass& pass, const RowItem& item) {
    constexpr int kWarps = kConsumers * kGroup / 32;
    const auto all = static_cast<uint32_t>((pass.rows + kTileM - 1) / kTileM * kWarps);
    if (threadIdx.x % 32 == 0) {
      const uint32_t* turn = turn_of(pass, item.slice() - 1, item.column_tile());
      while (gpu::sm90::load_acquire(turn) < all) {
      }
    }
    __syncwarp();
  }
  static __device__ void end_turn(const RowPass& pass, const RowItem& item) {
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      gpu::sm90::add_release(turn_of(pass, item.slice(), item.column_tile()), 1);
  }

  static __device__ void add_bias(const RowPass& pass, int column0, float (&sums)[TileN / 2]) {
    const int first = column0 + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int i = 0; i < TileN / 8; ++i) {
      if (first + i * 8 >= pass.columns) continue;
      const float2 bias = __ldg(reinterpret_cast<const float2*>(pass.bias + first + i * 8));
      sums[4 * i] += bias.x;
      sums[4 * i + 1] += bias.y;
      sums[4 * i + 2] += bias.x;
      sums[4 * i + 3] += bias.y;
    }
  }

  static __device__ uint32_t packed(float low, float high) {
    uint32_t both;
    if constexpr (E::dtype == Dtype::bf16)
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    else
      asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
  }

  /// Four lanes hold a row's columns in pairs; they trade until each stores 16 bytes.
  static __device__ void write_row(const RowPass& pass, int64_t row, bool inside, int column0,
                                   int half, const float (&sums)[TileN / 2]) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const bool odd = lane & 1, high = lane & 2;
    auto* out = static_cast<uint16_t*>(pass.out) + row * pass.columns;
#pragma unroll
    for (int group = 0; group < TileN / 32; ++group) {
      uint32_t own[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = (group * 4 + j) * 4 + half * 2;
        own[j] = packed(sums[at], sums[at + 1]);
      }
      const uint32_t from0 = __shfl_xor_sync(~0u, odd ? own[0] : own[1], 1);
      const uint32_t from1 = __shfl_xor_sync(~0u, odd ? own[2] : own[3], 1);
      const uint32_t a0 = odd ? from0 : own[0], a1 = odd ? own[1] : from0;
      const uint32_t a2 = odd ? from1 : own[2], a3 = odd ? own[3] : from1;
      const uint32_t b0 = __shfl_xor_sync(~0u, high ? a0 : a2, 2);
      const uint32_t b1 = __shfl_xor_sync(~0u, high ? a1 : a3, 2);
      const uint4 words = high ? make_uint4(b0, b1, a2, a3) : make_uint4(a0, a1, b0, b1);
      const int at = column0 + group * 32 + lane * 8;
      if (inside && at < pass.columns) *reinterpret_cast<uint4*>(out + at) = words;
    }
  }

  // Sums as they are: neighboring lanes trade pairs, so that each has four columns of its row.
  /// Calls each(first column, four sums) for the thread's columns inside of the matrix.
  template <class Each>
  static __device__ void each_four(int columns, int column0, int half,
                                   const float (&sums)[TileN / 2], Each each) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const bool odd = lane & 1;
#pragma unroll
    for (int i = 0; i < TileN / 8; i += 2) {
      const float *low = sums + i * 4 + half * 2, *high = low + 4;
      const float x = __shfl_xor_sync(~0u, odd ? low[0] : high[0], 1);
      const float y = __shfl_xor_sync(~0u, odd ? low[1] : high[1], 1);
      const int at = column0 + i * 8 + odd * 8 + lane / 2 * 4;
      if (at < columns)
        each(at, odd ? make_float4(x, y, high[0], high[1]) : make_float4(low[0], low[1], x, y));
    }
  }
  /// `out`: the row.
  static __device__ void write_floats(float* out, int columns, bool inside, int column0, int half,
                                      const float (&sums)[TileN / 2]) {
    each_four(columns, column0, half, sums, [&](int at, const float4& four) {
      if (inside) *reinterpret_cast<float4*>(out + at) = four;
    });
  }
  static __device__ void add_floats(float* out, int columns, bool inside, int column0, int half,
                                    const float (&sums)[TileN / 2]) {
    each_four(columns, column0, half, sums, [&](int at, const float4& four) {
      if (inside) gpu::sm90::add_four(out + at, four);
    });
  }
  /// Adds what is there to the sums.
  static __device__ void read_floats(const float* from, int columns, bool inside, int column0,
                                     int half, float (&sums)[TileN / 2]) {
    const int lane = static_cast<int>(threadIdx.x) % 4;
    const bool odd = lane & 1;
#pragma unroll
    for (int i = 0; i < TileN / 8; i += 2) {
      float *low = sums + i * 4 + half * 2, *high = low + 4;
      const int at = column0 + i * 8 + odd * 8 + lane / 2 * 4;
      float4 four{};
      if (inside && at < columns) four = __ldcg(reinterpret_cast<const float4*>(from + at));
      const float x = __shfl_xor_sync(~0u, odd ? four.x : four.z, 1);
      const float y = __shfl_xor_sync(~0u, odd ? four.y : four.w, 1);
      low[0] += odd ? x : four.x;
      low[1] += odd ? y : four.y;
      high[0] += odd ? four.z : x;
      high[1] += odd ? four.w : y;
    }
  }
};

template <class Rows, int BlocksPerMultiprocessor, int Stages>
__global__ void __launch_bounds__(Rows::kThreads, BlocksPerMultiprocessor)
    wgmma_rows_kernel(const __grid_constant__ CUtensorMap weights,
                      const __grid_constant__ RowPass pass) {
  __shared__ uint64_t barriers[2 * Stages];
  const typename Rows::Ring ring = Rows::Ring::begin(barriers, Rows::kGroup + 1, Rows::kConsumers);
  // Through a shuffle, so that the compiler knows it uniform: branches on it then cost nothing.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / Rows::kGroup, 0);
  constexpr bool kTradeRegisters = !Rows::kWeightWarp;
  if (group == 0) {
    if constexpr (kTradeRegisters) gpu::sm90::give_registers<104>();
    Rows::produce(pass, &weights, ring);
  } else if (group <= Rows::kConsumers) {
    if constexpr (kTradeRegisters) gpu::sm90::take_registers<200>();
    Rows::consume(pass, ring, group - 1);
  } else if (threadIdx.x % 32 == 0) {
    Rows::produce_weights(pass, &weights, ring);
  }
}

}  // namespace spb::plans
