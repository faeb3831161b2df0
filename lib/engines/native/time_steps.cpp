// SPDX-License-Identifier: Apache-2.0
#include "engines/native/time_steps.h"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "engines/native/layer_step.h"
#include "engines/native/phase_timer.h"

namespace spb::engines {
namespace {

constexpr double kTimeShare = 0.15;  // of each number of layers, beyond the limit of the case

/// Nothing where repeats of the plan may differ.
using Hash = std::optional<uint64_t>;

/// What a direction stores when its plan has maps of its own.
Hash hash_alone(Session& session, const Algorithm& algorithm, const Problem& problem,
                DeviceOperands& operands) {
  const std::unique_ptr<Plan> plan =
      algorithm.plan(problem, session.coords, session.allocator, session.stream);
  plan->run(operands.pointers(), session.stream);
  session.stream.synchronize();
  if (!plan->description().arithmetic.deterministic) return std::nullopt;
  return operands.output_hash(session.stream);
}

}  // namespace

StepTimes time_steps(Session& session, const Algorithm& algorithm, const Problem& problem,
                     std::span<const int> layers, const DrawOperands& draw,
                     const bench::Protocol& protocol) {
  StepTimes times;
  const StepAlgorithms algorithms = step_algorithms(algorithm, problem, session.coords.view());
  if (const auto reason = unsupported_step(algorithms, problem)) {
    times.unsupported = *reason;
    return times;
  }
  const std::array<Problem, 3> problems = layer_problems(problem);
  std::vector<DeviceOperands> operands;
  std::array<Operands, 3> pointers;
  std::array<Hash, 3> alone;
  for (size_t i = 0; i < problems.size(); ++i) {
    operands.emplace_back(problems[i], session.plan->size(), session.allocator,
                          algorithms[i].weights);
    operands.back().upload(*draw(problems[i]), session.stream);
    pointers[i] = operands.back().pointers();
    alone[i] = hash_alone(session, algorithms[i], problems[i], operands.back());
  }
  session.allocator.poison(gpu::Tag::output, 0xFF, session.stream);

  LayerStep step(algorithms, problem, session.coords, pointers, session.allocator, session.stream);
  PhaseTimer timer(session.stream, protocol);
  for (const int count : layers) {
    times.phases.push_back(timer.chain(
        {Phase::step, CacheState::none, kTimeShare, count}, [&] { step.run(count); },
        [&] { step.release(); }));
    PhaseTime& time = times.phases.back();
    time.layers = count;
    if (algorithm.step_wgrad)
      time.params = fmt::format("{{\"wgrad\":\"{}\"}}", algorithms.back().name);
  }
  for (size_t i = 0; i < problems.size(); ++i)
    if (alone[i] && operands[i].output_hash(session.stream) != *alone[i])
      times.fault = fmt::format("a step's {} stores other bits than a plan of its own",
                                name(problems[i].direction));
  times.forward_hash = operands.front().output_hash(session.stream);
  return times;
}

}  // namespace spb::engines
