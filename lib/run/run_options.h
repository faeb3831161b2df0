// SPDX-License-Identifier: Apache-2.0
// What is done with every case.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/peaks.h"
#include "bench/protocol.h"

namespace spb::run {

/// Which references judge outputs (verification.md, section 8): that on the host alone, both, where
/// the device judges what the host only samples, or that on the device, which judges all that it
/// can, while the host's computes without a say. automatic: both, where there is a GPU.
enum class References { automatic, host, both, device };

/// Which cases are held against a dense convolution (run/dense_layer.h): none, those whose box has
/// no empty cell, all.
enum class DenseUse { off, automatic, on };

struct RunOptions {
  bool verify_exact = true;
  bool verify_fp = true;
  bool verify_shapes = false;  ///< small problems beside the data
  bool time = true;            ///< off for the `verify` command
  bool time_anyway = false;    ///< also what failed verification; never ranked
  double verify_macs = 2e11;   ///< beyond n_pairs * c_in * c_out the host's reference samples
  References references = References::automatic;
  uint64_t seed = 1;
  bench::Protocol timing;        ///< rounds after the first repeat neither verification nor memory
  std::vector<int> step_layers;  ///< time training steps of so many layers that share their maps
  std::optional<bench::Peaks> peaks;  ///< measured limits of the device
  DenseUse dense = DenseUse::automatic;
};

}  // namespace spb::run
