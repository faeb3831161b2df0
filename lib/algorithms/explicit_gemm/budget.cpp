// SPDX-License-Identifier: Apache-2.0
#include "algorithms/explicit_gemm/budget.h"

namespace spb::plans {

int64_t im2col_budget_bytes = int64_t{1} << 30;

}  // namespace spb::plans
