// SPDX-License-Identifier: Apache-2.0
#include "core/epilogue.h"

#include <gtest/gtest.h>

#include "core/problem.h"
#include "usage_message.h"

namespace spb {
namespace {

TEST(Epilogue, IsReadAsItIsWritten) {
  for (const char* text : {"none", "relu", "hswish", "leaky_relu:0.125", "leaky_relu:0.00390625",
                           "residual", "residual+relu", "residual+leaky_relu:0.5"})
    EXPECT_EQ(to_text(parse_epilogue(text, "test")), text);
  EXPECT_EQ(to_text(parse_epilogue("leaky_relu", "test")), "leaky_relu:0.125");
  EXPECT_EQ(to_text(parse_epilogue("residual+none", "test")), "residual");
  EXPECT_EQ(mark(parse_epilogue("none", "test")), "");
  EXPECT_EQ(mark(parse_epilogue("residual", "test")), "residual");
}

TEST(Epilogue, RefusesWhatIsNone) {
  const auto message = [](const char* text) {
    return usage_message([&] { parse_epilogue(text, "--epilogue"); });
  };
  EXPECT_EQ(message("rleu"),
            "--epilogue: epilogue \"rleu\" is unknown; did you mean \"relu\"? (known: none, relu, "
            "leaky_relu:SLOPE, hswish, residual, and residual+ with one of these)");
  for (const char* slope : {"0.1", "1", "0", "-0.5", "0.001953125", "", "half", "0.5x", "nan"})
    EXPECT_NE(message((std::string("leaky_relu:") + slope).c_str()).find("a power of two"),
              std::string::npos)
        << slope;
  EXPECT_NE(message("hswish:0.5").find("only leaky_relu has a slope"), std::string::npos);
  EXPECT_NE(message("relu+residual").find("is unknown"), std::string::npos);
  EXPECT_NE(message("residualrelu").find("is unknown"), std::string::npos);
  EXPECT_NE(message("").find("is unknown"), std::string::npos);
}

TEST(Epilogue, StandsLastInAProblem) {
  const std::string text = "subm k3x3x3 s1x1x1 d1x1x1 c8:16 f16 fprop bias g2 residual+hswish";
  const Problem problem = parse_problem(text, "test");
  EXPECT_EQ(problem.epilogue.activation, Activation::hswish);
  EXPECT_TRUE(problem.epilogue.residual);
  EXPECT_EQ(to_text(problem), text);
}

}  // namespace
}  // namespace spb
