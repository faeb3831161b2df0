// SPDX-License-Identifier: Apache-2.0
// The scripts in recipes for CI services.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "program.h"

namespace spb::cli {

/// Of a GitHub workflow: the scripts of its steps, by their names.
inline std::map<std::string, std::string> steps_of(const std::filesystem::path& workflow) {
  std::map<std::string, std::string> scripts;
  std::istringstream file(read(workflow));
  std::string name;
  bool in_script = false;
  for (std::string line; std::getline(file, line);) {
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string text = line.substr(indent);
    if (in_script && indent > 8) {
      scripts[name] += text + "\n";
      continue;
    }
    in_script = text == "run: |";
    if (text.starts_with("- name: ")) name = text.substr(8);
    if (text.starts_with("run: ") && !in_script) scripts[name] = text.substr(5) + "\n";
  }
  return scripts;
}

/// Of a GitLab file: the scripts of its jobs, by their names.
inline std::map<std::string, std::string> scripts_of(const std::filesystem::path& pipeline) {
  std::map<std::string, std::string> scripts;
  std::istringstream file(read(pipeline));
  std::string job;
  bool in_script = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.front() != ' ' && line.front() != '#')
      job = line.substr(0, line.find(':'));
    if (in_script && line.starts_with("    - ")) scripts[job] += line.substr(6) + "\n";
    in_script = line == "  script:" || (in_script && line.starts_with("    - "));
  }
  return scripts;
}

}  // namespace spb::cli
