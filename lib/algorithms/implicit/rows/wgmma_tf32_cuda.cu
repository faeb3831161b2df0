#include "algorithms/implicit/rows/wgmma_instance.cuh"

namespace spb::plans {

template void launch_wgmma_rows_of<gpu::TF32, false>(int, const RowPass&, int, const gpu::Stream&);

}  // namespace spb::plans
