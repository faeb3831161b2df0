// SPDX-License-Identifier: Apache-2.0
#include "bench/blocker.h"

#include "gpu/check.h"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

GPU_KERNEL void wait_for_flag(const volatile uint32_t* flag) {
  while (*flag == 0) {
  }
}

}  // namespace

Blocker::Blocker(double limit_s) : limit_(limit_s) {
  void* flag = nullptr;
  gpu::check(gpuMallocHost(&flag, sizeof(uint32_t)), "allocate a flag in host memory");
  flag_ = static_cast<volatile uint32_t*>(flag);
  *flag_ = 1;
  watchdog_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Blocker::~Blocker() {
  watchdog_.request_stop();
  watchdog_.join();
  release();
  static_cast<void>(gpuFreeHost(const_cast<uint32_t*>(flag_)));
}

void Blocker::block(const gpu::Stream& stream) {
  {
    const std::lock_guard lock(mutex_);
    *flag_ = 0;
    timed_out_ = false;
    armed_ = true;
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit_);
  }
  gpu::launch(wait_for_flag, dim3(1), dim3(1), 0, stream,
              const_cast<const volatile uint32_t*>(flag_));
}

void Blocker::release() {
  const std::lock_guard lock(mutex_);
  *flag_ = 1;
  armed_ = false;
}

// Polls: waking up for every block() would disturb what is timed.
void Blocker::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, stop, limit_ / 10, [&] { return stop.stop_requested(); })) {
    if (!armed_ || std::chrono::steady_clock::now() < deadline_) continue;
    *flag_ = 1;
    armed_ = false;
    timed_out_ = true;
  }
}

}  // namespace spb::bench
