// SPDX-License-Identifier: Apache-2.0
// Runs of which the truth is known.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/statistics.h"
#include "report/compared.h"

namespace spb::report {

/// Standard deviations of logarithms.
struct Noise {
  double sample;        ///< of each run
  double round;         ///< between rounds, common to all rows: clocks, temperature
  double row_in_round;  ///< between rounds, of each row: memory layout
};

struct Shape {
  int rows, rounds, samples;  ///< samples of each round
};

/// One run of a suite whose true times are 50 us times `factor`.
inline Side simulated_run(const Noise& noise, const Shape& shape, double factor,
                          std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> rounds;
  for (int round = 0; round < shape.rounds; ++round) rounds.push_back(noise.round * normal(random));
  Side side;
  for (int i = 0; i < shape.rows; ++i) {
    Record row = kernel_row("a", 0, "sphere:" + std::to_string(i));
    Rounds& samples = side.samples[sample_key(row)];
    std::vector<double> all;
    for (const double drift : rounds) {
      const double own = drift + noise.row_in_round * normal(random);
      auto& round = samples.emplace_back();
      for (int sample = 0; sample < shape.samples; ++sample)
        round.push_back(50 * factor * std::exp(own + noise.sample * normal(random)));
      all.insert(all.end(), round.begin(), round.end());
    }
    row[columns::time_median_us] = median(std::move(all));
    side.records.rows.push_back(std::move(row));
  }
  return side;
}

}  // namespace spb::report
