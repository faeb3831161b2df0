// SPDX-License-Identifier: Apache-2.0
#include "device_reference/finish.cuh"
#include "device_reference/share.cuh"

namespace spb::device_reference {
namespace {

/// Rows of a thread: what it reads of the weights serves all of them.
constexpr int kRows = 4;

/// The sums of one column in kRows rows; a row of -1 is none.
template <class Wanted>
__device__ void add_rows(const RowOperands& o, const int64_t (&rows)[kRows], int64_t column,
                         Sums (&sums)[kRows]) {
  const int64_t group = column / o.group_columns, columns = int64_t{o.groups} * o.group_columns;
  for (Sums& sum : sums) add_bias<Wanted>(o.finish, column, sum);
  for (int offset = 0; offset < o.kernel_volume; ++offset) {
    int64_t others[kRows];
    bool any = false;
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r) {
      others[r] = rows[r] < 0 ? -1 : o.table[rows[r] * o.kernel_volume + offset];
      any = any || others[r] >= 0;
    }
    if (!any) continue;
    const float* b =
        o.weights + offset * o.offset_pitch + group * o.group_pitch + column % o.group_columns;
    // Where there is no other row the first one is read, and its tile goes nowhere.
    const float* a[kRows];
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r)
      a[r] = o.source + ((others[r] < 0 ? 0 : others[r]) * o.groups + group) * o.depth;
    Tile tiles[kRows];
    for (int k = 0; k < o.depth; ++k) {
      const float weight = b[k * o.k_pitch];
      GPU_UNROLL
      for (int r = 0; r < kRows; ++r) tiles[r].add<Wanted>(a[r][k], weight);
    }
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r)
      if (others[r] >= 0) sums[r].add<Wanted>(tiles[r], o.depth);
  }
  GPU_UNROLL
  for (int r = 0; r < kRows; ++r)
    if (rows[r] >= 0) add_residual<Wanted>(o.finish, rows[r], column, columns, sums[r]);
}

/// Of all elements, a column of kRows neighboring rows at a time; of listed ones, one. Two blocks a
/// multiprocessor, whose threads keep running sums in local memory, take 0.54 and 0.63 of what one
/// takes that has them in registers (64,1024 and 1024,64, H200): reports, references/ncu.txt.
template <class Wanted>
GPU_KERNEL void __launch_bounds__(gpu::kFlatBlock, 2)
    row_sums_kernel(RowOperands operands, Work work) {
  const int64_t threads = threads_of(work.count), thread = gpu::global_index();
  if (thread >= threads) return;
  const int64_t columns = int64_t{operands.groups} * operands.group_columns;
  const int64_t all_rows = work.count / columns;
  const int64_t items = work.listed ? work.count : (all_rows + kRows - 1) / kRows * columns;
  Share share(work);
  for (int64_t item = thread; item < items; item += threads) {
    const int64_t column = (work.listed ? work.listed[item] : item) % columns;
    int64_t rows[kRows];
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const int64_t row = item / columns * kRows + r;
      rows[r] = row < all_rows ? row : -1;
      if (work.listed) rows[r] = r == 0 ? work.listed[item] / columns : -1;
    }
    Sums sums[kRows];
    add_rows<Wanted>(operands, rows, column, sums);
    GPU_UNROLL
    for (int r = 0; r < kRows; ++r)
      if (rows[r] >= 0) {
        Element element = sums[r].finished();
        finish<Wanted>(operands.finish, rows[r], column, columns, element);
        share.take(item, rows[r] * columns + column, element);
      }
  }
  share.finish();
}

}  // namespace

void sum_rows(const RowOperands& operands, Judged judged, const Work& work,
              const gpu::Stream& stream) {
  if (!work.expected && has_row_blocks(operands))
    return judge_row_blocks(operands, judged, work, stream);
  with_wanted(work, judged, [&]<class Wanted>(Wanted) {
    gpu::launch_flat(row_sums_kernel<Wanted>, threads_of(work.count), stream, operands, work);
  });
}

}  // namespace spb::device_reference
