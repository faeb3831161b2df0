// What a wgrad launch computes, and the launch.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"

namespace spb::plans {

/// One pass of wgrad: gw[co, o, ci] = sum over the pairs of o of gout[u, co] * in[p, ci]. The pairs
/// of an offset are either all rows of `map` (absent ones add zeros) or a list.
struct WgradPass {
  int tile = 0;  ///< index into kWgradTiles
  const void* in = nullptr;
  const void* gout = nullptr;
  const int32_t* map = nullptr;  ///< [n_out, kernel_volume]
  const int32_t* in_index = nullptr;
  const int32_t* out_index = nullptr;
  const int64_t* offset_begin = nullptr;  ///< [kernel_volume + 1]; null: all rows of `map`
  int64_t n_out = 0;
  int kernel_volume = 0;
  int c_in = 0, c_out = 0;
  void* gw = nullptr;       ///< [c_out, kernel_volume, c_in]
  float* slices = nullptr;  ///< [split, c_out, kernel_volume, c_in]; null: `gw` is written
  int split = 1;
};

void launch_wgrad_pass(Dtype dtype, const WgradPass& pass, const gpu::Stream& stream);

/// Instances, one file per dtype: E is the element type of gpu/element.cuh.
template <class E>
void launch_wgrad_pass_of(const WgradPass& pass, const gpu::Stream& stream);

}  // namespace spb::plans
