// SPDX-License-Identifier: Apache-2.0
// What the generators share. Their table stands in generate.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/coords.h"
#include "data/coord_set.h"

namespace spb::data {

/// SplitMix64: the same numbers with every library, unlike std:: distributions.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t next() { return splitmix64_finalise(state_ += 0x9e3779b97f4a7c15u); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  uint64_t state_;
};

/// One number of a generator's arguments and what it may be.
struct Argument {
  const char* name;
  double low, high;
  bool whole = true;
  double value = 0;       ///< the default; then what was given
  bool optional = false;  ///< optional ones stand last
};

/// Fills `arguments` from "64,0.05". Throws Error (usage) naming the generator and its usage.
void parse_arguments(const char* usage, const std::string& text, std::span<Argument> arguments);

/// lib/data/generate_scene.cpp
VoxelSet make_lidar(const std::string& arguments, uint64_t seed);
VoxelSet make_indoor(const std::string& arguments, uint64_t seed);

}  // namespace spb::data
