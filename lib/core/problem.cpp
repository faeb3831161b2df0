// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <charconv>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

constexpr const char* kConvKinds[] = {"subm", "strided"};
constexpr const char* kDirections[] = {"fprop", "dgrad", "wgrad"};

template <typename Enum>
Enum parse_enum(std::span<const char* const> names, std::string_view what, std::string_view text,
                std::string_view where) {
  for (size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return static_cast<Enum>(i);
  const std::vector<std::string> known(names.begin(), names.end());
  std::string list;
  for (const std::string& one : known) list.append(list.empty() ? "" : ", ").append(one);
  throw usage_error(where,
                    std::string(what) + " " + unknown_name(text, known) + " (known: " + list + ")");
}

template <typename Enum>
const char* name_of(std::span<const char* const> names, Enum value) {
  const auto i = static_cast<size_t>(value);
  return i < names.size() ? names[i] : "unknown";
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t start = 0;;) {
    const size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::optional<int32_t> whole_number(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

const char* name(ConvKind kind) { return name_of(kConvKinds, kind); }
const char* name(Direction direction) { return name_of(kDirections, direction); }

ConvKind parse_conv_kind(std::string_view text, std::string_view where) {
  return parse_enum<ConvKind>(kConvKinds, "convolution kind", text, where);
}

Direction parse_direction(std::string_view text, std::string_view where) {
  return parse_enum<Direction>(kDirections, "direction", text, where);
}

std::optional<std::string> invalid(const ConvGeometry& geometry) {
  constexpr int64_t kMostOffsets = 1 << 20;  // with kMostChannels, weights of less than 2^60 bytes
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  int64_t volume = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (geometry.kernel_size[axis] < 1)
      return "kernel size " + to_text(geometry.kernel_size) + " has an axis below 1";
    if (geometry.stride[axis] < 1)
      return "stride " + to_text(geometry.stride) + " has an axis below 1";
    if (geometry.dilation[axis] < 1)
      return "dilation " + to_text(geometry.dilation) + " has an axis below 1";
    if ((geometry.kernel_size[axis] - int64_t{1}) * geometry.dilation[axis] > kMax)
      return "kernel size times dilation does not fit 31 bits";
    volume *= geometry.kernel_size[axis];
    if (volume > kMostOffsets)
      return "kernel size " + to_text(geometry.kernel_size) + " has more than 2^20 offsets";
    if (geometry.kind != ConvKind::subm) continue;
    if (geometry.kernel_size[axis] % 2 == 0)
      return "kernel size " + to_text(geometry.kernel_size) +
             " has an even axis: a submanifold kernel needs a center";
    if (geometry.stride[axis] != 1)
      return "stride " + to_text(geometry.stride) + " is not 1: a submanifold keeps its voxels";
  }
  return std::nullopt;
}

Box output_box(const Box& input, const ConvGeometry& geometry) {
  Box box = input;
  if (geometry.kind == ConvKind::strided)
    for (size_t axis = 0; axis < 3; ++axis) {
      const int32_t shape = input.shape[axis], stride = geometry.stride[axis];
      box.shape[axis] = shape / stride + (shape % stride != 0);
    }
  return box;
}

std::string to_text(const Int3& value) {
  return std::to_string(value[0]) + "x" + std::to_string(value[1]) + "x" + std::to_string(value[2]);
}

Int3 parse_int3(std::string_view text, std::string_view where) {
  const std::vector<std::string_view> parts = split(text, 'x');
  const auto first = whole_number(parts[0]);
  const auto second = parts.size() == 3 ? whole_number(parts[1]) : first;
  const auto third = parts.size() == 3 ? whole_number(parts[2]) : first;
  if ((parts.size() != 1 && parts.size() != 3) || !first || !second || !third)
    throw usage_error(where, "\"" + std::string(text) + "\" is not a size",
                      "write one whole number or three, as 3 or 3x3x1");
  return {*first, *second, *third};
}

std::string to_text(const Problem& problem) {
  const ConvGeometry& geometry = problem.geometry;
  return std::string(name(geometry.kind)) + " k" + to_text(geometry.kernel_size) + " s" +
         to_text(geometry.stride) + " d" + to_text(geometry.dilation) + " c" +
         std::to_string(problem.c_in) + ":" + std::to_string(problem.c_out) + " " +
         info(problem.dtype).name + " " + name(problem.direction) + (problem.bias ? " bias" : "");
}

Problem parse_problem(std::string_view text, std::string_view where) {
  const auto malformed = [&] {
    return usage_error(where, "\"" + std::string(text) + "\" is not a problem",
                       "write it as \"" + to_text(Problem{}) + "\", without bias if it has none");
  };
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() != 7 && !(words.size() == 8 && words[7] == "bias")) throw malformed();
  constexpr std::string_view kPrefixes = "ksdc";
  for (size_t i = 0; i < kPrefixes.size(); ++i)
    if (!words[i + 1].starts_with(kPrefixes[i])) throw malformed();

  Problem problem;
  problem.geometry = {.kind = parse_conv_kind(words[0], where),
                      .kernel_size = parse_int3(words[1].substr(1), where),
                      .stride = parse_int3(words[2].substr(1), where),
                      .dilation = parse_int3(words[3].substr(1), where)};
  if (const auto reason = invalid(problem.geometry)) throw usage_error(where, *reason);

  const std::vector<std::string_view> channels = split(words[4].substr(1), ':');
  const auto c_in = whole_number(channels.front()), c_out = whole_number(channels.back());
  if (channels.size() != 2 || !c_in || !c_out || *c_in < 1 || *c_out < 1) throw malformed();
  problem.c_in = *c_in;
  problem.c_out = *c_out;
  problem.dtype = parse_dtype(words[5], where);
  problem.direction = parse_direction(words[6], where);
  problem.bias = words.size() == 8;
  return problem;
}

}  // namespace spb
