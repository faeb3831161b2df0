// SPDX-License-Identifier: Apache-2.0
// The algorithms that a program with these records has.
#pragma once

#include <string>
#include <vector>

namespace spb::report {

inline const std::vector<std::string> kKnown{"explicit_gemm",        "gather_scatter",
                                             "implicit_gemm",        "implicit_gemm_splitk",
                                             "masked_implicit_gemm", "masked_implicit_gemm_splitk"};

}  // namespace spb::report
