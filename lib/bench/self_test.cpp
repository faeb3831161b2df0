// SPDX-License-Identifier: Apache-2.0
#include "bench/self_test.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "bench/cold_timer.h"
#include "bench/host_wall.h"
#include "bench/peaks.h"
#include "bench/probe_compute.h"
#include "bench/probe_memory.h"
#include "bench/probe_sums.h"
#include "bench/random_fill.h"
#include "bench/statistics.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/mma/sum_bits.h"

namespace spb::bench {
namespace {

constexpr const char* kOnHost = "on host work runs at once: nothing can be held back";

template <class... Values>
std::string text(const char* format, Values... values) {
  char line[200];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

Check check(const char* name, bool passed, const std::string& detail) {
  return {name, passed ? Check::Outcome::passed : Check::Outcome::failed, detail};
}

Check skipped(const char* name, const std::string& reason) {
  return {name, Check::Outcome::skipped, reason};
}

Check floor_check(gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr const char* kName = "empty kernel";
  constexpr double kMost = 20;
  if (gpu::on_host()) return skipped(kName, kOnHost);
  const double floor_us = timer_floor_us(stream, allocator);
  return check(kName, floor_us > 0 && floor_us < kMost,
               text("%.2f us between the events around it, at most %.0f", floor_us, kMost));
}

Check spin_check(const gpu::Stream& stream) {
  constexpr double kSpinUs = 1000, kOff = 0.02;
  const double time_us = median_us(stream, [&] { queue_spin(kSpinUs, stream); });
  return check(
      "known duration", std::abs(time_us / kSpinUs - 1) <= kOff,
      text("a spin of %.0f us took %.1f us, %.0f %% allowed", kSpinUs, time_us, 100 * kOff));
}

Check blocker_check(gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr const char* kName = "blocker and watchdog";
  constexpr double kLimitS = 0.2, kSpinUs = 100;
  if (gpu::on_host()) return skipped(kName, kOnHost);
  queue_spin(1, stream);
  stream.synchronize();
  ColdTimer timer(stream, allocator, 0, kLimitS);
  // While the stream is blocked the host may take its time: none of it is in the sample.
  const auto held = timer.sample([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    queue_spin(kSpinUs, stream);
  });
  const double begin_us = host_wall_us();
  const auto waiting = timer.sample([&] { stream.synchronize(); });
  const double released_s = (host_wall_us() - begin_us) / 1e6;
  return check(kName, held && held->time_us < 2 * kSpinUs && !waiting && released_s < 5 * kLimitS,
               text("a held sample of %.0f us took %.1f us; a run that waits was released after "
                    "%.2f s",
                    kSpinUs, held ? held->time_us : 0, released_s));
}

Check cold_check(gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr const char* kName = "cold read";
  constexpr double kMost = 1.05;
  if (gpu::on_host()) return skipped(kName, kOnHost);
  const int64_t cache = gpu::last_cache_bytes(), large = 16 * cache;
  gpu::Buffer<float> data(allocator, large / int64_t{sizeof(float)}, gpu::Tag::input);
  gpu::Buffer<float> sink(allocator, 1, gpu::Tag::output);
  random_fill(Dtype::f32, data.data(), data.size(), 1, stream);
  const auto gbps = [](int64_t bytes, double time_us) {
    return static_cast<double>(bytes) / time_us / 1e3;
  };
  const double memory =
      gbps(large, median_us(stream, [&] { queue_read(data.data(), large, sink.data(), stream); }));
  // Half of the cache: warm, all of it would be found there.
  const int64_t small = cache / 2 / 16 * 16;
  const auto read = [&] { queue_read(data.data(), small, sink.data(), stream); };
  const double warm = gbps(small, median_us(stream, read));
  ColdTimer timer(stream, allocator, 2 * cache);
  std::vector<double> times;
  for (int i = 0; i < 20; ++i)
    if (const auto sample = timer.sample(read)) times.push_back(sample->time_us);
  const double cold = times.empty() ? 0 : gbps(small, summarize(times).median);
  return check(kName, cold > 0 && cold <= kMost * memory,
               text("%.0f GB/s cold, %.0f warm, %.0f from memory", cold, warm, memory));
}

Check clock_check(const gpu::Stream& stream, gpu::DeviceMonitor* monitor) {
  constexpr const char* kName = "clock stamps";
  constexpr double kOff = 0.05, kSpinUs = 400e3;
  if (!gpu::stamps_clock()) return skipped(kName, "this chip's cycles tell no clock");
  if (!monitor) return skipped(kName, "no management interface to compare with");
  ClockMeter clock;
  double stamped = 0;
  gpu::DeviceState state;
  for (int i = 0; i < 2; ++i) {  // the first wakes the device up
    clock.stamp_before(stream);
    queue_spin(kSpinUs, stream);
    clock.stamp_after(stream);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(kSpinUs / 2));
    state = monitor->read();
    stream.synchronize();
    stamped = clock.mhz();
  }
  if (!state.sm_clock_mhz) return skipped(kName, "the management interface tells no clock");
  return check(
      kName, std::abs(stamped / *state.sm_clock_mhz - 1) <= kOff,
      text("%.0f MHz by stamps, %.0f by the management interface", stamped, *state.sm_clock_mhz));
}

Check sums_check(gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr const char* kName = "sums of 8-bit floats";
  const std::vector<SumBits> all = e4m3_sum_bits(allocator, stream);
  if (all.empty()) return skipped(kName, "NVIDIA's cards from sm_89 on are what has them");
  bool ok = true;
  std::string found;
  for (const SumBits& one : all) {
    ok &= one.bits >= gpu::kE4m3SumBits;
    found += text("%s%d%s by %s", found.empty() ? "" : "; ", one.bits,
                  one.or_more   ? " or more"
                  : one.cut_off ? ", cut off,"
                                : ", rounded,",
                  one.instruction.c_str());
  }
  return check(kName, ok,
               "bits that addends keep from the largest's first on, at least " +
                   std::to_string(gpu::kE4m3SumBits) + ": " + found);
}

}  // namespace

std::vector<Check> self_test(gpu::Allocator& allocator, const gpu::Stream& stream,
                             gpu::DeviceMonitor* monitor) {
  return {floor_check(allocator, stream),   spin_check(stream),
          blocker_check(allocator, stream), cold_check(allocator, stream),
          clock_check(stream, monitor),     sums_check(allocator, stream)};
}

}  // namespace spb::bench
