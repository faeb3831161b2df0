// SPDX-License-Identifier: Apache-2.0
// Dense convolutions by the vendor's library, found at run time: what sparse ones are held against.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/problem.h"
#include "gpu/stream.h"

namespace spb::gpu {

/// Tensors [batch, x, y, z, channel] without an empty cell, weights [c_out, x, y, z, c_in], zeros
/// around the input: output cell u sums over input cells u * stride + o * dilation - padding.
struct DenseConv {
  Dtype dtype = Dtype::f16;
  Direction direction = Direction::fprop;
  int batches = 1;
  Int3 in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1};
  Int3 stride{1, 1, 1}, dilation{1, 1, 1}, padding{0, 0, 0};
  int c_in = 1, c_out = 1;

  int64_t in_elements() const { return cells(in) * c_in; }
  int64_t out_elements() const { return cells(out) * c_out; }
  int64_t weight_elements() const {
    return int64_t{kernel[0]} * kernel[1] * kernel[2] * c_in * c_out;
  }

 private:
  int64_t cells(const Int3& shape) const {
    return int64_t{batches} * shape[0] * shape[1] * shape[2];
  }
};

/// In device memory, each as large as DenseConv says, of the dtype's storage. Two are read, and the
/// direction's result is written: out, in (as its gradient) or weights (as theirs).
struct DenseConvBuffers {
  void* in = nullptr;
  void* weights = nullptr;
  void* out = nullptr;
  void* workspace = nullptr;
  int64_t workspace_bytes = 0;
};

/// A convolution with the algorithm that was the fastest on its buffers.
class DenseConvPlan {
 public:
  virtual ~DenseConvPlan() = default;
  /// Enqueued on the stream of the plan. Throws Error (runtime) where the library refuses.
  virtual void run() const = 0;
  /// Version, algorithm, layout: "cudnn 9.1.0 IMPLICIT_PRECOMP_GEMM NDHWC".
  virtual const std::string& source() const = 0;
};

class DenseConvLibrary {
 public:
  virtual ~DenseConvLibrary() = default;
  /// Why the library cannot, as far as sizes tell, or nothing.
  virtual std::optional<std::string> unsupported(const DenseConv& conv) const = 0;
  /// Tries all algorithms in all layouts, and waits. Throws Error (runtime) when none works. The
  /// buffers must stay as long as the plan.
  virtual std::unique_ptr<DenseConvPlan> plan(const DenseConv& conv,
                                              const DenseConvBuffers& buffers,
                                              const Stream& stream) const = 0;
};

struct OpenedDenseConv {
  std::unique_ptr<const DenseConvLibrary> library;  ///< null when there is none
  std::string note;                                 ///< its name and version, or why there is none
};

/// Whether the vendor of this build has such a library at all, installed or not.
bool vendor_has_dense_conv();
/// Its library; loaded at the first call, once a process.
const OpenedDenseConv& dense_conv_library();

/// NVIDIA: cuDNN, loaded with dlopen. `library` is another file in tests.
OpenedDenseConv open_cudnn(const std::string& library = "libcudnn.so.9");

}  // namespace spb::gpu
