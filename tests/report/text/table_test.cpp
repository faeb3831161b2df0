// SPDX-License-Identifier: Apache-2.0
#include "report/text/table.h"

#include "report/samples.h"

namespace spb::report {
namespace {

TEST(Table, IsAlignedAndComplete) {
  const Record rows[] = {sample_row("gather_scatter", 412.34), sample_row("implicit_gemm", 98.765)};
  EXPECT_EQ(table(rows),
            "host timing: for testing the tool\n"
            "dataset    sphere:8\n"
            "c_in       16\n"
            "c_out      32\n"
            "dtype      f32\n"
            "direction  fprop\n"
            "phase      kernel\n"
            "\n"
            "algorithm       verified  time [µs]  rank\n"
            "--------------  --------  ---------  ----  -\n"
            "gather_scatter  pass            412     2\n"
            "implicit_gemm   pass           98.8     1  *\n"
            "* fastest verified of its case\n");
}

TEST(Table, OfNothingIsEmpty) { EXPECT_EQ(table({}), ""); }

}  // namespace
}  // namespace spb::report
