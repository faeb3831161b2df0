#include "bench/rounds.h"

#include <algorithm>
#include <random>

namespace spb::bench {
namespace {

constexpr int kResamples = 1000;

/// Uniform in [0, n): the bias is below n / 2^32.
size_t below(std::mt19937& random, size_t n) {
  return static_cast<size_t>(uint64_t{random()} * n >> 32);
}

double resampled_median(std::span<const std::vector<double>> rounds, std::mt19937& random,
                        std::vector<double>& drawn) {
  drawn.clear();
  for (size_t i = 0; i < rounds.size(); ++i) {
    const std::vector<double>& round = rounds[below(random, rounds.size())];
    for (size_t j = 0; j < round.size(); ++j) drawn.push_back(round[below(random, round.size())]);
  }
  const auto middle = drawn.begin() + static_cast<int64_t>(drawn.size() / 2);
  std::ranges::nth_element(drawn, middle);
  return *middle;
}

}  // namespace

Statistics summarize_rounds(std::span<const std::vector<double>> rounds, uint64_t seed) {
  std::vector<double> all;
  for (const std::vector<double>& round : rounds) all.insert(all.end(), round.begin(), round.end());
  Statistics result = summarize(all);
  if (rounds.size() < 2) return result;
  std::mt19937 random(static_cast<uint32_t>(seed));
  std::vector<double> medians(kResamples), drawn;
  for (double& median : medians) median = resampled_median(rounds, random, drawn);
  std::ranges::sort(medians);
  result.ci95_lo = quantile(medians, 0.025);
  result.ci95_hi = quantile(medians, 0.975);
  return result;
}

}  // namespace spb::bench
