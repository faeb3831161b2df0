// SPDX-License-Identifier: Apache-2.0
#include "bench/clock_meter.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/check.h"
#include "gpu/device_info.h"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

constexpr int kMaxMultiprocessors = 1024;
constexpr double kShortNs = 50e3;
constexpr size_t kShortCount = 10;

/// Blocks land on different multiprocessors: each notes its own.
GPU_KERNEL void take_stamp(ClockStamp* stamps, uint64_t serial) {
  const int index = gpu::multiprocessor();
  if (index >= 0 && index < kMaxMultiprocessors)
    stamps[index] = {gpu::cycles(), gpu::nanoseconds(), serial};
}

}  // namespace

ClockMeter::ClockMeter() : blocks_(gpu::multiprocessor_count()) {
  void* memory = nullptr;
  const size_t bytes = 2 * kMaxMultiprocessors * sizeof(ClockStamp);
  gpu::check(gpuMallocHost(&memory, bytes), "allocate clock stamps in host memory");
  std::memset(memory, 0, bytes);
  stamps_ = static_cast<ClockStamp*>(memory);
}

ClockMeter::~ClockMeter() { static_cast<void>(gpuFreeHost(stamps_)); }

void ClockMeter::stamp(int which, const gpu::Stream& stream) {
  if (which == 0) ++serial_;
  gpu::launch_plain(take_stamp, dim3(static_cast<unsigned>(blocks_)), dim3(1), stream,
                    stamps_ + which * kMaxMultiprocessors, serial_);
}

double ClockMeter::mhz() {
  std::vector<Elapsed> taken;
  for (int i = 0; i < kMaxMultiprocessors; ++i) {
    const ClockStamp &before = stamps_[i], &after = stamps_[kMaxMultiprocessors + i];
    if (before.serial != serial_ || after.serial != serial_ ||
        after.nanoseconds <= before.nanoseconds)
      continue;
    taken.push_back({static_cast<double>(after.cycles - before.cycles),
                     static_cast<double>(after.nanoseconds - before.nanoseconds)});
  }
  if (taken.empty()) return 0;
  const auto rate = [](const Elapsed& e) { return e.cycles / e.nanoseconds; };
  const auto middle = taken.begin() + static_cast<int64_t>(taken.size() / 2);
  std::ranges::nth_element(taken, middle, {}, rate);
  if (middle->nanoseconds >= kShortNs) return 1e3 * rate(*middle);
  short_.push_back(*middle);
  if (short_.size() > kShortCount) short_.erase(short_.begin());
  Elapsed sum{0, 0};
  for (const Elapsed& e : short_) sum = {sum.cycles + e.cycles, sum.nanoseconds + e.nanoseconds};
  return 1e3 * rate(sum);
}

}  // namespace spb::bench
