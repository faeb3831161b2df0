// SPDX-License-Identifier: Apache-2.0
// sum_weights() of all elements where channels are many: blocks share what they read of both
// operands.
#include <algorithm>

#include "device_reference/products.cuh"
#include "device_reference/share.cuh"
#include "device_reference/weight_tiles.cuh"

namespace spb::device_reference {
namespace {

constexpr int kSide = 16;  // threads of a block along each side of a square
static_assert(kSide * kSide == gpu::kFlatBlock);
constexpr int kPairs = 32;  // between two barriers
static_assert(kPairs <= kFold);

/// Of one offset a square of channels, kOwn x kOwn of each thread.
template <class WantedSums, int kOwnChannels>
struct WeightShape {
  using Wanted = WantedSums;
  static constexpr int kOwn = kOwnChannels, kEdge = kSide * kOwn;
  static constexpr int kElements = kEdge * kEdge;

  /// While one is read, the other is filled.
  struct alignas(16) Buffer {
    float gout[kPairs][kEdge], in[kPairs][kEdge];
  };
};

template <int kEdge>
struct Square {
  int64_t j, offset, i;  ///< the first output channel, and the first input channel

  /// Number n of all: neighbors differ in their input channels, then their offset.
  __device__ Square(const WeightOperands& o, int64_t n) {
    const int64_t across = o.c_in / kEdge;
    i = n % across * kEdge;
    offset = n / across % o.kernel_volume;
    j = n / across / o.kernel_volume * kEdge;
  }
};

/// Squares from `first` on; tile t of element e of the n-th stands at [(t * count + n) * elements +
/// e].
struct SquarePart {
  int64_t first, count;
  Tile* tiles;
};

/// kOwn neighbors of a row in shared memory.
template <int kOwn>
struct alignas(kOwn * sizeof(float)) Own {
  float at[kOwn];
};

/// Brings the channels of pairs, of kPairs at a time, where a block reads them.
template <class S>
class PairReader {
 public:
  __device__ PairReader(const WeightOperands& o, const Square<S::kEdge>& square, int64_t first,
                        int64_t last, typename S::Buffer* buffers)
      : gout_(o.gout + square.j), in_(o.in + square.i), o_(o), last_(last), buffers_(buffers) {
    find(first);
    fetch(first, 0);
  }

  /// The pairs of the last fetch(), and the next ones on their way into the other buffer.
  __device__ const typename S::Buffer& next() {
    gpu::wait_for_copies();
    gpu::sync_threads();
    const typename S::Buffer& filled = buffers_[buffer_];
    buffer_ ^= 1;
    if (ahead_ < last_) fetch(ahead_, buffer_);
    return filled;
  }

 private:
  static constexpr int kFours = S::kEdge / 4, kOwn = kPairs * kFours / gpu::kFlatBlock;

  __device__ static int own_pair(int i) {
    return (static_cast<int>(threadIdx.x) + i * gpu::kFlatBlock) / kFours;
  }
  __device__ void find(int64_t pair) {
    GPU_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      out_row_[i] = -1;
      if (pair + own_pair(i) >= last_) continue;
      out_row_[i] = o_.triples[pair + own_pair(i)].out;
      in_row_[i] = o_.triples[pair + own_pair(i)].in;
    }
  }
  /// Zeros of what is beyond the last pair.
  __device__ void fetch(int64_t pair, int buffer) {
    const int c = static_cast<int>(threadIdx.x) % kFours * 4;
    GPU_UNROLL
    for (int i = 0; i < kOwn; ++i) {
      float* gout = &buffers_[buffer].gout[own_pair(i)][c];
      float* in = &buffers_[buffer].in[own_pair(i)][c];
      if (out_row_[i] >= 0) {
        gpu::copy_ahead<16>(gout, gout_ + int64_t{out_row_[i]} * o_.c_out + c);
        gpu::copy_ahead<16>(in, in_ + int64_t{in_row_[i]} * o_.c_in + c);
      } else {
        *reinterpret_cast<Four<float>*>(gout) = *reinterpret_cast<Four<float>*>(in) = {};
      }
    }
    ahead_ = pair + kPairs;
    find(ahead_);
  }

  const float *const gout_, *const in_;
  const WeightOperands& o_;
  const int64_t last_;
  typename S::Buffer* const buffers_;
  int32_t out_row_[kOwn], in_row_[kOwn];  // of the pairs that are fetched next
  int64_t ahead_ = 0;                     // the first of them
  int buffer_ = 0;
};

/// Grid: squares of the part times tiles.
template <class S>
GPU_KERNEL void __launch_bounds__(gpu::kFlatBlock, 2)
    weight_blocks_kernel(WeightOperands o, SquarePart part) {
  using Sum = Products<typename S::Wanted>;
  __shared__ typename S::Buffer buffers[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int own_j = thread / kSide * S::kOwn, own_i = thread % kSide * S::kOwn;
  const int64_t n = blockIdx.x % part.count, t = blockIdx.x / part.count;
  const Square<S::kEdge> square(o, part.first + n);
  const int64_t begin = o.begins[square.offset], end = o.begins[square.offset + 1];
  const int64_t length = tile_pairs(end - begin), first = begin + t * length;
  if (first >= end) return;
  const int64_t last = first + length < end ? first + length : end;
  Sum products[S::kOwn][S::kOwn];
  PairReader<S> reader(o, square, first, last, buffers);
  for (int64_t pair = first; pair < last; pair += kPairs) {
    const typename S::Buffer& shared = reader.next();
    const int count = last - pair < kPairs ? static_cast<int>(last - pair) : kPairs;
    for (int p = 0; p < count; ++p) {
      const auto gout = *reinterpret_cast<const Own<S::kOwn>*>(&shared.gout[p][own_j]);
      const auto in = *reinterpret_cast<const Own<S::kOwn>*>(&shared.in[p][own_i]);
      typename Sum::Factor b[S::kOwn];
      bool any = false;
      GPU_UNROLL
      for (int y = 0; y < S::kOwn; ++y) any = any || gout.at[y] != 0;
      if (Sum::kSkipsZeros && !any) continue;
      GPU_UNROLL
      for (int x = 0; x < S::kOwn; ++x) b[x] = Sum::factor(in.at[x]);
      GPU_UNROLL
      for (int y = 0; y < S::kOwn; ++y) {
        const auto a = Sum::factor(gout.at[y]);
        GPU_UNROLL
        for (int x = 0; x < S::kOwn; ++x) products[y][x].add(a, b[x]);
      }
    }
    GPU_UNROLL
    for (int y = 0; y < S::kOwn; ++y) {
      GPU_UNROLL
      for (int x = 0; x < S::kOwn; ++x) products[y][x].fold();
    }
  }
  Tile* to = part.tiles + (t * part.count + n) * S::kElements;
  GPU_UNROLL
  for (int y = 0; y < S::kOwn; ++y) {
    GPU_UNROLL
    for (int x = 0; x < S::kOwn; ++x) {
      Tile tile = products[y][x].tile();
      if (!products[y][x].holds())
        tile =
            tile_of<typename S::Wanted>(o, square.j + own_j + y, square.i + own_i + x, first, last);
      to[(own_j + y) * S::kEdge + own_i + x] = tile;
    }
  }
}

template <class S>
GPU_KERNEL void square_sums_kernel(WeightOperands o, Work work, SquarePart part) {
  const int64_t elements = part.count * S::kElements;
  const int64_t threads = threads_of(elements < work.count ? elements : work.count);
  const int64_t thread = gpu::global_index();
  if (thread >= threads) return;
  Share share(work);
  for (int64_t at = thread; at < elements; at += threads) {
    const Square<S::kEdge> square(o, part.first + at / S::kElements);
    const int64_t e = at % S::kElements, j = square.j + e / S::kEdge, i = square.i + e % S::kEdge;
    const Sums sums = sum_tiles<typename S::Wanted>(
        o.begins[square.offset + 1] - o.begins[square.offset], part.tiles + at, elements);
    share.take(0, (j * o.kernel_volume + square.offset) * o.c_in + i, sums.finished());
  }
  share.finish();
}

template <class S>
void judge_squares(const WeightOperands& o, const Work& work, const gpu::Stream& stream) {
  const int64_t squares = work.count / S::kElements;
  const int64_t at_once = o.tile_count / (o.most_tiles * S::kElements);
  for (int64_t first = 0; first < squares; first += at_once) {
    const SquarePart part{first, std::min(at_once, squares - first), o.tiles};
    gpu::launch(weight_blocks_kernel<S>, dim3(gpu::grid_of(part.count * o.most_tiles)),
                dim3(gpu::kFlatBlock), 0, stream, o, part);
    gpu::launch_flat(square_sums_kernel<S>,
                     threads_of(std::min(part.count * S::kElements, work.count)), stream, o, work,
                     part);
  }
}

template <int kOwn>
bool fits(const WeightOperands& o) {
  using S = WeightShape<Exact, kOwn>;
  return o.groups == 1 && o.c_in % S::kEdge == 0 && o.c_out % S::kEdge == 0 &&
         o.most_tiles * S::kElements <= o.tile_count;
}

}  // namespace

bool has_weight_blocks(const WeightOperands& operands) { return fits<2>(operands); }

void judge_weight_blocks(const WeightOperands& operands, Judged judged, const Work& work,
                         const gpu::Stream& stream) {
  with_judged(judged, [&]<class Wanted>(Wanted) {
    if (fits<4>(operands))
      judge_squares<WeightShape<Wanted, 4>>(operands, work, stream);
    else
      judge_squares<WeightShape<Wanted, 2>>(operands, work, stream);
  });
}

}  // namespace spb::device_reference
