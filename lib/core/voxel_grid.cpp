// SPDX-License-Identifier: Apache-2.0
#include "core/voxel_grid.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

constexpr const char* kFrames[] = {"cartesian", "cylinder"};
constexpr const char* kAxes[] = {"first", "second", "third"};

/// The whole text as a finite number.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

/// The fewest digits that read back as `value`.
std::string text_of(double value) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.begin(), digits.end(), value).ptr};
}

std::string joined(const std::array<double, 3>& values, char separator) {
  return text_of(values[0]) + separator + text_of(values[1]) + separator + text_of(values[2]);
}

/// Three numbers between separators; nothing when they are not that.
std::optional<std::array<double, 3>> three_numbers(std::string_view text, char separator) {
  std::array<double, 3> values;
  for (size_t axis = 0; axis < 3; ++axis) {
    const size_t end = axis < 2 ? text.find(separator) : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = number(text.substr(0, end));
    if (!value) return std::nullopt;
    values[axis] = *value;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

}  // namespace

const char* name(Frame frame) { return kFrames[static_cast<size_t>(frame)]; }

Int3 cells_of(const CropRange& range, const VoxelSize& size) {
  // What rounding makes of a range of exactly one voxel is no voxel larger than it.
  constexpr double kLeastCells = 1 - 1e-6;
  Int3 cells;
  for (size_t axis = 0; axis < 3; ++axis) {
    const double span = range.high[axis] - range.low[axis], count = span / size.edges[axis];
    if (count < kLeastCells)
      throw usage_error("--range",
                        "spans " + text_of(span) + " on the " + kAxes[axis] +
                            " axis, less than one voxel of " + text_of(size.edges[axis]),
                        "use a smaller voxel size or a wider range");
    if (!(std::round(count) <= std::numeric_limits<int32_t>::max()))
      throw usage_error("--range",
                        "has more than 2^31 - 1 voxels of " + text_of(size.edges[axis]) +
                            " on the " + kAxes[axis] + " axis",
                        "use a larger voxel size or a narrower range");
    cells[axis] = static_cast<int32_t>(std::round(count));
  }
  return cells;
}

std::string to_text(const VoxelSize& size) {
  return size.is_cube() ? text_of(size.edges[0]) : joined(size.edges, 'x');
}

std::string to_text(const CropRange& range) {
  return joined(range.low, ',') + ":" + joined(range.high, ',');
}

VoxelSize parse_voxel_size(std::string_view text, std::string_view where) {
  std::optional<std::array<double, 3>> edges;
  if (text.find('x') != std::string_view::npos)
    edges = three_numbers(text, 'x');
  else if (const auto edge = number(text))
    edges = {*edge, *edge, *edge};
  if (!edges || !((*edges)[0] > 0 && (*edges)[1] > 0 && (*edges)[2] > 0))
    throw usage_error(where, "\"" + std::string(text) + "\" is no size above 0",
                      "write one number or three, as 0.05 or 0.05x0.05x0.1");
  return {(*edges)[0], (*edges)[1], (*edges)[2]};
}

CropRange parse_range(std::string_view text, std::string_view where) {
  const size_t colon = text.find(':');
  const auto low = three_numbers(text.substr(0, colon), ',');
  const auto high =
      colon == std::string_view::npos ? std::nullopt : three_numbers(text.substr(colon + 1), ',');
  if (!low || !high)
    throw usage_error(where, "\"" + std::string(text) + "\" is no range",
                      "write the lowest and the highest point, as 0,-40,-3:70.4,40,1");
  for (size_t axis = 0; axis < 3; ++axis)
    if (!((*low)[axis] < (*high)[axis]))
      throw usage_error(where,
                        "goes from " + text_of((*low)[axis]) + " to " + text_of((*high)[axis]) +
                            " on the " + kAxes[axis] + " axis",
                        "write the lowest point first, as 0,-40,-3:70.4,40,1");
  return {*low, *high};
}

Frame parse_frame(std::string_view text, std::string_view where) {
  for (size_t i = 0; i < std::size(kFrames); ++i)
    if (text == kFrames[i]) return static_cast<Frame>(i);
  const std::vector<std::string> known(std::begin(kFrames), std::end(kFrames));
  throw usage_error(where, "frame " + unknown_name(text, known) + " (known: cartesian, cylinder)");
}

}  // namespace spb
