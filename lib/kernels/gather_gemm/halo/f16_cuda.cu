#include "kernels/gather_gemm/halo/instance.cuh"

namespace spb::plans {

template void launch_halo_rows_of<gpu::F16, false>(const RowPass&, int, const gpu::Stream&);
template void launch_halo_rows_of<gpu::F16, true>(const RowPass&, int, const gpu::Stream&);

}  // namespace spb::plans
