// SPDX-License-Identifier: Apache-2.0
#include "run/run_case.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

#include "algorithms/fake_algorithm.h"
#include "bench/host_wall.h"
#include "core/error.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "report/records/fields.h"
#include "run/limits.h"

namespace spb::run {
namespace {

const bool kOnHost = gpu::on_host();
constexpr size_t kPhases = 5;

class RunCase : public testing::Test {
 protected:
  std::vector<Record> run(Defect defect) {
    options_.timing.max_time_s = 0.02;
    options_.timing.min_samples = 6;
    options_.timing.llc_bytes = 1 << 20;  // not every processor says
    CaseRows result = run_case(engines::Native(fake_algorithm(std::move(defect))), problem_, data_,
                               options_, [&](const std::string& line) { lines_.push_back(line); });
    EXPECT_EQ(result.rows.size(), result.samples.size());
    samples_ = std::move(result.samples);
    for (const Record& row : result.rows) EXPECT_NO_THROW(report::check(row));
    return std::move(result.rows);
  }
  static double real(const Record& row, const char* name) {
    const auto* value = std::get_if<double>(&row.value(name));
    return value ? *value : -1;
  }
  static int64_t whole(const Record& row, const char* name) {
    const auto* value = std::get_if<int64_t>(&row.value(name));
    return value ? *value : -1;
  }

  Problem problem_{.geometry = {}, .c_in = 8, .c_out = 8};
  CaseData data_{"sphere:16", data::generate("sphere:16")};
  RunOptions options_;
  std::vector<std::string> lines_;
  std::vector<std::vector<bench::Sample>> samples_;
  /// Plans that run once: verification has one fresh plan, the cold sets run before they are timed,
  /// and end_to_end alone runs each plan that it makes once.
  static Defect wrong_in_end_to_end() {
    struct Seen {
      int plans = 0;
      bool ran = true, takes_turns = false;
    };
    const auto seen = std::make_shared<Seen>();
    return {.after_run =
                [seen](const Operands& operands, const gpu::Stream& stream) {
                  if (seen->plans > 3 && seen->takes_turns && !seen->ran) kWrong(operands, stream);
                  seen->ran = true;
                },
            .in_plan =
                [seen] {
                  ++seen->plans;
                  seen->takes_turns = std::exchange(seen->ran, false);
                }};
  }
  static constexpr auto kWrong = [](const Operands& operands, const gpu::Stream& stream) {
    write_element(operands, {}, 0, 12345, stream);
  };
};

TEST_F(RunCase, StepsStandWithFprop) {
  options_.step_layers = {1, 3};
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases + 2);
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool is_step = i >= kPhases;
    EXPECT_EQ(rows[i].text(columns::phase) == "step", is_step);
    EXPECT_EQ(whole(rows[i], "layers"), is_step ? options_.step_layers[i - kPhases] : -1);
  }
  EXPECT_GT(real(rows.back(), "time_median_us"), 0);
  EXPECT_EQ(real(rows.back(), "throughput_gflops"), -1);
  problem_.direction = Direction::wgrad;
  EXPECT_EQ(run({}).size(), kPhases);
}

// In a case of fprop nothing but a step runs wgrad: what is wrong from then on, only steps see.
TEST_F(RunCase, AStepsOutputsAreCompared) {
  options_.step_layers = {2};
  bool in_step = false;
  const auto rows = run({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
    if (operands.gw) in_step = true;
    if (operands.out && in_step) kWrong(operands, stream);
  }});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "incorrect");
  EXPECT_NE(rows[0].text(columns::status_detail).find("step"), std::string::npos);
}

// Alone each direction runs once, before the steps; a case of fprop runs neither otherwise.
TEST_F(RunCase, AStepsBackwardOutputsAreComparedWithThoseOfPlansAlone) {
  options_.step_layers = {2};
  for (const Direction wrong : {Direction::dgrad, Direction::wgrad}) {
    int runs = 0;
    const auto rows = run({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
      const void* output = wrong == Direction::dgrad ? operands.gin : operands.gw;
      if (output && ++runs > 1) gpu::fill_bytes(const_cast<void*>(output), 0x11, 4, stream);
    }});
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].text(columns::status), "incorrect");
    EXPECT_NE(rows[0].text(columns::status_detail).find(std::string("a step's ") + name(wrong)),
              std::string::npos)
        << rows[0].text(columns::status_detail);
  }
}

TEST_F(RunCase, OutputsOfEndToEndAreCompared) {
  for (const bool deterministic : {true, false}) {
    Defect defect = wrong_in_end_to_end();
    defect.deterministic = deterministic;
    const auto rows = run(std::move(defect));
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows[0].text(columns::status), deterministic ? "incorrect" : "ok");
    EXPECT_EQ(rows[0].text(columns::status_detail).find("end_to_end") != std::string::npos,
              deterministic)
        << rows[0].text(columns::status_detail);
  }
}

// Nothing was verified that could be taken back.
TEST_F(RunCase, WhatTimingNoticesIsSaidWithoutVerification) {
  options_.verify_exact = options_.verify_fp = false;
  const auto rows = run(wrong_in_end_to_end());
  EXPECT_EQ(rows.front().text(columns::verify_status), "not_run");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_.front().find("end_to_end"), std::string::npos) << lines_.front();
}

TEST_F(RunCase, RecordsHowManyRunsWereJudged) {
  const Record row = run({}).front();
  const int64_t judged = whole(row, "judged_runs");
  options_.timing.round = 1;
  EXPECT_EQ(whole(run({}).front(), "judged_runs"), 3) << "the timed runs, end_to_end, a sample";
  EXPECT_GE(judged, 1 + 4 * 3 + 3 + 4 + 3);
  EXPECT_NEAR(std::pow(1 - real(row, "excluded_failure_rate"), static_cast<double>(judged)), 0.05,
              1e-9);
}

// A judge that takes longer takes no time of the algorithm; none takes none.
TEST_F(RunCase, RecordsWhatVerificationTook) {
  const double begin_us = bench::host_wall_us();
  const auto rows = run({});
  const double all_s = (bench::host_wall_us() - begin_us) / 1e6;
  const double verify_s = real(rows.front(), "verify_s");
  EXPECT_GT(verify_s, 0);
  EXPECT_LT(verify_s, all_s);
  for (const Record& row : rows) EXPECT_EQ(real(row, "verify_s"), verify_s);
  options_.verify_shapes = true;
  EXPECT_GT(real(run({}).front(), "verify_s"), 2 * verify_s) << "shapes count";
  options_.verify_exact = options_.verify_fp = options_.verify_shapes = false;
  EXPECT_EQ(run({}).front().value(columns::verify_s), Value());
}

TEST_F(RunCase, RightOneGivesOneRowPerPhase) {
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases);
  std::string phases;
  for (const Record& row : rows) {
    EXPECT_EQ(row.text(columns::status), "ok") << row.text(columns::status_detail);
    EXPECT_EQ(row.text(columns::verify_status), "pass");
    EXPECT_EQ(row.text(columns::checksum_status), "pass");
    EXPECT_GT(real(row, "time_median_us"), 0);
    EXPECT_EQ(whole(row, "n_pairs"), 10544);
    EXPECT_EQ(whole(row, "algorithm_version"), 7);
    EXPECT_EQ(whole(row, "leak_bytes"), 0);
    EXPECT_EQ(whole(row, "run_alloc_count"), 0);
    EXPECT_GT(whole(row, "persistent_bytes"), 848 * 27 * 4 - 1);
    EXPECT_GE(whole(row, "peak_total_bytes"), whole(row, "peak_plan_bytes"));
    const bool computes =
        row.text(columns::phase) != "plan" && row.text(columns::phase) != "map_build";
    EXPECT_EQ(real(row, "throughput_gflops") > 0, computes) << row.text(columns::phase);
    EXPECT_EQ(row.text(columns::timing_method) == "event",
              !kOnHost && row.text(columns::cache) != "hot");
    const bool host_works_too = row.text(columns::phase) != "kernel";
    EXPECT_EQ(real(row, "wall_median_us") > 0, !kOnHost && host_works_too)
        << row.text(columns::phase);
    phases += row.text(columns::phase) + " ";
    if (row.text(columns::phase) == "kernel") phases += row.text(columns::cache) + " ";
  }
  EXPECT_EQ(phases, "kernel cold kernel hot end_to_end plan map_build ");
  const Record& kernel = rows.front();
  EXPECT_NEAR(real(kernel, "throughput_gflops"),
              2.0 * 10544 * 64 / real(kernel, "time_median_us") / 1e3, 1e-9);
}

TEST_F(RunCase, SamplesStandBesideTheirRow) {
  const auto rows = run({});
  ASSERT_EQ(samples_.size(), kPhases);
  for (size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(whole(rows[i], "samples") + whole(rows[i], "throttled_samples"),
              static_cast<int64_t>(samples_[i].size()));
}

TEST_F(RunCase, LimitsOf3xtf32AreAThirdOfThoseOfTf32) {
  bench::Peaks peaks;
  peaks.copy_gbps = 1e6;
  peaks.compute["tf32"] = {.gflops = 3000, .source = "probe:test"};
  Problem problem{.geometry = {}, .c_in = 8, .c_out = 8, .dtype = Dtype::tf32x3};
  const auto limits = [&] {
    Record record;
    record[columns::time_median_us] = 10.0;
    record[columns::bandwidth_gbps] = 1.0;
    add_limits(record, peaks, problem, {.n_in = 100, .n_out = 100, .n_pairs = 1000}, 0);
    return record;
  };
  const Record thirds = limits();
  EXPECT_EQ(real(thirds, "peak_gflops"), 1000);
  EXPECT_EQ(thirds.text(columns::peak_source), "a third of tf32: probe:test");
  EXPECT_NEAR(real(thirds, "roofline_time_us"), 2 * 1000 * 64 / 1e6, 1e-12);
  EXPECT_EQ(thirds.text(columns::roofline_bound), "compute");
  problem.dtype = Dtype::tf32;
  EXPECT_EQ(real(limits(), "peak_gflops"), 3000);
  problem.dtype = Dtype::f16;
  EXPECT_EQ(real(limits(), "peak_gflops"), -1) << "not measured";
}

TEST_F(RunCase, WithoutMeasuredLimitsThereIsNoRoofline) {
  const auto rows = run({});
  for (const char* name : {"roofline_pct", "peak_gflops", "dense_gemm_us"})
    EXPECT_EQ(real(rows.front(), name), -1) << name;
}

TEST_F(RunCase, MeasuredLimitsGiveARooflineAndADenseProduct) {
  bench::Peaks peaks;
  peaks.copy_gbps = 4000;
  peaks.read_gbps = 1e-6;  // anything is faster
  peaks.compute["f32"] = {.gflops = 1000, .source = "probe:test"};
  options_.peaks = peaks;
  const auto rows = run({});
  const Record& kernel = rows.front();
  // 2 * 10544 * 64 operations at 1 TFLOP/s; the bytes at 4 TB/s take less.
  EXPECT_NEAR(real(kernel, "roofline_time_us"), 1.349632, 1e-9);
  EXPECT_EQ(kernel.text(columns::roofline_bound), "compute");
  EXPECT_NEAR(real(kernel, "roofline_pct"), 134.9632 / real(kernel, "time_median_us"), 1e-9);
  EXPECT_EQ(real(kernel, "peak_gflops"), 1000);
  EXPECT_EQ(kernel.text(columns::peak_source), "probe:test");
  EXPECT_GT(real(kernel, "dense_gemm_us"), 0);
  EXPECT_NEAR(real(kernel, "dense_gemm_pct"),
              100 * real(kernel, "dense_gemm_us") / real(kernel, "time_median_us"), 1e-9);
  if (!kOnHost) {
    EXPECT_EQ(kernel.value(columns::cold_suspect), Value(true));
  }
  for (const Record& row : rows)
    EXPECT_EQ(real(row, "roofline_pct") > 0, real(row, "throughput_gflops") > 0)
        << row.text(columns::phase);

  peaks.copy_gbps = 1;
  options_.peaks = peaks;
  const Record slow = run({}).front();
  EXPECT_EQ(slow.text(columns::roofline_bound), "memory");
  EXPECT_NEAR(real(slow, "roofline_time_us"),
              real(slow, "bandwidth_gbps") * real(slow, "time_median_us"), 1e-6);
  EXPECT_EQ(real(slow, "dense_gemm_us"), real(kernel, "dense_gemm_us")) << "measured again";
}

TEST_F(RunCase, ADenseConvolutionStandsBesideTheRowsThatWork) {
  EXPECT_EQ(real(run({}).front(), "occupancy"), 848.0 / 4096);
  EXPECT_TRUE(lines_.empty()) << "no box without an empty cell, so none was asked for";
  options_.dense = DenseUse::on;
  const auto rows = run({});
  const bool has_library = gpu::dense_conv_library().library != nullptr;
  EXPECT_EQ(lines_.size(), has_library ? 0u : 1u);
  for (const Record& row : rows)
    EXPECT_EQ(real(row, "dense_conv_us") > 0, has_library && real(row, "bandwidth_gbps") > 0)
        << row.text(columns::phase);
}

TEST_F(RunCase, APassOfItsOwnStandsBesideAFusedEpilogue) {
  EXPECT_EQ(real(run({}).front(), "epilogue_pass_us"), -1) << "there is no epilogue";
  problem_.epilogue = {.activation = Activation::relu, .residual = true};
  const auto rows = run({});
  EXPECT_EQ(rows.front().text(columns::epilogue), "residual+relu");
  const double pass_us = real(rows.front(), "epilogue_pass_us");
  EXPECT_GT(pass_us, 0);
  for (const Record& row : rows)
    EXPECT_EQ(real(row, "epilogue_pass_us"), row.text(columns::phase) == "kernel" ? pass_us : -1)
        << row.text(columns::phase);
  EXPECT_EQ(real(run({}).front(), "epilogue_pass_us"), pass_us) << "measured again";
}

TEST_F(RunCase, NamesTheFillThatWasTimed) {
  EXPECT_EQ(run({}).front().text(columns::fill), "relu");
  problem_.dtype = Dtype::i8;
  problem_.bias = false;
  EXPECT_EQ(run({}).front().text(columns::fill), "full");
}

TEST_F(RunCase, LaterRoundsOnlyTime) {
  options_.timing.rounds = 3;
  options_.timing.round = 1;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases);
  EXPECT_EQ(rows[0].text(columns::verify_status), "pass") << "of the first round";
  EXPECT_EQ(rows[0].text(columns::checksum_status), "pass") << "of this one";
  EXPECT_EQ(whole(rows[0], "persistent_bytes"), -1);
  EXPECT_EQ(samples_.front().front().round, 1);
}

TEST_F(RunCase, BytesPerVoxelAreThoseOfThePeak) {
  const auto rows = run({});
  EXPECT_NEAR(real(rows[0], "bytes_per_voxel"),
              static_cast<double>(whole(rows[0], "peak_total_bytes")) / 848, 1e-9);
  EXPECT_EQ(whole(rows[0], "untracked_bytes"), kOnHost ? -1 : 0);
}

TEST_F(RunCase, WrongOneIsNeverTimed) {
  const auto rows = run({.after_run = kWrong});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "incorrect");
  EXPECT_EQ(rows[0].text(columns::verify_status), "fail");
  EXPECT_EQ(real(rows[0], "time_median_us"), -1);
}

TEST_F(RunCase, TimeAnywayTimesButDoesNotForgive) {
  options_.time_anyway = true;
  const auto rows = run({.after_run = kWrong});
  ASSERT_EQ(rows.size(), kPhases);
  EXPECT_EQ(rows[0].text(columns::status), "incorrect");
  EXPECT_GT(real(rows[0], "time_median_us"), 0);
}

TEST_F(RunCase, WithoutVerificationNothingIsClaimed) {
  options_.verify_exact = options_.verify_fp = false;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), kPhases);
  EXPECT_EQ(rows[0].text(columns::status), "ok");
  EXPECT_EQ(rows[0].text(columns::verify_status), "not_run");
}

TEST_F(RunCase, WithoutTimingOneRow) {
  options_.time = false;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "ok");
  EXPECT_EQ(rows[0].text(columns::phase), "");
}

TEST_F(RunCase, RefusalBecomesARow) {
  problem_.c_in = 13;
  const auto rows = run({});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "unsupported");
  EXPECT_EQ(rows[0].text(columns::status_detail), "c_in = 13 brings bad luck");
}

TEST_F(RunCase, ExceptionsBecomeRows) {
  auto rows = run({.in_plan = [] { throw Error(ExitCode::runtime, "the table is full"); }});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "error");
  EXPECT_EQ(rows[0].text(columns::status_detail), "the table is full");

  rows = run({.in_plan = [] { throw gpu::OutOfMemory("allocate 99 bytes", 99); }});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].text(columns::status), "oom");
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
  EXPECT_EQ(rows[0].text(columns::status), "error");
}

}  // namespace
}  // namespace spb::run
