// SPDX-License-Identifier: Apache-2.0
#include "config/suite_setters.h"

#include <algorithm>
#include <limits>

#include "config/aliases.h"
#include "core/error.h"

namespace spb::config {
namespace {

template <typename T>
std::vector<T> parse_each(Values values, Where where, T (*parse)(std::string_view, Where),
                          std::span<const Alias> aliases = {}) {
  std::vector<T> parsed;
  for (const std::string& word : without_aliases(split_list(joined(values), where), aliases))
    parsed.push_back(parse(word, where));
  return parsed;
}

}  // namespace

std::string joined(Values values) {
  std::string text;
  for (const std::string& value : values) text.append(text.empty() ? "" : ",").append(value);
  return text;
}

const std::string& only(Values values, Where where) {
  if (values.size() != 1) throw usage_error(where, "takes exactly one value");
  return values.front();
}

void set_directions(SuiteOptions& options, Values values, Where where) {
  if (joined(values) == "all")
    options.directions = {Direction::fprop, Direction::dgrad, Direction::wgrad};
  else
    options.directions = parse_each(values, where, parse_direction, direction_aliases());
}

void set_dtypes(SuiteOptions& options, Values values, Where where) {
  if (joined(values) != "all") {
    options.dtypes = parse_each(values, where, parse_dtype, dtype_aliases());
    return;
  }
  options.dtypes.clear();
  for (const Math& dtype : float_dtypes()) options.dtypes.push_back(dtype.dtype);
}

void set_datasets(Shapes& shapes, Values values, Where where) {
  // Not split at commas: a generator has them in its arguments ("random:128,0.05").
  for (const std::string& value : values)
    if (value.empty()) throw usage_error(where, "a data set has no name");
  shapes.datasets.assign(values.begin(), values.end());
}

void set_voxel_size(Shapes& shapes, Values values, Where where) {
  shapes.voxel_size = parse_voxel_size(only(values, where), where);
  shapes.resolution.reset();
}

void set_resolution(Shapes& shapes, Values values, Where where) {
  const int64_t cells = parse_integer(only(values, where), 1, where);
  if (cells > std::numeric_limits<int>::max())
    throw usage_error(where, "is too large", "use at most 2147483647");
  shapes.resolution = static_cast<int>(cells);
  shapes.voxel_size.reset();
}

void set_conv_kinds(Shapes& shapes, Values values, Where where) {
  shapes.conv_kinds = parse_each(values, where, parse_conv_kind);
}

void set_paddings(Shapes& shapes, Values values, Where where) {
  shapes.paddings.clear();
  for (const std::string& word : split_list(joined(values), where))
    shapes.paddings.emplace_back(parse_int3(word, where));
}

void set_output_rules(Shapes& shapes, Values values, Where where) {
  shapes.output_rules = parse_each(values, where, parse_output_rule);
}

void set_output_extents(Shapes& shapes, Values values, Where where) {
  shapes.output_extents = parse_each(values, where, parse_output_extent);
}

void set_groups(Shapes& shapes, Values values, Where where) {
  shapes.groups.clear();
  std::string numbers;
  for (const std::string& word : split_list(joined(values), where))
    if (word == "depthwise")
      shapes.groups.emplace_back();
    else
      numbers.append(numbers.empty() ? "" : ",").append(word);
  if (numbers.empty()) return;
  // All at once: a list has so many values at most.
  for (const int groups : parse_integers(numbers, where)) shapes.groups.emplace_back(groups);
}

void set_epilogues(SuiteOptions& options, Values values, Where where) {
  options.epilogues = parse_each(values, where, parse_epilogue);
}

void set_map_variants(SuiteOptions& options, Values values, Where where) {
  options.map_variants = split_list(joined(values), where);
  std::ranges::replace(options.map_variants, "default", "");
}

}  // namespace spb::config
