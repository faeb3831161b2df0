#include "algorithms/implicit/wgrad/pass.h"
#include "algorithms/implicit/wgrad/tiles.h"
#include "gpu/element.cuh"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
#define SPB_INSTANCE(E)                                                                    \
  extern template void launch_wgrad_pass_of<gpu::E>(const WgradPass&, const gpu::Stream&); \
  template <>                                                                              \
  void launch_wgrad_sm80_of<gpu::E>(const WgradPass&, const gpu::Stream&);
SPB_INSTANCE(F32)
SPB_INSTANCE(TF32)
SPB_INSTANCE(F16)
SPB_INSTANCE(BF16)
#undef SPB_INSTANCE

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream) {
  gpu::dispatch_factors(dtype, [&](auto element) {
    using E = decltype(element);
    if (kWgradTiles[pass.tile].variant.min_arch > 0)
      launch_wgrad_sm80_of<E>(pass, stream);
    else
      launch_wgrad_pass_of<E>(pass, stream);
  });
}

}  // namespace spb::plans
