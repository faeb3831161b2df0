// SPDX-License-Identifier: Apache-2.0
#include "report/text/table.h"

#include <gtest/gtest.h>

#include "report/text/markdown.h"

namespace spb::report {
namespace {

TableLayout sample_table() {
  return {.heading = "host timing: for testing the tool",
          .headers = {"algorithm", "cold [µs]", ""},
          .numeric = {false, true, false},
          .cells = {{"implicit_gemm", "98.8", "*"}, {"gather_scatter", "412", ""}},
          .tones = {Tone::better, Tone::plain},
          .notes = {"* least time"}};
}

TEST(Table, IsAlignedAndComplete) {
  EXPECT_EQ(draw_table(sample_table()),
            "host timing: for testing the tool\n"
            "\n"
            "algorithm       cold [µs]\n"
            "--------------  ---------  -\n"
            "implicit_gemm        98.8  *\n"
            "gather_scatter        412\n"
            "* least time\n");
}

TEST(Table, CellsBreakNoLine) {
  TableLayout table = sample_table();
  table.cells[0][0] = "implicit\ngem\x1b";
  const std::string text = draw_table(table);
  EXPECT_NE(text.find("\nimplicit gem?        98.8  *\n"), std::string::npos) << text;
}

TEST(Table, RowsHaveTheColorOfTheirTone) {
  const std::string text = draw_table(sample_table(), true);
  EXPECT_NE(text.find("\033[32mimplicit_gemm        98.8  *\033[0m\n"), std::string::npos);
  EXPECT_NE(text.find("\ngather_scatter        412\n"), std::string::npos);
}

TEST(Markdown, IsAPipeTable) {
  EXPECT_EQ(draw_markdown(sample_table()),
            "*host timing: for testing the tool*\n\n"
            "| algorithm | cold [µs] |  |\n"
            "| --- | ---: | --- |\n"
            "| implicit\\_gemm | 98.8 | \\* |\n"
            "| gather\\_scatter | 412 |  |\n"
            "\n\\* least time\n");
}

}  // namespace
}  // namespace spb::report
