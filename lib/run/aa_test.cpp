// SPDX-License-Identifier: Apache-2.0
#include "run/aa_test.h"

#include <memory>

#include "verify/verify.h"

namespace spb::run {

AaTimes aa_test(const engines::Implementation& algorithm, const Problem& problem,
                const VoxelSet& voxels) {
  constexpr int kRounds = 5;
  // Of which a quarter is the hot phase's: 30 samples of a millisecond, and as long to warm up.
  constexpr bench::Protocol kSide{.max_time_s = 0.25, .min_samples = 30, .settle_s = 0};
  constexpr engines::TimedPhase kTimed[] = {engines::TimedPhase::kernel_hot};
  const auto contender = algorithm.prepare(problem, voxels, false);
  const auto [n_in, n_out] = contender->size();
  contender->write(verify::fill_operands(problem, n_in, n_out, verify::Fill::relu, 0, 1));
  AaTimes times{std::vector<std::vector<double>>(kRounds),
                std::vector<std::vector<double>>(kRounds)};
  for (size_t round = 0; round < kRounds; ++round)
    for (int turn = 0; turn < 2; ++turn) {
      auto& side = (turn == 0) == (round % 2 == 0) ? times.a[round] : times.b[round];
      side = contender->time(kTimed, kSide).phases.front().sampling.counted_us();
    }
  return times;
}

}  // namespace spb::run
