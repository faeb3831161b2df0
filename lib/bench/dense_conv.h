// SPDX-License-Identifier: Apache-2.0
// The dense convolution that sparse ones are compared with.
#pragma once

#include <string>

#include "gpu/allocator.h"
#include "gpu/dense_conv.h"

namespace spb::bench {

struct DenseConvTime {
  double time_us = 0;  ///< 0: there is none
  std::string source;  ///< library, algorithm, layout; or why there is none
};

/// Bytes of operands and result.
int64_t dense_conv_bytes(const gpu::DenseConv& conv);

/// Hot time of one convolution of random data by the library's fastest algorithm. None where its
/// tensors are more than half of the free memory, or where the library cannot.
DenseConvTime dense_conv_time(const gpu::DenseConvLibrary& library, const gpu::DenseConv& conv,
                              gpu::Allocator& allocator, const gpu::Stream& stream);

}  // namespace spb::bench
