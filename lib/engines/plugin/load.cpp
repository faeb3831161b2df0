// SPDX-License-Identifier: Apache-2.0
#include "engines/plugin/load.h"

#include <algorithm>
#include <deque>
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <span>
#include <spconv_bench/plugin.h>
#include <string_view>

#include "core/error.h"
#include "engines/plugin/plugin_plan.h"
#include "gpu/device_info.h"

namespace spb::engines {
namespace {

constexpr const char* kEntry = "spconv_bench_plugin";

/// Text that rows point to, for as long as the program runs.
const char* kept(std::string text) {
  static std::deque<std::string> texts;
  return texts.emplace_back(std::move(text)).c_str();
}

/// Names stand in lists, ids and file names.
bool is_name(const char* text) {
  if (!text || !*text) return false;
  return std::ranges::all_of(std::string_view(text), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Whether a shared library ends before what its header says is loaded: dlopen() maps such a file,
/// and who reads what is missing dies of a bus error. Other files are left to dlopen().
bool is_cut_off(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<uint64_t>(file.tellg());
  const auto read = [&](uint64_t at, auto& into) {
    file.seekg(static_cast<std::streamoff>(at));
    return static_cast<bool>(file.read(reinterpret_cast<char*>(&into), sizeof into));
  };
  Elf64_Ehdr header{};
  if (!read(0, header)) return false;
  if (std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG)
    return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    if (!read(header.e_phoff + uint64_t{i} * header.e_phentsize, part)) return true;
    if (part.p_type == PT_LOAD && (part.p_filesz > size || part.p_offset > size - part.p_filesz))
      return true;
  }
  return false;
}

const SpbPlugin& opened(const std::string& path) {
  // dlopen() looks for names without a slash in the folders of the system alone.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  if (is_cut_off(file))
    throw input_error(path, "is a shared library that ends too early", "build or copy it again");
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw input_error(path, dlerror(), "see docs/plugins.md");
  const auto entry = reinterpret_cast<const SpbPlugin* (*)()>(dlsym(library, kEntry));
  if (!entry)
    throw input_error(path, fmt::format("is no plug-in: it does not export {}()", kEntry),
                      "see docs/plugins.md");
  const SpbPlugin* plugin = entry();
  if (!plugin) throw input_error(path, fmt::format("{}() returned nothing", kEntry));
  if (plugin->abi != SPB_PLUGIN_ABI)
    throw input_error(
        path,
        fmt::format("is of plug-in ABI {}, this program takes {}", plugin->abi, SPB_PLUGIN_ABI),
        "build it with this program's spconv_bench/plugin.h");
  return *plugin;
}

void check(const SpbPlugin& plugin, const std::string& path) {
  if (!is_name(plugin.name))
    throw input_error(path, "its name is not of the letters a to z, digits and _");
  if (!plugin.version) throw input_error(path, "it has no version");
  const std::string_view backend = plugin.backend ? plugin.backend : "";
  if (backend != gpu::backend_name())
    throw input_error(
        path, fmt::format("is of backend \"{}\", this program of {}", backend, gpu::backend_name()),
        "build either for the other's backend");
  if (plugin.algorithm_count < 1 || !plugin.algorithms)
    throw input_error(path, "it has no algorithm");
}

/// What of a row is missing or unknown; nothing if it can be called.
std::string fault(const SpbAlgorithm& row) {
  if (!is_name(row.name)) return "its name is not of the letters a to z, digits and _";
  if (!row.plan || !row.run || !row.destroy) return "plan, run or destroy is missing";
  if (row.needs & ~(SPB_NEEDS_NEIGHBORS | SPB_NEEDS_PAIRS))
    return fmt::format("needs {} is unknown", row.needs);
  if (row.weight_layout != SPB_WEIGHTS_OUT_FIRST && row.weight_layout != SPB_WEIGHTS_OUT_LAST)
    return fmt::format("weight_layout {} is unknown", row.weight_layout);
  return {};
}

/// A set of enumerators of a list of their names.
template <class Parse>
unsigned claimed(const char* list, const std::string& where, Parse parse) {
  unsigned set = 0;
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const size_t comma = std::min(rest.find(','), rest.size());
    set |= claim_of(parse(rest.substr(0, comma), where));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  if (set == 0) throw input_error(where, "the list is empty");
  return set;
}

Claim claim(const SpbAlgorithm& row, const std::string& where) {
  Claim claim{.dtypes = claimed(row.dtypes, where + ", dtypes", parse_dtype),
              .directions = claimed(row.directions, where + ", directions", parse_direction),
              .kinds = claimed(row.kinds, where + ", kinds", parse_conv_kind),
              .bias = row.takes_bias != 0,
              .epilogue = row.takes_epilogue != 0};
  if (row.takes_groups) claim.groups |= claim_of(GroupKind::several);
  if (row.takes_depthwise) claim.groups |= claim_of(GroupKind::depthwise);
  return claim;
}

Algorithm algorithm(const SpbPlugin& plugin, const SpbAlgorithm& row, const std::string& path) {
  const std::string where = path + ": algorithm " + (row.name ? row.name : "without a name");
  if (const std::string text = fault(row); !text.empty()) throw input_error(where, text);
  const char* name = kept(fmt::format("{}:{}", plugin.name, row.name));
  Algorithm made{
      .name = name,
      .summary = kept(row.summary ? row.summary : ""),
      .version = row.version,
      .claim = {},
      .unsupported_with = [&row](const Problem& problem,
                                 const Choice&) -> std::optional<std::string> {
        if (!row.unsupported) return std::nullopt;
        const SpbProblem asked = plugin_problem(problem);
        const char* reason = row.unsupported(&row, &asked);
        return reason ? std::optional<std::string>(reason) : std::nullopt;
      },
      .needs_of = [&row](const Case& of) { return plugin_needs(row, of.problem); },
      .plan_with =
          [&row, name](const Case& of, const maps::Maps& maps, maps::BuildContext context) {
            return plugin_plan(row, name, of, maps, context);
          }};
  made.plans_apart = false;  // they may wait, and keep the stream they were made on
  if (row.weight_layout == SPB_WEIGHTS_OUT_LAST) made.weights = WeightLayout::c_out_last;
  try {
    made.claim = claim(row, where);
  } catch (const Error& error) {  // of a name in a list: usage, elsewhere
    throw Error(ExitCode::runtime, error.what());
  }
  return made;
}

}  // namespace

Plugin load_plugin(const std::string& path) {
  const SpbPlugin& of = opened(path);
  check(of, path);
  Plugin plugin{of.name, of.version, {}};
  for (const SpbAlgorithm& row :
       std::span(of.algorithms, static_cast<size_t>(of.algorithm_count))) {
    plugin.algorithms.push_back(algorithm(of, row, path));
    const std::string_view name = plugin.algorithms.back().name;
    if (std::ranges::count(plugin.algorithms, name, &Algorithm::name) > 1)
      throw input_error(path, fmt::format("algorithm {} is there twice", row.name));
  }
  return plugin;
}

}  // namespace spb::engines
