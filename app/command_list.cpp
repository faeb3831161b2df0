// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "config/suite_file.h"
#include "console.h"
#include "core/dtype.h"
#include "core/nearest.h"
#include "data/dataset.h"
#include "data/generate.h"
#include "data/point_cloud.h"
#include "gpu/device_info.h"
#include "kernels/kernel_variants.h"
#include "kernels/product_variants.h"
#include "list_names.h"
#include "list_tuning.h"
#include "plugins.h"
#include "print_columns.h"
#include "report/records/fields.h"
#include "report/text/table_layout.h"
#include "suite/checks.h"
#include "suite/options.h"
#include "suite/places.h"

namespace spb::app {
namespace {

Lines list_algorithms(std::span<const Algorithm> algorithms) {
  Lines lines;
  for (const Algorithm& algorithm : algorithms)
    lines.push_back({algorithm.name, std::string(algorithm.summary) +
                                         (algorithm.by_name_only ? " (not among all)" : "")});
  return lines;
}

/// A line for each knob of each algorithm: all on one line would not fit a terminal.
Lines list_choices(std::span<const Algorithm> algorithms) {
  Lines lines{{"algorithm", "choice", "directions"}};
  for (const Algorithm& algorithm : algorithms) {
    if (algorithm.knobs.empty()) lines.push_back({algorithm.name, "none", ""});
    for (const Knob& knob : algorithm.knobs) {
      std::string directions;
      for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
        if (is_for(knob, direction))
          directions += (directions.empty() ? "" : " ") + std::string(name(direction));
      lines.push_back({algorithm.name, suite::flag_of(knob), directions});
    }
  }
  return lines;
}

/// As .ci/counters reads it: the worst load's and the worst store's ways, 1 without conflicts.
std::string text_of(const BankWays& ways) { return fmt::format("{}/{}", ways.loads, ways.stores); }

std::string state_of(const KernelVariant& variant) {
  if (variant.chips && gpu::on_host()) return "as a twin";
  // Kernels that name an architecture, and those of a library, are NVIDIA's.
  const bool of_cuda = variant.min_arch || is_product(variant);
  return of_cuda && std::string_view(gpu::backend_name()) != "cuda" ? "not in this build"
                                                                    : gpu::proven_on();
}

void add_kernels(Lines& lines, const char* directions, std::span<const KernelVariant> variants) {
  for (const KernelVariant& variant : variants) {
    const bool integers_alone = (variant.dtypes & ~kIntegerDtypes) == 0;  // have no backward
    std::string types;
    for (const Math& dtype : dtypes())
      if (variant.dtypes & dtype_bit(dtype.dtype))
        types += (types.empty() ? "" : " ") + std::string(dtype.name);
    // Nobody but the library knows of its kernels.
    const bool unknown = is_product(variant);
    lines.push_back({variant.name, integers_alone ? "fprop" : directions, types,
                     unknown ? "-" : fmt::format("{}", variant.stages),
                     unknown ? "-" : fmt::format("{}", variant.threads),
                     variant.chips      ? variant.chips
                     : variant.min_arch ? fmt::format("sm_{}", variant.min_arch)
                                        : "any",
                     unknown ? "-" : text_of(bank_ways(variant)), state_of(variant)});
  }
}

Lines list_kernels(std::span<const Algorithm>) {
  Lines lines{{"kernel", "directions", "dtypes", "stages", "threads", "needs", "banks", "state"}};
  add_kernels(lines, "fprop dgrad", row_variants());
  add_kernels(lines, "wgrad", wgrad_variants());
  add_kernels(lines, "fprop dgrad wgrad", product_variants());
  return lines;
}

Lines list_datasets(std::span<const Algorithm>) {
  Lines lines{{"name", "size", "voxels", "pairs (3x3x3)", "license", "file"}};
  for (const data::Dataset& dataset : data::find_datasets(suite::datasets_folder())) {
    const std::string size = dataset.voxel_size_m ? to_text(*dataset.voxel_size_m) + " m"
                             : dataset.resolution ? fmt::format("R = {}", *dataset.resolution)
                                                  : "";
    lines.push_back({dataset.name, size, fmt::format("{}", dataset.voxels),
                     fmt::format("{}", dataset.n_pairs), dataset.license,
                     dataset.is_present() ? dataset.file.string()
                                          : "fetch with datasets/fetch.sh " + dataset.name});
  }
  return lines;
}

Lines list_formats(std::span<const Algorithm>) {
  Lines lines;
  for (const data::Format& format : data::formats()) {
    std::string extensions;
    for (const char* extension : format.extensions)
      extensions += (extensions.empty() ? "" : " ") + std::string(extension);
    lines.push_back({format.name, extensions, format.summary});
  }
  return lines;
}

Lines list_generators(std::span<const Algorithm>) {
  Lines lines;
  for (const data::Generator& generator : data::generators())
    lines.push_back({generator.usage, generator.summary});
  return lines;
}

Lines list_columns(std::span<const Algorithm>) {
  Lines lines{{"column", "type", "unit", "role", "meaning"}};
  for (const report::Field& field : report::fields())
    lines.push_back({field.name, name(field.type), field.unit,
                     field.key      ? "key"
                     : field.varies ? "varies"
                                    : "",
                     field.text});
  return lines;
}

Lines list_dtypes(std::span<const Algorithm>) {
  Lines lines{{"dtype", "bytes", "operand bits", "output bits"}};
  for (const Math& dtype : dtypes())
    lines.push_back({dtype.name, fmt::format("{}", dtype.input().bytes),
                     fmt::format("{}", dtype.operand_bits),
                     fmt::format("{}", dtype.output().bits)});
  return lines;
}

std::string state_of(const gpu::DeviceInfo& device) {
  const std::string why = gpu::why_unusable(device);
  return why.empty() ? gpu::proven_on(device.arch) : why;
}

Lines list_devices(std::span<const Algorithm>) {
  Lines lines{{"device", "backend", "name", "arch", "SMs", "memory", "cache", "clock",
               "memory clock", "driver", "runtime", "state"}};
  const auto clock = [](double mhz) { return mhz > 0 ? fmt::format("{:.0f} MHz", mhz) : "-"; };
  for (const gpu::DeviceInfo& device : gpu::list_devices())
    lines.push_back(
        {fmt::format("{}", device.index), gpu::backend_name(), device.name, device.arch,
         fmt::format("{}", device.multiprocessors), report::bytes_text(device.memory_bytes),
         report::bytes_text(device.cache_bytes), clock(device.clock_mhz),
         clock(device.memory_clock_mhz), device.driver_version,
         device.runtime_version.empty() ? "-" : device.runtime_version, state_of(device)});
  return lines;
}

Lines list_suites(std::span<const Algorithm>) {
  Lines lines;
  for (const config::SuiteInfo& suite : config::list_suites(suite::suites_folder()))
    lines.push_back({suite.name, suite.summary});
  return lines;
}

Lines list_default_tuning(std::span<const Algorithm> algorithms) {
  return list_tuning("", algorithms);
}

struct List {
  const char* name;
  const char* summary;
  Lines (*lines)(std::span<const Algorithm>);
  bool has_header;
};
constexpr List kLists[] = {
    {"algorithms", "what run and verify can run", list_algorithms, false},
    {"choices", "which algorithm lets what be chosen, and for which directions", list_choices,
     true},
    {"kernels", "kernels, for --kernel", list_kernels, true},
    {"datasets", "real data, fetched or not", list_datasets, true},
    {"formats", "files that can be read", list_formats, false},
    {"generators", "synthetic data", list_generators, false},
    {"columns", "of the records", list_columns, true},
    {"dtypes", "element types", list_dtypes, true},
    {"devices", "that this build can run on", list_devices, true},
    {"suites", "for --config", list_suites, false},
    {"tuning", "winners of spconv-bench tune and where they hold", list_default_tuning, true},
};

const List& find_list(const std::string& what) {
  for (const List& row : kLists)
    if (what == row.name) return row;
  throw usage_error("list", unknown_name(what, list_kinds()), "see spconv-bench list --help");
}

}  // namespace

std::vector<std::string> list_kinds() {
  std::vector<std::string> kinds;
  for (const List& row : kLists) kinds.emplace_back(row.name);
  return kinds;
}

std::vector<std::string> list_names(const std::string& what,
                                    std::span<const Algorithm> algorithms) {
  const List& list = find_list(what);
  std::vector<std::string> names;
  for (const auto& line : list.lines(algorithms)) names.push_back(line.front());
  if (list.has_header) names.erase(names.begin());
  return names;
}

Action declare_list(CLI::App& app) {
  auto what = std::make_shared<std::string>();
  auto color = std::make_shared<std::string>("auto");
  std::string text = "one of:";
  for (const List& row : kLists) text += fmt::format("\n  {:<12}{}", row.name, row.summary);
  app.add_option("WHAT", *what, text);
  app.add_option("--color", *color, "auto, always, never")
      ->check(suite::one_of({"auto", "always", "never"}))
      ->capture_default_str()
      ->option_text("WHEN");
  auto tuning = std::make_shared<std::string>();
  app.add_option("--tuning", *tuning, "for tuning: the file [as in spconv-bench tune]")
      ->option_text("FILE");
  auto win_rates = std::make_shared<bool>(false);
  app.add_flag("--win-rates", *win_rates,
               "for tuning: how often which algorithm won, by direction and size");
  auto plugins = std::make_shared<std::string>();
  app.add_option("--plugin", *plugins, "with the algorithms of shared libraries")
      ->option_text("FILE,FILE");
  return [what, color, tuning, win_rates, plugins](std::span<const Algorithm> own) {
    const std::vector<Algorithm> algorithms = with_plugins(own, *plugins).rows;
    if (what->empty()) {
      Lines kinds;
      for (const List& row : kLists) kinds.push_back({row.name, row.summary});
      print_columns(kinds);
      return ExitCode::ok;
    }
    const List& list = find_list(*what);
    if (*win_rates && *what != "tuning")
      throw usage_error("--win-rates", "is for list tuning", "see spconv-bench list --help");
    if (*win_rates) {
      print_columns(list_win_rates(*tuning));
      return ExitCode::ok;
    }
    const bool of_file = !tuning->empty() && *what == "tuning";
    print_columns(of_file ? list_tuning(*tuning, algorithms) : list.lines(algorithms));
    return ExitCode::ok;
  };
}

}  // namespace spb::app
