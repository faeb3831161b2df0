// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace spb::plans {

/// The tf32 number next to a value; of two, that away from zero.
inline float nearest_tf32(float value) {
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000u) & ~0x1FFFu);
}

}  // namespace spb::plans
