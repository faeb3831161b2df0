#include "kernels/wgrad/sm80/instance.cuh"

namespace spb::plans {

template <>
void launch_wgrad_sm80_of<gpu::TF32x3>(const WgradPass& pass, const gpu::Stream& stream) {
  launch_wgrad_tf32x3<gpu::TF32x3, gpu::sm80::AtomTF32x3>(pass, stream);
}

}  // namespace spb::plans
