// SPDX-License-Identifier: Apache-2.0
#include "gpu/mma/matrix_twin_host.h"

#include <cstdlib>
#include <string_view>

namespace spb::gpu {
namespace {

MatrixArithmetic arithmetic_from_environment() {
  const char* chip = std::getenv("SPB_HOST_CHIP");
  return chip && std::string_view(chip) == "gfx90a" ? MatrixArithmetic::gfx90a
                                                    : MatrixArithmetic::gfx942;
}

}  // namespace

MatrixArithmetic host_matrix_arithmetic = arithmetic_from_environment();
SwappedLanes host_swapped_lanes;

}  // namespace spb::gpu
