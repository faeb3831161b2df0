// SPDX-License-Identifier: Apache-2.0
// How long and how often a case is measured: the same for every engine and for tuning.
#pragma once

#include <cstdint>

namespace spb::bench {

struct Protocol {
  double max_time_s = 2;  ///< of timing one case, all phases and rounds together
  int min_samples = 30;   ///< per phase; a third of it when time is up or samples take over 200 ms
  double settle_s = 5;    ///< at most, for the device's clock to settle before a phase
  double rest_rel = 0;    ///< pause after each sample, relative to its duration
  int rounds = 1;         ///< visits of a case among which its time is divided
  int round = 0;          ///< this visit
  int64_t llc_bytes = 0;  ///< last-level cache that cold timing empties; 0: the device says
};

}  // namespace spb::bench
