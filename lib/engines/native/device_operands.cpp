// SPDX-License-Identifier: Apache-2.0
#include "engines/native/device_operands.h"

#include <cstring>
#include <span>
#include <string>

#include "core/error.h"
#include "gpu/content_hash.h"
#include "gpu/draw.h"
#include "gpu/pick.h"
#include "gpu/staging.h"

namespace spb::engines {
namespace {

gpu::Tag tag_of(const TensorSpec& spec) {
  if (spec.access == Access::write) return gpu::Tag::output;
  switch (spec.tensor) {
    case Tensor::weights:
    case Tensor::bias:
    case Tensor::scale:
    case Tensor::residual_scale:
      return gpu::Tag::weight;
    default:
      return gpu::Tag::input;
  }
}

/// Of a matrix with so many rows.
Floats transposed(std::span<const float> matrix, int64_t row_count) {
  const auto rows = static_cast<size_t>(row_count), columns = matrix.size() / rows;
  Floats result(matrix.size());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      result[column * rows + row] = matrix[row * columns + column];
  return result;
}

}  // namespace

DeviceOperands::DeviceOperands(const Problem& problem, const MapSize& size,
                               gpu::Allocator& allocator, WeightLayout weights)
    : specs_(tensors(problem, size)), main_(main_output(problem, size)), weights_(weights) {
  // Only what the direction touches is allocated: memory columns count what a caller would hold.
  for (const TensorSpec& spec : specs_)
    if (spec.bytes() > 0)
      buffer(spec.tensor) = gpu::Buffer<std::byte>(allocator, spec.bytes(), tag_of(spec));
}

bool DeviceOperands::is_turned(Tensor tensor) const {
  return weights_ == WeightLayout::c_out_last &&
         (tensor == Tensor::weights || tensor == Tensor::gw);
}

void DeviceOperands::upload(const HostOperands& operands, const gpu::Stream& stream) {
  for (const TensorSpec& spec : specs_) {
    if (spec.access != Access::read || buffer(spec.tensor).size() == 0) continue;
    void* const data = buffer(spec.tensor).data();
    const int64_t turned_rows = is_turned(spec.tensor) ? spec.shape.extents[0] : 0;
    if (const OperandDraw* how = operands.find_draw(spec.tensor)) {
      gpu::draw(*how, spec.type, turned_rows, data, stream);
      continue;
    }
    const Floats* held = operands.find(spec.tensor);
    if (!held)
      throw Error(ExitCode::runtime, std::string(name(spec.tensor)) + " is no operand on the host");
    std::span<const float> values = *held;
    Floats turned;
    if (turned_rows > 0) values = turned = transposed(values, turned_rows);
    gpu::upload_encoded(values, spec.type, data, stream);
  }
}

void DeviceOperands::copy_inputs(const DeviceOperands& from, const gpu::Stream& stream) {
  for (const TensorSpec& spec : specs_) {
    gpu::Buffer<std::byte>& to = buffer(spec.tensor);
    if (spec.access != Access::read || to.size() == 0) continue;
    gpu::transfer(to.data(), from.buffer(spec.tensor).data(), to.bytes(), stream);
  }
}

uint64_t DeviceOperands::output_hash(const gpu::Stream& stream) const {
  const auto hash_of = [&](Tensor tensor) {
    return gpu::content_hash(buffer(tensor).data(), buffer(tensor).bytes(), stream);
  };
  uint64_t hash = hash_of(main_.tensor);
  if (buffer(Tensor::gbias).size() != 0) hash = 31 * hash + hash_of(Tensor::gbias);
  return hash;
}

Operands DeviceOperands::pointers() {
  const auto floats = [&](Tensor tensor) {
    return reinterpret_cast<float*>(buffer(tensor).data());
  };
  return {.in = buffer(Tensor::in).data(),
          .weights = buffer(Tensor::weights).data(),
          .bias = floats(Tensor::bias),
          .gout = buffer(Tensor::gout).data(),
          .residual = buffer(Tensor::residual).data(),
          .scale = floats(Tensor::scale),
          .residual_scale = floats(Tensor::residual_scale),
          .out = buffer(Tensor::out).data(),
          .gin = buffer(Tensor::gin).data(),
          .gw = buffer(Tensor::gw).data(),
          .gbias = floats(Tensor::gbias)};
}

void DeviceOperands::download(OutputBits& into, const gpu::Stream& stream) const {
  into.main.resize(static_cast<size_t>(main_.shape.count()));
  gpu::download_decoded(buffer(main_.tensor).data(), main_.type, into.main, stream);
  if (is_turned(main_.tensor))
    into.main = transposed(into.main, main_.shape.count() / main_.shape.extents[0]);
  download_bias(into, stream);
}

void DeviceOperands::download_elements(std::span<const int64_t> elements, OutputBits& into,
                                       const gpu::Stream& stream) const {
  std::vector<int64_t> turned;
  if (is_turned(main_.tensor)) {
    const int64_t rows = main_.shape.extents[0], columns = main_.shape.count() / rows;
    for (const int64_t element : elements)
      turned.push_back(element % columns * rows + element / columns);
    elements = turned;
  }
  std::vector<std::byte> stored(elements.size() * static_cast<size_t>(info(main_.type).bytes));
  gpu::pick(buffer(main_.tensor).data(), info(main_.type).bytes, elements, stored.data(), stream);
  into.main.resize(elements.size());
  decode(stored.data(), main_.type, into.main);
  download_bias(into, stream);
}

void DeviceOperands::download_bias(OutputBits& into, const gpu::Stream& stream) const {
  into.bias.resize(static_cast<size_t>(buffer(Tensor::gbias).size()) / sizeof(float));
  gpu::download_decoded(buffer(Tensor::gbias).data(), Storage::f32, into.bias, stream);
}

OutputBits DeviceOperands::download(const gpu::Stream& stream) const {
  OutputBits bits;
  download(bits, stream);
  return bits;
}

int64_t operand_bytes(const Problem& problem, const MapSize& size) {
  int64_t bytes = 0;
  for (const TensorSpec& spec : tensors(problem, size)) bytes += spec.bytes();
  return bytes;
}

}  // namespace spb::engines
