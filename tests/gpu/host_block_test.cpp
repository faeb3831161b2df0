// SPDX-License-Identifier: Apache-2.0
// What only the host vendor can tell: kernels whose threads wait at different places.
#include <gtest/gtest.h>

#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

GPU_KERNEL void two_barriers_kernel() {
  if (threadIdx.x % 2)
    sync_threads();
  else
    sync_threads();
}

GPU_KERNEL void warp_against_block_kernel() {
  if (threadIdx.x % 2)
    sync_threads();
  else
    sync_warp();
}

GPU_KERNEL void left_out_kernel() {
  __shared__ int value;
  value = shuffle(static_cast<int>(threadIdx.x), 0);
  if (threadIdx.x == 1) shuffle(value, 0);
  sync_threads();
}

void run(void (*kernel)(), bool flat = false) {
  Stream stream;
  if (flat)
    launch_flat(kernel, 1, stream);
  else
    launch(kernel, dim3(1), dim3(64), 0, stream);
}

TEST(HostBlockDeathTest, DifferentBarriersAreFatal) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(two_barriers_kernel), "different barriers at .*host_block_test.cpp");
  EXPECT_DEATH(run(warp_against_block_kernel), "different barriers");
  EXPECT_DEATH(run(left_out_kernel), "different barriers");
}

TEST(HostBlockDeathTest, FlatKernelsMustNotWait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(two_barriers_kernel, true), "launched by launch_flat");
}

}  // namespace
}  // namespace spb::gpu
