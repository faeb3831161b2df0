// SPDX-License-Identifier: Apache-2.0
#include "gpu/dense_conv.h"

#include <string_view>

#include "gpu/device_info.h"

namespace spb::gpu {

bool vendor_has_dense_conv() { return std::string_view(backend_name()) == "cuda"; }

const OpenedDenseConv& dense_conv_library() {
  static const OpenedDenseConv opened =
      vendor_has_dense_conv()
          ? open_cudnn()
          : OpenedDenseConv{nullptr, std::string("no library of dense convolutions is known for ") +
                                         backend_name()};
  return opened;
}

}  // namespace spb::gpu
