// SPDX-License-Identifier: Apache-2.0
#include "bench/hot_timer.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/host_wall.h"
#include "bench/statistics.h"

namespace spb::bench {
namespace {

// A graph of more runs takes longer to build than it gains.
constexpr int64_t kMaxRuns = 2000;

int64_t runs_for(double least_us, double run_us) {
  return std::clamp<int64_t>(std::llround(std::ceil(least_us / run_us)), 1, kMaxRuns);
}

}  // namespace

HotTimer::HotTimer(const gpu::Stream& stream, std::function<void()> queue, double least_us)
    : stream_(stream), queue_(std::move(queue)) {
  batch_us();  // loads kernels
  runs_ = runs_for(least_us / 10, std::max(batch_us(), 0.1));
  const double batched_run_us = batch_us() / static_cast<double>(runs_);
  runs_ = runs_for(least_us, std::max(batched_run_us, 0.1));
  const auto capture = [&] { graph_ = gpu::Graph::capture(stream_, [&] { queue_runs(); }); };
  capture();
  if (!graph_ || runs_ == kMaxRuns) return;
  // Launch gaps made the runs look long: without them the graph may be too short.
  const double elapsed_us = batch_us();
  if (elapsed_us >= 0.9 * least_us) return;
  runs_ = runs_for(least_us, std::max(elapsed_us / static_cast<double>(runs_), 0.1));
  capture();
}

void HotTimer::queue_runs() const {
  for (int64_t i = 0; i < runs_; ++i) queue_();
}

double HotTimer::batch_us() {
  clock_.stamp_before(stream_);
  begin_.record(stream_);
  if (graph_)
    graph_->launch(stream_);
  else
    queue_runs();
  end_.record(stream_);
  clock_.stamp_after(stream_);
  stream_.synchronize();
  return end_.microseconds_since(begin_);
}

DeviceSample HotTimer::sample() {
  const double time_us = batch_us() / static_cast<double>(runs_);
  return {time_us, clock_.mhz()};
}

double hot_us(const gpu::Stream& stream, std::function<void()> queue, double least_us) {
  constexpr size_t kSamples = 10, kLeast = 3;
  constexpr double kEnoughUs = 500e3;
  HotTimer timer(stream, std::move(queue), least_us);
  std::vector<double> times;
  const double begin_us = host_wall_us();
  while (times.size() < kLeast ||
         (times.size() < kSamples && host_wall_us() - begin_us < kEnoughUs))
    times.push_back(timer.sample().time_us);
  return summarize(times).median;
}

}  // namespace spb::bench
