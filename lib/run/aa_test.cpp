// SPDX-License-Identifier: Apache-2.0
#include "run/aa_test.h"

#include "bench/hot_timer.h"
#include "run/session.h"

namespace spb::run {

AaTimes aa_test(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels) {
  constexpr int kRounds = 5, kWarmUps = 10, kSamples = 30;
  Session session(algorithm, problem, voxels, false);
  for (const gpu::Tag tag : {gpu::Tag::input, gpu::Tag::weight})
    session.allocator.poison(tag, 0x2A, session.stream);
  const Operands operands = session.operands.pointers();
  bench::HotTimer timer(
      session.stream, [&] { session.plan->run(operands, session.stream); }, 1000);
  for (int i = 0; i < kWarmUps; ++i) timer.sample();
  AaTimes times{std::vector<std::vector<double>>(kRounds),
                std::vector<std::vector<double>>(kRounds)};
  for (size_t round = 0; round < kRounds; ++round)
    for (int turn = 0; turn < 2; ++turn) {
      auto& side = (turn == 0) == (round % 2 == 0) ? times.a[round] : times.b[round];
      for (int i = 0; i < kSamples; ++i) side.push_back(timer.sample().time_us);
    }
  return times;
}

}  // namespace spb::run
