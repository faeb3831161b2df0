// SPDX-License-Identifier: Apache-2.0
// Synthetic voxel sets with known counts (datasets.md, sections 6 and 7).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/coords.h"

namespace spb::data {

/// One row of the generator table.
struct Generator {
  const char* name;   ///< "sphere"
  const char* usage;  ///< "sphere:R"
  const char* summary;
  /// `arguments` is what follows the colon: "64", "128,0.05". Throws Error (usage) on nonsense.
  VoxelSet (*make)(const std::string& arguments, uint64_t seed);
};

std::span<const Generator> generators();

/// Whether `spec` ("sphere:64") names a generator.
bool is_generator(const std::string& spec);

/// Makes the voxel set of "name:arguments".
VoxelSet generate(const std::string& spec, uint64_t seed = 0);

}  // namespace spb::data
