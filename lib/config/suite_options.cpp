#include "config/suite_options.h"

#include <limits>

#include "core/error.h"
#include "core/nearest.h"

namespace spb::config {
namespace {

using Values = std::span<const std::string>;
using Where = std::string_view;

std::string joined(Values values) {
  std::string text;
  for (const std::string& value : values) text.append(text.empty() ? "" : ",").append(value);
  return text;
}

const std::string& only(Values values, Where where) {
  if (values.size() != 1) throw usage_error(where, "takes exactly one value");
  return values.front();
}

template <typename T>
std::vector<T> parse_each(Values values, Where where, T (*parse)(std::string_view, Where)) {
  std::vector<T> parsed;
  for (const std::string& word : split_list(joined(values), where))
    parsed.push_back(parse(word, where));
  return parsed;
}

void set_directions(SuiteOptions& options, Values values, Where where) {
  if (joined(values) == "all")
    options.directions = {Direction::fprop, Direction::dgrad, Direction::wgrad};
  else
    options.directions = parse_each(values, where, parse_direction);
}

void set_dtypes(SuiteOptions& options, Values values, Where where) {
  if (joined(values) != "all") {
    options.dtypes = parse_each(values, where, parse_dtype);
    return;
  }
  options.dtypes.clear();
  for (const DtypeInfo& dtype : dtypes()) options.dtypes.push_back(dtype.dtype);
}

void set_datasets(Shapes& shapes, Values values, Where where) {
  // Not split at commas: a generator has them in its arguments ("random:128,0.05").
  for (const std::string& value : values)
    if (value.empty()) throw usage_error(where, "a data set has no name");
  shapes.datasets.assign(values.begin(), values.end());
}

void set_voxel_size(Shapes& shapes, Values values, Where where) {
  shapes.voxel_size = parse_positive(only(values, where), where);
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

constexpr Option kOptions[] = {
    {"datasets", "scan.bin", "files, data sets (list datasets) or generators", set_datasets,
     nullptr},
    {"voxel_size", "0.05", "edge of a voxel in the file's unit", set_voxel_size, nullptr},
    {"resolution", "256", "voxels along the longest side, instead of a voxel size", set_resolution,
     nullptr},
    {"batch_copies", "1,4", "copies of the data in one batch",
     [](Shapes& s, Values v, Where w) { s.batch_copies = parse_integers(joined(v), w); }, nullptr},
    {"channels", "16:32,64", "c_in:c_out, or one number for both",
     [](Shapes& s, Values v, Where w) { s.channels = parse_channels(joined(v), w); }, nullptr},
    {"kernel_size", "3,3x3x1", "kernel size per axis",
     [](Shapes& s, Values v, Where w) { s.kernel_sizes = parse_sizes(joined(v), w); }, nullptr},
    {"stride", "1,2", "stride per axis; other than 1 makes the convolution strided",
     [](Shapes& s, Values v, Where w) { s.strides = parse_sizes(joined(v), w); }, nullptr},
    {"dilation", "1,2", "dilation per axis",
     [](Shapes& s, Values v, Where w) { s.dilations = parse_sizes(joined(v), w); }, nullptr},
    {"conv_kind", "subm,strided", "instead of what the stride says", set_conv_kinds, nullptr},
    {"algorithms", "all", "names (list algorithms) or all", nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.algorithms = split_list(joined(v), w); }},
    {"directions", "fprop,dgrad,wgrad", "passes, or all", nullptr, set_directions},
    {"dtypes", "f32,f16", "element types, or all", nullptr, set_dtypes},
    {"row_order", "file,z", "order of the voxel rows: file, lex, z, hash", nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.row_orders = split_list(joined(v), w); }},
    {"bias", "true", "with a bias and its gradient", nullptr,
     [](SuiteOptions& o, Values v, Where w) { o.bias = parse_flag(only(v, w), w); }},
    {"seed", "0", "of all random data", nullptr,
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
