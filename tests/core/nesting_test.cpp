// SPDX-License-Identifier: Apache-2.0
#include "core/nesting.h"

#include <gtest/gtest.h>
#include <string>

#include "core/json_text.h"
#include "core/toml_text.h"

namespace spb {
namespace {

std::string repeated(const std::string& text, int64_t times) {
  std::string all;
  for (int64_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Nesting, CountsListsTablesAndDotsOfKeys) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}"),
                                    std::pair("{a=", "}"), std::pair("a.", "")}) {
    const auto text = [&](int64_t levels) {
      return "\n" + repeated(open, levels) + "1" + repeated(close, levels) + "\n";
    };
    EXPECT_EQ(line_of_deep_nesting(text(kMostLevels)), std::nullopt) << open;
    EXPECT_EQ(line_of_deep_nesting(text(kMostLevels + 1)), 2) << open;
  }
}

TEST(Nesting, AddsUpDotsAroundBrackets) {
  EXPECT_TRUE(line_of_deep_nesting(repeated("{a.a.a=", 30)));
  EXPECT_TRUE(line_of_deep_nesting("[" + repeated("a.", 100) + "a]"));
  EXPECT_FALSE(line_of_deep_nesting("x = [" + repeated("0.5, ", 1000) + "0.5]\n"));
  EXPECT_FALSE(line_of_deep_nesting(repeated("a.b = 0.5\n", 1000)));
  EXPECT_FALSE(line_of_deep_nesting(repeated("[1.5]\n", 1000)));
  EXPECT_FALSE(line_of_deep_nesting(repeated("]", 1000)));
}

TEST(Nesting, StringsAndCommentsNestNothing) {
  const std::string deep = repeated("[", 1000);
  for (const std::string& text :
       {"\"" + deep + "\"", "'" + deep + "'", "\"\\\"" + deep + "\"", "# " + deep + "\n1",
        "\"\"\"a\n\"" + deep + "\"\"\"", "'''a\n" + deep + "'''", "\"" + deep, "# " + deep})
    EXPECT_FALSE(line_of_deep_nesting(text)) << text.substr(0, 10);
  for (const std::string& text :
       {"\"a\" " + deep, "'\\' " + deep, "\"\" " + deep, "# a\n" + deep,
        "\"\"\"a\"\"\"\"\" " + deep, "'''a'''' " + deep, "\"cut off\n" + deep})
    EXPECT_TRUE(line_of_deep_nesting(text)) << text.substr(0, 10);
}

TEST(JsonText, DeepOnesAreRefusedBeforeTheyAreParsed) {
  EXPECT_THROW(parse_json(repeated("[", 1'000'000), "a.json"), Error);
  EXPECT_TRUE(parse_json("[", "a.json").is_discarded());
  EXPECT_EQ(parse_json("[1.5]", "a.json")[0], 1.5);
}

TEST(JsonText, WholeNumbersNeitherWrapNorLoseAFraction) {
  const auto fits = [](const char* text) {
    try {
      whole_number<int>(nlohmann::json::parse(text), "n");
      return true;
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(std::string(error.what()).find("n is "), 0u) << error.what();
      return false;
    }
  };
  for (const char* text : {"0", "-1", "2147483647", "-2147483648"}) EXPECT_TRUE(fits(text)) << text;
  for (const char* text :
       {"2147483648", "-2147483649", "4294967297", "9223372036854775808", "18446744073709551615",
        "99999999999999999999", "1.0", "1e3", "true", "null", "\"1\"", "[1]", "{}"})
    EXPECT_FALSE(fits(text)) << text;
  EXPECT_EQ(whole_number<int64_t>(nlohmann::json(INT64_MAX), "n"), INT64_MAX);
  EXPECT_THROW(whole_number<int64_t>(nlohmann::json(uint64_t{1} << 63), "n"),
               std::invalid_argument);
  EXPECT_THROW(whole_number<int>(nlohmann::json(0), "n", 1), std::invalid_argument);
  EXPECT_THROW(real_number(nlohmann::json(true), "n"), std::invalid_argument);
  EXPECT_EQ(real_number(nlohmann::json(3), "n"), 3.0);
}

TEST(TomlText, DeepKeysAreRefusedBeforeTheyAreParsed) {
  for (const std::string& text :
       {repeated("a.", 50'000) + "b = 1\n", "[" + repeated("a.", 50'000) + "b]\n"})
    EXPECT_THROW(parse_toml(text, "a.toml"), Error);
  try {
    parse_toml("a = 1\nb = ?\n", "a.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find("a.toml:2: "), 0u) << error.what();
    EXPECT_EQ(error.code(), ExitCode::usage);
  }
}

}  // namespace
}  // namespace spb
