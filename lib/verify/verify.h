// SPDX-License-Identifier: Apache-2.0
// Fills, comparisons and verdicts (verification.md). Knows only core.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/expected.h"
#include "core/host_tensors.h"
#include "core/problem.h"

namespace spb::verify {

enum class Fill {
  small,
  wide_a,
  wide_b,
  single_a,
  single_b,
  relu,
  uniform,
  range,
  special,
  lifted,
  full,
  tied,
  loud
};
const char* name(Fill fill);

/// Draws operands; those that the direction does not read stay empty. Thinned fills start dense and
/// are thinned by `level` (0, 1, 2 ...): the caller raises it until exact_enough() holds for the
/// expectation.
HostOperands fill_operands(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill,
                           int level, uint64_t seed);

/// The same without the large ones, of which HostOperands::draws says how whoever reads them draws
/// them. Nothing of a fill whose elements depend on others: loud.
std::optional<HostOperands> operands_to_draw(const Problem& problem, int64_t n_in, int64_t n_out,
                                             Fill fill, int level, uint64_t seed);

/// Held whole, of operands that are to be drawn.
HostOperands held(const HostOperands& operands);

/// The pairs of a map that some of its outputs have, or inputs, in its order. `rows` ascend.
Triples pairs_of_rows(const MapSet& map, bool by_output, std::span<const int64_t> rows);
/// As held(), but in and gout, and the residual, hold only what some rows of out or gin are made
/// of; elsewhere nothing was written. `rows`: none are all. `pairs`: pairs_of_rows() of them.
HostOperands held_for_rows(const HostOperands& operands, const Problem& problem,
                           std::span<const int64_t> rows, std::span<const Triple> pairs);

/// The same operands at another level: draws again what the level changes.
void thin_operands(HostOperands& operands, const Problem& problem, int64_t n_in, int64_t n_out,
                   Fill fill, int level, uint64_t seed);

/// Whether fill lifted has sums of the problem where its activation changes nothing: above zero, or
/// of hswish above 3.
bool is_lifted(const Problem& problem);

/// Whether sums of the fill are exact only where it is thin enough. Those of the single fills,
/// which have one product, always are.
bool is_thinned(Fill fill);

/// Means over the products of a thinned fill: how large sums will be before anything is drawn.
struct ProductMoments {
  double abs, square;  ///< of |a b| and (a b)^2
};
ProductMoments product_moments(Fill fill, int level, Dtype dtype);

/// The operands as a multiply sees them: what the reference must be given. Only tf32 changes: its
/// operands are drawn with more bits than TF32 holds, so that a device that does not round shows.
HostOperands rounded(const HostOperands& operands, Dtype dtype);

/// The operands as multiplies of classes with +ftz see them: zeros in the place of what is
/// subnormal in the dtype.
void flush_subnormals(HostOperands& operands, Dtype dtype);

/// Whether exact mode may demand equal bits: every sum |a b| < 2^24, no value beyond the output
/// type. Ask for the bias gradient on its own (output f32): under wide_a its sum of gout cannot be
/// thinned, and it is compared under small and wide_b only.
bool exact_enough(const Expected& expected, Dtype dtype);

/// How an algorithm computes, from its plan (see Arithmetic in core/plan_description.h). The weaker
/// classes of verification.md, section 5, name the type that they round to; f32 means none.
struct ArithmeticModel {
  int mma_depth = 0;            ///< d, 0 for scalar
  double mma_rounding = 0;      ///< m
  double chain = 0;             ///< C, longest accumulation chain; 0 for all terms of the element
  Dtype partials = Dtype::f32;  ///< +partials=T: tile sums rounded to T
  Dtype atomics = Dtype::f32;   ///< +atomics=T: additions to memory in T
  double additions = 0;         ///< atomic additions per element
  Dtype accumulator = Dtype::f32;  ///< +acc=T
  int sum_bits = 24;          ///< Arithmetic::sum_bits: +acc=14bit or, promoted, +partials=14bit
  int promoted_products = 0;  ///< Arithmetic::promoted_products
  bool flushes_subnormals = false;  ///< Arithmetic::flushes_subnormals: +ftz
  friend bool operator==(const ArithmeticModel&, const ArithmeticModel&) = default;
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
  std::vector<Mismatch> worst;      ///< at most ten, worst first
  std::vector<int64_t> mismatched;  ///< flat indices row * cols + col, ascending, the first 100 000
  bool mistrusted = false;          ///< too many zeros, too few values
  std::string mistrust_reason;
};

/// Equal values with the reference rounded to the output type (`output` = what the device stored);
/// the sign of a zero is free. `total_elements` of the whole output, if `expected` is a sample.
/// `flushes`: a zero will do for a subnormal of fp32, as from additions to memory.
Comparison compare_exact(const Expected& expected, std::span<const float> got, Dtype output,
                         int64_t total_elements = 0, bool flushes = false);

/// |got - y| <= acc + extra + store for every element; non-finite where the reference is finite
/// fails, except an infinity that rounding can reach. A NaN or infinite reference demands the same.
/// `output` says what products lack, too (Math::product_error).
Comparison compare_bounded(const Expected& expected, std::span<const float> got, Dtype output,
                           const ArithmeticModel& model, int64_t total_elements = 0);

/// Maps as sets, with the coords of both sides (`row_exact`: row for row, as for submanifold).
struct MapComparison {
  int64_t missing = 0, extra = 0, repeated = 0, bad_coords = 0;
  std::vector<std::string> examples;  ///< at most ten missing and ten extra, with coords
  bool ok() const { return missing + extra + repeated + bad_coords == 0; }
};
/// Of triples in whatever order. Equal multisets have equal sums; others differ in one of two
/// 64-bit sums but for one chance in 2^128.
struct MultisetHash {
  uint64_t a = 0, b = 0;
  friend bool operator==(const MultisetHash&, const MultisetHash&) = default;
};
MultisetHash multiset_hash(std::span<const Triple> triples);
/// `voxels`: the inputs, where maps bring none of their own. `hash`: that of the expected triples.
MapComparison compare_maps(const MapSet& expected, const MultisetHash& hash, MapSet got,
                           bool row_exact, std::span<const Coord> voxels);
/// The same where no hash is known.
MapComparison compare_maps(const MapSet& expected, MapSet got, bool row_exact,
                           std::span<const Coord> voxels);

/// The reference's D of one kernel offset for one element of `expected`; 0 where the offset has no
/// pair.
using TileSum = std::function<double(int64_t row, int64_t col, int offset)>;

/// D recomputed from the operands, for fprop and dgrad (empty for wgrad, whose elements have one
/// offset). `rows` as given to the reference. Refers to its arguments: they must outlive it.
TileSum tile_sums(const Problem& problem, const MapSet& map, const HostOperands& operands,
                  std::span<const int64_t> rows = {});

/// Where the mismatches point to: "value of the poison", "row 3 holds row 7", "kernel offset 13
/// missed" ...; empty when nothing fits. `rows`: those that were compared of more; whether a whole
/// tile or channel is wrong, they cannot tell.
std::string hint(const Comparison& comparison, const Expected& expected, std::span<const float> got,
                 const Problem& problem, const TileSum& tile_sum = {},
                 std::span<const int64_t> rows = {});

/// What the lines of a report name beside the numbers; all may be empty.
struct ReportNames {
  std::string title{};              ///< "fprop, exact small"
  std::span<const Coord> coords{};  ///< of the output rows (fprop) or input rows (dgrad)
  std::span<const int64_t> rows{};  ///< as given to the reference
  TileSum tile_sum{};
  bool bias_gradient = false;  ///< the compared tensor is gbias
};

/// "3 of 100 elements wrong, worst row 7 column 2: expected 1, got 2".
/// `rows` as in ReportNames.
std::string mismatch_line(const Comparison& comparison, std::span<const int64_t> rows = {});

/// The mismatch report: counts, the ten worst elements by row, voxel, kernel offset and channel,
/// and the hint. Empty when nothing mismatched and nothing is mistrusted.
std::vector<std::string> report_lines(const Comparison& comparison, const Expected& expected,
                                      std::span<const float> got, const Problem& problem,
                                      const ReportNames& names);

/// How much of a large problem is compared.
struct SampleSize {
  int64_t most_rows = 4096, least_rows = 1024;  ///< of out or gin
  int channels = 16;                            ///< of each side of gw
  friend bool operator==(const SampleSize&, const SampleSize&) = default;
};

/// Rows of out or gin to compare of a large problem, ascending: the most, or fewer, down to the
/// least, where those take more than `max_macs` multiplications; all rows of a smaller one. A 32nd
/// of them are the first rows and the last, an eighth those with most pairs, with fewest, at the
/// box edge; the rest is random. Empty for wgrad: see sample_channels.
std::vector<int64_t> sample_rows(const Problem& problem, const VoxelSet& voxels, const MapSet& map,
                                 double max_macs, uint64_t seed, const SampleSize& size = {});

/// Fewer elements than these, of a larger output, are no verdict.
inline constexpr int64_t kMinCompared = 1000;

/// A large wgrad is compared on some channels of each side, more of kernels with so few offsets
/// that these were no verdict, the first and last among them, of every offset: the same problem
/// with fewer channels, and fewer groups, for the reference and for compare_*.
struct ChannelSample {
  std::vector<int> in, out;  ///< ascending channels
  Problem problem;           ///< with in.size() and out.size() channels
  HostOperands operands;     ///< in and gout of these channels
  /// Their part of the device's gw, which has the weights' shape in the `whole` problem.
  std::vector<float> pick(std::span<const float> gw, const Problem& whole) const;
};
ChannelSample sample_channels(const Problem& problem, const HostOperands& operands, uint64_t seed,
                              const SampleSize& size = {});

/// Freivalds' check of the whole output: products with a random vector against the reference's
/// reassociated products (verification.md, section 8).
struct Checksum {
  bool ok = true;
  double rms = 0;  ///< of deviation / sigma; 0 in exact mode
  int64_t bad_rows = 0;
  int64_t first_bad_row = -1;  ///< of the output matrix (wgrad: c_out * kernel_volume rows)
};
/// The reference's side, equal for every algorithm: one random vector modulo 2^64 (exact mode), or
/// four of signed weights and one of their squares (fp mode).
struct ExactSums {
  std::vector<uint64_t> vector;  ///< [cols]
  std::vector<uint64_t> want;    ///< [rows]
};
struct BoundedSums {
  std::vector<std::vector<double>> vectors;  ///< [lanes][cols]
  std::vector<double> want;                  ///< [rows, lanes]
  std::vector<double> terms;                 ///< [rows] products per element
};
ExactSums exact_sums(const Problem& problem, const MapSet& map, int64_t n_in,
                     const HostOperands& operands, uint64_t seed);
BoundedSums bounded_sums(const Problem& problem, const MapSet& map, int64_t n_in,
                         const HostOperands& operands, uint64_t seed);
Checksum check_sums(const ExactSums& sums, std::span<const float> got, Dtype dtype);
Checksum check_sums(const BoundedSums& sums, std::span<const float> got, Dtype dtype,
                    const ArithmeticModel& model);

/// Both sides at once. `operands` are the rounded ones; `got` the device's whole out, gin or gw.
/// The exact one needs integer operands and an output type that holds every sum: f32 or tf32, or a
/// 16-bit type when all sums |a b| are at most 2^11 (f16) or 2^8 (bf16).
Checksum checksum_exact(const Problem& problem, const MapSet& map, int64_t n_in,
                        const HostOperands& operands, std::span<const float> got, uint64_t seed);
Checksum checksum_fp(const Problem& problem, const MapSet& map, int64_t n_in,
                     const HostOperands& operands, std::span<const float> got,
                     const ArithmeticModel& model, uint64_t seed);

}  // namespace spb::verify
