// Fills, comparisons and verdicts (verification.md). Knows only core.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"

namespace spb::verify {

enum class Fill { small, wide_a, wide_b, relu, uniform, range, special };
const char* name(Fill fill);

/// Host operands of a problem, as floats that the operand type holds exactly.
struct HostOperands {
  std::vector<float> in, weights, bias, gout;
};

/// Draws operands. Exact fills start dense and are thinned by `level` (0, 1, 2 ...): the caller
/// raises it until exact_enough() holds for the expectation.
HostOperands fill_operands(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill, int level,
                           uint64_t seed);

/// Whether exact mode may demand equal bits: every sum |a b| <= 2^24, no value beyond the output type.
bool exact_enough(const Expected& expected, Dtype dtype);

/// How an algorithm computes, from its plan (see Arithmetic in algorithms/algorithm.h).
struct ArithmeticModel {
  int mma_depth = 0;        ///< d, 0 for scalar
  double mma_rounding = 0;  ///< m
};

struct Mismatch {
  int64_t row = 0, col = 0;  ///< of the compared matrix
  double expected = 0, got = 0, error = 0, bound = 0;
  bool certain = false;  ///< beyond any rounding of this arithmetic
};

/// The outcome of comparing one output tensor.
struct Comparison {
  int64_t compared = 0;
  int64_t mismatches = 0;
  double max_tolerance_ratio = 0;  ///< worst error / bound; 0 or infinity in exact mode
  double max_abs = 0, max_ulp = 0, rel_l2 = 0;
  std::vector<Mismatch> worst;     ///< at most ten
  bool mistrusted = false;         ///< too many zeros, too few values
  std::string mistrust_reason;
};

/// Equal bits with the reference rounded to the output type (`output` = what the device stored).
Comparison compare_exact(const Expected& expected, std::span<const float> got, Dtype output);

/// |got - y| <= acc + store for every element; non-finite where the reference is finite fails.
Comparison compare_bounded(const Expected& expected, std::span<const float> got, Dtype output,
                           const ArithmeticModel& model);

/// Maps as sets, output coords included (`row_exact`: row for row, as for submanifold).
struct MapComparison {
  int64_t missing = 0, extra = 0, repeated = 0, bad_coords = 0;
  std::vector<std::string> examples;  ///< at most ten missing and ten extra, with coords
  bool ok() const { return missing + extra + repeated + bad_coords == 0; }
};
MapComparison compare_maps(const MapSet& expected, MapSet got, int64_t n_in, bool row_exact);

/// Where the mismatches point to: "whole row", "value of the poison", "kernel offset 13 missed" ...
/// `tile_sum(row, col, offset)` gives the reference's D of one kernel offset, or nothing for none.
std::string hint(const Comparison& comparison, const Expected& expected, std::span<const float> got,
                 const Problem& problem);

/// Rows to compare of a large problem: first and last 128, 512 with most and with fewest pairs,
/// 512 at the box edge, random up to 4096.
std::vector<int64_t> sample_rows(const Problem& problem, const VoxelSet& voxels, const MapSet& map,
                                 uint64_t seed);

/// Freivalds' check of the whole output: products with a random vector against the reference's
/// reassociated products (verification.md, section 8).
struct Checksum {
  bool ok = true;
  double rms = 0;            ///< of deviation / sigma; 0 in exact mode
  int64_t bad_rows = 0;
  int64_t first_bad_row = -1;
};
Checksum checksum_exact(const Problem& problem, const MapSet& map, int64_t n_in, const HostOperands& operands,
                        std::span<const float> got, uint64_t seed);
Checksum checksum_fp(const Problem& problem, const MapSet& map, int64_t n_in, const HostOperands& operands,
                     std::span<const float> got, const ArithmeticModel& model, uint64_t seed);

}  // namespace spb::verify
