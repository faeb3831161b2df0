// SPDX-License-Identifier: Apache-2.0
#include "report/text/markdown.h"

#include "report/samples.h"

namespace spb::report {
namespace {

TEST(Markdown, IsAPipeTable) {
  const Record rows[] = {sample_row("gather_scatter", 412.34), sample_row("implicit_gemm", 98.765)};
  EXPECT_EQ(markdown(rows),
            "*host timing: for testing the tool*\n\n"
            "- dataset: sphere:8\n"
            "- c\\_in: 16\n"
            "- c\\_out: 32\n"
            "- dtype: f32\n"
            "- direction: fprop\n"
            "- phase: kernel\n\n"
            "| algorithm | verified | time [µs] | rank |  |\n"
            "| --- | --- | ---: | ---: | --- |\n"
            "| gather\\_scatter | pass | 412 | 2 |  |\n"
            "| implicit\\_gemm | pass | 98.8 | 1 | \\* |\n"
            "\n\\* fastest verified of its case\n");
}

TEST(Markdown, OfNothingIsEmpty) { EXPECT_EQ(markdown({}), ""); }

}  // namespace
}  // namespace spb::report
