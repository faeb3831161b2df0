// SPDX-License-Identifier: Apache-2.0
// From a name on the command line to voxels.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/case_spec.h"
#include "core/record.h"
#include "data/voxelize.h"
#include "run/case_data.h"
#include "suite/observer.h"

namespace spb::suite {

/// How files are read where they do not say so themselves.
struct ReadSettings {
  std::optional<int> columns;
  std::string axes = "bxyz";
  bool merge = false;
};

struct LoadedVoxels {
  std::string name;  ///< as records show it: file name, data set or generator
  VoxelSet voxels;
  data::VoxelizeReport report;
  std::string format;  ///< that read the file; "generator" otherwise
  Record fields;       ///< columns that describe the data
};

/// Loads the voxels of a case: a generator, a data set of list datasets, or a file.
/// Throws Error (runtime) for what is none of them or unreadable, Error (usage) for a missing size.
LoadedVoxels load_voxels(const config::CaseSpec& spec, const ReadSettings& settings, Log& log);

/// A data set's name in records: of a file its name without the folder.
std::string record_name(const std::string& dataset);

/// Of the file that is read under this name, as records have it; empty for a generator. Throws as
/// load_voxels() does where there is none.
std::string data_sha256(const std::string& dataset);

/// Throws Error (runtime) when a case names no file, data set or generator: a slip of the pen must
/// not become a long list of failed cases.
void check_data(std::span<const config::CaseSpec> cases);

/// Gives named data sets the size that their dataset.toml states, and takes sizes from generators,
/// which make voxels.
void fill_default_sizes(std::vector<config::CaseSpec>& cases);

/// Throws Error (usage) for a row order, size, range or frame that no data could take: before any
/// work is done.
void check_grid(const config::CaseSpec& spec);

}  // namespace spb::suite
