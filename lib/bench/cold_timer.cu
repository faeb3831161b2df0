// SPDX-License-Identifier: Apache-2.0
#include "bench/cold_timer.h"

#include <vector>

#include "bench/statistics.h"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

GPU_KERNEL void do_nothing() {}

}  // namespace

ColdTimer::ColdTimer(const gpu::Stream& stream, gpu::Allocator& allocator, int64_t flush_bytes,
                     double blocker_limit_s)
    : stream_(stream), flush_(stream, allocator, flush_bytes), blocker_(blocker_limit_s) {
  // Loads the kernel of the stamps: inside a sample its loading would wait for the blocker.
  clock_.stamp_before(stream);
  clock_.stamp_after(stream);
  stream.synchronize();
}

std::optional<DeviceSample> ColdTimer::sample(const std::function<void()>& queue) {
  flush_.run();
  blocker_.block(stream_);
  try {
    clock_.stamp_before(stream_);
    begin_.record(stream_);
    queue();
    end_.record(stream_);
    clock_.stamp_after(stream_);
  } catch (...) {
    blocker_.release();
    throw;
  }
  blocker_.release();
  stream_.synchronize();
  if (blocker_.timed_out()) return std::nullopt;
  return DeviceSample{end_.microseconds_since(begin_), clock_.mhz()};
}

double timer_floor_us(const gpu::Stream& stream, gpu::Allocator& allocator) {
  constexpr int kSamples = 30;
  gpu::launch(do_nothing, dim3(1), dim3(1), 0, stream);
  stream.synchronize();
  ColdTimer timer(stream, allocator, 0);
  std::vector<double> times;
  for (int i = 0; i < kSamples; ++i)
    if (const auto sample =
            timer.sample([&] { gpu::launch(do_nothing, dim3(1), dim3(1), 0, stream); }))
      times.push_back(sample->time_us);
  return summarize(times).median;
}

}  // namespace spb::bench
