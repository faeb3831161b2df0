// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <gtest/gtest.h>
#include <limits>

#include "usage_message.h"

namespace spb {
namespace {

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
           "strided k3x3x3 s2x2x2 d1x1x1 c64:64 f32 fprop bias p0x1x1",
           "strided k3x3x3 s2x2x2 d1x1x1 c64:64 f32 fprop floor",
           "inverse k2x2x2 s2x2x2 d1x1x1 c64:32 f16 dgrad floor",
           "generative k3x3x3 s2x2x2 d1x1x1 c64:32 f16 wgrad bias p1x1x1 complete",
           "strided k3x3x3 s2x2x2 d1x1x1 c64:64 f32 fprop bias p1x1x1 floor complete",
           "subm k3x3x3 s1x1x1 d1x1x1 c64:32 f16 wgrad bias g4",
           "strided k3x3x3 s2x2x2 d1x1x1 c64:64 f32 fprop floor g64",
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
           "strided k3x3x3 s2x2x2 d1x1x1 c16:32 f16 fprop floor p1x1x1",
           "strided k3x3x3 s2x2x2 d1x1x1 c16:32 f16 fprop floor floor",
           "strided k3x3x3 s2x2x2 d1x1x1 c16:32 f16 fprop reached",
           "strided k3x3x3 s2x2x2 d1x1x1 c16:32 f16 fprop p-1",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop floor",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop p0x0x0",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g1",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g0",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g3",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g32",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g2 g2",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop g2 bias",
           "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop ",
           "subm  k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop",
       })
    EXPECT_TRUE(usage_message([&] { parse_problem(text, "--problem"); }).starts_with("--problem: "))
        << text;
}

TEST(ConvKind, NamesGoThereAndBack) {
  for (const ConvKind kind :
       {ConvKind::subm, ConvKind::strided, ConvKind::inverse, ConvKind::generative})
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
  EXPECT_EQ(invalid(ConvGeometry()), std::nullopt);
  EXPECT_EQ(invalid(ConvGeometry{ConvKind::strided, {2, 2, 2}, {2, 2, 2}}), std::nullopt);
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
  EXPECT_EQ(reason({.output_rule = OutputRule::floor}),
            "output rule floor: a submanifold keeps its voxels");
  EXPECT_EQ(reason({.output_extent = OutputExtent::complete}),
            "output extent complete: a submanifold keeps its voxels");
  EXPECT_EQ(reason({.padding = Int3{0, 0, 0}}),
            "padding 0x0x0: a submanifold kernel is centered, leave its padding out");
  EXPECT_EQ(reason({.padding = Int3{1, 1, 1}}), "");
  EXPECT_EQ(reason({.kind = ConvKind::inverse}),
            "stride 1 has no inverse: the submanifold convolution is its own; use subm");
  EXPECT_EQ(reason({.kind = ConvKind::inverse, .stride = {1, 2, 1}}), "");
  EXPECT_EQ(reason({.kind = ConvKind::generative, .output_rule = OutputRule::floor}),
            "output rule floor: generative outputs are all that inputs reach");
  EXPECT_EQ(reason({.kind = ConvKind::strided, .padding = Int3{0, -1, 0}}),
            "padding 0x-1x0 is negative");
}

TEST(Groups, DivideBothSides) {
  Problem problem{.geometry = {}, .c_in = 64, .c_out = 96, .groups = 32};
  EXPECT_EQ(invalid(problem), std::nullopt);
  EXPECT_EQ(problem.group_c_in(), 2);
  EXPECT_EQ(problem.group_c_out(), 3);
  problem.groups = 3;
  EXPECT_EQ(invalid(problem), "groups: 3 does not divide 64");
  problem.groups = 64;
  EXPECT_EQ(invalid(problem), "groups: 64 does not divide 96");
  problem.groups = -1;
  EXPECT_EQ(invalid(problem), "groups = -1, needs at least 1");
}

TEST(Groups, AreDepthwiseWhenEachHasOneChannelOfEitherSide) {
  const auto kind = [](int c_in, int c_out, int groups) {
    return group_kind({.geometry = {}, .c_in = c_in, .c_out = c_out, .groups = groups});
  };
  EXPECT_EQ(kind(64, 64, 1), GroupKind::one);
  EXPECT_EQ(kind(1, 1, 1), GroupKind::one);
  EXPECT_EQ(kind(64, 64, 32), GroupKind::several);
  EXPECT_EQ(kind(64, 128, 64), GroupKind::several);
  EXPECT_EQ(kind(64, 64, 64), GroupKind::depthwise);
}

TEST(MadeGrid, StridedRoundsUp) {
  const Box input{.batch_size = 2, .shape = {7, 8, 1}};
  EXPECT_EQ(made_grid(input, {}).box, input);
  const ConvGeometry strided{.kind = ConvKind::strided, .stride = {2, 2, 3}};
  EXPECT_EQ(made_grid(input, strided).box, (Box{.batch_size = 2, .shape = {4, 4, 1}}));
  const int32_t max = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(made_grid({.shape = {max, 0, max}}, strided).box.shape,
            (Int3{1 << 30, 0, max / 3 + 1}));
}

TEST(MadeGrid, PaddedAsSpconvCounts) {
  const Box input{.batch_size = 1, .shape = {41, 400, 5}};
  // The last layers of SECOND's and CenterPoint's encoders: 3x3x3 stride 2 padding 0x1x1, then
  // 3x1x1 stride 2x1x1 padding 0.
  ConvGeometry layer{ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, Int3{0, 1, 1}};
  EXPECT_EQ(made_grid(input, layer).box.shape, (Int3{20, 200, 3}));
  EXPECT_EQ(made_grid(input, layer).origin, (std::array<int64_t, 3>{0, 1, 1}));
  layer.kernel_size = {3, 1, 1};
  layer.stride = {2, 1, 1};
  layer.padding = Int3{0, 0, 0};
  EXPECT_EQ(made_grid(input, layer).box.shape, (Int3{20, 400, 5}));
  layer.kernel_size = {3, 1, 7};
  EXPECT_EQ(usage_message([&] { made_grid(input, layer); }),
            "axis z: padding 0x0x0 leaves no output of 5 voxels; use more padding, a smaller "
            "kernel, or --output-extent complete");
}

TEST(MadeGrid, CompleteGoesAsFarAsInputsReach) {
  const Box input{.batch_size = 1, .shape = {5, 5, 5}};
  ConvGeometry layer{ConvKind::strided, {3, 4, 1}, {1, 2, 2}, {1, 1, 1}};
  layer.output_extent = OutputExtent::complete;
  // x: u = -1 ... 5; y: steps -1 ... 2, so that 2u is -2 ... 5, u = -1 ... 2; z: u = 0 ... 2.
  EXPECT_EQ(made_grid(input, layer).box.shape, (Int3{7, 4, 3}));
  EXPECT_EQ(made_grid(input, layer).origin, (std::array<int64_t, 3>{2, 3, 0}));
  const int32_t max = std::numeric_limits<int32_t>::max();
  EXPECT_NE(usage_message([&] { made_grid({.shape = {max, 1, 1}}, layer); }), "accepted");
  layer.output_rule = OutputRule::floor;
  EXPECT_EQ(made_grid(input, layer).box.shape, (Int3{5, 3, 3}));
}

TEST(MadeGrid, OfGenerativeLayers) {
  // By hand: 4 voxels, stride 2, kernel 3 with dilation 2 reach -2 ... 8.
  const Box box{1, {4, 4, 4}};
  ConvGeometry layer{ConvKind::generative, {3, 3, 3}, {2, 2, 2}, {2, 2, 2}};
  const auto is = [&](int32_t cells, int64_t origin) {
    const MadeGrid grid = made_grid(box, layer);
    EXPECT_EQ(grid.box.shape, (Int3{cells, cells, cells})) << to_text(layer);
    EXPECT_EQ(grid.origin, (std::array<int64_t, 3>{origin, origin, origin})) << to_text(layer);
  };
  is(8, 2);
  layer.output_extent = OutputExtent::complete;
  is(11, 0);
  layer.padding = Int3{1, 1, 1};
  is(11, 0);
  layer.output_extent = OutputExtent::box;
  is(9, 1);
  layer.padding = Int3{6, 6, 6};
  EXPECT_THROW(made_grid(box, layer), Error);
  layer.padding = {};
  EXPECT_THROW(made_grid({1, {1 << 30, 4, 4}}, layer), Error);
}

}  // namespace
}  // namespace spb
