// SPDX-License-Identifier: Apache-2.0
// Which lane of a wavefront holds which element of what AMD's matrix cores multiply: numbers alone,
// which tests derive anew on any machine (docs/kernels/matrix_cores.md).
//
// Sources: gfx9 and gfx11 as AMD's matrix instruction calculator places them
// (ROCm/amd_matrix_instruction_calculator, InstCalcGfx9 and InstCalcGfx11); gfx12 as its RDNA4 part
// does. The order of k shows in no product, for A and B share it.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "core/dtype.h"
#include "gpu/qualifiers.h"

namespace spb::gpu {

/// Chips that have the same instructions: of cdna both gfx90a and gfx942, of cdna2 and cdna3 one of
/// them each.
enum class MatrixCores { cdna, cdna2, cdna3, gfx11, gfx12 };
inline constexpr MatrixCores kAllMatrixCores[] = {MatrixCores::cdna, MatrixCores::cdna2,
                                                  MatrixCores::cdna3, MatrixCores::gfx11,
                                                  MatrixCores::gfx12};

/// D (size x size) += A (size x depth) * B (depth x size). A lane has `elements` of A, all of its
/// row lane % size, as many of B, of its column lane % size, and `sums` of D, in that column.
///
/// Lanes of one row form groups, group = lane / size. Runs of elements are dealt out to groups in
/// turn, and so are runs of a column's sums. Where lanes `repeat`, each group has all elements.
struct LaneTable {
  int lanes, size, depth;
  int element_run, sum_run;
  bool repeat = false;

  GPU_HOST_DEVICE constexpr int groups() const { return lanes / size; }
  GPU_HOST_DEVICE constexpr int holders() const { return repeat ? 1 : groups(); }
  GPU_HOST_DEVICE constexpr int elements() const { return depth / holders(); }
  GPU_HOST_DEVICE constexpr int sums() const { return size / groups(); }

  /// The row of A, and the column of B and of D.
  GPU_HOST_DEVICE constexpr int line(int lane) const { return lane % size; }
  GPU_HOST_DEVICE constexpr int k(int lane, int element) const {
    const int group = repeat ? 0 : lane / size;
    return element / element_run * (element_run * holders()) + group * element_run +
           element % element_run;
  }
  GPU_HOST_DEVICE constexpr int row(int lane, int sum) const {
    return sum / sum_run * (sum_run * groups()) + lane / size * sum_run + sum % sum_run;
  }
};

/// One instruction.
struct MatrixAtom {
  const char* name;  ///< as a disassembler prints it for the oldest chip
  MatrixCores cores;
  Dtype dtype;  ///< of A and B; D is fp32, of i8 int32
  LaneTable table;
};

// clang-format off: a table
//                                                                       lanes size depth runs
inline constexpr MatrixAtom kMatrixAtoms[] = {
    {"v_mfma_f32_16x16x16f16", MatrixCores::cdna, Dtype::f16, {64, 16, 16, 4, 4}},
    {"v_mfma_f32_32x32x8f16", MatrixCores::cdna, Dtype::f16, {64, 32, 8, 4, 4}},
    {"v_mfma_f32_16x16x16bf16_1k", MatrixCores::cdna, Dtype::bf16, {64, 16, 16, 4, 4}},
    {"v_mfma_f32_32x32x8bf16_1k", MatrixCores::cdna, Dtype::bf16, {64, 32, 8, 4, 4}},
    {"v_mfma_f32_16x16x4f32", MatrixCores::cdna, Dtype::f32, {64, 16, 4, 1, 4}},
    {"v_mfma_f32_32x32x2f32", MatrixCores::cdna, Dtype::f32, {64, 32, 2, 1, 4}},
    {"v_mfma_f32_16x16x8_xf32", MatrixCores::cdna3, Dtype::tf32, {64, 16, 8, 2, 4}},
    {"v_mfma_f32_32x32x4_xf32", MatrixCores::cdna3, Dtype::tf32, {64, 32, 4, 2, 4}},
    {"v_mfma_i32_16x16x16i8", MatrixCores::cdna2, Dtype::i8, {64, 16, 16, 4, 4}},
    {"v_mfma_i32_32x32x8i8", MatrixCores::cdna2, Dtype::i8, {64, 32, 8, 4, 4}},
    {"v_mfma_i32_16x16x32_i8", MatrixCores::cdna3, Dtype::i8, {64, 16, 32, 8, 4}},
    {"v_mfma_i32_32x32x16_i8", MatrixCores::cdna3, Dtype::i8, {64, 32, 16, 8, 4}},
    {"v_wmma_f32_16x16x16_f16", MatrixCores::gfx11, Dtype::f16, {32, 16, 16, 16, 1, true}},
    {"v_wmma_f32_16x16x16_bf16", MatrixCores::gfx11, Dtype::bf16, {32, 16, 16, 16, 1, true}},
    {"v_wmma_i32_16x16x16_iu8", MatrixCores::gfx11, Dtype::i8, {32, 16, 16, 16, 1, true}},
    {"v_wmma_f32_16x16x16_f16", MatrixCores::gfx12, Dtype::f16, {32, 16, 16, 4, 8}},
    {"v_wmma_f32_16x16x16_bf16", MatrixCores::gfx12, Dtype::bf16, {32, 16, 16, 4, 8}},
    {"v_wmma_i32_16x16x16_iu8", MatrixCores::gfx12, Dtype::i8, {32, 16, 16, 8, 8}},
};
// clang-format on

/// The index of the atom of these chips for operands of the dtype that makes size x size sums; -1:
/// none. No pointer: compared with null it is no constant to GCC 12 under its sanitizers.
constexpr int find_matrix_atom(MatrixCores cores, Dtype dtype, int size) {
  if (dtype == Dtype::i8_f32) dtype = Dtype::i8;  // other outputs
  for (size_t i = 0; i < std::size(kMatrixAtoms); ++i)
    if (kMatrixAtoms[i].cores == cores && kMatrixAtoms[i].dtype == dtype &&
        kMatrixAtoms[i].table.size == size)
      return static_cast<int>(i);
  return -1;
}

constexpr int lanes_of(MatrixCores cores) { return cores < MatrixCores::gfx11 ? 64 : 32; }

/// Whether a chip, as the runtime names it ("gfx90a:sramecc+:xnack-"), has these. gfx908 lacks what
/// multiplies bf16 four deep; gfx950 would run them, but nothing was compiled for it.
constexpr bool has_matrix_cores(std::string_view chip, MatrixCores cores) {
  switch (cores) {
    case MatrixCores::cdna:
      return chip.starts_with("gfx90a") || chip.starts_with("gfx942");
    case MatrixCores::cdna2:
      return chip.starts_with("gfx90a");
    case MatrixCores::cdna3:
      return chip.starts_with("gfx942");
    case MatrixCores::gfx11:
      return chip.starts_with("gfx11");
    case MatrixCores::gfx12:
      return chip.starts_with("gfx120");
  }
  return false;
}

}  // namespace spb::gpu
