#include "kernels/wgrad/sm80/instance.cuh"

namespace spb::plans {

template <>
void launch_wgrad_sm80_of<gpu::TF32>(const WgradPass& pass, const gpu::Stream& stream) {
  launch_wgrad_tf32<gpu::TF32, gpu::sm80::AtomTF32>(pass, stream);
}

}  // namespace spb::plans
