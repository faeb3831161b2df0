// SPDX-License-Identifier: Apache-2.0
// One plan with its operands in guarded device memory.
#pragma once

#include <memory>
#include <string>

#include "algorithms/algorithm.h"
#include "algorithms/naive.h"
#include "algorithms/named.h"

namespace spb {

class DeviceRun {
 public:
  DeviceRun(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels);

  /// Uploads the inputs; their row counts are n_in() and n_out().
  void set_inputs(const naive::Inputs& inputs);
  /// Runs with outputs and workspace full of `poison`, and `times` - 1 times more without a look in
  /// between; throws on a damaged guard.
  std::vector<float> run(uint8_t poison = 0xFF, int times = 1);
  /// Of the last run.
  std::vector<float> bias_gradient() const { return gbias_.download(stream_); }

  Plan& plan() { return *plan_; }
  MapSet map() const { return plan_->map(stream_); }
  gpu::Allocator& allocator() { return allocator_; }
  int64_t n_in() const { return plan_->size().n_in; }
  int64_t n_out() const { return plan_->size().n_out; }

 private:
  using Bytes = gpu::Buffer<std::byte>;
  Bytes upload(const std::vector<float>& values, gpu::Tag tag);

  Problem problem_;
  gpu::Allocator allocator_{gpu::Guards::page()};
  gpu::Stream stream_;
  maps::DeviceCoords coords_;
  std::unique_ptr<Plan> plan_;
  Bytes in_, weights_, gout_, residual_, output_;
  gpu::Buffer<float> bias_, gbias_;
};

inline Problem parsed_problem(const std::string& text) { return parse_problem(text, "test"); }

}  // namespace spb
