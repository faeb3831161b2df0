// SPDX-License-Identifier: Apache-2.0
#include "help_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <vector>

#include "report/text/table_layout.h"

namespace spb::app {
namespace {

constexpr size_t kTextColumn = 28;   // where texts begin
constexpr size_t kLeastWidth = 48;   // narrower terminals wrap by themselves
constexpr size_t kWidestLine = 100;  // longer lines are hard to read
constexpr std::string_view kIndent = "  ";

/// A term and, in the second column, what it means; below it where the term is too long.
std::string item(const std::string& term, const std::string& meaning, size_t width) {
  std::string text = std::string(kIndent) + term;
  size_t column = report::display_width(text);
  std::istringstream paragraphs(meaning);
  for (std::string paragraph; std::getline(paragraphs, paragraph);)
    for (const std::string& line : report::wrapped(paragraph, width - kTextColumn)) {
      if (column + 2 > kTextColumn && column > 0) {
        text += '\n';
        column = 0;
      }
      text += std::string(kTextColumn - column, ' ') + line;
      column = kTextColumn + 1;
    }
  return text + '\n';
}

std::string term_of(const OptionInfo& option) {
  std::vector<std::string> names = option.names;
  std::ranges::stable_partition(names, [](const std::string& name) { return name[1] != '-'; });
  std::string term = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty()) term += (term.empty() ? "" : " ") + option.value;
  return term;
}

std::string usage_of(const CommandInfo& command) {
  std::string text = "usage: spconv-bench " + command.name;
  if (!command.options.empty()) text += " [OPTIONS]";
  for (const OptionInfo& argument : command.arguments) {
    const std::string name = argument.value + (argument.repeats ? "..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + '\n';
}

std::string paragraph(const std::string& text, size_t width) {
  return fmt::format("{}\n", fmt::join(report::wrapped(text, width), "\n"));
}

size_t line_width(size_t width) { return std::clamp(width, kLeastWidth, kWidestLine); }

}  // namespace

std::string help_text(const CommandInfo& command, const std::string& exit_codes, bool brief,
                      size_t width) {
  width = line_width(width);
  std::string text = paragraph(command.summary, width) + '\n' + usage_of(command);
  if (!command.arguments.empty()) text += '\n';
  for (const OptionInfo& argument : command.arguments)
    text += item(argument.value, argument.text, width);
  // Options of a group need not stand together.
  std::vector<std::string> groups;
  for (const OptionInfo& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  for (const std::string& group : groups) {
    text += fmt::format("\n{}:\n", group);
    for (const OptionInfo& option : command.options)
      if (option.group == group) text += item(term_of(option), option.text, width);
  }
  if (brief) return text;
  return text + "\nExamples:\n" + command.examples + "\nExit codes:\n" + exit_codes;
}

std::string help_text(std::span<const CommandInfo> commands, const std::string& exit_codes,
                      size_t width) {
  width = line_width(width);
  std::string text =
      paragraph("Sparse convolution algorithms, proven right, timed and accounted for.", width) +
      "\nusage: spconv-bench COMMAND [OPTIONS]\n\nCommands:\n";
  for (const CommandInfo& command : commands) text += item(command.name, command.summary, width);
  text += "\nOptions:\n" +
          item("-h, --help", "of the program or of a command, as help COMMAND", width) +
          item("-V, --version", "version, build and vendor", width);
  return text + "\nExit codes:\n" + exit_codes;
}

}  // namespace spb::app
