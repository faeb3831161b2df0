// One case from problem to record: plan, fill, run and verify, time, account.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/expected.h"
#include "core/problem.h"
#include "core/record.h"
#include "verify/verify.h"

namespace spb::run {

/// What stays the same over all cases of one voxel set; reference maps are built once per geometry.
class CaseData {
 public:
  CaseData(std::string dataset, VoxelSet voxels);
  const std::string& dataset() const { return dataset_; }
  const VoxelSet& voxels() const { return voxels_; }
  /// The reference's map, computed at the first call for a geometry and kept.
  const MapSet& reference_map(const ConvGeometry& geometry);

  Record fields;  ///< dataset_sha256, row_order, voxel_size_m ...: copied into every record

 private:
  struct Entry {
    ConvGeometry geometry;
    std::unique_ptr<MapSet> map;
  };
  std::string dataset_;
  VoxelSet voxels_;
  std::vector<Entry> maps_;
};

struct RunOptions {
  bool verify_exact = true;
  bool verify_fp = true;
  bool time = true;           ///< off for the `verify` command
  bool time_anyway = false;   ///< also what failed verification; never ranked
  double verify_macs = 2e11;  ///< beyond n_pairs * c_in * c_out, sample and checksum
  uint64_t seed = 1;
  double max_time_s = 2;      ///< of timing one case
  int min_samples = 10;
};

/// Runs one case of one algorithm. Never throws for a failing case: the record's status says what
/// happened (ok, incorrect, mistrusted, unsupported, oom, error). One record per timed phase
/// (map_build is part of plan; kernel, plan, end_to_end), at least one in all cases.
/// `report` receives the human-readable mismatch report lines of a failed verification.
std::vector<Record> run_case(const Algorithm& algorithm, const Problem& problem, CaseData& data,
                             const RunOptions& options, const std::function<void(const std::string&)>& report);

}  // namespace spb::run
