// SPDX-License-Identifier: Apache-2.0
#include "gpu/mma/matrix_twin_host.h"

#include <cstdlib>
#include <string_view>

#include "gpu/device_info.h"
#include "gpu/mma/matrix_cores_in_use.h"

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

bool device_has(MatrixCores cores) {
  if (device_in_use().warp_size != lanes_of(cores)) return false;
  if (cores == MatrixCores::cdna2) return host_matrix_arithmetic == MatrixArithmetic::gfx90a;
  if (cores == MatrixCores::cdna3) return host_matrix_arithmetic == MatrixArithmetic::gfx942;
  return true;
}

bool flush_subnormals(MatrixCores cores, Dtype dtype) {
  return cores == MatrixCores::cdna && dtype != Dtype::f32 &&
         host_matrix_arithmetic == MatrixArithmetic::gfx90a;
}

}  // namespace spb::gpu
