#include "algorithms/implicit/row_wgmma.h"
#include "algorithms/implicit/row_wgmma_launch.h"
#include "algorithms/implicit/tiling.h"

namespace spb::plans {

int wgmma_row_blocks(int index, const RowWork& work) {
  const KernelVariant& variant = kWgmmaRowVariants[index];
  const RowItemShape most{static_cast<int>(tiles_of(work.columns, variant.tile_n)),
                          static_cast<int>(tiles_of(work.depth, variant.tile_k)), kMostRowSlices};
  const bool fits =
      row_items_fit(tiles_of(work.rows, variant.tile_m), static_cast<int>(work.offsets), most);
  return work.masked && fits ? kWgmmaRowBlocks[index] : 0;
}

void launch_wgmma_rows(int index, Dtype dtype, const RowPass& pass, const gpu::Stream& stream) {
  const bool transposed = pass.weight_k_pitch != 1;
  const auto launch =
      dtype == Dtype::bf16
          ? (transposed ? launch_wgmma_rows_of<true, true> : launch_wgmma_rows_of<true, false>)
          : (transposed ? launch_wgmma_rows_of<false, true> : launch_wgmma_rows_of<false, false>);
  launch(index, pass, multiprocessors(), stream);
}

}  // namespace spb::plans
