// SPDX-License-Identifier: Apache-2.0
#include "core/problem.h"

#include <charconv>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

constexpr const char* kConvKinds[] = {"subm", "strided", "inverse", "generative"};
constexpr const char* kDirections[] = {"fprop", "dgrad", "wgrad"};
constexpr const char* kOutputRules[] = {"reached", "floor"};
constexpr const char* kOutputExtents[] = {"box", "complete"};

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

std::optional<int32_t> natural_number(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The words of what is not usual in a geometry, each with a blank before it.
std::string rule_words(const ConvGeometry& geometry) {
  std::string words;
  if (geometry.padding) words += " p" + to_text(*geometry.padding);
  for (const char* word : {mark(geometry.output_rule), mark(geometry.output_extent)})
    if (*word) words += std::string(" ") + word;
  return words;
}

std::string group_word(int groups) { return groups == 1 ? "" : " g" + std::to_string(groups); }

std::string epilogue_word(const Epilogue& epilogue) {
  return epilogue.is_none() ? "" : " " + to_text(epilogue);
}

std::string size_words(const ConvGeometry& geometry) {
  return std::string(name(geometry.kind)) + " k" + to_text(geometry.kernel_size) + " s" +
         to_text(geometry.stride) + " d" + to_text(geometry.dilation);
}

int64_t center_of(const ConvGeometry& geometry, size_t axis) {
  return int64_t{(geometry.kernel_size[axis] - 1) / 2} * geometry.dilation[axis];
}

/// What only some kinds have.
std::optional<std::string> invalid_rules(const ConvGeometry& geometry) {
  constexpr int32_t kMostPadding = 1 << 30;
  if (geometry.kind == ConvKind::generative && *mark(geometry.output_rule))
    return std::string("output rule ") + name(geometry.output_rule) +
           ": generative outputs are all that inputs reach";
  if (geometry.kind == ConvKind::inverse && geometry.stride == Int3{1, 1, 1})
    return "stride 1 has no inverse: the submanifold convolution is its own; use subm";
  const bool is_subm = geometry.kind == ConvKind::subm;
  const char *rule = mark(geometry.output_rule), *extent = mark(geometry.output_extent);
  if (is_subm && *rule)
    return std::string("output rule ") + rule + ": a submanifold keeps its voxels";
  if (is_subm && *extent)
    return std::string("output extent ") + extent + ": a submanifold keeps its voxels";
  if (!geometry.padding) return std::nullopt;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int32_t padding = (*geometry.padding)[axis];
    if (padding < 0) return "padding " + to_text(*geometry.padding) + " is negative";
    if (padding > kMostPadding) return "padding " + to_text(*geometry.padding) + " exceeds 2^30";
    if (is_subm && padding != center_of(geometry, axis))
      return "padding " + to_text(*geometry.padding) +
             ": a submanifold kernel is centered, leave its padding out";
  }
  return std::nullopt;
}

int64_t floor_quotient(int64_t dividend, int64_t divisor) {
  return dividend / divisor - (dividend % divisor < 0);
}

struct MadeAxis {
  int64_t cells, origin;
};

/// Of a generative layer, whose voxels are the coarse ones.
MadeAxis generated_axis(int64_t shape, const ConvGeometry& geometry, size_t axis) {
  const int64_t stride = geometry.stride[axis];
  const int64_t reach =
      (shape - 1) * stride + (geometry.kernel_size[axis] - int64_t{1}) * geometry.dilation[axis];
  const int64_t origin = geometry.padding ? (*geometry.padding)[axis] : center_of(geometry, axis);
  if (shape == 0) return {0, origin};
  if (geometry.output_extent == OutputExtent::complete) return {reach + 1, 0};
  if (!geometry.padding) return {shape * stride, origin};
  return {reach + 1 - 2 * origin, origin};
}

MadeAxis made_axis(int64_t shape, const ConvGeometry& geometry, size_t axis) {
  if (geometry.kind == ConvKind::generative) return generated_axis(shape, geometry, axis);
  const int64_t stride = geometry.stride[axis];
  const int64_t span = (geometry.kernel_size[axis] - int64_t{1}) * geometry.dilation[axis];
  const int64_t origin = geometry.padding ? (*geometry.padding)[axis] : center_of(geometry, axis);
  if (shape == 0) return {0, origin};
  const int64_t covering = (shape + stride - 1) / stride;
  if (geometry.output_extent == OutputExtent::complete) {
    if (geometry.output_rule == OutputRule::floor) return {covering, origin};
    const int64_t first = -floor_quotient(span - origin, stride);  // = ceil(-largest step / stride)
    return {floor_quotient(shape - 1 + origin, stride) - first + 1, origin - first * stride};
  }
  if (!geometry.padding) return {covering, origin};
  return {floor_quotient(shape + 2 * origin - span - 1, stride) + 1, origin};
}

}  // namespace

const char* name(ConvKind kind) { return name_of(kConvKinds, kind); }
const char* name(Direction direction) { return name_of(kDirections, direction); }
const char* name(OutputRule rule) { return name_of(kOutputRules, rule); }
const char* name(OutputExtent extent) { return name_of(kOutputExtents, extent); }
const char* mark(OutputRule rule) { return rule == OutputRule::reached ? "" : name(rule); }
const char* mark(OutputExtent extent) { return extent == OutputExtent::box ? "" : name(extent); }

ConvKind parse_conv_kind(std::string_view text, std::string_view where) {
  return parse_enum<ConvKind>(kConvKinds, "convolution kind", text, where);
}

Direction parse_direction(std::string_view text, std::string_view where) {
  return parse_enum<Direction>(kDirections, "direction", text, where);
}

OutputRule parse_output_rule(std::string_view text, std::string_view where) {
  return parse_enum<OutputRule>(kOutputRules, "output rule", text, where);
}

OutputExtent parse_output_extent(std::string_view text, std::string_view where) {
  return parse_enum<OutputExtent>(kOutputExtents, "output extent", text, where);
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
  return invalid_rules(geometry);
}

std::optional<std::string> invalid(const Problem& problem) {
  const int c_in = problem.c_in, c_out = problem.c_out;
  if (c_in < 1 || c_out < 1)
    return "c_in = " + std::to_string(c_in) + ", c_out = " + std::to_string(c_out) +
           ", each needs at least 1";
  if (problem.groups < 1)
    return "groups = " + std::to_string(problem.groups) + ", needs at least 1";
  for (const int channels : {c_in, c_out})
    if (channels % problem.groups != 0)
      return "groups: " + std::to_string(problem.groups) + " does not divide " +
             std::to_string(channels);
  return invalid(problem.geometry);
}

GroupKind group_kind(const Problem& problem) {
  if (problem.groups == 1) return GroupKind::one;
  return problem.groups == problem.c_in && problem.groups == problem.c_out ? GroupKind::depthwise
                                                                           : GroupKind::several;
}

bool has_scales(const Problem& problem) {
  const Math& math = info(problem.dtype);
  return math.is_scaled() && !math.stores_sums() && problem.direction != Direction::wgrad;
}

int64_t most_products(const Problem& problem) {
  const bool is_dgrad = problem.direction == Direction::dgrad;
  return int64_t{problem.kernel_volume()} *
         (is_dgrad ? problem.group_c_out() : problem.group_c_in());
}

MadeGrid made_grid(const Box& voxels, const ConvGeometry& geometry) {
  MadeGrid grid{voxels, {}};
  for (size_t axis = 0; axis < 3; ++axis) {
    grid.origin[axis] = center_of(geometry, axis);
    if (geometry.kind == ConvKind::subm) continue;
    const auto [cells, origin] = made_axis(voxels.shape[axis], geometry, axis);
    const std::string where = std::string("axis ") + "xyz"[axis];
    const bool is_box = geometry.output_extent == OutputExtent::box;
    // Only padding leaves none: without it the center joins a cell to the first voxel.
    if (cells < 1 && voxels.shape[axis] > 0)
      throw usage_error(where,
                        "padding " + to_text(*geometry.padding) + " leaves no output of " +
                            std::to_string(voxels.shape[axis]) + " voxels",
                        is_box ? "use more padding, a smaller kernel, or --output-extent complete"
                               : "use a smaller stride, or leave --padding out");
    if (cells > std::numeric_limits<int32_t>::max())
      throw usage_error(where,
                        "outputs take " + std::to_string(cells) + " cells, 31 bits hold less",
                        is_box ? "use less padding" : "use --output-extent box");
    grid.box.shape[axis] = static_cast<int32_t>(cells);
    grid.origin[axis] = origin;
  }
  return grid;
}

std::string to_text(const Int3& value) {
  return std::to_string(value[0]) + "x" + std::to_string(value[1]) + "x" + std::to_string(value[2]);
}

Int3 parse_int3(std::string_view text, std::string_view where) {
  const std::vector<std::string_view> parts = split(text, 'x');
  const auto first = natural_number(parts[0]);
  const auto second = parts.size() == 3 ? natural_number(parts[1]) : first;
  const auto third = parts.size() == 3 ? natural_number(parts[2]) : first;
  if ((parts.size() != 1 && parts.size() != 3) || !first || !second || !third)
    throw usage_error(where, "\"" + std::string(text) + "\" is not a size",
                      "write one whole number or three, as 3 or 3x3x1");
  return {*first, *second, *third};
}

std::string to_text(const ConvGeometry& geometry) {
  return size_words(geometry) + rule_words(geometry);
}

std::string channels_text(int c_in, int c_out, int groups) {
  return std::to_string(c_in) + ":" + std::to_string(c_out) + group_word(groups);
}

std::string to_text(const Problem& problem) {
  return size_words(problem.geometry) + " c" + channels_text(problem.c_in, problem.c_out, 1) + " " +
         info(problem.dtype).name + " " + name(problem.direction) + (problem.bias ? " bias" : "") +
         rule_words(problem.geometry) + group_word(problem.groups) +
         epilogue_word(problem.epilogue);
}

Problem parse_problem(std::string_view text, std::string_view where) {
  const auto malformed = [&] {
    return usage_error(where, "\"" + std::string(text) + "\" is not a problem",
                       "write it as \"" + to_text(Problem{}) + "\", without bias if it has none");
  };
  const std::vector<std::string_view> words = split(text, ' ');
  constexpr std::string_view kPrefixes = "ksdc";
  constexpr size_t kAlways = 7;
  if (words.size() < kAlways) throw malformed();
  for (size_t i = 0; i < kPrefixes.size(); ++i)
    if (!words[i + 1].starts_with(kPrefixes[i])) throw malformed();

  Problem problem;
  ConvGeometry& geometry = problem.geometry;
  geometry.kind = parse_conv_kind(words[0], where);
  geometry.kernel_size = parse_int3(words[1].substr(1), where);
  geometry.stride = parse_int3(words[2].substr(1), where);
  geometry.dilation = parse_int3(words[3].substr(1), where);
  const std::vector<std::string_view> channels = split(words[4].substr(1), ':');
  const auto c_in = natural_number(channels.front()), c_out = natural_number(channels.back());
  if (channels.size() != 2 || !c_in || !c_out) throw malformed();
  problem.c_in = *c_in;
  problem.c_out = *c_out;
  problem.dtype = parse_dtype(words[5], where);
  problem.direction = parse_direction(words[6], where);
  problem.bias = false;
  constexpr std::string_view kEpilogues = "rlh";  // relu, residual, leaky_relu, hswish
  for (const std::string_view word : std::span(words).subspan(kAlways)) {
    if (word == "bias")
      problem.bias = true;
    else if (word == name(OutputRule::floor))
      geometry.output_rule = OutputRule::floor;
    else if (word == name(OutputExtent::complete))
      geometry.output_extent = OutputExtent::complete;
    else if (word.starts_with('p'))
      geometry.padding = parse_int3(word.substr(1), where);
    else if (word.starts_with('g'))
      problem.groups = natural_number(word.substr(1)).value_or(0);
    else if (!word.empty() && kEpilogues.find(word.front()) != std::string_view::npos)
      problem.epilogue = parse_epilogue(word, where);
    else
      throw malformed();
  }
  if (const auto reason = invalid(problem)) throw usage_error(where, *reason);
  if (to_text(problem) != text) throw malformed();  // words twice, or in another order
  return problem;
}

}  // namespace spb
