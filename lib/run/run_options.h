// What is done with every case.
#pragma once

#include <cstdint>

namespace spb::run {

struct RunOptions {
  bool verify_exact = true;
  bool verify_fp = true;
  bool time = true;           ///< off for the `verify` command
  bool time_anyway = false;   ///< also what failed verification; never ranked
  double verify_macs = 2e11;  ///< beyond n_pairs * c_in * c_out, sample and checksum
  uint64_t seed = 1;
  double max_time_s = 2;  ///< of timing one case, all phases together
  int min_samples = 10;   ///< per phase; half of it when one sample takes over 200 ms
};

}  // namespace spb::run
