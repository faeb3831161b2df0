#include "kernels/gather_gemm/sm80/instance.cuh"

namespace spb::plans {

template void launch_sm80_row_of<gpu::TF32>(int, const RowPass&, const gpu::Stream&);
template int sm80_row_blocks_of<gpu::TF32>(int, bool);

}  // namespace spb::plans
