// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include "report/has.h"
#include "report/known.h"
#include "report/page/html.h"
#include "report/samples.h"
#include "report/summary/answer.h"
#include "report/summary/measured.h"
#include "report/summary/rows.h"
#include "report/text/xml_text.h"

namespace spb::report {
namespace {

constexpr const char* kHostile = "<script>alert('x')</script>\"&";

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string page_of(std::vector<Record> rows, std::vector<Record> contexts = {}) {
  RecordSet records;
  records.rows = std::move(rows);
  records.contexts = std::move(contexts);
  sort_rows(records.rows);
  const CaseSet set = collect_cases(records.rows, kKnown);
  return page(records, set, {}, kUsualRuns, "");
}

TEST(PageHtml, TextStaysText) {
  EXPECT_EQ(xml_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(xml_text("µs → ok"), "µs → ok");
}

TEST(Page, NothingOfARecordBecomesMarkup) {
  Record row = sample_row();
  for (const char* column : {"dataset", "algorithm", "dtype", "direction", "status", "repro",
                             "status_detail", "gpu_name", "kernel", "git_sha", "driver_version"})
    row.named(column) = kHostile;
  row[columns::arithmetic_class] = kHostile;
  Record context;
  context[columns::run_id] = kHostile;
  context.named("command_line") = kHostile;
  const std::string text = page_of({row}, {context});
  EXPECT_EQ(count(text, "<script>"), 1u) << "the page's own";
  EXPECT_EQ(count(text, "<script type=\"application/json\""), 1u);
  EXPECT_EQ(count(text, "</script>"), 2u) << "of the script and of its numbers";
  EXPECT_EQ(count(text, "<script>alert"), 0u);
  EXPECT_GE(count(text, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp;"), 10u);
}

TEST(Page, NeedsNoNetwork) {
  const std::string text = page_of({sample_row()});
  EXPECT_TRUE(has(text, "default-src 'none'"));
  for (const char* part : {"src=\"", "https://", "@import", "url("})
    EXPECT_FALSE(has(text, part)) << part;
  EXPECT_EQ(count(text, "http://"), count(text, "\"http://www.w3.org/2000/svg\""))
      << "but the name of SVG";
}

TEST(Page, HoldsEveryReproLine) {
  std::vector<Record> rows{sample_row("a", 1), sample_row("b", 2)};
  rows[0][columns::repro] = "spconv-bench run x --algorithms a";
  rows[1][columns::repro] = "spconv-bench run x --algorithms b";
  const std::string text = page_of(rows);
  for (const char* name : {"a", "b"})
    EXPECT_EQ(count(text, std::string("<code>spconv-bench run x --algorithms ") + name + "</code>"),
              1u);
}

TEST(Page, TablesAreNamedAndTheirHeadsScoped) {
  const std::string text = page_of({sample_row()});
  EXPECT_GE(count(text, "<table"), 4u);
  EXPECT_EQ(count(text, "<table"), count(text, "<caption>"));
  EXPECT_GT(count(text, "<th scope=\"row\""), 3u);
  EXPECT_EQ(count(text, "<th "), count(text, "<th scope="));
  EXPECT_EQ(count(text, "<th>"), 0u);
}

TEST(Page, SaysThatPlotsAreMissing) {
  EXPECT_TRUE(has(page_of({sample_row()}), "No plots: gnuplot"));
}

TEST(Page, LinksToTheFilesBesideIt) {
  RecordSet records;
  records.rows = {sample_row()};
  const CaseSet set = collect_cases(records.rows, kKnown);
  Plot plot;
  plot.name = "time_fprop";
  plot.kind = "Time";
  plot.device = &set.devices.at(0);
  const std::string text = page(records, set, {{plot}}, kUsualRuns, "records.jsonl.xz");
  for (const char* file : {"results.csv", "summary.md", "records.jsonl.xz", "plots/time_fprop.svg",
                           "plots/time_fprop.png"})
    EXPECT_EQ(count(text, std::string("href=\"") + file + "\""), 1u) << file;
  EXPECT_FALSE(has(text, "No plots"));
  EXPECT_FALSE(has(page_of({sample_row()}), "records.jsonl"));
}

TEST(Page, FailuresLeadThePage) {
  Record wrong = sample_row("b", 2);
  wrong[columns::status] = Status::incorrect;
  const std::string text = page_of({sample_row("a", 1), wrong});
  EXPECT_TRUE(has(text, "✗ 1 of 2 cases verified</span>, 1 wrong or mistrusted"));
  EXPECT_TRUE(has(page_of({sample_row()}), "✓ 1 of 1 cases verified"));
}

TEST(Page, EveryCaseIsInItsSentence) {
  std::vector<Record> rows;
  for (const char* status : {"ok", "throttled", "incorrect", "oom", "unsupported"}) {
    rows.push_back(sample_row(status, 1));
    rows.back().named("status") = status;
  }
  EXPECT_TRUE(has(page_of(rows),
                  "✗ 2 of 5 cases verified</span>, 1 of them measured while throttled, "
                  "1 wrong or mistrusted, 1 failed to run, 1 unsupported or skipped</p>"));
}

TEST(Page, WhatNobodyVerifiedIsNotGood) {
  std::vector<Record> rows{sample_row("a", 1), sample_row("b", 1)};
  for (Record& row : rows) row[columns::verify_status] = VerifyStatus::not_run;
  rows[1][columns::status] = Status::throttled;
  EXPECT_TRUE(has(page_of(rows), "✗ 0 of 2 cases verified</span>, 2 not verified"));
}

TEST(Page, SettingsAndUnitsAreThoseOfPeople) {
  Record row = sample_row();
  row[columns::kernel] = "wgmma_128x256x64";
  row[columns::algorithm_params] = "{\"tile_m\":64,\"split\":1,\"order\":\"gray\"}";
  row[columns::throughput_gflops] = 240852.0;
  row[columns::peak_total_bytes] = 274504768;
  const std::string text = page_of({row});
  for (const char* part :
       {"<td class=\"whole\">wgmma_128x256x64</td>", "<td class=\"whole\">split 1, order gray</td>",
        ">TFLOP/s</th>", ">241</td>", ">memory [MB]</th>", ">275</td>"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(Page, AListHasTwoValuesOrMore) {
  Record other = sample_row("b", 2);
  const std::string text = page_of({sample_row("a", 1), other});
  EXPECT_TRUE(has(text,
                  "<select name=\"algorithm\"><option value=\"\">all</option>"
                  "<option>a</option><option>b</option></select>"));
  for (const char* name : {"dtype", "direction", "workload", "device", "verdict"})
    EXPECT_FALSE(has(text, std::string("<select name=\"") + name)) << name;
}

TEST(Page, DifferencesComeFirstAndOnlyWithSeveralGpus) {
  std::vector<Record> rows;
  for (const char* gpu : {"GPU A", "GPU B"})
    add_rows(rows, {"gather_scatter", 1, 1, 1, 2, "d", gpu});
  const std::string two = page_of(rows);
  rows.resize(4);
  ASSERT_TRUE(has(two, "<section id=\"differences\""));
  EXPECT_LT(two.find("<section id=\"differences\""), two.find("<section id=\"answer\""));
  EXPECT_FALSE(has(page_of(rows), "<section id=\"differences\""));
}

TEST(Page, HostIsLabelled) {
  EXPECT_TRUE(has(page_of({sample_row()}), "Host timing: for testing the tool"));
}

TEST(Page, RowsWithFewColumnsAreEnough) {
  Record row;
  row[columns::algorithm] = "a";
  EXPECT_TRUE(has(page_of({row}), "</html>"));
}

TEST(Page, ThreeThousandRowsStayReasonable) {
  std::vector<Record> rows;
  for (int size = 0; size < 100; ++size)
    for (const char* algorithm : {"explicit_gemm", "gather_scatter", "implicit_gemm",
                                  "implicit_gemm_splitk", "masked_implicit_gemm", "another"})
      for (const char* phase : {"map_build", "plan", "end_to_end", "cold", "hot"}) {
        Record row = sample_row(algorithm, 10 + size);
        row[columns::dataset] = "sphere:" + std::to_string(size);
        const bool kernel = std::string(phase) == "cold" || std::string(phase) == "hot";
        row.named("phase") = kernel ? "kernel" : phase;
        row.named("cache") = kernel ? phase : "";
        row[columns::repro] = std::string(300, 'r');
        rows.push_back(row);
      }
  ASSERT_EQ(rows.size(), 3000u);
  EXPECT_LT(page_of(rows).size(), 1'000'000u);
}

}  // namespace
}  // namespace spb::report
