// SPDX-License-Identifier: Apache-2.0
// What is done with every case.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/peaks.h"

namespace spb::run {

struct RunOptions {
  bool verify_exact = true;
  bool verify_fp = true;
  bool time = true;           ///< off for the `verify` command
  bool time_anyway = false;   ///< also what failed verification; never ranked
  double verify_macs = 2e11;  ///< beyond n_pairs * c_in * c_out, sample and checksum
  uint64_t seed = 1;
  double max_time_s = 2;  ///< of timing one case, all phases and rounds together
  int min_samples = 30;   ///< per phase; a third of it when time is up or samples take over 200 ms
  double settle_s = 5;    ///< at most, for the device's clock to settle before a phase
  double rest_rel = 0;    ///< pause after each sample, relative to its duration
  int rounds = 1;         ///< visits of a case among which its time is divided
  int round = 0;          ///< this visit; the later ones repeat neither verification nor memory
  std::vector<int> step_layers;  ///< time training steps of so many layers that share their maps
  int64_t llc_bytes = 0;         ///< last-level cache that cold timing empties; 0: the device says
  std::optional<bench::Peaks> peaks;  ///< measured limits of the device
};

}  // namespace spb::run
