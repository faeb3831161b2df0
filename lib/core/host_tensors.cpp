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

bool same_bits(const OutputBits& a, const OutputBits& b) {
  return same(a.main, b.main) && same(a.bias, b.bias);
}

}  // namespace spb
