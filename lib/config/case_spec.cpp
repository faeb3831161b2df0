#include "config/case_spec.h"

#include <filesystem>
#include <fmt/format.h>

namespace spb::config {
namespace {

std::string size_text(const Int3& size) {
  const bool cubic = size[0] == size[1] && size[1] == size[2];
  return cubic ? fmt::format("{}", size[0]) : to_text(size);
}

std::string dataset_with(const CaseSpec& spec, std::string text) {
  if (spec.voxel_size) text += fmt::format("@{:.9g}", *spec.voxel_size);
  if (spec.resolution) text += fmt::format("@R{}", *spec.resolution);
  if (spec.row_order != "file") text += "+" + spec.row_order;
  if (spec.batch_copies != 1) text += fmt::format("*{}", spec.batch_copies);
  return text;
}

/// Generators ("random:128,0.05") have dots that begin no extension.
std::string short_name(const std::string& dataset) {
  const std::filesystem::path path(dataset);
  if (dataset.find(':') != std::string::npos || !path.has_extension()) return path.filename();
  return path.stem();
}

}  // namespace

std::string data_id(const CaseSpec& spec) { return dataset_with(spec, spec.dataset); }

std::string case_id(const CaseSpec& spec) {
  const Problem& problem = spec.problem;
  const ConvGeometry& geometry = problem.geometry;
  return fmt::format(
      "{}/{}-k{}-s{}-d{}/c{}x{}{}/{}/{}/{}", dataset_with(spec, short_name(spec.dataset)),
      name(geometry.kind), size_text(geometry.kernel_size), size_text(geometry.stride),
      size_text(geometry.dilation), problem.c_in, problem.c_out, problem.bias ? "" : "-nobias",
      name(problem.direction), info(problem.dtype).name, spec.algorithm);
}

std::string full_text(const CaseSpec& spec) {
  return fmt::format("{} | {} | {} | seed {}", data_id(spec), to_text(spec.problem), spec.algorithm,
                     spec.seed);
}

}  // namespace spb::config
