#include "kernels/wgrad/sm80/instance.cuh"

namespace spb::plans {

template <>
void launch_wgrad_sm80_of<gpu::F16>(const WgradPass& pass, const gpu::Stream& stream) {
  launch_wgrad_halves<gpu::F16, gpu::sm80::AtomF16>(pass, stream);
}

}  // namespace spb::plans
