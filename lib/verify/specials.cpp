// SPDX-License-Identifier: Apache-2.0
#include "verify/specials.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace spb::verify {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
/// As GPUs make it, with all bits: what adds to a significand carries it into the sign.
constexpr float kNan = std::bit_cast<float>(0x7FFFFFFFu);
/// What few channels have room for comes first.
constexpr float kSpecials[] = {kInfinity, kNan, -kInfinity};

/// A kind reaches about one output row in so many: samples have some of each, and most have none.
constexpr int64_t kReachedRows = 16;

}  // namespace

std::vector<Patch> specials(const Problem& problem, int64_t n_rows, uint64_t seed) {
  const int64_t cols = problem.direction == Direction::dgrad ? problem.c_out : problem.c_in;
  std::vector<Patch> patches;
  if (n_rows == 0) return patches;
  constexpr uint64_t kStream = 99;
  SplitMix random(seed, kStream);
  const auto below = [&](int64_t count) {
    return static_cast<int64_t>(random.below(static_cast<uint32_t>(count)));
  };
  // The largest finite value in the place of one would leave sums that few bits are left of.
  const bool has_infinities = !info(problem.dtype).input().saturates;
  const auto put = [&](int64_t col, float value) {
    patches.push_back({below(n_rows) * cols + col, has_infinities ? value : kNan});
  };
  if (problem.direction == Direction::wgrad) {
    // The first channel and the last are in every sample.
    const int64_t channels[] = {0, cols - 1, 1};
    for (int64_t k = 0; k < std::min<int64_t>(cols, std::size(kSpecials)); ++k)
      put(channels[k], kSpecials[k]);
    return patches;
  }
  const int64_t each = std::max<int64_t>(n_rows / (kReachedRows * problem.kernel_volume()), 1);
  for (const float special : kSpecials)
    for (int64_t i = 0; i < each; ++i) put(below(cols), special);
  return patches;
}

}  // namespace spb::verify
