// SPDX-License-Identifier: Apache-2.0
#include "command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "command.h"
#include "config/lists.h"
#include "list_names.h"
#include "report/compare/conditions.h"
#include "report/compare/gate.h"
#include "suite/options.h"

namespace spb::app {
namespace {

using Words = std::vector<std::string>;
using Algorithms = std::span<const Algorithm>;

Words with_all(Words words) {
  words.insert(words.begin(), "all");
  return words;
}

Words mismatches() {
  Words words;
  for (const report::Condition& condition : report::conditions())
    words.emplace_back(condition.name);
  return words;
}

/// Options and arguments whose values have names.
struct Values {
  std::string_view option;
  Words (*words)(Algorithms);
  bool is_list;
};
constexpr Values kValues[] = {
    {"--algorithms", [](Algorithms a) { return with_all(list_names("algorithms", a)); }, true},
    {"--allow-mismatch", [](Algorithms) { return mismatches(); }, true},
    {"--axes",
     [](Algorithms) {
       return Words{"bxyz", "bzyx"};
     },
     false},
    {"--bias",
     [](Algorithms) {
       return Words{"true", "false"};
     },
     false},
    {"--color",
     [](Algorithms) {
       return Words{"auto", "always", "never"};
     },
     false},
    {"--config", [](Algorithms a) { return list_names("suites", a); }, false},
    {"--conv-kind",
     [](Algorithms) {
       return Words{"subm", "strided", "inverse", "generative"};
     },
     true},
    {"--directions",
     [](Algorithms) {
       return Words{"all", "fprop", "dgrad", "wgrad"};
     },
     true},
    {"--dtypes", [](Algorithms a) { return with_all(list_names("dtypes", a)); }, true},
    {"--epilogue",
     [](Algorithms) {
       return Words{"none", "relu", "leaky_relu", "hswish", "residual", "residual+relu"};
     },
     true},
    {"--fail-on", [](Algorithms) { return report::gate_names(); }, true},
    {"--mode",
     [](Algorithms) {
       return Words{"auto", "trimmed", "all"};
     },
     false},
    {"--reference", [](Algorithms a) { return list_names("algorithms", a); }, false},
    {"--row-order",
     [](Algorithms) {
       return Words{"file", "lex", "z", "hash"};
     },
     true},
    {"--shapes",
     [](Algorithms) {
       return Words{"on", "off"};
     },
     false},
    {"--verify-modes",
     [](Algorithms) {
       return Words{"exact", "fp"};
     },
     true},
    {"DATA", [](Algorithms a) { return list_names("datasets", a); }, false},
    {"SHELL", [](Algorithms) { return shells(); }, false},
    {"WHAT", [](Algorithms) { return list_kinds(); }, false},
};

/// Its description with what CLI11 knows beside it: default and other options.
std::string text_of(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const std::string usual = option.get_default_str();
      !usual.empty() && text.find('[') == std::string::npos)
    text += " [" + usual + "]";
  const auto add = [&](const char* words, const std::set<CLI::Option*>& others) {
    for (const CLI::Option* other : others)
      text += std::string(text.empty() ? "" : "; ") + words + "--" + other->get_lnames().front();
  };
  add("needs ", option.get_needs());
  add("not with ", option.get_excludes());
  return text;
}

OptionInfo describe(const CLI::Option& option, Algorithms algorithms) {
  OptionInfo info;
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  info.text = text_of(option);
  info.required = option.get_required();
  info.group = option.get_group();
  if (option.get_items_expected_max() > 0) {
    const bool own = !option.get_option_text().empty();
    info.value = option.get_positional() ? option.get_name()
                 : own                   ? option.get_option_text()
                                         : option.get_type_name();
  }
  for (const Values& values : kValues)
    if (info.names.empty() ? values.option == info.value
                           : std::ranges::find(info.names, values.option) != info.names.end()) {
      info.words = values.words(algorithms);
      info.is_list = values.is_list;
    }
  info.repeats = option.get_positional() && option.get_items_expected_max() > 1;
  for (const Knob& knob : all_knobs())
    if (knob.words && std::ranges::find(info.names, suite::flag_of(knob)) != info.names.end())
      info.words = knob.words();
  return info;
}

}  // namespace

std::vector<CommandInfo> command_tree(const CLI::App& program, Algorithms algorithms) {
  std::vector<CommandInfo> commands;
  for (const Command& command : app::commands()) {
    CommandInfo& info = commands.emplace_back();
    info.name = command.name;
    info.summary = command.summary;
    info.examples = command.examples;
    for (const CLI::Option* option : program.get_subcommand(command.name)->get_options()) {
      if (option->get_group().empty()) continue;  // not shown
      auto& list = option->get_positional() ? info.arguments : info.options;
      list.push_back(describe(*option, algorithms));
    }
  }
  return commands;
}

}  // namespace spb::app
