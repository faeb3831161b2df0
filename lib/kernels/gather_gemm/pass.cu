#include "gpu/element.cuh"
#include "kernels/gather_gemm/pass.h"

namespace spb::plans {

void launch_row_pass(int tile, Dtype dtype, const RowPass& pass, const gpu::Stream& stream) {
  gpu::dispatch_factors(
      dtype, [&](auto element) { launch_row_pass_of<decltype(element)>(tile, pass, stream); });
}

}  // namespace spb::plans
