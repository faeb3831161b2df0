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

/// Each thread copies its word and waits, or does not. `shift` bytes from where words lie.
void copy_words(int shift, bool waits, int* words) {
  alignas(16) static thread_local int shared[65];
  copy_ahead<4>(reinterpret_cast<char*>(shared + threadIdx.x) + shift, words + threadIdx.x);
  const int early = shared[threadIdx.x];
  if (waits) wait_for_copies();
  sync_threads();
  words[64 + threadIdx.x] = early;
  words[128 + threadIdx.x] = shared[63 - threadIdx.x];
}
GPU_KERNEL void copying_kernel(int shift, bool waits, int* words) {
  copy_words(shift, waits, words);
}

TEST(HostBlock, CopiesComeWithTheWait) {
  Stream stream;
  int words[192];
  for (int& word : words) word = static_cast<int>(&word - words) + 1;
  launch(copying_kernel, dim3(1), dim3(64), 0, stream, 0, true, words);
  for (int i = 0; i < 64; ++i) {
    EXPECT_NE(words[64 + i], i + 1) << "before the wait, nothing is there that could be read";
    EXPECT_EQ(words[128 + i], 64 - i);
  }
}

TEST(HostBlockDeathTest, CopiesAreAlignedAndWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run_copies = [](int shift, bool waits) {
    Stream stream;
    int words[192] = {};
    launch(copying_kernel, dim3(1), dim3(64), 0, stream, shift, waits, words);
  };
  EXPECT_DEATH(run_copies(2, true), "not aligned to its size at .*host_block_test.cpp");
  EXPECT_DEATH(run_copies(0, false), "without waiting for its copy at .*host_block_test.cpp");
}

TEST(HostBlockDeathTest, FlatKernelsMustNotWait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(two_barriers_kernel, true), "launched by launch_flat");
}

}  // namespace
}  // namespace spb::gpu
