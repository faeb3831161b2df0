// SPDX-License-Identifier: Apache-2.0
#include "report/compare/writers.h"

#include <nlohmann/json.hpp>

#include "report/compare/tables.h"
#include "report/compared.h"

namespace spb::report {
namespace {

using Json = nlohmann::json;

/// A comparison with one row of most kinds; the sides outlive it.
class CompareWriters : public testing::Test {
 protected:
  void SetUp() override {
    Record larger = kernel_row("slow", 120);
    larger[columns::peak_total_bytes] = int64_t{2000};
    Record other = kernel_row("other", 100);
    other[columns::fill] = "dataset";
    base_ = side_of({kernel_row("slow", 100), kernel_row("fast", 100), kernel_row("same", 100),
                     kernel_row("wrong", 100), kernel_row("gone", 100), kernel_row("other", 100)});
    next_ = side_of({larger, kernel_row("fast", 50), kernel_row("same", 100),
                     failed_row("wrong", "incorrect"), other, kernel_row("fresh", 100)});
    base_.path = "old";
    next_.path = "new";
    comparison_ = compare(base_, next_, options_);
  }
  CompareReport report(bool all = false) const {
    return {comparison_, base_, next_, options_, gate_, all};
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  static size_t count(const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++found;
    return found;
  }

  Side base_, next_;
  CompareOptions options_;
  Gate gate_{{"slower", "incorrect", "error", "memory"}};
  Comparison comparison_;
};

TEST_F(CompareWriters, TextSaysWhatARatioMeansAndWhatFails) {
  const std::string text = compare_text(report(), false);
  for (const char* part :
       {"BASE old: NVIDIA H200", "above 1 is slower",
        "5 rows matched, 1 only in BASE, 1 only in NEW", "sphere:8/slow/kernel/cold", "100 µs",
        "120 µs", "1.200", "+20.0 %", "slower", "-50.0 %", "incorrect: because", "peak_total_bytes",
        "larger", "with 95 % confidence for 3 rows together",
        "only drift within a process was seen", "fill (relu / dataset)",
        "the gate fails: 1 incorrect, 1 slower, 1 memory", "w from the intervals"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  EXPECT_FALSE(contains(text, "sphere:8/same/"));
  EXPECT_FALSE(contains(text, "\033"));
  EXPECT_FALSE(contains(text, " at ,")) << "a record without a commit names none";
  EXPECT_LT(text.find("sphere:8/wrong"), text.find("sphere:8/slow/kernel"));
  EXPECT_LT(text.find("sphere:8/slow/kernel"), text.find("sphere:8/fast/"));
  EXPECT_TRUE(contains(compare_text(report(true), false), "sphere:8/same/"));
}

TEST_F(CompareWriters, ColorSaysNothingThatWordsDoNot) {
  std::string colored = compare_text(report(), true);
  EXPECT_TRUE(contains(colored, "\033[31msphere:8/slow/"));
  EXPECT_TRUE(contains(colored, "\033[32msphere:8/fast/"));
  EXPECT_TRUE(contains(colored, "\033[90msphere:8/gone/"));
  for (const char* code : {"\033[31m", "\033[32m", "\033[90m", "\033[0m"})
    for (size_t at; (at = colored.find(code)) != std::string::npos;)
      colored.erase(at, std::string(code).size());
  EXPECT_EQ(colored, compare_text(report(), false));
}

TEST_F(CompareWriters, ALongTableIsCutAndSaysSo) {
  std::vector<Record> before, after;
  for (int i = 0; i < 100; ++i) {
    before.push_back(kernel_row("a", 100, "sphere:" + std::to_string(i)));
    after.push_back(kernel_row("a", 110 + i, "sphere:" + std::to_string(i)));
  }
  const Side base = side_of(before), next = side_of(after);
  const Comparison comparison = compare(base, next, options_);
  const std::string text = compare_text({comparison, base, next, options_, gate_}, false);
  EXPECT_TRUE(contains(text, "40 more rows: see --all"));
  EXPECT_TRUE(contains(text, "sphere:99/"));  // the slowest comes first
  EXPECT_FALSE(contains(text, "sphere:0/"));
}

TEST_F(CompareWriters, MarkdownIsMadeOfPipeTables) {
  const std::string text = compare_markdown(report());
  EXPECT_TRUE(text.starts_with("# 1 slower, 1 faster, 1 same, 1 incorrect"));
  EXPECT_TRUE(contains(text, "| sphere:8/slow/kernel/cold |"));
  EXPECT_TRUE(contains(text, "- the gate fails: 1 incorrect"));
  EXPECT_EQ(count(text, "\n| --- "), 3u);  // rows, means, memory
}

TEST_F(CompareWriters, JsonHoldsEverything) {
  const Json json = Json::parse(compare_json(report()));
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["counts"]["matched"], 5);
  EXPECT_EQ(json["counts"]["slower"], 1);
  EXPECT_EQ(json["counts"]["not_comparable"], 1);
  EXPECT_EQ(json["counts"]["memory"], 1);
  EXPECT_EQ(json["differing"]["fill"], "relu / dataset");
  ASSERT_EQ(json["devices"].size(), 1u);
  ASSERT_EQ(json["devices"][0]["rows"].size(), 7u);
  const Json& row = json["devices"][0]["rows"][0];
  EXPECT_EQ(row["verdict"], "slower");
  EXPECT_DOUBLE_EQ(row["ratio"], 1.2);
  EXPECT_DOUBLE_EQ(row["base_median_us"], 100);
  EXPECT_DOUBLE_EQ(row["ratio_ci95"][1], 1.2 * 1.002 / 0.998);
  EXPECT_EQ(row["resampled"], false);
  EXPECT_LT(row["p_beyond"], 0.05);
  EXPECT_EQ(json["counts"]["judged"], 3);
  const Json& drift = json["devices"][0]["process_drift"];
  EXPECT_EQ(drift["source"], "unseen");
  EXPECT_EQ(drift["base_processes"], 1);
  EXPECT_FALSE(drift.contains("deviation"));
  options_.process_drift = 0.01;
  comparison_ = compare(base_, next_, options_);
  const Json stated = Json::parse(compare_json(report()))["devices"][0]["process_drift"];
  EXPECT_EQ(stated["source"], "stated");
  EXPECT_EQ(stated["deviation"], 0.01);
  EXPECT_EQ(compare_json(report()), compare_json(report()));
}

TEST_F(CompareWriters, JunitFailsWhatTheGateFails) {
  const std::string xml = compare_junit(report());
  EXPECT_TRUE(contains(
      xml,
      "<testsuite name=\"NVIDIA H200\" tests=\"8\" failures=\"3\" errors=\"0\" skipped=\"3\">"));
  EXPECT_EQ(count(xml, "<testcase"), 8u);
  EXPECT_EQ(count(xml, "<failure"), 3u);
  EXPECT_TRUE(contains(xml, "<property name=\"process_drift\" value=\"one process a side: only "));
  EXPECT_TRUE(contains(xml, "<failure type=\"slower\" message=\"slower: ratio 1.200"));
  EXPECT_TRUE(contains(xml, "<failure type=\"memory\" message=\"1000 bytes before, 2000 now\"/>"));
}

TEST_F(CompareWriters, JunitEscapesWhatXmlDoesNotTake) {
  next_ = side_of({kernel_row("slow", 100, "a\"<&>\x01.bin")});
  comparison_ = compare(base_, next_, options_);
  EXPECT_TRUE(
      contains(compare_junit(report()), "name=\"a&quot;&lt;&amp;&gt;?.bin/slow/kernel/cold\""));
}

TEST_F(CompareWriters, AGpuAndTheHostStandSideBySideWithoutTimes) {
  std::vector<Record> host{kernel_row("explicit_gemm", 98765), kernel_row("slow", 49382.5)};
  for (Record& row : host) {
    row[columns::backend] = "host";
    row[columns::gpu_name] = "AMD EPYC";
    row[columns::roofline_pct] = 12.5;
  }
  base_ = side_of({kernel_row("explicit_gemm", 123), kernel_row("slow", 41)});
  next_ = side_of(host);
  options_.allowed = {"gpu"};
  options_.reference = "explicit_gemm";
  comparison_ = compare(base_, next_, options_);
  const std::string text = compare_text(report(true), false);
  for (const char* part :
       {"BASE over explicit_gemm", "3.00", "2.00", "12.5", "only what is relative"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  for (const std::string& output :
       {text, compare_markdown(report(true)), compare_json(report()), compare_junit(report())})
    for (const char* time : {"123 ", "41.0", "98.8", "49.4", "98765", "49382"})
      EXPECT_FALSE(contains(output, time)) << time << "\n" << output;
}

}  // namespace
}  // namespace spb::report
