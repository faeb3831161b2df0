// SPDX-License-Identifier: Apache-2.0
// What is computed: a value with a one-line text form.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/coords.h"
#include "core/dtype.h"
#include "core/epilogue.h"

namespace spb {

/// subm: outputs are the inputs' voxels. strided: outputs lie on a coarser grid. inverse: back from
/// there onto the voxels that a strided layer came from. generative: onto voxels that it makes.
enum class ConvKind { subm, strided, inverse, generative };
/// Whether the outputs are on the finer side.
constexpr bool is_transposed(ConvKind kind) {
  return kind == ConvKind::inverse || kind == ConvKind::generative;
}
enum class Direction { fprop, dgrad, wgrad };
/// Which outputs a strided layer has: every one that an input reaches through an offset (spconv,
/// FlexGEMM, fVDB), or floor(p / stride) of every input p (MinkowskiEngine, WarpConvNet).
enum class OutputRule { reached, floor };
/// How far they go: as the input's box (see made_grid()), or as far as an input reaches.
enum class OutputExtent { box, complete };
/// How channels are joined: all with all, within several groups, or each with itself alone.
enum class GroupKind { one, several, depthwise };

/// "unknown" for a number that is none of them.
const char* name(ConvKind kind);
const char* name(Direction direction);
const char* name(OutputRule rule);
const char* name(OutputExtent extent);
/// The name; empty for what is usual, which ids, texts and records leave out.
const char* mark(OutputRule rule);
const char* mark(OutputExtent extent);
ConvKind parse_conv_kind(std::string_view text, std::string_view where);
Direction parse_direction(std::string_view text, std::string_view where);
OutputRule parse_output_rule(std::string_view text, std::string_view where);
OutputExtent parse_output_extent(std::string_view text, std::string_view where);

/// The geometry of a convolution. Offset o = (o_x * k_y + o_y) * k_z + o_z, x slowest; displacement
/// o * dilation - padding, where padding is center * dilation with center floor((k - 1) / 2) unless
/// it is given. Cross-correlation, no kernel flip: the coarse voxel u and the fine voxel p are
/// joined by offset o when p = u * stride + displacement(o). Outputs are coarse, of transposed
/// kinds fine. The three last fields are of other kinds than submanifold (docs/strided.md). Of an
/// inverse layer all are those of its partner, the strided layer whose coords it leads back to.
struct ConvGeometry {
  ConvKind kind = ConvKind::subm;
  Int3 kernel_size{3, 3, 3};
  Int3 stride{1, 1, 1};
  Int3 dilation{1, 1, 1};
  std::optional<Int3> padding = {};
  OutputRule output_rule = OutputRule::reached;
  OutputExtent output_extent = OutputExtent::box;

  int kernel_volume() const { return kernel_size[0] * kernel_size[1] * kernel_size[2]; }
  friend bool operator==(const ConvGeometry&, const ConvGeometry&) = default;
};

/// Why a geometry is not a convolution at all (even submanifold kernel, stride 0, ...), or nothing.
std::optional<std::string> invalid(const ConvGeometry& geometry);

/// The cells that the coords which a layer makes may lie in, counted from 0. On every axis the
/// coarse u and the fine p are joined by component o of an offset when
/// p = u * stride + o * dilation - origin.
struct MadeGrid {
  Box box;
  std::array<int64_t, 3> origin{};
};

/// Of a layer on voxels in this box. Submanifold: the box itself. Strided and inverse, within the
/// box: ceil(shape / stride) cells per axis, with padding
/// floor((shape + 2 padding - dilation (k - 1) - 1) / stride) + 1 as spconv has it. Generative:
/// shape * stride cells, with padding (shape - 1) stride - 2 padding + dilation (k - 1) + 1.
/// Complete: every cell that a voxel may reach, from 0 on. Throws Error (usage) where padding
/// leaves no cell, and for more cells than 31 bits count.
MadeGrid made_grid(const Box& voxels, const ConvGeometry& geometry);

/// One case without its algorithm.
struct Problem {
  ConvGeometry geometry;
  int c_in = 16;
  int c_out = 16;
  Dtype dtype = Dtype::f32;
  Direction direction = Direction::fprop;
  bool bias = true;
  /// Of as many input and output channels each: output channel j sums over the inputs of its group,
  /// j / (c_out / groups). Depthwise: groups = c_in = c_out.
  int groups = 1;
  Epilogue epilogue = {};  ///< of fprop alone: the other directions would need its derivative

  int kernel_volume() const { return geometry.kernel_volume(); }
  int group_c_in() const { return c_in / groups; }
  int group_c_out() const { return c_out / groups; }
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Why it is none, of its geometry or its channels, or nothing.
std::optional<std::string> invalid(const Problem& problem);

GroupKind group_kind(const Problem& problem);

/// Whether its sums are scaled to what is stored: those of scaled dtypes, but for sums that are
/// stored themselves and those of wgrad, where a scale would be one number, which the optimizer
/// multiplies by anyway.
bool has_scales(const Problem& problem);
/// Products that an element of out or gin sums at most.
int64_t most_products(const Problem& problem);

/// Far beyond any network; bytes and products of a problem then fit 63 bits.
inline constexpr int kMostChannels = 1 << 18;

std::string to_text(const Int3& value);  ///< "3x3x3"
/// "3" or "3x3x3"; throws Error (usage) naming `where`.
Int3 parse_int3(std::string_view text, std::string_view where);

/// "16:32", "64:64 g4".
std::string channels_text(int c_in, int c_out, int groups);

/// "strided k3x3x3 s2x2x2 d1x1x1", then "p0x1x1", "floor" and "complete" where they are not usual.
std::string to_text(const ConvGeometry& geometry);

/// "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop bias", and back. What is not usual stands behind:
/// "p0x1x1", "floor", "complete", "g4", "relu".
std::string to_text(const Problem& problem);
Problem parse_problem(std::string_view text, std::string_view where);

}  // namespace spb
