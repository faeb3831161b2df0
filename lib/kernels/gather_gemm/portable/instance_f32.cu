#include "kernels/gather_gemm/portable/instance.cuh"

namespace spb::plans {

template void launch_row_pass_of<gpu::F32>(int, const RowPass&, const gpu::Stream&);

}  // namespace spb::plans
