// SPDX-License-Identifier: Apache-2.0
#include "engines/native/device_operands.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "gpu/staging.h"

namespace spb::engines {
namespace {

TEST(DeviceOperands, AllocatesWhatTheDirectionTouches) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    const Problem problem{
        .geometry = {}, .c_in = 3, .c_out = 5, .dtype = Dtype::f16, .direction = direction};
    gpu::Allocator allocator;
    DeviceOperands operands(problem, {7, 4}, allocator);
    EXPECT_EQ(allocator.counts().live_bytes, operand_bytes(problem, {7, 4}));
    const Operands p = operands.pointers();
    EXPECT_EQ(p.out != nullptr, direction == Direction::fprop);
    EXPECT_EQ(p.gin != nullptr, direction == Direction::dgrad);
    EXPECT_EQ(p.gw != nullptr, direction == Direction::wgrad);
    EXPECT_EQ(p.gbias != nullptr, direction == Direction::wgrad);
    EXPECT_EQ(p.bias != nullptr, direction == Direction::fprop);
  }
  EXPECT_EQ(operand_bytes({.geometry = {}, .c_in = 3, .c_out = 5, .dtype = Dtype::f16}, {7, 4}),
            2 * (7 * 3 + 5 * 27 * 3 + 4 * 5) + 4 * 5);
}

TEST(DeviceOperands, BitsTellApartWhatFloatsDoNot) {
  OutputBits zero{.main = {1.f}, .bias = {0.f}};
  OutputBits minus_zero{.main = {1.f}, .bias = {-0.f}};
  OutputBits nan{.main = {}, .bias = {NAN}};
  EXPECT_FALSE(same_bits(zero, minus_zero));
  EXPECT_TRUE(same_bits(nan, nan));
  EXPECT_FALSE(same_bits(zero, nan));
}

// More than two blocks of a transfer, and a part of one.
TEST(DeviceOperands, DownloadGivesWhatWasUploaded) {
  constexpr int64_t kValues = (17 << 20) + 5;
  std::vector<float> values(kValues), back(kValues);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 2001) - 1000;  // exact in every dtype but bf16
  const gpu::Stream stream;
  gpu::Allocator allocator;
  for (const Dtype dtype : {Dtype::f32, Dtype::f16}) {
    gpu::Buffer<std::byte> buffer(allocator, kValues * info(dtype).input().bytes, gpu::Tag::output);
    gpu::upload_encoded(values, info(dtype).in, buffer.data(), stream);
    std::ranges::fill(back, -1.f);
    gpu::download_decoded(buffer.data(), info(dtype).in, back, stream);
    EXPECT_EQ(values, back) << info(dtype).name;
  }
  std::vector<std::byte> bytes(kValues), bytes_back(kValues);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
  gpu::Buffer<std::byte> buffer(allocator, kValues, gpu::Tag::output);
  buffer.upload(bytes, stream);
  gpu::download(buffer.data(), bytes_back, stream);
  EXPECT_EQ(bytes, bytes_back);
}

// [2, 1, 3] of output channels, offsets and inputs as [1, 3, 2], and the gradient back.
TEST(DeviceOperands, LayWeightsAsTheyAreWanted) {
  Problem problem{.geometry = {}, .c_in = 3, .c_out = 2, .dtype = Dtype::f32, .bias = false};
  problem.geometry.kernel_size = {1, 1, 1};
  const gpu::Stream stream;
  gpu::Allocator allocator;
  DeviceOperands forward(problem, {1, 1}, allocator, WeightLayout::c_out_last);
  HostOperands operands;
  operands.in = {0, 0, 0};
  operands.weights = {1, 2, 3, 4, 5, 6};
  forward.upload(operands, stream);
  std::vector<float> stored(6);
  gpu::download_decoded(forward.pointers().weights, Storage::f32, stored, stream);
  EXPECT_EQ(stored, (std::vector<float>{1, 4, 2, 5, 3, 6}));

  problem.direction = Direction::wgrad;
  DeviceOperands backward(problem, {1, 1}, allocator, WeightLayout::c_out_last);
  gpu::upload_encoded(stored, Storage::f32, backward.pointers().gw, stream);
  EXPECT_EQ(backward.download(stream).main, operands.weights);
  OutputBits some;
  backward.download_elements(std::vector<int64_t>{5, 1, 3}, some, stream);
  EXPECT_EQ(some.main, (Floats{6, 2, 4}));
  EXPECT_TRUE(some.bias.empty());
}

}  // namespace
}  // namespace spb::engines
