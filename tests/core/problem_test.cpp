// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <gtest/gtest.h>
#include <limits>

#include "core/error.h"

namespace spb {
namespace {

std::string usage_message(auto&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "accepted";
}

TEST(Problem, TextForm) {
  Problem problem;
  problem.c_out = 32;
  problem.dtype = Dtype::f16;
  EXPECT_EQ(to_text(problem), "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop bias");
}

TEST(Problem, TextGoesThereAndBack) {
  for (const char* text : {
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop bias",
           "strided k2x3x1 s2x2x1 d1x2x3 c1:100 bf16 dgrad",
           "subm k7x7x7 s1x1x1 d2x2x2 c3:17 tf32 wgrad",
           "strided k4x4x4 s3x3x3 d1x1x1 c64:64 f32 wgrad bias",
       })
    EXPECT_EQ(to_text(parse_problem(text, "--problem")), text);
}

TEST(Problem, MalformedTextIsRefused) {
  for (const char* text : {
           "",
           "subm",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop bias bias",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop nobias",
           "subm s3x3x3 k1x1x1 d1x1x1 c16:32 f16 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c16 f16 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c0:32 f16 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32:64 f16 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:-1 f16 fprop",
           "subm k2x2x2 s1x1x1 d1x1x1 c16:32 f16 fprop",
           "sumb k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f17 fprop",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 forward",
           "subm  k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop",
       })
    EXPECT_TRUE(usage_message([&] { parse_problem(text, "--problem"); }).starts_with("--problem: "))
        << text;
}

TEST(ConvKind, NamesGoThereAndBack) {
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided})
    EXPECT_EQ(parse_conv_kind(name(kind), "kind"), kind);
  for (const Direction d : {Direction::fprop, Direction::dgrad, Direction::wgrad})
    EXPECT_EQ(parse_direction(name(d), "direction"), d);
  EXPECT_EQ(usage_message([] { parse_direction("fprob", "--directions"); }),
            "--directions: direction \"fprob\" is unknown; did you mean \"fprop\"? (known: fprop, "
            "dgrad, wgrad)");
}

TEST(Int3Text, OneOrThreeNumbers) {
  EXPECT_EQ(parse_int3("3", "k"), (Int3{3, 3, 3}));
  EXPECT_EQ(parse_int3("1x2x3", "k"), (Int3{1, 2, 3}));
  EXPECT_EQ(to_text(Int3{1, 2, 3}), "1x2x3");
  for (const char* text : {"", "x", "3x3", "3x3x", "3x3x3x3", "-1", "3.5", " 3", "99999999999"})
    EXPECT_NE(usage_message([&] { parse_int3(text, "k"); }), "accepted") << text;
}

TEST(Invalid, SaysWhy) {
  EXPECT_EQ(invalid({}), std::nullopt);
  EXPECT_EQ(invalid({.kind = ConvKind::strided, .kernel_size = {2, 2, 2}, .stride = {2, 2, 2}}),
            std::nullopt);
  const auto reason = [](const ConvGeometry& geometry) { return invalid(geometry).value_or(""); };
  EXPECT_NE(reason({.kernel_size = {3, 2, 3}}).find("even"), std::string::npos);
  EXPECT_NE(reason({.stride = {1, 1, 2}}).find("stride 1x1x2"), std::string::npos);
  EXPECT_NE(reason({.kind = ConvKind::strided, .kernel_size = {3, 0, 3}}), "");
  EXPECT_NE(reason({.kind = ConvKind::strided, .stride = {0, 1, 1}}), "");
  EXPECT_NE(reason({.dilation = {1, 0, 1}}), "");
  EXPECT_NE(reason({.dilation = {1, -1, 1}}), "");
  // Products that do not fit int32.
  EXPECT_NE(reason({.kernel_size = {1291, 1291, 1291}}), "");
  EXPECT_NE(reason({.kernel_size = {5, 5, 5}, .dilation = {1, 1, 1 << 30}}), "");
}

TEST(OutputBox, StridedRoundsUp) {
  const Box input{.batch_size = 2, .shape = {7, 8, 1}};
  EXPECT_EQ(output_box(input, {}), input);
  const ConvGeometry strided{.kind = ConvKind::strided, .stride = {2, 2, 3}};
  EXPECT_EQ(output_box(input, strided), (Box{.batch_size = 2, .shape = {4, 4, 1}}));
  const int32_t max = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(output_box({.shape = {max, 0, max}}, strided).shape, (Int3{1 << 30, 0, max / 3 + 1}));
}

}  // namespace
}  // namespace spb
