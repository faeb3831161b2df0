// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch_limits.h"

#include <gtest/gtest.h>
#include <string>

#include "core/error.h"

namespace spb::gpu {
namespace {

constexpr uint64_t kMostOfHip = (uint64_t{1} << 32) - 1;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(LaunchLimits, ThreadsOfAnAxisAreCounted) {
  EXPECT_NO_THROW(require_grid((1 << 24) - 1, 256, kMostOfHip));
  EXPECT_EQ(error_of([] { require_grid(1 << 24, 256, kMostOfHip); }),
            "launch: an axis of a grid holds 4294967295 threads, not 16777216 blocks of 256; split "
            "the work");
  EXPECT_NO_THROW(require_grid(kMostOfHip, 1, kMostOfHip));
  EXPECT_THROW(require_grid(kMostOfHip + 1, 1, kMostOfHip), Error);
  EXPECT_THROW(require_grid(uint64_t{1} << 62, 8, ~uint64_t{0}), Error) << "2^65 wraps to 0";
  EXPECT_NO_THROW(require_grid(5, 0, kMostOfHip)) << "the runtime refuses a block of none";
}

TEST(LaunchLimits, SharedMemoryOfKernelAndLaunchIsCounted) {
  EXPECT_NO_THROW(require_shared_memory(0, 65536, 65536));
  EXPECT_NO_THROW(require_shared_memory(4096, 61440, 65536));
  EXPECT_NO_THROW(require_shared_memory(0, 100 << 10, 160 << 10)) << "gfx950 has more";
  EXPECT_EQ(error_of([] { require_shared_memory(4096, 61444, 65536); }),
            "launch: a block has 65536 bytes of shared memory on this device, not 65540 (4096 of "
            "the kernel, 61444 of the launch)");
  EXPECT_THROW(require_shared_memory(1, ~size_t{0}, 65536), Error) << "the sum wraps";
}

}  // namespace
}  // namespace spb::gpu
