// SPDX-License-Identifier: Apache-2.0
// Operands that the device makes for itself, with the bits that the host would make.
#pragma once

#include <cstdint>
#include <optional>

#include "core/operand_draw.h"
#include "core/storage.h"
#include "gpu/stream.h"

namespace spb::gpu {

/// Stores all elements as `type`, which holds them as they are, and waits. `turned_rows`: of a
/// matrix of so many rows its transpose; 0: as they come.
void draw(const OperandDraw& operand, Storage type, int64_t turned_rows, void* data,
          const Stream& stream);

/// An element that has other bits than the host draws.
struct DrawnElsewise {
  int64_t element;
  float here, on_host;
};
/// The first of those that are compared: the first elements and the last, and some between. `data`:
/// all of them, as fp32.
std::optional<DrawnElsewise> compare_drawn(const OperandDraw& operand, const float* data,
                                           const Stream& stream);

}  // namespace spb::gpu
