// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch.cuh"

#include <gtest/gtest.h>
#include <vector>

#include "both_orders.h"
#include "core/error.h"
#include "gpu/atomic.cuh"
#include "gpu/buffer.h"

namespace spb::gpu {
namespace {

constexpr int kTile = 16;

// C[m, n] = A[m, k] * B[k, n] through shared tiles: wrong without either of its barriers.
GPU_KERNEL void tile_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile];
  const int row = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int begin = 0; begin < k; begin += kTile) {
    const int a_column = begin + static_cast<int>(threadIdx.x);
    const int b_row = begin + static_cast<int>(threadIdx.y);
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0;
    b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0;
    sync_threads();
    for (int i = 0; i < kTile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    sync_threads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

GPU_KERNEL void rotate_kernel(int32_t* values, int n) {
  int32_t* shared = dynamic_shared<int32_t>();
  const int i = static_cast<int>(threadIdx.x);
  shared[i] = values[i];
  sync_threads();
  values[i] = shared[(i + 1) % n];
}

constexpr int kOwn = 12 << 10;

/// Passes values through its own shared memory, then through what the launch asked for.
GPU_KERNEL void two_memories_kernel(int32_t* values, int n) {
  __shared__ int32_t own[kOwn / sizeof(int32_t)];
  int32_t* asked = dynamic_shared<int32_t>();
  const int i = static_cast<int>(threadIdx.x);
  own[i] = values[i];
  sync_threads();
  asked[i] = own[(i + 1) % n];
  sync_threads();
  values[i] = asked[(i + 1) % n];
}

struct SevenValues {
  int32_t of[7];
};

GPU_KERNEL void seventh_kernel(SevenValues parameter, int32_t* out) {
  out[threadIdx.x] = first_argument(parameter).of[threadIdx.x % 7];
}

GPU_KERNEL void early_exit_kernel(int32_t* count) {
  if (threadIdx.x % 3 == 0) return;
  sync_threads();
  atomic_add(count, 1);
}

GPU_KERNEL void index_kernel(int64_t* out, int64_t n) {
  const int64_t i = global_index();
  if (i < n) out[i] += i + 1;
}

/// to[i] = 1 + the element of `from` that another block of the launch before wrote, late.
GPU_KERNEL void pass_on_kernel(const int32_t* from, int32_t* to, int n) {
  wait_for_earlier_kernels();
  const int i = static_cast<int>(global_index());
  if (i >= n) return;
  const uint64_t begin = nanoseconds();
  while (blockIdx.x % 7 == 0 && threadIdx.x == 0 && nanoseconds() - begin < 20'000) {
  }
  to[i] = from[(i + n / 2) % n] + 1;
}

class Launch : public BothOrders {};

TEST_P(Launch, EarlyKernelsSeeWhatEarlierOnesWrote) {
  constexpr int n = 100'000, kLaunches = 40;
  Stream stream;
  Allocator memory;
  Buffer<int32_t> even(memory, n, Tag::workspace), odd(memory, n, Tag::workspace);
  even.upload(std::vector<int32_t>(n, 0), stream);
  for (int i = 0; i < kLaunches; i += 2) {
    launch_flat_early(pass_on_kernel, n, stream, even.data(), odd.data(), n);
    launch_early(pass_on_kernel, dim3(n / 100), dim3(100), 0, stream, odd.data(), even.data(), n);
  }
  EXPECT_EQ(even.download(stream), std::vector<int32_t>(n, kLaunches));
}

TEST_P(Launch, TilesWaitForEachOther) {
  constexpr int m = 50, n = 35, k = 70;
  std::vector<float> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 5) - 2;
  Stream stream;
  Allocator memory;
  Buffer<float> a_device(memory, m * k, Tag::input), b_device(memory, k * n, Tag::input),
      c_device(memory, m * n, Tag::output);
  a_device.upload(a, stream);
  b_device.upload(b, stream);
  launch(tile_kernel, dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile), 0,
         stream, a_device.data(), b_device.data(), c_device.data(), m, n, k);
  const std::vector<float> c = c_device.download(stream);
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      float expected = 0;
      for (int i = 0; i < k; ++i) expected += a[row * k + i] * b[i * n + column];
      ASSERT_EQ(c[row * n + column], expected) << row << ", " << column;
    }
}

TEST_P(Launch, DynamicSharedMemoryIsSharedByTheBlock) {
  constexpr int n = 1024;
  std::vector<int32_t> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  Stream stream;
  Allocator memory;
  Buffer<int32_t> device(memory, n, Tag::input);
  device.upload(values, stream);
  launch(rotate_kernel, dim3(1), dim3(n), n * sizeof(int32_t), stream, device.data(), n);
  const std::vector<int32_t> rotated = device.download(stream);
  for (int i = 0; i < n; ++i) ASSERT_EQ(rotated[i], (i + 1) % n);
}

TEST_P(Launch, FirstArgumentIsWhatWasPassed) {
  constexpr int n = 64;
  Stream stream;
  Allocator memory;
  Buffer<int32_t> device(memory, n, Tag::output);
  launch(seventh_kernel, dim3(1), dim3(n), 0, stream, SevenValues{{3, 1, 4, 15, 9, 2, 6}},
         device.data());
  const std::vector<int32_t> out = device.download(stream);
  for (size_t i = 0; i < n; ++i)
    EXPECT_EQ(out[i], (std::vector<int32_t>{3, 1, 4, 15, 9, 2, 6})[i % 7]) << i;
}

TEST_P(Launch, SharedMemoryMayExceed48Kilobytes) {
  constexpr int n = 256;
  Stream stream;
  Allocator memory;
  Buffer<int32_t> device(memory, n, Tag::input);
  device.upload(std::vector<int32_t>(n, 5), stream);
  launch(rotate_kernel, dim3(1), dim3(n), 60 << 10, stream, device.data(), n);
  EXPECT_EQ(device.download(stream), std::vector<int32_t>(n, 5));
}

// Neither of them is more than that alone.
TEST_P(Launch, SharedMemoryOfAKernelAndOfItsLaunchMayExceed48Kilobytes) {
  constexpr int n = 256;
  Stream stream;
  Allocator memory;
  std::vector<int32_t> values(n), expected(n);
  for (int i = 0; i < n; ++i) {
    values[i] = i;
    expected[i] = (i + 2) % n;
  }
  Buffer<int32_t> device(memory, n, Tag::input);
  device.upload(values, stream);
  launch(two_memories_kernel, dim3(1), dim3(n), 44 << 10, stream, device.data(), n);
  EXPECT_EQ(device.download(stream), expected);
}

TEST_P(Launch, ThreadsThatLeftAreNotWaitedFor) {
  Stream stream;
  Allocator memory;
  Buffer<int32_t> count(memory, 1, Tag::output);
  count.upload(std::vector<int32_t>{0}, stream);
  launch(early_exit_kernel, dim3(5), dim3(96), 0, stream, count.data());
  EXPECT_EQ(count.download(stream)[0], 5 * 64);
}

TEST_P(Launch, FlatCoversEveryItemOnce) {
  for (const int64_t n : {1, 255, 256, 257, 100001}) {
    Stream stream;
    Allocator memory;
    Buffer<int64_t> out(memory, n, Tag::output);
    fill_bytes(out.data(), 0, out.bytes(), stream);
    launch_flat(index_kernel, n, stream, out.data(), n);
    const std::vector<int64_t> values = out.download(stream);
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(values[i], i + 1);
  }
}

TEST_P(Launch, NothingIsLaunchedForNothing) {
  Stream stream;
  launch_flat(index_kernel, 0, stream, nullptr, 1);
  launch(index_kernel, dim3(0, 4), dim3(32), 0, stream, nullptr, 1);
  stream.synchronize();
}

TEST_P(Launch, RefusesABlockOfTooManyThreads) {
  Stream stream;
  EXPECT_THROW(launch(index_kernel, dim3(1), dim3(1025), 0, stream, nullptr, 1), Error);
  static_cast<void>(gpuGetLastError());
}

SPB_BOTH_ORDERS(Launch);

TEST(LaunchFlat, RefusesMoreThanAGridHolds) {
  EXPECT_ANY_THROW(flat_grid(int64_t{1} << 40));
  EXPECT_EQ(flat_grid(int64_t{1} << 38), 1u << 30);
  EXPECT_EQ(grid_of((int64_t{1} << 31) - 1), (1u << 31) - 1);
  EXPECT_THROW(grid_of(int64_t{1} << 31), Error);
}

}  // namespace
}  // namespace spb::gpu
