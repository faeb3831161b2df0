// SPDX-License-Identifier: Apache-2.0
#include "core/record.h"

#include <gtest/gtest.h>
#include <string_view>

namespace spb {
namespace {

template <typename Given, typename Type>
concept Takes = requires(Record record, const Column<Type>& column, Given given) {
  record[column] = given;
};
static_assert(Takes<int64_t, Integer> && Takes<int, Integer> && Takes<double, Real>);
static_assert(Takes<std::optional<double>, Real> && Takes<std::nullopt_t, Real>);
static_assert(Takes<const char*, Text> && Takes<std::string_view, Text> && Takes<bool, Boolean>);
static_assert(Takes<Status, Status> && Takes<Phase, Phase>);
static_assert(!Takes<double, Integer> && !Takes<bool, Integer> && !Takes<int, Real>);
static_assert(!Takes<const char*, Integer> && !Takes<const char*, Boolean> && !Takes<int, Text>);
static_assert(!Takes<const char*, Status> && !Takes<Phase, Status> && !Takes<Status, Text>);

TEST(Record, HoldsWhatItsColumnsTake) {
  Record record;
  record[columns::c_in] = 16;
  record[columns::power_w] = 200.5;
  record[columns::gpu_name] = "AMD EPYC";
  record[columns::deterministic] = true;
  record[columns::status] = Status::throttled;
  record[columns::phase] = Phase::end_to_end;
  EXPECT_EQ(record.get(columns::c_in), 16);
  EXPECT_EQ(record.number(columns::c_in), 16.0);
  EXPECT_EQ(record.text(columns::gpu_name), "AMD EPYC");
  EXPECT_EQ(record.get(columns::deterministic), true);
  EXPECT_EQ(record.get(columns::status), Status::throttled);
  EXPECT_EQ(record.text(columns::phase), "end_to_end");
  EXPECT_EQ(record.value(columns::c_in), Value(int64_t{16}));
  record[columns::power_w] = std::nullopt;
  EXPECT_FALSE(record.number(columns::power_w));
  EXPECT_FALSE(record.get(columns::n_in));
}

TEST(Record, AStatusOfANewerVersionKeepsItsText) {
  Record record;
  record.named("status") = "melted";
  EXPECT_FALSE(record.get(columns::status));
  EXPECT_EQ(record.text(columns::status), "melted");
}

TEST(Status, NamesComeBack) {
  for (const char* text : kStatusNames) EXPECT_STREQ(name(parse_status(text).value()), text);
  for (const char* text : kPhaseNames) EXPECT_STREQ(name(parse_phase(text).value()), text);
  EXPECT_STREQ(name(Status::timeout), "timeout");
  EXPECT_STREQ(name(Phase::end_to_end), "end_to_end");
  EXPECT_FALSE(parse_status("OK"));
  EXPECT_FALSE(parse_phase(""));
}

}  // namespace
}  // namespace spb
