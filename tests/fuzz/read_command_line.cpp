// SPDX-License-Identifier: Apache-2.0
// A command line, a word a line: the options that select cases and say how files are read, which
// run, verify, inspect, generate and tune have. It is parsed and its cases are counted, no more.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "case_options.h"
#include "config/suite_options.h"
#include "core/error.h"
#include "read.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream lines(path, std::ios::binary);
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  std::ranges::reverse(words);  // as CLI11 takes them

  CLI::App program("", "spconv-bench");
  suite::CaseOptions options;
  app::add_case_options(program, options, app::CaseScope::cases);
  try {
    program.parse(words);
  } catch (const CLI::ParseError&) {
    return;
  }
  config::SuiteOptions suite;
  for (const auto& [name, values] : options.values)
    if (!values.empty()) config::set_option(suite, name, values, name);
}
