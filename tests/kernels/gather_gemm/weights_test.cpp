// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include <array>
#include <bit>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "gpu/buffer.h"
#include "kernels/tf32.h"

namespace spb::plans {
namespace {

/// Element (depth k, offset o, column n), with all kinds of bits below those of tf32, ties too.
float weight(int64_t i) {
  return std::bit_cast<float>(0x3F800000u + static_cast<uint32_t>(i) * 0x1000u % 0x800000u +
                              static_cast<uint32_t>(i % 3));
}

/// Of 3xtf32: nearest, and what the exact rest is.
std::vector<float> parts_of(Dtype dtype, float value) {
  const float high = nearest_tf32(value);
  return dtype == Dtype::tf32x3 ? std::vector{high, value - high} : std::vector{high};
}

/// `begin`: at which element of an allocation weights do.
void prepare(Dtype dtype, bool transposed, int kernel_volume, int depth, int columns,
             int begin = 0) {
  SCOPED_TRACE(std::string(info(dtype).name) + ", depth " + std::to_string(depth) +
               (transposed ? ", transposed" : ""));
  const gpu::Stream stream;
  gpu::Allocator allocator(gpu::Guards::page());
  const int64_t count = int64_t{kernel_volume} * depth * columns;
  const int parts = tf32_parts(dtype);
  std::vector<float> host(static_cast<size_t>(begin + count));
  for (int64_t i = 0; i < count; ++i) host[static_cast<size_t>(begin + i)] = weight(i);
  gpu::Buffer<float> in(allocator, begin + count, gpu::Tag::weight);
  gpu::Buffer<float> out(allocator, parts * count, gpu::Tag::workspace);
  in.upload(host, stream);
  GatherGemmParams params;
  params.weights = in.data() + begin;
  params.prepared = out.data();
  params.kernel_volume = kernel_volume;
  params.k = depth;
  params.n = columns;
  params.weight_offset_pitch = transposed ? columns : depth;
  params.weight_k_pitch = transposed ? int64_t{kernel_volume} * columns : 1;
  params.weight_n_pitch = transposed ? 1 : int64_t{kernel_volume} * depth;
  prepare_weights(dtype, params, stream);
  const std::vector<float> found = out.download(stream);
  for (int n = 0; n < columns; ++n)
    for (int o = 0; o < kernel_volume; ++o)
      for (int k = 0; k < depth; ++k) {
        const std::vector<float> expected =
            parts_of(dtype, weight(o * params.weight_offset_pitch + k * params.weight_k_pitch +
                                   n * params.weight_n_pitch));
        for (int part = 0; part < parts; ++part) {
          const int64_t row = (int64_t{n} * parts + part) * kernel_volume + o;
          ASSERT_EQ(found[static_cast<size_t>(row * depth + k)],
                    expected[static_cast<size_t>(part)]);
        }
      }
  EXPECT_TRUE(allocator.damaged_guards(stream).empty());
}

TEST(RowWeights, AreInPartsOfTf32AndInOrderOfDepth) {
  for (const Dtype dtype : {Dtype::tf32, Dtype::tf32x3})
    for (const bool transposed : {false, true})
      for (const auto& [kernel_volume, depth, columns] :
           {std::array{27, 40, 72}, std::array{1, 4, 32}, std::array{8, 132, 4},
            std::array{1, 4, 65'540}, std::array{65'540, 4, 4}})  // beyond a grid's y
        prepare(dtype, transposed, kernel_volume, depth, columns);
}

// A caller's weights lie where they lie; what is prepared is the plan's own.
TEST(RowWeights, MayBeginAnywhere) {
  for (const bool transposed : {false, true})
    for (const int begin : {1, 2}) prepare(Dtype::tf32, transposed, 3, 8, 36, begin);
}

// Parts of what does not round to a finite value: one that no zero of the other operand meets, and
// the value itself, less that.
TEST(RowWeights, InfinitiesKeepOnePartFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kMost = std::numeric_limits<float>::max(), kLeast = 0x1.ffep127f;
  const std::vector<float> host = {kInfinity, -kInfinity, kMost, -kLeast};
  const gpu::Stream stream;
  gpu::Allocator allocator(gpu::Guards::page());
  gpu::Buffer<float> in(allocator, 4, gpu::Tag::weight), out(allocator, 8, gpu::Tag::workspace);
  in.upload(host, stream);
  GatherGemmParams params;
  params.weights = in.data();
  params.prepared = out.data();
  params.kernel_volume = 1;
  params.k = 4;
  params.n = 1;
  params.weight_k_pitch = 1;
  prepare_weights(Dtype::tf32x3, params, stream);
  EXPECT_EQ(out.download(stream),
            (std::vector<float>{1, -1, 1, -1, kInfinity, -kInfinity, kMost, -kLeast}));
}

TEST(RowWeights, OfBytesAreTurned) {
  for (const auto& [depth, kernel_volume, columns] :
       {std::array{40, 27, 72}, std::array{4, 1, 32}, std::array{132, 8, 4},
        std::array{516, 2, 520}, std::array{4, 65'540, 4}}) {
    SCOPED_TRACE(depth);
    const gpu::Stream stream;
    gpu::Allocator allocator(gpu::Guards::page());
    const int64_t count = int64_t{depth} * kernel_volume * columns;
    std::vector<std::byte> host(static_cast<size_t>(count));
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i * 37 % 251);
    gpu::Buffer<std::byte> in(allocator, count, gpu::Tag::weight);
    gpu::Buffer<std::byte> out(allocator, count, gpu::Tag::workspace);
    in.upload(host, stream);
    turn_byte_weights(in.data(), {depth, kernel_volume, columns}, out.data(), stream);
    const std::vector<std::byte> found = out.download(stream);
    for (int n = 0; n < columns; ++n)
      for (int o = 0; o < kernel_volume; ++o)
        for (int k = 0; k < depth; ++k)
          ASSERT_EQ(found[static_cast<size_t>((int64_t{n} * kernel_volume + o) * depth + k)],
                    host[static_cast<size_t>((int64_t{k} * kernel_volume + o) * columns + n)]);
    EXPECT_TRUE(allocator.damaged_guards(stream).empty());
  }
}

}  // namespace
}  // namespace spb::plans
