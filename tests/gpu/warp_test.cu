// SPDX-License-Identifier: Apache-2.0
#include "gpu/warp.cuh"

#include <gtest/gtest.h>
#include <vector>

#include "both_orders.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/launch.cuh"

namespace spb::gpu {
namespace {

GPU_KERNEL void reduce_kernel(const double* in, double* out) {
  const double sum = reduce_warp(in[global_index()], [](double a, double b) { return a + b; });
  if (lane() == 0) out[global_index() / warp_size()] = sum;
}

GPU_KERNEL void least_kernel(const uint32_t* in, uint32_t* out) {
  out[global_index()] = warp_min(in[global_index()]);
}

GPU_KERNEL void rotate_in_warp_kernel(int32_t* values) {
  int32_t value = values[global_index()];
  for (int turn = 0; turn < 3; ++turn) value = shuffle(value, (lane() + 1) % warp_size());
  values[global_index()] = value;
}

GPU_KERNEL void ballot_kernel(uint64_t* out, int* first) {
  const uint64_t bits = ballot(lane() % 3 == 1);
  if (lane() != 0) return;
  out[warp_index()] = bits;
  first[warp_index()] = 100 * popcount(bits) + lowest_bit(bits);
}

GPU_KERNEL void size_kernel(int* size) { *size = warp_size(); }

class Warp : public BothOrders {
 protected:
  Stream stream_;
  Allocator memory_;
  const int lanes_ = list_devices()[0].warp_size;
};

TEST_P(Warp, LeastOfAllLanesIsInEveryLane) {
  const std::vector<size_t> places{0, 7, static_cast<size_t>(lanes_ - 1)};
  for (const size_t place : places) {
    std::vector<uint32_t> values(static_cast<size_t>(lanes_), 0xFFFFFFFFu);
    values[place] = 0x80000001u;
    Buffer<uint32_t> in(memory_, lanes_, Tag::input), out(memory_, lanes_, Tag::output);
    in.upload(values, stream_);
    launch(least_kernel, dim3(1), dim3(static_cast<unsigned>(lanes_)), 0, stream_, in.data(),
           out.data());
    EXPECT_EQ(out.download(stream_),
              std::vector<uint32_t>(static_cast<size_t>(lanes_), 0x80000001u));
  }
}

TEST_P(Warp, SizeIsTheDevices) {
  Buffer<int> size(memory_, 1, Tag::output);
  launch(size_kernel, dim3(1), dim3(1), 0, stream_, size.data());
  EXPECT_EQ(size.download(stream_)[0], lanes_);
}

TEST_P(Warp, EachWarpReducesItsOwn) {
  const int n = 8 * lanes_;
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  Buffer<double> in(memory_, n, Tag::input), out(memory_, 8, Tag::output);
  in.upload(values, stream_);
  launch(reduce_kernel, dim3(2), dim3(4 * lanes_), 0, stream_, in.data(), out.data());
  const std::vector<double> sums = out.download(stream_);
  for (int w = 0; w < 8; ++w) EXPECT_EQ(sums[w], lanes_ * (w * lanes_ + 0.5 * (lanes_ - 1))) << w;
}

TEST_P(Warp, ShuffleReadsTheNamedLane) {
  const int n = 3 * lanes_;
  std::vector<int32_t> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  Buffer<int32_t> device(memory_, n, Tag::input);
  device.upload(values, stream_);
  launch(rotate_in_warp_kernel, dim3(1), dim3(n), 0, stream_, device.data());
  const std::vector<int32_t> rotated = device.download(stream_);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(rotated[i], i / lanes_ * lanes_ + (i % lanes_ + 3) % lanes_) << i;
}

TEST_P(Warp, BallotHasABitPerLane) {
  Buffer<uint64_t> out(memory_, 2, Tag::output);
  Buffer<int> first(memory_, 2, Tag::output);
  launch(ballot_kernel, dim3(1), dim3(2 * lanes_), 0, stream_, out.data(), first.data());
  uint64_t expected = 0;
  for (int i = 1; i < lanes_; i += 3) expected |= uint64_t{1} << i;
  EXPECT_EQ(out.download(stream_), std::vector<uint64_t>(2, expected));
  EXPECT_EQ(first.download(stream_), std::vector<int>(2, 100 * ((lanes_ + 1) / 3) + 1));
}

SPB_BOTH_ORDERS(Warp);

}  // namespace
}  // namespace spb::gpu
