// SPDX-License-Identifier: Apache-2.0
// Operands that are drawn: whoever reads one, host or device, makes what it reads, and nothing need
// travel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/draw.h"
#include "core/storage.h"
#include "core/tensors.h"
#include "core/uninitialized.h"

namespace spb {

/// An element that is put in the place of what was drawn.
struct Patch {
  int64_t element = 0;
  float value = 0;
};

/// One operand.
struct OperandDraw {
  Draw draw;
  int64_t count = 0;               ///< of elements
  Storage storage = Storage::f32;  ///< whose nearest values are taken
  /// What a multiply sees: operands of tf32 rounded, and those below it in magnitude zero.
  bool rounds_to_tf32 = false;
  float least = 0;
  std::vector<Patch> patches{};  ///< as they are: neither rounded nor flushed; the last one counts

  /// What a multiply sees of a value of the storage.
  float seen(float value) const;
  /// What becomes of values of `draw`.
  void finish(std::span<float> values) const;
};

/// Elements `first`, `first` + 1 ... without patches.
void draw(const OperandDraw& operand, int64_t first, std::span<float> values);
/// One element, the same.
float drawn(const OperandDraw& operand, int64_t element);
/// All, with patches.
Floats drawn_whole(const OperandDraw& operand);
/// Puts the patches of the elements `first`, `first` + 1 ... among them.
void put_patches(const OperandDraw& operand, int64_t first, std::span<float> values);

/// Of a problem's operands those that are large.
struct OperandDraws {
  std::optional<OperandDraw> in{}, weights{}, gout{}, residual{};
  /// Null of other tensors and of those that the direction does not read.
  const OperandDraw* find(Tensor tensor) const;
};

}  // namespace spb
