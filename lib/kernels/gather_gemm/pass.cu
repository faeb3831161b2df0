#include "gpu/element.cuh"
#include "kernels/gather_gemm/pass.h"

namespace spb::plans {

// Defined in the instance files, which compile in parallel.
extern template void launch_row_pass_of<gpu::F32>(int, const RowPass&, const gpu::Stream&);
extern template void launch_row_pass_of<gpu::TF32>(int, const RowPass&, const gpu::Stream&);
extern template void launch_row_pass_of<gpu::F16>(int, const RowPass&, const gpu::Stream&);
extern template void launch_row_pass_of<gpu::BF16>(int, const RowPass&, const gpu::Stream&);

void launch_row_pass(int tile, Dtype dtype, const RowPass& pass, const gpu::Stream& stream) {
  gpu::dispatch_factors(
      dtype, [&](auto element) { launch_row_pass_of<decltype(element)>(tile, pass, stream); });
}

}  // namespace spb::plans
