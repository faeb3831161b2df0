// SPDX-License-Identifier: Apache-2.0
// Which lane of a wavefront holds which element of what matrix cores multiply, AMD's and Turing's:
// numbers alone, which tests derive anew on any machine (docs/kernels/matrix_cores.md).
//
// Sources: gfx9 and gfx11 as AMD's matrix instruction calculator places them
// (ROCm/amd_matrix_instruction_calculator, InstCalcGfx9 and InstCalcGfx11); gfx12 as its RDNA4 part
// does; sm75 as the PTX ISA does (matrix fragments for mma.m8n8k16), with its first operand for B
// and its second one for A. The order of k shows in no product, for A and B share it.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include "core/dtype.h"
#include "gpu/qualifiers.h"

namespace spb::gpu {

/// Chips that have the same instructions: of cdna both gfx90a and gfx942, of cdna2 and cdna3 one of
/// them each; of sm75 NVIDIA's from there on.
enum class MatrixCores { cdna, cdna2, cdna3, gfx11, gfx12, sm75 };
inline constexpr MatrixCores kAllMatrixCores[] = {MatrixCores::cdna,  MatrixCores::cdna2,
                                                  MatrixCores::cdna3, MatrixCores::gfx11,
                                                  MatrixCores::gfx12, MatrixCores::sm75};

/// D (size x size) += A (size x depth) * B (depth x size). A lane has `elements` of A, all of one
/// row, its line, as many of B, of the column of that number, and `sums` of D, in that column.
///
/// A line's lanes are one of each group: size apart, or, where they are `neighbors`, side by side.
/// Runs of elements are dealt out to groups in turn, and so are runs of a column's sums. Where
/// lanes `repeat`, each group has all elements.
struct LaneTable {
  int lanes, size, depth;
  int element_run, sum_run;
  bool repeat = false;
  bool neighbors = false;

  GPU_HOST_DEVICE constexpr int groups() const { return lanes / size; }
  GPU_HOST_DEVICE constexpr int holders() const { return repeat ? 1 : groups(); }
  GPU_HOST_DEVICE constexpr int elements() const { return depth / holders(); }
  GPU_HOST_DEVICE constexpr int sums() const { return size / groups(); }

  /// The row of A, and the column of B and of D.
  GPU_HOST_DEVICE constexpr int line(int lane) const {
    return neighbors ? lane / groups() : lane % size;
  }
  GPU_HOST_DEVICE constexpr int group(int lane) const {
    return neighbors ? lane % groups() : lane / size;
  }
  GPU_HOST_DEVICE constexpr int lane(int line, int group) const {
    return neighbors ? line * groups() + group : group * size + line;
  }
  /// The group, among those whose elements differ.
  GPU_HOST_DEVICE constexpr int holder(int lane) const { return repeat ? 0 : group(lane); }
  GPU_HOST_DEVICE constexpr int k(int lane, int element) const {
    return element / element_run * (element_run * holders()) + holder(lane) * element_run +
           element % element_run;
  }
  GPU_HOST_DEVICE constexpr int row(int lane, int sum) const {
    return sum / sum_run * (sum_run * groups()) + group(lane) * sum_run + sum % sum_run;
  }
};

/// One instruction.
struct MatrixAtom {
  const char* name;  ///< as a disassembler prints it for the oldest chip; of sm75 PTX's
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
    {"mma.m8n8k16.s32.s8", MatrixCores::sm75, Dtype::i8, {32, 8, 16, 4, 2, false, true}},
};
// clang-format on

/// The index of the atom of these chips for operands of the dtype that makes size x size sums; -1:
/// none. No pointer: compared with null it is no constant to GCC 12 under its sanitizers.
constexpr int find_matrix_atom(MatrixCores cores, Dtype dtype, int size) {
  if (dtype == Dtype::i8_f32 || dtype == Dtype::i8_i32) dtype = Dtype::i8;  // other outputs
  for (size_t i = 0; i < std::size(kMatrixAtoms); ++i)
    if (kMatrixAtoms[i].cores == cores && kMatrixAtoms[i].dtype == dtype &&
        kMatrixAtoms[i].table.size == size)
      return static_cast<int>(i);
  return -1;
}

constexpr int lanes_of(MatrixCores cores) { return cores < MatrixCores::gfx11 ? 64 : 32; }

/// Whether a chip, as the runtime names it ("gfx90a:sramecc+:xnack-", "sm_75"), has these. gfx908
/// lacks what multiplies bf16 four deep; gfx950 would run them, but nothing was compiled for it.
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
    case MatrixCores::sm75:  // of sm_100 three digits
      return chip.starts_with("sm_") && (chip.size() > 5 || chip.substr(3) >= "75");
  }
  return false;
}

}  // namespace spb::gpu
