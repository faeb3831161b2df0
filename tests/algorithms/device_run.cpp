// SPDX-License-Identifier: Apache-2.0
#include "algorithms/device_run.h"

#include <stdexcept>

namespace spb {
namespace {

int64_t output_elements(const Problem& problem, int64_t n_in, int64_t n_out) {
  switch (problem.direction) {
    case Direction::fprop:
      return n_out * problem.c_out;
    case Direction::dgrad:
      return n_in * problem.c_in;
    case Direction::wgrad:
      break;
  }
  return weight_count(problem);
}

}  // namespace

DeviceRun::DeviceRun(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels)
    : problem_(problem),
      coords_(maps::upload(voxels, allocator_, stream_)),
      plan_(algorithm.plan(problem, coords_, allocator_, stream_)),
      output_(allocator_,
              output_elements(problem, n_in(), n_out()) * info(problem.dtype).input().bytes,
              gpu::Tag::output),
      gbias_(allocator_, problem.c_out, gpu::Tag::output) {}

DeviceRun::Bytes DeviceRun::upload(const std::vector<float>& values, gpu::Tag tag) {
  std::vector<std::byte> bytes(values.size() *
                               static_cast<size_t>(info(problem_.dtype).input().bytes));
  encode(values, info(problem_.dtype).in, bytes.data());
  Bytes buffer(allocator_, static_cast<int64_t>(bytes.size()), tag);
  buffer.upload(bytes, stream_);
  return buffer;
}

void DeviceRun::set_inputs(const naive::Inputs& inputs) {
  in_ = upload(inputs.in, gpu::Tag::input);
  weights_ = upload(inputs.weights, gpu::Tag::weight);
  gout_ = upload(inputs.gout, gpu::Tag::input);
  residual_ = upload(inputs.residual, gpu::Tag::input);
  bias_ = gpu::Buffer<float>(allocator_, problem_.c_out, gpu::Tag::weight);
  bias_.upload(inputs.bias, stream_);
}

std::vector<float> DeviceRun::run(uint8_t poison, int times) {
  allocator_.poison(gpu::Tag::output, poison, stream_);
  allocator_.poison(gpu::Tag::workspace, poison, stream_);
  Operands operands;
  operands.in = in_.data();
  operands.weights = weights_.data();
  operands.gout = gout_.data();
  operands.residual = residual_.data();
  if (problem_.bias) operands.bias = bias_.data();
  if (problem_.bias) operands.gbias = gbias_.data();
  switch (problem_.direction) {
    case Direction::fprop:
      operands.out = output_.data();
      break;
    case Direction::dgrad:
      operands.gin = output_.data();
      break;
    case Direction::wgrad:
      operands.gw = output_.data();
      break;
  }
  for (int i = 0; i < times; ++i) plan_->run(operands, stream_);
  stream_.synchronize();
  if (!allocator_.damaged_guards(stream_).empty()) throw std::runtime_error("a guard is damaged");
  const std::vector<std::byte> bytes = output_.download(stream_);
  std::vector<float> values(bytes.size() / static_cast<size_t>(info(problem_.dtype).input().bytes));
  decode(bytes.data(), info(problem_.dtype).in, values);
  return values;
}

}  // namespace spb
