// SPDX-License-Identifier: Apache-2.0
#include "report/plots/plots.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "core/error.h"
#include "report/has.h"
#include "report/known.h"
#include "report/plots/style.h"
#include "report/samples.h"
#include "report/summary/rows.h"

namespace spb::report {
namespace {

class PlotsTest : public ReportTest {
 protected:
  void add(const std::string& algorithm, double time_us, const std::string& direction = "fprop",
           const std::string& gpu = "GPU A") {
    Record row = sample_row(algorithm, time_us);
    row[columns::backend] = "cuda";
    row[columns::gpu_name] = gpu;
    row[columns::direction] = direction;
    row[columns::cache] = CacheState::cold;
    row[columns::redundancy] = 1.5;
    row[columns::peak_total_bytes] = 1000000;
    row[columns::throughput_gflops] = 1e6 / time_us;
    row[columns::bandwidth_gbps] = 1e4 / time_us;
    rows_.push_back(row);
    row[columns::phase] = Phase::plan;
    row[columns::cache] = CacheState::none;
    rows_.push_back(row);
  }
  std::vector<Plot> make() {
    sort_rows(rows_);
    set_ = collect_cases(rows_, kKnown);
    return make_plots(set_);
  }
  static std::set<std::string> names(const std::vector<Plot>& plots) {
    std::set<std::string> found;
    for (const Plot& plot : plots) found.insert(plot.name);
    return found;
  }
  std::vector<Record> rows_;
  CaseSet set_;
};

TEST_F(PlotsTest, EveryKindThatHasValues) {
  add("explicit_gemm", 100);
  add("masked_implicit_gemm", 50);
  EXPECT_EQ(names(make()),
            (std::set<std::string>{"time_fprop", "speedup_fprop", "memory_fprop",
                                   "redundancy_fprop", "phases_fprop", "roofline_f32"}));
}

TEST_F(PlotsTest, NamesAreWordsWhateverAFileSaid) {
  add("explicit_gemm", 100, "../it's\n`id`");
  for (const std::string& name : names(make()))
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-"), std::string::npos)
        << name;
}

TEST_F(PlotsTest, NoSpeedupWithoutABaseline) {
  add("masked_implicit_gemm", 50);
  EXPECT_FALSE(names(make()).contains("speedup_fprop"));
}

TEST_F(PlotsTest, UnverifiedTimesAreNotDrawn) {
  add("masked_implicit_gemm", 50);
  for (Record& row : rows_) row[columns::verify_status] = VerifyStatus::fail;
  EXPECT_TRUE(make().empty());
}

TEST_F(PlotsTest, SeveralGpusAreCompared) {
  add("a", 100, "fprop", "GPU A");
  add("a", 50, "fprop", "GPU B");
  const auto found = names(make());
  EXPECT_TRUE(found.contains("devices_fprop"));
  EXPECT_TRUE(found.contains("time_fprop_gpu-a-cuda"));
  EXPECT_TRUE(found.contains("time_fprop_gpu-b-cuda"));
}

TEST_F(PlotsTest, DenseConvolutionsByOccupancyWhereSeveralWereMeasured) {
  const auto add_at = [&](double occupancy, int channels, double dense_us) {
    add("masked_implicit_gemm", 100);
    for (size_t i = rows_.size() - 2; i < rows_.size(); ++i) {
      rows_[i][columns::dataset] = fmt::format("random:100,{}", occupancy);
      rows_[i][columns::n_in] = static_cast<int64_t>(occupancy * 1e6);
      rows_[i][columns::c_in] = channels;
      rows_[i][columns::c_out] = channels;
      rows_[i][columns::occupancy] = occupancy;
      rows_[i][columns::dense_conv_us] = dense_us;
    }
  };
  add_at(0.5, 16, 50);
  EXPECT_FALSE(names(make()).contains("occupancy_fprop"));
  add_at(0.25, 16, 200);
  add_at(0.5, 64, 400);
  add_at(0.25, 64, 800);
  const std::vector<Plot> plots = make();
  const auto plot = std::ranges::find(plots, "occupancy_fprop", &Plot::name);
  ASSERT_NE(plot, plots.end());
  EXPECT_TRUE(has(plot->script, "0.25 2\n0.5 0.5\n"));  // by rising occupancy
  EXPECT_TRUE(has(plot->script, "0.25 8\n0.5 4\n"));
  EXPECT_TRUE(has(plot->script, "'16→16'"));
  EXPECT_TRUE(has(plot->description, "16→16: 0.354; 64→64: none up to 0.500")) << plot->description;
}

TEST_F(PlotsTest, RooflineDrawsMeasuredCeilingsOnly) {
  const auto roofline = [&] {
    for (const Plot& plot : make())
      if (plot.name == "roofline_f32") return plot;
    return Plot();
  };
  add("a", 100);
  EXPECT_TRUE(has(roofline().description, "no measured ceilings"));
  EXPECT_FALSE(has(roofline().script, "$roof"));
  for (Record& row : rows_) {
    row[columns::peak_gflops] = 60000.0;
    row[columns::peak_bw_gbps] = 4000.0;
  }
  EXPECT_TRUE(has(roofline().script, "$roof"));
  EXPECT_TRUE(has(roofline().description, "4000 GB/s"));
}

TEST(PlotsStyle, LooksDifferAndMeanTheAlgorithm) {
  std::set<std::string> colors;
  std::set<int> shapes;
  CaseSet alone, beside;
  alone.known = beside.known = kKnown;
  beside.algorithms = {"another", "implicit_gemm"};
  for (const std::string& name : kKnown) {
    EXPECT_STREQ(style_of(alone, name).color, style_of(beside, name).color) << name;
    colors.insert(style_of(alone, name).color);
    shapes.insert(style_of(alone, name).filled);
  }
  EXPECT_EQ(colors.size(), kKnown.size());
  EXPECT_EQ(shapes.size(), kKnown.size()) << "color must not be the only difference";
}

TEST(PlotsStyle, ElevenAlgorithmsHaveElevenColors) {
  CaseSet set;
  std::set<std::string> colors;
  for (int i = 0; i < 11; ++i) set.known.push_back("algorithm_" + std::to_string(i));
  for (const std::string& name : set.known) colors.insert(style_of(set, name).color);
  EXPECT_EQ(colors.size(), set.known.size());
}

TEST(PlotsStyle, TextCannotEndItsQuotes) { EXPECT_EQ(gnuplot_text("it's\n`id`"), "'it''s `id`'"); }

TEST_F(PlotsTest, FilesAreEqualEachTimeAndHoldNothingOfTheProgram) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  add("explicit_gemm", 100);
  add("it's <b>&\"$(touch owned)` \\n_x^{2}", 50);
  const std::vector<Plot> plots = make();
  draw_plots(plots, folder_ / "one");
  draw_plots(plots, folder_ / "two");
  for (const Plot& plot : plots) {
    for (const char* ending : {".svg", ".png"}) {
      const std::string bytes = content(folder_ / "one" / (plot.name + ending));
      EXPECT_GT(bytes.size(), 1000u) << plot.name << ending;
      EXPECT_EQ(bytes, content(folder_ / "two" / (plot.name + ending))) << plot.name << ending;
      for (const char* word : {"GNUPLOT", "Gnuplot", "patchlevel", "gnuplot_"})
        EXPECT_FALSE(has(bytes, word)) << plot.name << ending << " holds " << word;
    }
    const std::string svg = content(folder_ / "one" / (plot.name + ".svg"));
    EXPECT_TRUE(has(svg, "it's &lt;b>&amp;")) << svg;
    EXPECT_FALSE(has(svg, "<b>"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "one" / "owned"));
}

TEST_F(PlotsTest, MissingGnuplotIsOneClearLine) {
  add("a", 100);
  std::vector<Plot> plots = make();
  const std::string path = std::getenv("PATH");
  setenv("PATH", folder_.c_str(), 1);
  EXPECT_FALSE(has_gnuplot());
  try {
    draw_plots(plots, folder_ / "plots");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_TRUE(has(error.what(), "apt-get install gnuplot-nox")) << error.what();
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_F(PlotsTest, WordsOfAFailingGnuplotArePassedOn) {
  add("a", 100);
  std::vector<Plot> plots = make();
  write(folder_ / "gnuplot", "#!/bin/sh\necho no such terminal >&2\nexit 3\n");
  std::filesystem::permissions(folder_ / "gnuplot", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  try {
    draw_plots(plots, folder_ / "plots");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(has(error.what(), "no such terminal")) << error.what();
  }
  setenv("PATH", path.c_str(), 1);
}

TEST_F(PlotsTest, AGnuplotThatStopsIsEnded) {
  add("a", 100);
  std::vector<Plot> plots = make();
  write(folder_ / "gnuplot", "#!/bin/sh\nexec sleep 3600\n");
  std::filesystem::permissions(folder_ / "gnuplot", std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  try {
    draw_plots(plots, folder_ / "plots", 0.3);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_TRUE(has(error.what(), "longer than 0.3 s")) << error.what();
  }
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace spb::report
