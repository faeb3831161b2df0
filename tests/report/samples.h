// SPDX-License-Identifier: Apache-2.0
// Records and files for the tests of report.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "core/record.h"
#include "report/records/fields.h"

namespace spb::report {

/// A folder of its own for each test, removed at its end.
class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("spb_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::filesystem::path folder_;
};

/// A verified row of one algorithm.
inline Record sample_row(const std::string& algorithm = "gather_scatter", double time_us = 412.34) {
  Record record;
  record[columns::schema_version] = kSchemaVersion;
  record[columns::run_id] = "20260102T030405Z-0a1b2c";
  record[columns::status] = Status::ok;
  record[columns::dataset] = "sphere:8";
  record[columns::c_in] = 16;
  record[columns::c_out] = 32;
  record[columns::direction] = "fprop";
  record[columns::dtype] = "f32";
  record[columns::arithmetic_class] = "f32";
  record[columns::algorithm] = algorithm;
  record[columns::phase] = Phase::kernel;
  record[columns::backend] = "host";
  record[columns::verify_status] = VerifyStatus::pass;
  record[columns::time_median_us] = time_us;
  record[columns::deterministic] = true;
  return record;
}

}  // namespace spb::report
