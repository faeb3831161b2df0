// SPDX-License-Identifier: Apache-2.0
#include "config/suite_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <toml++/toml.h>

#include "config/case_count.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/paths.h"
#include "core/toml_text.h"

namespace spb::config {
namespace {

namespace fs = std::filesystem;

std::string at(const fs::path& path, const toml::source_region& source) {
  return fmt::format("{}:{}", path.string(), source.begin.line);
}

toml::table parse(const fs::path& path) {
  if (!is_file(path)) throw usage_error(path.string(), "is no file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw usage_error(path.string(), "cannot be read", "check its mode");
  return parse_toml(std::string(std::istreambuf_iterator<char>(file), {}), path.string());
}

/// A TOML value in the words of the command line.
std::string word(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<int64_t>()) return fmt::format("{}", *whole);
  // With its point, so that 16.0 is no whole number.
  if (const auto number = node.value_exact<double>()) return fmt::format("{:#}", *number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  throw usage_error(where, "is neither text, number nor true or false");
}

std::vector<std::string> words(const toml::node& node, const std::string& where) {
  const toml::array* array = node.as_array();
  if (!array) return {word(node, where)};
  std::vector<std::string> all;
  for (const toml::node& element : *array) all.push_back(word(element, where));
  if (all.empty()) throw usage_error(where, "the list is empty");
  return all;
}

/// Where a key is allowed.
enum class Place { suite, shapes_file, block };

Error unknown_key(const std::string& key, Place place, const std::string& where) {
  std::vector<std::string> names;
  for (const Option& option : suite_options())
    if (place == Place::suite || option.set_shapes) names.emplace_back(option.name);
  if (place != Place::block) names.insert(names.end(), {"summary", "shapes"});
  if (place == Place::suite) names.emplace_back("include");
  if (find_option(key))
    return usage_error(where, fmt::format("\"{}\" belongs to a suite, not to shapes", key));
  return usage_error(where, unknown_name(key, names));
}

/// Sets the options among the keys of `table`; suite-wide ones in `options`, if given.
void set_keys(const toml::table& table, const fs::path& path, Place place, Shapes& shapes,
              SuiteOptions* options) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string where = at(path, key.source());
    const bool structure = name == "summary" || name == "shapes" || name == "include";
    if (structure && place != Place::block && (name != "include" || place == Place::suite))
      continue;
    const Option* option = find_option(name);
    const std::string named = where + ": " + name;
    if (option && option->set_shapes)
      option->set_shapes(shapes, words(node, named), named);
    else if (option && options)
      option->set_suite(*options, words(node, named), named);
    else
      throw unknown_key(name, place, where);
  }
  if (table.contains("voxel_size") && table.contains("resolution"))
    throw usage_error(at(path, table.get("resolution")->source()),
                      "voxel_size and resolution exclude one another");
}

/// The [[shapes]] of `table`, each starting from `defaults`.
std::vector<Shapes> read_blocks(const toml::table& table, const fs::path& path,
                                const Shapes& defaults) {
  std::vector<Shapes> blocks;
  const toml::node* node = table.get("shapes");
  if (!node) return blocks;
  if (!node->is_array_of_tables())
    throw usage_error(at(path, node->source()), "shapes must be written as [[shapes]] tables");
  double cases = 0;
  for (const toml::node& block : *node->as_array()) {
    // Each has the lists of the defaults, however short it is.
    Shapes& shapes = blocks.emplace_back(defaults);
    set_keys(*block.as_table(), path, Place::block, shapes, nullptr);
    check_case_count(cases += case_count(shapes), at(path, block.source()));
  }
  return blocks;
}

std::vector<Shapes> read_shapes_file(const fs::path& path, Shapes defaults,
                                     const std::string& where) {
  if (!is_file(path)) throw usage_error(where, fmt::format("\"{}\" is no file", path.string()));
  const toml::table table = parse(path);
  set_keys(table, path, Place::shapes_file, defaults, nullptr);
  std::vector<Shapes> blocks = read_blocks(table, path, defaults);
  if (blocks.empty()) blocks.push_back(defaults);
  return blocks;
}

/// Appends blocks. `where` they come from; a file may be included more than once.
void append(std::vector<Shapes>&& blocks, std::vector<Shapes>& all, double& cases,
            const std::string& where) {
  for (Shapes& block : blocks) {
    check_case_count(cases += case_count(block), where);
    all.push_back(std::move(block));
  }
}

}  // namespace

SuiteOptions read_suite(const fs::path& path) {
  const toml::table table = parse(path);
  SuiteOptions options;
  Shapes defaults;
  set_keys(table, path, Place::suite, defaults, &options);
  options.shapes.clear();
  double cases = 0;
  if (const toml::node* include = table.get("include")) {
    const std::string where = at(path, include->source()) + ": include";
    for (const std::string& file : words(*include, where))
      append(read_shapes_file((path.parent_path() / file).lexically_normal(), defaults, where),
             options.shapes, cases, where);
  }
  append(read_blocks(table, path, defaults), options.shapes, cases, path.string());
  if (options.shapes.empty()) options.shapes.push_back(defaults);
  return options;
}

std::vector<SuiteInfo> list_suites(const fs::path& folder) {
  std::vector<SuiteInfo> suites;
  if (!is_folder(folder)) return suites;
  for (const fs::path& path : entries_of(folder)) {
    if (path.extension() != ".toml") continue;
    const toml::table table = parse(path);
    suites.push_back({path.stem(), path, table["summary"].value_or(std::string())});
  }
  std::ranges::sort(suites, {}, &SuiteInfo::name);
  return suites;
}

fs::path find_suite(const std::string& name_or_path, const fs::path& folder) {
  if (is_file(name_or_path)) return name_or_path;
  std::vector<std::string> names;
  for (const SuiteInfo& suite : list_suites(folder)) {
    if (suite.name == name_or_path) return suite.path;
    names.push_back(suite.name);
  }
  if (name_or_path.find_first_of("./") != std::string::npos)
    throw input_error(name_or_path,
                      is_folder(name_or_path) ? "is a directory, expected a file" : "no such file",
                      "name a .toml file or a suite of list suites");
  throw usage_error("--config", unknown_name(name_or_path, names),
                    "name a .toml file or a suite of list suites");
}

}  // namespace spb::config
