#include "run/device_operands.h"

#include <cstring>
#include <span>

#include "gpu/check.h"
#include "gpu/content_hash.h"
#include "run/staging.h"

namespace spb::run {
namespace {

/// Elements of each tensor; 0 for one that the direction does not touch.
struct Sizes {
  int64_t in = 0, weights = 0, gout = 0, main = 0, bias = 0, gbias = 0;
};

Sizes sizes(const Problem& problem, int64_t n_in, int64_t n_out) {
  const int64_t in = n_in * problem.c_in, out = n_out * problem.c_out;
  const int64_t bias = problem.bias ? problem.c_out : 0;
  switch (problem.direction) {
    case Direction::fprop:
      return {.in = in, .weights = problem.weight_count(), .main = out, .bias = bias};
    case Direction::dgrad:
      return {.weights = problem.weight_count(), .gout = out, .main = in};
    case Direction::wgrad:
      break;
  }
  return {.in = in, .gout = out, .main = problem.weight_count(), .gbias = bias};
}

void upload_operand(gpu::Buffer<std::byte>& buffer, std::span<const float> values, Dtype dtype,
                    const gpu::Stream& stream) {
  if (buffer.size() != 0) upload_encoded(values, dtype, buffer.data(), stream);
}

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

bool same_bits(const OutputBits& a, const OutputBits& b) {
  return same(a.main, b.main) && same(a.bias, b.bias);
}

DeviceOperands::DeviceOperands(const Problem& problem, int64_t n_in, int64_t n_out,
                               gpu::Allocator& allocator)
    : problem_(problem) {
  const Sizes n = sizes(problem, n_in, n_out);
  const int64_t element = info(problem.dtype).bytes;
  // Only what the direction touches is allocated: memory columns count what a caller would hold.
  const auto elements = [&](int64_t count, gpu::Tag tag) {
    return count ? gpu::Buffer<std::byte>(allocator, count * element, tag)
                 : gpu::Buffer<std::byte>();
  };
  const auto floats = [&](int64_t count, gpu::Tag tag) {
    return count ? gpu::Buffer<float>(allocator, count, tag) : gpu::Buffer<float>();
  };
  in_ = elements(n.in, gpu::Tag::input);
  gout_ = elements(n.gout, gpu::Tag::input);
  weights_ = elements(n.weights, gpu::Tag::weight);
  bias_ = floats(n.bias, gpu::Tag::weight);
  main_ = elements(n.main, gpu::Tag::output);
  gbias_ = floats(n.gbias, gpu::Tag::output);
}

void DeviceOperands::upload(const verify::HostOperands& operands, const gpu::Stream& stream) {
  upload_operand(in_, operands.in, problem_.dtype, stream);
  upload_operand(gout_, operands.gout, problem_.dtype, stream);
  upload_operand(weights_, operands.weights, problem_.dtype, stream);
  if (bias_.size() != 0) bias_.upload(operands.bias, stream);
}

void DeviceOperands::copy_inputs(const DeviceOperands& from, const gpu::Stream& stream) {
  const auto copy = [&](auto& to, const auto& source) {
    if (to.size() == 0) return;
    gpu::check(gpuMemcpyAsync(to.data(), source.data(), static_cast<size_t>(to.bytes()),
                              gpuMemcpyDeviceToDevice, stream.handle()),
               "copy operands");
  };
  copy(in_, from.in_);
  copy(gout_, from.gout_);
  copy(weights_, from.weights_);
  copy(bias_, from.bias_);
}

uint64_t DeviceOperands::output_hash(const gpu::Stream& stream) const {
  uint64_t hash = gpu::content_hash(main_.data(), main_.bytes(), stream);
  if (gbias_.size() != 0)
    hash = 31 * hash + gpu::content_hash(gbias_.data(), gbias_.bytes(), stream);
  return hash;
}

Operands DeviceOperands::pointers() {
  Operands all{.in = in_.data(),
               .weights = weights_.data(),
               .bias = bias_.data(),
               .gout = gout_.data(),
               .gbias = gbias_.data()};
  switch (problem_.direction) {
    case Direction::fprop:
      all.out = main_.data();
      break;
    case Direction::dgrad:
      all.gin = main_.data();
      break;
    case Direction::wgrad:
      all.gw = main_.data();
      break;
  }
  return all;
}

void DeviceOperands::download(OutputBits& into, const gpu::Stream& stream) const {
  into.main.resize(static_cast<size_t>(main_.size() / info(problem_.dtype).bytes));
  download_decoded(main_.data(), problem_.dtype, into.main, stream);
  into.bias.clear();
  if (gbias_.size() != 0) into.bias = gbias_.download(stream);
}

OutputBits DeviceOperands::download(const gpu::Stream& stream) const {
  OutputBits bits;
  download(bits, stream);
  return bits;
}

int64_t operand_bytes(const Problem& problem, int64_t n_in, int64_t n_out) {
  const Sizes n = sizes(problem, n_in, n_out);
  return (n.in + n.weights + n.gout + n.main) * info(problem.dtype).bytes + (n.bias + n.gbias) * 4;
}

}  // namespace spb::run
