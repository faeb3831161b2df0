// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include <array>
#include <bit>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "kernels/tf32.h"

namespace spb::plans {
namespace {

/// Element (depth k, offset o, column n), with all kinds of bits below those of tf32, ties too.
float weight(int64_t i) {
  return std::bit_cast<float>(0x3F800000u + static_cast<uint32_t>(i) * 0x1000u % 0x800000u +
                              static_cast<uint32_t>(i % 3));
}

TEST(RowWeights, AreRoundedAndInOrderOfDepth) {
  for (const bool transposed : {false, true})
    for (const auto& [kernel_volume, depth, columns] :
         {std::array{27, 40, 72}, std::array{1, 4, 32}, std::array{8, 132, 4}}) {
      SCOPED_TRACE(std::to_string(depth) + (transposed ? " transposed" : ""));
      const gpu::Stream stream;
      gpu::Allocator allocator(gpu::Guards::page());
      const int64_t count = int64_t{kernel_volume} * depth * columns;
      std::vector<float> host(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) host[static_cast<size_t>(i)] = weight(i);
      gpu::Buffer<float> in(allocator, count, gpu::Tag::weight);
      gpu::Buffer<float> out(allocator, count, gpu::Tag::workspace);
      in.upload(host, stream);
      GatherGemmParams params;
      params.weights = in.data();
      params.prepared = out.data();
      params.kernel_volume = kernel_volume;
      params.k = depth;
      params.n = columns;
      params.weight_offset_pitch = transposed ? columns : depth;
      params.weight_k_pitch = transposed ? int64_t{kernel_volume} * columns : 1;
      params.weight_n_pitch = transposed ? 1 : int64_t{kernel_volume} * depth;
      prepare_tf32_weights(params, stream);
      const std::vector<float> found = out.download(stream);
      for (int n = 0; n < columns; ++n)
        for (int o = 0; o < kernel_volume; ++o)
          for (int k = 0; k < depth; ++k)
            ASSERT_EQ(found[static_cast<size_t>((int64_t{n} * kernel_volume + o) * depth + k)],
                      nearest_tf32(weight(o * params.weight_offset_pitch +
                                          k * params.weight_k_pitch + n * params.weight_n_pitch)));
      EXPECT_TRUE(allocator.damaged_guards(stream).empty());
    }
}

TEST(RowWeights, OfBytesAreTurned) {
  for (const auto& [depth, kernel_volume, columns] :
       {std::array{40, 27, 72}, std::array{4, 1, 32}, std::array{132, 8, 4},
        std::array{516, 2, 520}}) {
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
