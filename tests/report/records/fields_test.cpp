// SPDX-License-Identifier: Apache-2.0
#include "report/records/fields.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

TEST(Fields, NamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const Field& field : fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_STRNE(field.text, "") << field.name;
    EXPECT_EQ(find_field(field.name), &field);
  }
  EXPECT_EQ(find_field("time_median"), nullptr);
}

TEST(Fields, UnitsStandInNames) {
  for (const Field& field : fields()) {
    const std::string name = field.name;
    EXPECT_EQ(std::string_view(field.unit) == "µs", name.ends_with("_us")) << name;
    EXPECT_EQ(std::string_view(field.unit) == "bytes", name.ends_with("_bytes")) << name;
  }
}

TEST(Check, AcceptsARowAndNothing) {
  EXPECT_NO_THROW(check(sample_row()));
  EXPECT_NO_THROW(check(Record()));
  Record unmeasured;
  unmeasured[columns::time_median_us] = std::nullopt;
  EXPECT_NO_THROW(check(unmeasured));
}

TEST(Check, RefusesUnknownNames) {
  Record record = sample_row();
  record.named("time_medain_us") = 1.0;
  EXPECT_THROW(check(record), std::logic_error);
}

TEST(Check, RefusesEveryOtherType) {
  const Value values[] = {"word", int64_t{1}, 1.0, true};
  for (const Field& field : fields()) {
    int accepted = 0;
    for (const Value& value : values) {
      Record record;
      record.named(field.name) = value;
      try {
        check(record);
        ++accepted;
        EXPECT_FALSE(
            std::holds_alternative<std::monostate>(parse_value(field, to_text(value), "here")));
      } catch (const std::logic_error&) {
      }
    }
    EXPECT_EQ(accepted, 1) << field.name;
  }
}

TEST(ToText, NeverWritesNanOrInfinity) {
  EXPECT_EQ(to_text(std::nan("")), "");
  EXPECT_EQ(to_text(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(to_text(Value()), "");
}

TEST(ToText, WritesNineDigitsAndExactIntegers) {
  EXPECT_EQ(to_text(1.0 / 3), "0.333333333");
  EXPECT_EQ(to_text(123456789.125), "123456789");
  EXPECT_EQ(to_text(1e-30), "1e-30");
  EXPECT_EQ(to_text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(to_text(true), "1");
  EXPECT_EQ(to_text(false), "0");
}

TEST(ParseValue, RefusesWhatIsNoValue) {
  EXPECT_THROW(parse_value(*find_field("c_in"), "16x", "f:2"), Error);
  EXPECT_THROW(parse_value(*find_field("c_in"), "1.5", "f:2"), Error);
  EXPECT_THROW(parse_value(*find_field("time_median_us"), "fast", "f:2"), Error);
  EXPECT_THROW(parse_value(*find_field("time_median_us"), "nan", "f:2"), Error);
  EXPECT_THROW(parse_value(*find_field("deterministic"), "yes", "f:2"), Error);
  EXPECT_EQ(parse_value(*find_field("c_in"), "16", "f:2"), Value(int64_t{16}));
  EXPECT_EQ(parse_value(*find_field("c_in"), "", "f:2"), Value());
}

TEST(SchemaVersion, RefusesNewerMajorsOnly) {
  EXPECT_NO_THROW(check_schema_version(kSchemaVersion, "f"));
  EXPECT_NO_THROW(check_schema_version("1.999", "f"));
  EXPECT_NO_THROW(check_schema_version("0.1", "f"));
  for (const char* version : {"2.0", "10.1", "", "one", "1"}) {
    try {
      check_schema_version(version, "f");
      ADD_FAILURE() << version;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
    }
  }
}

}  // namespace
}  // namespace spb::report
