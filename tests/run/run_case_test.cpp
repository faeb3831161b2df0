#include "run/run_case.h"

#include <gtest/gtest.h>
#include <string_view>

#include "core/error.h"
#include "data/generate.h"
#include "fake_algorithm.h"
#include "gpu/device_info.h"
#include "report/fields.h"

namespace spb::run {
namespace {

const bool kOnHost = std::string_view(gpu::backend_name()) == "host";
const size_t kPhases = kOnHost ? 4 : 5;  // a device is timed cold, too

class RunCase : public testing::Test {
 protected:
  std::vector<Record> run(Defect defect) {
    options_.max_time_s = 0.02;
    options_.min_samples = 6;
    auto rows = run_case(fake_algorithm(std::move(defect)), problem_, data_, options_,
                         [&](const std::string& line) { lines_.push_back(line); });
    for (const Record& row : rows) EXPECT_NO_THROW(report::check(row));
    return rows;
  }
  static double real(const Record& row, const char* name) {
    const auto* value = std::get_if<double>(&row.get(name));
    return value ? *value : -1;
  }
  static int64_t whole(const Record& row, const char* name) {
    const auto* value = std::get_if<int64_t>(&row.get(name));
    return value ? *value : -1;
  }

  Problem problem_{.geometry = {}, .c_in = 8, .c_out = 8};
  CaseData data_{"sphere:16", data::generate("sphere:16")};
  RunOptions options_;
  std::vector<std::string> lines_;
  static constexpr auto kWrong = [](const Operands& operands, const gpu::Stream& stream) {
    write_element(operands, {}, 0, 12345, stream);
  };
};

TEST_F(RunCase, RightOneGivesOneRowPerPhase) {
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases);
  std::string phases;
  for (const Record& row : rows) {
    EXPECT_EQ(row.text("status"), "ok") << row.text("status_detail");
    EXPECT_EQ(row.text("verify_status"), "pass");
    EXPECT_EQ(row.text("checksum_status"), "pass");
    EXPECT_GT(real(row, "time_median_us"), 0);
    EXPECT_EQ(whole(row, "n_pairs"), 10544);
    EXPECT_EQ(whole(row, "algorithm_version"), 7);
    EXPECT_EQ(whole(row, "leak_bytes"), 0);
    EXPECT_EQ(whole(row, "run_alloc_count"), 0);
    EXPECT_GT(whole(row, "persistent_bytes"), 848 * 27 * 4 - 1);
    EXPECT_GE(whole(row, "peak_total_bytes"), whole(row, "peak_plan_bytes"));
    const bool computes = row.text("phase") != "plan" && row.text("phase") != "map_build";
    EXPECT_EQ(real(row, "throughput_gflops") > 0, computes) << row.text("phase");
    EXPECT_EQ(row.text("timing_method") == "event", row.text("cache") == "cold");
    phases += row.text("phase") + " ";
  }
  EXPECT_EQ(phases, kOnHost ? "kernel end_to_end plan map_build "
                            : "kernel kernel end_to_end plan map_build ");
  const Record& kernel = rows.front();
  EXPECT_NEAR(real(kernel, "throughput_gflops"),
              2.0 * 10544 * 64 / real(kernel, "time_median_us") / 1e3, 1e-9);
}

TEST_F(RunCase, WrongOneIsNeverTimed) {
  const auto rows = run({.after_run = kWrong});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "incorrect");
  EXPECT_EQ(rows[0].text("verify_status"), "fail");
  EXPECT_EQ(real(rows[0], "time_median_us"), -1);
}

TEST_F(RunCase, TimeAnywayTimesButDoesNotForgive) {
  options_.time_anyway = true;
  const auto rows = run({.after_run = kWrong});
  ASSERT_EQ(rows.size(), kPhases);
  EXPECT_EQ(rows[0].text("status"), "incorrect");
  EXPECT_GT(real(rows[0], "time_median_us"), 0);
}

TEST_F(RunCase, WithoutVerificationNothingIsClaimed) {
  options_.verify_exact = options_.verify_fp = false;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases);
  EXPECT_EQ(rows[0].text("status"), "ok");
  EXPECT_EQ(rows[0].text("verify_status"), "not_run");
}

TEST_F(RunCase, WithoutTimingOneRow) {
  options_.time = false;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "ok");
  EXPECT_EQ(rows[0].text("phase"), "");
}

TEST_F(RunCase, RefusalBecomesARow) {
  problem_.c_in = 13;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "unsupported");
  EXPECT_EQ(rows[0].text("status_detail"), "c_in = 13 brings bad luck");
}

TEST_F(RunCase, ExceptionsBecomeRows) {
  auto rows = run({.in_plan = [] { throw Error(ExitCode::runtime, "the table is full"); }});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "error");
  EXPECT_EQ(rows[0].text("status_detail"), "the table is full");

  rows = run({.in_plan = [] { throw gpu::OutOfMemory("allocate 99 bytes", 99); }});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "oom");
  EXPECT_EQ(whole(rows[0], "oom_request_bytes"), 99);
}

TEST_F(RunCase, AllocationInsideRunIsCounted) {
  const auto rows = run({.in_run = [](gpu::Allocator& allocator) {
    allocator.release(allocator.allocate(64, gpu::Tag::workspace));
  }});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(whole(rows[0], "run_alloc_count"), 1);
  ASSERT_FALSE(lines_.empty());
  EXPECT_NE(lines_.back().find("run() allocates 1 times"), std::string::npos) << lines_.back();
}

TEST_F(RunCase, LeakIsCounted) {
  const auto rows =
      run({.in_run = [](gpu::Allocator& allocator) { allocator.allocate(64, gpu::Tag::cache); }});
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(whole(rows[0], "leak_bytes"), 64);
}

TEST_F(RunCase, RepeatedCoordsAreAnErrorRow) {
  VoxelSet voxels = data::generate("cube:4");
  voxels.coords.push_back(voxels.coords.front());
  data_ = CaseData("repeated", std::move(voxels));
  const auto rows = run({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text("status"), "error");
}

}  // namespace
}  // namespace spb::run
