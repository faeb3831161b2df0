#include "run/device_operands.h"

#include <cmath>
#include <gtest/gtest.h>

namespace spb::run {
namespace {

TEST(DeviceOperands, AllocatesWhatTheDirectionTouches) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    const Problem problem{
        .geometry = {}, .c_in = 3, .c_out = 5, .dtype = Dtype::f16, .direction = direction};
    gpu::Allocator allocator;
    DeviceOperands operands(problem, 7, 4, allocator);
    EXPECT_EQ(allocator.counts().live_bytes, operand_bytes(problem, 7, 4));
    const Operands p = operands.pointers();
    EXPECT_EQ(p.out != nullptr, direction == Direction::fprop);
    EXPECT_EQ(p.gin != nullptr, direction == Direction::dgrad);
    EXPECT_EQ(p.gw != nullptr, direction == Direction::wgrad);
    EXPECT_EQ(p.gbias != nullptr, direction == Direction::wgrad);
    EXPECT_EQ(p.bias != nullptr, direction == Direction::fprop);
  }
  EXPECT_EQ(operand_bytes({.geometry = {}, .c_in = 3, .c_out = 5, .dtype = Dtype::f16}, 7, 4),
            2 * (7 * 3 + 5 * 27 * 3 + 4 * 5) + 4 * 5);
}

TEST(DeviceOperands, BitsTellApartWhatFloatsDoNot) {
  OutputBits zero{.main = std::vector<std::byte>(4), .bias = {0.f}};
  OutputBits minus_zero{.main = std::vector<std::byte>(4), .bias = {-0.f}};
  OutputBits nan{.main = {}, .bias = {NAN}};
  EXPECT_FALSE(same_bits(zero, minus_zero));
  EXPECT_TRUE(same_bits(nan, nan));
  EXPECT_FALSE(same_bits(zero, nan));
}

}  // namespace
}  // namespace spb::run
