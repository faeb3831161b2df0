#include "kernels/gather_gemm/wgmma/instance.cuh"

namespace spb::plans {

template void launch_wgmma_rows_of<gpu::TF32, false>(int, const RowPass&, int, const gpu::Stream&);

}  // namespace spb::plans
