// SPDX-License-Identifier: Apache-2.0
#include "core/host_tensors.h"

#include <cstring>
#include <span>

namespace spb {
namespace {

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

const Floats* HostOperands::find(Tensor tensor) const {
  switch (tensor) {
    case Tensor::in:
      return &in;
    case Tensor::weights:
      return &weights;
    case Tensor::bias:
      return &bias;
    case Tensor::gout:
      return &gout;
    case Tensor::residual:
      return &residual;
    case Tensor::scale:
      return &scale;
    case Tensor::residual_scale:
      return &residual_scale;
    case Tensor::out:
    case Tensor::gin:
    case Tensor::gw:
    case Tensor::gbias:
      break;
  }
  return nullptr;
}

bool same_bits(const OutputBits& a, const OutputBits& b) {
  return same(a.main, b.main) && same(a.bias, b.bias);
}

}  // namespace spb
