// SPDX-License-Identifier: Apache-2.0
#include "config/case_spec.h"

#include <filesystem>
#include <fmt/format.h>

#include "config/suite_options.h"

namespace spb::config {
namespace {

std::string size_text(const Int3& size) {
  const bool cubic = size[0] == size[1] && size[1] == size[2];
  return cubic ? fmt::format("{}", size[0]) : to_text(size);
}

/// "-p1-floor-complete": what is not usual, behind the sizes.
std::string rule_marks(const ConvGeometry& geometry) {
  std::string marks;
  if (geometry.padding) marks += "-p" + size_text(*geometry.padding);
  for (const char* word : {mark(geometry.output_rule), mark(geometry.output_extent)})
    if (*word) marks += fmt::format("-{}", word);
  return marks;
}

std::string groups_mark(const Problem& problem) {
  return problem.groups == 1 ? "" : fmt::format("-g{}", problem.groups);
}

std::string epilogue_mark(const Problem& problem) {
  return problem.epilogue.is_none() ? "" : "-" + to_text(problem.epilogue);
}

std::string map_mark(const CaseSpec& spec) {
  return spec.map_variant.empty() ? "" : "+" + spec.map_variant;
}

/// Generators ("random:128,0.05") have dots that begin no extension.
std::string short_name(const std::string& dataset) {
  const std::filesystem::path path(dataset);
  if (dataset.find(':') != std::string::npos || !path.has_extension()) return path.filename();
  return path.stem();
}

}  // namespace

std::string data_id(const CaseSpec& spec) {
  std::string text;
  for (const Option& option : suite_options())
    if (option.in_data_id) text += option.in_data_id(spec);
  return text;
}

std::string case_id(const CaseSpec& spec) {
  CaseSpec shown = spec;
  shown.dataset = short_name(spec.dataset);
  const Problem& problem = spec.problem;
  const ConvGeometry& geometry = problem.geometry;
  return fmt::format("{}/{}-k{}-s{}-d{}{}{}{}/c{}x{}{}{}/{}/{}/{}", data_id(shown),
                     name(geometry.kind), size_text(geometry.kernel_size),
                     size_text(geometry.stride), size_text(geometry.dilation), rule_marks(geometry),
                     groups_mark(problem), map_mark(spec), problem.c_in, problem.c_out,
                     problem.bias ? "" : "-nobias", epilogue_mark(problem), name(problem.direction),
                     info(problem.dtype).name, spec.algorithm);
}

std::string full_text(const CaseSpec& spec) {
  return fmt::format("{} | {}{} | {} | seed {}", data_id(spec), to_text(spec.problem),
                     map_mark(spec), spec.algorithm, spec.seed);
}

}  // namespace spb::config
