// SPDX-License-Identifier: Apache-2.0
#include "config/expand.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "config/case_count.h"
#include "core/error.h"
#include "core/nearest.h"

namespace spb::config {
namespace {

std::vector<std::string> chosen_algorithms(const SuiteOptions& options,
                                           std::span<const std::string> known,
                                           std::span<const std::string> by_name_only) {
  std::vector<std::string> chosen;
  const auto is_among_all = [&](const std::string& name) {
    return std::ranges::find(by_name_only, name) == by_name_only.end();
  };
  for (const std::string& word : options.algorithms) {
    if (word == "all")
      std::ranges::copy_if(known, std::back_inserter(chosen), is_among_all);
    else if (std::ranges::find(known, word) == known.end())
      throw usage_error("algorithms", unknown_name(word, known), "see list algorithms");
    else
      chosen.push_back(word);
  }
  return chosen;
}

/// Every list of what may follow kind and sizes, for one of those.
void add_rules(const ConvGeometry& sizes, const Shapes& shapes, std::vector<ConvGeometry>& all) {
  for (const auto& padding : shapes.paddings)
    for (const OutputRule rule : shapes.output_rules)
      for (const OutputExtent extent : shapes.output_extents) {
        ConvGeometry geometry = sizes;
        geometry.padding = padding;
        geometry.output_rule = rule;
        geometry.output_extent = extent;
        if (const auto reason = invalid(geometry))
          throw usage_error("conv_kind " + std::string(name(geometry.kind)) + ", kernel_size " +
                                to_text(geometry.kernel_size) + ", stride " +
                                to_text(geometry.stride),
                            *reason);
        all.push_back(geometry);
      }
}

std::vector<ConvGeometry> geometries(const Shapes& shapes) {
  std::vector<ConvGeometry> all;
  for (const Int3& kernel_size : shapes.kernel_sizes)
    for (const Int3& stride : shapes.strides)
      for (const Int3& dilation : shapes.dilations) {
        std::vector<ConvKind> kinds = shapes.conv_kinds;
        if (kinds.empty()) kinds = {stride == Int3{1, 1, 1} ? ConvKind::subm : ConvKind::strided};
        for (const ConvKind kind : kinds)
          add_rules({kind, kernel_size, stride, dilation}, shapes, all);
      }
  return all;
}

/// Sets channels and groups. Throws Error (usage) where these do not go together.
void set_channels(Problem& problem, const Channels& channels, const std::optional<int>& groups) {
  problem.c_in = channels.c_in;
  problem.c_out = channels.c_out;
  problem.groups = groups.value_or(channels.c_in);
  const std::string where = "channels " + channels_text(channels.c_in, channels.c_out, 1);
  if (!groups && channels.c_in != channels.c_out)
    throw usage_error(where, "depthwise takes as many output channels as input channels");
  if (const auto reason = invalid(problem)) throw usage_error(where, *reason);
}

/// An algorithm, and how it makes its maps.
using Implementation = std::pair<std::string, std::string>;

/// Cases of one block that differ in channels, groups, dtype, direction, epilogue and algorithm.
void add_cases(const CaseSpec& base, const Shapes& shapes, const SuiteOptions& options,
               std::span<const Implementation> implementations, std::vector<CaseSpec>& cases) {
  for (const Channels& channels : shapes.channels)
    for (const auto& groups : shapes.groups)
      for (const Dtype dtype : options.dtypes)
        for (const Direction direction : options.directions)
          for (const Epilogue& epilogue : options.epilogues)
            for (const auto& [algorithm, map_variant] : implementations) {
              CaseSpec spec = base;
              set_channels(spec.problem, channels, groups);
              spec.problem.dtype = dtype;
              spec.problem.direction = direction;
              spec.problem.epilogue = epilogue;
              spec.algorithm = algorithm;
              spec.map_variant = map_variant;
              cases.push_back(std::move(spec));
            }
}

/// Blocks may name the same data again: brings equal data, then equal geometry, together, each at
/// the place of its first appearance.
void group(std::vector<CaseSpec>& cases) {
  std::map<std::string, size_t> first_of_data, first_of_geometry;
  std::vector<std::tuple<size_t, size_t, size_t>> keys;
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string geometry = to_text(cases[i].problem.geometry);
    keys.emplace_back(first_of_data.try_emplace(data_id(cases[i]), i).first->second,
                      first_of_geometry.try_emplace(geometry, i).first->second, i);
  }
  std::ranges::sort(keys);
  std::vector<CaseSpec> grouped;
  for (const auto& [data, geometry, index] : keys) grouped.push_back(std::move(cases[index]));
  cases = std::move(grouped);
}

}  // namespace

std::vector<CaseSpec> expand(const SuiteOptions& options,
                             std::span<const std::string> algorithm_names,
                             std::span<const std::string> by_name_only) {
  const std::vector<std::string> algorithms =
      chosen_algorithms(options, algorithm_names, by_name_only);
  double count = 0;
  for (const Shapes& shapes : options.shapes) count += case_count(shapes);
  for (const size_t length :
       {algorithms.size(), options.map_variants.size(), options.directions.size(),
        options.dtypes.size(), options.row_orders.size(), options.epilogues.size()})
    count *= static_cast<double>(length);
  check_case_count(count, "suite and options");
  std::vector<Implementation> implementations;
  for (const std::string& algorithm : algorithms)
    for (const std::string& map_variant : options.map_variants)
      implementations.emplace_back(algorithm, map_variant);
  std::vector<CaseSpec> cases;
  for (const Shapes& shapes : options.shapes) {
    if (shapes.datasets.empty())
      throw usage_error("datasets", "no data set is given",
                        "name a file, a data set (list datasets) or a generator such as sphere:64");
    const std::vector<ConvGeometry> convolutions = geometries(shapes);
    for (const std::string& dataset : shapes.datasets)
      for (const std::string& row_order : options.row_orders)
        for (const int copies : shapes.batch_copies)
          for (const ConvGeometry& geometry : convolutions) {
            CaseSpec base{.dataset = dataset,
                          .voxel_size = shapes.voxel_size,
                          .resolution = shapes.resolution,
                          .range = shapes.range,
                          .frame = shapes.frame,
                          .row_order = row_order,
                          .batch_copies = copies,
                          .problem = {.geometry = geometry, .bias = options.bias},
                          .algorithm = {},
                          .map_variant = {},
                          .seed = options.seed};
            add_cases(base, shapes, options, implementations, cases);
          }
  }
  std::set<std::string> seen;
  std::erase_if(cases, [&](const CaseSpec& spec) { return !seen.insert(full_text(spec)).second; });
  group(cases);
  return cases;
}

}  // namespace spb::config
