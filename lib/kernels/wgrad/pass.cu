#include "gpu/element.cuh"
#include "kernels/wgrad/pass.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
#define SPB_SM80_INSTANCE(E) \
  template <>                \
  void launch_wgrad_sm80_of<gpu::E>(const WgradPass&, const gpu::Stream&);
#define SPB_INSTANCE(E) \
  SPB_SM80_INSTANCE(E)  \
  extern template void launch_wgrad_pass_of<gpu::E>(const WgradPass&, const gpu::Stream&);
SPB_INSTANCE(F32)
SPB_INSTANCE(TF32)
SPB_INSTANCE(F16)
SPB_INSTANCE(BF16)
SPB_SM80_INSTANCE(TF32x3)
#undef SPB_INSTANCE
#undef SPB_SM80_INSTANCE

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream) {
  if (kWgradTiles[pass.tile].variant.min_arch > 0)
    gpu::dispatch(dtype,
                  [&](auto element) { launch_wgrad_sm80_of<decltype(element)>(pass, stream); });
  else
    gpu::dispatch_factors(
        dtype, [&](auto element) { launch_wgrad_pass_of<decltype(element)>(pass, stream); });
}

}  // namespace spb::plans
