#include "kernels/wgrad/portable/instance.cuh"

namespace spb::plans {

template void launch_wgrad_pass_of<gpu::F32>(const WgradPass&, const gpu::Stream&);

}  // namespace spb::plans
