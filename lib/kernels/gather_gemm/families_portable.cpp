// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/matrix_cores/matrix_cores.h"
#include "kernels/gather_gemm/portable/portable.h"

namespace spb::plans {

std::span<const RowFamily> row_families() {
  static const RowFamily families[] = {matrix_row_family(), portable_row_family()};
  return families;
}

}  // namespace spb::plans
