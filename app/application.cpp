// SPDX-License-Identifier: Apache-2.0
#include "application.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "command.h"
#include "command_tree.h"
#include "console.h"
#include "core/error.h"
#include "core/nearest.h"
#include "help_text.h"
#include "suite/build_info.h"

namespace spb {
namespace {

constexpr app::Command kCommands[] = {
    {"run", "verify and time algorithms, write records",
     "  spconv-bench run scan.bin --voxel-size 0.1 --dtypes f16,f32 --out results/\n"
     "  spconv-bench run sphere:64 --channels 16:32,64 --kernel-size 3,5\n"
     "  spconv-bench run room_scan1 --dtypes bf16 --directions wgrad\n"
     "  spconv-bench run --config demo --filter '*/wgrad/*'\n"
     "  spconv-bench run --config demo --dry-run\n"
     "  spconv-bench run --config flexgemm --shard 3/16 --out sweep/ --resume\n",
     app::declare_run},
    {"verify", "verify algorithms without timing them",
     "  spconv-bench verify scan.bin --voxel-size 0.1 --verify-modes exact,fp\n"
     "  spconv-bench verify sphere:32 --dtypes all --channels 17:100\n"
     "  spconv-bench verify sphere:32 --kernel-size 2 --stride 2 --directions dgrad\n"
     "  spconv-bench verify --config demo --fail-fast\n"
     "  spconv-bench verify cube:16 --seed 7 --out evidence/\n",
     app::declare_verify},
    {"inspect", "geometry and work statistics of voxels; needs no device",
     "  spconv-bench inspect scan.bin --voxel-size 0.1\n"
     "  spconv-bench inspect sphere:128 --tile-heights 64,128,256\n"
     "  spconv-bench inspect scan.bin --voxel-size 0.1 --kernel-size 2 --stride 2\n"
     "  spconv-bench inspect mesh.obj --resolution 256 --row-order z\n"
     "  spconv-bench inspect coords.npy --axes bzyx --channels 64\n",
     app::declare_inspect},
    {"generate", "write a voxel set to a file",
     "  spconv-bench generate sphere:64 --out sphere.npy\n"
     "  spconv-bench generate random:128,0.05 --seed 3 --out random.npy\n"
     "  spconv-bench generate lidar --out lidar.npy\n"
     "  spconv-bench generate cube:16 --row-order hash --out cube.xyz\n"
     "  spconv-bench generate scan.bin --voxel-size 0.1 --out scan.npy\n",
     app::declare_generate},
    {"report", "records to CSV, Markdown, plots and a page",
     "  spconv-bench report results/ -o report/\n"
     "  spconv-bench report h100/ h200/ -o both/\n"
     "  spconv-bench report results/records.jsonl -o report/ --no-plots\n"
     "  spconv-bench report reports/host/demo -o report/\n"
     "  xdg-open report/report.html\n",
     app::declare_report},
    {"compare", "two runs: what became slower, larger or wrong; a gate for CI",
     "  spconv-bench compare base/ new/\n"
     "  spconv-bench compare --save-baseline main results/\n"
     "  spconv-bench compare --baseline main new/\n"
     "  spconv-bench compare base/ new/ --threshold 5% --floor 2us --filter '*/kernel/cold'\n"
     "  spconv-bench compare base/ new/ --strict --md summary.md --junit junit.xml\n"
     "  spconv-bench compare base/ new/ --process-drift 1%\n"
     "  spconv-bench compare h100/ h200/ --allow-mismatch gpu\n"
     "  spconv-bench compare base/records.jsonl new/records.jsonl --json - --quiet\n"
     "  spconv-bench compare --ab old/spconv-bench new/spconv-bench -- run sphere:64 --rounds 3\n",
     app::declare_compare},
    {"history", "the runs of a folder over time: what changed, and when",
     "  spconv-bench history results/\n"
     "  spconv-bench history results/ --filter '*/kernel/cold' --changed --threshold 1%\n"
     "  spconv-bench history results/ --last 20 --csv history.csv\n"
     "  spconv-bench history results/ --csv - --quiet | column -s, -t | less -S\n"
     "  spconv-bench history results/ --plots plots/\n",
     app::declare_history},
    {"merge", "the shards of a sweep as one run; see run --shard",
     "  spconv-bench merge sweep/ -o all/\n"
     "  spconv-bench merge sweep/ -o all/ && spconv-bench report all/ -o page/\n"
     "  spconv-bench merge sweep/ -o all/ --partial\n"
     "  spconv-bench merge sweep/ -o all/ --allow-mismatch driver\n"
     "  for i in 0 1 2 3; do spconv-bench run --config smoke --shard $i/4 --out sweep; done\n",
     app::declare_merge},
    {"tune", "find the fastest right kernels for problems like these; run then takes them",
     "  spconv-bench tune sphere:64 --channels 256 --dtypes f16\n"
     "  spconv-bench tune scan.bin --voxel-size 0.1 --channels 32,64,128 --dtypes f16\n"
     "  spconv-bench tune --config flexgemm --filter '*/f16/masked*' --mode all --budget 10m\n"
     "  spconv-bench tune sphere:64 --tuning h200.json && "
     "spconv-bench run sphere:64 --tuning h200.json\n"
     "  spconv-bench list tuning\n",
     app::declare_tune},
    {"peaks", "measure the limits of a device, for the roofline columns of run",
     "  spconv-bench peaks\n"
     "  spconv-bench peaks --device all\n"
     "  spconv-bench peaks --out h200.json\n"
     "  spconv-bench run sphere:64 --peaks h200.json --out results/\n"
     "  XDG_CACHE_HOME=/var/cache spconv-bench peaks --quiet\n",
     app::declare_peaks},
    {"selftest", "check that measuring works on a device",
     "  spconv-bench selftest\n"
     "  spconv-bench selftest --device 1\n"
     "  spconv-bench selftest --device all\n"
     "  spconv-bench selftest && spconv-bench run --config smoke --out results/\n"
     "  NO_COLOR=1 spconv-bench selftest > selftest.txt\n",
     app::declare_selftest},
    {"list", "what the program knows: algorithms, datasets, formats, columns ...",
     "  spconv-bench list algorithms\n"
     "  spconv-bench list datasets\n"
     "  spconv-bench list generators\n"
     "  spconv-bench list columns\n"
     "  spconv-bench list suites\n",
     app::declare_list},
    {"completions", "a script that completes this command line in bash, zsh or fish",
     "  source <(spconv-bench completions bash)\n"
     "  mkdir -p ~/.local/share/bash-completion/completions\n"
     "  spconv-bench completions bash > ~/.local/share/bash-completion/completions/spconv-bench\n"
     "  spconv-bench completions zsh > ~/.zsh/completions/_spconv-bench\n"
     "  spconv-bench completions fish > ~/.config/fish/completions/spconv-bench.fish\n",
     app::declare_completions},
    {"man", "the manual page",
     "  spconv-bench man | man -l -\n"
     "  spconv-bench man > spconv-bench.1\n"
     "  mkdir -p ~/.local/share/man/man1\n"
     "  spconv-bench man > ~/.local/share/man/man1/spconv-bench.1\n"
     "  spconv-bench man | groff -man -Tpdf > spconv-bench.pdf\n",
     app::declare_man},
};

constexpr const char* kExitCodes =
    "  0  all cases ended well, or some are unsupported or skipped\n"
    "  1  verification failed\n"
    "  2  usage or configuration\n"
    "  3  compare: slower, or more memory\n"
    "  4  runtime error: device, memory, I/O, unreadable data\n"
    "  5  nothing matched, ran or compared; merge: something is missing\n"
    "  6  compare: inconclusive rows, and nothing worse\n"
    "  130  interrupted, partial results saved\n";

/// What an option takes, where CLI11 says no more than that it "could not convert" what it got.
std::string conversion_message(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  for (const CLI::Option* option : app.get_options()) {
    if (option->results().empty() || text.find(option->get_name()) == std::string::npos) continue;
    const bool whole = option->get_type_name().find("INT") != std::string::npos;
    return fmt::format("{}: \"{}\" is no {}number, or too large a one; see spconv-bench {} --help",
                       option->get_name(), option->results().back(), whole ? "whole " : "",
                       app.get_name());
  }
  return text;
}

/// An option that takes one value has none, or several.
std::string count_message(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find(": "));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (!option) return error.what();
  return option->count() > 1
             ? fmt::format("{}: is given {} times; give it once", name, option->count())
             : fmt::format("{}: needs a value; see spconv-bench {} --help", name, app.get_name());
}

/// The first of the words that a command does not take.
std::string extras_message(const CLI::App& program, const CLI::App& app) {
  const std::vector<std::string> words = program.remaining(true);
  const auto extra = std::ranges::find_if(words, [](const auto& word) { return word != "--"; });
  return fmt::format("{}: is one argument too many; see spconv-bench {} --help",
                     extra == words.end() ? "--" : *extra, app.get_name());
}

/// The nearest known name for a word that is none; the words of CLI11 for everything else.
std::string parse_message(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  const CLI::App& app = chosen.empty() ? program : *chosen.front();
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  if (chosen.empty())
    for (const app::Command& command : kCommands) known.emplace_back(command.name);
  std::vector<std::string> words = app.remaining(true);
  // What is behind it is no option.
  if (!chosen.empty()) words.erase(std::ranges::find(words, "--"), words.end());
  const auto stray = std::ranges::find_if(
      words, [&](const std::string& word) { return chosen.empty() || word.starts_with("-"); });
  if (stray == words.end()) {
    if (dynamic_cast<const CLI::ConversionError*>(&error)) return conversion_message(app, error);
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return count_message(app, error);
    if (dynamic_cast<const CLI::ExtrasError*>(&error)) return extras_message(program, app);
    const bool missing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    return missing ? fmt::format("{}; see spconv-bench {} --help", error.what(), app.get_name())
                   : error.what();
  }
  return fmt::format("{}; see {}{} --help", unknown_name(stray->substr(0, stray->find('=')), known),
                     chosen.empty() ? "" : "spconv-bench ", app.get_name());
}

/// "help COMMAND" is "COMMAND --help".
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

int run_command(std::vector<std::string> words, std::span<const Algorithm> algorithms) {
  CLI::App program("", "spconv-bench");
  program.set_version_flag("-V,--version", suite::version_text());
  program.require_subcommand(1);
  program.failure_message(nullptr);
  std::vector<std::pair<CLI::App*, app::Action>> actions;
  for (const app::Command& command : kCommands) {
    CLI::App* sub = program.add_subcommand(command.name, command.summary);
    actions.emplace_back(sub, command.declare(*sub));
  }

  const bool brief = std::ranges::find(words, "--help") == words.end();
  const bool none = words.empty();
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    program.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = program.get_subcommands();
    const size_t width = app::console().help_width();
    const std::vector<app::CommandInfo> commands = app::command_tree(program, algorithms);
    const auto of_command = std::ranges::find(
        commands, chosen.empty() ? "" : chosen.front()->get_name(), &app::CommandInfo::name);
    fmt::print("{}", of_command == commands.end()
                         ? app::help_text(commands, kExitCodes, width)
                         : app::help_text(*of_command, kExitCodes, brief, width));
    return static_cast<int>(ExitCode::ok);
  } catch (const CLI::CallForVersion&) {
    fmt::print("{}\n", suite::version_text());
    return static_cast<int>(ExitCode::ok);
  } catch (const CLI::ParseError& error) {
    if (none) throw usage_error("spconv-bench", "a command is needed", "see spconv-bench --help");
    throw Error(ExitCode::usage, parse_message(program, error));
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) return static_cast<int>(action(algorithms));
  return static_cast<int>(ExitCode::usage);
}

/// Where the starter of this program closed one, the next file that is opened would take its
/// number, and get what is printed. Of what is open for reading alone, writing fails as before.
void open_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (fcntl(stream, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDONLY));
}

constexpr const char* kNoOutput = "standard output: cannot be written; is the disk full?";

}  // namespace

std::span<const app::Command> app::commands() { return kCommands; }
const char* app::exit_codes() { return kExitCodes; }

int application(int argc, char** argv, std::span<const Algorithm> algorithms) {
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at the limit of its size is as a full disk
  app::console().set_color(argc, argv);
  try {
    const int code = run_command(words_of(argc, argv), algorithms);
    // A full disk or a closed pipe shows only when the buffer is written.
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    app::console().error(kNoOutput);
  } catch (const Error& error) {
    app::console().error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    app::console().error("the host's memory is exhausted");
  } catch (const std::exception& error) {
    // fmt throws, too, when standard output does not take what it prints.
    app::console().error(std::ferror(stdout) != 0 ? kNoOutput : error.what());
  }
  return static_cast<int>(ExitCode::runtime);
}

}  // namespace spb
