// SPDX-License-Identifier: Apache-2.0
// std::bit_cast for kernels of every vendor.
#pragma once

#include <cstring>

#include "gpu/qualifiers.h"

namespace spb::gpu::vendor {

template <class To, class From>
GPU_HOST_DEVICE inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);  // of std, HIP's is missing where <cstring> came before HIP
  return to;
}

}  // namespace spb::gpu::vendor
