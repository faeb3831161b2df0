#include <algorithm>

#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/portable/portable.h"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"
#include "kernels/gather_gemm/wgmma/wgmma.h"

namespace spb::plans {
namespace {

/// Multiply-adds of tensor cores and of scalar units: fractions of what an H200 was measured at.
double sm80_macs_per_us(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
    case Dtype::bf16:
      return 3.3;
    case Dtype::tf32:
      return 1.5;
    case Dtype::tf32x3:
      return 0.5;  // a third of tf32's, not fitted; 0.25 with loads in the record of 256,256
    case Dtype::f32:
      break;
  }
  return 0.17;
}

/// More than the units reach (3.2): loads overlap with arithmetic, where the cost model adds them.
/// Fitted to 0.72 ms at 256, 0.83 at 128 and 1.35 at 64 channels of the sphere grid, event times on
/// an H200 before the first record.
double wgmma_macs_per_us(Dtype dtype) { return dtype == Dtype::tf32 ? 3.0 : 6.0; }

/// Of the multiplies of all families.
int mma_depth(Dtype dtype) { return dtype == Dtype::f32 ? 0 : info(dtype).bytes == 4 ? 8 : 16; }

int sm80_resident_blocks(int index, const RowWork& work) {
  // The kernel steps through a channel's weights with 32-bit pitches.
  constexpr double kMostBytes = 0x7FFFFFFF;
  if (work.offsets * std::max(work.depth, work.columns) * sizeof(float) > kMostBytes) return 0;
  return sm80_row_blocks(index, work.dtype, work.transposed);
}

}  // namespace

std::span<const RowFamily> row_families() {
  static const RowFamily families[] = {{.variants = kSm80RowVariants,
                                        .resident_blocks = sm80_resident_blocks,
                                        .launch = launch_sm80_rows,
                                        .mma_depth = mma_depth,
                                        .macs_per_us = sm80_macs_per_us,
                                        .reads_tile_index = true,
                                        .takes_segments = true},
                                       {.variants = kWgmmaRowVariants,
                                        .resident_blocks = wgmma_row_blocks,
                                        .launch = launch_wgmma_rows,
                                        .mma_depth = mma_depth,
                                        .macs_per_us = wgmma_macs_per_us,
                                        .reads_tile_index = true,
                                        .takes_segments = true,
                                        .takes_work_tiles = true,
                                        .semaphores_from_columns = kLeastColumnsOfSemaphores,
                                        .prepares_weights = kTf32},
                                       {.variants = kHaloRowVariants,
                                        .resident_blocks = halo_row_blocks,
                                        .launch = launch_halo_rows,
                                        .mma_depth = mma_depth,
                                        .takes_halos = true,
                                        .unsupported_reason = kHaloUnsupportedReason},
                                       portable_row_family()};
  return families;
}

}  // namespace spb::plans
