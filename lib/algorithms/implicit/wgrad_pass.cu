#include "algorithms/implicit/wgrad_pass.h"
#include "gpu/element.cuh"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
extern template void launch_wgrad_pass_of<gpu::F32>(const WgradPass&, const gpu::Stream&);
extern template void launch_wgrad_pass_of<gpu::TF32>(const WgradPass&, const gpu::Stream&);
extern template void launch_wgrad_pass_of<gpu::F16>(const WgradPass&, const gpu::Stream&);
extern template void launch_wgrad_pass_of<gpu::BF16>(const WgradPass&, const gpu::Stream&);

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream) {
  gpu::dispatch(dtype,
                [&](auto element) { launch_wgrad_pass_of<decltype(element)>(pass, stream); });
}

}  // namespace spb::plans
