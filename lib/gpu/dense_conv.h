// SPDX-License-Identifier: Apache-2.0
// Dense convolutions by the vendor's library, found at run time: what sparse ones are held against.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

  // At most 2^58: beyond all memory, and bytes of three such still fit.
  int64_t in_elements() const { return product({batches, in[0], in[1], in[2], c_in}); }
  int64_t out_elements() const { return product({batches, out[0], out[1], out[2], c_out}); }
  int64_t weight_elements() const {
    return product({kernel[0], kernel[1], kernel[2], c_in, c_out});
  }

 private:
  static int64_t product(std::initializer_list<int64_t> factors) {
    constexpr int64_t kMost = int64_t{1} << 58;
    int64_t count = 1;
    for (const int64_t factor : factors)
      count = factor > 0 && count > kMost / factor ? kMost : count * factor;
    return count;
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

/// A convolution by one algorithm, which has run once on its buffers.
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
  /// Tries all algorithms in all layouts, and waits: the few of each layout that the library finds
  /// fastest. Which one is, its own times do not say: it takes them at changing clocks. Throws
  /// Error (runtime) when none works. The buffers must stay as long as the plans.
  virtual std::vector<std::unique_ptr<DenseConvPlan>> plans(const DenseConv& conv,
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
