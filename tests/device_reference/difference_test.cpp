// SPDX-License-Identifier: Apache-2.0
// Elements that judges and threads alone may find, and those that they may not.
#include "device_reference/difference.h"

#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace spb::device_reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Element kAlone{
    .value = 3, .error_scale = 2, .partial_scale = 1, .abs_sum = 100, .terms = 27};

std::optional<size_t> difference(const Element& by, Judged judged, const Element& alone = kAlone) {
  const std::vector<Element> one{kAlone, alone}, other{kAlone, by};
  return first_difference(one, other, judged);
}

template <typename Change>
Element changed(const Change& change, Element element = kAlone) {
  change(element);
  return element;
}

constexpr Judged kKinds[] = {Judged::bounded, Judged::exact, Judged::integers};

TEST(Difference, RoundingsAreNone) {
  for (const Judged judged : kKinds) {
    EXPECT_FALSE(difference(kAlone, judged));
    EXPECT_FALSE(difference(changed([](Element& e) { e.value += 0.9e-10; }), judged));
  }
  EXPECT_FALSE(difference(changed([](Element& e) { e.error_scale *= 1 + 3e-6; }), Judged::bounded));
  // What bounded sums are judged by has no sum of magnitudes.
  EXPECT_FALSE(difference(changed([](Element& e) { e.abs_sum = 0; }), Judged::bounded));
}

TEST(Difference, OfValuesAndNumbersOfProductsIsNamed) {
  for (const Judged judged : kKinds) {
    EXPECT_EQ(difference(changed([](Element& e) { e.value += 1.1e-10; }), judged), 1u);
    EXPECT_EQ(difference(changed([](Element& e) { e.value = kNan; }), judged), 1u);
    EXPECT_EQ(difference(changed([](Element& e) { e.terms += 1; }), judged), 1u);
  }
}

// A judge whose bounds are too wide takes what is wrong.
TEST(Difference, OfScalesIsNamed) {
  for (const double factor : {1 + 5e-6, 1 - 5e-6, kInfinity, kNan}) {
    EXPECT_EQ(difference(changed([&](Element& e) { e.error_scale *= factor; }), Judged::bounded),
              1u);
    EXPECT_EQ(difference(changed([&](Element& e) { e.partial_scale *= factor; }), Judged::bounded),
              1u);
  }
  for (const Judged judged : {Judged::exact, Judged::integers})
    EXPECT_EQ(difference(changed([](Element& e) { e.abs_sum += 1; }), judged), 1u);
}

TEST(Difference, WhatIsNotFiniteHasNoScale) {
  const Element nan = changed([](Element& e) { e.value = e.error_scale = kNan; });
  const Element infinity = changed([](Element& e) { e.value = e.error_scale = kInfinity; });
  const Element negative = changed([](Element& e) { e.value = -kInfinity; });
  EXPECT_FALSE(difference(nan, Judged::bounded, nan));
  EXPECT_FALSE(difference(infinity, Judged::bounded, infinity));
  EXPECT_EQ(difference(negative, Judged::bounded, infinity), 1u);
  EXPECT_EQ(difference(kAlone, Judged::bounded, nan), 1u);
  EXPECT_EQ(difference(kAlone, Judged::bounded, infinity), 1u);
}

}  // namespace
}  // namespace spb::device_reference
