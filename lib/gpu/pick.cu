// SPDX-License-Identifier: Apache-2.0
#include "gpu/pick.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "gpu/buffer.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

template <class T>
GPU_KERNEL void pick_kernel(const T* from, const int64_t* places, int64_t count, T* to) {
  const int64_t i = global_index();
  if (i < count) to[i] = from[places[i]];
}

template <class T>
void pick_as(const void* from, std::span<const int64_t> places, void* to, const Stream& stream) {
  const auto count = static_cast<int64_t>(places.size());
  auto* listed = static_cast<int64_t*>(landing(bytes_of(count, sizeof(int64_t) + sizeof(T))));
  std::ranges::copy(places, listed);
  T* picked = reinterpret_cast<T*>(listed + count);
  launch_flat(pick_kernel<T>, count, stream, static_cast<const T*>(from),
              static_cast<const int64_t*>(listed), count, picked);
  stream.synchronize();
  std::memcpy(to, picked, places.size() * sizeof(T));
}

}  // namespace

void pick(const void* from, int64_t element_bytes, std::span<const int64_t> places, void* to,
          const Stream& stream) {
  if (places.empty()) return;
  switch (element_bytes) {
    case 1:
      return pick_as<uint8_t>(from, places, to, stream);
    case 2:
      return pick_as<uint16_t>(from, places, to, stream);
    case 4:
      return pick_as<uint32_t>(from, places, to, stream);
    default:
      throw std::logic_error("no elements of so many bytes are picked");
  }
}

}  // namespace spb::gpu
