// SPDX-License-Identifier: Apache-2.0
// sum_rows() of all elements where channels are many: blocks share what they read of both operands.
#include "device_reference/finish.cuh"
#include "device_reference/products.cuh"
#include "device_reference/share.cuh"

namespace spb::device_reference {
namespace {

constexpr int kLanes = 32, kRowGroups = gpu::kFlatBlock / kLanes;
constexpr int kDepth = kLanes;  // products of an element between two barriers
static_assert(kDepth <= kFold);

/// What a thread sums: neighboring columns of neighboring rows, those of kLanes threads side by
/// side.
template <class WantedSums, int kRowCount, int kColumnCount>
struct RowShape {
  using Wanted = WantedSums;
  using Factor = typename Products<Wanted>::Factor;
  static constexpr int kRows = kRowCount, kColumns = kColumnCount;
  static constexpr int kBlockRows = kRowGroups * kRows, kBlockColumns = kLanes * kColumns;

  /// While one is read, the other is filled.
  struct alignas(16) Buffer {
    float weights[kDepth][kBlockColumns];
    Factor source[kBlockRows][kDepth];  ///< of each group of rows those that are there come first
  };
};

/// What one offset leads a thread's rows to.
template <int kRows>
struct OtherRows {
  int32_t row[kRows];  ///< of those that are there, the first `count`
  bool is_there[kRows];
  int count = 0;

  __device__ explicit OtherRows(const int32_t (&found)[kRows]) {
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r) {
      is_there[r] = found[r] >= 0;
      row[r] = 0;
      GPU_UNROLL
      for (int slot = 0; slot <= r; ++slot)
        if (is_there[r] && slot == count) row[slot] = found[r];
      count += int{is_there[r]};
    }
  }
};

/// Adds the products of kCount rows with the part of the weights that is shared.
template <class S, int kCount, class Sum>
__device__ void multiply(const typename S::Factor (*source)[kDepth], const float* weights,
                         int length, Sum (&products)[S::kRows][S::kColumns]) {
  for (int k = 0; k < length; k += 4) {
    float b[4][S::kColumns];
    bool any = false;
    GPU_UNROLL
    for (int i = 0; i < 4; ++i) {
      GPU_UNROLL
      for (int c = 0; c < S::kColumns; ++c) {
        b[i][c] = weights[(k + i) * S::kBlockColumns + c];
        any = any || b[i][c] != 0;
      }
    }
    if (Sum::kSkipsZeros && !any) continue;
    typename S::Factor wide[4][S::kColumns];
    GPU_UNROLL
    for (int i = 0; i < 4; ++i) {
      GPU_UNROLL
      for (int c = 0; c < S::kColumns; ++c) wide[i][c] = Sum::factor(b[i][c]);
    }
    GPU_UNROLL
    for (int r = 0; r < kCount; ++r) {
      const auto a = Sum::read(&source[r][k]);
      GPU_UNROLL
      for (int i = 0; i < 4; ++i) {
        GPU_UNROLL
        for (int c = 0; c < S::kColumns; ++c) products[r][c].add(a.at[i], wide[i][c]);
      }
    }
  }
}

/// The sums of a thread in one block of rows and columns.
template <class S>
class RowBlock {
 public:
  using Wanted = typename S::Wanted;

  __device__ RowBlock(const RowOperands& o, int64_t row, int64_t all_rows, int64_t first_column,
                      typename S::Buffer* buffers)
      : o_(o),
        row_(row),
        all_rows_(all_rows),
        group_(first_column / o.group_columns),
        weights_(o.weights + group_ * o.group_pitch + first_column % o.group_columns),
        buffers_(buffers) {}

  /// All threads of the block come here, and go on with the buffer that comes back.
  __device__ int add_offsets(int buffer, Sums (&sums)[S::kRows][S::kColumns]) {
    int32_t found[S::kRows];
    find(0, found);
    OtherRows<S::kRows> rows(found);
    find(1, found);
    fetch(rows, 0, 0, buffer);
    for (int offset = 0; offset < o_.kernel_volume; ++offset) {
      Products<Wanted> products[S::kRows][S::kColumns];
      OtherRows<S::kRows> next = rows;
      for (int first = 0; first < o_.depth; first += kDepth) {
        GPU_UNROLL
        for (int r = 0; r < S::kRows; ++r)
          own_source(buffer)[r][lane()] = Products<Wanted>::factor(ahead_[r]);
        gpu::wait_for_copies();
        gpu::sync_threads();
        if (first + kDepth < o_.depth) {
          fetch(rows, offset, first + kDepth, buffer ^ 1);
        } else if (offset + 1 < o_.kernel_volume) {
          next = OtherRows<S::kRows>(found);
          find(offset + 2, found);
          fetch(next, offset + 1, 0, buffer ^ 1);
        }
        multiply_fetched(rows.count, length_from(first), buffer, products);
        buffer ^= 1;
      }
      add_tiles(rows, weights_ + offset * o_.offset_pitch, products, sums);
      rows = next;
    }
    return buffer;
  }

 private:
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % kLanes; }
  __device__ auto* own_source(int buffer) const {
    return buffers_[buffer].source + static_cast<int>(threadIdx.x) / kLanes * S::kRows;
  }
  __device__ int length_from(int first) const {
    return o_.depth - first < kDepth ? o_.depth - first : kDepth;
  }
  __device__ const float* source_of(int32_t row) const {
    return o_.source + (int64_t{row} * o_.groups + group_) * o_.depth;
  }

  __device__ void find(int offset, int32_t (&found)[S::kRows]) const {
    GPU_UNROLL
    for (int r = 0; r < S::kRows; ++r)
      found[r] = offset < o_.kernel_volume && row_ + r < all_rows_
                     ? o_.table[(row_ + r) * o_.kernel_volume + offset]
                     : -1;
  }

  /// Weights on their way into the buffer, and what of the rows it will have in registers.
  __device__ void fetch(const OtherRows<S::kRows>& rows, int offset, int first, int buffer) {
    const float* from = weights_ + offset * o_.offset_pitch + first * o_.k_pitch;
    const int length = length_from(first);
    constexpr int kFours = S::kBlockColumns / 4;
    for (int i = static_cast<int>(threadIdx.x); i < length * kFours; i += gpu::kFlatBlock)
      gpu::copy_ahead<16>(&buffers_[buffer].weights[i / kFours][i % kFours * 4],
                          from + i / kFours * o_.k_pitch + i % kFours * 4);
    GPU_UNROLL
    for (int r = 0; r < S::kRows; ++r)
      ahead_[r] = r < rows.count && lane() < length ? source_of(rows.row[r])[first + lane()] : 0.f;
  }

  __device__ void multiply_fetched(int count, int length, int buffer,
                                   Products<Wanted> (&products)[S::kRows][S::kColumns]) const {
    const auto* source = own_source(buffer);
    const float* weights = &buffers_[buffer].weights[0][lane() * S::kColumns];
    if (count == 1) multiply<S, 1>(source, weights, length, products);
    if (count == 2) multiply<S, 2>(source, weights, length, products);
    if constexpr (S::kRows == 4) {
      if (count == 3) multiply<S, 3>(source, weights, length, products);
      if (count == 4) multiply<S, 4>(source, weights, length, products);
    }
    GPU_UNROLL
    for (int r = 0; r < S::kRows; ++r) {
      GPU_UNROLL
      for (int c = 0; c < S::kColumns; ++c) products[r][c].fold();
    }
  }

  __device__ void add_tiles(const OtherRows<S::kRows>& rows, const float* weights,
                            const Products<Wanted> (&products)[S::kRows][S::kColumns],
                            Sums (&sums)[S::kRows][S::kColumns]) const {
    int slot = 0;
    GPU_UNROLL
    for (int r = 0; r < S::kRows; ++r) {
      if (!rows.is_there[r]) continue;
      GPU_UNROLL
      for (int c = 0; c < S::kColumns; ++c) {
        Products<Wanted> own = products[0][c];
        int32_t row = rows.row[0];
        GPU_UNROLL
        for (int other = 1; other <= r; ++other)
          if (other == slot) own = products[other][c], row = rows.row[other];
        Tile tile = own.tile();
        if (!own.holds()) {
          tile = {};
          for (int k = 0; k < o_.depth; ++k)
            tile.add<Wanted>(source_of(row)[k], weights[k * o_.k_pitch + lane() * S::kColumns + c]);
        }
        sums[r][c].template add<Wanted>(tile, o_.depth);
      }
      ++slot;
    }
  }

  const RowOperands& o_;
  const int64_t row_, all_rows_, group_;
  const float* const weights_;
  typename S::Buffer* const buffers_;
  float ahead_[S::kRows];
};

template <class S>
GPU_KERNEL void __launch_bounds__(gpu::kFlatBlock, 2) row_blocks_kernel(RowOperands o, Work work) {
  using Wanted = typename S::Wanted;
  __shared__ typename S::Buffer buffers[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t columns = int64_t{o.groups} * o.group_columns, rows = work.count / columns;
  const int64_t row_blocks = (rows + S::kBlockRows - 1) / S::kBlockRows;
  Share share(work);
  int buffer = 0;
  // Blocks beside each other have the same columns, whose weights they find in a cache.
  for (int64_t block = blockIdx.x; block < row_blocks * (columns / S::kBlockColumns);
       block += gridDim.x) {
    const int64_t first_column = block / row_blocks * S::kBlockColumns;
    const int64_t column = first_column + thread % kLanes * S::kColumns;
    const int64_t row = block % row_blocks * S::kBlockRows + thread / kLanes * S::kRows;
    // Judged one after the other: the code for it is long.
    Element found[S::kRows * S::kColumns];
    {
      Sums sums[S::kRows][S::kColumns];
      GPU_UNROLL
      for (int r = 0; r < S::kRows; ++r) {
        GPU_UNROLL
        for (int c = 0; c < S::kColumns; ++c) add_bias<Wanted>(o.finish, column + c, sums[r][c]);
      }
      buffer = RowBlock<S>(o, row, rows, first_column, buffers).add_offsets(buffer, sums);
      GPU_UNROLL
      for (int r = 0; r < S::kRows; ++r) {
        GPU_UNROLL
        for (int c = 0; c < S::kColumns; ++c) {
          if (row + r < rows)
            add_residual<Wanted>(o.finish, row + r, column + c, columns, sums[r][c]);
          found[r * S::kColumns + c] = sums[r][c].finished();
        }
      }
    }
    for (int at = 0; at < S::kRows * S::kColumns; ++at) {
      const int64_t r = row + at / S::kColumns, c = column + at % S::kColumns;
      if (r >= rows) break;
      finish<Wanted>(o.finish, r, c, columns, found[at]);
      share.take(0, r * columns + c, found[at]);
    }
  }
  share.finish();
}

template <class S>
void launch_row_blocks(const RowOperands& operands, const Work& work, const gpu::Stream& stream) {
  const auto blocks = static_cast<unsigned>(threads_of(work.count) / gpu::kFlatBlock);
  gpu::launch(row_blocks_kernel<S>, dim3(blocks), dim3(gpu::kFlatBlock), 0, stream, operands, work);
}

}  // namespace

bool has_row_blocks(const RowOperands& operands) {
  return operands.depth % 4 == 0 && operands.group_columns % kLanes == 0;
}

void judge_row_blocks(const RowOperands& operands, Judged judged, const Work& work,
                      const gpu::Stream& stream) {
  with_judged(judged, [&]<class Wanted>(Wanted) {
    // As many sums as a thread has registers for.
    constexpr int kRows = Wanted::kScales ? 2 : 4;
    if (operands.group_columns % (2 * kLanes) == 0)
      launch_row_blocks<RowShape<Wanted, kRows, 2>>(operands, work, stream);
    else
      launch_row_blocks<RowShape<Wanted, kRows, 1>>(operands, work, stream);
  });
}

}  // namespace spb::device_reference
