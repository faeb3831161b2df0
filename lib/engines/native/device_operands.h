// SPDX-License-Identifier: Apache-2.0
// Device memory of the operands of one problem.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/host_tensors.h"
#include "core/problem.h"
#include "core/tensors.h"
#include "gpu/buffer.h"

namespace spb::engines {

class DeviceOperands {
 public:
  /// Allocates what the problem's direction reads and writes. On the device, weights have the
  /// layout.
  DeviceOperands(const Problem& problem, const MapSize& size, gpu::Allocator& allocator,
                 WeightLayout weights = WeightLayout::c_out_first);

  void upload(const HostOperands& operands, const gpu::Stream& stream);
  /// What the runs read, from operands of the same problem. Does not wait.
  void copy_inputs(const DeviceOperands& from, const gpu::Stream& stream);
  Operands pointers();
  /// The main one, main_output().
  const void* output() const { return buffer(main_.tensor).data(); }
  /// Of the stored outputs; equal bits have equal hashes.
  uint64_t output_hash(const gpu::Stream& stream) const;
  /// Takes large vectors again and again, since new memory costs more than the copy.
  void download(OutputBits& into, const gpu::Stream& stream) const;
  OutputBits download(const gpu::Stream& stream) const;
  /// Of the main one the listed elements alone.
  void download_elements(std::span<const int64_t> elements, OutputBits& into,
                         const gpu::Stream& stream) const;

 private:
  void download_bias(OutputBits& into, const gpu::Stream& stream) const;
  gpu::Buffer<std::byte>& buffer(Tensor tensor) { return buffers_[static_cast<size_t>(tensor)]; }
  const gpu::Buffer<std::byte>& buffer(Tensor tensor) const {
    return buffers_[static_cast<size_t>(tensor)];
  }

  bool is_turned(Tensor tensor) const;

  std::vector<TensorSpec> specs_;
  TensorSpec main_;
  WeightLayout weights_;
  std::array<gpu::Buffer<std::byte>, kTensorCount> buffers_;  // empty: not touched
};

/// Bytes of all operands and outputs.
int64_t operand_bytes(const Problem& problem, const MapSize& size);

}  // namespace spb::engines
