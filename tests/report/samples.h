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
#include "temporary_folder.h"

namespace spb::report {

/// A folder of its own for each test.
class ReportTest : public testing::Test {
 protected:
  static std::string content(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
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
