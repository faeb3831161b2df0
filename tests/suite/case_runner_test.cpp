// SPDX-License-Identifier: Apache-2.0
#include "suite/case_runner.h"

#include <gtest/gtest.h>
#include <stdexcept>

#include "temporary_folder.h"

namespace spb::suite {
namespace {

/// A terminal that is gone when data are noted.
class Gone final : public Log {
 public:
  void error(const std::string& text) override { errors += text; }
  void warning(const std::string& text) override { throw std::runtime_error("gone: " + text); }
  void note(const std::string& text) override { throw std::runtime_error("gone: " + text); }
  std::string errors;
};

TEST(LocalRunner, WhateverLoadingThrowsIsARow) {
  const TemporaryFolder folder;
  PlannedCases plan;
  plan.algorithms = algorithms();
  config::CaseSpec spec;
  spec.algorithm = plan.algorithms.front().name;
  spec.dataset = folder.write("voxels.xyz", "0 0 0\n1 0 0\n9 0 0\n");
  spec.voxel_size = VoxelSize(1);
  spec.range = CropRange{{0, 0, 0}, {4, 4, 4}};
  plan.cases = {spec};
  Gone log;
  LocalRunner runner(plan, log, [](const std::string&) {});
  const std::vector<Record> rows = runner.run(0, 0).rows;
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].get(columns::status), Status::error);
  EXPECT_NE(rows[0].text(columns::status_detail).find("gone: voxels.xyz: 1 of 3 points"),
            std::string::npos)
      << rows[0].text(columns::status_detail);
  EXPECT_EQ(log.errors, rows[0].text(columns::status_detail));
}

}  // namespace
}  // namespace spb::suite
