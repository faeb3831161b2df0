// SPDX-License-Identifier: Apache-2.0
// One line per case on stderr; on a terminal the same line, rewritten. The results on stdout.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "console.h"
#include "suite/observer.h"

namespace spb::app {

class Progress final : public suite::Observer {
 public:
  /// `known`: names of the algorithms, the baseline first. `runs` share a plan: the answer is for
  /// these numbers of them.
  Progress(std::vector<std::string> known, std::vector<int64_t> runs)
      : known_(std::move(known)), runs_(std::move(runs)) {}

  void error(const std::string& text) override { console().error(text); }
  void warning(const std::string& text) override { console().warning(text); }
  void note(const std::string& text) override { console().note(text); }
  bool is_quiet() const override { return console().verbosity() == 0; }
  void planned(const suite::CaseEstimate& estimate) override;
  void start(size_t cases) override;
  void begin(const std::string& case_id) override;
  void end(const std::string& case_id, std::span<const Record> rows) override;
  void results(std::span<const Record> rows) override;

  /// What --dry-run says below its cases.
  void print_plan_total() const;

 private:
  std::string counter() const;
  std::string time_left() const;  ///< empty before the first case has ended
  void show(const std::string& begin, const std::string& case_id, const std::string& end);
  std::string outcome(std::span<const Record> rows);

  std::vector<std::string> known_;
  std::vector<int64_t> runs_;
  size_t cases_ = 0, finished_ = 0, planned_ = 0;
  int64_t largest_bytes_ = 0;  // of the cases that are planned
  double planned_s_ = 0;       // of them all
  std::string last_detail_;    // is not repeated case after case
  std::chrono::steady_clock::time_point start_;
};

}  // namespace spb::app
