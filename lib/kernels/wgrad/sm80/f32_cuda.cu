#include "kernels/wgrad/sm80/instance.cuh"

namespace spb::plans {

template <>
void launch_wgrad_sm80_of<gpu::F32>(const WgradPass& pass, const gpu::Stream& stream) {
  launch_wgrad_fma<gpu::F32>(pass, stream);
}

}  // namespace spb::plans
