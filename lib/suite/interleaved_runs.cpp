// SPDX-License-Identifier: Apache-2.0
#include "suite/interleaved_runs.h"

#include <cstring>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/child_process.h"
#include "core/error.h"
#include "report/records/merge_runs.h"
#include "suite/interrupt.h"

namespace spb::suite {
namespace {

/// Its exit code. Its table goes to stderr: stdout is the comparison's.
int run_program(const std::string& program, const std::vector<std::string>& words, double limit_s) {
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw input_error(program, std::strerror(failed), "name two programs for --ab");
  pass_interrupts_to(child);
  const ChildEnd end = end_child(child, limit_s);
  pass_interrupts_to(0);
  if (end.was_killed)
    throw input_error(program, fmt::format("took longer than {:g} s and was killed", limit_s),
                      "see why it stops, or name a longer --timeout");
  const int status = end.status.value_or(0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool has_records(int code) {
  return code == static_cast<int>(ExitCode::ok) || code == static_cast<int>(ExitCode::incorrect) ||
         code == static_cast<int>(ExitCode::runtime);
}

}  // namespace

std::pair<report::Side, report::Side> run_interleaved(const std::string& a, const std::string& b,
                                                      const std::vector<std::string>& words,
                                                      int pairs, const std::string& out,
                                                      double limit_s, Log& log) {
  handle_interrupts(false);  // the program that runs says that it waits
  std::vector<std::string> folders[2];
  for (int turn = 0; turn < 2 * pairs; ++turn) {
    const bool second = turn % 4 == 1 || turn % 4 == 2;
    const std::string folder =
        fmt::format("{}/{}-{}", out, second ? "new" : "base", folders[second].size());
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--samples", "--out", folder});
    const std::string& program = second ? b : a;
    log.note(fmt::format("[{}/{}] {}", turn + 1, 2 * pairs, program));
    const int code = run_program(program, all, limit_s);
    if (code == static_cast<int>(ExitCode::interrupted) || interrupted())
      throw Error(ExitCode::interrupted, "interrupted");
    if (!has_records(code))
      throw usage_error("--ab", fmt::format("{} ended with exit code {}", program, code));
    folders[second].push_back(folder);
  }
  report::Side sides[2];
  for (int side = 0; side < 2; ++side) {
    std::vector<report::Side> runs;
    for (const std::string& folder : folders[side]) runs.push_back(report::read_side(folder));
    sides[side] = report::merge_runs(std::move(runs));
    sides[side].path = side == 0 ? a : b;
  }
  return {std::move(sides[0]), std::move(sides[1])};
}

}  // namespace spb::suite
