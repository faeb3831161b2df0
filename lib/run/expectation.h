// SPDX-License-Identifier: Apache-2.0
// The operands of one fill and what the reference makes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/coords.h"
#include "core/expected.h"
#include "core/problem.h"
#include "reference/reference.h"
#include "verify/verify.h"

namespace spb::run {

struct ExpectationRequest {
  Problem problem;
  verify::Fill fill = verify::Fill::relu;
  bool exact = false;
  bool sampled = false;    ///< only rows or channels of a large problem
  double sample_macs = 0;  ///< multiplications that rows of a sample may take: verify::sample_rows
  verify::SampleSize sample_size = {};
  bool drawn_only = false;  ///< operands without a result
  /// Whoever reads operands draws them for itself, where the fill can be drawn so: none are held.
  bool drawn_apart = false;
  bool flushes = false;  ///< the multiply does: Arithmetic::flushes_subnormals
  double max_abs_sum =
      0;  ///< exact: thin until every sum |a b| is at most this; 0: as the dtype needs
  uint64_t seed = 0;
  friend bool operator==(const ExpectationRequest&, const ExpectationRequest&) = default;
};

struct Expectation {
  ExpectationRequest request;
  int level = 0;                                  ///< of thinning
  HostOperands operands;                          ///< for the device; none after drop_operands
  std::vector<int64_t> rows;                      ///< sample of out or gin; empty: all
  Triples pairs;                                  ///< that the map has of these rows
  std::optional<verify::ChannelSample> channels;  ///< sample of gw
  reference::Result result;
  double largest_abs_sum = 0;
  bool bias_is_exact = true;  ///< whether the bias gradient can be compared bit by bit

  /// Whether a multiply sees the operands as they are drawn.
  bool is_seen_as_drawn() const;
  /// The operands as a multiply sees them: made for the asking where they differ.
  std::shared_ptr<const HostOperands> seen() const;
  /// The same, held whole, whoever draws them.
  std::shared_ptr<const HostOperands> seen_and_held() const;
  /// Operands take most of the memory, and less time to draw than what follows from them.
  bool has_operands() const {
    return operands.draws || !operands.in.empty() || !operands.gout.empty();
  }
  void drop_operands() { operands = HostOperands(); }
  /// The same operands again.
  void draw_operands(const VoxelSet& voxels, const MapSet& map);

  /// The problem whose elements `result` holds: fewer channels for a channel sample.
  const Problem& compared_problem() const { return channels ? channels->problem : request.problem; }
  /// Of the whole output, what `result.main` describes; `result.bias` is whole.
  std::vector<int64_t> whole_indices() const;
  /// Where element `at` of `result.main` stands in the whole output.
  int64_t whole_index(int64_t at) const;

  /// The reference's side of the checksums, computed at the first call: no algorithm changes it.
  const verify::ExactSums& exact_sums(const MapSet& map, int64_t n_in) const;
  const verify::BoundedSums& bounded_sums(const MapSet& map, int64_t n_in) const;

  int64_t bytes() const;  ///< of host memory

 private:
  mutable std::optional<verify::ExactSums> exact_sums_;
  mutable std::optional<verify::BoundedSums> bounded_sums_;
};

/// Whether both compare the same rows of a sample: that of one problem and map.
bool has_same_sample(const ExpectationRequest& a, const ExpectationRequest& b);

/// Draws operands, for exact fills thinned until the reference is exact, and computes. `known`: an
/// expectation that has_same_sample(), whose rows it takes; null: chooses them.
/// Throws Error (runtime) when no thinning makes it exact.
Expectation expect(const ExpectationRequest& request, const VoxelSet& voxels, const MapSet& map,
                   const Expectation* known = nullptr);

}  // namespace spb::run
