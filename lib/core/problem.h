// SPDX-License-Identifier: Apache-2.0
// What is computed: a value with a one-line text form.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/coords.h"
#include "core/dtype.h"

namespace spb {

enum class ConvKind { subm, strided };
enum class Direction { fprop, dgrad, wgrad };

/// "unknown" for a number that is none of them.
const char* name(ConvKind kind);
const char* name(Direction direction);
ConvKind parse_conv_kind(std::string_view text, std::string_view where);
Direction parse_direction(std::string_view text, std::string_view where);

/// The geometry of a convolution. Offset o = (o_x * k_y + o_y) * k_z + o_z, x slowest; center
/// floor((k - 1) / 2); displacement (o - center) * dilation. Cross-correlation, no kernel flip:
/// output u and input p are joined by offset o when p = u * stride + displacement(o).
struct ConvGeometry {
  ConvKind kind = ConvKind::subm;
  Int3 kernel_size{3, 3, 3};
  Int3 stride{1, 1, 1};
  Int3 dilation{1, 1, 1};

  int kernel_volume() const { return kernel_size[0] * kernel_size[1] * kernel_size[2]; }
  friend bool operator==(const ConvGeometry&, const ConvGeometry&) = default;
};

/// Why a geometry is not a convolution at all (even submanifold kernel, stride 0, ...), or nothing.
std::optional<std::string> invalid(const ConvGeometry& geometry);

/// The box of the outputs: the input box for submanifold, ceil(shape / stride) for strided.
Box output_box(const Box& input, const ConvGeometry& geometry);

/// One case without its algorithm.
struct Problem {
  ConvGeometry geometry;
  int c_in = 16;
  int c_out = 16;
  Dtype dtype = Dtype::f32;
  Direction direction = Direction::fprop;
  bool bias = true;

  int kernel_volume() const { return geometry.kernel_volume(); }
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Far beyond any network; bytes and products of a problem then fit 63 bits.
inline constexpr int kMostChannels = 1 << 18;

std::string to_text(const Int3& value);  ///< "3x3x3"
/// "3" or "3x3x3"; throws Error (usage) naming `where`.
Int3 parse_int3(std::string_view text, std::string_view where);

/// "subm k3x3x3 s1x1x1 d1x1x1 c16:32 f16 fprop bias", and back.
std::string to_text(const Problem& problem);
Problem parse_problem(std::string_view text, std::string_view where);

}  // namespace spb
