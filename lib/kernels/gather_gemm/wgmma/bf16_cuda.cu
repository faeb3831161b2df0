#include "kernels/gather_gemm/wgmma/instance.cuh"

namespace spb::plans {

template void launch_wgmma_rows_of<gpu::BF16, false>(int, const RowPass&, int, const gpu::Stream&);
template void launch_wgmma_rows_of<gpu::BF16, true>(int, const RowPass&, int, const gpu::Stream&);

}  // namespace spb::plans
