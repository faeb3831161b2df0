// SPDX-License-Identifier: Apache-2.0
#include "config/suite_options.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/suite_setters.h"
#include "core/error.h"
#include "core/nearest.h"

namespace spb::config {
namespace {

using Text = std::optional<std::string>;

std::string voxel_size_mark(const CaseSpec& spec) {
  if (!spec.voxel_size) return "";
  // Nine digits of a cube's edge, as in every record there is.
  return spec.voxel_size->is_cube() ? fmt::format("@{:.9g}", spec.voxel_size->edges[0])
                                    : "@" + to_text(*spec.voxel_size);
}

std::string range_mark(const CaseSpec& spec) {
  return spec.range ? "@" + to_text(*spec.range) : "";
}

std::string frame_mark(const CaseSpec& spec) {
  return spec.frame == CaseSpec().frame ? "" : fmt::format("@{}", name(spec.frame));
}

std::string resolution_mark(const CaseSpec& spec) {
  return spec.resolution ? fmt::format("@R{}", *spec.resolution) : "";
}

std::string row_order_mark(const CaseSpec& spec) {
  return spec.row_order == CaseSpec().row_order ? "" : "+" + spec.row_order;
}

std::string batch_copies_mark(const CaseSpec& spec) {
  return spec.batch_copies == 1 ? "" : fmt::format("*{}", spec.batch_copies);
}

Text unless_default(const std::string& value, const std::string& mark) {
  return mark.empty() ? Text() : Text(value);
}

Text unless_empty(const char* word) { return *word ? Text(word) : Text(); }

const ConvGeometry& geometry(const CaseSpec& spec) { return spec.problem.geometry; }

// In the order of --help and of the line that repeats a case.
constexpr Option kOptions[] = {
    {"datasets",
     nullptr,
     "DATA",
     "scan.bin",
     "files, data sets (list datasets) or generators",
     Part::data,
     {{columns::dataset}},
     [](const CaseSpec& c) { return Text(c.dataset); },
     [](const CaseSpec& c) { return c.dataset; },
     set_datasets,
     nullptr},
    {"voxel_size",
     nullptr,
     "EDGE",
     "0.05",
     "edge of a voxel in the file's unit, as 0.05, or one per axis, as 0.05x0.05x0.1",
     Part::data,
     {{columns::voxel_size_m, columns::voxel_edges}},
     [](const CaseSpec& c) { return c.voxel_size ? Text(to_text(*c.voxel_size)) : Text(); },
     voxel_size_mark,
     set_voxel_size,
     nullptr},
    {"resolution",
     nullptr,
     "N",
     "256",
     "voxels along the longest side, instead of a voxel size",
     Part::data,
     {{columns::resolution}},
     [](const CaseSpec& c) {
       return c.resolution ? Text(fmt::format("{}", *c.resolution)) : Text();
     },
     resolution_mark,
     set_resolution,
     nullptr},
    {"range",
     nullptr,
     "LOW:HIGH",
     "0,-40,-3:70.4,40,1",
     "drop points outside of it, and make it the box, as 0,-40,-3:70.4,40,1",
     Part::data,
     {{columns::range}},
     [](const CaseSpec& c) { return c.range ? Text(to_text(*c.range)) : Text(); },
     range_mark,
     [](Shapes& s, Values v, Where w) { s.range = parse_range(joined(v), w); },
     nullptr},
    {"frame",
     nullptr,
     "NAME",
     "cylinder",
     "axes of the voxels: cartesian, or cylinder: (rho, phi, z) [cartesian]",
     Part::data,
     {{columns::frame}},
     [](const CaseSpec& c) { return unless_default(name(c.frame), frame_mark(c)); },
     frame_mark,
     [](Shapes& s, Values v, Where w) { s.frame = parse_frame(only(v, w), w); },
     nullptr},
    {"row_order",
     "--order",
     "NAME,..",
     "file,z",
     "order of the voxel rows: file, lex, z, hash [file]",
     Part::data,
     {{columns::row_order}},
     [](const CaseSpec& c) { return unless_default(c.row_order, row_order_mark(c)); },
     row_order_mark,
     nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.row_orders = split_list(joined(v), w); }},
    {"batch_copies",
     nullptr,
     "N,..",
     "1,4",
     "copies of the data in one batch [1]",
     Part::data,
     {{columns::batch_size}},
     [](const CaseSpec& c) {
       return unless_default(std::to_string(c.batch_copies), batch_copies_mark(c));
     },
     batch_copies_mark,
     [](Shapes& s, Values v, Where w) { s.batch_copies = parse_integers(joined(v), w); },
     nullptr},
    {"conv_kind",
     "--conv",
     "NAME,..",
     "subm,inverse",
     "subm, strided, inverse (back from a strided layer) or generative, instead of what the stride "
     "says",
     Part::problem,
     {{columns::conv_kind}},
     [](const CaseSpec& c) { return Text(name(geometry(c).kind)); },
     nullptr,
     set_conv_kinds,
     nullptr},
    {"kernel_size",
     nullptr,
     "K,..",
     "3,3x3x1",
     "kernel size per axis, as 3 or 3x3x1 [3]",
     Part::problem,
     {{columns::kernel_size}},
     [](const CaseSpec& c) { return Text(to_text(geometry(c).kernel_size)); },
     nullptr,
     [](Shapes& s, Values v, Where w) { s.kernel_sizes = parse_sizes(joined(v), w); },
     nullptr},
    {"stride",
     nullptr,
     "S,..",
     "1,2",
     "stride per axis; other than 1 makes the convolution strided [1]",
     Part::problem,
     {{columns::stride}},
     [](const CaseSpec& c) { return Text(to_text(geometry(c).stride)); },
     nullptr,
     [](Shapes& s, Values v, Where w) { s.strides = parse_sizes(joined(v), w); },
     nullptr},
    {"dilation",
     nullptr,
     "D,..",
     "1,2",
     "dilation per axis [1]",
     Part::problem,
     {{columns::dilation}},
     [](const CaseSpec& c) { return Text(to_text(geometry(c).dilation)); },
     nullptr,
     [](Shapes& s, Values v, Where w) { s.dilations = parse_sizes(joined(v), w); },
     nullptr},
    {"padding",
     nullptr,
     "P,..",
     "0,0x1x1",
     "per axis, as spconv has it; without it kernels are centered",
     Part::problem,
     {{columns::padding}},
     [](const CaseSpec& c) {
       return geometry(c).padding ? Text(to_text(*geometry(c).padding)) : Text();
     },
     nullptr,
     set_paddings,
     nullptr},
    {"output_rule",
     nullptr,
     "NAME,..",
     "reached,floor",
     "coarse voxels of a strided layer: reached by a voxel, or the floor of p / stride [reached]",
     Part::problem,
     {{columns::output_rule}},
     [](const CaseSpec& c) { return unless_empty(mark(geometry(c).output_rule)); },
     nullptr,
     set_output_rules,
     nullptr},
    {"output_extent",
     nullptr,
     "NAME,..",
     "box,complete",
     "coords beyond the box: dropped (box) or kept (complete) [box]",
     Part::problem,
     {{columns::output_extent}},
     [](const CaseSpec& c) { return unless_empty(mark(geometry(c).output_extent)); },
     nullptr,
     set_output_extents,
     nullptr},
    {"channels",
     nullptr,
     "C,..",
     "16:32,64",
     "c_in:c_out, or one number for both [16:32]",
     Part::problem,
     {{columns::c_in, columns::c_out}},
     [](const CaseSpec& c) { return Text(fmt::format("{}:{}", c.problem.c_in, c.problem.c_out)); },
     nullptr,
     [](Shapes& s, Values v, Where w) { s.channels = parse_channels(joined(v), w); },
     nullptr},
    {"groups",
     nullptr,
     "N,..",
     "1,4,depthwise",
     "groups of channels, or depthwise: as many as channels [1]",
     Part::problem,
     {{columns::groups}},
     [](const CaseSpec& c) {
       return c.problem.groups == 1 ? Text() : Text(std::to_string(c.problem.groups));
     },
     nullptr,
     set_groups,
     nullptr},
    {"bias",
     nullptr,
     "BOOL",
     "true",
     "with a bias and its gradient [true]",
     Part::problem,
     {{columns::bias}},
     [](const CaseSpec& c) { return Text(c.problem.bias ? "true" : "false"); },
     nullptr,
     nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.bias = parse_flag(only(v, w), w); }},
    {"epilogue",
     nullptr,
     "NAME,..",
     "none,relu,residual+hswish",
     "of fprop, fused: relu, leaky_relu:SLOPE (0.125 where none is given), hswish, residual, or "
     "residual+ one of these [none]",
     Part::problem,
     {{columns::epilogue}},
     [](const CaseSpec& c) {
       return unless_default(to_text(c.problem.epilogue), mark(c.problem.epilogue));
     },
     nullptr,
     nullptr,
     set_epilogues},
    {"dtypes",
     nullptr,
     "NAME,..",
     "f32,f16",
     "element types, or all [f16; f32 without a GPU]",
     Part::problem,
     {{columns::dtype}},
     [](const CaseSpec& c) { return Text(info(c.problem.dtype).name); },
     nullptr,
     nullptr,
     set_dtypes},
    {"directions",
     nullptr,
     "NAME,..",
     "fprop,dgrad,wgrad",
     "passes, or all: forward is fprop, backward dgrad and wgrad [all]",
     Part::suite,
     {{columns::direction}},
     [](const CaseSpec& c) { return Text(name(c.problem.direction)); },
     nullptr,
     nullptr,
     set_directions},
    {"algorithms",
     nullptr,
     "NAME,..",
     "all",
     "names (list algorithms), or all that take the groups [all]",
     Part::suite,
     {{columns::algorithm}},
     [](const CaseSpec& c) { return Text(c.algorithm); },
     nullptr,
     nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.algorithms = split_list(joined(v), w); }},
    {"map_variant",
     nullptr,
     "NAME,..",
     "default,half",
     "other ways to make the same maps, whose phases map_build and plan are timed: key64, load50, "
     "load25, half, cells, voxels [default]",
     Part::suite,
     {{columns::map_variant}},
     [](const CaseSpec& c) { return c.map_variant.empty() ? Text() : Text(c.map_variant); },
     nullptr,
     nullptr,
     set_map_variants},
    {"seed",
     nullptr,
     "N",
     "0",
     "of all random data [0]",
     Part::data,
     {{columns::seed}},
     [](const CaseSpec& c) { return Text(std::to_string(c.seed)); },
     nullptr,
     nullptr,
     [](SuiteOptions& o, Values v, Where w) {
       o.seed = static_cast<uint64_t>(parse_integer(only(v, w), 0, w));
     }},
};

}  // namespace

std::span<const Option> suite_options() { return kOptions; }

const Option* find_option(std::string_view name) {
  for (const Option& option : kOptions)
    if (name == option.name) return &option;
  return nullptr;
}

std::string flag(const Option& option) {
  std::string words = option.name;
  std::ranges::replace(words, '_', '-');
  return "--" + words;
}

std::vector<std::string> arguments_of(const CaseSpec& spec) {
  std::vector<std::string> words{spec.dataset};
  for (const Option& option : suite_options()) {
    const std::optional<std::string> value = option.value(spec);
    if (!value || option.set_shapes == set_datasets) continue;  // DATA has no flag
    words.insert(words.end(), {flag(option), *value});
  }
  return words;
}

void set_option(SuiteOptions& options, std::string_view name, std::span<const std::string> values,
                std::string_view where) {
  const Option* option = find_option(name);
  if (!option) {
    std::vector<std::string> names;
    for (const Option& known : kOptions) names.emplace_back(known.name);
    throw usage_error(where, unknown_name(name, names));
  }
  if (option->set_suite) return option->set_suite(options, values, where);
  for (Shapes& shapes : options.shapes) option->set_shapes(shapes, values, where);
}

}  // namespace spb::config
