// SPDX-License-Identifier: Apache-2.0
#include "core/operand_draw.h"

#include <bit>
#include <gtest/gtest.h>
#include <vector>

namespace spb {
namespace {

using Bits = std::vector<uint32_t>;

/// Every kind, as fills have them.
const std::vector<Draw>& draws() {
  using Kind = Draw::Kind;
  static const std::vector<Draw> all{
      {.kind = Kind::zero},
      {.kind = Kind::integer, .first = -4, .count = 9},
      {.kind = Kind::integer, .first = -1, .count = 3, .present = 0.9},
      {.kind = Kind::sign, .present = 2.0 / 3},
      {.kind = Kind::odd, .first = 1025, .step = 2, .count = 512},
      {.kind = Kind::normal, .factor = 0.03},
      {.kind = Kind::half_normal},
      {.kind = Kind::uniform, .factor = 2, .shift = -0.5},
      {.kind = Kind::log_uniform, .first = -8, .count = 16},
      {.kind = Kind::significand, .first = -4, .bits = 11, .count = 9, .one_in = 4, .special = 1}};
  return all;
}

OperandDraw operand_of(const Draw& draw, int64_t count) {
  OperandDraw operand{draw, count};
  operand.draw.seed = 7;
  operand.draw.stream = 1;
  return operand;
}

Bits bits_of(std::span<const float> values) {
  Bits bits;
  for (const float value : values) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

// What records name by a seed: were it to change, they would speak of other data.
TEST(DrawnElements, AreTheSameForGood) {
  constexpr int64_t kElements[] = {0, 1, Draw::kRun - 1, Draw::kRun, Draw::kRun + 1};
  const std::vector<Bits> wanted{{0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
                                 {0x40400000, 0x3f800000, 0x40400000, 0x3f800000, 0x3f800000},
                                 {0x00000000, 0x3f800000, 0x00000000, 0x00000000, 0xbf800000},
                                 {0x00000000, 0x00000000, 0xbf800000, 0xbf800000, 0x00000000},
                                 {0xc4c82000, 0xc4dd2000, 0x44c8e000, 0xc4ca6000, 0xc48ae000},
                                 {0x3c842d52, 0x3d101614, 0xbd163c6d, 0x3c2a7551, 0xbd86768f},
                                 {0x3f09af36, 0x3f9616ff, 0x00000000, 0x3eb18f8a, 0x00000000},
                                 {0x3f43a86b, 0x3e00baf4, 0x3f1f4eb0, 0x3e6aca9f, 0x3e243262},
                                 {0xc2e59648, 0x415bdcde, 0xc18f1e3e, 0xc059c556, 0x3c5d30a0},
                                 {0xc1482000, 0xc0dbe000, 0x3f800000, 0x40ca6000, 0x3ddd2000}};
  std::vector<Bits> found;
  for (const Draw& draw : draws()) {
    Floats values;
    for (const int64_t element : kElements)
      values.push_back(drawn(operand_of(draw, Draw::kRun + 2), element));
    found.push_back(bits_of(values));
  }
  EXPECT_EQ(found, wanted);
}

TEST(DrawnElements, DoNotDependOnWhereOneBegins) {
  constexpr int64_t kCount = 2 * Draw::kRun + 50;
  for (const Draw& draw : draws()) {
    OperandDraw operand = operand_of(draw, kCount);
    operand.storage = Storage::bf16;
    operand.patches = {{Draw::kRun - 1, 3}, {kCount - 1, 5}, {Draw::kRun - 1, 7}};
    const Floats whole = drawn_whole(operand);
    EXPECT_EQ(whole[Draw::kRun - 1], 7);
    for (const int64_t first : {int64_t{0}, Draw::kRun - 30, Draw::kRun + 17, kCount - 60}) {
      Floats part(60);
      spb::draw(operand, first, part);
      put_patches(operand, first, part);
      EXPECT_EQ(bits_of(part), bits_of(std::span(whole).subspan(static_cast<size_t>(first), 60)))
          << static_cast<int>(draw.kind) << ' ' << first;
    }
  }
}

}  // namespace
}  // namespace spb
