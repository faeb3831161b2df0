// SPDX-License-Identifier: Apache-2.0
// What stays the same over the cases of one voxel set.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/dense_conv.h"
#include "core/coords.h"
#include "core/expected.h"
#include "core/host_tensors.h"
#include "core/problem.h"
#include "core/record.h"
#include "run/device_judge.h"
#include "run/expectation.h"
#include "run/judged_outputs.h"
#include "verify/verify.h"

namespace spb::run {

/// A voxel set with what the reference made of it. Cases come grouped by geometry and problem
/// (config/expand.h), so one map and the expectations of one problem are kept at a time.
class CaseData {
 public:
  /// Kept expectations may take `kept_bytes`, 0: a quarter of the host's memory. Beyond it their
  /// operands are drawn again when they are asked for.
  CaseData(std::string dataset, VoxelSet voxels, int64_t kept_bytes = 0);
  const std::string& dataset() const { return dataset_; }
  const VoxelSet& voxels() const { return voxels_; }

  /// The reference's map; valid until another geometry is asked for. Throws Error as
  /// reference::build_map does.
  const MapSet& reference_map(const ConvGeometry& geometry);
  /// 16 hex digits over output coords and sorted triples of the reference's map.
  const std::string& map_hash(const ConvGeometry& geometry);
  /// For verify::compare_maps.
  const verify::MultisetHash& triples_hash(const ConvGeometry& geometry);

  /// Operands and reference result of one fill. Kept for the other algorithms of the problem; its
  /// operands stay as long as the caller holds it.
  std::shared_ptr<const Expectation> expectation(const ExpectationRequest& request);

  /// Judges outputs of the problem on the device, for all its algorithms: made when it is first
  /// asked for. Throws gpu::OutOfMemory.
  DeviceJudge& device_judge(const Problem& problem);
  /// Whether one is made, of whatever problem.
  bool has_device_judge() const { return device_judge_ != nullptr; }
  /// Gives its memory back; false: there was none.
  bool drop_device_judge();
  /// The same of another problem's.
  void drop_other_judge(const Problem& problem);
  /// The same where it does not leave room to who runs next, or is not to be kept.
  void make_room();
  void keep_device_judge(bool keep) { keeps_device_judge_ = keep; }

  /// What need not be done again, by a text that names it: checks that passed.
  bool is_done(const std::string& what) const { return done_.contains(what); }
  void set_done(const std::string& what) { done_.insert(what); }

  std::map<std::string, double> dense_gemm_us;              ///< see run/limits.h
  std::map<std::string, double> epilogue_pass_us;           ///< the same
  std::map<std::string, bench::DenseConvTime> dense_convs;  ///< see run/dense_layer.h
  JudgedOutputs judged_outputs;  ///< of the expectations that are kept, or were
  OutputBits outputs;  ///< memory for what runs stored, or some of it: new memory costs more than a
                       ///< download
  Record fields;       ///< dataset_sha256, row_order, voxel_size_m ...: copied into every record

 private:
  void forget();  // what holds of one problem on one map
  const Expectation* on_same_sample(const ExpectationRequest& request) const;
  void keep_to_limit();  // but for the last expectation

  std::string dataset_;
  VoxelSet voxels_;
  int64_t kept_bytes_;
  ConvGeometry geometry_;
  std::unique_ptr<MapSet> map_;
  std::string map_hash_;
  std::optional<verify::MultisetHash> triples_hash_;
  std::vector<std::shared_ptr<Expectation>> expectations_;  // the last asked for is the last
  std::unique_ptr<DeviceJudge> device_judge_;
  bool keeps_device_judge_ = true;
  std::set<std::string> done_;
};

}  // namespace spb::run
