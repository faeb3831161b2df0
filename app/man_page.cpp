// SPDX-License-Identifier: Apache-2.0
#include "man_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace spb::app {
namespace {

/// Text that roff shows as it is.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) result += "\\&";
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result;
}

/// Line by line as it stands.
std::string verbatim(const std::string& lines) {
  std::string text = ".nf\n";
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);)
    text +=
        roff(std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size()))) +
        '\n';
  return text + ".fi\n";
}

std::string item(const std::string& term, const std::string& text) {
  return ".TP\n" + term + '\n' + roff(text) + '\n';
}

std::string option_item(const OptionInfo& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string term = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty())
    term += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
  return item(term, option.text);
}

std::string command_section(const CommandInfo& command) {
  std::string arguments;
  for (const OptionInfo& argument : command.arguments)
    arguments += fmt::format(" \\fI{}\\fR", roff(argument.value));
  std::string text = fmt::format(
      ".SS \"spconv\\-bench {}\"\n{}\n.PP\n\\fBspconv\\-bench {}\\fR "
      "[\\fIoptions\\fR]{}\n",
      command.name, roff(command.summary), command.name, arguments);
  for (const OptionInfo& argument : command.arguments) text += option_item(argument);
  // Options of a group need not stand together.
  std::vector<std::string> groups;
  for (const OptionInfo& option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string& group : groups) {
    text += fmt::format(".PP\n\\fI{}\\fR\n", roff(group));
    for (const OptionInfo& option : command.options)
      if (option.group == group) text += option_item(option);
  }
  return text + ".PP\n\\fIExamples\\fR\n.PP\n" + verbatim(command.examples);
}

constexpr std::pair<const char*, const char*> kVariables[] = {
    {"NO_COLOR", "when set and not empty, no colors; \\-\\-color always overrides"},
    {"SPCONV_BENCH_HOME", "folder that holds configs/ and datasets/"},
    {"XDG_CACHE_HOME", "folder below which peaks are kept, else ~/.cache"},
};

}  // namespace

std::string man_page(std::span<const CommandInfo> commands, const std::string& version,
                     const std::string& exit_codes) {
  std::string text = fmt::format(
      ".TH SPCONV\\-BENCH 1 \"\" \"spconv\\-bench {}\" \"User Commands\"\n"
      ".SH NAME\nspconv\\-bench \\- sparse convolution algorithms, proven right, timed and "
      "accounted for\n"
      ".SH SYNOPSIS\n.B spconv\\-bench\n\\fIcommand\\fR [\\fIoptions\\fR] [\\fIarguments\\fR]\n"
      ".SH DESCRIPTION\nReads a voxel point cloud, builds hash tables and kernel maps, runs sparse "
      "convolution algorithms forward and backward, checks each result against an independent "
      "reference, times what was proven right, and writes records that other commands compare and "
      "turn into reports.\n.SH COMMANDS\n",
      roff(version));
  for (const CommandInfo& command : commands) text += command_section(command);
  text += ".SH EXIT STATUS\n" + verbatim(exit_codes) + ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kVariables)
    text += fmt::format(".TP\n.B {}\n{}\n", name, meaning);
  return text;
}

}  // namespace spb::app
