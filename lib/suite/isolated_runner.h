// SPDX-License-Identifier: Apache-2.0
// Cases in a child process: a crash, an illegal address on the device, or a case that never ends
// costs that case only.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

#include "suite/case_runner.h"

namespace spb::suite {

/// The option that makes this program the child of an IsolatedRunner.
inline constexpr const char* kWorkerOption = "--worker";

/// Of a case where --timeout names no limit, in seconds: nothing is waited for without end.
inline constexpr double kUsualTimeoutS = 7200;

/// The parent's side. One child, this program with the same command line, runs case after case, so
/// that what cases share is computed once; it is replaced when it dies, when its device is lost, or
/// when a case takes longer than `timeout_s` (0: the usual limit). Wherever it stops, also behind
/// its last case, it is killed.
class IsolatedRunner final : public CaseRunner {
 public:
  IsolatedRunner(const PlannedCases& plan, std::vector<std::string> command_line, int device,
                 double timeout_s, Log& log);
  ~IsolatedRunner() override { stop(); }
  IsolatedRunner(const IsolatedRunner&) = delete;  // owns a process
  IsolatedRunner& operator=(const IsolatedRunner&) = delete;

  CaseOutcome run(size_t index, int round) override;

 private:
  enum class Read { line, ended, late };
  void start();
  void stop();
  /// Reaps the child, which has `limit_s` to end before it is killed; how it ended.
  std::string ended(double limit_s);
  Read read_line(double until_s, std::string& line);

  const PlannedCases& plan_;
  Log& log_;
  std::vector<std::string> command_line_;
  int device_;
  double timeout_s_;
  pid_t child_ = -1;
  int socket_ = -1;
  std::string received_;  // behind the last whole line
};

/// The child's side: answers on standard input until the parent closes it.
ExitCode serve_cases(const PlannedCases& plan, int device, Log& log);

}  // namespace spb::suite
