// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/draw.h"
#include "gpu/staging.h"

namespace spb::gpu {
namespace {

/// Every kind, as fills have them.
std::vector<Draw> draws() {
  return {{},
          {.kind = Draw::Kind::integer, .first = -4, .count = 9},
          {.kind = Draw::Kind::integer, .first = -1, .count = 3, .present = 0.25},
          {.kind = Draw::Kind::sign, .present = 2.0 / 3},
          {.kind = Draw::Kind::odd, .first = 4099, .step = 4, .count = 1024},
          {.kind = Draw::Kind::normal, .factor = 0.03},
          {.kind = Draw::Kind::half_normal},
          {.kind = Draw::Kind::uniform, .factor = 2, .shift = -0.5},
          {.kind = Draw::Kind::uniform, .factor = 100, .shift = -0.5},
          {.kind = Draw::Kind::log_uniform, .first = -12, .count = 24},
          {.kind = Draw::Kind::significand,
           .first = -24,
           .bits = 11,
           .count = 40,
           .one_in = 32,
           .special = 65504}};
}

std::vector<uint32_t> bits_of(const Floats& values) {
  std::vector<uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

class DeviceDraw : public testing::Test {
 protected:
  /// What memory holds, as floats.
  Floats drawn_there(const OperandDraw& operand, Storage type, int64_t turned_rows = 0) {
    Buffer<std::byte> data(memory_, operand.count * info(type).bytes, Tag::input);
    fill_bytes(data.data(), 0x5A, data.bytes(), stream_);
    draw(operand, type, turned_rows, data.data(), stream_);
    Floats values(static_cast<size_t>(operand.count));
    download_decoded(data.data(), type, values, stream_);
    return values;
  }

  Stream stream_;
  Allocator memory_;
};

/// Of more than one run of a generator, and no whole block.
constexpr int64_t kCount = Draw::kRun + 1001;

TEST_F(DeviceDraw, HasTheBitsOfTheHost) {
  for (Draw how : draws()) {
    how.seed = 7;
    how.stream = 4;
    for (const Storage type :
         {Storage::f32, Storage::f16, Storage::bf16, Storage::i8, Storage::e4m3}) {
      const OperandDraw operand{how, kCount, type};
      SCOPED_TRACE(std::to_string(static_cast<int>(how.kind)) + info(type).name);
      const auto wanted = bits_of(drawn_whole(operand));
      EXPECT_EQ(bits_of(drawn_there(operand, type)), wanted);
      // Rounded to the type, held as fp32.
      EXPECT_EQ(bits_of(drawn_there(operand, Storage::f32)), wanted);
    }
  }
}

TEST_F(DeviceDraw, IsWhatAMultiplySees) {
  for (const Draw& how : draws())
    for (const float least : {0.f, 0x1p-14f}) {
      OperandDraw operand{how, kCount};
      operand.rounds_to_tf32 = true;
      operand.least = least;
      EXPECT_EQ(bits_of(drawn_there(operand, Storage::f32)), bits_of(drawn_whole(operand)))
          << static_cast<int>(how.kind) << ' ' << least;
    }
}

TEST_F(DeviceDraw, PutsTheLastPatchOfAnElement) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  OperandDraw operand{{.kind = Draw::Kind::uniform}, 1000, Storage::f16};
  operand.patches = {{999, 3}, {17, -kInfinity}, {17, kInfinity}, {0, -0.f}, {17, 5}};
  const Floats values = drawn_there(operand, Storage::f16);
  EXPECT_EQ(bits_of(values), bits_of(drawn_whole(operand)));
  EXPECT_EQ(values[17], 5);
  EXPECT_EQ(values[999], 3);
}

TEST_F(DeviceDraw, IsComparedWithTheHosts) {
  OperandDraw operand{{.kind = Draw::Kind::uniform}, kCount, Storage::f16};
  operand.patches = {{5, std::numeric_limits<float>::quiet_NaN()}};
  Buffer<float> data(memory_, kCount, Tag::input);
  draw(operand, Storage::f32, 0, data.data(), stream_);
  EXPECT_FALSE(compare_drawn(operand, data.data(), stream_));
  for (const int64_t element : {int64_t{0}, int64_t{5}, kCount - 1}) {
    const float wrong = 9;
    copy_to_device(data.data() + element, &wrong, sizeof wrong, stream_);
    const auto found = compare_drawn(operand, data.data(), stream_);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->element, element);
    EXPECT_EQ(found->here, wrong);
    draw(operand, Storage::f32, 0, data.data(), stream_);
  }
  OperandDraw other = operand;
  other.draw.seed = 1;
  EXPECT_TRUE(compare_drawn(other, data.data(), stream_));
  OperandDraw few = operand;
  few.count = 3;
  few.patches.clear();
  EXPECT_FALSE(compare_drawn(few, data.data(), stream_));
  few.count = 0;
  EXPECT_FALSE(compare_drawn(few, data.data(), stream_));
}

// A thread draws one element of so many, and of more several.
TEST_F(DeviceDraw, ReachesTheLastOfManyElements) {
  constexpr int64_t kMany = (int64_t{1} << 24) + 1001;
  OperandDraw operand{{.kind = Draw::Kind::integer, .first = 1, .count = 100}, kMany, Storage::i8};
  const Floats values = drawn_there(operand, Storage::i8);
  for (int64_t element = kMany - 2000; element < kMany; ++element)
    ASSERT_EQ(values[static_cast<size_t>(element)], drawn(operand, element)) << element;
}

TEST_F(DeviceDraw, StoresTransposes) {
  constexpr int64_t kRows = 7, kColumns = 11;
  OperandDraw operand{{.kind = Draw::Kind::uniform}, kRows * kColumns, Storage::bf16};
  operand.patches = {{3 * kColumns + 5, 40}};
  const Floats wanted = drawn_whole(operand), turned = drawn_there(operand, Storage::bf16, kRows);
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t column = 0; column < kColumns; ++column)
      EXPECT_EQ(turned[static_cast<size_t>(column * kRows + row)],
                wanted[static_cast<size_t>(row * kColumns + column)]);
}

}  // namespace
}  // namespace spb::gpu
