// What stays the same over the cases of one voxel set.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/coords.h"
#include "core/expected.h"
#include "core/problem.h"
#include "core/record.h"
#include "run/expectation.h"

namespace spb::run {

/// A voxel set with what the reference made of it. Cases come grouped by geometry and problem
/// (config/expand.h), so one map and the expectations of one problem are kept at a time.
class CaseData {
 public:
  CaseData(std::string dataset, VoxelSet voxels);
  const std::string& dataset() const { return dataset_; }
  const VoxelSet& voxels() const { return voxels_; }

  /// The reference's map; valid until another geometry is asked for. Throws Error as
  /// reference::build_map does.
  const MapSet& reference_map(const ConvGeometry& geometry);
  /// 16 hex digits over output coords and sorted triples of the reference's map.
  const std::string& map_hash(const ConvGeometry& geometry);

  /// Operands and reference result of one fill; valid until the next call for another request.
  const Expectation& expectation(const ExpectationRequest& request);

  /// True at the first call with this text: what is done once per algorithm and dtype asks here.
  bool first_time(const std::string& what);

  Record fields;  ///< dataset_sha256, row_order, voxel_size_m ...: copied into every record

 private:
  std::string dataset_;
  VoxelSet voxels_;
  ConvGeometry geometry_;
  std::unique_ptr<MapSet> map_;
  std::string map_hash_;
  std::vector<std::unique_ptr<Expectation>> expectations_;
  std::vector<std::string> done_;
};

}  // namespace spb::run
