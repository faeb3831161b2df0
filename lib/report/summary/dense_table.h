// SPDX-License-Identifier: Apache-2.0
// Sparse layers beside the dense convolution of their whole box: from which occupancy on dense
// costs less.
#pragma once

#include <string>
#include <vector>

#include "report/summary/cases.h"
#include "report/summary/tables.h"

namespace spb::report {

/// The fastest verified kernel and the dense convolution at one occupancy of a box.
struct DensePoint {
  double occupancy = 0, sparse_us = 0, dense_us = 0;
  double ratio() const { return dense_us / sparse_us; }  ///< times that dense takes as long
};

/// Where both cost the same: "0.12", linear between the logarithms of occupancies and of ratios;
/// "below 0.01" where dense costs less everywhere, "none up to 1" where it does not at the most.
/// `points` have rising occupancies. Of several places the one beyond which dense costs less.
std::string same_cost(const std::vector<DensePoint>& points);

/// Points of one layer on data that differ in their occupancy alone, by rising occupancy.
struct DenseCurve {
  std::string data, layer, dtype, direction;
  int64_t cells = 0;
  std::vector<DensePoint> points = {};
};
std::vector<DenseCurve> dense_curves(const CaseSet& set, const DeviceCases& device);

/// A row per layer, dtype, direction and number of cells; hot times where they were measured.
SummaryTable dense_table(const CaseSet& set, const DeviceCases& device);

}  // namespace spb::report
