// SPDX-License-Identifier: Apache-2.0
#include "suite/peaks_text.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace spb::suite {
namespace {

const std::string kGood =
    R"({"type":"peaks","device":"d","driver_version":"1","copy_gbps":1.5,"read_gbps":2,)"
    R"("l2_read_gbps":3,"launch_us":4,"launch_wait_us":5,"gather_gbps":{"64":1.5},)"
    R"("compute":{"f32":{"gflops":6,"source":"probe:fma"}}})";

std::string error_of(const std::string& text) {
  try {
    parse_peaks(text, "p.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    return error.what();
  }
  return "";
}

TEST(PeaksText, IsRead) {
  const MeasuredPeaks measured = parse_peaks(kGood, "p.json");
  EXPECT_EQ(measured.device, "d");
  EXPECT_EQ(measured.driver, "1");
  EXPECT_EQ(measured.peaks.read_gbps, 2);
  EXPECT_EQ(measured.peaks.gather_gbps, (std::map<int, double>{{64, 1.5}}));
  EXPECT_EQ(measured.peaks.compute.at("f32").gflops, 6);
}

TEST(PeaksText, RefusesWhatIsNone) {
  const auto broken = [](const std::string& from, const std::string& to) {
    std::string text = kGood;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), kGood.substr(1), broken("\"copy_gbps\":1.5", "\"x\":1"),
        broken("1.5", "0"), broken("1.5", "true"), broken("1.5", "\"1\""), broken("\"64\"", "\"\""),
        broken("\"64\"", "\"64a\""), broken("\"64\"", "\"4294967360\""),
        broken("\"64\"", "\"6.4\""), broken("\"64\"", "\"-64\""), broken("6,", "-6,"),
        broken("\"d\"", "1")})
    EXPECT_EQ(error_of(text).find("p.json: is no file of spconv-bench peaks: "), 0u)
        << text << '\n'
        << error_of(text);
  EXPECT_EQ(error_of(std::string(1'000'000, '[')).find("p.json: nests lists"), 0u);
}

}  // namespace
}  // namespace spb::suite
