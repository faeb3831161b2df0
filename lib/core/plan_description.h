// SPDX-License-Identifier: Apache-2.0
// What a plan says of itself.
#pragma once

#include <string>

#include "core/dtype.h"

namespace spb {

/// What verification may assume of a plan's arithmetic (verification.md, sections 4 and 5).
struct Arithmetic {
  Dtype dtype = Dtype::f32;
  Dtype partials = Dtype::f32;     ///< what sums of a part are rounded to before they are added
  Dtype atomics = Dtype::f32;      ///< of additions to memory
  Dtype accumulator = Dtype::f32;  ///< of the multiply's own sums
  /// Significant bits of these, of the largest addend on: fewer than fp32 has where 8-bit floats
  /// are multiplied.
  int sum_bits = 24;
  int promoted_products = 0;  ///< products after which such sums are added to fp32; 0: never
  int mma_depth = 0;          ///< d: products summed by one instruction; 0 for scalar FMA
  double mma_rounding = 0;    ///< m of verification.md, section 4: 0 SIMT, 4 MMA
  bool deterministic = true;  ///< claims bitwise equal repeats
  /// Sums go through additions to memory, which may take subnormals of fp32 for 0 (PTX ISA,
  /// `atom.add.f32`).
  bool adds_to_memory = false;
  /// Subnormals of operands are zeros to the multiply, and so are products and sums below the
  /// normals of fp32.
  bool flushes_subnormals = false;
};

/// The column arithmetic_class: the dtype, and a suffix for each weaker type, "f16+partials=f16",
/// "e4m3+acc=14bit".
std::string class_of(const Arithmetic& arithmetic);

struct PlanDescription {
  std::string kernel;       ///< the chosen variant
  std::string params_json;  ///< tile, split, order
  Arithmetic arithmetic;
  /// c_in * c_out / groups * executed rows, tails counted whole. Of wgrad over lists their entries
  /// count, and pairs alone where kernels leave out absent slots: what a step multiplies for the
  /// rows beside, a few percent, only the device knows.
  double executed_macs = 0;
};

}  // namespace spb
