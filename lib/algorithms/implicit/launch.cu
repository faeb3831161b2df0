#include "algorithms/implicit/launch.h"
#include "gpu/element.cuh"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
#define SPB_INSTANCE(E)                                                                \
  extern template void launch_row_pass_of<gpu::E>(const RowPass&, const gpu::Stream&); \
  extern template void launch_wgrad_pass_of<gpu::E>(const WgradPass&, const gpu::Stream&);
SPB_INSTANCE(F32)
SPB_INSTANCE(TF32)
SPB_INSTANCE(F16)
SPB_INSTANCE(BF16)
#undef SPB_INSTANCE

void launch_row_pass(Dtype dtype, const RowPass& pass, const gpu::Stream& stream) {
  gpu::dispatch(dtype, [&](auto element) { launch_row_pass_of<decltype(element)>(pass, stream); });
}

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream) {
  gpu::dispatch(dtype,
                [&](auto element) { launch_wgrad_pass_of<decltype(element)>(pass, stream); });
}

}  // namespace spb::plans
