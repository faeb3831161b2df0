#include "gpu/element.cuh"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
#define SPB_INSTANCE(E)                                                                     \
  extern template void launch_sm80_row_of<gpu::E>(int, const RowPass&, const gpu::Stream&); \
  extern template int sm80_row_blocks_of<gpu::E>(int, bool);
SPB_INSTANCE(F32)
SPB_INSTANCE(TF32)
SPB_INSTANCE(TF32x3)
SPB_INSTANCE(F16)
SPB_INSTANCE(BF16)
#undef SPB_INSTANCE

void launch_sm80_rows(int index, Dtype dtype, const RowPass& pass, const gpu::Stream& stream) {
  gpu::dispatch(dtype,
                [&](auto element) { launch_sm80_row_of<decltype(element)>(index, pass, stream); });
}

int sm80_row_blocks(int index, Dtype dtype, bool transposed) {
  return gpu::dispatch(dtype, [&](auto element) {
    return sm80_row_blocks_of<decltype(element)>(index, transposed);
  });
}

}  // namespace spb::plans
