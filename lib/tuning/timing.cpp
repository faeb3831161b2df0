// SPDX-License-Identifier: Apache-2.0
#include "tuning/timing.h"

#include <functional>
#include <memory>
#include <optional>

#include "bench/chain_timer.h"
#include "bench/host_wall.h"
#include "bench/hot_timer.h"
#include "core/statistics.h"
#include "gpu/device_info.h"
#include "maps/device_coords.h"
#include "run/session.h"

namespace spb::tuning {
namespace {

constexpr int kWarmups = 3, kPlans = 5;
constexpr double kSampleUs = 2000;  // of the runs that are one sample of a device

}  // namespace

double time_plan(const Algorithm& algorithm, const Problem& problem, run::CaseData& data) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::DeviceCoords coords = maps::upload(data.voxels(), allocator, stream);
  std::unique_ptr<Plan> plan;
  const auto queue = [&] { plan = algorithm.plan(problem, coords, allocator, stream); };
  const auto wall_us = [&] {
    return bench::host_wall_us([&] {
      queue();
      stream.synchronize();
    });
  };
  wall_us();
  std::optional<bench::ChainTimer> timer;
  if (!gpu::on_host()) timer.emplace(stream);
  std::vector<double> samples_us;
  for (int i = 0; i < kPlans; ++i) {
    plan.reset();
    const auto sample = timer ? timer->sample(queue) : std::nullopt;
    if (!sample) plan.reset();
    samples_us.push_back(sample ? sample->time_us : wall_us());
  }
  return median(samples_us);
}

Timed time_runs(const Algorithm& algorithm, const Problem& problem, run::CaseData& data,
                uint64_t seed, int samples,
                const std::function<bool(const PlanDescription&)>& is_wanted) {
  run::Session session(algorithm, problem, data.voxels(), false);
  Timed timed{session.plan->description(), {}};
  if (!is_wanted(timed.description)) return timed;
  const auto drawn = data.expectation(
      {.problem = problem, .fill = verify::Fill::relu, .drawn_only = true, .seed = seed});
  session.operands.upload(drawn->operands, session.stream);
  const Operands operands = session.operands.pointers();
  const auto queue = [&] { session.plan->run(operands, session.stream); };

  std::unique_ptr<bench::HotTimer> timer;
  if (!gpu::on_host()) timer = std::make_unique<bench::HotTimer>(session.stream, queue, kSampleUs);
  const auto sample_us = [&] {
    if (timer) return timer->sample().time_us;
    return bench::host_wall_us([&] { session.run(); });
  };
  for (int i = 0; i < kWarmups; ++i) sample_us();
  for (int i = 0; i < samples; ++i) timed.samples_us.push_back(sample_us());
  return timed;
}

}  // namespace spb::tuning
