#include "kernels/wgrad/wgmma/instance.cuh"

namespace spb::plans {

template bool launch_wgrad_wgmma_of<gpu::F16>(const WgradPass&, const gpu::Stream&);

}  // namespace spb::plans
