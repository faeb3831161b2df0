// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/addresses.h"

#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

GPU_KERNEL void list_addresses_kernel(char* from, const int64_t* places, int64_t count,
                                      void** addresses) {
  const int64_t i = gpu::global_index();
  if (i < count) addresses[i] = from + places[i];
}

}  // namespace

void list_addresses(const void* from, const int64_t* places, int64_t count, void** addresses,
                    const gpu::Stream& stream) {
  gpu::launch_flat(list_addresses_kernel, count, stream,
                   static_cast<char*>(const_cast<void*>(from)), places, count, addresses);
}

}  // namespace spb::plans
