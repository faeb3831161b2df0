// SPDX-License-Identifier: Apache-2.0
// How plans that leave arithmetic to gpu::gemm() multiply tf32.
#pragma once

#include "core/dtype.h"
#include "gpu/gemm.h"

namespace spb::plans {

struct Tf32Products {
  /// Operands are copies rounded to nearest, as a product needs them that rounds in another way.
  bool of_rounded_copies = !gpu::gemm_rounds_tf32();
  Dtype dtype = Dtype::tf32;  ///< that the products are asked for
};

/// Tests ask for copies and f32 products, which round nothing: an operand left as it was shows.
inline Tf32Products tf32_products;

}  // namespace spb::plans
