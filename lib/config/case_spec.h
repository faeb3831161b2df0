// SPDX-License-Identifier: Apache-2.0
// One planned case: what to load, what to compute, with which algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/problem.h"
#include "core/voxel_grid.h"

namespace spb::config {

struct CaseSpec {
  std::string dataset;                  ///< file, name of a data set, or "generator:arguments"
  std::optional<VoxelSize> voxel_size;  ///< in the file's unit
  std::optional<int> resolution;        ///< voxels along the longest side, instead of voxel_size
  std::optional<CropRange> range;       ///< of the points that count
  Frame frame = Frame::cartesian;
  std::string row_order = "file";  ///< name of a data::VoxelOrder
  int batch_copies = 1;            ///< of the whole data, each with batch indices of its own
  Problem problem;
  std::string algorithm;
  std::string map_variant;  ///< name of a maps::MapVariant; empty: the usual one
  uint64_t seed = 0;
  friend bool operator==(const CaseSpec&, const CaseSpec&) = default;
};

/// What the voxels depend on: "room_scan1@0.05+z". Cases with equal text share one load.
std::string data_id(const CaseSpec& spec);

/// The readable name that --filter matches, to which a row adds its phase and cache:
/// "room_scan1@0.05/subm-k3-s1-d1/c16x32/wgrad/f16/gather_scatter". A file stands with its name
/// without folder and extension.
std::string case_id(const CaseSpec& spec);

/// Everything in the case, in full: equal texts are the same case. Lines of config_hash.
std::string full_text(const CaseSpec& spec);

}  // namespace spb::config
