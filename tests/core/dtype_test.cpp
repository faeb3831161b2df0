// SPDX-License-Identifier: Apache-2.0
#include "core/dtype.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "core/error.h"

namespace spb {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Dtype, TableIsIndexedByTheEnum) {
  ASSERT_EQ(dtypes().size(), 11u);
  ASSERT_EQ(float_dtypes().size(), 5u);
  for (const Math& row : dtypes()) {
    EXPECT_EQ(&info(row.dtype), &row);
    EXPECT_EQ(parse_dtype(row.name, "--dtypes"), row.dtype);
  }
}

TEST(Dtype, UnknownNameIsAUsageErrorWithTheNearest) {
  try {
    parse_dtype("fp16", "--dtypes");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()),
              "--dtypes: dtype \"fp16\" is unknown; did you mean \"f16\"? (known: f32, tf32, f16, "
              "bf16, 3xtf32, i8, i8_f32, i8_i32, e4m3, e4m3_f16, e4m3_bf16)");
  }
}

TEST(F16, EveryFiniteValueSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = decode_f16(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode_f16(encode_f16(value))));
    else
      EXPECT_EQ(encode_f16(value), half);
  }
}

TEST(Bf16, EveryFiniteValueSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = decode_bf16(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(decode_bf16(encode_bf16(value))));
    else
      EXPECT_EQ(encode_bf16(value), half);
  }
}

TEST(F16, KnownBits) {
  EXPECT_EQ(encode_f16(1.0f), 0x3c00);
  EXPECT_EQ(encode_f16(-2.0f), 0xc000);
  EXPECT_EQ(encode_f16(65504.0f), 0x7bff);
  EXPECT_EQ(encode_f16(-0.0f), 0x8000);
  EXPECT_EQ(encode_f16(0x1p-24f), 0x0001);
  EXPECT_EQ(encode_f16(0x1p-14f), 0x0400);
  EXPECT_EQ(decode_f16(0x3555), 0x1.554p-2f);
  EXPECT_EQ(decode_f16(0x83ff), -1023 * 0x1p-24f);
  EXPECT_TRUE(std::signbit(decode_f16(0x8000)));
  EXPECT_EQ(decode_f16(0xfc00), -kInf);
}

/// Between each pair of neighbors: the midpoint goes to the even one, its neighbors in fp32 to the
/// nearer one. Covers subnormals, the step to normals and every exponent.
template <typename Decode, typename Encode>
void check_midpoints(uint16_t largest, Decode decode_one, Encode encode_one) {
  for (uint32_t low = 0; low < largest; ++low) {
    const auto below = static_cast<uint16_t>(low), above = static_cast<uint16_t>(low + 1);
    const double middle = (double{decode_one(below)} + double{decode_one(above)}) / 2;
    const auto tie = static_cast<float>(middle);
    ASSERT_EQ(double{tie}, middle);
    ASSERT_EQ(encode_one(tie), low % 2 == 0 ? below : above) << low;
    ASSERT_EQ(encode_one(std::nextafter(tie, 0.0f)), below) << low;
    ASSERT_EQ(encode_one(std::nextafter(tie, kInf)), above) << low;
  }
}

TEST(F16, TiesGoToEven) { check_midpoints(0x7bff, decode_f16, encode_f16); }
TEST(Bf16, TiesGoToEven) { check_midpoints(0x7f7f, decode_bf16, encode_bf16); }

TEST(F16, OverflowsToInfinityFromTheMidpointOn) {
  EXPECT_EQ(encode_f16(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(encode_f16(65520.0f), 0x7c00);
  EXPECT_EQ(encode_f16(-1e30f), 0xfc00);
  EXPECT_EQ(encode_f16(kInf), 0x7c00);
  EXPECT_TRUE(std::isnan(decode_f16(encode_f16(kNan))));
}

TEST(Bf16, OverflowAndNan) {
  EXPECT_EQ(encode_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(encode_bf16(-kInf), 0xff80);
  // A NaN whose payload lies in the dropped bits must not become infinity.
  EXPECT_TRUE(std::isnan(decode_bf16(encode_bf16(std::bit_cast<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(decode_bf16(encode_bf16(std::bit_cast<float>(0xffffffffu)))));
}

TEST(Dtype, ScaledOnesAreThoseThatDoNotTrain) {
  for (const Math& row : float_dtypes()) EXPECT_FALSE(row.is_scaled()) << row.name;
  for (const Math& row : dtypes().subspan(float_dtypes().size()))
    EXPECT_TRUE(row.is_scaled()) << row.name;
}

uint8_t encode_e4m3(float value) {
  uint8_t bits = 0;
  encode({&value, 1}, Storage::e4m3, &bits);
  return bits;
}
float decode_e4m3(uint8_t bits) {
  float value = 0;
  decode(&bits, Storage::e4m3, {&value, 1});
  return value;
}

TEST(E4m3, EveryValueSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits < 0x100; ++bits) {
    const auto byte = static_cast<uint8_t>(bits);
    const float value = decode_e4m3(byte);
    EXPECT_EQ(std::isnan(value), (byte & 0x7f) == 0x7f) << bits;
    EXPECT_FALSE(std::isinf(value)) << bits;
    EXPECT_EQ(encode_e4m3(value), byte);
    if (!std::isnan(value)) {
      EXPECT_EQ(round_stored(static_cast<double>(value), Storage::e4m3), value);
    }
  }
}

// OCP 8-bit Floating Point Specification, revision 1.0, table 2.
TEST(E4m3, KnownBits) {
  EXPECT_EQ(decode_e4m3(0x7e), 448.f);
  EXPECT_EQ(decode_e4m3(0x08), 0x1p-6f);
  EXPECT_EQ(decode_e4m3(0x07), 0x1.cp-7f);
  EXPECT_EQ(decode_e4m3(0x01), 0x1p-9f);
  EXPECT_EQ(encode_e4m3(1), 0x38);
  EXPECT_EQ(encode_e4m3(-2), 0xc0);
  EXPECT_TRUE(std::signbit(decode_e4m3(0x80)));
}

TEST(E4m3, TiesGoToEven) {
  check_midpoints(
      0x7e, [](uint16_t bits) { return decode_e4m3(static_cast<uint8_t>(bits)); },
      [](float value) -> uint16_t { return encode_e4m3(value); });
}

TEST(E4m3, SaturatesAndKeepsNan) {
  for (const float beyond : {449.f, 464.f, 480.f, 1e30f, kInf}) {
    EXPECT_EQ(encode_e4m3(beyond), 0x7e) << beyond;
    EXPECT_EQ(encode_e4m3(-beyond), 0xfe) << beyond;
    EXPECT_EQ(round_output(static_cast<double>(-beyond), Dtype::e4m3), -448.f);
  }
  EXPECT_EQ(encode_e4m3(kNan), 0x7f);
  EXPECT_TRUE(std::isnan(round_output(std::nan(""), Dtype::e4m3)));
  // Rounded once: fp32 would make a tie of it, which goes to the even neighbor.
  EXPECT_EQ(round_output(1 + 0x1p-4 + 0x1p-40, Dtype::e4m3), 1.125f);
}

TEST(I8, RoundsToNearestEvenAndSaturates) {
  const std::vector<std::pair<float, float>> kStored{
      {0.5f, 0},       {1.5f, 2},     {-0.5f, 0},  {-2.5f, -2},   {2.4999f, 2},
      {126.5f, 126},   {127.5f, 127}, {128, 127},  {1e9f, 127},   {-127.5f, -128},
      {-128.5f, -128}, {-1e9f, -128}, {kInf, 127}, {-kInf, -128}, {kNan, 0}};
  for (const auto& [value, stored] : kStored) {
    int8_t byte = 0;
    encode({&value, 1}, Storage::i8, &byte);
    EXPECT_EQ(static_cast<float>(byte), stored) << value;
    EXPECT_EQ(round_output(static_cast<double>(value), Dtype::i8), stored) << value;
    float back = 0;
    decode(&byte, Storage::i8, {&back, 1});
    EXPECT_EQ(back, stored);
  }
  // A tie of the sum, not of its float.
  EXPECT_EQ(round_output(0.5 + 0x1p-40, Dtype::i8), 1);
}

TEST(I32, TravelsInTheBitsOfAFloat) {
  const std::vector<int32_t> stored{0,         1, -1, (1 << 24) + 1, 0x7fffffff, -0x7fffffff - 1,
                                    0x7fc00000};
  std::vector<float> floats(stored.size());
  decode(stored.data(), Storage::i32, floats);
  std::vector<int32_t> back(stored.size());
  encode(floats, Storage::i32, back.data());
  EXPECT_EQ(back, stored);
  for (size_t i = 0; i < stored.size(); ++i) {
    EXPECT_EQ(stored_value(floats[i], Storage::i32), stored[i]);
    EXPECT_EQ(std::bit_cast<int32_t>(round_output(stored[i], Dtype::i8_i32)), stored[i]);
  }
  const auto rounded = [](double value) {
    return stored_value(round_stored(value, Storage::i32), Storage::i32);
  };
  EXPECT_EQ(rounded(0x1p24 + 0.5), 0x1p24);
  EXPECT_EQ(rounded(0x1p24 + 1.5), 0x1p24 + 2);
  EXPECT_EQ(rounded(0x1p31), 0x1p31 - 1);
  EXPECT_EQ(rounded(-HUGE_VAL), -0x1p31);
  EXPECT_EQ(rounded(kNan), 0);
  EXPECT_EQ(stored_value(1.5f, Storage::f16), 1.5);
}

TEST(RoundOutput, RoundsOnce) {
  // Rounded to fp32 first, each of these lands on a tie of the narrow type and moves to even.
  EXPECT_EQ(round_output(1 + 0x1p-11 + 0x1p-40, Dtype::f16), 1 + 0x1p-10f);
  EXPECT_EQ(round_output(1 + 3 * 0x1p-11 - 0x1p-40, Dtype::f16), 1 + 0x1p-10f);
  EXPECT_EQ(round_output(1 + 0x1p-8 + 0x1p-40, Dtype::bf16), 1 + 0x1p-7f);
  EXPECT_EQ(round_output(-1 - 0x1p-8 - 0x1p-40, Dtype::bf16), -1 - 0x1p-7f);
  EXPECT_EQ(round_output(0x1p-25 * (1 + 0x1p-40), Dtype::f16), 0x1p-24f);
  EXPECT_EQ(round_output(0x1p-134 * (1 + 0x1p-40), Dtype::bf16), 0x1p-133f);
}

TEST(RoundOutput, TiesSubnormalsAndExtremes) {
  EXPECT_EQ(round_output(1 + 0x1p-11, Dtype::f16), 1.0f);
  EXPECT_EQ(round_output(1 + 3 * 0x1p-11, Dtype::f16), 1 + 0x1p-9f);
  EXPECT_EQ(round_output(0x1p-25, Dtype::f16), 0.0f);
  EXPECT_EQ(round_output(3 * 0x1p-25, Dtype::f16), 0x1p-23f);
  EXPECT_EQ(round_output(1e-300, Dtype::bf16), 0.0f);
  EXPECT_TRUE(std::signbit(round_output(-1e-300, Dtype::f16)));
  EXPECT_EQ(round_output(1e300, Dtype::bf16), kInf);
  EXPECT_EQ(round_output(-65520.0, Dtype::f16), -kInf);
  EXPECT_EQ(round_output(65519.999, Dtype::f16), 65504.0f);
  EXPECT_TRUE(std::isnan(round_output(std::nan(""), Dtype::f16)));
  EXPECT_EQ(round_output(1 + 0x1p-24 + 0x1p-50, Dtype::f32), 1 + 0x1p-23f);
  EXPECT_EQ(round_output(1 + 0x1p-24, Dtype::tf32), 1.0f);
}

TEST(RoundOperand, Tf32TiesGoAwayFromZero) {
  EXPECT_EQ(round_operand(1 + 0x1p-11f, Dtype::tf32), 1 + 0x1p-10f);
  EXPECT_EQ(round_operand(-1 - 0x1p-11f, Dtype::tf32), -1 - 0x1p-10f);
  EXPECT_EQ(round_operand(std::nextafter(1 + 0x1p-11f, 0.0f), Dtype::tf32), 1.0f);
  EXPECT_EQ(round_operand(1 + 3 * 0x1p-11f, Dtype::tf32), 1 + 0x1p-9f);
  EXPECT_EQ(round_operand(0x1p-137f, Dtype::tf32), 0x1p-136f);
  EXPECT_EQ(round_operand(std::numeric_limits<float>::max(), Dtype::tf32), kInf);
  EXPECT_EQ(round_operand(-kInf, Dtype::tf32), -kInf);
  EXPECT_TRUE(std::isnan(round_operand(kNan, Dtype::tf32)));
}

TEST(RoundOperand, OtherTypesAreTheirStoredValue) {
  EXPECT_EQ(round_operand(0.1f, Dtype::f32), 0.1f);
  EXPECT_EQ(round_operand(0.1f, Dtype::tf32x3), 0.1f);
  EXPECT_EQ(round_operand(0.1f, Dtype::f16), decode_f16(encode_f16(0.1f)));
  EXPECT_EQ(round_operand(0.1f, Dtype::bf16), decode_bf16(encode_bf16(0.1f)));
}

TEST(RoundOperand, ManyAreRoundedAsEach) {
  std::vector<float> values{0.f, -0.f, kInf, -kInf, kNan, 1e-45f, 65519.f, 65520.f, 3e38f};
  for (int i = 0; i < 1000; ++i)
    values.push_back(std::ldexp(1.f + 0.00123f * float(i), i % 40 - 30));
  for (const Math& row : dtypes()) {
    std::vector<float> all = values;
    round_operands(all, row.dtype);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(all[i]),
                std::bit_cast<uint32_t>(round_operand(values[i], row.dtype)))
          << row.name << ' ' << values[i];
  }
}

TEST(Encode, StoresAndLoadsEveryType) {
  const std::vector<float> values{0.0f, 1.0f, -2.5f, 65504.0f, 0x1p-20f};
  for (const Math& row : dtypes()) {
    std::vector<std::byte> bytes(values.size() * static_cast<size_t>(row.input().bytes) + 1,
                                 std::byte{0x5a});
    encode(values, info(row.dtype).in, bytes.data());
    EXPECT_EQ(bytes.back(), std::byte{0x5a}) << row.name;
    std::vector<float> back(values.size());
    decode(bytes.data(), info(row.dtype).in, back);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(back[i], round_stored(values[i], row.in)) << row.name;
  }
  encode({}, Storage::f32, nullptr);
  decode(nullptr, Storage::f16, {});
}

}  // namespace
}  // namespace spb
