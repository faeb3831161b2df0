// SPDX-License-Identifier: Apache-2.0
// Which tensors a problem reads and writes, and their shapes. Nobody else works them out, but for
// lib/reference, which judges and derives its own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/problem.h"

namespace spb {

/// Rows of the two coords sets of a relation.
struct MapSize {
  int64_t n_in = 0, n_out = 0;
};

enum class Tensor { in, weights, bias, residual, scale, residual_scale, gout, out, gin, gw, gbias };
inline constexpr size_t kTensorCount = 11;
const char* name(Tensor tensor);

enum class Access { read, write };

/// Row-major; the first extent is the slowest. Of a vector, columns are all there is.
struct Shape {
  std::array<int64_t, 3> extents{1, 1, 1};
  int rank = 1;
  int64_t columns() const { return extents[static_cast<size_t>(rank) - 1]; }
  int64_t rows() const { return count() / columns(); }
  int64_t count() const { return extents[0] * extents[1] * extents[2]; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

struct TensorSpec {
  Tensor tensor;
  Storage type;
  Shape shape;
  Access access;
  bool optional = false;  ///< its pointer may be null, and then nothing is read or written
  int64_t bytes() const { return shape.count() * info(type).bytes; }
};

/// What the problem's direction reads and writes. The first one written is the output,
/// main_output().
/// - fprop: in [n_in, c_in], weights [c_out, kernel_volume, c_in / groups], bias [c_out] and
///   residual [n_out, c_out], to out [n_out, c_out]
///   Scaled dtypes have scale [c_out] and, with a residual, residual_scale [1], both fp32
/// - dgrad: gout [n_out, c_out], weights, to gin [n_in, c_in]; scaled dtypes have scale [c_in]
/// - wgrad: in, gout, to gw as weights and gbias [c_out]
/// bias and gbias are fp32, and there only if the problem has a bias; a residual is as out, and
/// there only if the problem's epilogue adds one.
std::vector<TensorSpec> tensors(const Problem& problem, const MapSize& size);
TensorSpec main_output(const Problem& problem, const MapSize& size);

/// How an engine wants weights and their gradient: as tensors() has them (spconv, FlexGEMM), or
/// [kernel_volume, c_in / groups, c_out] (MinkowskiEngine, TorchSparse, WarpConvNet).
enum class WeightLayout { c_out_first, c_out_last };

/// Of weights and their gradient: where offset o, output channel j and input channel i stand.
int64_t weight_count(const Problem& problem);
int64_t weight_row_pitch(
    const Problem& problem);  ///< from j to j + 1; from o to o + 1: c_in / groups

/// fprop and dgrad as one product per kernel offset: target[m, n] += source[., k] * W_o[k, n]. With
/// groups one for each: group g has columns g * k on of the source, g * n on of the target.
struct GemmView {
  Tensor source, target;
  int64_t m = 0;  ///< rows of the target
  int64_t source_rows = 0;
  int n = 0, k = 0;  ///< of a group
  /// dgrad: k counts output channels, the slowest index of weights.
  bool transposed = false;
  int64_t offset_pitch = 0, k_pitch = 0, n_pitch = 0;  ///< of weights
  int groups = 1;
  int64_t group_pitch = 0;  ///< of weights

  int source_columns() const { return groups * k; }
};

/// Throws Error (runtime) for wgrad, whose sums run over rows.
GemmView gemm_view(const Problem& problem, const MapSize& size = {});

}  // namespace spb
