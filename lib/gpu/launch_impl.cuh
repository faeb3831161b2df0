// The templates declared in launch.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/check.h"

namespace spb::gpu {

template <class... Params, class... Args>
void launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
            const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (uint64_t{grid.x} * grid.y * grid.z == 0) return;
  check(vendor::launch(kernel, grid, block, shared_bytes, stream.handle(), /*barriers=*/true,
                       args...),
        "launch a kernel");
}

template <class... Params, class... Args>
void launch_flat(void (*kernel)(Params...), int64_t items, const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (items <= 0) return;
  check(vendor::launch(kernel, dim3(flat_grid(items)), dim3(kFlatBlock), 0, stream.handle(),
                       /*barriers=*/false, args...),
        "launch a kernel");
}

}  // namespace spb::gpu
