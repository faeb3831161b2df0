// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_driver.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace spb::gpu {
namespace {

std::string message(int driver, int runtime) {
  try {
    check_cuda_driver(driver, runtime);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    return error.what();
  }
  return {};
}

TEST(CudaDriver, AbsentOrTooOldIsOneLineThatSaysSo) {
  EXPECT_NE(message(0, 13000).find("no driver is installed"), std::string::npos);
  const std::string old = message(12040, 13000);
  EXPECT_NE(old.find("supports CUDA 12.4, this program needs 13.0"), std::string::npos) << old;
  EXPECT_EQ(old.find('\n'), std::string::npos);
}

TEST(CudaDriver, SameMajorOrNewerRuns) {
  EXPECT_EQ(message(13000, 13000), "");
  EXPECT_EQ(message(13000, 13010), "");
  EXPECT_EQ(message(14000, 13000), "");
}

}  // namespace
}  // namespace spb::gpu
