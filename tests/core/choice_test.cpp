// SPDX-License-Identifier: Apache-2.0
#include "core/choice.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace spb {
namespace {

constexpr unsigned bit(Direction direction) { return 1u << static_cast<unsigned>(direction); }

const std::vector<std::string>& colors() {
  static const std::vector<std::string> kColors{"red", "green"};
  return kColors;
}

constexpr Knob kKnobs[] = {
    {.name = "size",
     .help = "how large",
     .column = columns::algorithm_params,
     .directions = bit(Direction::fprop) | bit(Direction::wgrad),
     .most = 8},
    {.name = "color",
     .help = "how it looks",
     .column = columns::algorithm_params,
     .directions = bit(Direction::fprop),
     .words = colors},
};

std::string reason(const Choice& choice, Direction direction = Direction::fprop) {
  return refused(kKnobs, choice, direction).value_or("");
}

TEST(Choice, OfWhatTheKnobsTakeIsNotRefused) {
  EXPECT_EQ(reason({}), "");
  EXPECT_EQ(reason({{{"size", "8"}, {"color", "green"}}}), "");
  EXPECT_EQ(reason({{{"size", "1"}}}, Direction::wgrad), "");
}

TEST(Choice, IsRefusedWithAReason) {
  EXPECT_EQ(reason({{{"taste", "sour"}}}), "taste sour: no choice of this algorithm");
  EXPECT_EQ(reason({{{"color", "red"}}}, Direction::wgrad),
            "color red: no choice of this algorithm for wgrad");
  EXPECT_EQ(reason({{{"color", "reed"}}}), "color: \"reed\" is unknown; did you mean \"red\"?");
  EXPECT_EQ(reason({{{"color", "ultraviolet"}}}),
            "color: \"ultraviolet\" is unknown; how it looks");
  for (const char* size : {"9", "0", "-1", "", "3x", "three", "99999999999"})
    EXPECT_EQ(reason({{{"size", size}}}),
              std::string("size: \"") + size + "\" is no whole number from 1 to 8");
}

TEST(Choice, OfADirectionLeavesTheOthersOut) {
  const Choice both{{{"size", "2"}, {"color", "red"}}, ChoiceSource::forced};
  EXPECT_EQ(of_direction(kKnobs, both, Direction::fprop), both);
  EXPECT_EQ(of_direction(kKnobs, both, Direction::wgrad),
            (Choice{{{"size", "2"}}, ChoiceSource::forced}));
  const Choice unknown{{{"taste", "sour"}}};
  EXPECT_EQ(of_direction(kKnobs, unknown, Direction::wgrad), unknown) << "to be refused";
}

TEST(Choice, OfANumberIsReadAsOne) {
  const Choice choice{{{"size", "7"}, {"color", "red"}}};
  EXPECT_EQ(choice.number("size"), 7);
  EXPECT_EQ(choice.number("taste"), std::nullopt);
  EXPECT_THROW(choice.number("color"), Error);
}

}  // namespace
}  // namespace spb
