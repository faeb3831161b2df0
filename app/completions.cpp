// SPDX-License-Identifier: Apache-2.0
#include "completions.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace spb::app {
namespace {

/// One line, without what a shell's single quotes or `special` give a meaning.
std::string plain(std::string_view text, std::string_view special = "") {
  std::string result;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') continue;
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string option_names(const CommandInfo& command) {
  std::string names;
  for (const OptionInfo& option : command.options)
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  return names;
}

std::string argument_words(const CommandInfo& command) {
  std::vector<std::string> words;
  for (const OptionInfo& argument : command.arguments)
    words.insert(words.end(), argument.words.begin(), argument.words.end());
  return fmt::format("{}", fmt::join(words, " "));
}

std::string command_names(std::span<const CommandInfo> commands) {
  std::string names;
  for (const CommandInfo& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

}  // namespace

std::string bash_completions(std::span<const CommandInfo> commands) {
  std::string cases;
  for (const CommandInfo& command : commands) {
    cases += fmt::format("    {})\n      case $previous in\n", command.name);
    std::vector<std::string> unknown;  // a value that nobody can guess is perhaps a file
    for (const OptionInfo& option : command.options) {
      if (option.value.empty()) continue;
      if (option.words.empty())
        unknown.insert(unknown.end(), option.names.begin(), option.names.end());
      else
        cases += fmt::format("        {}) words='{}' list={} ;;\n", fmt::join(option.names, "|"),
                             fmt::join(option.words, " "), option.is_list ? 1 : 0);
    }
    if (!unknown.empty()) cases += fmt::format("        {}) ;;\n", fmt::join(unknown, "|"));
    cases += fmt::format(
        "        *)\n"
        "          words='{}'\n"
        "          [[ $current == -* ]] && words='{}' ;;\n"
        "      esac ;;\n",
        argument_words(command), option_names(command));
  }
  return fmt::format(R"(# bash completion of spconv-bench: source it, or save it as
# ~/.local/share/bash-completion/completions/spconv-bench
_spconv_bench() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command= words= list=0 before= word
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    [[ $word == -* ]] || {{ command=$word; break; }}
  done
  case $command in
    '') words='{} --help --version' ;;
{}  esac
  if ((list)) && [[ $current == *,* ]]; then
    before=${{current%,*}},
    current=${{current##*,}}
  fi
  COMPREPLY=($(compgen -P "$before" -W "$words" -- "$current"))
}}
# Without a match: names of files.
complete -o bashdefault -o default -F _spconv_bench spconv-bench
)",
                     command_names(commands), cases);
}

std::string zsh_completions(std::span<const CommandInfo> commands) {
  std::string summaries, cases;
  const auto action = [](const OptionInfo& option) {
    if (option.words.empty()) return std::string("_files");
    if (option.is_list) return fmt::format("_values -s , value {}", fmt::join(option.words, " "));
    if (option.names.empty() || option.value == "FILE")
      return fmt::format("_alternative \"names:name:({})\" \"files:file:_files\"",
                         fmt::join(option.words, " "));
    return fmt::format("({})", fmt::join(option.words, " "));
  };
  for (const CommandInfo& command : commands) {
    summaries += fmt::format("    '{}:{}'\n", command.name, plain(command.summary, ":"));
    cases += fmt::format("    {})\n      _arguments -s \\\n", command.name);
    for (const OptionInfo& option : command.options)
      for (const std::string& name : option.names)
        cases += fmt::format("        '{}[{}]{}' \\\n", name, plain(option.text, "[]:"),
                             option.value.empty()
                                 ? ""
                                 : fmt::format(":{}:{}", plain(option.value, ":"), action(option)));
    for (const OptionInfo& argument : command.arguments)
      cases += fmt::format("        '*:{}:{}' \\\n", argument.value, action(argument));
    cases += "        && return ;;\n";
  }
  return fmt::format(R"(#compdef spconv-bench
# zsh completion of spconv-bench: save it as _spconv-bench in a folder of $fpath.
_spconv_bench() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
{}  esac
}}
compdef _spconv_bench spconv-bench
)",
                     summaries, cases);
}

std::string fish_completions(std::span<const CommandInfo> commands) {
  std::string text =
      "# fish completion of spconv-bench: save it as "
      "~/.config/fish/completions/spconv-bench.fish\n"
      "complete -c spconv-bench -e\n";
  for (const CommandInfo& command : commands)
    text += fmt::format("complete -c spconv-bench -n __fish_use_subcommand -f -a {} -d '{}'\n",
                        command.name, plain(command.summary, "\\"));
  for (const CommandInfo& command : commands) {
    const std::string start =
        fmt::format("complete -c spconv-bench -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionInfo& option : command.options) {
      text += start;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += " -r";
      if (!option.words.empty()) {
        const std::string words = fmt::format("{}", fmt::join(option.words, " "));
        const std::string files = option.value == "FILE" ? "" : " -f";
        text +=
            files + " -a '" + (option.is_list ? "(__fish_append , " + words + ")" : words) + "'";
      }
      text += fmt::format(" -d '{}'\n", plain(option.text, "\\"));
    }
    if (const std::string words = argument_words(command); !words.empty())
      text += fmt::format("{} -a '{}'\n", start, words);
  }
  return text;
}

}  // namespace spb::app
